"""ObjectMeta and TypeMeta: decoding, validation, and their effects on requests."""
