# Each process of a running daemon, taken over: system calls are put into it as
# it serves (inject.c).  It must be refused by the errno, or the death, that
# its profile claims, another must take its place, and the daemon go on.
if [ "$(uname -m)" != x86_64 ]; then
	echo "SKIPPED, 0 calls injected: only x86-64 registers are known"
	exit 77
fi
if [ "$(id -u)" != 0 ]; then
	echo "SKIPPED, 0 calls injected: only root may trace processes that are not dumpable"
	exit 77
fi
if [ -z "${PG_DIR:-}" ] && [ -x /usr/lib/postgresql/15/bin/postgres ]; then
	exec "$SOURCE_DIR/tests/support/pg.sh" run - env PATH="$PATH" bash "$0"
fi
if [ -z "${MY_DIR:-}" ] && [ -x /usr/sbin/mariadbd ]; then
	exec "$SOURCE_DIR/tests/support/my.sh" run - env PATH="$PATH" bash "$0"
fi
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
inject=$BIN_DIR/../tests/inject
calls=0 deaths=0

# Numbers of x86-64.
write=1 mprotect=10 pwrite64=18 socket=41 connect=42 sendto=44 fork=57 execve=59 kill=62 ftruncate=77 ptrace=101
openat=257 process_vm_readv=310 renameat2=316 memfd_create=319 io_uring_setup=425 pidfd_getfd=438 getpid=39 linkat=265
here=-100 create=$((0101)) rdwr=2 wronly=1
read=0 directory=$((0200000))

p=$scratch/p
mkdir -p "$p/data/secrets" "$p/.git/hooks"
printf 'wal\n' >"$p/data/secrets/key"
for name in shop payroll; do
	"$carrel" init --demo "$scratch/$name" >/dev/null 2>&1 || { fail "no demo"; finish; }
	cp "$scratch/$name/warehouse.db" "$p/data/$name.db"
done
cp -r "$scratch/shop/wiki" "$p/wiki"
rm -rf "$p/.git" && git init -q "$p" && mkdir -p "$p/.git/hooks"
cat >"$p/carrel.yaml" <<'CONFIG'
connections:
  shop: {driver: sqlite, path: data/shop.db, workers: 1}
  payroll: {driver: sqlite, path: data/payroll.db, workers: 1}
CONFIG
if [ -n "${PG_DIR:-}" ]; then
	"$SOURCE_DIR/tests/support/pg.sh" psql "$PG_DIR" -c "CREATE ROLE reader LOGIN PASSWORD 'secret'" >/dev/null
	echo '  pg: {driver: postgres, url: env:RUNNING_URL, workers: 1}' >>"$p/carrel.yaml"
	RUNNING_URL=$("$SOURCE_DIR/tests/support/pg.sh" dsn "$PG_DIR" reader secret postgres sslmode=disable)
	export RUNNING_URL
else
	echo "SKIPPED, 0 calls injected into sql-postgres: no PostgreSQL 15 here"
fi
if [ -n "${MY_DIR:-}" ]; then
	"$SOURCE_DIR/tests/support/my.sh" mysql "$MY_DIR" -e "CREATE USER reader@'127.0.0.1' IDENTIFIED BY 'secret';
		CREATE DATABASE shop; GRANT SELECT ON shop.* TO reader@'127.0.0.1'"
	echo "  my: {driver: mysql, url: env:RUNNING_MY_URL, workers: 1, sslmode: verify-full, sslrootcert: $MY_DIR/server.crt}" \
		>>"$p/carrel.yaml"
	RUNNING_MY_URL=$("$SOURCE_DIR/tests/support/my.sh" url "$MY_DIR" reader secret shop)
	export RUNNING_MY_URL
else
	echo "SKIPPED, 0 calls injected into sql-mysql: no MariaDB server here"
fi
export CARREL_PROJECT_DIR=$p
run 0 mcp start --port 0 || finish
daemon=$(sed -n 's/.*"pid":\([0-9]*\).*/\1/p' "$out" | head -n 1)

