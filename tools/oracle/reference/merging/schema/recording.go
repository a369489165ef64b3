package schema

import (
	yaml "go.yaml.in/yaml/v2"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Told returns a schema as its YAML has it.
func (s *Schema) Told() any { return told(map[string]any{"types": s.Types}) }

// Told returns the name of a type, or what is written in its place.
func (tr TypeRef) Told() any { return told(tr) }

func told(part any) any {
	text, err := yaml.Marshal(part)
	if err != nil {
		panic(err)
	}
	var plain any
	if err := yaml.Unmarshal(text, &plain); err != nil {
		panic(err)
	}
	return value.Plain(plain)
}
