"""
Discovery of the CRDs, samples, webhook configurations and baseline of a project.

Settings and a folder come in, files and CRDs go out. `crdsources` gets CRDs from the settings, `search` and `commands`; `samplepaths` finds
samples, and `webhookfiles` webhook configurations. `kustomizations` applies
kustomizations to CRDs, `kustomizebuilds` builds the objects of whole ones. `baseline` reads the CRDs of users, from a commit (`releases`, `tags`) whose files are in
`filetrees`; only `git` runs git.
"""
