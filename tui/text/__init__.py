"""Text on its way to the terminal: made inert, measured, cut, and put together in lines."""
