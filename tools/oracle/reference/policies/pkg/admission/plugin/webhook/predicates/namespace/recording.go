package namespace

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/recording"
)

func (m *Matcher) GetNamespaceLabels(attr admission.Attributes) (map[string]string, error) {
	labels, err := m.unrecordedGetNamespaceLabels(attr)
	fact := recording.Fact{"request": recording.Attributes(attr), "labels": labels}
	if namespace, nsErr := m.NamespaceLister.Get(attr.GetNamespace()); nsErr == nil {
		fact.Set("namespace", recording.Namespace(namespace))
	}
	fact.SetError(err)
	recording.Write("namespaceLabels", fact)
	return labels, err
}

func (m *Matcher) MatchNamespaceSelector(p NamespaceSelectorProvider, attr admission.Attributes) (bool, *apierrors.StatusError) {
	matches, err := m.unrecordedMatchNamespaceSelector(p, attr)
	fact := recording.Fact{"request": recording.Attributes(attr), "matches": matches}
	if selector, selectorErr := p.GetParsedNamespaceSelector(); selectorErr == nil {
		fact["selector"] = recording.Selector(selector)
	}
	if m.NamespaceLister != nil {
		if namespace, nsErr := m.NamespaceLister.Get(attr.GetNamespace()); nsErr == nil {
			fact.Set("namespace", recording.Namespace(namespace))
		}
	}
	if err != nil {
		fact.SetError(err)
	}
	recording.Write("namespaceSelector", fact)
	return matches, err
}
