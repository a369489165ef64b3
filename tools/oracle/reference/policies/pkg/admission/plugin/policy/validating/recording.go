package validating

import (
	"context"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/admission/recording"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// evaluator records the outcomes of the expressions of one field.
type evaluator struct {
	cel.ConditionEvaluator
	field string
	fact  recording.Fact
}

func (e *evaluator) ForInput(ctx context.Context, versionedAttr *admission.VersionedAttributes, request *admissionv1.AdmissionRequest, inputs cel.OptionalVariableBindings, namespace *corev1.Namespace, budget int64) ([]cel.EvaluationResult, int64, error) {
	results, remaining, err := e.ConditionEvaluator.ForInput(ctx, versionedAttr, request, inputs, namespace, budget)
	items := []any{}
	for _, result := range results {
		item := recording.Fact{"outcome": recording.Result(result.EvalResult, result.Error)}
		switch accessor := result.ExpressionAccessor.(type) {
		case *ValidationCondition:
			item["expression"], item["message"] = accessor.Expression, accessor.Message
			item.Set("reason", accessor.Reason)
		case *AuditAnnotationCondition:
			item["key"], item["expression"] = accessor.Key, accessor.ValueExpression
		}
		items = append(items, item)
	}
	e.fact[e.field], e.fact["cost"] = items, budget-remaining
	if err != nil {
		e.fact[e.field+"Failure"] = err.Error()
	}
	return results, remaining, err
}

// matcher records the result of match conditions.
type matcher struct {
	matchconditions.Matcher
	fact recording.Fact
}

func (m *matcher) Match(ctx context.Context, versionedAttr *admission.VersionedAttributes, versionedParams runtime.Object, authz authorizer.UnconditionalAuthorizer) matchconditions.MatchResult {
	result := m.Matcher.Match(ctx, versionedAttr, versionedParams, authz)
	condition := recording.Fact{"matches": result.Matches}
	condition.SetError(result.Error)
	m.fact["condition"] = condition
	return result
}

func (v *validator) Validate(ctx context.Context, matchedResource schema.GroupVersionResource, versionedAttr *admission.VersionedAttributes, versionedParams runtime.Object, namespace *corev1.Namespace, budget int64, authz authorizer.UnconditionalAuthorizer) ValidateResult {
	fact := recording.Fact{"budget": budget}
	fact.Set("failurePolicy", v.failPolicy)
	recorded := *v
	if v.celMatcher != nil {
		recorded.celMatcher = &matcher{v.celMatcher, fact}
	}
	recorded.validationFilter = &evaluator{v.validationFilter, "validations", fact}
	recorded.messageFilter = &evaluator{v.messageFilter, "messages", fact}
	recorded.auditAnnotationFilter = &evaluator{v.auditAnnotationFilter, "annotations", fact}
	result := recorded.unrecordedValidate(ctx, matchedResource, versionedAttr, versionedParams, namespace, budget, authz)
	decisions, audited := []any{}, []any{}
	for _, decision := range result.Decisions {
		decisions = append(decisions, recording.Fact{
			"action": decision.Action, "evaluation": decision.Evaluation, "message": decision.Message, "reason": decision.Reason,
		})
	}
	for _, annotation := range result.AuditAnnotations {
		audited = append(audited, recording.Fact{
			"action": annotation.Action, "key": annotation.Key, "value": annotation.Value, "error": annotation.Error,
		})
	}
	fact["decisions"], fact["audited"] = decisions, audited
	recording.Write("validate", fact)
	return result
}
