// Package recording writes facts: calls of functions with their arguments and results.
package recording

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// Fact is a recorded call.
type Fact map[string]any

var lock sync.Mutex

// Write appends a fact to the file of the recorder, with the test file that made the call.
func Write(call string, fact Fact) {
	lock.Lock()
	defer lock.Unlock()
	fact["call"] = call
	if test := testFile(); test != "" {
		fact["file"] = test
	}
	file, err := os.OpenFile(os.Getenv("RECORDING"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	encoder := json.NewEncoder(file)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(fact); err != nil {
		panic(err)
	}
}

// testFile returns the outermost test file of the call, relative to the folder of the admission plugins.
func testFile() string {
	callers := make([]uintptr, 100)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	found := ""
	for frame, more := frames.Next(); ; frame, more = frames.Next() {
		if _, name, ok := strings.Cut(frame.File, "/admission/plugin/"); ok && strings.HasSuffix(name, "_test.go") {
			found = name
		}
		if !more {
			return found
		}
	}
}

// IsNil returns whether a value is nil, or an interface with a nil pointer.
func IsNil(value any) bool {
	if value == nil {
		return true
	}
	reflected := reflect.ValueOf(value)
	return reflected.Kind() == reflect.Pointer && reflected.IsNil()
}

// Set adds a value to a fact if it is not nil.
func (f Fact) Set(key string, value any) {
	if !IsNil(value) {
		f[key] = value
	}
}

// SetError adds the text of an error to a fact if there is one.
func (f Fact) SetError(err error) {
	if !IsNil(err) {
		f["error"] = err.Error()
	}
}

// Resource describes a resource.
func Resource(gvr schema.GroupVersionResource) []string {
	return []string{gvr.Group, gvr.Version, gvr.Resource}
}

// Kind describes a kind.
func Kind(gvk schema.GroupVersionKind) []string {
	return []string{gvk.Group, gvk.Version, gvk.Kind}
}

// Attributes describes a request.
func Attributes(attr admission.Attributes) Fact {
	fact := Fact{
		"operation": attr.GetOperation(), "resource": Resource(attr.GetResource()), "subresource": attr.GetSubresource(),
		"kind": Kind(attr.GetKind()), "namespace": attr.GetNamespace(), "name": attr.GetName(),
	}
	fact.Set("object", attr.GetObject())
	fact.Set("oldObject", attr.GetOldObject())
	if info := attr.GetUserInfo(); !IsNil(info) {
		fact["user"] = Fact{"username": info.GetName(), "uid": info.GetUID(), "groups": info.GetGroups()}
	}
	return fact
}

// Versioned describes a request whose object may have changes.
func Versioned(attr *admission.VersionedAttributes) Fact {
	fact := Attributes(attr.Attributes)
	fact.Set("object", attr.VersionedObject.Object())
	fact.Set("oldObject", attr.VersionedOldObject.Object())
	return fact
}

// Equivalents describes the other resources of a request's objects, each with its kind.
func Equivalents(attr admission.Attributes, interfaces admission.ObjectInterfaces) []any {
	mapper := interfaces.GetEquivalentResourceMapper()
	equivalents := []any{}
	for _, resource := range mapper.EquivalentResourcesFor(attr.GetResource(), attr.GetSubresource()) {
		kind := mapper.KindFor(resource, attr.GetSubresource())
		equivalents = append(equivalents, Fact{"resource": Resource(resource), "kind": Kind(kind)})
	}
	return equivalents
}

// Namespace describes a Namespace, or returns nil.
func Namespace(namespace *corev1.Namespace) any {
	if namespace == nil {
		return nil
	}
	return namespace
}

// operators has the operators of label selectors in the words of the API.
var operators = map[selection.Operator]string{
	selection.In: "In", selection.NotIn: "NotIn", selection.Exists: "Exists", selection.DoesNotExist: "DoesNotExist",
	selection.Equals: "In", selection.DoubleEquals: "In", selection.NotEquals: "NotIn",
}

// Selector describes the requirements of a label selector.
func Selector(selector labels.Selector) []any {
	expressions := []any{}
	requirements, _ := selector.Requirements()
	for _, requirement := range requirements {
		expressions = append(expressions, Fact{
			"key": requirement.Key(), "operator": operators[requirement.Operator()], "values": requirement.ValuesUnsorted(),
		})
	}
	return expressions
}

// Value describes a value of an expression.
func Value(value ref.Val) Fact {
	switch value := value.(type) {
	case types.Bool, types.String, types.Int:
		return Fact{"value": value.Value()}
	case types.Null:
		return Fact{"value": nil}
	default:
		return Fact{"other": value.Type().TypeName()}
	}
}

// Result describes the outcome of an expression.
func Result(value ref.Val, err error) Fact {
	if !IsNil(err) {
		return Fact{"error": err.Error()}
	}
	if value == nil {
		return Fact{}
	}
	return Value(value)
}

// Authorizer records the answers of an authorizer.
type Authorizer struct {
	Authorizer authorizer.UnconditionalAuthorizer
	Answers    []any
}

// Wrap returns a recording authorizer, or the same nil value.
func Wrap(authorizer authorizer.UnconditionalAuthorizer) *Authorizer {
	if IsNil(authorizer) {
		return nil
	}
	return &Authorizer{Authorizer: authorizer, Answers: []any{}}
}

// selected describes the requirements of a selector.
func selected[R any](requirements []R, err error) string {
	if err != nil {
		return "invalid"
	}
	texts := []string{}
	for _, requirement := range requirements {
		switch requirement := any(requirement).(type) {
		case fields.Requirement:
			texts = append(texts, requirement.Field+string(requirement.Operator)+requirement.Value)
		case labels.Requirement:
			texts = append(texts, requirement.String())
		}
	}
	return strings.Join(texts, ",")
}

// Authorize asks the wrapped authorizer and records its answer.
func (a *Authorizer) Authorize(ctx context.Context, attr authorizer.Attributes) (authorizer.Decision, string, error) {
	decision, reason, err := a.Authorizer.Authorize(ctx, attr)
	answer := Fact{
		"group": attr.GetAPIGroup(), "resource": attr.GetResource(), "subresource": attr.GetSubresource(),
		"namespace": attr.GetNamespace(), "name": attr.GetName(), "verb": attr.GetVerb(), "path": attr.GetPath(),
		"allowed": decision == authorizer.DecisionAllow, "reason": reason,
	}
	if selector, err := attr.GetFieldSelector(); len(selector) > 0 || err != nil {
		answer["fieldSelector"] = selected(selector, err)
	}
	if selector, err := attr.GetLabelSelector(); len(selector) > 0 || err != nil {
		answer["labelSelector"] = selected(selector, err)
	}
	answer.SetError(err)
	a.Answers = append(a.Answers, answer)
	return decision, reason, err
}

// Copy returns a fact that does not change with its objects.
func Copy(fact Fact) Fact {
	text, err := json.Marshal(fact)
	if err != nil {
		panic(err)
	}
	copied := Fact{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&copied); err != nil {
		panic(err)
	}
	return copied
}
