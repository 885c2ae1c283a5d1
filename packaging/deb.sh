#!/bin/bash
# Build the Debian package into build/deb, and let lintian look at it.
# usage: packaging/deb.sh [ARCHITECTURE]	(this machine's; another one: packaging/cross.sh prepares for it)
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(sed -n 's/^project(carrel VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
date=$(git log -1 --format=%cD 2>/dev/null || date -R)
out=build/deb
tree="$out/carrel-$version"

rm -rf "$out"
mkdir -p "$tree"
if git rev-parse --git-dir >/dev/null 2>&1; then
	git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$tree"
else
	tar -c --exclude=./build --exclude=./tests/node_modules . | tar -x -C "$tree"
fi
cp -r packaging/debian "$tree/debian"
for unit in service socket sysusers tmpfiles; do
	cp "packaging/systemd/carrel.$unit" "$tree/debian/carrel.$unit"
done
# What a build needs is said once, in debian-deps.txt.
depends=$(sed -n '/^\[build\]$/,/^\[/{s/^\([a-z][^:]*\).*/ \1,/p}' packaging/debian-deps.txt)
awk -v depends="$depends" '$0 == "@BUILD_DEPENDS@" { print depends; next } { print }' \
	packaging/debian/control.in >"$tree/debian/control"
sed "s/@VERSION@/$version/; s/@DATE@/$date/" packaging/debian/changelog.in >"$tree/debian/changelog"
rm "$tree/debian/control.in" "$tree/debian/changelog.in"

(cd "$tree" && dpkg-buildpackage -b -us -uc -rfakeroot ${1:+-d "-a$1"})
rm -rf "$tree"
lintian --fail-on error,warning "$out"/carrel_"$version"_*.changes
ls -l "$out"/*.deb
