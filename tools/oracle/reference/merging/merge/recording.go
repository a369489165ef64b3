package merge

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// noting converts as another converter does, and notes what it answered.
type noting struct {
	Converter
	noted []value.Fact
}

func (n *noting) Convert(object *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	answer, err := n.Converter.Convert(object, version)
	noted := value.Fact{"object": object.Told(), "version": version, "converter": n.name()}
	if err != nil {
		noted["error"], noted["missing"] = err.Error(), n.IsMissingVersionError(err)
	} else {
		noted["answer"] = answer.Told()
	}
	n.noted = append(n.noted, noted)
	return answer, err
}

// name returns the type of the converter, with the versions that are all that it knows.
func (n *noting) name() string {
	name := strings.TrimLeft(fmt.Sprintf("%T", n.Converter), "*")
	if versions := reflect.Indirect(reflect.ValueOf(n.Converter)).FieldByName("AcceptedVersions"); versions.IsValid() {
		name += fmt.Sprint(versions)
	}
	return name
}

func (c Conflicts) told() []any {
	told := []any{}
	for _, conflict := range c {
		told = append(told, []any{conflict.Manager, conflict.Path.Told()})
	}
	sort.Slice(told, func(i, j int) bool { return fmt.Sprint(told[i]) < fmt.Sprint(told[j]) })
	return told
}

func (s *Updater) recorded(
	call string, live, sent *typed.TypedValue, version fieldpath.APIVersion, managers fieldpath.ManagedFields, manager string, force bool,
	run func(*Updater) (*typed.TypedValue, fieldpath.ManagedFields, error),
) (*typed.TypedValue, fieldpath.ManagedFields, error) {
	ignored := map[string]any{}
	for version, set := range s.IgnoredFields {
		ignored[string(version)] = map[string]any{"exclude": set.Told()}
	}
	for version, filter := range s.IgnoreFilter {
		ignored[string(version)] = fieldpath.TellFilter(filter)
	}
	converter := &noting{Converter: s.Converter}
	fact := value.Fact{
		"live": live.Told(), "sent": sent.Told(), "version": version, "managers": managers.Told(), "manager": manager,
		"converter": converter.name(), "ignored": ignored, "inputOnNoop": s.returnInputOnNoop,
	}
	if call == "Apply" {
		fact["force"] = force
	}
	other := *s
	other.Converter = converter
	object, owned, err := run(&other)
	value.Record(2, call, func() value.Fact {
		if err != nil {
			fact["error"] = err.Error()
			if conflicts, ok := err.(Conflicts); ok {
				fact["conflicts"] = conflicts.told()
			}
		} else {
			fact["answer"] = map[string]any{"object": object.Told(), "managers": owned.Told()}
		}
		return fact
	})
	for _, noted := range converter.noted {
		value.Record(2, "Convert", func() value.Fact { return noted })
	}
	return object, owned, err
}

// Update is recorded.
func (s *Updater) Update(live, sent *typed.TypedValue, version fieldpath.APIVersion, managers fieldpath.ManagedFields, manager string) (*typed.TypedValue, fieldpath.ManagedFields, error) {
	return s.recorded("Update", live, sent, version, managers, manager, false,
		func(other *Updater) (*typed.TypedValue, fieldpath.ManagedFields, error) {
			return other.unrecordedUpdate(live, sent, version, managers, manager)
		})
}

// Apply is recorded.
func (s *Updater) Apply(live, sent *typed.TypedValue, version fieldpath.APIVersion, managers fieldpath.ManagedFields, manager string, force bool) (*typed.TypedValue, fieldpath.ManagedFields, error) {
	return s.recorded("Apply", live, sent, version, managers, manager, force,
		func(other *Updater) (*typed.TypedValue, fieldpath.ManagedFields, error) {
			return other.unrecordedApply(live, sent, version, managers, manager, force)
		})
}

// ConflictsFromManagers is recorded, with the words of all of them, whose order within a manager is that of the paths.
func ConflictsFromManagers(sets fieldpath.ManagedFields) Conflicts {
	answer := unrecordedConflictsFromManagers(sets)
	value.Record(1, "ConflictsFromManagers", func() value.Fact {
		return value.Fact{"managers": sets.Told(), "answer": answer.told(), "message": answer.Error()}
	})
	return answer
}
