package mutating

import (
	"context"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/recording"
)

// Dispatch records the object of a request before and after the policies.
func (d *dispatcher) Dispatch(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces, hooks []PolicyHook) error {
	policies := []any{}
	for _, hook := range hooks {
		policy := recording.Fact{"policy": hook.Policy, "bindings": hook.Bindings}
		if hook.ParamInformer != nil {
			params, err := hook.ParamInformer.Lister().List(labels.Everything())
			if err != nil {
				panic(err)
			}
			policy["params"] = params
		}
		policies = append(policies, policy)
	}
	fact := recording.Copy(recording.Fact{"request": recording.Attributes(a), "policies": policies})
	err := d.Dispatcher.Dispatch(ctx, a, o, hooks)
	fact.Set("result", a.GetObject())
	fact.SetError(err)
	recording.Write("dispatch", fact)
	return err
}
