"""Validation rules (`x-kubernetes-validations`): schemas as CEL types, and the evaluation of rules on values."""
