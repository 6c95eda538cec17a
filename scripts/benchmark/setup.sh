#!/usr/bin/env bash
# Installs what the other contenders need (Debian 12, as root or with sudo) and builds them into a folder; says nothing when all is there.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
folder=$1
mkdir -p "$folder"

packages=(gcc libjpeg-dev libsqlite3-dev libssl-dev libjpeg-turbo-progs netpbm parallel curl sqlite3 python3-venv fonts-dejavu-core)
missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
if [ "${#missing[@]}" -gt 0 ]; then
    echo "bench: installing ${missing[*]}"
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi

if [ ! -e "$folder/venv/ready" ]; then
    echo "bench: making the Python environment of the peers"
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install -q -r "$here/requirements.txt"
    # Its own libvips, not Debian's older one.
    PKG_CONFIG_LIBDIR=/nonexistent "$folder/venv/bin/pip" install -q --no-binary pyvips pyvips==3.2.0 pyvips-binary==8.18.7
    touch "$folder/venv/ready"
fi

build() { # source, result, compiler's arguments
    local source=$here/$1 result=$folder/$2
    shift 2
    [ "$result" -nt "$source" ] || gcc -w -o "$result" "$source" "$@"
}
build endpoint.c endpoint -O2
build slowsync.c slowsync.so -O2 -shared -fPIC -ldl
case "$(uname -m)" in x86_64) machine=(-march=x86-64-v3) ;; *) machine=() ;; esac
build peers/native.c native -O3 "${machine[@]}" -ljpeg -lsqlite3 -lcrypto -lpthread -lm
