"""What the recordings are good for."""
