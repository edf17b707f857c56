"""The one writer that everything in a report passes: the same private thing always becomes the same token, in every encoding.

Imports nothing by itself: opening a machine reads texts (`reading`) and must not pay for the redactor's patterns.
"""
