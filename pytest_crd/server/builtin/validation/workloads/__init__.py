"""
Validation of workloads: kinds that make Pods from a template.

Reference:
    kubernetes pkg/apis/apps/validation and pkg/apis/batch/validation.
"""
