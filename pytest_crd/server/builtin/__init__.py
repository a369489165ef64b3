"""
Built-in kinds as served resources.

`builtinkinds` has the recorded kinds, `namerules` the rules of their names, `builtingotypes` their Go types. `builtindecoding` decodes
requests into these. `builtindefaults` adds defaults, `defaultrules` has those that depend on other fields, `imagenames` the names of images.
`builtinconversions` has the server's changes to decoded objects, `builtinowners` their field managers, and `builtinstrategy` the steps of
write requests. `builtintypes` has the resources, `builtincells` the columns and rows of their tables.
`defaultplugins` has the admission plugins of every server, `podplugins` those of Pods, `resizeplugins` those of their resizes. `services` gives Services their addresses and ports. `finishing` sets the fields
that no client owns, `podfinishing` those of Pods. `apparmor` has the profiles in annotations of Pods. `validation` validates objects. `storedforms` drops fields of disabled features. `partwrites` has the subresources that write a part, `autoscalerforms` both forms of HorizontalPodAutoscalers.
`builtinclient` sends requests without a cluster. `initialobjects` has the objects of a new cluster. `unservedkinds` lists the kinds that this server lacks.
"""