# The processes that run carrel-$1 now.
all_of() {
	local child
	for child in $(cat "/proc/$daemon/task/$daemon/children"); do
		[ "$(readlink "/proc/$child/exe" | sed 's/.*\///')" = "carrel-$1" ] &&
			grep -q '^Seccomp:.2' "/proc/$child/status" && echo "$child"
	done
}
# One that serves, which is not $2; it may have to be brought up first.
one_of() {
	local until=$((SECONDS + 40)) found
	while [ $SECONDS -lt $until ]; do
		found=$(all_of "$1" | grep -vx "${2:-none}" | head -n 1)
		[ -n "$found" ] && { echo "$found"; return 0; }
		sleep 0.05
	done
	fail "no carrel-$1 serves"
	return 1
}
serves() {
	local connection
	for connection in shop payroll ${PG_DIR:+pg}; do
		run 0 sql -c "$connection" "SELECT 41 + 1 AS answer" && says 42
	done
	run 0 discover orders
}
# refused WHO ERRNO CALL... - all in one stop; afterwards the same process goes on.
refused() {
	local who=$1 errno=$2 pid got
	pid=$(one_of "$who") || return
	"$inject" "$pid" "${@:3}" >"$out" 2>"$err"
	case $? in
	77) echo "SKIPPED, $calls calls injected: ptrace is not permitted here"; exit 77 ;;
	0) ;;
	*) fail "$who: ${*:3}"; return ;;
	esac
	while read -r got; do
		calls=$((calls + 1))
		[ "$got" = "$errno" ] || fail "$who: $got, expected $errno: ${*:3}"
	done <"$out"
	[ -s "$out" ] || fail "$who: no answer: ${*:3}"
	[ -e "/proc/$pid" ] || fail "$who: ended after ${*:3}"
}
# kills WHO CALL... - and another takes its place.
kills() {
	local who=$1 pid
	pid=$(one_of "$who") || return
	"$inject" "$pid" "${@:2}" >"$out" 2>"$err" || { fail "$who: ${*:2}"; return; }
	calls=$((calls + 1))
	[ "$(cat "$out")" = SIGSYS ] || fail "$who: not killed by SIGSYS: ${*:2}"
	deaths=$((deaths + 1))
	one_of "$who" "$pid" >/dev/null
}

# The means first: an honest call works, and the process goes on.
refused front ok $getpid
serves

