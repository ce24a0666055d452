"""The paper's figures from one's own data: what they show as plain data, apart from any drawing.

Source: Calderon et al., figures 4 to 8 and 12 to 18, appendices A.4, B.3 and C.4.
"""
