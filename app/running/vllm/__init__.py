"""A vLLM server on this PC: settings, a proven first start, and how it is run later."""
