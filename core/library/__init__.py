"""What the library hands out: tables, results, figures."""
