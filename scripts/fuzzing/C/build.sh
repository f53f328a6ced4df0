#!/bin/sh
# Builds a C target: build.sh TARGET OUTPUT COMPILER [FLAG]...
set -eu

target=$1 output=$2 compiler=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
sources=$root/Sources/Lua/CLatch
host=$root/Tests/CLatchTests/C
# The names of our own files have no blanks.
# shellcheck disable=SC2046
case $target in opcodes) program=opcodes_fuzz ;; *) program=library_fuzz ;; esac
# shellcheck disable=SC2046
exec "$compiler" -std=c11 -O1 -g -DFOLDER="\"$here\"" -DTARGET="\"$target\"" "$@" \
  -I"$sources" -I"$sources/include" -I"$host" $(pkg-config --cflags lua5.4) \
  "$here/$program.c" "$host/host.c" $(find "$sources" -name '*.c') \
  $(pkg-config --libs lua5.4) -lm -o "$output"
