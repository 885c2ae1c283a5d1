# How database servers are reached: passwords that a command prints, and SSH servers in between, with a real sshd, on
# both engines.  What goes wrong is said by connection test, status, the log and /metrics, and calls recover.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

support=$SOURCE_DIR/tests/support
[ -n "${PG_DIR:-}" ] || exec bash "$support/pg.sh" run - bash "$0"
[ -n "${MY_DIR:-}" ] || exec bash "$support/my.sh" run - bash "$0"
[ -n "${SSH_DIR:-}" ] || exec bash "$support/sshd.sh" run - bash "$0"
secret='zeppelin pass 9471'
pg_port=$(cat "$PG_DIR/port") my_port=$(cat "$MY_DIR/port") ssh_port=$(cat "$SSH_DIR/port")
"$support/pg.sh" psql "$PG_DIR" -c "CREATE ROLE reach LOGIN PASSWORD '$secret'" >/dev/null
"$support/my.sh" mysql "$MY_DIR" -e "CREATE DATABASE shop; CREATE TABLE shop.t (a INT); INSERT INTO shop.t VALUES (42);
	CREATE USER reach@'%' IDENTIFIED BY '$secret'; GRANT SELECT ON shop.* TO reach@'%'"
"$carrel" init "$scratch/p" >/dev/null
cd "$scratch/p" || exit 1
pass=$scratch/pass
command() { # the script that prints the password
	printf '#!/bin/sh\necho run >>%s/runs\n%s\n' "$scratch" "$1" >"$pass" && chmod +x "$pass"
}
runs() { cat "$scratch/runs" 2>/dev/null | wc -l; }
write() { # password, ssh of both connections; more of pg
	cat >carrel.yaml <<-END
		connections:
		  pg: {driver: postgres, host: ${host:-localhost}, port: ${port:-$pg_port}, database: postgres,
		       user: reach, password: $1, sslmode: verify-full, sslrootcert: $PG_DIR/server.crt, workers: 1$2}
		  my: {driver: mysql, host: ${host:-localhost}, port: $my_port, database: shop, user: reach,
		       password: $1, sslmode: verify-full, sslrootcert: $MY_DIR/server.crt, workers: 1$2}
	END
}
both_answer() {
	run 0 sql -c pg 'SELECT 41 + 1' && says '[[42]]'
	run 0 sql -c my 'SELECT a FROM t' && says '[[42]]'
}
soon() { # text: in the answer of one of the next calls
	local i
	for ((i = 0; i < 100; i++)); do
		"$carrel" sql -c "$1" 'SELECT 41 + 1' --json >"$out" 2>"$err" && return
		sleep 0.2
	done
	fail "$1 did not come back: $(cat "$err")"
}
all_serve() { # none is on its way, and none waits to try again
	for _ in {1..100}; do
		"$carrel" status >"$out" 2>"$err" && ! grep -qE ' (starting|waiting) ' "$out" && return
		sleep 0.1
	done
	fail "workers do not begin to serve: $("$carrel" status)"
}

# One that hangs is ended with what it started after 10 s: looked at below, when they are over.
sleeper=$((100000 + RANDOM))
mkdir "$scratch/hangs"
printf '#!/bin/sh\nsleep %s & sleep %s\n' $sleeper $sleeper >"$scratch/hang" && chmod +x "$scratch/hang"
cat >"$scratch/hangs/carrel.yaml" <<-END
	connections:
	  pg: {driver: postgres, host: localhost, port: $pg_port, database: d, user: u,
	       password: {command: [$scratch/hang]}}
END
"$carrel" --project-dir "$scratch/hangs" connection test pg >"$scratch/hangs/said" 2>&1 & hanging=$!

# A command: run for the first connection, its answer used again; without a shell; nothing of our environment.
command "[ \"\$1\" = 'two words; \$(x)' ] && [ -z \"\$SEEN\" ] && [ \"\$HOME\" ] && echo '$secret'"
write "{command: ['$pass', 'two words; \$(x)']}" ""
export SEEN=1
run 0 mcp start --port 0 && both_answer
[ "$(runs)" = 2 ] || fail "the commands ran $(runs) times for two connections"
run 0 mcp reload && both_answer
[ "$(runs)" = 2 ] || fail "a reload ran a command again"
# Of another age than ttl_s it is asked for again, and the one that is known is used till then.
all_serve && kill -9 $(sql_workers)
both_answer
[ "$(runs)" = 2 ] || fail "a worker that died ran a command again within ttl_s"
write "{command: ['$pass', 'two words; \$(x)'], ttl_s: 0}" ""
run 0 mcp reload && all_serve && kill -9 $(sql_workers) && both_answer && [ "$(runs)" -gt 2 ] || fail "ttl_s 0 ran no command again"
run 0 mcp stop

