#!/bin/bash -eu
# Builds every fuzz target as OSS-Fuzz asks: with $CC, $CFLAGS and the engine
# $LIB_FUZZING_ENGINE, each target and its seed corpus in $OUT.  The image needs
# the packages of sections build and test in packaging/debian-deps.txt, and zip.
cd "$(dirname "$0")/../../.."

work=${WORK:-build}/oss-fuzz
cmake -G Ninja -S . -B "$work" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCARREL_FUZZ=ON -DCARREL_TESTS=ON \
	-DCARREL_FUZZ_ENGINE="$LIB_FUZZING_ENGINE"
cmake --build "$work" -j "$(nproc)" --target fuzzers
for target in "$work"/fuzz/fuzz_*; do
	name=${target##*/}
	cp "$target" "$OUT/$name"
	(cd "tests/fuzz/corpus/${name#fuzz_}" && zip -q -r "$OUT/${name}_seed_corpus.zip" .)
done
