"""
Validation rules (`x-kubernetes-validations`): schemas as CEL types, and the evaluation of rules on values.

A structural schema comes in first: `schemadeclarations` declares its types, `tree` finds the nodes with rules, and `compilation` compiles these.
Then a value and its old one come in: `variables` and `views` give them to the programs, `evaluation` runs these, and `messages` words the errors.
"""
