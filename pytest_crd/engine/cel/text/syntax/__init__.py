"""Expressions read as the server's parser reads them, with its recovery from syntax errors and its words for them."""
