"""The screens: a folder each, on `BaseScreen`; `tui/app/tab_table.py` names them."""
