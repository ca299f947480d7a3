#!/bin/sh
# Builds Grafana Tempo 2.9 from its Go module into bin/ beside this file, for `npm run conformance -- tempo`. Needs Go 1.25 or
# newer; takes a quarter of an hour the first time.
set -eu
cd "$(dirname "$0")"
mkdir -p bin
bin=$(pwd)/bin
# Tempo's releases after 1.5 have no version that Go knows: this is the commit of v2.9.0.
module=github.com/grafana/tempo@v1.5.1-0.20251008140505-607c7fb69662
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
source=$(go mod download -json "$module" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
# What it requires and replaces counts only in a main module.
sed 's|^module .*|module tempo-peer|' "$source/go.mod" > go.mod
cp "$source/go.sum" go.sum
chmod u+w go.mod go.sum
go mod edit -require="$module"
GOFLAGS="-mod=mod -buildvcs=false" go build -ldflags "-s -w -X main.Version=v2.9.0" -o "$bin/tempo" \
  github.com/grafana/tempo/cmd/tempo
echo "Tempo is at $bin/tempo"
