//go:build !before_1_35

package main

import (
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
)

func baseEnvironment(compatibility *version.Version) *environment.EnvSet {
	return environment.MustBaseEnvSet(compatibility)
}
