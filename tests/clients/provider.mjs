// provider - a real identity provider (oidc-provider) on loopback, and a browser without a screen that signs in there.
// What it answers passes through a hook, so that a test can be the provider that was taken over, or the one between.
import http from "node:http";
import https from "node:https";
import { generateKeyPairSync } from "node:crypto";

import Provider from "oidc-provider";

const jwk = (kid, alg, type, options) => {
	const { privateKey } = generateKeyPairSync(type, options);
	return { key: privateKey, jwk: { ...privateKey.export({ format: "jwk" }), kid, alg, use: "sig" } };
};

// Listens at once; serve() when it is known where the client is.  tls: { key, cert }.  With at, { address, port, issuer },
// it listens there and has that name, whose path is the prefix of all of its own.
export async function listenAsProvider(host = "127.0.0.1", tls = undefined, at = undefined) {
	let answer = (request, response) => response.writeHead(503).end();
	const listener = (request, response) => answer(request, response), server = tls ? https.createServer(tls, listener) : http.createServer(listener);
	await new Promise((done) => server.listen(at?.port ?? 0, at?.address ?? host, done));
	const issuer = at?.issuer ?? `http${tls ? "s" : ""}://${host}:${server.address().port}`;
	const rsa = jwk("rsa", "RS256", "rsa", { modulusLength: 2048 }), ec = jwk("ec", "ES256", "ec", { namedCurve: "P-256" });
	const people = new Map();
	const self = {
		issuer, people, rsa, ec,
		hook: null,	// (path, response text) => another text, or undefined: as it is
		stop: () => { server.closeAllConnections(); server.close(); },
		serve(client, claims = { openid: ["sub"], profile: ["preferred_username"], groups: ["groups"], company: ["tenant", "db_role"] }) {
			const provider = new Provider(issuer, {
				clients: [{ ...client, response_types: ["code"], grant_types: ["authorization_code"] }],
				jwks: { keys: [rsa.jwk, ec.jwk] },
				claims,
				scopes: ["openid", "profile", "email", "groups", "company"],
				conformIdTokenClaims: false,
				pkce: { required: () => true },
				cookies: { keys: ["of a test"] },
				findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...people.get(id) }) }),
				features: { devInteractions: { enabled: true } },
			});
			const real = mounted(provider.callback(), at ? new URL(issuer).pathname : "/");
			answer = (request, response) => self.hook ? altered(self, real, request, response) : real(request, response);
		},
	};
	return self;
}

// Below a path: the provider is told where it is by the URL before it was cut, as Express does.
function mounted(real, prefix) {
	if (prefix === "/") return real;
	return (request, response) => {
		if (!request.url.startsWith(prefix)) return response.writeHead(404).end();
		request.originalUrl = request.url;
		request.url = request.url.slice(prefix.length) || "/";
		return real(request, response);
	};
}

// The real answer, collected and given to the hook.
function altered(self, real, request, response) {
	const path = new URL(request.url, self.issuer).pathname, parts = [];
	const end = response.end.bind(response);
	response.write = (part) => { parts.push(Buffer.from(part)); return true; };
	response.end = (part) => {
		if (response.headersSent) return response;
		if (part) parts.push(Buffer.from(part));
		const text = Buffer.concat(parts), other = self.hook(path, text.toString(), response);
		if (other === null) return response;	// never answered
		response.removeHeader("Content-Length");
		return end(other === undefined ? text : other);
	};
	return real(request, response);
}

// One browser: cookies by host, as browsers have them, and forms.
// Each has an address of its own, given by the header of a trusted proxy: refusals on record are limited by address.
let browsers = 0;
export class Browser {
	jar = new Map();
	address = `203.0.113.${++browsers % 250}`;
	#cookies(host) {
		if (!this.jar.has(host)) this.jar.set(host, new Map());
		return this.jar.get(host);
	}
	// One request; keeps the cookies.
	async ask(url, init = {}) {
		const at = new URL(url), cookies = this.#cookies(at.hostname);
		const response = await fetch(at, { redirect: "manual", ...init,
			headers: { Accept: "text/html", "X-Forwarded-For": this.address, Cookie: [...cookies].map(([k, v]) => `${k}=${v}`).join("; "), ...init.headers } });
		for (const line of response.headers.getSetCookie()) {
			const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
			if (value === "" || /max-age=0/i.test(line)) cookies.delete(name);
			else cookies.set(name, value);
		}
		return { status: response.status, url: at.href, text: await response.text(), headers: response.headers,
			to: response.headers.has("location") ? new URL(response.headers.get("location"), at).href : null };
	}
	// Follow redirects until one leads to a place that until() names, which is not asked.
	async go(url, until = () => false, init = {}) {
		for (let i = 0; i < 20; i++) {
			const page = await this.ask(url, init);
			if (page.to === null || until(page.to)) return page;
			url = page.to;
			init = {};
		}
		throw new Error("redirects without end");
	}
	send(page, fields, until) {
		const text = page.text.slice(0, page.text.indexOf("</form>")), form = /<form[^>]*action="([^"]*)"/.exec(text);
		const hidden = [...text.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([tag]) =>
			[/name="([^"]*)"/.exec(tag)[1], /value="([^"]*)"/.exec(tag)?.[1] ?? ""]);
		return this.go(new URL(form[1].replaceAll("&amp;", "&"), page.url), until, { method: "POST",
			headers: { Origin: new URL(page.url).origin, "Content-Type": "application/x-www-form-urlencoded" },
			body: new URLSearchParams([...hidden, ...fields]) });
	}
	// From the provider's first page to where it sends the browser back to: that URL, not asked yet.
	async pass(url, account, back) {
		const until = (to) => to.startsWith(back);
		let page = await this.go(url, until);
		if (page.to === null && /name="login"/.test(page.text))
			page = await this.send(page, [["login", account], ["password", "any"]], until);
		if (page.to === null)
			page = await this.send(page, [], until);
		if (page.to === null) throw new Error(`the provider stays at ${page.url}: ${page.text.slice(0, 300)}`);
		return page.to;
	}
}
