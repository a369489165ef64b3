package matching

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/recording"
)

func (m *Matcher) Matches(attr admission.Attributes, o admission.ObjectInterfaces, criteria MatchCriteria) (bool, schema.GroupVersionResource, schema.GroupVersionKind, error) {
	matches, resource, kind, err := m.unrecordedMatches(attr, o, criteria)
	fact := recording.Fact{
		"criteria": criteria.GetMatchResources(), "request": recording.Attributes(attr),
		"equivalents": recording.Equivalents(attr, o), "matches": matches,
	}
	if m.namespaceMatcher.NamespaceLister != nil {
		namespace, nsErr := m.namespaceMatcher.NamespaceLister.Get(attr.GetNamespace())
		if nsErr == nil {
			fact.Set("namespace", recording.Namespace(namespace))
		}
	}
	if matches {
		fact["resource"], fact["kind"] = recording.Resource(resource), recording.Kind(kind)
	}
	fact.SetError(err)
	recording.Write("match", fact)
	return matches, resource, kind, err
}
