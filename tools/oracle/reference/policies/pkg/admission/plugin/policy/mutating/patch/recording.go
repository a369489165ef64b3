package patch

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/recording"
)

// describable is an evaluator that describes its expression.
type describable interface {
	Declared() any
}

func record(ctx context.Context, patchType string, evaluator plugincel.MutatingEvaluator, r Request, patch func(Request) (runtime.Object, error)) (runtime.Object, error) {
	authorizer := recording.Wrap(r.OptionalVariables.Authorizer)
	if authorizer != nil {
		r.OptionalVariables.Authorizer = authorizer
	}
	fact := recording.Fact{
		"patchType": patchType, "expression": evaluator.(describable).Declared(),
		"request": recording.Versioned(r.VersionedAttributes),
	}
	fact.Set("variables", plugincel.VariablesOf(ctx))
	fact.Set("param", r.OptionalVariables.VersionedParams)
	fact.Set("namespace", recording.Namespace(r.Namespace))
	// The recorded request must not change with the object.
	fact = recording.Copy(fact)
	result, err := patch(r)
	if authorizer != nil {
		fact["answers"] = authorizer.Answers
	}
	fact.Set("result", result)
	fact.SetError(err)
	var status *apierrors.StatusError
	if errors.As(err, &status) {
		fact["code"] = status.ErrStatus.Code
	}
	recording.Write("patch", fact)
	return result, err
}

func (e *jsonPatcher) Patch(ctx context.Context, r Request, budget int64) (runtime.Object, error) {
	return record(ctx, "JSONPatch", e.PatchEvaluator, r, func(r Request) (runtime.Object, error) {
		return e.unrecordedPatch(ctx, r, budget)
	})
}

func (e *applyConfigPatcher) Patch(ctx context.Context, r Request, budget int64) (runtime.Object, error) {
	return record(ctx, "ApplyConfiguration", e.expressionEvaluator, r, func(r Request) (runtime.Object, error) {
		return e.unrecordedPatch(ctx, r, budget)
	})
}
