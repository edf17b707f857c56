"""Stands for vLLM where there is no card: the same module path, options and endpoints."""
