"""What tests of several folders begin with."""
