"""ObjectMeta and TypeMeta: coercion, validation, and what a request's metadata means."""
