"""The rows of the table of modules, a topic a file; each lists them in ``ROWS``."""