for who in front sql-sqlite ${PG_DIR:+sql-postgres} ${MY_DIR:+sql-mysql} search memory; do
	# Nothing of the project's is open in it but its own.
	pid=$(one_of "$who") || continue
	case $who in
	sql-sqlite)	own="$p/data/\\(shop\\|payroll\\).db\\(-wal\\|-shm\\|\\)" ;;
	search)		own="$p/\\(wiki\\|semantic-layer\\|raw-sources\\|.carrel/documents\\).*" ;;
	memory)		own="$p/\\(wiki\\|semantic-layer\\|raw-sources\\|.carrel/memory\\).*" ;;
	*)		own=none ;;
	esac
	for fd in /proc/"$pid"/fd/*; do
		readlink "$fd" | finds -x "socket:.*\|pipe:.*\|anon_inode:.*\|/dev/null\|$own" || fail "$who holds $(readlink "$fd")"
	done

	for path in carrel.yaml .carrel/signing.key .carrel/logs/mcp.log .carrel/mcp.json .git/config .git/HEAD data/secrets/key; do
		refused "$who" EACCES $openat $here "s:$p/$path" $read
	done
	refused "$who" EACCES $openat $here "s:$p" $directory -- $openat $here "s:$p/data" $directory -- \
		$openat $here "s:$p/data/secrets" $directory -- $openat $here s:/etc/passwd $read -- \
		$openat $here "s:/proc/$daemon/mem" $read -- $openat $here "s:/proc/$daemon/environ" $read -- \
		$openat $here s:/ $directory
	refused "$who" EACCES $openat $here "s:$p/new" $create 0644 -- $openat $here "s:$p/.git/hooks/x" $create 0755 -- \
		$openat $here "s:$p/data/new" $create 0644 -- $openat $here "s:$p/.carrel/new" $create 0644 -- \
		$openat $here s:/tmp/carrel-injected $create 0644 -- $openat $here "s:$p/carrel.yaml" $wronly -- \
		$openat $here "s:$p/.carrel/logs/mcp.log" $wronly -- $openat $here "s:$p/data/shop.db" $rdwr -- \
		$openat $here "s:$p/data/payroll.db" $rdwr
	refused "$who" EACCES $socket 2 1 0 -- $socket 2 2 0 -- $socket 1 1 0 -- $socket 16 3 4 -- $socket 10 1 0
	[ "$who" = memory ] ||
		refused "$who" EACCES $openat $here "s:$p/wiki/new.md" $create 0644 -- $openat $here "s:$p/.carrel/memory/new" $create 0644
	if [ "$who" = memory ]; then
		refused "$who" EACCES $renameat2 $here "s:$p/.carrel/logs/mcp.log" $here "s:$p/.carrel/logs/gone" 0 -- \
			$linkat $here "s:$p/carrel.yaml" $here "s:$p/linked" 0
	else
		kills "$who" $renameat2 $here "s:$p/.carrel/logs/mcp.log" $here "s:$p/.carrel/logs/gone" 0
	fi
	# Beyond its channel: to an address, and to a descriptor that is none of its own.
	refused "$who" EBADF $write 900 s:x 1
	kills "$who" $sendto 3 s:x 1 0 in:9 16
	kills "$who" $connect 3 in:9 16
	kills "$who" $execve s:/bin/sh 0 0
	kills "$who" $fork
	kills "$who" $kill "$daemon" 9
	# What reports the sanitizers' findings is traced.
	[ "${SANITIZED:-0}" = 1 ] || kills "$who" $ptrace 16 "$daemon" 0 0
	kills "$who" $process_vm_readv "$daemon" 0 0 0 0 0
	kills "$who" $pidfd_getfd 3 0 0
	kills "$who" $mprotect page 4096 5
	kills "$who" $memfd_create s:x 0
	kills "$who" $io_uring_setup 1 0
	kill -0 "$daemon" 2>/dev/null || { fail "the daemon ended with $who"; finish; }
	serves
done

# The databases of others, whichever of the two workers it is; its own file it may not change.
for pid in $(all_of sql-sqlite); do
	if readlink /proc/"$pid"/fd/* | finds shop.db; then own=shop other=payroll; else own=payroll other=shop; fi
	fd=$(find "/proc/$pid/fd" -lname "$p/data/$own.db" | head -n 1)
	[ "$("$inject" "$pid" $openat $here "s:$p/data/$other.db" $read -- $openat $here "s:$p/data/$own.db" $read)" = $'EACCES\nok' ] ||
		fail "the worker of $own"
	[ -z "$fd" ] || [ "$("$inject" "$pid" $pwrite64 "${fd##*/}" s:x 1 0 -- $ftruncate "${fd##*/}" 0)" = $'EROFS\nEROFS' ] ||
		fail "the worker of $own can write it"
	calls=$((calls + 4))
done
for who in front ${PG_DIR:+sql-postgres} ${MY_DIR:+sql-mysql} search memory; do
	refused "$who" EACCES $openat $here "s:$p/data/shop.db" $read -- $openat $here "s:$p/data/payroll.db" $read
done

# carrel-git lives as long as one commit: it is met when it waits for its order.
note=0
# The answers of one that was told to do these calls; each lives for a note that is kept.
git_does() {
	local try
	for try in 1 2 3 4 5; do
		note=$((note + 1))
		"$inject" --child-of "$daemon" carrel-git "$@" >"$scratch/git" 2>"$err" &
		printf 'Remember: # Churn %d\n\nChurn number %d means no order in a year. Number %d.\n' $note $note $note >"$scratch/note.md"
		"$carrel" --json ingest text "$scratch/note.md" >"$scratch/ingested" 2>&1
		wait $! && return 0
	done
	fail "carrel-git was not met: $*"
}
# git_refused ANSWER CALL... - every call by itself with this answer.
git_refused() {
	git_does "${@:2}"
	calls=$((calls + $(wc -l <"$scratch/git")))
	[ "$(sort -u "$scratch/git")" = "$1" ] || { cp "$scratch/git" "$out"; fail "git: expected $1: ${*:2}"; }
	[ "$1" != SIGSYS ] || deaths=$((deaths + 1))
}
git_refused ok $getpid
grep -q '"commitHash":"[0-9a-f]' "$scratch/ingested" || fail "what was kept was not committed after carrel-git was stopped"
git_refused EACCES $openat $here "s:$p/carrel.yaml" $read -- $openat $here "s:$p/.carrel/signing.key" $read -- \
	$openat $here "s:$p/.carrel/logs/mcp.log" $read -- $openat $here "s:$p/data/secrets/key" $read -- \
	$openat $here "s:$p/data/shop.db" $read -- $openat $here "s:$p" $directory -- $openat $here s:/etc/passwd $read -- \
	$openat $here "s:$p/new" $create 0644 -- $openat $here "s:$p/wiki/new.md" $create 0644 -- \
	$openat $here "s:$p/.carrel/memory/new" $create 0644 -- $openat $here s:/tmp/carrel-injected $create 0644 -- \
	$openat $here "s:$p/carrel.yaml" $wronly -- $socket 2 1 0 -- $socket 1 1 0 -- \
	$linkat $here "s:$p/carrel.yaml" $here "s:$p/linked" 0
# What it writes of the repository is not its hooks and its configuration, where the profile says so.
run 0 sandbox verify
if grep -q '"process":"git","act":"WRITE_HOOK"' "$out"; then
	git_refused EACCES $openat $here "s:$p/.git/hooks/x" $create 0755 -- $openat $here "s:$p/.git/config" $wronly -- \
		$openat $here "s:$p/.git/config.lock" $create 0644 -- $openat $here "s:$p/.git/info/exclude" $create 0644
fi
git_refused SIGSYS $execve s:/bin/sh 0 0
git_refused SIGSYS $connect 3 in:9 16
git_refused SIGSYS $kill "$daemon" 9
[ "${SANITIZED:-0}" = 1 ] || git_refused SIGSYS $ptrace 16 "$daemon" 0 0
git_refused SIGSYS $mprotect page 4096 5
git_refused ok $getpid
grep -q '"commitHash":"[0-9a-f]' "$scratch/ingested" || fail "nothing is committed after carrel-git was killed"

serves
[ ! -e "$p/new" ] && [ ! -e "$p/.git/hooks/x" ] && [ ! -e /tmp/carrel-injected ] || fail "something was made"
echo "$calls calls injected, $deaths of them deadly"
[ "$calls" -gt 200 ] && [ "$deaths" -gt 40 ] || fail "too few calls"
run 0 mcp stop
finish
