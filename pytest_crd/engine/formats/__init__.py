"""String and number formats that the server checks; `stringformats` maps each name to its check."""
