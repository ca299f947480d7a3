#!/bin/sh
# Builds the programs that tests compare ours with, from their Go modules, into the folder that $PEERS names (default: bin/
# beside this file). Needs Go; a machine with two cores takes some ten minutes for all of it the first time. What is there
# from the same go.sum and sources is not built again.
#
#   caddy   the public model of the web server, for `npm run conformance -- twins`, `admin`, `commands` and `serverfile`
#   tools   h2spec, pebble, grpcurl and toxiproxy-server, which tests of the web server and of the documentation call
#   jaeger  Jaeger 1.62, the public model of tracing, for `npm run conformance -- compare` and remote storage
#   http3   a client of HTTP/3 made of quic-go, which packages/http-protocols/src/http3/clients.e2e.test.ts calls
#   actionlint  the checker of workflow files, which packages/launcher/test/workflows.test.ts calls
#   helm    Helm, which reads and packs deploy/helm: packages/conformance/test/deploy/helm.test.ts, `npm run release`
#   kubernetes  kube-apiserver, etcd, and the conformance suite of the Gateway API with its echo server and definitions:
#           packages/conformance/test/kubernetes. Two cores need a quarter of an hour, so it is not built unless it is named
#   jaeger2  Jaeger 2.13, for packages/conformance/test/remote-storage. It takes as long, so it is not built unless it is named
#   s3      gofakes3, a server of S3's API: packages/tracing-storage/test/cold-storage.test.ts
#   s3-gateway  the Versity S3 Gateway, which checks signatures: packages/tracing-storage/test/cold-storage.test.ts prefers it
#   remote-write  a receiver of remote write 1 and 2 made of Prometheus' library, for the metrics push of packages/tracing-query
#
# Usage: build.sh [caddy] [tools] [http3] [actionlint] [helm] [s3] [s3-gateway] [remote-write] [jaeger] [kubernetes] [jaeger2]
set -u
cd "$(dirname "$0")"
here=$(pwd)
bin=${PEERS:-$here/bin}
mkdir -p "$bin"
# While this file is there, a test run waits before it looks at what was built. Nobody waits for kubernetes and jaeger2: they take too long.
case "$*" in kubernetes | jaeger2) ;; *) echo $$ > "$bin/.building" ;; esac
trap 'rm -f "$bin/.building"' EXIT
trap 'exit 1' INT TERM
failed=""

# build FOLDER NAME PACKAGE [LDFLAGS]: a program appears whole or not at all.
build() {
  stamp="$bin/.$2-$(find "$here/$1" -maxdepth 1 \( -name go.sum -o -name '*.go' \) | sort | xargs cat | cksum | tr -d ' ')"
  if [ -x "$bin/$2" ] && [ -e "$stamp" ]; then return; fi
  cd "$here/$1"
  if GOFLAGS="-mod=mod -buildvcs=false" go build -ldflags "-s -w ${4:-}" -o "$bin/.$2.new" "$3"; then
    mv "$bin/.$2.new" "$bin/$2"
    rm -f "$bin/.$2-"*
    touch "$stamp"
    echo "built $2"
  else
    failed="$failed $2"
  fi
}

for group in ${*:-caddy tools http3 actionlint helm s3 remote-write jaeger}; do
  case $group in
    caddy) build caddy caddy github.com/caddyserver/caddy/v2/cmd/caddy ;;
    tools)
      build tools h2spec github.com/summerwind/h2spec/cmd/h2spec
      build tools pebble github.com/letsencrypt/pebble/v2/cmd/pebble
      build tools pebble-challtestsrv github.com/letsencrypt/pebble/v2/cmd/pebble-challtestsrv
      build tools toxiproxy-server github.com/Shopify/toxiproxy/v2/cmd/server
      build tools grpcurl github.com/fullstorydev/grpcurl/cmd/grpcurl
      ;;
    http3) build http3 http3-client . ;;
    actionlint) build actionlint actionlint github.com/rhysd/actionlint/cmd/actionlint ;;
    helm) build helm helm helm.sh/helm/v4/cmd/helm ;;
    kubernetes)
      build kubernetes etcd go.etcd.io/etcd/server/v3
      build gateway-api echo-basic sigs.k8s.io/gateway-api/conformance/echo-basic
      build gateway-api gateway-conformance .
      definitions="$(cd "$here/gateway-api" && go list -mod=mod -m -f '{{.Dir}}' sigs.k8s.io/gateway-api)/config/crd"
      mkdir -p "$bin/gateway-api-crds"
      cp -f "$definitions"/standard/gateway.*.yaml "$definitions"/experimental/gateway.*_tlsroutes.yaml "$bin/gateway-api-crds/"
      chmod u+w "$bin"/gateway-api-crds/*
      build kubernetes kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver
      ;;
    s3) build s3 gofakes3 github.com/johannesboyne/gofakes3/cmd/gofakes3 ;;
    s3-gateway) build versitygw versitygw github.com/versity/versitygw/cmd/versitygw ;;
    remote-write) build remote-write remote-write-receiver . ;;
    jaeger2) build jaeger2 jaeger-2 github.com/jaegertracing/jaeger/cmd/jaeger ;;
    jaeger)
      version="-X github.com/jaegertracing/jaeger/pkg/version.latestVersion=v1.62.0"
      for program in all-in-one collector query remote-storage agent; do
        build . "jaeger-$program" "github.com/jaegertracing/jaeger/cmd/$program" "$version"
      done
      ;;
    *)
      echo "unknown: $group" >&2
      exit 1
      ;;
  esac
done
if [ -n "$failed" ]; then
  echo "not built:$failed" >&2
  exit 1
fi
