"""Documents, and what the stages of building made of them.

A document is kept as its paragraphs (`passage`). A `candidate` is an object found in a passage,
or a fact that came without all of its tasks. A `step` is what one stage came to for one unit (a
passage or a candidate, by the kind of its stage); what was redone stays, set `aside`.
"""
