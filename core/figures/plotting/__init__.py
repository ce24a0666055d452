"""Figures on paper: SVG, PNG and PDF by matplotlib, which is optional and imported when used."""
