package managedfields

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/managedfields/internal"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func (h *ScaleHandler) told() internal.Fact {
	mappings := map[string]any{}
	for version, path := range h.mappings {
		elements := []string{}
		for _, element := range path {
			text, err := fieldpath.SerializePathElement(element)
			if err != nil {
				panic(err)
			}
			elements = append(elements, text)
		}
		mappings[version] = elements
		if path == nil {
			mappings[version] = nil
		}
	}
	return internal.Fact{"entries": internal.Told(h.parentEntries), "version": h.groupVersion.String(), "paths": mappings}
}

// ToSubresource is recorded.
func (h *ScaleHandler) ToSubresource() ([]metav1.ManagedFieldsEntry, error) {
	answer, err := h.unrecordedToSubresource()
	internal.Record("ScaleHandler.ToSubresource", false, func() internal.Fact { return internal.Answered(h.told(), answer, err) })
	return answer, err
}

// ToParent is recorded.
func (h *ScaleHandler) ToParent(scaleEntries []metav1.ManagedFieldsEntry) ([]metav1.ManagedFieldsEntry, error) {
	answer, err := h.unrecordedToParent(scaleEntries)
	internal.Record("ScaleHandler.ToParent", false, func() internal.Fact {
		fact := h.told()
		fact["scale"] = internal.Told(scaleEntries)
		return internal.Answered(fact, answer, err)
	})
	return answer, err
}
