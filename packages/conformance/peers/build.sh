#!/bin/sh
# Builds the public model's programs (Jaeger 1.62) from their Go module into bin/ beside this file: all-in-one for
# `npm run conformance -- compare`, the others for the tests of remote storage. Needs Go 1.23 or newer; takes some minutes the
# first time.
set -eu
cd "$(dirname "$0")"
mkdir -p bin
version=github.com/jaegertracing/jaeger/pkg/version.latestVersion=v1.62.0
for program in all-in-one collector query remote-storage; do
  GOFLAGS="-mod=mod -buildvcs=false" go build -ldflags "-s -w -X $version" -o "bin/jaeger-$program" \
    "github.com/jaegertracing/jaeger/cmd/$program"
done
