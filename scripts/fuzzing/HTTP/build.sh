#!/bin/sh
# build.sh PROGRAM: builds what misuses a server, without a package: it needs nothing of ours.
set -eu
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
exec swiftc -O -swift-version 6 "$here"/Program/*.swift -o "$1"
