"""Validation rules (`x-kubernetes-validations`): what a schema is to the expression language, and what its rules say of a value."""
