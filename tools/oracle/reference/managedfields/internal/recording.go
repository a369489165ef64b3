// What the tests of apimachinery's managedfields call, and what it answers, as JSON lines in the file that $RECORDING names. Each of these
// files is laid over a package of a copy of the module, in which the functions that it wraps get another name: `recorders/fieldmanagers.py`.
package internal

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	yaml "go.yaml.in/yaml/v2"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Fact is a call: its arguments and its answer, by their names.
type Fact map[string]any

// made is how a field manager was put together.
type made struct {
	types  TypeConverter
	kind   schema.GroupVersionKind
	cap    []int
	tracks []float32
}

var (
	last    made
	of      = map[*FieldManager]made{}
	schemas = map[*typed.ParseableType]bool{}
	seconds = 0
)

// Now is the clock: each time that it is asked, a second later.
func Now() time.Time {
	seconds++
	return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(seconds) * time.Second)
}

// Record writes a fact, when a test makes the call: itself, or through what tests have in common where *deep* says so.
func Record(call string, deep bool, fact func() Fact) {
	frames := runtime.CallersFrames(callers())
	file := ""
	for frame, more := frames.Next(); more || frame.File != ""; frame, more = frames.Next() {
		if strings.HasSuffix(frame.File, "_test.go") {
			file = frame.File
			break
		}
		if !deep && !strings.HasSuffix(frame.File, "recording.go") {
			return
		}
	}
	if file == "" {
		return
	}
	_, name, _ := strings.Cut(filepath.ToSlash(file), "/util/")
	whole := fact()
	whole["file"], whole["call"] = name, call
	Write(whole)
}

// Write writes one line.
func Write(fact Fact) {
	line, err := json.Marshal(fact)
	if err != nil {
		panic(err)
	}
	out, err := os.OpenFile(os.Getenv("RECORDING"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer out.Close()
	if _, err := out.Write(append(line, '\n')); err != nil {
		panic(err)
	}
}

func callers() []uintptr {
	found := make([]uintptr, 32)
	return found[:runtime.Callers(3, found)]
}

// Told returns what JSON has of a value.
func Told(value any) any {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return json.RawMessage(text)
}

// Answered returns a fact with its answer, or with the error as servers say it.
func Answered(fact Fact, answer any, err error) Fact {
	if status, ok := err.(*errors.StatusError); ok {
		fact["status"] = Told(status.ErrStatus)
	} else if err != nil {
		fact["error"] = err.Error()
	} else {
		fact["answer"] = Told(answer)
	}
	return fact
}

// NewStructuredMergeManager is where a field manager begins.
func NewStructuredMergeManager(typeConverter TypeConverter, objectConverter k8sruntime.ObjectConvertor, objectDefaulter k8sruntime.ObjectDefaulter, gv schema.GroupVersion, hub schema.GroupVersion, resetFields map[fieldpath.APIVersion]fieldpath.Filter) (Manager, error) {
	last = made{types: typeConverter}
	return unrecordedNewStructuredMergeManager(typeConverter, objectConverter, objectDefaulter, gv, hub, resetFields)
}

// NewCapManagersManager is noted.
func NewCapManagersManager(fieldManager Manager, maxUpdateManagers int) Manager {
	last.cap = append(last.cap, maxUpdateManagers)
	return unrecordedNewCapManagersManager(fieldManager, maxUpdateManagers)
}

// NewProbabilisticSkipNonAppliedManager is noted.
func NewProbabilisticSkipNonAppliedManager(fieldManager Manager, objectCreater k8sruntime.ObjectCreater, p float32) Manager {
	last.tracks = append(last.tracks, p)
	return unrecordedNewProbabilisticSkipNonAppliedManager(fieldManager, objectCreater, p)
}

// NewVersionCheckManager is noted.
func NewVersionCheckManager(fieldManager Manager, gvk schema.GroupVersionKind) Manager {
	last.kind = gvk
	return unrecordedNewVersionCheckManager(fieldManager, gvk)
}

// NewFieldManager is where it ends.
func NewFieldManager(f Manager, subresource string) *FieldManager {
	manager := unrecordedNewFieldManager(f, subresource)
	of[manager] = last
	return manager
}

func (f *FieldManager) told(liveObj, newObj k8sruntime.Object, manager string) Fact {
	known := of[f]
	fact := Fact{"live": Told(liveObj), "sent": Told(newObj), "manager": manager, "subresource": f.subresource, "cap": known.cap, "tracks": known.tracks}
	fact["apiVersion"], fact["kind"] = known.kind.ToAPIVersionAndKind()
	if converter, ok := known.types.(*typeConverter); ok {
		if parseable := converter.parser[known.kind]; parseable != nil {
			fact["type"] = *parseable.TypeRef.NamedType
			if !schemas[parseable] {
				schemas[parseable] = true
				text, err := yaml.Marshal(parseable.Schema.Types)
				if err != nil {
					panic(err)
				}
				Write(Fact{"call": "schema", "type": fact["type"], "types": string(text)})
			}
		}
	}
	return fact
}

// Update is recorded.
func (f *FieldManager) Update(liveObj, newObj k8sruntime.Object, manager string) (k8sruntime.Object, error) {
	fact := f.told(liveObj, newObj, manager)
	answer, err := f.unrecordedUpdate(liveObj, newObj, manager)
	Record("FieldManager.Update", true, func() Fact { return Answered(fact, answer, err) })
	return answer, err
}

// Apply is recorded.
func (f *FieldManager) Apply(liveObj, appliedObj k8sruntime.Object, manager string, force bool) (k8sruntime.Object, error) {
	fact := f.told(liveObj, appliedObj, manager)
	fact["force"] = force
	answer, err := f.unrecordedApply(liveObj, appliedObj, manager, force)
	Record("FieldManager.Apply", true, func() Fact { return Answered(fact, answer, err) })
	return answer, err
}

// DecodeManagedFields is recorded, with the entries that are written of what was read.
func DecodeManagedFields(encodedManagedFields []metav1.ManagedFieldsEntry) (ManagedInterface, error) {
	answer, err := unrecordedDecodeManagedFields(encodedManagedFields)
	Record("DecodeManagedFields", false, func() Fact {
		fact := Fact{"entries": Told(encodedManagedFields)}
		if err != nil {
			return Answered(fact, nil, err)
		}
		entries, err := encodeManagedFields(answer)
		return Answered(fact, entries, err)
	})
	return answer, err
}

// BuildManagerIdentifier is recorded.
func BuildManagerIdentifier(encodedManager *metav1.ManagedFieldsEntry) (string, error) {
	answer, err := unrecordedBuildManagerIdentifier(encodedManager)
	Record("BuildManagerIdentifier", false, func() Fact { return Answered(Fact{"entry": Told(encodedManager)}, answer, err) })
	return answer, err
}
