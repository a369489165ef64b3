package generic

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/webhook"
	"k8s.io/apiserver/pkg/admission/recording"
)

func (a *Webhook) ShouldCallHook(ctx context.Context, h webhook.WebhookAccessor, attr admission.Attributes, o admission.ObjectInterfaces, v VersionedAttributeAccessor) (*WebhookInvocation, *apierrors.StatusError) {
	invocation, err := a.unrecordedShouldCallHook(ctx, h, attr, o, v)
	fact := recording.Fact{
		"request": recording.Attributes(attr), "equivalents": recording.Equivalents(attr, o), "matches": invocation != nil,
	}
	if hook, ok := h.GetValidatingWebhook(); ok {
		fact["webhook"] = hook
	}
	if hook, ok := h.GetMutatingWebhook(); ok {
		fact["webhook"] = hook
	}
	if a.namespaceMatcher.NamespaceLister != nil {
		namespace, nsErr := a.namespaceMatcher.NamespaceLister.Get(attr.GetNamespace())
		if nsErr == nil {
			fact.Set("namespace", recording.Namespace(namespace))
		}
	}
	if invocation != nil {
		fact["resource"], fact["kind"] = recording.Resource(invocation.Resource), recording.Kind(invocation.Kind)
	}
	if err != nil {
		fact.SetError(err)
	}
	recording.Write("call", fact)
	return invocation, err
}
