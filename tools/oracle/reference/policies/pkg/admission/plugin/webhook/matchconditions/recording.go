package matchconditions

import (
	"context"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	celplugin "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/recording"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// evaluator records the outcomes of conditions.
type evaluator struct {
	celplugin.ConditionEvaluator
	fact recording.Fact
}

func (e *evaluator) ForInput(ctx context.Context, versionedAttr *admission.VersionedAttributes, request *admissionv1.AdmissionRequest, inputs celplugin.OptionalVariableBindings, namespace *corev1.Namespace, budget int64) ([]celplugin.EvaluationResult, int64, error) {
	results, remaining, err := e.ConditionEvaluator.ForInput(ctx, versionedAttr, request, inputs, namespace, budget)
	outcomes := []any{}
	for _, result := range results {
		outcomes = append(outcomes, recording.Result(result.EvalResult, result.Error))
	}
	e.fact["outcomes"] = outcomes
	if err != nil {
		e.fact["failure"] = err.Error()
	}
	return results, remaining, err
}

func (m *matcher) Match(ctx context.Context, versionedAttr *admission.VersionedAttributes, versionedParams runtime.Object, authz authorizer.UnconditionalAuthorizer) MatchResult {
	fact := recording.Fact{"failurePolicy": m.failPolicy}
	recorded := *m
	recorded.filter = &evaluator{m.filter, fact}
	result := recorded.unrecordedMatch(ctx, versionedAttr, versionedParams, authz)
	fact["matches"] = result.Matches
	fact.SetError(result.Error)
	recording.Write("conditions", fact)
	return result
}
