"""Graders that are language models: what they are asked, and how their answers are read.

Source: Calderon et al., section 4 and boxes D.18 and D.19; FACT-BENCH, section 3.
"""
