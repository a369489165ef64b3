// Package crdtest runs pytest-crd on the CustomResourceDefinitions of a repository and reports each verdict as a subtest.
//
//	func TestCRDs(t *testing.T) { crdtest.Run(t, "..") }
//
// It runs the first of these on the PATH: an installed pytest-crd, the zipapp pytest-crd.pyz, and uvx. Each needs Python 3.11 or newer.
// If none is there, the test is skipped; with CI=true it fails.
package crdtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The supported version of the verdict file.
const version = 1

// Option changes how the command is run.
type Option func(*options)

type options struct {
	command   []string
	arguments []string
}

// Arguments adds arguments of `pytest-crd test`: paths, settings, and pytest options after "--".
func Arguments(arguments ...string) Option {
	return func(o *options) { o.arguments = append(o.arguments, arguments...) }
}

// Command sets the command and its first arguments, such as "uvx", "pytest-crd==0.1.0".
func Command(words ...string) Option {
	return func(o *options) { o.command = words }
}

// Run runs `pytest-crd test` in folder and reports each verdict as a subtest. A failure names file and line.
func Run(t *testing.T, folder string, changes ...Option) {
	t.Helper()
	var chosen options
	for _, change := range changes {
		change(&chosen)
	}
	if len(chosen.command) == 0 {
		words, err := findCommand(exec.LookPath)
		if err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
		chosen.command = words
	}
	file := filepath.Join(t.TempDir(), "verdicts.json")
	words := append(append([]string{}, chosen.command...), "test", "--crd-json="+file)
	command := exec.Command(words[0], append(words[1:], chosen.arguments...)...)
	command.Dir = folder
	output, failed := command.CombinedOutput()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%s has written no verdicts: %v\n%s", strings.Join(words, " "), errors.Join(failed, err), output)
	}
	report, err := read(text)
	if err != nil {
		t.Fatalf("the verdicts of %s: %v", words[0], err)
	}
	held := true
	for _, verdict := range report.Verdicts {
		held = t.Run(verdict.ID, func(t *testing.T) { verdict.report(t) }) && held
	}
	if !report.Complete {
		t.Errorf("not all was judged: %s\n%s", report.Problem, output)
	} else if failed != nil && held {
		t.Errorf("%s: %v\n%s", strings.Join(words, " "), failed, output)
	} else if len(report.Verdicts) == 0 {
		t.Errorf("there is nothing to judge\n%s", output)
	}
}

// findCommand returns the installed command, or else the zipapp, or else a uvx command that runs pytest-crd from the package index.
func findCommand(look func(string) (string, error)) ([]string, error) {
	for _, name := range []string{"pytest-crd", "pytest-crd.pyz"} {
		if path, err := look(name); err == nil {
			return []string{path}, nil
		}
	}
	if path, err := look("uvx"); err == nil {
		return []string{path, "pytest-crd"}, nil
	}
	return nil, errors.New("none of pytest-crd, pytest-crd.pyz and uvx is on the PATH: pip install pytest-crd, put the zipapp of a release there, or install uv")
}

type verdicts struct {
	Version  int       `json:"version"`
	Complete bool      `json:"complete"`
	Problem  string    `json:"problem"`
	Verdicts []verdict `json:"verdicts"`
}

type verdict struct {
	ID      string `json:"id"`
	Outcome string `json:"outcome"`
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Summary string `json:"summary"`
	Text    string `json:"text"`
}

func read(text []byte) (verdicts, error) {
	var report verdicts
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&report); err != nil {
		return report, err
	}
	if report.Version != version {
		return report, fmt.Errorf("they have version %d, and this package reads %d", report.Version, version)
	}
	return report, nil
}

// report fails, skips or passes a subtest according to the outcome; an unknown outcome fails it.
func (v verdict) report(t *testing.T) {
	switch v.Outcome {
	case "passed":
	case "skipped", "xfailed":
		t.Skipf("%s: %s", v.place(), v.Summary)
	case "xpassed":
		t.Logf("%s: passed, though it is expected to fail", v.place())
	default:
		t.Errorf("%s: %s", v.place(), v.words())
	}
}

func (v verdict) place() string {
	if v.Line == 0 {
		return v.Path
	}
	return fmt.Sprintf("%s:%d", v.Path, v.Line)
}

func (v verdict) words() string {
	if v.Text == "" {
		return v.Outcome + ": " + v.Summary
	}
	return v.Text
}
