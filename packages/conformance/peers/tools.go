//go:build tools

// Package peers names the programs that build.sh builds, so that Go keeps their modules.
package peers

import (
	_ "github.com/jaegertracing/jaeger/cmd/all-in-one"
)
