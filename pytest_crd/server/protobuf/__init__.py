"""
Protobuf encoding of Go clients.

`protofields` has the fields of each type; `protoreading` and `protowriting` decode and encode objects in the wire format of `protowire`.
OpenAPI documents have their own messages: `openapifields` describes them, `openapiwriting` encodes them, with embedded YAML from `anyyaml`.
"""
