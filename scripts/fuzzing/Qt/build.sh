#!/bin/bash
# Builds what runs documents in Qt SCXML, with Debian's packages of Qt 5, which it installs: build.sh OUTPUT.
set -euo pipefail

root=$(cd "$(dirname "$(readlink -f "$0")")/../../.." && pwd)
"$root/scripts/setup" --qt
read -ra flags < <(pkg-config --cflags --libs Qt5Scxml)
c++ -O2 -fPIC "$root/scripts/fuzzing/Qt/charts.cpp" -o "$1" "${flags[@]}"
