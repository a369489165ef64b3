package typed

import (
	"sort"

	yaml "go.yaml.in/yaml/v2"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Told returns a typed value: its schema, its type, and the value; nil as null.
func (tv *TypedValue) Told() any {
	if tv == nil {
		return nil
	}
	return map[string]any{"schema": tv.schema.Told(), "type": tv.typeRef.Told(), "value": value.Told(tv.value)}
}

// Told returns the three sets of a comparison.
func (c *Comparison) Told() any {
	return map[string]any{"removed": c.Removed.Told(), "modified": c.Modified.Told(), "added": c.Added.Told()}
}

// answered returns a fact with an error, of which each line is one problem, in the order of the alphabet, or with an answer.
func answered(fact value.Fact, err error, answer func() any) value.Fact {
	if err == nil {
		fact["answer"] = answer()
		return fact
	}
	if several, ok := err.(ValidationErrors); ok {
		texts := []string{}
		for _, one := range several {
			texts = append(texts, one.Error())
		}
		sort.Strings(texts)
		fact["errors"] = texts
	} else {
		fact["error"] = err.Error()
	}
	return fact
}

// FromYAML is recorded.
func (p ParseableType) FromYAML(object YAMLObject, opts ...ValidationOptions) (*TypedValue, error) {
	answer, err := p.unrecordedFromYAML(object, opts...)
	value.Record(1, "Validate", func() value.Fact {
		var plain any
		if problem := yaml.Unmarshal([]byte(object), &plain); problem != nil {
			panic(problem)
		}
		fact := value.Fact{"schema": p.Schema.Told(), "type": p.TypeRef.Told(), "value": value.Plain(plain), "duplicates": len(opts) > 0}
		return answered(fact, err, func() any { return true })
	})
	return answer, err
}

// ToFieldSet is recorded.
func (tv TypedValue) ToFieldSet() (*fieldpath.Set, error) {
	answer, err := tv.unrecordedToFieldSet()
	value.Record(1, "ToFieldSet", func() value.Fact {
		return answered(value.Fact{"object": tv.Told()}, err, answer.Told)
	})
	return answer, err
}

// Merge is recorded.
func (tv TypedValue) Merge(pso *TypedValue) (*TypedValue, error) {
	answer, err := tv.unrecordedMerge(pso)
	value.Record(1, "Merge", func() value.Fact {
		return answered(value.Fact{"left": tv.Told(), "right": pso.Told()}, err, func() any { return value.Told(answer.value) })
	})
	return answer, err
}

// Compare is recorded.
func (tv TypedValue) Compare(rhs *TypedValue) (*Comparison, error) {
	answer, err := tv.unrecordedCompare(rhs)
	value.Record(1, "Compare", func() value.Fact {
		return answered(value.Fact{"left": tv.Told(), "right": rhs.Told()}, err, answer.Told)
	})
	return answer, err
}

// RemoveItems is recorded.
func (tv TypedValue) RemoveItems(items *fieldpath.Set) *TypedValue {
	before := value.Plain(value.Told(tv.value))
	answer := tv.unrecordedRemoveItems(items)
	value.Record(1, "RemoveItems", func() value.Fact {
		fact := value.Fact{"schema": tv.schema.Told(), "type": tv.typeRef.Told(), "value": before}
		return value.Fact{"object": fact, "set": items.Told(), "answer": value.Told(answer.value)}
	})
	return answer
}

// ExtractItems is recorded.
func (tv TypedValue) ExtractItems(items *fieldpath.Set, opts ...ExtractItemsOption) *TypedValue {
	before := value.Plain(value.Told(tv.value))
	answer := tv.unrecordedExtractItems(items, opts...)
	value.Record(1, "ExtractItems", func() value.Fact {
		fact := value.Fact{"schema": tv.schema.Told(), "type": tv.typeRef.Told(), "value": before}
		return value.Fact{"object": fact, "set": items.Told(), "keys": len(opts) > 0, "answer": value.Told(answer.value)}
	})
	return answer
}

// ExcludeFields is recorded.
func (c *Comparison) ExcludeFields(fields *fieldpath.Set) *Comparison {
	before := c.Told()
	answer := c.unrecordedExcludeFields(fields)
	value.Record(1, "Comparison.ExcludeFields", func() value.Fact {
		return value.Fact{"comparison": before, "set": fields.Told(), "answer": answer.Told()}
	})
	return answer
}

// ReconcileFieldSetWithSchema is recorded; null is an answer: nothing changes.
func ReconcileFieldSetWithSchema(fieldset *fieldpath.Set, tv *TypedValue) (*fieldpath.Set, error) {
	answer, err := unrecordedReconcileFieldSetWithSchema(fieldset, tv)
	value.Record(1, "ReconcileFieldSetWithSchema", func() value.Fact {
		return answered(value.Fact{"set": fieldset.Told(), "object": tv.Told()}, err, answer.Told)
	})
	return answer, err
}
