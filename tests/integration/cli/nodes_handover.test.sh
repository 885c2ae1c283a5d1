# Three nodes behind no affinity: what a person does about runs, and scans, is asked of any of them, and done by the one
# that writes the project: once, on record on both, also when its worker or the node dies in between.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

if [ -z "${PG_DIR:-}" ]; then
	exec bash "$SOURCE_DIR/tests/support/pg.sh" run - bash "$0"
fi
pg() { (cd / && "$SOURCE_DIR/tests/support/pg.sh" "$1" "$PG_DIR" "${@:2}"); }
pg psql -c "CREATE ROLE carrel LOGIN PASSWORD 'topsecret'" -c "CREATE DATABASE carrel OWNER carrel"
cd "$scratch" && CARREL_STATE_URL=$(pg dsn carrel topsecret carrel)
export CARREL_STATE_URL HOME=$scratch/home GIT_CONFIG_NOSYSTEM=1
mkdir "$HOME"
"$carrel" init --demo "$scratch/a" >/dev/null
printf 'state: env:CARREL_STATE_URL\nnode: { name: a }\nmemory: { review: required }\noauth: { enabled: true }\n' >>"$scratch/a/carrel.yaml"
g() { git -C "$scratch/$1" -c user.name=U -c user.email=u@example.com "${@:2}"; }
git init -q -b main "$scratch/a" && g a add wiki semantic-layer && g a commit -qm first
for node in b c; do cp -a "$scratch/a" "$scratch/$node" && sed -i "s/name: a/name: $node/" "$scratch/$node/carrel.yaml"; done
on() { # NODE CODE ARGUMENT...
	run "$2" -C "$scratch/$1" "${@:3}"
}
declare -A url id
start() { # NODE
	on "$1" 0 mcp start --port 0
	url[$1]=$(sed -n 's/.*"url":"\([^"]*\)\/mcp".*/\1/p' "$out")
}
household() { # NODE: the processes of its daemon, it included
	local daemon
	daemon=$(sed -E 's/.*"pid": ?([0-9]+).*/\1/' "$scratch/$1/.carrel/mcp.json")
	echo "$daemon" $(pgrep -P "$daemon")
}
memory_of() { pgrep -P "$(household "$1" | cut -d ' ' -f 1)" carrel-memory; }
writer() { on "$1" 0 cluster status && sed -nE 's/.*"name":"([abc])"[^}]*"writes":true.*/\1/p' "$out"; }
keep() { # NODE TEXT: the run's id is in $id
	printf '# %s\n\n%s\n' "$2" "$3" >"$scratch/note.md"
	on "$1" 0 ingest text "$scratch/note.md" && id[$2]=$(grep -oE 'mem-[0-9]{13}-[0-9a-f]{24}' "$out" | head -n 1)
}
post() { # NODE PATH BODY: the answer is in $out
	curl -s -m 60 -b "$scratch/cookies.$1" -c "$scratch/cookies.$1" -H 'Content-Type: application/json' -H "Origin: ${url[$1]}" \
		-H "Carrel-Csrf: $(cat "$scratch/csrf.$1" 2>/dev/null)" "${url[$1]}/admin/api/$2" -d "$3" >"${4:-$out}"
}
enter() { # NODE: sign in on its administration page
	local link
	link=$("$carrel" -C "$scratch/$1" admin --json | grep -oE '#link=[A-Za-z0-9_-]+' | head -n 1)
	post "$1" enter '{"link":"'"${link#\#link=}"'"}'
	grep -oE '"csrf":"[^"]+"' "$out" | cut -d '"' -f 4 >"$scratch/csrf.$1"
}
page() { post "$1" "tools/$2" "$3" "${4:-}"; } # NODE TOOL ARGUMENTS [FILE]
marked() { grep -lF "$1" "$scratch"/*/wiki/global/*.md 2>/dev/null | xargs -r grep -l "^status: $2$" | sed "s|$scratch/||; s|/.*||" | tr '\n' ' '; }

start a
start b
start c
[ "$(writer b)" = a ] || fail "a is not the writer: $(cat "$out")"
keep b Lock 'Remember: the lock gate weighs nine tons.'
keep c Ferry 'Remember: the ferry leaves at seven.'
keep a Quay 'Remember: the quay is closed in winter.'
keep b Crane 'Remember: the crane lifts forty tons.'
for name in Lock Ferry Quay Crane; do [ -n "${id[$name]}" ] || fail "$name is no run"; done

# Each node knows the runs of the one that writes, and what they say.
on b 0 memory log && says "\"node\":\"a\"" && says "${id[Lock]}" && says "${id[Quay]}" && says '"writer":"a"'
on c 0 memory show "${id[Lock]}" && says 'lock gate weighs nine tons' && says '"review":"proposed"'
enter c
page c memory_log '{}' && says "${id[Ferry]}"
page c memory_show '{"runId":"'"${id[Ferry]}"'"}' && says 'ferry leaves at seven'

# Approved on the page of one node, reverted at the command line of another: done by a, once, and on record there and here.
page c memory_approve '{"runId":"'"${id[Lock]}"'"}' && says '"review":"approved"'
[ "$(marked 'lock gate' approved)" = "a " ] || fail "approved at: $(marked 'lock gate' approved)"
[ "$(g a log --format=%s | grep -c '^Approve memory')" = 1 ] || fail "commits: $(g a log --format=%s)"
page c memory_approve '{"runId":"'"${id[Lock]}"'"}' && says 'approved already'
on b 0 memory revert "${id[Ferry]}" && says '"reverted":true'
[ "$(marked 'ferry leaves' proposed)" = "" ] || fail "the ferry is still proposed"
on a 0 audit search --action node.handover && says "memory_approve ${id[Lock]}, asked on c" && says "memory_revert ${id[Ferry]}, asked on b" &&
	says "local:$(id -u)" && says '"surface":"page"'
[ "$(grep -oE "memory_approve ${id[Lock]}" "$out" | wc -l)" = 2 ] || fail "on record more or less than twice, for two that asked: $(cat "$out")"
on c 0 audit search --action mcp.tool.call && says '"target":"memory_approve"'
on b 1 memory approve mem-1764547200000-0123456789abcdef01234567 && complains 'each has the runs that it wrote'

# Two at one time: one does it, the other is told.
enter b
page b memory_approve '{"runId":"'"${id[Quay]}"'"}' "$scratch/one" &
one=$!
page c memory_approve '{"runId":"'"${id[Quay]}"'"}' "$scratch/two"
wait $one
cat "$scratch/one" "$scratch/two" >"$out"
[ "$(grep -c '"review":"approved"' "$out")" = 1 ] && says 'approved already' || fail "of two: $(cat "$out")"
[ "$(g a log --format=%s | grep -c '^Approve memory')" = 2 ] || fail "commits: $(g a log --format=%s)"

# A scan: of the node that writes, with the result that it has there.
before=$(cd "$scratch/b" && find raw-sources -type f | sort | xargs sha256sum)
on b 0 scan && says '"syncId"'
[ "$(cd "$scratch/b" && find raw-sources -type f | sort | xargs sha256sum)" = "$before" ] || fail "b scanned itself"

# A user who signed in on one node's page is known on the other's; who is no administrator any more when the writer comes
# to it gets nothing done.  Here the writer's worker has stopped, and is killed: it is done by the one that follows.
printf 'correct horse battery\n' >"$scratch/password" && chmod 600 "$scratch/password"
on a 0 user add ada --role admin --password-file "$scratch/password"
on a 0 user add root --role admin --password-file "$scratch/password"
rm -f "$scratch"/cookies.? "$scratch"/csrf.?
html() { curl -s -b "$scratch/cookies.c" -c "$scratch/cookies.c" -D "$scratch/head" -H 'Accept: text/html' -H "Origin: ${url[c]}" "${url[c]}/api/oauth/login$@"; }
csrf=$(html '?next=%2Fadmin' | sed -nE 's/.*name="csrf" value="([^"]+)".*/\1/p')
curl -s -o /dev/null -b "$scratch/cookies.c" -c "$scratch/cookies.c" -D "$scratch/head" -H 'Accept: text/html' -H "Origin: ${url[c]}" \
	"${url[c]}/api/oauth/login" --data-urlencode "csrf=$csrf" -d next=/admin -d username=ada --data-urlencode "password=$(cat "$scratch/password")"
sed -nE 's/^[Ll]ocation: .*#key=([A-Za-z0-9_-]+).*/\1/p' "$scratch/head" >"$scratch/csrf.c"
page c memory_show '{"runId":"'"${id[Crane]}"'"}' && says 'crane lifts'
kill -STOP $(memory_of a)
page c memory_approve '{"runId":"'"${id[Crane]}"'"}' "$scratch/one" &
one=$!
"$carrel" --json -C "$scratch/b" memory revert "${id[Quay]}" >"$scratch/two" 2>&1 &
two=$!
waiting() { pg psql -d carrel -Atc 'SELECT count(*) FROM carrel.handover WHERE state = 0'; }
for _ in $(seq 40); do [ "$(waiting)" = 2 ] && break; sleep 0.1; done
on a 0 user set ada --disable
# The store's database role marks them as begun before: carrel-auth records them all the same.
pg psql -d carrel -c 'UPDATE carrel.handover SET begun = 5 WHERE state = 0'
kill -KILL $(memory_of a)
wait $one $two
on a 0 audit search --action node.handover && says "memory_revert ${id[Quay]}, asked on b, taken up again"
finds 'no administrator any more' "$scratch/one" || fail "a user who was disabled: $(cat "$scratch/one")"
finds '"reverted":true' "$scratch/two" || fail "a worker that was killed: $(cat "$scratch/two")"
[ "$(marked 'crane lifts' proposed)" = "a " ] || fail "the crane is approved"
enter b

# The node dies between the asking and the doing: the next one does what is not tied to what a has; what is says so.
kill -STOP $(memory_of a)
on_scan() { "$carrel" --json -C "$scratch/c" scan >"$scratch/scanned" 2>&1; echo $? >"$scratch/scan.code"; }
on_scan &
scan=$!
page b memory_approve '{"runId":"'"${id[Crane]}"'"}' "$scratch/crane" &
crane=$!
sleep 1
kill -KILL $(household a)
wait $scan $crane
[ "$(cat "$scratch/scan.code")" = 0 ] || fail "the scan was lost: $(cat "$scratch/scanned")"
finds 'wrote this run' "$scratch/crane" || finds 'did not begin this within' "$scratch/crane" || fail "no clear answer: $(cat "$scratch/crane")"
now=$(writer b)
[ "$now" = b ] || [ "$now" = c ] || fail "nobody writes: $(cat "$out")"
pg psql -d carrel -Atc "SELECT count(*) FROM carrel.handover WHERE encode(sealed, 'escape') LIKE '%memory%'" >"$scratch/plain"
finds '^0$' "$scratch/plain" || fail "the database can read what is asked: $(cat "$scratch/plain")"
finish
