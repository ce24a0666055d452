"""The screens: a folder each, on `AuditScreen`; `tui/app/tab_table.py` names them."""
