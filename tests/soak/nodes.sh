#!/bin/bash
# Three nodes behind nginx and HAProxy as packaging/ has them, their store on a primary with a synchronous standby: what
# nodes.mjs does to them under load.  With OLD_BIN_DIRECTORY the nodes run its older programs, and are upgraded one by one.
# usage: nodes.sh BIN_DIRECTORY SECONDS [SEED [OLD_BIN_DIRECTORY]]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$(realpath "$1") seconds=$2 seed=${3:-1} old=${4:+$(realpath "$4")}
packaging=$here/../../packaging pg=$here/../support/pg.sh
PATH=$PATH:/usr/sbin
for program in nginx haproxy node; do
	command -v $program >/dev/null || { echo "$program is not installed"; exit 77; }
done
work=$(mktemp -d)
chmod 755 "$work"
proxies=()
end() {
	kill -CONT $(pgrep -f -- "--project-dir $work/" || true) 2>/dev/null || true
	for node in north south west; do "$bin/carrel" -C "$work/$node" mcp stop >/dev/null 2>&1 || true; done
	[ ${#proxies[@]} -eq 0 ] || kill "${proxies[@]}" 2>/dev/null || true
	for one in "$work"/pg*; do "$pg" remove "$one" >/dev/null 2>&1 || true; done
	rm -rf "$work"
}
trap end EXIT
trap 'exit 143' TERM INT HUP

"$pg" start "$work/pg0" >/dev/null || exit 77
"$pg" psql "$work/pg0" -c "CREATE ROLE carrel LOGIN PASSWORD 'topsecret'" -c "CREATE DATABASE carrel OWNER carrel"
"$pg" standby "$work/pg0" "$work/pg1"

# Ports below those that connections get: two of the front ends, three of the nodes, two of each node's way to the store.
base=$((20000 + RANDOM % 11000))
umask 077
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
	-keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
cat "$work/cert.pem" "$work/key.pem" >"$work/carrel.pem"
"${old:-$bin}/carrel" init --demo "$work/north" >/dev/null
cat >>"$work/north/carrel.yaml" <<END
state: env:CARREL_STATE_URL
node: { name: north }
server: { public_url: 'https://localhost:$base', trusted_proxies: [127.0.0.1] }
oauth: { enabled: true }
connectivity: { enabled: true, max_tokens: 100, requests_per_min: 100000, global_per_min: 100000, sql_per_min: 100000 }
END
[ -n "$old" ] || echo 'limits: { export_rows: 1000 }' >>"$work/north/carrel.yaml"
for node in south west; do
	cp -a "$work/north" "$work/$node"
	sed -i "s/name: north/name: $node/" "$work/$node/carrel.yaml"
done

nodes() { # FILE: with the nodes of this machine in the place of those of the example
	sed -e "s/192.0.2.1:7878/127.0.0.1:$((base + 2))/; s/192.0.2.2:7878/127.0.0.1:$((base + 3))/" \
		-e "s/192.0.2.3:7878/127.0.0.1:$((base + 4))/; s/carrel.example.org/localhost/" "$1"
}
mkdir "$work/nginx" "$work/nginx/logs"
{
	nodes "$packaging/nginx/carrel-nodes.conf"
	sed -e '/^upstream/,/^}/d; /listen \[::\]/d' "$packaging/nginx/carrel.conf" |
		sed -e "s/listen 443/listen 127.0.0.1:$base/; s/listen 80/listen 127.0.0.1:$((base + 5))/" \
			-e "s/carrel.example.org/localhost/" \
			-e "s|/etc/ssl/carrel/fullchain|$work/cert|; s|/etc/ssl/carrel/privkey|$work/key|"
} >"$work/nginx/carrel.conf"
cat >"$work/nginx/nginx.conf" <<END
daemon off; master_process off; pid $work/nginx/pid; error_log $work/nginx/error.log;
events { worker_connections 1024; }
http {
	access_log off; client_body_temp_path $work/nginx/body; proxy_temp_path $work/nginx/proxy;
	fastcgi_temp_path $work/nginx/f; uwsgi_temp_path $work/nginx/u; scgi_temp_path $work/nginx/s;
	include $work/nginx/carrel.conf;
}
END
nginx -p "$work/nginx" -c "$work/nginx/nginx.conf" 2>"$work/nginx/start" &
proxies+=($!)
nodes "$packaging/haproxy/haproxy.cfg" | sed -e "/bind :80/d; s|bind :443|bind 127.0.0.1:$((base + 1))|" \
	-e "s|/etc/ssl/carrel/carrel.pem|$work/carrel.pem|" >"$work/haproxy.cfg"
haproxy -db -f "$work/haproxy.cfg" >"$work/haproxy.log" 2>&1 &
proxies+=($!)
code=0
NODE_NO_WARNINGS=1 NODE_TLS_REJECT_UNAUTHORIZED=0 node "$here/nodes.mjs" "$bin" "$work" "$base" "$seconds" "$seed" $old || code=$?
[ $code = 0 ] || [ -z "${SOAK_KEEP:-}" ] || (cd "$work" && tar cf "$SOAK_KEEP" --exclude=data .)
[ $code = 0 ] || tail -n 5 "$work/nginx/start"
[ $code = 0 ] || tail -n 5 "$work/nginx/error.log" "$work/haproxy.log" "$work"/*/.carrel/logs/mcp.log
exit $code
