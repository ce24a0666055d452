"""Two graders crossed, what they differ on as a queue to decide, and how good they are.

Source: Calderon et al., appendix C.3 and figure 14; semantics section 6.
"""
