package object

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/recording"
)

func (m *Matcher) MatchObjectSelector(p ObjectSelectorProvider, attr admission.Attributes) (bool, *apierrors.StatusError) {
	matches, err := m.unrecordedMatchObjectSelector(p, attr)
	fact := recording.Fact{"request": recording.Attributes(attr), "matches": matches}
	if selector, selectorErr := p.GetParsedObjectSelector(); selectorErr == nil {
		fact["selector"] = recording.Selector(selector)
	}
	if err != nil {
		fact.SetError(err)
	}
	recording.Write("objectSelector", fact)
	return matches, err
}
