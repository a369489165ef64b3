"""
Reading of YAML and JSON as the server and kubectl do, and of manifest files.

Bytes come in, documents with the lines of their values go out. `yamlstream` decodes and splits them, `parser` reports events, `yamlscalar` resolves
scalars, and `yamlreader` builds each `document`; `jsonreader` does so for JSON. `manifest` reads whole files.
"""
