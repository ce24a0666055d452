"""What jobs are to do, as data, kept with them so that any program can go on with them."""
