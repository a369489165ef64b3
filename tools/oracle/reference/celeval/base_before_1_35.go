//go:build before_1_35

package main

import (
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
)

// Costs are strict for CRDs in every version; only what else uses CEL could be told otherwise.
func baseEnvironment(compatibility *version.Version) *environment.EnvSet {
	return environment.MustBaseEnvSet(compatibility, true)
}
