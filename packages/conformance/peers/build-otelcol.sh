#!/bin/sh
# Builds an OpenTelemetry Collector with the exporters `otlp`, `otlphttp` and `zipkin` from their Go modules into the folder that
# $PEERS names (default: bin/ beside this file), for test/otel-collector.e2e.test.ts. Needs Go; takes some minutes the first time.
# What is there from the same version is not built again.
set -eu
cd "$(dirname "$0")"
version=v0.148.0
providers=v1.54.0
bin=${PEERS:-$(pwd)/bin}
mkdir -p "$bin"
stamp="$bin/.otelcol-client-$version"
if [ -x "$bin/otelcol-client" ] && [ -e "$stamp" ]; then exit 0; fi
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cat > "$folder/builder.yaml" <<YAML
dist:
  name: otelcol-client
  output_path: $folder/dist
  module: example.test/otelcol-client
receivers:
  - gomod: go.opentelemetry.io/collector/receiver/otlpreceiver $version
exporters:
  - gomod: go.opentelemetry.io/collector/exporter/otlpexporter $version
  - gomod: go.opentelemetry.io/collector/exporter/otlphttpexporter $version
  - gomod: github.com/open-telemetry/opentelemetry-collector-contrib/exporter/zipkinexporter $version
processors:
  - gomod: go.opentelemetry.io/collector/processor/batchprocessor $version
providers:
  - gomod: go.opentelemetry.io/collector/confmap/provider/fileprovider $providers
  - gomod: go.opentelemetry.io/collector/confmap/provider/envprovider $providers
YAML
export GOFLAGS="-buildvcs=false" CGO_ENABLED=0
GOBIN="$folder" go install "go.opentelemetry.io/collector/cmd/builder@$version"
"$folder/builder" --config "$folder/builder.yaml"
mv "$folder/dist/otelcol-client" "$bin/otelcol-client"
rm -f "$bin"/.otelcol-client-*
touch "$stamp"
echo "the OpenTelemetry Collector is at $bin/otelcol-client"
