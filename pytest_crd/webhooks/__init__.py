"""
Webhooks of a project: conversion and admission, called as the API server calls them.

`endpoints` parses the lines of `crd_webhooks`, and `project` returns the transport to each webhook: `httptransport`, `commands` or
`functiontransport`. `conversionreview`, `admissionreview` and `chain` speak the protocol over any transport. `configurations` reads the webhook
configurations of the project, and `calledwebhooks` is the interface for the engine. `storedwebhooks` adds the webhooks of objects that clients
create on a server, which `loopback` reaches.
"""
