# carrel sandbox verify: what is counted as refused, what was not tried, what failed, and the exit code.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

# holds SCRIPT - a condition on the JSON, as `d`.
holds() {
	node -e "const d = JSON.parse(require('fs').readFileSync(0, 'utf8'));
		const act = (p, a) => d.acts.find(x => x.process === p && x.act === a) || {};
		const words = (p, at, a) => d.acts.filter(x => x.process === p && x.at === at && (!a || x.act === a));
		const kernel = d.acts.filter(x => !x.at);
		process.exit(($1) ? 0 : 1)" <"$out" || fail "not so: $1"
}
every_count='d.refused === d.acts.filter(x => x.result === "refused").length &&
	d.notTried === d.acts.filter(x => x.result === "not tried").length &&
	d.failed === d.acts.filter(x => x.result === "failed").length &&
	d.acts.length === d.refused + d.notTried + d.failed'
leftovers() { find /tmp -maxdepth 1 -name 'carrel-verify-*' -newer "$scratch/before" 2>/dev/null; }
: >"$scratch/before"

# Without a repository, a PostgreSQL connection, a daemon that ever ran: nothing is called refused that was not tried.
run_as 0 init --demo "$scratch/plain" >/dev/null
cd "$scratch/plain" || exit 1
run 0 sandbox verify && is_json && is_quiet
holds "$every_count && d.failed === 0 && d.notTried > 0 && d.refused > 280"
holds 'new Set(d.acts.map(x => x.process)).size === 16'
for process in front sql-sqlite sql-postgres sql-duckdb search memory; do
	holds "act('$process', 'WRITE_HOOK').result === 'not tried' && act('$process', 'READ_GIT').result === 'not tried'"
done
holds "kernel.every(x => x.result !== 'refused' ||
	x.outcome === (x.expected === 'SIGSYS' ? 'killed by SIGSYS' : x.expected))"
holds "act('sql-postgres', 'EXECVE').result === 'refused' && /no PostgreSQL/.test(act('sql-postgres', 'EXECVE').standIn)"
holds "act('sql-duckdb', 'EXECVE').standIn === 'no DuckDB connection is configured; tried without one'"
holds "act('git', 'EXECVE').result === 'refused' && /no git repository/.test(act('git', 'EXECVE').standIn)"
holds "act('front', 'READ_CONFIG').path.endsWith('/carrel.yaml')"
# What each may say to the others: the owner's tools, rights of sub-calls, forged scopes, proofs and tickets.
holds "d.acts.filter(x => x.at).length > 200 && d.acts.every(x => !x.at || x.result === 'refused' || x.act === 'USED_PROOF')"
for worker in sql-sqlite sql-postgres search memory; do
	for word in NO_PROOF FRONTS_PROOF OTHERS_PROOF MOVED_PROOF ARGS_CHANGED OLD_PROOF NO_SCOPE WRONG_ASKER; do
		holds "words('front', '$worker', '$word').length > 0"
	done
done
holds "words('front', 'memory', 'NO_PROOF').some(x => /memory_approve/.test(x.what))"
holds "words('search', 'front', 'SUBCALL').some(x => /memory_approve/.test(x.what))"
holds "words('memory', 'front', 'SUBCALL').some(x => /connection_grants/.test(x.what))"
holds "words('front', 'memory', 'USED_PROOF')[0].result === 'refused'"
holds "words('search', 'front', 'TICKET').length === 1 && words('sql-sqlite', 'front', 'NO_ASKER')[0].outcome === 'cut off'"
for speaker in sql-sqlite search memory; do
	holds "words('$speaker', 'carreld', 'COMPLAINT')[0].outcome === 'ends alone'"
	holds "words('$speaker', 'carreld', 'CONTROL')[0].outcome === 'ends alone' && words('$speaker', 'carreld', 'LOG').length === 1"
done
# A round takes the programs of the sanitizer build half a minute: there only those whose acts differ take place.
is_fast() { ! ldd "$BIN_DIR/carrel" | finds libasan; }
# A project that has no connection yet; the report as people read it.
if is_fast; then
	run 0 init "$scratch/empty"
	run_tty "$carrel" -C "$scratch/empty" sandbox verify && says ' 100% ' && says sql-sqlite && says " not tried, 0 failed"
	says "the project lies in no git repository"
	says 'not tried here: `carrel dataset import` starts it'
	grep -q "execute /bin/sh" "$out" && fail "what was refused is listed without --verbose"
	run_as 0 sandbox verify --verbose && says "execute /bin/sh" && says "killed by SIGSYS" && says " not tried, 0 failed"
fi
[ ! -e carrel-sandbox-verify ] && [ ! -e wiki/carrel-sandbox-verify ] && [ ! -e /tmp/carrel-sandbox-verify ] ||
	fail "something was made"

# A PostgreSQL server that does not answer: its worker is tried all the same.  DuckDB's worker cannot read SQLite's file.
if is_fast; then
	printf '  away:\n    driver: postgres\n    url: postgres://nobody@127.0.0.1:1/none\n' >"$scratch/away"
	if [ -e "$BIN_DIR/libduckdb.so" ]; then
		echo 'CREATE TABLE t (a INTEGER)' | "$BIN_DIR/../tests/duckdb_client" "$BIN_DIR/libduckdb.so" duck.db
		printf '  duck:\n    driver: duckdb\n    path: duck.db\n' >>"$scratch/away"
	fi
	sed -i "/^connections:/r $scratch/away" carrel.yaml
