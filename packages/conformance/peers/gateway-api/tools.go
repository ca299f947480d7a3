//go:build tools

// Names the programs of this module, so that go.sum has what they need.
package tools

import _ "sigs.k8s.io/gateway-api/conformance/echo-basic/grpc"
