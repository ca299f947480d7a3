#!/bin/sh
# Builds the public model's all-in-one program (Jaeger 1.62) from its Go module into bin/ beside this file, for
# `npm run conformance -- compare`. Needs Go 1.23 or newer; takes some minutes the first time.
set -eu
cd "$(dirname "$0")"
mkdir -p bin
version=github.com/jaegertracing/jaeger/pkg/version.latestVersion=v1.62.0
GOFLAGS="-mod=mod -buildvcs=false" go build -ldflags "-s -w -X $version" -o bin/jaeger-all-in-one \
  github.com/jaegertracing/jaeger/cmd/all-in-one
