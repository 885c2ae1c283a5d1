# Poolers, limits of the database's owner, and what is said of connections that cannot work; the half with PgBouncer
# is skipped where it is not installed.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

if [ -z "${PG_DIR:-}" ]; then
	exec bash "$SOURCE_DIR/tests/support/pg.sh" run - bash "$0"
fi
get() { node -pe "const d = JSON.parse(require('fs').readFileSync('$out', 'utf8')); $1" 2>/dev/null; }
holds() { [ "$(get "$1")" = true ] || fail "not so: $1"; }
psql() { "$SOURCE_DIR/tests/support/pg.sh" psql "$PG_DIR" -At "$@"; }
port=$(psql -c 'SHOW port')
psql -c "CREATE ROLE lim LOGIN PASSWORD 'lim'" -c "ALTER ROLE lim SET statement_timeout='300ms'" \
	-c "ALTER ROLE lim SET lock_timeout='100ms'" -c "CREATE ROLE p LOGIN PASSWORD 'p'" >/dev/null
"$carrel" init "$scratch/p" >/dev/null
cd "$scratch/p" || exit 1
add() { # name user port options
	export "URL_$1=postgres://$2:$2@127.0.0.1:$3/postgres?sslmode=disable$4"
	"$carrel" connection add "$1" --url "env:URL_$1" --json >"$out" 2>"$err"
}
says_of() { # name text: the answer, or the refusal, of its first statement
	"$carrel" sql -c "$1" 'SELECT 40 + 2' --json >"$out" 2>"$err"
	finds -e "$2" "$out" || finds -e "$2" "$err" || fail "$1: $(cat "$out" "$err")"
}

# The smaller limit holds, of the account and of the URL, and a statement that it ends is told so.
add lim lim "$port" ""
add opt p "$port" "&options=-c%20statement_timeout%3D400"
add p p "$port" ""
for row in lim:300ms opt:400ms p:29950ms; do
	run 0 sql -c "${row%:*}" 'SHOW statement_timeout' && holds "d.rows[0][0] === '${row#*:}'"
done
run 1 sql -c lim "SELECT count(*) FROM generate_series(1, 9000000)" && complains "statement_timeout of the account"

# A session that the server ended because it was idle is opened again by the next call, not before.
psql -c "CREATE ROLE idle LOGIN PASSWORD 'idle'" -c "ALTER ROLE idle SET idle_session_timeout='1s'" >/dev/null
add idle idle "$port" ""
run 0 mcp start --port 0 && run 0 sql -c idle 'SELECT 42'
sleep 3
sessions() { psql -c "SELECT count(*) FROM pg_stat_activity WHERE usename = 'idle'"; }
[ "$(sessions)" = 0 ] || fail "idle sessions are opened again"
run 0 sql -c idle 'SELECT 42' && holds "d.rows[0][0] === 42" && run 0 mcp stop

# What cannot work is said.
add rw p "$port" "&target_session_attrs=read-write" && says_of rw "sessions only read"
add ca p "$port" "" && export URL_ca="postgres://p:p@127.0.0.1:$port/postgres?sslmode=verify-full&sslrootcert=system"
says_of ca "sslrootcert=system"
add service p "$port" "" && export URL_service="postgres:///?service=x" && says_of service "service file"
for text in 'SELECT 1 WHERE 1 = ?' 'SELECT 1 WHERE 1 = :name' 'SELECT 1 WHERE 1 = $1'; do
	run 1 sql -c p "$text" && complains "placeholders are not supported"
done

pgbouncer=$(command -v pgbouncer || echo /usr/sbin/pgbouncer)
if [ ! -x "$pgbouncer" ]; then
	fail "pgbouncer is not installed; packaging/install-deps.sh test"
	finish
fi
for mode in session transaction statement; do
	at=$((20000 + RANDOM % 12000))
	cat >"$scratch/$mode.ini" <<-END
		[databases]
		postgres = host=$PG_DIR/run port=$port user=postgres
		[pgbouncer]
		listen_addr = 127.0.0.1
		listen_port = $at
		unix_socket_dir =
		auth_type = any
		pool_mode = $mode
	END
	chmod 755 "$scratch" && chmod 644 "$scratch/$mode.ini"
	user=(); [ "$(id -u)" -ne 0 ] || user=(setpriv --reuid=postgres --regid=postgres --init-groups)
	"${user[@]}" "$pgbouncer" -q "$scratch/$mode.ini" >"$scratch/$mode.log" 2>&1 & bouncer=$!
	for _ in {1..50}; do (: <"/dev/tcp/127.0.0.1/$at") 2>/dev/null && break; sleep 0.1; done
	add "$mode" p "$at" ""
	if [ $mode = session ]; then
		says_of $mode 42
		run 0 sql -c $mode "SELECT current_setting('TimeZone'), current_setting('default_transaction_read_only')"
		holds "d.rows[0].join() === 'UTC,on'"
		run 1 sql -c $mode "SELECT pg_sleep(1)" && run 1 sql -c $mode "DELETE FROM t"
	else
		says_of $mode "pool_mode = session"
	fi
	kill $bouncer; wait $bouncer 2>/dev/null
done
finish
