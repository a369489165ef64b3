"""Suites in the format of openshift/api."""
