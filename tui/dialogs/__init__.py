"""Dialogs: small windows that ask one thing, or tell one."""
