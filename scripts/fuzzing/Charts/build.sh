#!/bin/bash
# Builds what compares the planner of charts with the reference of its tests: build.sh OUTPUT.
set -euo pipefail

root=$(cd "$(dirname "$(readlink -f "$0")")/../../.." && pwd)
tests=$root/Tests/StateChartsTests
swiftc -O -whole-module-optimization -swift-version 6 -package-name moonlatch -o "$1" \
  "$root"/Sources/StateCharts/*.swift "$root/scripts/fuzzing/Charts/main.swift" \
  "$tests/Reference.swift" "$tests/Drawing.swift" "$tests/RandomChart.swift" "$tests/Comparison.swift"