# What goes wrong with it.
fails() { # script text
	command "$1"
	run 1 connection test pg && complains "$2" && complains "password command" && one_sentence
	grep -qF "$secret" "$out" "$err" && fail "the secret is told: $(cat "$err")"
}
write "{command: ['$pass']}" ""
fails "echo '$secret' >&2; exit 7" "ended with exit status 7"
fails "" "printed nothing"
fails "echo" "printed nothing"
fails "echo '$secret'; echo two" "more than one line"
fails "head -c 1000000 /dev/zero | tr '\\0' x" "printed more than 16384 bytes"
fails "kill -9 \$\$" "ended by signal 9"
fails "printf 'a\\000b'" "no text"
rm "$pass" && run 1 connection test my && complains "cannot be executed"
run 1 doctor && says "cannot be executed"
# Its password expires, and another one is printed: calls go on once the server takes it.
command "echo wrong"
run 0 mcp start --port 0
url=$(sed -n 's/.*"url":"\([^"]*\)\/mcp".*/\1/p' "$out")
run 1 sql -c pg 'SELECT 1' && complains "password authentication failed"
command "echo '$secret'"
soon pg && soon my
curl -s "$url/metrics" >"$out" && says "carrel_password_commands_total" || fail "no metric"
run 0 mcp stop

# SSH: TLS goes through it, and verifies the name of the server.
printf '%s' "$secret" >"$scratch/pw" && chmod 600 "$scratch/pw"
key="identity: 'file:$SSH_DIR/id', known_hosts: 'file:$SSH_DIR/known_hosts'"
ssh=", ssh: {host: 127.0.0.1, port: $ssh_port, user: $(cat "$SSH_DIR/user"), $key}"
write "file:$scratch/pw" "$ssh"
both_answer
run 0 mcp start --port 0
url=$(sed -n 's/.*"url":"\([^"]*\)\/mcp".*/\1/p' "$out")
both_answer
encrypted="SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'reach'"
[ "$("$support/pg.sh" psql "$PG_DIR" -At -c "$encrypted")" = t ] ||
	fail "no TLS through the tunnel"
find /tmp/carrel-ssh-* \( -type s ! -perm 600 -o -type d ! -perm 700 \) 2>/dev/null | finds . &&
	fail "others may open the socket"

# A tunnel that is killed, itself or its ssh, comes back, takes its ssh along, and calls recover.
tunnels() { "$carrel" --json status 2>/dev/null | grep -o '"role":"tunnel"[^}]*"pid":[0-9]*' | sed 's/.*://'; }
for which in child self; do
	first=$(tunnels | head -n 1) ssh_pid=$(pgrep -P "$first")
	[ $which = child ] && kill "$ssh_pid" || kill -9 "$first"
	soon pg && soon my
	for _ in {1..50}; do [ -d "/proc/$ssh_pid" ] || break; sleep 0.1; done
	[ -d "/proc/$ssh_pid" ] && fail "ssh outlives its tunnel"
done
"$support/sshd.sh" stop "$SSH_DIR"
for _ in {1..50}; do "$carrel" sql -c my 'SELECT 1' >"$out" 2>"$err" || break; sleep 0.1; done
for name in pg my; do run 1 sql -c $name 'SELECT 1' && complains "SSH: " && one_sentence; done
run_as 0 status && says "SSH: " && says tunnel
# Workers that wait for a tunnel go on without it when it is taken out of the configuration.
settle() { # a reload is over when those that serve are of the new configuration
	run 0 mcp reload && all_serve
	soon pg && soon my
}
write "file:$scratch/pw" "" && settle
# With it again, those that connected without it go as soon as others have connected, though all of them had their place.
direct=$(sql_workers)
write "file:$scratch/pw" "$ssh" && "$support/sshd.sh" start "$SSH_DIR" && settle
serve() { sql_workers | grep -qxF "$1"; }
for _ in {1..150}; do serve "$direct" || break; sleep 0.1; done
serve "$direct" && fail "workers that connected without SSH still serve: $("$carrel" status)"
# A tunnel with another configuration takes the place of the one before.
cp "$SSH_DIR/known_hosts" "$scratch/hosts" && chmod 600 "$scratch/hosts"
write "file:$scratch/pw" "${ssh/$SSH_DIR\/known_hosts/$scratch/hosts}" && settle
write "file:$scratch/pw" "$ssh" && settle
# A way that is not configured any more is not used, also where the new one fails.
write "file:$scratch/pw" "${ssh/$ssh_port/1}" && run 0 mcp reload
for _ in {1..50}; do "$carrel" --json sql -c my 'SELECT 1' 2>&1 | finds "nothing listens for SSH" && break; sleep 0.1; done
for name in pg my; do run 1 sql -c $name 'SELECT 1' && complains "nothing listens for SSH" && one_sentence; done
write "file:$scratch/pw" "$ssh" && settle
curl -s "$url/metrics" >"$out" && says 'carrel_worker_restarts_total{role="tunnel"' || fail "no metric of the tunnel"
run 0 mcp stop
[ -z "$(find /tmp -maxdepth 1 -name 'carrel-ssh-*' -newer carrel.yaml 2>/dev/null)" ] || fail "sockets are left in /tmp"

