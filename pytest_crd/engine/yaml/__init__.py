"""Reading of YAML and JSON as the server and kubectl do, and of manifest files."""
