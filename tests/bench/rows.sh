# Sourced by bench.sh and peers.sh, which set work, root, carrel and project: the table of 50,000 rows in SQLite and,
# where they are installed, in a PostgreSQL and a MariaDB of our own, the calls that are measured, and small helpers.
pg_dsn="" pg_tcp="" my_port=""
one='SELECT * FROM t WHERE id = 4242'
thousand='SELECT * FROM t WHERE id <= 1000'
aggregate='SELECT s3, count(*) AS n, sum(x) AS x FROM t GROUP BY s3'

# A port on which no server listens.
free_port() {
	local port
	while port=$((20000 + RANDOM % 30000)); (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
	echo "$port"
}

# field NAME < one line of JSON
field() { sed -E "s/.*\"$1\":([0-9.]+).*/\1/"; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.2f", a / b; else printf "-" }'; }
median() { sort -n | awk '{v[NR]=$1} END {print v[int((NR+1)/2)]}'; }

# The servers are on core 0 before anybody connects: the processes and threads of connections are where theirs is.
start_postgres() {
	"$root/tests/support/pg.sh" start "$work/pg" >/dev/null 2>&1 || return
	taskset -a -cp 0 "$(head -n 1 "$work/pg/data/postmaster.pid")" >/dev/null
	pg_dsn="postgresql://postgres@/postgres?host=$work/pg/run&port=$(cat "$work/pg/port")"
	sqlite3 -csv "$work/rows.db" 'SELECT * FROM t' >"$work/t.csv"
	chmod 644 "$work/t.csv"
	psql -X -q "$pg_dsn" -c 'CREATE TABLE t (id bigint PRIMARY KEY, a bigint, b bigint, x double precision,
		y double precision, s1 text, s2 text, s3 text, s4 text, s5 text)' \
		-c "\\copy t FROM '$work/t.csv' CSV" -c 'ANALYZE t' -c "CREATE ROLE bench LOGIN PASSWORD 'bench'" -c 'GRANT SELECT ON t TO bench'
	pg_tcp="postgres://bench:bench@127.0.0.1:$(cat "$work/pg/port")/postgres"
	printf '  pg: { driver: postgres, url: "%s", workers: 2 }\n' "$pg_dsn" >>"$work/extra"
}
start_mariadb() {
	[ -x /usr/sbin/mariadbd ] && "$root/tests/support/my.sh" start "$work/my" >/dev/null 2>&1 || return
	taskset -a -cp 0 "$(cat "$work/my/run/pid")" >/dev/null
	my_port=$(cat "$work/my/port")
	{
		echo "CREATE DATABASE rows_db; USE rows_db; CREATE USER bench@'127.0.0.1' IDENTIFIED BY 'bench';
			GRANT SELECT ON rows_db.* TO bench@'127.0.0.1';
			CREATE TABLE t (id BIGINT PRIMARY KEY, a BIGINT, b BIGINT, x DOUBLE, y DOUBLE, s1 VARCHAR(40), s2 VARCHAR(40),
				s3 VARCHAR(40), s4 VARCHAR(40), s5 VARCHAR(40)); START TRANSACTION;"
		sqlite3 "$work/rows.db" -cmd '.mode insert t' 'SELECT * FROM t'
		echo 'COMMIT; ANALYZE TABLE t;'
	} | "$root/tests/support/my.sh" mysql "$work/my" >/dev/null
	printf '  my: { driver: mysql, url: "mysql://bench:bench@127.0.0.1:%s/rows_db", sslmode: disable, workers: 2 }\n' \
		"$my_port" >>"$work/extra"
}
remove_servers() {
	[ -n "$pg_dsn" ] && "$root/tests/support/pg.sh" remove "$work/pg" >/dev/null 2>&1
	[ -n "$my_port" ] && "$root/tests/support/my.sh" remove "$work/my" >/dev/null 2>&1
}

# The demo, and the table wherever it can be.
make_project() {
	"$carrel" init --demo "$project" >/dev/null || exit 1
	sqlite3 "$work/rows.db" <<-'SQL'
		CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, x REAL, y REAL,
		                s1 TEXT, s2 TEXT, s3 TEXT, s4 TEXT, s5 TEXT);
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
		INSERT INTO t SELECT i, i * 7919 % 1000, i * 104729 % 100000, i * 0.25, i / 7.0,
		  'customer ' || i, 'city ' || (i % 97), 'status ' || (i % 5), 'note ' || (i % 1000), 'code-' || i FROM n;
	SQL
	printf '  rows: { driver: sqlite, path: %s }\n' "$work/rows.db" >"$work/extra"
	chmod 755 "$work"
	start_postgres
	start_mariadb
	sed -i "/^connections:/r $work/extra" "$project/carrel.yaml"
	printf 'connectivity:\n  enabled: true\n' >>"$project/carrel.yaml"
}

# call FILE TOOL ARGUMENTS: writes a request of the 2026-07-28 revision to $work/FILE, and its headers to $work/FILE.headers
meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
call() {
	printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s,%s}}' "$2" "$3" "$meta" >"$work/$1"
	printf 'MCP-Protocol-Version: 2026-07-28\nMcp-Method: tools/call\nMcp-Name: %s\n' "$2" >"$work/$1.headers"
}
list_call() {
	printf '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{%s}}' "$meta" >"$work/list"
	printf 'MCP-Protocol-Version: 2026-07-28\nMcp-Method: tools/list\n' >"$work/list.headers"
}
