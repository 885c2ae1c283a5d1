#!/bin/bash
# The Debian package of 0.1.0, installed in a throw-away root with its own systemd and with all that lasts (users,
# grants, tokens, sessions, streams, notes, an audit), and upgraded with dpkg to the package of the tree that is here,
# while a program calls without a pause and holds a stream.
# usage: upgrade_package.sh [OLD.deb [NEW.deb [ROOT]]]	(as root; left out: both are built; build/deb-root)
set -uo pipefail
cd "$(dirname "$0")/../.."
fail() { echo "FAILED: $*"; exit 1; }
[ "$(id -u)" = 0 ] || { echo "only root can make a root"; exit 77; }
command -v debootstrap >/dev/null || { echo "debootstrap is not installed"; exit 77; }

work=$(mktemp -d) tree=$PWD
old=${1-} new=${2-} root=$(realpath -m "${3:-build/deb-root}")
trap 'tests/package/root.sh stop "$root"; rm -rf "$work"' EXIT
if [ -z "$old" ]; then
	last=$(git log --format=%H -S'VERSION 0.2.0' -- CMakeLists.txt | tail -n 1)^
	mkdir "$work/source"
	git archive "$last" | tar -x -C "$work/source"
	(cd "$work/source" && packaging/deb.sh) >"$work/old.log" 2>&1 || fail "0.1.0: $(tail -n 5 "$work/old.log")"
	old=$(ls "$work"/source/build/deb/carrel_*.deb)
fi
if [ -z "$new" ]; then
	packaging/deb.sh >"$work/new.log" 2>&1 || fail "the package: $(tail -n 5 "$work/new.log")"
	new=$(ls build/deb/carrel_*.deb)
fi
[[ $(dpkg-deb -f "$old" Version) == 0.1.0* ]] || fail "$old is not 0.1.0"
version=$(dpkg-deb -f "$new" Version)

inside() { tests/package/root.sh run "$root" "$@"; }
carrel() { inside runuser -u carrel -- carrel --project-dir /var/lib/carrel "$@"; }
eventually() { for _ in $(seq 300); do "$@" >/dev/null 2>&1 && return; sleep 0.2; done; "$@"; }
# A program of this machine, on the root's loopback.
client() { nsenter -t "$(cat "$root.pid")" -n node "$tree/tests/soak/upgrade.mjs" "$@"; }

tests/package/root.sh make "$root" >"$work/make" 2>&1 || fail "no root: $(tail -n 5 "$work/make")"
tests/package/root.sh boot "$root" || fail "the root does not boot"
cp "$old" "$root/root/old.deb"
cp "$new" "$root/root/new.deb"
mapfile -t needs < <(for deb in "$old" "$new"; do dpkg-deb -f "$deb" Depends Pre-Depends Recommends; done |
	sed 's/^[^:]*://; s/([^)]*)//g; s/|[^,]*//g' | tr ', ' '\n\n' | sort -u | grep .)
chroot "$root" apt-get install -q -y --no-install-recommends "${needs[@]}" >"$work/apt" 2>&1 || fail "$(tail -n 5 "$work/apt")"
inside apt-get purge -q -y carrel >/dev/null 2>&1

# --- 0.1.0, with what people and programs have there
inside dpkg -i /root/old.deb >"$work/dpkg" 2>&1 || fail "0.1.0 does not install: $(cat "$work/dpkg")"
eventually carrel status || fail "0.1.0 does not run"
inside bash -c "runuser -u carrel -- sqlite3 /var/lib/carrel/shop.db 'CREATE TABLE orders (id INTEGER PRIMARY KEY, amount INTEGER); INSERT INTO orders VALUES (1, 40), (2, 2)'"
carrel connection add warehouse --path /var/lib/carrel/shop.db >/dev/null || fail "no connection"
inside bash -c 'printf "oauth: {enabled: true}\n" >>/var/lib/carrel/carrel.yaml && systemctl restart carrel.service'
export ORIGIN=http://127.0.0.1:7878 PASSWORD='correct horse battery staple' STATE=$work/state.json STOP=$work/stop TOKEN
eventually inside curl -sf "$ORIGIN/health" || fail "no health"
inside bash -c "printf '%s\n' '$PASSWORD' | runuser -u carrel -- carrel --project-dir /var/lib/carrel user add ada --role contributor --password-stdin" >/dev/null ||
	fail "no user"
carrel connectivity enable >/dev/null
TOKEN=$(carrel token create --label board --scopes research:read,research:query --expires 30d --json | sed -n 's/.*"secret":"\([^"]*\)".*/\1/p')
[ -n "$TOKEN" ] || fail "no token"
carrel ingest text "A Quillfeather customer is one who has ordered at least nine times." --json >/dev/null || fail "no note"
eventually bash -c "tests/package/root.sh run '$root' runuser -u carrel -- carrel --project-dir /var/lib/carrel discover Quillfeather --json | grep -qi quillfeather"
client before || fail "0.1.0 cannot be prepared"
carrel audit verify --json | grep -q '"ok":true' || fail "the audit of 0.1.0 does not hold"
before=$(carrel audit tail -n 1000 --json | grep -o '"action":' | wc -l)

# --- the new package, while it is used
client during >"$work/during" 2>&1 &
busy=$!
sleep 2
inside dpkg -i /root/new.deb >"$work/dpkg" 2>&1 || fail "the new package does not install: $(cat "$work/dpkg")"
sleep 3
touch "$STOP"
wait "$busy" || fail "while it was upgraded: $(cat "$work/during")"
cat "$work/during"
[[ "carrel ${version%%-*}" == "$(inside carrel --version)" ]] || fail "not upgraded: $(inside carrel --version)"
inside systemctl is-active carrel.service carrel.socket >/dev/null || fail "the units do not run"
carrel status | grep -q 'every process is confined' || fail "not confined: $(carrel status)"
client after || fail "what lasted is not there any more"
carrel audit verify --json | grep -q '"ok":true' || fail "the audit does not hold: $(carrel audit verify --json)"
[ "$(carrel audit tail -n 1000 --json | grep -o '"action":' | wc -l)" -gt "$before" ] || fail "entries of the audit are gone"
carrel discover Quillfeather --json | grep -qi quillfeather || fail "the note is not found"
carrel memory log --json | grep -q run || fail "the note's run is gone"
carrel sql 'SELECT sum(amount) FROM orders' --json | grep -q '\[\[42\]\]' || fail "no statement runs"
carrel user list --json | grep -q '"ada"' || fail "the user is gone"
carrel token list --json | grep -q '"board"' || fail "the token is gone"
carrel doctor --json >"$work/doctor"
! grep -o '"check":"[^"]*","verdict":"wrong"' "$work/doctor" || fail "doctor: $(cat "$work/doctor")"
echo "$(basename "$old") upgraded to $(basename "$new"): users, grants, tokens, sessions, streams, notes and the audit hold"
