// The conformance suite of the Gateway API as a program. It knows the options of the suite and of `go test`.
package main

import (
	"testing"

	"sigs.k8s.io/gateway-api/conformance"
)

func main() {
	suite := testing.InternalTest{Name: "TestConformance", F: func(t *testing.T) { conformance.RunConformance(t) }}
	all := func(string, string) (bool, error) { return true, nil }
	testing.Main(all, []testing.InternalTest{suite}, nil, nil)
}
