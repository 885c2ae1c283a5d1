#!/bin/bash
# Everything of a release, into build/release: source, Debian packages, container recipe, the registry's description,
# what the programs are made of, and checksums.  Built twice, in two places, and refused unless every byte is the same.
# usage: packaging/release.sh [--any-tree] [ARCHITECTURE…]	(this machine's and arm64; others than this machine's as root)
#
# --any-tree: for trying it; a release is of a commit that a tag vVERSION names, whose CHANGELOG.md has the version and
# its day.  CARREL_REGISTRY_NAME and CARREL_IMAGE say where it is published.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "release: $*" >&2; exit 1; }

any=
[ "${1-}" != --any-tree ] || { any=1; shift; }
version=$(sed -n 's/^project(carrel VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
native=$(dpkg --print-architecture)
[ $# -gt 0 ] || set -- "$native" $([ "$native" = arm64 ] || echo arm64)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

[ -z "$(git status --porcelain)" ] || fail "the tree has changes; commit them first"
if [ -z "$any" ]; then
	grep -qE "^## $version \([0-9]{4}-[0-9]{2}-[0-9]{2}\)$" CHANGELOG.md || fail "CHANGELOG.md has no line '## $version (YEAR-MONTH-DAY)'"
	[ "$(git rev-parse -q --verify "v$version^{commit}" || true)" = "$(git rev-parse HEAD)" ] ||
		fail "no tag v$version names this commit; make it with: git tag -s v$version"
fi

# What one build of the release is: release DIRECTORY ARCHITECTURE…
release() {
	local out=$PWD/$1 work=$PWD/$1.work name=carrel-$version arch
	shift
	rm -rf "$out" "$work"
	mkdir -p "$out" "$work"
	git archive --format=tar --prefix="$name/" HEAD | gzip -9n >"$out/$name.tar.gz"
	tar -xzf "$out/$name.tar.gz" -C "$work"
	for arch; do
		if [ "$arch" = "$native" ]; then
			(cd "$work/$name" && packaging/deb.sh --clean >"$work/$arch.log" 2>&1) || { tail -n 30 "$work/$arch.log"; fail "the package for $arch does not build"; }
			cp "$work/$name"/build/deb/*.deb "$out/"
			dpkg-deb -x "$out/carrel_${version}_$arch.deb" "$work/root"
			packaging/sbom.py "$version" "$SOURCE_DATE_EPOCH" "$work/root/usr/lib/carrel" >"$out/$name.cdx.json"
		else
			packaging/cross.sh --package "$arch" >"$work/$arch.log" 2>&1 || { tail -n 30 "$work/$arch.log"; fail "the package for $arch does not build"; }
			cp build/cross/*_"$arch".deb "$out/"
		fi
	done
	cp packaging/Containerfile "$out/Containerfile"
	sed "s|@VERSION@|$version|; s|@NAME@|${CARREL_REGISTRY_NAME:-example.carrel/carrel}|; s|@IMAGE@|${CARREL_IMAGE:-registry.example/carrel}|" \
		packaging/server.json.in >"$out/server.json"
	(cd "$out" && sha256sum -- * >SHA256SUMS)
	rm -rf "$work"
}

rm -rf build/release
release build/release/first "$@"
# In a directory of another length: a path that is kept in a program shows.
release build/release/second-time "$@"
diff -r build/release/first build/release/second-time || fail "two builds differ"
mv build/release/first/* build/release/
rm -r build/release/first build/release/second-time
(cd build/release && sha256sum --quiet -c SHA256SUMS && cat SHA256SUMS)
