package rules

import "k8s.io/apiserver/pkg/admission/recording"

func (r *Matcher) record(part string, matches bool) bool {
	fact := recording.Fact{
		"part": part, "rule": r.Rule, "request": recording.Attributes(r.Attr), "matches": matches,
	}
	recording.Write("rule", fact)
	return matches
}

func (r *Matcher) scope() bool {
	return r.record("scope", r.unrecordedscope())
}

func (r *Matcher) group() bool {
	return r.record("group", r.unrecordedgroup())
}

func (r *Matcher) version() bool {
	return r.record("version", r.unrecordedversion())
}

func (r *Matcher) operation() bool {
	return r.record("operation", r.unrecordedoperation())
}

func (r *Matcher) resource() bool {
	return r.record("resource", r.unrecordedresource())
}
