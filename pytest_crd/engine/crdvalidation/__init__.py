"""What the server demands of a CustomResourceDefinition."""
