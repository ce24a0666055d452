"""Work that takes a while, outside any screen: answering and grading, importing."""
