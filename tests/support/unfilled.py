"""Case files with expectations to fill in or to correct."""

from __future__ import annotations

HEAD = "crd: gardens.stories.example.com\n"
TOO_MANY = "Invalid value: 11: spec.rows in body should be less than or equal to 10"
UNFILLED = f"""\
{HEAD}create:
- name: rows
  input: {{spec: {{rows: 11}}}}
  errors: TODO
- name: bogus  # misspelt
  input: {{spec: {{size: 1, bogus: x}}}}
"""
FILLED = f"""\
{HEAD}create:
- name: rows
  input: {{spec: {{rows: 11}}}}
  errors:
  - field: spec.rows
    type: Invalid
    message: "{TOO_MANY}"
- name: bogus  # misspelt
  input: {{spec: {{size: 1, bogus: x}}}}
  expected: {{spec: {{size: 1, watering: {{hour: 6}}}}}}
  pruned: [spec.bogus]
  defaulted: [spec.watering, spec.watering.hour]
"""
FAILS = "- name: fails\n  input: {spec: {size: 1}}\n  expected: {spec: {size: 2, watering: {hour: 6}}}\n"
FIXED = FAILS.replace("size: 2", "size: 1")
