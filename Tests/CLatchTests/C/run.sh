#!/bin/sh
# Builds CLatch's C tests with the target's own sources and runs them: each *_test.c here, and each in
# core, whose allocations can be made to fail.
#
#   run.sh [--sanitize] [CASES [SEED]]
#
# CASES random calls (default 20000) are compared with plain Lua. CC chooses the compiler, and
# PKG_CONFIG_PATH the Lua.
# The exit code is 0 only if everything passed.

set -u
here=$(cd "$(dirname "$0")" && pwd)
sources=$here/../../../Sources/Lua/CLatch
fuzzing=$(cd "$here/../../../scripts/fuzzing/C" && pwd)
build=$(mktemp -d) || exit 70
trap 'rm -rf "$build"' EXIT INT TERM

flags="-std=c11 -O1 -g -Wall -Wextra"
if [ "${1:-}" = --sanitize ]; then
  shift
  flags="$flags -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
  : "${CC:=$(command -v gcc || command -v clang)}"
  case $("$CC" --version) in *clang*) flags="$flags -fuse-ld=lld" ;; esac
fi
: "${CC:=$(command -v clang || command -v gcc)}"
cases=${1:-20000} seed=${2:-1}
flags="$flags -I$sources -I$sources/include $(pkg-config --cflags lua5.4)" || exit 70

# The target's sources are compiled once, all at a time.
mkdir "$build/objects"
for file in $(find "$sources" -name '*.c') "$here/host.c"; do
  (cd "$build/objects" && $CC $flags -c "$file" -o "$(basename "$file" .c)-$(basename "$(dirname "$file")").o" \
    || touch "$build/broken") &
done
wait
[ -e "$build/broken" ] && echo "the sources do not compile" && exit 2
objects() { find "$build/objects" -name '*.o' "$@"; }
# link TEST SOURCE...: a program of a test, with everything.
link() {
  $CC $flags "$@" $(pkg-config --libs lua5.4) -lm -o "$build/$(basename "$1" _test.c)" ||
    touch "$build/broken"
}
for test in "$here"/*_test.c; do link "$test" $(objects) & done
# Those of the core: every single block comes from the system, and each can fail.
for test in "$here"/core/*_test.c; do
  link "$test" "$here/core/core.c" "$sources/machine/slabs.c" $(objects ! -name 'slabs-*') \
    -Wl,--wrap=malloc -Wl,--wrap=realloc -Wl,--wrap=calloc -DLATCH_PLAIN_BLOCKS &
done
wait
[ -e "$build/broken" ] && echo "the tests do not compile" && exit 2

failed=0
cd "$here" || exit 70
for test in core/*_test.c *_test.c; do
  name=$(basename "$test" _test.c)
  case $name in
    oracle) continue ;;  # compared below
    library) "$build/library" library.lua || failed=1 ;;
    *) "$build/$name" || failed=1 ;;
  esac
done
"$build/oracle" oracle.lua "$cases" "$seed" plain > "$build/expected" || failed=1
"$build/oracle" oracle.lua "$cases" "$seed" > "$build/found" || failed=1
if cmp -s "$build/expected" "$build/found"; then
  echo "oracle: $(wc -l < "$build/found" | tr -d ' ') lines, 0 differences"
else
  diff -a "$build/expected" "$build/found" | head -20
  echo "oracle: DIFFERENT (seed $seed)"
  failed=1
fi
for target in match format; do
  corpus=$here/../../Corpus/$target
  $CC $flags -I"$here" -DFOLDER="\"$fuzzing\"" -DTARGET="\"$target\"" "$fuzzing/library_fuzz.c" \
    "$fuzzing/replay.c" "$build"/objects/*.o $(pkg-config --libs lua5.4) -lm \
    -o "$build/$target" || exit 2
  if "$build/$target" "$corpus"/* 2> "$build/played"; then
    echo "corpus of $target: $(wc -l < "$build/played" | tr -d ' ') inputs, 0 failures"
  else
    tail -n 40 "$build/played"
    echo "corpus of $target: FAILED"
    failed=1
  fi
done
# A few of what scripts/fuzz draws.
case $flags in *-fsanitize*) ;; *)
  $CC $flags -I"$here" "$fuzzing/opcodes_fuzz.c" "$build"/objects/*.o $(pkg-config --libs lua5.4) -lm \
    -Wl,--strip-debug -o "$build/opcodes_fuzz" || exit 2
  "$build/opcodes_fuzz" 1 25 0 > "$build/drawn"
  case $? in
    0) echo "drawn at random: $(cat "$build/drawn"), 0 failures" ;;
    69) cat "$build/drawn" ;;
    *) cat "$build/drawn" && failed=1 ;;
  esac
esac
[ $failed = 0 ] && echo "all C tests passed" || echo "C TESTS FAILED"
exit $failed
