#!/bin/bash
# What takes too long for `make test`: more of the same kills, drawn cases and
# statements, each from a seed of today, streams by the thousand, and streams
# that are idle for longer than an hour; and the agents that setup-agents writes
# files for, a gigabyte of npm's.  Some eight hours on two cores; goes on
# after a failure, says for each step how to run it again, and ends with one line.
# usage: run.sh [STEP…]
#   SOAK_SCALE (100) is a percentage of everything but the idle streams.
#   SOAK_IDLE_SECONDS (3900): those.  SOAK_SEED: other than today's.
set -uo pipefail
cd "$(dirname "$0")/../.."

scale=${SOAK_SCALE:-100}
seed=${SOAK_SEED:-$(date +%Y%m%d)}
idle=${SOAK_IDLE_SECONDS:-3900}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wanted=" $* "
passed=0 failed=0

# So many of what 100 percent of is given, at least one.
of() { echo $(($1 * scale / 100 > 0 ? $1 * scale / 100 : 1)); }

is_wanted() { [ "$wanted" = "  " ] || [[ $wanted == *" $1 "* ]]; }

# step NAME COMMAND...
step() {
	local name=$1 begin=$SECONDS
	is_wanted "$name" || return
	shift
	printf 'begun %s: %s\n' "$name" "$*"
	if "$@" >"$work/$name.log" 2>&1; then
		passed=$((passed + 1))
		echo "ok    $name, $((SECONDS - begin)) s"
	else
		failed=$((failed + 1))
		mkdir -p build/soak
		cp "$work/$name.log" "build/soak/$name.log"
		tail -n 30 "$work/$name.log"
		echo "FAILED $name after $((SECONDS - begin)) s: build/soak/$name.log; again: SOAK_SEED=$seed tests/soak/run.sh $name"
	fi
}

build() { cmake --preset "$1" -DCARREL_TESTS=ON >"$work/build.log" 2>&1 && cmake --build "$2" -j "$(nproc)" "${@:3}" >>"$work/build.log" 2>&1; }
drawn_sqlite() { CARREL_FUZZ_SEED=$seed CARREL_FUZZ_SECONDS=$(of 1800) build/tests/test_columns_random_sqlite; }
drawn_postgres() { CARREL_FUZZ_SEED=$seed CARREL_FUZZ_SECONDS=$(of 1800) tests/support/pg.sh run - build/tests/test_columns_random_postgres; }
ways() { CARREL_WAYS=$(of 20000) CARREL_WAYS_SEED=$seed python3 -B tests/engines/engines.py ways --results "$work/engines" || [ $? = 77 ]; }
guard() { CARREL_FUZZ_SEED=$seed CARREL_FUZZ_SECONDS=$(of 3600) tests/support/pg.sh run - build/tests/test_guard_fuzz; }
mysql_suite() { tests/support/my.sh run - tests/soak/mysql_suite.sh build "$(of 3600)" || [ $? = 77 ]; }
mysql_sessions() {
	CARREL_FUZZ_SEED=$seed CARREL_FUZZ_SECONDS=$(of 1800) \
		tests/support/my.sh run - build/tests/test_guard_mysql_session || [ $? = 77 ]
}
# Two nodes are given the same codes, refresh tokens and nonces: each is good once.
races() { CARREL_RACES=$(of 10000) tests/support/pg.sh run - build/tests/test_store_rows; }
knowledge() { (cd build && KNOWLEDGE_ENGINES=1 ctest --output-on-failure -R '^integration.memory.knowledge$'); }
sanitized() { build debug build/debug && (cd build/debug && ctest --output-on-failure -j "$(nproc)" -R "$(cat ../../tests/support/not_sanitized)"); }
streams() { SOAK_SESSIONS=$(of 400000) SOAK_REQUESTS=$(of 4000000) tests/bench/streams.sh build; }
again() { (cd build && ctest --output-on-failure -j "$(nproc)" -L 'integration|sandbox' --repeat until-fail:"$(of 3)"); }
fuzzers() { command -v clang >/dev/null && build fuzz build/fuzz --target fuzzers && tests/fuzz/run.sh build/fuzz "$(of 600)"; }
packages() { [ -d "$1/node_modules" ] || (cd "$1" && npm "${@:2}" --no-audit --no-fund --loglevel=error); }
upgrade_package() { packaging/install-deps.sh package-test && { tests/soak/upgrade_package.sh || [ $? = 77 ]; }; }
walk() { packages tests ci && packaging/install-deps.sh package-test && { tests/soak/walk.sh || [ $? = 77 ]; }; }
agents() {
	packages tests ci && packages tests/soak/agents install --no-package-lock || return 1
	PATH=$PWD/tests/soak/agents/node_modules/.bin:$PATH tests/node_modules/.bin/node --test --test-concurrency=1 tests/clients/agents.test.mjs
}
# Official clients whose requests come to three nodes with one store at random; left out is what a node does alone.
scattered() {
	packages tests ci && CARREL_SCATTERED=1 SOAK_SEED=$seed tests/support/pg.sh run - tests/node_modules/.bin/node --test --test-reporter=tap \
		--test-concurrency=1 --test-skip-pattern='^changes: |never looks whole' \
		tests/clients/{scattered,tokens,datasets,resources,app}.test.mjs
}
idle_streams() {
	packages tests ci || return 1
	tests/node_modules/.bin/node tests/soak/idle.mjs "$idle"
}

if ! build release build; then
	tail -n 40 "$work/build.log"
	exit 1
fi
echo "seed $seed, $scale %"

# They wait most of the time: beside the others.
waiting=
if is_wanted idle; then
	(trap - EXIT; step idle idle_streams; exit $failed) &
	waiting=$!
fi
step kills tests/faults/kills.sh build/tests/faults-kills build/faults/bin "$(of 10000)" "$seed"
step life tests/faults/life.sh build/bin "$(of 24)" "$seed"
step knowledge knowledge
step memory env CARREL_MEMORY_KILLS="$(of 1000)" tests/faults/memory.sh build/tests/faults-memory build/faults/bin 1000 "$seed"
step races races
step nodes-faults tests/faults/nodes.sh build/faults/bin
step nodes-files tests/faults/nodes_files.sh build/bin 120
step nodes-clients scattered
step nodes-hostile tests/faults/store_hostile.sh build/bin
step nodes-loss tests/faults/loss.sh build/bin
step nodes tests/soak/nodes.sh build/bin "$(of 600)" "$seed"
step nodes-upgrade env SOAK_SECONDS="$(of 60)" SOAK_SEED="$seed" tests/soak/nodes_upgrade.sh
step oauth tests/faults/oauth.sh build/faults/bin "$(of 1500)" "$seed"
step semantic build/tests/semantic-property "$(of 100000)" "$seed"
step semantic-postgres tests/semantic/property.sh build/tests/semantic-property "$(of 10000)" "$seed"
step columns-sqlite drawn_sqlite
step columns-postgres drawn_postgres
step ways ways
step mysql-suite mysql_suite
step mysql-sessions mysql_sessions
step guard guard
step fuzz fuzzers
step streams streams
step held env HELD_SECONDS="$(of 600)" tests/bench/held.sh build
step exports python3 -B tests/soak/exports.py
step agents agents
step release tests/soak/release.sh
step upgrade tests/soak/upgrade.sh
step upgrade-package upgrade_package
step walk walk
step sanitized sanitized
step again again
if [ -n "$waiting" ]; then
	if wait $waiting; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
