"""
Validation of the specs of Pods, which all workloads share.

Reference:
    kubernetes pkg/apis/core/validation.
"""
