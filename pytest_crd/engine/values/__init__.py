"""Value validation: keywords, formats, list types, and ratcheting."""
