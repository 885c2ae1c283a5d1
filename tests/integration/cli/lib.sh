# lib.sh - what the CLI's tests share: a scratch directory that is cleaned up
# with every daemon in it, and assertions that say what they saw.
set -uo pipefail

unset CARREL_PROJECT_DIR CARREL_MCP_TOKEN KTX_PROJECT_DIR KTX_MCP_TOKEN NO_COLOR
carrel=$BIN_DIR/carrel
scratch=$(mktemp -d)
out=$scratch/out err=$scratch/err
failures=0

# leaks STATE... - the first files in these .carrel directories, but for those of .carrel/secrets, that hold a secret of
# some test (tests/support/secrets): logs, state store, audit, what the daemon says of itself.
leaks() { [ $# -eq 0 ] || grep -rlaEf "$SOURCE_DIR/tests/support/secrets" --exclude-dir=secrets "$@" 2>/dev/null | head -n 3; }

# The same of the arguments and the environment of a daemon and its children.
shows() {
	local pid
	for pid in $1 $(pgrep -P "$1"); do
		grep -laEf "$SOURCE_DIR/tests/support/secrets" "/proc/$pid/cmdline" "/proc/$pid/environ" 2>/dev/null
	done
}

cleanup() {
	local state leaked=
	[ "$BASHPID" -eq $$ ] || return 0	# a child that a signal meets before it has become its program
	for state in "$scratch"/*/.carrel/mcp.json; do
		[ -e "$state" ] || continue
		leaked+=$(shows "$(sed -E 's/.*"pid": ?([0-9]+).*/\1/' "$state")")
		"$carrel" --project-dir "$(dirname "$(dirname "$state")")" mcp stop >/dev/null 2>&1
	done
	shopt -s nullglob
	leaked+=$(leaks "$scratch"/.carrel "$scratch"/*/.carrel)
	rm -rf "$scratch"
	[ -z "$leaked" ] || { echo "FAILED: a secret is in $leaked"; exit 1; }
}
trap cleanup EXIT

# play_model - serve a model's endpoint at $port, which behaves as $model/behaviour says and notes what it is sent.
play_model() {
	local i
	node "$SOURCE_DIR/tests/support/model_server.mjs" "$model" &
	server=$!
	trap 'kill $server 2>/dev/null; cleanup' EXIT
	for ((i = 0; i < 600; i++)); do [ -e "$model/port" ] && break; sleep 0.1; done
	port=$(cat "$model/port")
}

# run CODE ARGUMENT... - run carrel --json; its output goes to $out and $err.
run() { run_as "$1" --json "${@:2}"; }

# run_as CODE ARGUMENT... - the same without an option of ours: tables.
run_as() {
	local expected=$1 code
	shift
	"$carrel" "$@" >"$out" 2>"$err" </dev/null
	code=$?
	[ $code -eq "$expected" ] && return 0
	fail "carrel $*: exit code $code, expected $expected"
	return 1
}

# finds ARGUMENT... - grep -q that reads to the end: who writes what it looks through meets no closed pipe.
finds() { [ "$(grep -c "$@")" -gt 0 ]; }

# sql_workers - the processes of the daemon's connections.
sql_workers() { "$carrel" --json status 2>/dev/null | grep -o '"role":"sql"[^}]*"pid":[0-9]*' | sed 's/.*://'; }

# rests PID... - whether these compute for less than a fifth of 0.3 seconds.
ticks() { sed 's/.*)//' $(printf '/proc/%s/stat ' "$@") | awk '{ n += $12 + $13 } END { print n }'; }
rests() {
	local since
	since=$(ticks "$@")
	sleep 0.3
	[ $(($(ticks "$@") - since)) -lt $(($(getconf CLK_TCK) * 6 / 100)) ]
}

# until_in FILE TEXT - waits until TEXT stands in FILE, for half a minute at most.
until_in() {
	local i
	for ((i = 0; i < 600; i++)); do finds -F -- "$2" "$1" && return; sleep 0.05; done
}

# asleep ARGUMENT... - waits until a process that pgrep finds is asleep at three looks, as one is that waits for a lock.
asleep() {
	local i looks=0
	for ((i = 0; i < 500 && looks < 3; i++)); do
		looks=$((looks + 1))
		finds S <(ps -o state= -p "$(pgrep -o "$@")" 2>/dev/null) || looks=0
		sleep 0.02
	done
}

fail() {
	failures=$((failures + 1))
	echo "FAILED: $1"
	sed 's/^/  stdout: /' "$out" 2>/dev/null | head -n 20
	sed 's/^/  stderr: /' "$err" 2>/dev/null | head -n 20
}

# Text that the last run must, or must not, have written.
says() { grep -qF -- "$1" "$out" || fail "standard output lacks \"$1\""; }
complains() { sed 's/\\"/"/g' "$err" | finds -F -- "$1" || fail "standard error lacks \"$1\""; }
is_quiet() { [ ! -s "$err" ] || fail "something on standard error"; }
one_sentence() { [ "$(wc -l <"$err")" -eq 1 ] || fail "not one line on standard error"; }
is_json() { node -e 'JSON.parse(require("fs").readFileSync(0, "utf8"))' <"$out" 2>/dev/null || fail "no JSON on standard output"; }

# As a terminal would see it: run_tty COMMAND...
run_tty() {
	TERM=xterm COLUMNS=100 script -qec "stty cols 100; $(printf '%q ' "$@")" /dev/null >"$out" 2>"$err" </dev/null
}

finish() {
	[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }
	exit 0
}
