// chromium - a headless Chromium that is told what a person would do, over its DevTools protocol.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const program = ["chromium", "chromium-browser", "google-chrome"].find((name) => {
	try {
		execFileSync("which", [name], { stdio: "ignore" });
		return true;
	} catch {
		return false;
	}
});

// Why there is no browser here; false: there is one.
export const noChromium = program === undefined && "no Chromium here (apt-get install chromium)";

const PATIENCE = 20000;

async function until(what, condition) {
	for (const end = Date.now() + PATIENCE; Date.now() < end; await sleep(50)) {
		const value = await condition();
		if (value) return value;
	}
	throw new Error(`the page has not come so far: ${what}`);
}

// Where its DevTools are, which it says when it has begun.
function listening(child) {
	return new Promise((done, fail) => {
		let said = "";
		child.stderr.setEncoding("utf8").on("data", (text) => {
			said += text;
			const found = /DevTools listening on (ws:\S+)/.exec(said);
			if (found) done(found[1]);
		});
		child.on("exit", () => fail(new Error(`Chromium ended: ${said.slice(-500)}`)));
	});
}

async function connect(url) {
	const socket = new WebSocket(url);
	const waiting = new Map(), heard = [];
	let last = 0;
	await new Promise((done, fail) => {
		socket.onopen = done;
		socket.onerror = () => fail(new Error("no DevTools"));
	});
	socket.onmessage = ({ data }) => {
		const message = JSON.parse(data);
		if (message.id === undefined) heard.push(message);
		else {
			const { done, fail } = waiting.get(message.id);
			waiting.delete(message.id);
			message.error ? fail(new Error(message.error.message)) : done(message.result);
		}
	};
	const say = (method, params = {}, sessionId = undefined) => new Promise((done, fail) => {
		waiting.set(++last, { done, fail });
		socket.send(JSON.stringify({ id: last, method, params, sessionId }));
	});
	return { say, heard, close: () => socket.close() };
}

// A page: what is on it, and what a person does there.
class Page {
	constructor(devtools, session) {
		Object.assign(this, { devtools, session });
	}
	say(method, params) {
		return this.devtools.say(method, params, this.session);
	}
	async run(expression) {
		const { result, exceptionDetails } = await this.say("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
		if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
		return result.value;
	}
	// A page that is on its way has no value yet.
	look(expression) {
		return this.run(expression).catch(() => undefined);
	}
	async open(url) {
		await this.say("Page.navigate", { url: String(url) });
	}
	url() {
		return this.look("location.href");
	}
	text() {
		return this.look("document.body.innerText");
	}
	has(selector) {
		return until(selector, () => this.look(`document.readyState === "complete" && document.querySelector(${JSON.stringify(selector)}) !== null`));
	}
	async fill(selector, value) {
		await this.has(selector);
		await this.run(`document.querySelector(${JSON.stringify(selector)}).focus()`);
		await this.run(`document.querySelector(${JSON.stringify(selector)}).select()`);
		await this.say("Input.insertText", { text: value });
	}
	// With the mouse, where the element is; again while the element has not heard it: a page that was not drawn yet drops it.
	async click(selector) {
		await this.has(selector);
		await until(`a click on ${selector}`, async () => {
			const { x, y } = await this.run(`{ const e = document.querySelector(${JSON.stringify(selector)}); e.scrollIntoView({ block: "center" });
				globalThis.heardClick = false;
				e.addEventListener("click", () => { globalThis.heardClick = true; }, { capture: true, once: true });
				const r = e.getBoundingClientRect(); ({ x: r.x + r.width / 2, y: r.y + r.height / 2 }) }`);
			for (const type of ["mousePressed", "mouseReleased"])
				await this.say("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
			return await this.look("globalThis.heardClick") !== false;
		});
	}
	async press(key, code = key, text = undefined) {
		for (const type of ["keyDown", "keyUp"])
			await this.say("Input.dispatchKeyEvent", { type, key, code, text: type === "keyDown" ? text : undefined,
				windowsVirtualKeyCode: { Tab: 9, Enter: 13, " ": 32 }[key] });
	}
	// What the browser complained about: violations of a policy, failed loads.
	complaints() {
		return this.devtools.heard.filter(({ method, sessionId }) => method === "Log.entryAdded" && sessionId === this.session)
			.map(({ params }) => `${params.entry.level}: ${params.entry.text}`);
	}
}

// Ends the group of a process and removes its directory when its input ends: with close(), or with us, however we end.
function keep(group, directory) {
	const script = 'read -r _; kill -KILL -- "-$1"; while kill -0 -- "-$1"; do sleep 0.05; done; rm -rf "$2"';
	const keeper = spawn("bash", ["-c", script, "keep", group, directory], { stdio: ["pipe", "ignore", "ignore"], detached: true });
	keeper.unref();
	keeper.stdin.unref();
	return keeper;
}

export async function openChromium(...options) {
	const profile = mkdtempSync(join(tmpdir(), "carrel-chromium-"));
	const child = spawn(program, ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
		"--disable-dev-shm-usage", "--disable-background-networking", "--remote-debugging-port=0", `--user-data-dir=${profile}`,
		...options, "about:blank"], { stdio: ["ignore", "ignore", "pipe"], detached: true });
	const keeper = keep(child.pid, profile);
	const devtools = await connect(await listening(child));
	const newPage = async (context) => {
		const { targetId } = await devtools.say("Target.createTarget", { url: "about:blank", ...context });
		const { sessionId } = await devtools.say("Target.attachToTarget", { targetId, flatten: true });
		const page = new Page(devtools, sessionId);
		for (const domain of ["Page", "Runtime", "Log", "Accessibility"]) await page.say(`${domain}.enable`);
		return page;
	};
	return {
		// A page with no cookies of any other.
		fresh: async () => newPage(await devtools.say("Target.createBrowserContext").then(({ browserContextId }) => ({ browserContextId }))),
		close: async () => {
			devtools.close();
			const gone = new Promise((done) => keeper.once("exit", done));
			keeper.ref();
			keeper.stdin.end();
			await gone;
		},
	};
}
