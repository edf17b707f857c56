"""Benchmarks: every `bench_*.py` here has `bench()`, which returns rows.

A row is a dict: `name`, `value` (a median, never a best), `unit`, `limit` (None where there is none; larger is worse
unless `higher_is_better` is true) and `reference` (what it is to be compared with, in words, or None).
"""
