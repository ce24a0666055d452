"""Building a benchmark from documents: facts with ten checked tasks each.

Source: Calderon et al., section 3, appendices A.2 to A.4.
"""
