#!/bin/sh
# Builds core_test.c with the sources of CLatch under the address and undefined-behaviour
# sanitizers (leaks included) and runs it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sources="$here/../../../Sources/CLatch"
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
# shellcheck disable=SC2046
gcc -std=gnu11 -g -O1 -Wall -Wextra -fno-omit-frame-pointer \
  -fsanitize=address,undefined -fno-sanitize-recover=undefined \
  -I"$sources" -I"$sources/include" $(pkg-config --cflags lua5.4) \
  -Wl,--wrap=realloc -Wl,--wrap=calloc \
  "$here/core_test.c" "$sources"/*.c $(pkg-config --libs lua5.4) -lm -o "$build/core_test"
ASAN_OPTIONS=allocator_may_return_null=1 "$build/core_test"
