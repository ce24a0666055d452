"""The words of the field and of the screens, explained once: screens, help and docs take them."""
