#!/bin/sh
# build.sh PROGRAM: builds what misuses the commands, without a package: it needs nothing of ours but SQLite's module.
set -eu
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
exec swiftc -O -swift-version 6 -I "$here/../../../Sources/Durable/CSQLite" \
  "$here"/Program/*.swift "$here/../HTTP/Program/Chance.swift" "$here/../HTTP/Program/Connection.swift" -o "$1"
