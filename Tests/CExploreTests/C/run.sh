#!/bin/sh
# Builds CExplore's C tests with the target's own sources and runs them: each *_test.c here.
#
#   run.sh [--sanitize | --threads] [MODELS [SEED]]
#
# MODELS random models (default 300) are searched as a plain search does it. --sanitize: with the
# sanitizers of addresses and undefined behaviour; --threads: with that of threads. CC chooses the
# compiler. The exit code is 0 only if everything passed.

set -u
here=$(cd "$(dirname "$0")" && pwd)
sources=$here/../../../Sources/Verify/CExplore
build=$(mktemp -d) || exit 70
trap 'rm -rf "$build"' EXIT INT TERM

flags="-std=c11 -O1 -g -Wall -Wextra"
sanitizers=
case ${1:-} in
  --sanitize) sanitizers="-fsanitize=address,undefined -fno-sanitize-recover=all" ;;
  --threads) sanitizers="-fsanitize=thread" ;;
esac
if [ -n "$sanitizers" ]; then
  shift
  flags="$flags $sanitizers -fno-omit-frame-pointer"
  : "${CC:=$(command -v gcc || command -v clang)}"
  case $("$CC" --version) in *clang*) flags="$flags -fuse-ld=lld" ;; esac
fi
: "${CC:=$(command -v clang || command -v gcc)}"
models=${1:-300} seed=${2:-1}
flags="$flags -I$sources -I$sources/include -I$here"

mkdir "$build/objects"
for file in "$sources"/*.c "$here/model.c" "$here/models.c" "$here/plain.c"; do
  (cd "$build/objects" && $CC $flags -c "$file" -o "$(basename "$file" .c).o" || touch "$build/broken") &
done
wait
[ -e "$build/broken" ] && echo "the sources do not compile" && exit 2
# Those whose allocations can be made to fail.
failing="-Dmalloc=test_malloc -Dcalloc=test_calloc -Drealloc=test_realloc -Dposix_memalign=test_memalign"
mkdir "$build/failing"
for file in "$sources"/*.c; do
  (cd "$build/failing" && $CC $flags $failing -c "$file" -o "$(basename "$file" .c).o" ||
    touch "$build/broken") &
done
wait
$CC $flags "$here/failing.c" "$build"/failing/*.o "$build"/objects/model.o "$build"/objects/models.o \
  "$build"/objects/plain.o -lpthread -lm -o "$build/failing/test" || touch "$build/broken"
for test in "$here"/*_test.c; do
  $CC $flags "$test" "$build"/objects/*.o -lpthread -lm -o "$build/$(basename "$test" _test.c)" ||
    touch "$build/broken"
done
[ -e "$build/broken" ] && echo "the tests do not compile" && exit 2

failed=0
for test in "$here"/*_test.c; do
  name=$(basename "$test" _test.c)
  case $name in
    random | live) "$build/$name" "$models" "$seed" || failed=1 ;;
    *) "$build/$name" || failed=1 ;;
  esac
done
"$build/failing/test" || failed=1
[ $failed = 0 ] && echo "all C tests of the search passed" || echo "C TESTS OF THE SEARCH FAILED"
exit $failed
