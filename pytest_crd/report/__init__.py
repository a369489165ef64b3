"""Reports for people: lines, differences and the words of a mismatch."""
