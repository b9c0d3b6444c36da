"""The views of single chapters: what is true, and its text and HTML."""
