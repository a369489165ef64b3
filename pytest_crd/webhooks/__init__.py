"""
Webhooks of a project: conversion and admission, called as the API server calls them.

`transport` is the way to a webhook; `reviews` and `chain` speak its protocol, whatever the way.
"""
