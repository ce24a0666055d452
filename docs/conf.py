"""How Sphinx builds the site of these pages: `make docs`."""

project = "Lostkeys"
project_copyright = "the Lostkeys authors"
extensions = ["myst_parser"]
smartquotes = False

html_theme = "furo"
html_title = "Lostkeys"
html_show_sourcelink = False
html_copy_source = False

# Links to a heading of a page are checked as links to pages are.
myst_heading_anchors = 3
