"""Functions on ordinary arrays, of this process alone."""
