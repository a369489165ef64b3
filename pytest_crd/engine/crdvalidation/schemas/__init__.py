"""What the server demands of the schemas of a CustomResourceDefinition."""
