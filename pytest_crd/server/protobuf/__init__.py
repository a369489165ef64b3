"""
Protobuf, as Go clients speak it.

`protofields` has the fields of each type, `protoreading` and `protowriting` read and write objects by them, in the wire format of `protowire`.
OpenAPI documents are written alone: `openapifields` has their messages, `openapiwriting` writes them, with the YAML of `anyyaml` in places.
"""
