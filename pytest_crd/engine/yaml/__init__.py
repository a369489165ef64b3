"""Text to values: YAML and JSON as the server and kubectl read them, and manifest files."""
