// A way to a server of this machine that tests hold up: passes the bytes of each connection on.  Stopped (SIGSTOP), it takes
// connections and bytes, and nothing comes through, as where the network between is cut.
// usage: way.mjs PORT FILE   the server's port is what FILE has when a connection comes
import { readFileSync } from "node:fs";
import net from "node:net";

const [port, file] = process.argv.slice(2);
net.createServer((near) => {
	const far = net.connect(Number(readFileSync(file, "utf8")), "127.0.0.1");
	for (const [from, to] of [[near, far], [far, near]]) {
		from.on("error", () => to.destroy());
		from.on("close", () => to.destroy());
		from.pipe(to, { end: false });
	}
}).listen(Number(port), "127.0.0.1");
