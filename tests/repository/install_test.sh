#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The installed compiler. install_test.sh CMAKE BUILD ROOT installs BUILD below a temporary prefix, moves the prefix, and works with the
# copy from another folder. What it reads must be the copy's: the copy holds a function and a device that the checkout ROOT lacks.
set -euo pipefail
cmake=$1
build=$2
root=$3
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

fail() {
    echo "install: $*"
    exit 1
}

"$cmake" --install "$build" --prefix "$place/first" >"$place/log" || fail "$(cat "$place/log")"
mv "$place/first" "$place/a prefix"
data="$place/a prefix/share/fusec"
fusec="$place/a prefix/bin/fusec"
for text in elementary-lib/matrix/mmul.toml elementary-lib/matrix/mmul.cuh elementary-lib/runtime/fusec/views.cuh \
    elementary-lib/runtime/fusec/host.hpp elementary-lib/emulation/cuda_runtime.h devices/h200.toml; do
    [[ -f $data/$text ]] || fail "no $text"
done
sed 's/"madd"/"msum"/' "$data/elementary-lib/matrix/madd.toml" >"$data/elementary-lib/matrix/msum.toml"
sed 's/madd_/msum_/g' "$data/elementary-lib/matrix/madd.cuh" >"$data/elementary-lib/matrix/msum.cuh"
sed -i '/^operator/d' "$data/elementary-lib/matrix/msum.toml"
sed 's/"h200"/"h201"/' "$data/devices/h200.toml" >"$data/devices/h201.toml"

# A program that needs both, from a folder of its own.
mkdir "$place/elsewhere"
cd "$place/elsewhere"
cp "$root/examples/demo.fus" .
cat >sum.fus <<'FUS'
MATRIX3x3 A, B;
input A, B;
C = msum(A, B);
return C;
FUS
"$fusec" demo.fus -o demo.cu 2>log || fail "demo.fus: $(cat log)"
"$fusec" sum.fus -o sum.cu --device h201 2>log || fail "sum.fus: $(cat log)"
grep -q 'on h201' log || fail "the summary does not name h201: $(cat log)"
for file in demo.cu demo.h sum.cu sum.h; do
    [[ -s $file ]] || fail "$file was not written"
done
# Emulated execution reads the headers of the emulation, the host's those of the runtime.
export XDG_CACHE_HOME=$place/cache
"$fusec" verify sum.fus >log 2>&1 || fail "verify: $(cat log)"

# The same in the checkout does not know them.
code=0
"$build/cli/fusec" sum.fus -o none.cu 2>log || code=$?
if [[ $code -ne 1 ]] || ! grep -q msum log; then
    fail "the checkout's compiler ended with $code: $(cat log)"
fi
[[ ! -e none.cu ]] || fail "a refused program left a file"
