"""What Go's standard library and RE2 do with text, numbers and JSON, as far as the server's answers show it."""
