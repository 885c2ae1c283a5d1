#!/bin/bash
# The Debian package for another architecture, built on this one, with the unit tests run by qemu: for those who have
# no such machine.  In a throw-away Debian root, which is made once; needs root, debootstrap and a mirror that has the
# architecture's packages.  The packages end up in build/cross.
# usage: packaging/cross.sh [--tests|--package] [ARCHITECTURE] [ROOT]	(both; arm64; build/cross/root)
set -euo pipefail
cd "$(dirname "$0")/.."

what=both
case ${1-} in
--tests | --package)
	what=${1#--}
	shift
	;;
esac
arch=${1:-arm64}
root=$(realpath -m "${2:-build/cross/root}")
[ "$(id -u)" -eq 0 ] || { echo "cross: needs root, to make a root of Debian 12" >&2; exit 1; }

inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 ${SOURCE_DATE_EPOCH:+"SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH"} "$@"; }

# Libraries are the architecture's, programs are ours.
section() { sed -n "/^\[$1\]\$/,/^\[/{s/^\([a-z][^:]*\).*/\1/p}" packaging/debian-deps.txt; }
if [ ! -e "$root/cross-$arch" ]; then
	[ -e "$root/bin/bash" ] || debootstrap --variant=minbase bookworm "$root" http://deb.debian.org/debian
	inside dpkg --add-architecture "$arch"
	inside apt-get update -q
	mapfile -t libraries < <({ section build; echo libcmocka-dev; } | sed -n "s/-dev$/&:$arch/p")
	mapfile -t programs < <(section build | sed '/^pkg-config$/d; /-dev$/d')
	inside env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "crossbuild-essential-$arch" \
		"pkgconf:$arch" debhelper fakeroot lintian git qemu-user-static sqlite3 "${programs[@]}" "${libraries[@]}"
	touch "$root/cross-$arch"
fi

# What is committed or about to be.
rm -rf "$root/src"
mkdir -p "$root/src"
git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$root/src"
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT

triplet=$(inside dpkg-architecture "-a$arch" -qDEB_HOST_GNU_TYPE 2>/dev/null)
cpu=${triplet%%-*}
if [ "$what" != package ]; then
	inside cmake -G Ninja -S /src -B /build -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCARREL_TESTS=ON \
		-DCMAKE_SYSTEM_NAME=Linux "-DCMAKE_SYSTEM_PROCESSOR=$cpu" "-DCMAKE_C_COMPILER=$triplet-gcc" \
		"-DCMAKE_CXX_COMPILER=$triplet-g++" "-DPKG_CONFIG_EXECUTABLE=/usr/bin/$triplet-pkg-config" \
		"-DCMAKE_CROSSCOMPILING_EMULATOR=/usr/bin/qemu-$cpu-static"
	inside cmake --build /build -j "$(nproc)"
	# qemu has no seccomp for those it runs: programs that confine themselves cannot begin, and their tests fail here.
	inside ctest --test-dir /build -R '^unit\.' -j "$(nproc)" --timeout 300 || echo "cross: see which of them confine themselves"
fi
if [ "$what" != tests ]; then
	inside bash -c "cd /src && packaging/deb.sh $arch"
	mkdir -p build/cross
	cp "$root"/src/build/deb/*.deb build/cross/
	ls -l build/cross/*.deb
fi
