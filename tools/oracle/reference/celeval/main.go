// Command celeval compiles, costs and evaluates CEL expressions with the reference's own packages, thousands a second.
//
// It reads one JSON object a line and answers each with one line:
//
//	{"schema": …, "root": false, "environment": "new", "expressions": ["self.a > 1", …], "self": …, "oldSelf": …,
//	 "optionalOldSelf": false, "limit": 1000000}
//	{"problem": "why nothing was asked", "answers": [{"compile": "what keeps it from compiling", "type": "bool",
//	 "program": "what keeps it from being planned", "estimate": [0, 3], "value": "bool true", "error": "what kept it from a value",
//	 "cost": 2}, …]}
//
// The schema is a JSONSchemaProps; without one, `self` is dyn. `root` is true where `self` is a whole custom resource.
// "sizes": 100 bounds the size of each value with a path, as a schema would.
// The environment is "new" (that of new expressions), "stored", or a compatibility version such as "1.31".
// With "rules": true the schema's own x-kubernetes-validations are evaluated instead, and the answer is
//
//	{"errors": [{"type", "field", "message"}, …], "budget": what is left of it}
//
// where "budget" in the question is what there is, 10000000 unless told. estimate: what the checker expects at least and at most.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

type question struct {
	Schema          json.RawMessage `json:"schema"`
	Root            bool            `json:"root"`
	Environment     string          `json:"environment"`
	Expressions     []string        `json:"expressions"`
	Self            json.RawMessage `json:"self"`
	OldSelf         json.RawMessage `json:"oldSelf"`
	OptionalOldSelf bool            `json:"optionalOldSelf"`
	Sizes           *uint64         `json:"sizes"`
	Limit           uint64          `json:"limit"`
	Rules           bool            `json:"rules"`
	Budget          int64           `json:"budget"`
}

type evaluated struct {
	Compile  string   `json:"compile,omitempty"`
	Type     string   `json:"type,omitempty"`
	Program  string   `json:"program,omitempty"`
	Estimate []uint64 `json:"estimate,omitempty"`
	Value    string   `json:"value,omitempty"`
	Error    string   `json:"error,omitempty"`
	Cost     *uint64  `json:"cost,omitempty"`
}

