# A database with many tables; CARREL_TABLES=20000 for very many, which takes minutes.
tables=${CARREL_TABLES:-600}
if [ -z "${PG_DIR:-}" ]; then
	command -v psql >/dev/null || exit 77
	exec "$SOURCE_DIR/tests/support/pg.sh" run - env PATH="$PATH" bash "$0"
fi
. "$SOURCE_DIR/tests/integration/cli/lib.sh"
pg() { "$SOURCE_DIR/tests/support/pg.sh" psql "$PG_DIR" "$@" >/dev/null; }

pg -c "CREATE ROLE reader LOGIN PASSWORD 'secret'"
# A thousand per transaction: more need more locks than the server has by default.
for ((from = 0; from < tables; from += 1000)); do
	pg <<-END
	DO \$\$ BEGIN FOR i IN $((from + 1))..$((from + 1000 < tables ? from + 1000 : tables)) LOOP
		EXECUTE format('CREATE TABLE t_%s (id int PRIMARY KEY, t_%s_id int, name text, status varchar(20), amount numeric(10,2),
			created_at timestamptz, note text, flag boolean)', i, i - 1);
	END LOOP; END \$\$;
	END
done
pg -c "INSERT INTO t_1 SELECT g FROM generate_series(1, 100) g; INSERT INTO t_2 SELECT g, g FROM generate_series(1, 100) g"
pg -c "ANALYZE t_1, t_2"	# before the server does it on its own between two scans
pg -c "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader"
DB_URL=$("$SOURCE_DIR/tests/support/pg.sh" dsn "$PG_DIR" reader secret postgres sslmode=disable)
export DB_URL

mkdir "$scratch/p"
printf 'connections:\n  pg: {driver: postgres, url: env:DB_URL, workers: 5}\nserver: {port: 0}\n' >"$scratch/p/carrel.yaml"
run 0 -C "$scratch/p" mcp start
timed() {
	local since=$SECONDS what=$1
	shift
	run 0 -C "$scratch/p" "$@"
	echo "$what: $((SECONDS - since)) s"
}
timed "structure" scan && says "\"tables\":$tables"
timed "the same again" scan && says '"changed":false'
timed "data" scan --deep && says "\"inferredRelationships\":$((tables - 1))"
timed "the same again" scan --deep && says "\"changed\":false" && says "\"tablesReused\":$tables"
timed "one table" details "t_$((tables / 2))" && says '"stale":false'
run 0 -C "$scratch/p" mcp stop
finish
