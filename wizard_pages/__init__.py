"""One page a file: shows values, collects a choice."""
