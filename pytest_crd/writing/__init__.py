"""What was observed, written into case files: in place, or not at all."""
