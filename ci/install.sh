#!/usr/bin/env bash
# install.sh - the Debian packages the project builds and plots with.
#
# Installs what is missing (root, or sudo without a password); otherwise prints
# the command to run and fails. Does nothing when everything is there.
set -euo pipefail
packages=(build-essential cmake pkg-config git ca-certificates
    libopenblas-dev libsqlite3-dev libcsv-dev libjansson-dev libinih-dev libpcre2-dev
    libutf8proc-dev libxxhash-dev libssl-dev libcmocka-dev gnuplot-nox fonts-dejavu-core)
[ "${1:-}" = --dev ] && packages+=(clang clang-format libclang-rt-14-dev cppcheck valgrind sqlite3 python3)

missing=()
for p in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing+=("$p")
done
[ ${#missing[@]} -eq 0 ] && exit 0

run=()
if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        run=(sudo)
    else
        echo "install.sh: these packages are missing; run:" >&2
        echo "  sudo apt-get install -y ${missing[*]}" >&2
        exit 1
    fi
fi
echo "install.sh: installing ${missing[*]}" >&2
"${run[@]}" apt-get update -qq
"${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >/dev/null
