#!/bin/bash
# Builds the targets that are written in Swift, one binary for all: link.sh OUTPUT. The environment's
# FUZZ_TARGET says which of them it plays.
#
# The package manager would link libFuzzer's main function into every product, the tools of the build
# among them, so it only compiles, with what libFuzzer looks at.
set -euo pipefail

output=$1
root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
scratch=$root/.build/fuzz
cd "$root"
swift build -c release --target FuzzTargets --scratch-path "$scratch" \
  --sanitize address -Xcc -fsanitize=fuzzer-no-link \
  -Xswiftc -sanitize-coverage=edge,indirect-calls,trace-cmp,inline-8bit-counters,pc-table >&2
# Of the sources that there are: what an older build has left of others is not linked.
objects=()
for module in CChecksum CExplore CLatch; do
  while IFS= read -r source; do
    objects+=("$scratch"/*/release/"$module.build/${source#Sources/*/"$module"/}.o")
  done < <(find Sources/*/"$module" -name '*.c')
done
for module in HeapModule DequeModule Platform StateBlocks StateCharts XMLStream SCXML LuaRuntime FlowLanguage FlowKernel FlowHosting FlowCases Scenarios FlowTools \
  FlowExplore FuzzTargets; do
  # The map names one for the module as a whole too, which is not made here.
  while IFS= read -r object; do if [ -f "$object" ]; then objects+=("$object"); fi; done \
    < <(sed -n 's/.*"object" *: *"\([^"]*\)".*/\1/p' "$scratch"/*/release/"$module".build/output-file-map.json)
done
swiftc -use-ld=lld -sanitize=address,fuzzer "${objects[@]}" $(pkg-config --libs lua5.4) -l:libexpat.a -o "$output"
