package crdtest

import (
	"errors"
	"strings"
	"testing"
)

func TestTheCasesOfAGardenPass(t *testing.T) {
	Run(t, "testdata/garden", Arguments("--no-baseline"))
}

func TestTheInstalledCommandComesFirst(t *testing.T) {
	for _, test := range []struct{ installed, wanted string }{
		{"pytest-crd pytest-crd.pyz uvx", "pytest-crd"},
		{"pytest-crd.pyz uvx", "pytest-crd.pyz"},
		{"uvx", "uvx pytest-crd"},
		{"", ""},
	} {
		words, err := findCommand(func(name string) (string, error) {
			if strings.Contains(" "+test.installed+" ", " "+name+" ") {
				return name, nil
			}
			return "", errors.New("not there")
		})
		if strings.Join(words, " ") != test.wanted || (err == nil) != (test.wanted != "") {
			t.Errorf("with %q: %q, %v", test.installed, words, err)
		}
	}
}

func TestAnotherVersionIsRefused(t *testing.T) {
	for _, text := range []string{`{"version": 2, "verdicts": []}`, `{}`, `[`, ``} {
		if _, err := read([]byte(text)); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

func TestAFailureSaysFileAndLine(t *testing.T) {
	report, err := read([]byte(`{"version": 1, "complete": true, "problem": null, "verdicts": [
		{"id": "a", "outcome": "failed", "path": "a.yaml", "line": 3, "summary": "short", "text": "long"},
		{"id": "b", "outcome": "error", "path": "b.yaml", "line": null, "summary": "short", "text": ""}
	]}`))
	if err != nil {
		t.Fatal(err)
	}
	first, second := report.Verdicts[0], report.Verdicts[1]
	if first.place() != "a.yaml:3" || first.words() != "long" {
		t.Error(first.place(), first.words())
	}
	if second.place() != "b.yaml" || second.words() != "error: short" {
		t.Error(second.place(), second.words())
	}
}
