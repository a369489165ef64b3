"""What servers answer, written into the files that the tests replay."""
