"""Formats of strings that the server checks: `stringformats` names them all, the other modules read what takes more than a pattern."""
