#!/bin/bash
# What an administrator does who has the package and its documents, and nothing else: a Debian of its own with systemd,
# PostgreSQL with row security, MariaDB, nginx with TLS, an SSH server, an OpenID Connect provider and an OTLP receiver;
# the configuration is put together from the blocks that the documents have, as they are.  Then persons sign in with a
# real browser and see their own rows, and nobody's else, everywhere.
# usage: walk.sh [PACKAGE.deb [ROOT]]	(as root; left out: it is built; build/walk-root)
#	WALK_KEEP=1: the root still runs afterwards, without the provider and the collector
set -uo pipefail
cd "$(dirname "$0")/../.."
[ "$(id -u)" = 0 ] || { echo "only root can make a root"; exit 77; }
command -v debootstrap >/dev/null || { echo "debootstrap is not installed"; exit 77; }
fail() { echo "FAILED: $*"; exit 1; }

deb=${1-} root=$(realpath -m "${2:-build/walk-root}") tree=$PWD work=$(mktemp -d)
node=$tree/tests/node_modules/.bin/node
pids=()
end() {
	[ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2>/dev/null
	[ -n "${WALK_KEEP-}" ] || tests/package/root.sh stop "$root"
	rm -rf "$work"
}
trap end EXIT
if [ -z "$deb" ]; then
	packaging/deb.sh >"$work/deb.log" 2>&1 || fail "the package: $(tail -n 5 "$work/deb.log")"
	deb=$(ls build/deb/carrel_*.deb)
fi

begun=$(date +%s%N)
stage() { # how long the one before took
	[ -z "${stage-}" ] || printf '%6d ms  %s\n' $((($(date +%s%N) - begun) / 1000000)) "$stage"
	stage=${1-} begun=$(date +%s%N)
}
inside() { tests/package/root.sh run "$root" "$@"; }
carrel() { inside runuser -u carrel -- carrel --project-dir /var/lib/carrel "$@"; }
# The block of a document that has a text; what a document leaves open is replaced by what follows, FROM INTO.
block() {
	local document=$1 has=$2 text
	shift 2
	text=$(awk -v has="$has" '/^ *```/ { if (open) { if (index(block, has)) { printf "%s", block; exit } open = 0 } else { open = 1; block = "" } next }
		open { block = block $0 "\n" }' "docs/$document")
	[ -n "$text" ] || fail "docs/$document has no block with \"$has\"" >&2
	while [ $# -gt 1 ]; do
		[[ $text == *"$1"* ]] || fail "docs/$document: the block has no \"$1\"" >&2
		text=${text//"$1"/"$2"}
		shift 2
	done
	printf '%s\n' "$text"
}
# A program of this machine: on the root's loopback, with its names.  AS=exec: in place of the shell, so that $! is its.
AS=
outside() {
	$AS nsenter -t "$(cat "$root.pid")" -n unshare -m bash -c 'mount --bind "$0/etc/hosts" /etc/hosts && exec "$@"' "$root" \
		env NODE_EXTRA_CA_CERTS="$work/tls/ca.pem" CA="$work/tls/ca.pem" "$@"
}
eventually() { for _ in $(seq 150); do "$@" >/dev/null 2>&1 && return; sleep 0.2; done; "$@"; }
install_secret() { # FILE: its content comes in; only the service's account reads it
	inside install -D -o carrel -g carrel -m 0400 /dev/stdin "$1"
}

# --- a company: its machine, its databases, its provider, its collector
stage "a Debian, its packages"
tests/package/root.sh make "$root" >"$work/make" 2>&1 || fail "no root: $(tail -n 5 "$work/make")"
cp "$deb" "$root/root/carrel.deb"
chroot "$root" apt-get update -q >"$work/apt" 2>&1
# The root has no network of its own when it runs.
mapfile -t needs < <(dpkg-deb -f "$deb" Depends Pre-Depends Recommends | sed 's/^[^:]*://; s/([^)]*)//g; s/|[^,]*//g' | tr ', ' '\n\n' | sort -u | grep .)
chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends postgresql mariadb-server \
	openssh-server "${needs[@]}" >>"$work/apt" 2>&1 || fail "$(tail -n 5 "$work/apt")"
cat >"$root/etc/hosts" <<-'END'
	127.0.0.1 localhost carrel.example.org
	127.0.0.2 login.example.org
	127.0.0.3 collector.example.org
	127.0.0.4 bastion.example.org db.internal
END
stage "it boots, with PostgreSQL, MariaDB and nginx"
tests/package/root.sh boot "$root" || fail "the root does not boot"
inside apt-get purge -q -y carrel >/dev/null 2>&1
inside rm -rf /etc/carrel /etc/systemd/system/carrel.service.d /etc/systemd/system/carrel.socket.d
inside systemd-tmpfiles --create >/dev/null 2>&1
inside systemctl restart postgresql mariadb ssh || fail "the company's services: $(inside systemctl --failed)"

mkdir "$work/tls"
(cd "$work/tls" && openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj '/CN=company' -keyout ca.key -out ca.pem &&
	for name in carrel.example.org login.example.org collector.example.org db.internal; do
		openssl req -newkey rsa:2048 -nodes -subj "/CN=$name" -keyout "$name.key" -out "$name.csr" &&
			openssl x509 -req -days 2 -in "$name.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -out "$name.pem" \
				-extfile <(printf 'subjectAltName=DNS:%s\nextendedKeyUsage=serverAuth\nbasicConstraints=CA:FALSE\n' "$name") || exit
	done) >"$work/openssl" 2>&1 || fail "$(cat "$work/openssl")"
cp "$work/tls/ca.pem" "$root/usr/local/share/ca-certificates/company.crt"
inside update-ca-certificates >/dev/null 2>&1

postgres() { inside runuser -u postgres -- env PGOPTIONS='-c client_min_messages=warning' psql -v ON_ERROR_STOP=1 -qd "$@"; }
inside install -o postgres -m 0600 /dev/stdin /var/lib/postgresql/db.key <"$work/tls/db.internal.key"
inside install -o postgres -m 0644 /dev/stdin /var/lib/postgresql/db.pem <"$work/tls/db.internal.pem"
postgres postgres -c 'DROP DATABASE IF EXISTS shop WITH (FORCE)' -c 'DROP ROLE IF EXISTS carrel, analyst_eu, analyst_us, reader' \
	-c 'CREATE DATABASE shop' -c "ALTER SYSTEM SET ssl_cert_file='/var/lib/postgresql/db.pem'" \
	-c "ALTER SYSTEM SET ssl_key_file='/var/lib/postgresql/db.key'" -c "ALTER SYSTEM SET listen_addresses='127.0.0.1,127.0.0.4'" || fail "PostgreSQL"
inside systemctl restart postgresql
postgres shop <<-'END' || fail "PostgreSQL's tables"
	CREATE TABLE orders(id int PRIMARY KEY, tenant text NOT NULL, customer text NOT NULL, amount numeric(10,2) NOT NULL);
	INSERT INTO orders SELECT i, t, 'CANARY-' || t || '-' || i, i FROM generate_series(1, 300) i,
		LATERAL (SELECT (ARRAY['acme', 'globex', 'demo'])[1 + i % 3]) x(t);
	CREATE TABLE revenue_months(month date, region text, net numeric(12,2));
	INSERT INTO revenue_months SELECT '2025-01-01'::date + make_interval(months => i), r, 1000 + i
		FROM generate_series(0, 11) i, unnest(ARRAY['EU', 'US', 'APAC']) r;
	CREATE ROLE reader LOGIN PASSWORD 'a token of fifteen minutes';
	GRANT SELECT ON revenue_months TO reader;
END
inside mariadb <<-'END' || fail "MariaDB's tables"
	DROP DATABASE IF EXISTS shop; DROP USER IF EXISTS carrel@'%'; CREATE DATABASE shop CHARACTER SET utf8mb4; USE shop;
	CREATE TABLE orders_all(id int PRIMARY KEY, tenant varchar(100) NOT NULL, customer varchar(200) NOT NULL, amount decimal(10,2) NOT NULL);
	INSERT INTO orders_all SELECT seq, ELT(1 + seq % 3, 'acme', 'globex', 'demo'), CONCAT('CANARY-', ELT(1 + seq % 3, 'acme', 'globex', 'demo'), '-', seq), seq FROM seq_1_to_300;
	CREATE USER carrel@'%' IDENTIFIED BY 'mine';
END
mkdir "$work/receiver" && touch "$work/receiver/spans.jsonl"
AS=exec outside "$node" tests/soak/walk.mjs provider "$work/tls" >"$work/provider" 2>&1 &
pids+=($!)
AS=exec outside "$node" tests/support/otlp_receiver.mjs "$work/receiver" 4318 "$work/tls/collector.example.org.key" "$work/tls/collector.example.org.pem" 127.0.0.3 \
	>"$work/collector" 2>&1 &
pids+=($!)

# --- docs/operations.md: the package, the proxy
stage "the package is installed and runs"
inside dpkg -i /root/carrel.deb >"$work/dpkg" 2>&1 || fail "$(tail -n 5 "$work/dpkg")"
eventually carrel status || fail "it does not run: $(inside journalctl -u carrel -n 20)"

stage "nginx with TLS, over a Unix socket"
inside mkdir -p /etc/ssl/carrel /etc/systemd/system/carrel.socket.d
cat "$work/tls/carrel.example.org.pem" "$work/tls/ca.pem" >"$root/etc/ssl/carrel/fullchain.pem"
cp "$work/tls/carrel.example.org.key" "$root/etc/ssl/carrel/privkey.pem"
# The company's other hosts are addresses of this machine, too.
sed 's|server 127.0.0.1:7878;|server unix:/run/carrel-proxy/http.sock;|; s/listen \(443\|80\)/listen 127.0.0.1:\1/; /listen \[::\]/d' "$root/usr/share/doc/carrel/examples/carrel.conf" \
	>"$root/etc/nginx/conf.d/carrel.conf" 2>/dev/null || fail "the package has no example for nginx: $(ls "$root/usr/share/doc/carrel/examples")"
rm -f "$root/etc/nginx/sites-enabled/default"
block operations.md ListenStream=/run/carrel-proxy | sed -n '/^\t*\[Socket\]/,$s/^\t*//p' >"$root/etc/systemd/system/carrel.socket.d/override.conf"
inside bash -c 'systemctl daemon-reload; systemctl stop carrel.service; systemctl restart carrel.socket; systemctl start carrel.service; nginx -t && systemctl restart nginx' \
	>"$work/nginx" 2>&1 || fail "$(cat "$work/nginx")"

# --- docs/identity.md, mysql.md, reaching.md: the databases
stage "row security in PostgreSQL and MariaDB"
block identity.md 'CREATE ROLE carrel' "'…'" "'mine'" | postgres shop || fail "docs/identity.md, PostgreSQL"
block identity.md 'CREATE FUNCTION shop.app_tenant' | inside mariadb || fail "docs/identity.md, MariaDB"

stage "a database behind SSH, a password by a command"
inside bash -c 'id tunnel >/dev/null 2>&1 || useradd -m -s /usr/sbin/nologin tunnel; install -d -o carrel -m 0700 /etc/carrel; rm -f /etc/carrel/bastion*
	runuser -u carrel -- ssh-keygen -q -t ed25519 -N "" -f /etc/carrel/bastion_ed25519
	runuser -u carrel -- ssh-keyscan bastion.example.org 2>/dev/null | runuser -u carrel -- tee /etc/carrel/bastion_known_hosts >/dev/null' || fail "the key"
inside install -D -o tunnel -m 0600 /dev/stdin /home/tunnel/.ssh/authorized_keys < <(block reaching.md restrict, 'ssh-ed25519 AAAA… carrel' \
	"$(inside cut -d' ' -f1,2 /etc/carrel/bastion_ed25519.pub) carrel")
inside chown tunnel: /home/tunnel/.ssh
install_secret /etc/carrel/db-ca.pem <"$work/tls/ca.pem"
inside install -m 0755 /dev/stdin /usr/bin/aws <<-'END'
	#!/bin/sh
	echo 'a token of fifteen minutes'
END

# --- docs/sign-in.md, tokens.md, telemetry.md, tools.md: the configuration is these blocks, one below the other
stage "sign-in, tokens of another issuer, telemetry, tools"
mkdir "$work/blocks"
n=0
part() { block "$@" >"$work/blocks/$((n += 1)).yaml"; }
part operations.md 'public_url:'
part sign-in.md 'oidc:'
part tokens.md 'issuers:'
part identity.md 'role: "{claims.db_role}"'
part identity.md 'driver: mysql'
part reaching.md 'known_hosts: file:'
part telemetry.md 'otlp:' 'sample: 0.2' 'sample: 1'
part tools.md 'name: revenue_by_region'
{ printf 'connections:\n  warehouse:\n'; block reaching.md generate-db-auth-token; } >"$work/blocks/$((n += 1)).yaml"
# What the documents leave to the reader: results as files, a tool over the rows of the persons.
cat >"$work/blocks/$((n += 1)).yaml" <<-'END'
	limits: {export_rows: 10000}
	tools:
	  - {name: orders_of_shop, description: Orders of a customer, connection: shop, sql: "SELECT customer FROM orders WHERE customer = :customer",
	     parameters: {customer: {type: string, description: Who, values: {dimension: orders.customer}}}}
	  - {name: orders_of_orders, description: Orders of a customer, connection: orders, sql: "SELECT customer FROM my_orders WHERE customer = :customer",
	     parameters: {customer: {type: string, description: Who, values: {dimension: my_orders.customer}}}}
END
printf 'a secret of the provider\n' | install_secret /etc/carrel/oidc.secret
printf 'x-team=shop floor' | install_secret /etc/carrel/otlp-headers
install_secret /etc/carrel/collector-ca.pem <"$work/tls/ca.pem"
inside mkdir -p /etc/systemd/system/carrel.service.d
cat >"$root/etc/systemd/system/carrel.service.d/override.conf" <<-'END'
	[Service]
	EnvironmentFile=/etc/carrel/environment
END
inside install -D -m 0600 /dev/stdin /etc/carrel/environment <<-'END'
	SHOP_URL=postgres://carrel:mine@127.0.0.1/shop
	ORDERS_URL=mysql://carrel:mine@127.0.0.1/shop
END
mapfile -t blocks < <(ls -v "$work"/blocks/*.yaml)
"$node" tests/soak/walk.mjs merge "$root/var/lib/carrel/carrel.yaml" "${blocks[@]}" >"$work/carrel.yaml" || fail "the documents' blocks do not go together"
inside install -o carrel -g carrel -m 0600 /dev/stdin /var/lib/carrel/carrel.yaml <"$work/carrel.yaml"
inside bash -c 'systemctl daemon-reload; systemctl restart carrel.service' || fail "$(inside journalctl -u carrel -n 20 --no-pager)"
eventually carrel status || fail "it does not run: $(inside journalctl -u carrel -n 20 --no-pager)"
eventually outside curl -sf --cacert "$work/tls/ca.pem" https://carrel.example.org/health || fail "nginx does not serve: $(inside journalctl -u nginx -u carrel -n 20 --no-pager)"
for connection in shop orders warehouse; do
	carrel connection test "$connection" --json >"$work/test" 2>&1 || fail "connection test $connection: $(cat "$work/test")"
	! grep -q '"weakened":"' "$work/test" || fail "what the documents make is weak: $(cat "$work/test")"
done
carrel doctor >"$work/doctor" 2>&1 || { cat "$work/doctor"; fail "doctor"; }

stage "scans, measures, a dataset, tokens"
for connection in shop orders warehouse; do carrel scan "$connection" --deep >"$work/scan" 2>&1 || fail "scan $connection: $(cat "$work/scan")"; done
carrel sl new orders -c shop >/dev/null && carrel sl new my_orders -c orders >/dev/null || fail "no measures"
dataset=$(carrel dataset publish shop orders --name orders --json 2>/dev/null | sed -n 's/.*"id":"\([^"]*\)".*/\1/p')
carrel connectivity enable >/dev/null || fail "no tokens"
secret() { carrel token create --json "$@" | sed -n 's/.*"secret":"\([^"]*\)".*/\1/p'; }
as() { secret --label "$1" --scopes ext:datasets,ext:schema,ext:sql --claim "user.name=$1" --claim "tenant=$1" --claim "db_role=analyst_$2"; }
printf '{"identities":[{"id":"shop","table":"orders"},{"id":"orders","table":"my_orders"}],"dataset":"%s","acme":"%s","globex":"%s","tool":"%s"}' \
	"$dataset" "$(as acme eu)" "$(as globex us)" "$(secret --label three --scopes tools:revenue_by_region,ext:tools)" >"$work/tokens.json"

stage "persons sign in and ask"
outside "$node" tests/soak/walk.mjs persons "$work" "$tree/tests/package/root.sh" run "$root" carrel >"$work/persons" 2>&1
status=$?
cat "$work/persons"

stage "what the collector has, what the audit says"
sleep 12
[ ! -s "$work/receiver/faults" ] || fail "the receiver: $(cat "$work/receiver/faults")"
[ "$(wc -l <"$work/receiver/spans.jsonl")" -gt 50 ] || fail "the collector has few spans: $(carrel status)"
! grep -aoE 'CANARY[^"]*|SELECT|revenue_months|\b(ada|bob|fay|fin|eve|tom)\b|customer|acme|globex' "$work/receiver/wire" | sort | uniq -c | grep . ||
	fail "the collector was told what it may not know"
carrel audit verify >/dev/null 2>&1 || fail "the audit does not hold"
carrel audit tail -n 1000 --json | grep -qF 'role=\"analyst_eu\" app.user=\"ada\" app.tenant=\"acme\"' || fail "the audit does not say as whom ada's statements ran"
carrel doctor >"$work/doctor" 2>&1 || { cat "$work/doctor"; fail "doctor, in the end"; }
stage
[ "$status" = 0 ] || fail "persons"
echo "configured from the documents; each person sees its own rows, the collector nobody's"
