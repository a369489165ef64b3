"""
Built-in kinds as they are served.

In order: `builtingotypes` has their Go types, `builtindecoding` decodes what is sent into them, `builtinconversions` has what a server makes of that,
`builtinowners` says who owns what of them, `builtinstrategy` has the steps of requests that write, `builtintypes` has what is served, and `builtincells` has
what tables say of them. `unservedkinds` has the kinds that are not served.
"""
