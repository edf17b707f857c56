"""The parts that pages are made of. Each paints itself from the tokens and speaks for itself to a screen reader."""
