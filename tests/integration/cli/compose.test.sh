# packaging/compose: read by a parser of YAML, each name in it is one that there is, and what it starts takes it so.  Docker
# itself is not run.
. "$SOURCE_DIR/tests/integration/cli/lib.sh"

compose=$SOURCE_DIR/packaging/compose
[ -d "$SOURCE_DIR/tests/node_modules/yaml" ] && command -v node >/dev/null || { echo "no parser of YAML"; exit 77; }
cat >"$scratch/check.cjs" <<'END'
const { readFileSync, existsSync } = require("fs"), { join } = require("path"), assert = require("assert");
const YAML = require(join(process.env.SOURCE_DIR, "tests/node_modules/yaml"));
const dir = process.argv[2], all = YAML.parse(readFileSync(join(dir, "compose.yaml"), "utf8"), { merge: true, strict: true, uniqueKeys: true });
const services = Object.entries(all.services);
const known = new Set(["image", "restart", "depends_on", "command", "entrypoint", "secrets", "security_opt", "cap_drop", "healthcheck", "stop_grace_period",
	"environment", "hostname", "volumes", "networks", "ports", "sysctls"]);
assert.deepEqual(services.map(([name]) => name).sort(), ["db1", "db2", "haproxy", "north", "south", "west"]);
const made = readFileSync(join(dir, "compose.yaml"), "utf8").split("\nx-node")[0]; // what the head tells to make
for (const [name, s] of services) {
	for (const key of Object.keys(s)) assert.ok(known.has(key), `${name}.${key}`);
	for (const secret of s.secrets ?? []) assert.ok(secret in all.secrets, `${name}: secret ${secret}`);
	for (const network of Array.isArray(s.networks) ? s.networks : Object.keys(s.networks)) assert.ok(network in all.networks, network);
	for (const other of Array.isArray(s.depends_on) ? s.depends_on : Object.keys(s.depends_on ?? {})) assert.ok(other in all.services, other);
	for (const volume of s.volumes ?? []) {
		const from = volume.split(":")[0];
		if (!from.startsWith("./")) assert.ok(from in all.volumes, `${name}: volume ${from}`);
		else assert.ok(existsSync(join(dir, from)) || made.includes(from.slice(2)), `${name}: ${from} is neither there nor told to be made`);
	}
	if (s.healthcheck) assert.ok(s.healthcheck.test[0] === "CMD" && s.healthcheck.interval);
}
for (const secret of Object.values(all.secrets)) assert.ok(made.includes(secret.file.slice(2)), secret.file);
const nodes = ["north", "south", "west"].map((name) => [name, all.services[name]]);
for (const [name, s] of nodes) {
	assert.equal(s.hostname, name); // the name of the node
	assert.ok(s.volumes[0].startsWith(`./${name}:`));
	assert.ok(s.ports === undefined && s.secrets.includes("state_url"));
}
assert.ok(made.includes(all.services.haproxy.networks.inside.ipv4_address), "HAProxy is not the proxy that is trusted");
console.log(nodes[0][1].command.slice(1).join(" "));
console.log(nodes[0][1].healthcheck.test.slice(2).join(" "));
END
SOURCE_DIR=$SOURCE_DIR node "$scratch/check.cjs" "$compose" >"$out" 2>"$err" || fail "compose.yaml: $(grep -m 3 -E 'Error|rror:' "$err")"
start=$(sed -n 1p "$out") health=$(sed -n 2p "$out")
for script in primary standby; do bash -n "$compose/$script.sh" || fail "$script.sh"; done
# What the head says of carrel.yaml is read, and the command starts a daemon; nothing listens beyond loopback here.
run 0 init "$scratch/p"
sed -n 's/^#\t*#   //p' "$compose/compose.yaml" | grep -v '^state:' >>"$scratch/p/carrel.yaml"
echo "state: file:$scratch/state_url" >>"$scratch/p/carrel.yaml"
echo 'postgres://carrel:x@127.0.0.1:1/carrel' >"$scratch/state_url" && chmod 600 "$scratch/state_url"
(cd "$scratch/p" && exec "$carrel" ${start/0.0.0.0/127.0.0.1} --port 0) >"$scratch/started" 2>&1 &
daemon=$!
trap 'kill $daemon 2>/dev/null; cleanup' EXIT
for _ in $(seq 100); do (cd "$scratch/p" && "$carrel" $health >"$out" 2>&1) && break; sleep 0.1; done
(cd "$scratch/p" && "$carrel" $health >"$out" 2>&1) || fail "not healthy: $(cat "$out" "$scratch/started")"
kill $daemon
# HAProxy takes its configuration with the names of the services.
if haproxy=$(PATH=$PATH:/usr/sbin command -v haproxy); then
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=x -keyout "$scratch/k" -out "$scratch/c" 2>/dev/null
	cat "$scratch/c" "$scratch/k" >"$scratch/carrel.pem"
	sed -e 's/192.0.2.1/localhost/; s/192.0.2.2/localhost/; s/192.0.2.3/localhost/' -e "s|/etc/ssl/carrel|$scratch|" \
		"$SOURCE_DIR/packaging/haproxy/haproxy.cfg" >"$scratch/haproxy.cfg"
	"$haproxy" -c -q -f "$scratch/haproxy.cfg" 2>"$err" || fail "haproxy.cfg: $(cat "$err")"
fi
finish
