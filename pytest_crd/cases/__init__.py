"""What the user declared: case files, read, run and compared; knows nothing of pytest."""
