#!/bin/bash
# A release of this commit for this machine, which packaging/release.sh builds twice and compares; then what it says of
# itself is held against the package.  usage: release.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
fail() { echo "FAILED: $*"; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone -q . "$work/clone"
cd "$work/clone"
packaging/release.sh --any-tree "$(dpkg --print-architecture)"
version=$(sed -n 's/^project(carrel VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
cd build/release
sha256sum --quiet -c SHA256SUMS
for file in carrel-"$version".tar.gz carrel-"$version".cdx.json server.json Containerfile; do
	grep -q " $file\$" SHA256SUMS || fail "$file has no checksum"
done
dpkg-deb -x carrel_"$version"_*.deb "$work/root"
"$work/root/usr/lib/carrel/carrel" --version | grep -qF "$version" || fail "the package's carrel has another version"
# Each library that the package depends on is named.
for package in $(dpkg-deb -f carrel_"$version"_*.deb Depends | tr ',' '\n' | sed -n 's/^ *\(lib[^ ]*\).*/\1/p'); do
	grep -q "\"name\": \"$package\"" carrel-"$version".cdx.json || fail "the list of components lacks $package"
done
node - "carrel-$version.cdx.json" "$version" <<'JS'
const assert = require("assert"), fs = require("fs");
const [components, version] = process.argv.slice(2);
const bom = JSON.parse(fs.readFileSync(components)), server = JSON.parse(fs.readFileSync("server.json"));
const refs = bom.components.map((c) => c["bom-ref"]);
assert.equal(new Set(refs).size, refs.length, "a component twice");
assert.deepEqual(bom.dependencies[0].dependsOn, refs);
assert.ok(refs.some((r) => r.startsWith("libpg-query-dev@")), "what is built in is missing");
assert.match(server.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
assert.ok(server.description.length <= 100 && server.version === version);
assert.ok(server.packages[0].identifier.endsWith(`:${version}`));
JS
echo "the release of $version is the same twice"
