"""
Effects of a CRD change on objects, observed by running objects under the old and the new CRD.

Two sets of CRDs and the objects of a project come in; findings with witnesses go out. `upgradeplan` pairs each old CRD with its `successors`, and
`projectobjects` has the objects to judge by. `task` judges one pair through `histories` and `upgrade`. That writes the new CRD
over the old one (`crdwrites`), compares the schemas (`schemadifferences`), and searches a witness for each difference (`witnesses`). A witness is one
of the `objectcandidates`, written to an `subject`; `effects` compares the answers. `storedobjects`, `convertedobjects`, `clients` and
`applyeffects` add the other effects. `collection` joins the `upgradefindings`, and `allowances` permits some. `crddiff` does all that without a project.
"""
