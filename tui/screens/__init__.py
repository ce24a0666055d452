"""The screens: a folder each, on `AuditScreen`; `tui/app/tabs.py` names them."""
