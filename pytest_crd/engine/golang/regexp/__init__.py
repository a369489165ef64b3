"""Go's regular expressions: parser, syntax tree and matching with RE2."""
