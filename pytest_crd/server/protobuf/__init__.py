"""Protobuf, as Go clients speak it: the fields of each type, and messages that are read and written by them."""