type fieldError struct {
	Type    string `json:"type"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

type answer struct {
	Problem string       `json:"problem,omitempty"`
	Answers []evaluated  `json:"answers,omitempty"`
	Errors  []fieldError `json:"errors,omitempty"`
	Budget  *int64       `json:"budget,omitempty"`
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(answered(line)); err != nil {
			log.Fatal(err)
		}
		out.Flush()
	}
}

func answered(line []byte) (result answer) {
	defer func() {
		if reason := recover(); reason != nil {
			result = answer{Problem: fmt.Sprintf("panic: %v", reason)}
		}
	}()
	q := question{Limit: celconfig.PerCallLimit, Budget: celconfig.RuntimeCELCostBudget}
	if err := json.Unmarshal(line, &q); err != nil {
		return answer{Problem: err.Error()}
	}
	structural, err := readSchema(q.Schema)
	if err != nil {
		return answer{Problem: err.Error()}
	}
	self, err := decoded(q.Self)
	if err != nil {
		return answer{Problem: err.Error()}
	}
	oldSelf, err := decoded(q.OldSelf)
	if err != nil {
		return answer{Problem: err.Error()}
	}
	if q.Rules {
		return validated(structural, q, self, oldSelf)
	}
	env, estimator, err := environmentOf(structural, q)
	if err != nil {
		return answer{Problem: err.Error()}
	}
	variables := activation(structural, q, self, oldSelf)
	for _, expression := range q.Expressions {
		result.Answers = append(result.Answers, evaluate(env, estimator, expression, variables, q.Limit))
	}
	return result
}

func decoded(raw json.RawMessage) (value interface{}, err error) {
	if len(raw) > 0 {
		err = utiljson.Unmarshal(raw, &value)
	}
	return value, err
}

func environmentOf(structural *structuralSchema, q question) (*cel.Env, *library.CostEstimator, error) {
	compatibility := environment.DefaultCompatibilityVersion()
	kind := environment.NewExpressions
	switch q.Environment {
	case "", "new":
	case "stored":
		kind = environment.StoredExpressions
	default:
		compatibility = version.MustParseGeneric(q.Environment)
	}
	options := environment.VersionedOptions{IntroducedVersion: version.MajorMinor(1, 0)}
	selfType := cel.DynType
	var declared *apiservercel.DeclType
	if structural != nil {
		declared = declare(structural, q.Root)
		if declared == nil {
			return nil, nil, fmt.Errorf("the schema has no type")
		}
		declared = declared.MaybeAssignTypeName("selfType1")
		options.DeclTypes = []*apiservercel.DeclType{declared}
		selfType = declared.CelType()
	}
	oldType := selfType
	if q.OptionalOldSelf {
		oldType = types.NewOptionalType(selfType)
	}
	options.EnvOptions = []cel.EnvOption{cel.Variable("self", selfType), cel.Variable("oldSelf", oldType)}
	set, err := baseEnvironment(compatibility).Extend(options)
	if err != nil {
		return nil, nil, err
	}
	env, err := set.Env(kind)
	return env, &library.CostEstimator{SizeEstimator: &sizes{declared, q.Sizes}}, err
}

func activation(structural *structuralSchema, q question, self, oldSelf interface{}) map[string]interface{} {
	value := func(v interface{}) ref.Val {
		if structural == nil {
			return types.DefaultTypeAdapter.NativeToValue(v)
		}
		return toValue(v, structural)
	}
	variables := map[string]interface{}{"self": value(self)}
	switch {
	case q.OptionalOldSelf && len(q.OldSelf) == 0:
		variables["oldSelf"] = types.OptionalNone
	case q.OptionalOldSelf:
		variables["oldSelf"] = types.OptionalOf(value(oldSelf))
	case len(q.OldSelf) > 0:
		variables["oldSelf"] = value(oldSelf)
	}
	return variables
}

func evaluate(env *cel.Env, estimator *library.CostEstimator, expression string, variables map[string]interface{}, limit uint64) (result evaluated) {
	defer func() {
		if reason := recover(); reason != nil {
			result.Error = fmt.Sprintf("panic: %v", reason)
		}
	}()
	ast, issues := env.Compile(expression)
	if issues != nil {
		result.Compile = issues.String()
		return result
	}
	result.Type = ast.OutputType().String()
	program, err := env.Program(ast, cel.CostLimit(limit), cel.CostTracking(estimator), cel.InterruptCheckFrequency(celconfig.CheckFrequency))
	if err != nil {
		result.Program = err.Error()
		return result
	}
	estimate, err := env.EstimateCost(ast, estimator)
	if err != nil {
		result.Program = "cost estimation failed: " + err.Error()
		return result
	}
	result.Estimate = []uint64{estimate.Min, estimate.Max}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	value, details, err := program.ContextEval(ctx, variables)
	if details != nil {
		result.Cost = details.ActualCost()
	}
	if err != nil {
		result.Error = err.Error()
		return result
	}
	result.Value = shown(value)
	return result
}

// shown prints a value with its type, so that no two different values print alike.
func shown(value ref.Val) string {
	switch v := value.(type) {
	case types.Null:
		return "null"
	case types.Bool:
		return fmt.Sprintf("bool %t", bool(v))
	case types.Int:
		return fmt.Sprintf("int %d", int64(v))
	case types.Uint:
		return fmt.Sprintf("uint %d", uint64(v))
	case types.Double:
		return "double " + strconv.FormatFloat(float64(v), 'g', -1, 64)
	case types.String:
		return "string " + quoted(string(v))
	case types.Bytes:
		return "bytes " + fmt.Sprintf("%x", []byte(v))
	case types.Duration:
		return "duration " + v.Duration.String()
	case types.Timestamp:
		return "timestamp " + v.Time.Format(time.RFC3339Nano)
	case *types.Optional:
		if !v.HasValue() {
			return "optional none"
		}
		return "optional (" + shown(v.GetValue()) + ")"
	case *types.Type:
		return "type " + v.TypeName() // String writes parameters that releases of cel-go do not agree on
	case *types.Err:
		return "error " + v.Error()
	case traits.Lister:
		items := []string{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			items = append(items, shown(it.Next()))
		}
		return "list [" + strings.Join(items, ", ") + "]"
	case traits.Mapper:
		entries := []string{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			entries = append(entries, shown(key)+": "+shown(v.Get(key)))
		}
		sort.Strings(entries)
		return "map {" + strings.Join(entries, ", ") + "}"
	}
	if named, ok := value.Value().(apiservercel.Format); ok {
		return value.Type().TypeName() + " " + quoted(named.Name)
	}
	if text, ok := value.Value().(fmt.Stringer); ok {
		return value.Type().TypeName() + " " + quoted(text.String())
	}
	return fmt.Sprintf("%s %v", value.Type().TypeName(), value.Value())
}

func quoted(text string) string {
	builder := strings.Builder{}
	encoder := json.NewEncoder(&builder)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		log.Fatal(err)
	}
	return strings.TrimSuffix(builder.String(), "\n")
}

// sizes tells the estimator how large the parts of `self` may become.
type sizes struct {
	root  *apiservercel.DeclType
	every *uint64
}

func (s *sizes) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	if len(element.Path()) > 0 && s.every != nil {
		return &checker.SizeEstimate{Min: 0, Max: *s.every}
	}
	if len(element.Path()) == 0 || s.root == nil {
		return nil
	}
	node := s.root
	for _, name := range element.Path()[1:] {
		switch name {
		case "@items", "@values":
			node = node.ElemType
		case "@keys":
			node = node.KeyType
		default:
			declared, ok := node.Fields[name]
			if !ok {
				return nil
			}
			node = declared.Type
		}
		if node == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Min: 0, Max: uint64(node.MaxElements)}
}

func (s *sizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}
