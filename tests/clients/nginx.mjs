// nginx - a project's daemon behind the packaged server block of nginx, with TLS and a certificate of an authority of our own.
import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { freePort, startDaemon } from "./support.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const program = process.env.NGINX ?? ["/usr/sbin/nginx", "/usr/bin/nginx"].find(existsSync);

// Why there is no nginx here; false: there is one.
export const noNginx = !program && "nginx is not installed (apt-get install nginx-light)";

// A leaf that an authority signed: some clients take no certificate that is its own authority.
export function makeCertificate(dir) {
	const openssl = (...args) => execFileSync("openssl", args, { cwd: dir, stdio: "ignore" });
	writeFileSync(join(dir, "leaf.cnf"), "subjectAltName=DNS:localhost\nextendedKeyUsage=serverAuth\nbasicConstraints=CA:FALSE\n");
	openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=tests", "-keyout", "ca.key", "-out", "ca.pem");
	openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout", "key.pem", "-out", "leaf.csr");
	openssl("x509", "-req", "-days", "2", "-in", "leaf.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "leaf.cnf", "-out", "cert.pem");
}

// packaging/nginx/carrel.conf as it is but for names, ports and places; without the block that redirects from port 80.
function serverBlock(dir, port, to) {
	const change = (text, [from, into]) => {
		if (!text.includes(from)) throw new Error(`packaging/nginx/carrel.conf has no "${from}"`);
		return text.replace(from, into);
	};
	return [
		["server 127.0.0.1:7878;", `server 127.0.0.1:${to};`],
		["listen 443 ssl http2;", `listen 127.0.0.1:${port} ssl http2;`],
		["\tlisten [::]:443 ssl http2;\n", ""],
		["server_name carrel.example.org;", "server_name localhost;"],
		["/etc/ssl/carrel/fullchain.pem", join(dir, "cert.pem")],
		["/etc/ssl/carrel/privkey.pem", join(dir, "key.pem")],
	].reduce(change, readFileSync(join(root, "packaging/nginx/carrel.conf"), "utf8").replace(/\nserver \{\n\tlisten 80;[^]*/, "\n"));
}

// Serve this project behind nginx.  origin: its public URL; ca: a file with who signed the certificate; log(): what nginx
// wrote of requests; stop() ends both.
export async function behindNginx(project) {
	const dir = mkdtempSync(join(tmpdir(), "carrel-nginx-")), port = await freePort(), origin = `https://localhost:${port}`;
	const yaml = join(project, "carrel.yaml"), text = readFileSync(yaml, "utf8");
	const settings = `public_url: "${origin}"\n  trusted_proxies: [127.0.0.1]\n`;
	let server, daemon;
	const stop = async () => {
		server?.kill();
		await daemon?.stop();
		rmSync(dir, { recursive: true, force: true });
	};

	if (/^server:\n/m.test(text)) writeFileSync(yaml, text.replace(/^server:\n/m, `server:\n  ${settings}`));
	else appendFileSync(yaml, `\nserver:\n  ${settings}`);
	try {
		makeCertificate(dir);
		daemon = await startDaemon(project);
		writeFileSync(join(dir, "nginx.conf"), `daemon off; master_process off; pid ${dir}/pid; error_log ${dir}/error.log; events { worker_connections 256; }
http { access_log ${dir}/access.log; client_body_temp_path ${dir}/b; proxy_temp_path ${dir}/p; fastcgi_temp_path ${dir}/f; uwsgi_temp_path ${dir}/u; scgi_temp_path ${dir}/s;
${serverBlock(dir, port, JSON.parse(readFileSync(join(project, ".carrel/mcp.json"))).port)}}
`);
		server = spawn(program, ["-p", dir, "-c", join(dir, "nginx.conf")], { stdio: "ignore" });
		const answers = () => {
			try {
				return execFileSync("curl", ["-s", "-o", "/dev/null", "-w", "%{http_code}", "--cacert", join(dir, "ca.pem"), `${origin}/health`], { encoding: "utf8" }) === "200";
			} catch {
				return false;
			}
		};
		for (let i = 0; !answers(); i++) {
			if (i === 200 || server.exitCode !== null) throw new Error(`nginx does not serve: ${existsSync(join(dir, "error.log")) && readFileSync(join(dir, "error.log"), "utf8")}`);
			await sleep(50);
		}
	} catch (error) {
		await stop();
		throw error;
	}
	return { origin, url: `${origin}/mcp`, ca: join(dir, "ca.pem"), log: () => readFileSync(join(dir, "access.log"), "utf8"), stop };
}
