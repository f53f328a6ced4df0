#!/bin/sh
# Holds expressions of documents against what Node.js makes of them.
#
#   ecmascript.sh ROOT SCRATCH SEED COUNT SECONDS
#
# COUNT is 20,000 where it is 0, whatever SECONDS says. Exit codes: 0 all are the same or refused; 1 some are not;
# 69 Node.js is missing and could not be installed.
set -eu

root=$1 scratch=$2 seed=$3 count=$4
if [ "$count" = 0 ]; then count=20000; fi
if ! command -v node >/dev/null; then
  if [ "$(id -u)" = 0 ]; then apt-get install -y nodejs || exit 69; else sudo apt-get install -y nodejs || exit 69; fi
fi
node "$root/scripts/fuzzing/ecmascript.js" "$count" "$seed" >"$scratch/ecmascript.txt"
log=$scratch/ecmascript.test
if ! MOONLATCH_ECMASCRIPT=$scratch/ecmascript.txt "$root/scripts/test" --filter ECMAScriptComparison >"$log" 2>&1; then
  cat "$log"
  exit 1
fi
echo "$count expressions"
