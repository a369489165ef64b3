"""What a person reads: lines, differences and the words of a mismatch."""
