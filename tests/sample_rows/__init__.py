"""The rows of the samples table, a topic a file; each lists them in ``ROWS``."""