fi

# With a repository and the files of a daemon everything is tried.
git init -q . && mkdir -p .git/hooks
mkdir -p .carrel/logs .carrel/memory && touch .carrel/state.db .carrel/signing.key .carrel/logs/mcp.log .carrel/memory/run && echo beside >beside
before=$(sha256sum carrel.yaml .git/config .carrel/state.db .carrel/logs/mcp.log warehouse.db)
untried=3
[ ! -e duck.db ] || untried=2 # the database of another connection is read
run 0 sandbox verify && holds "$every_count && d.failed === 0 && d.notTried === $untried && act('front', 'USED_PROOF').act"
holds "act('front', 'WRITE_HOOK').result === 'refused' && act('memory', 'WRITE_GIT_CONFIG').result === 'refused'"
# Whose the state store is opens nothing beside it.
holds "['READ_KEY', 'WRITE_LOG', 'WRITE_JOURNAL', 'READ_CONFIG', 'SOCKET_UNIX'].every(a => act('auth', a).result === 'refused')"
holds "act('search', 'WRITE_STATE').result === 'refused' && act('front', 'READ_STATE').result === 'refused'"
for part in git git-keeper git-hand; do
	holds "['WRITE_HOOK', 'MAKE_EXECUTABLE', 'WRITE_GIT_CONFIG', 'WRITE_CONFIG', 'READ_KEY'].every(a => act('$part', a).result === 'refused')"
done
[ "$before" = "$(sha256sum carrel.yaml .git/config .carrel/state.db .carrel/logs/mcp.log warehouse.db)" ] ||
	fail "a file was changed"

if is_fast; then
	holds "act('sql-postgres', 'EXECVE').result === 'refused' && /could not be reached/.test(act('sql-postgres', 'EXECVE').standIn)"
	[ ! -e duck.db ] || holds "act('sql-duckdb', 'THREAD').result === 'refused' && act('sql-duckdb', 'THREAD').standIn === null &&
		act('sql-duckdb', 'READ_OTHER').result === 'refused' && act('sql-duckdb', 'READ_OTHER').path.endsWith('/warehouse.db') &&
		act('sql-sqlite', 'READ_OTHER').path.endsWith('/duck.db') && act('sql-duckdb', 'WRITE_DATABASE').path.endsWith('/duck.db')"
fi

# A sandbox that leaks is found out, each leak as what it is.
mkdir "$scratch/bin"
cp "$BIN_DIR"/carrel* "$scratch/bin/"
cp "$BIN_DIR/../tests/pretender" "$scratch/bin/carrel-search"
carrel=$scratch/bin/carrel
# DuckDB's worker reads two files of a directory, and no other file in it.
if [ -e duck.db ]; then
	mkdir sheets && echo a,1 | tee sheets/one.csv sheets/two.csv >sheets/unlisted
	sed -i 's|    path: duck.db|    files: ["sheets/*.csv"]|' carrel.yaml
	ln -s "$BIN_DIR/libduckdb.so" "$scratch/bin/"
fi
run 1 sandbox verify && holds "$every_count && kernel.filter(x => x.result === 'failed').length === 4"
holds "words('front', 'search').length > 30 && words('front', 'search').every(x => x.result === 'failed' && x.outcome === 'served')"
holds "words('search', 'carreld', 'LOG')[0].result === 'failed' && words('search', 'carreld', 'CONTROL')[0].result === 'refused'"
holds "words('front', 'memory').every(x => x.result === 'refused')"
holds "act('search', 'READ_CONFIG').result === 'failed' && act('search', 'READ_CONFIG').outcome === 'succeeded'"
holds "act('search', 'WRITE_PAGE').result === 'not tried'"
holds "act('search', 'SOCKET_TCP').result === 'failed' && act('search', 'EXECVE').result === 'failed'"
holds "act('search', 'SOCKET_UDP').result === 'failed' && /SIGKILL/.test(act('search', 'SOCKET_UDP').outcome)"
[ ! -e duck.db ] || holds "act('sql-duckdb', 'THREAD').standIn === null && act('sql-duckdb', 'WRITE_DATABASE').path.endsWith('/sheets/one.csv') &&
	act('sql-duckdb', 'READ_BESIDE').path.endsWith('/sheets/unlisted') && act('sql-duckdb', 'READ_OTHER').path.endsWith('/warehouse.db') &&
	d.acts.every(x => x.process !== 'sql-duckdb' || x.result === 'refused')"

# One that cannot be started is no sandbox either; what people read of it.
printf '#!/bin/sh\nexit 1\n' >"$scratch/bin/carrel-search"
run_as 1 sandbox verify && says "NOT REFUSED" && says "could not be started" && complains "does not hold"
# Other tests verify at the same time: what is theirs goes away.
for ((i = 0; i < 600; i++)); do [ -z "$(leftovers)" ] && break; sleep 0.1; done
[ -z "$(leftovers)" ] || fail "left in /tmp: $(leftovers)"
finish
