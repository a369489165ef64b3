package fieldpath

import (
	"bytes"
	"encoding/json"
	"io"

	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Told returns a set as JSON, `fieldsV1` of a managed field; nil as null.
func (s *Set) Told() any {
	if s == nil {
		return nil
	}
	text, err := s.unrecordedToJSON()
	if err != nil {
		panic(err)
	}
	return json.RawMessage(text)
}

// Told returns an element as it is written in `fieldsV1`.
func (e PathElement) Told() string {
	text, err := unrecordedSerializePathElement(e)
	if err != nil {
		panic(err)
	}
	return text
}

// Told returns a path as the list of its elements.
func (fp Path) Told() []string {
	told := []string{}
	for _, element := range fp {
		told = append(told, element.Told())
	}
	return told
}

// Told returns managers as a mapping of their names to what each owns.
func (lhs ManagedFields) Told() any {
	told := map[string]any{}
	for name, set := range lhs {
		told[name] = map[string]any{"version": set.APIVersion(), "applied": set.Applied(), "fields": set.Set().Told()}
	}
	return told
}

// TellFilter returns what a filter leaves out, or the pattern of what it takes.
func TellFilter(filter Filter) any {
	if exclude, ok := filter.(excludeFilter); ok {
		return map[string]any{"exclude": exclude.excludeSet.Told()}
	}
	return map[string]any{"include": filter.(includeMatcherFilter).matcher.Told()}
}

// Told returns "*" for what takes everything, else a list of pairs: an element or "*", and what is taken below it.
func (s *SetMatcher) Told() any {
	if s.wildcard {
		return "*"
	}
	told := []any{}
	for _, member := range s.members {
		name := "*"
		if !member.Path.Wildcard {
			name = member.Path.PathElement.Told()
		}
		told = append(told, []any{name, member.Child.Told()})
	}
	return told
}

func failed(err error) value.Fact {
	return value.Fact{"error": err.Error()}
}

func (s *Set) binary(call string, s2, answer *Set) *Set {
	value.Record(2, call, func() value.Fact {
		return value.Fact{"left": s.Told(), "right": s2.Told(), "answer": answer.Told()}
	})
	return answer
}

// Union is recorded.
func (s *Set) Union(s2 *Set) *Set { return s.binary("Set.Union", s2, s.unrecordedUnion(s2)) }

// Intersection is recorded.
func (s *Set) Intersection(s2 *Set) *Set {
	return s.binary("Set.Intersection", s2, s.unrecordedIntersection(s2))
}

// Difference is recorded.
func (s *Set) Difference(s2 *Set) *Set {
	return s.binary("Set.Difference", s2, s.unrecordedDifference(s2))
}

// RecursiveDifference is recorded.
func (s *Set) RecursiveDifference(s2 *Set) *Set {
	return s.binary("Set.RecursiveDifference", s2, s.unrecordedRecursiveDifference(s2))
}

// Equals is recorded.
func (s *Set) Equals(s2 *Set) bool {
	answer := s.unrecordedEquals(s2)
	value.Record(1, "Set.Equals", func() value.Fact {
		return value.Fact{"left": s.Told(), "right": s2.Told(), "answer": answer}
	})
	return answer
}

// Leaves is recorded.
func (s *Set) Leaves() *Set {
	answer := s.unrecordedLeaves()
	value.Record(1, "Set.Leaves", func() value.Fact { return value.Fact{"set": s.Told(), "answer": answer.Told()} })
	return answer
}

// Has is recorded.
func (s *Set) Has(p Path) bool {
	answer := s.unrecordedHas(p)
	value.Record(1, "Set.Has", func() value.Fact {
		return value.Fact{"set": s.Told(), "path": p.Told(), "answer": answer}
	})
	return answer
}

// Iterate is recorded.
func (s *Set) Iterate(f func(Path)) {
	value.Record(1, "Set.Iterate", func() value.Fact {
		paths := []any{}
		s.unrecordedIterate(func(p Path) { paths = append(paths, p.Told()) })
		return value.Fact{"set": s.Told(), "answer": paths}
	})
	s.unrecordedIterate(f)
}

// EnsureNamedFieldsAreMembers is recorded.
func (s *Set) EnsureNamedFieldsAreMembers(sc *schema.Schema, tr schema.TypeRef) *Set {
	answer := s.unrecordedEnsureNamedFieldsAreMembers(sc, tr)
	value.Record(1, "Set.EnsureNamedFieldsAreMembers", func() value.Fact {
		return value.Fact{"set": s.Told(), "schema": sc.Told(), "type": tr.Told(), "answer": answer.Told()}
	})
	return answer
}

// FilterIncludeMatches is recorded.
func (s *Set) FilterIncludeMatches(pattern *SetMatcher) *Set {
	answer := s.unrecordedFilterIncludeMatches(pattern)
	value.Record(1, "Set.FilterIncludeMatches", func() value.Fact {
		return value.Fact{"set": s.Told(), "pattern": pattern.Told(), "answer": answer.Told()}
	})
	return answer
}

// ToJSON is recorded.
func (s *Set) ToJSON() ([]byte, error) {
	text, err := s.unrecordedToJSON()
	value.Record(1, "Set.ToJSON", func() value.Fact {
		paths := []any{}
		s.unrecordedIterate(func(p Path) { paths = append(paths, p.Told()) })
		return value.Fact{"paths": paths, "answer": string(text)}
	})
	return text, err
}

// FromJSON is recorded.
func (s *Set) FromJSON(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	err = s.unrecordedFromJSON(bytes.NewReader(text))
	value.Record(1, "Set.FromJSON", func() value.Fact {
		fact := value.Fact{"text": string(text)}
		if err != nil {
			fact["error"] = err.Error()
		} else {
			paths := []any{}
			s.unrecordedIterate(func(p Path) { paths = append(paths, p.Told()) })
			fact["paths"], fact["answer"] = paths, string(s.Told().(json.RawMessage))
		}
		return fact
	})
	return err
}

// SetFromValue is recorded.
func SetFromValue(v value.Value) *Set {
	answer := unrecordedSetFromValue(v)
	value.Record(1, "SetFromValue", func() value.Fact {
		return value.Fact{"value": value.Told(v), "answer": answer.Told()}
	})
	return answer
}

// Less is recorded.
func (e PathElement) Less(rhs PathElement) bool {
	answer := e.unrecordedLess(rhs)
	value.Record(1, "PathElement.Compare", func() value.Fact {
		return value.Fact{"left": e.Told(), "right": rhs.Told(), "answer": e.Compare(rhs)}
	})
	return answer
}

// DeserializePathElement is recorded.
func DeserializePathElement(s string) (PathElement, error) {
	answer, err := unrecordedDeserializePathElement(s)
	value.Record(1, "DeserializePathElement", func() value.Fact {
		fact := value.Fact{"text": s}
		if err != nil {
			fact["error"] = err.Error()
		} else {
			fact["answer"], fact["spelled"] = answer.Told(), answer.String()
		}
		return fact
	})
	return answer, err
}

// SerializePathElement is recorded.
func SerializePathElement(pe PathElement) (string, error) {
	return unrecordedSerializePathElement(pe)
}

// MakePath is recorded, with how the path is spelled.
func MakePath(parts ...interface{}) (Path, error) {
	answer, err := unrecordedMakePath(parts...)
	value.Record(1, "Path.String", func() value.Fact {
		if err != nil {
			return failed(err)
		}
		return value.Fact{"path": answer.Told(), "answer": answer.String()}
	})
	return answer, err
}

// MakePathOrDie is recorded, with how the path is spelled.
func MakePathOrDie(parts ...interface{}) Path {
	answer := unrecordedMakePathOrDie(parts...)
	value.Record(1, "Path.String", func() value.Fact {
		return value.Fact{"path": answer.Told(), "answer": answer.String()}
	})
	return answer
}

// Equals is recorded.
func (lhs ManagedFields) Equals(rhs ManagedFields) bool {
	answer := lhs.unrecordedEquals(rhs)
	value.Record(1, "ManagedFields.Equals", func() value.Fact {
		return value.Fact{"left": lhs.Told(), "right": rhs.Told(), "answer": answer}
	})
	return answer
}

// Difference is recorded.
func (lhs ManagedFields) Difference(rhs ManagedFields) ManagedFields {
	answer := lhs.unrecordedDifference(rhs)
	value.Record(1, "ManagedFields.Difference", func() value.Fact {
		return value.Fact{"left": lhs.Told(), "right": rhs.Told(), "answer": answer.Told()}
	})
	return answer
}
