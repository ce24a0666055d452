"""How things look: colours by role, marks and codes, for dark, light and 16-colour terminals."""