# Who answers: a key that is not known, or another one.
ssh_fails() { run 1 connection test pg && complains "$1" && complains SSH && one_sentence; }
cp "$SSH_DIR/known_hosts" "$scratch/known"
: >"$SSH_DIR/known_hosts" && ssh_fails "host key is not in"
ssh-keygen -q -t ed25519 -N '' -f "$scratch/other"
printf '[127.0.0.1]:%s %s\n' "$ssh_port" "$(cut -d' ' -f1,2 "$scratch/other.pub")" >"$SSH_DIR/known_hosts"
ssh_fails "another machine answers"
cp "$scratch/known" "$SSH_DIR/known_hosts"
# Who asks.
mv "$SSH_DIR/id" "$scratch/id" && cp "$scratch/other" "$SSH_DIR/id" && ssh_fails "refused the account"
chmod 644 "$SSH_DIR/id" && run 1 connection test pg && complains "chmod 600"
rm "$SSH_DIR/id" && mv "$scratch/id" "$SSH_DIR/id"
# What lies behind, by its name: with verify-full a server of another name is refused.
port=1 write "file:$scratch/pw" "$ssh" && ssh_fails "nothing listens at localhost, port 1"
host=0.0.0.0 write "file:$scratch/pw" "$ssh"
for name in pg my; do run 1 connection test $name && complains 0.0.0.0; done
"$support/sshd.sh" stop "$SSH_DIR" && FORWARDING=no "$support/sshd.sh" start "$SSH_DIR"
write "file:$scratch/pw" "$ssh" && ssh_fails "does not permit forwarding"

# A configuration that cannot work, or would do something else, is refused with its reason.
refused() { # ssh text
	write "file:$scratch/pw" ", ssh: $1"
	run 1 connection test pg && complains "$2"
}
refused "{host: -oProxyCommand=x, user: u, $key}" "ssh: host"
refused "{host: h, user: -oProxyCommand=x, $key}" "ssh: user"
refused "{host: h, user: u, identity: '$SSH_DIR/id', known_hosts: 'file:x'}" "identity: expected file:PATH"
refused "{host: h, user: u, proxy: x, $key}" "unknown key"
printf 'connections: {f: {driver: sqlite, path: x.db, ssh: {host: h, user: u, %s}}}\n' "$key" >carrel.yaml
run 1 connection test f && complains "SSH leads to servers"
printf 'connections: {u: {driver: postgres, database: d, ssh: {host: h, user: u, %s}}}\n' "$key" >carrel.yaml
run 1 connection test u && complains "host is missing"
moved="postgres://u@h/d?host=other"
printf 'connections: {u: {driver: postgres, url: "%s", ssh: {host: h, user: u, %s}}}\n' "$moved" "$key" >carrel.yaml
run 1 connection test u && complains "name one server"
printf 'connections: {u: {driver: postgres, url: "postgres://u@h/d", password: {command: [x]}}}\n' >carrel.yaml
run 1 connection test u && complains "gives no password to a url"
wait $hanging && fail "a command that hangs is waited for"
grep -q "did not end within 10 s" "$scratch/hangs/said" || fail "a command that hangs: $(cat "$scratch/hangs/said")"
pgrep -f "sleep $sleeper" >/dev/null && fail "what a command left is not ended"
grep -rlF "$secret" .carrel 2>/dev/null | finds . && fail "the secret is on the disk: $(grep -rlF "$secret" .carrel)"
finish
