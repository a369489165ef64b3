// What the tests of structured-merge-diff call, and what it answers, as JSON lines in the file that $RECORDING names. Each of these files
// is laid over a package of the module, in which the functions that it wraps get another name: `recorders/merging.py`.
package value

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

var recording sync.Mutex

// Fact is a call: its arguments and its answer, by their names.
type Fact map[string]any

func callers(skip int) []uintptr {
	found := make([]uintptr, 32)
	return found[:runtime.Callers(skip+1, found)]
}

// Record writes a fact, when a test makes the call: `skip` frames above this one.
func Record(skip int, call string, fact func() Fact) {
	frames := runtime.CallersFrames(callers(skip + 2))
	frame, more := frames.Next()
	if !strings.HasSuffix(frame.File, "_test.go") && !strings.HasSuffix(frame.File, "/fixture/state.go") {
		return
	}
	for more && !strings.HasSuffix(frame.File, "_test.go") {
		frame, more = frames.Next()
	}
	file := frame.File
	defer func() {
		// What has no JSON, such as an empty element of a path, cannot be told.
		if problem := recover(); problem != nil {
			fmt.Fprintln(os.Stderr, "not recorded:", call, problem)
		}
	}()
	whole := Fact{"file": filepath.Base(filepath.Dir(file)) + "/" + filepath.Base(file), "call": call}
	for key, value := range fact() {
		whole[key] = value
	}
	line, err := json.Marshal(whole)
	if err != nil {
		panic(err)
	}
	recording.Lock()
	defer recording.Unlock()
	out, err := os.OpenFile(os.Getenv("RECORDING"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer out.Close()
	if _, err := out.Write(append(line, '\n')); err != nil {
		panic(err)
	}
}

// Plain returns what json.Marshal takes; it panics where JSON has no such value.
func Plain(v any) any {
	switch typed := v.(type) {
	case map[any]any:
		plain := map[string]any{}
		for key, item := range typed {
			plain[key.(string)] = Plain(item)
		}
		return plain
	case map[string]any:
		plain := map[string]any{}
		for key, item := range typed {
			plain[key] = Plain(item)
		}
		return plain
	case []any:
		plain := []any{}
		for _, item := range typed {
			plain = append(plain, Plain(item))
		}
		return plain
	case float64:
		// Go writes a whole one as if it were an integer.
		if text := fmt.Sprint(typed); !strings.ContainsAny(text, ".eNI") {
			return json.RawMessage(text + ".0")
		}
	}
	return v
}

// Told returns a value as JSON; nil, which is none, as null.
func Told(v Value) any {
	if v == nil {
		return nil
	}
	return Plain(v.Unstructured())
}

func pair(lhs, rhs Value, answer any) Fact {
	return Fact{"left": Told(lhs), "right": Told(rhs), "answer": answer}
}

// Less is recorded.
func Less(lhs, rhs Value) bool {
	answer := unrecordedLess(lhs, rhs)
	Record(1, "value.Less", func() Fact { return pair(lhs, rhs, answer) })
	return answer
}

// Compare is recorded.
func Compare(lhs, rhs Value) int {
	answer := unrecordedCompare(lhs, rhs)
	Record(1, "value.Compare", func() Fact { return pair(lhs, rhs, answer) })
	return answer
}

// Equals is recorded.
func Equals(lhs, rhs Value) bool {
	answer := unrecordedEquals(lhs, rhs)
	Record(1, "value.Equals", func() Fact { return pair(lhs, rhs, answer) })
	return answer
}
