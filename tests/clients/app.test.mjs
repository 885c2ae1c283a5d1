// The page that draws charts: announced by ask_question, read as a resource, and looked at in a real Chromium, in a frame
// as clients make it. CARREL_SCREENSHOT=FILE keeps the picture that docs/ask.md shows.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { after, before, test } from "node:test";

import { noChromium, openChromium } from "./chromium.mjs";
import { clients, sqliteProject, startDaemon, withClient } from "./support.mjs";

const URI = "ui://carrel/charts.html", TYPE = "text/html;profile=mcp-app";
let project, daemon, html;
const answers = {};

before(async () => {
	project = sqliteProject();
	daemon = await startDaemon(project.dir);
	await withClient(clients.at(-1), "http", { url: daemon.url, dir: project.dir }, async ({ client, call }) => {
		html = (await client.readResource({ uri: URI })).contents[0].text;
		const [{ id: ontologyId }] = JSON.parse((await client.readResource({ uri: "carrel://ontologies" })).contents[0].text);
		for (const question of ["net revenue by sales area in 2025", "net revenue by month in 2025", "net revenue in 2025"])
			answers[question] = await call("ask_question", { ontologyId, question });
	});
}, { timeout: 180000 });
after(async () => {
	await daemon?.stop();
	project?.drop();
});

for (const kind of clients)
	test(`the page of charts: client ${kind.name}`, { timeout: 120000 }, async () => {
		await withClient(kind, "http", { url: daemon.url, dir: project.dir }, async ({ client }) => {
			const { tools } = await client.listTools();
			for (const { name, _meta } of tools)
				assert.deepEqual(_meta, name === "ask_question" ? { ui: { resourceUri: URI } } : undefined, name);
			if (kind.modern) assert.deepEqual(client.getServerCapabilities()?.extensions?.["io.modelcontextprotocol/ui"], {});
			const { contents: [page, ...others] } = await client.readResource({ uri: URI });
			assert.deepEqual([page.uri, page.mimeType, page._meta, others], [URI, TYPE, { ui: { csp: {}, prefersBorder: true } }, []]);
			assert.equal(page.text, html);
			await assert.rejects(client.readResource({ uri: "ui://carrel/other.html" }));
			await assert.rejects(client.readResource({ uri: `${URI}#x` }));
		});
	});

test("the page holds itself to one script and one style, and fetches nothing", () => {
	const digest = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
	const [, script] = /<script>([^]*)<\/script>/.exec(html), [, style] = /<style>([^]*)<\/style>/.exec(html);
	assert.ok(html.includes(`content="default-src 'none'; base-uri 'none'; form-action 'none'; script-src ${digest(script)}; ` +
		`style-src ${digest(style)}"`));
	assert.equal(html.match(/<script/g).length, 1);
	for (const way of [/\bsrc=/, /\bhref=/, /url\(/, /\bimport\b/, /\bfetch\(/, /XMLHttpRequest/, /WebSocket/, /innerHTML/, /\beval\b/, /localStorage/])
		assert.doesNotMatch(html, way);
});

// A page that holds the app in a frame as hosts do, and keeps what it says.
const HOST = (sandbox) => `(() => {
	window.said = [];
	window.app = document.createElement("iframe");
	app.setAttribute("sandbox", ${JSON.stringify(sandbox)});
	app.style = "width: 760px; height: 480px; border: 0";
	window.addEventListener("message", ({ source, data }) => {
		if (source !== app.contentWindow) return;
		said.push(data);
		if (data.method === "ui/initialize")
			tell({ id: data.id, result: { protocolVersion: "2026-01-26", hostInfo: { name: "host", version: "1" }, hostCapabilities: {},
				hostContext: { theme: "light", locale: "en-GB", containerDimensions: { width: 760 } } } });
		if (data.method === "ui/notifications/size-changed") app.style.height = data.params.height + "px";
	});
	window.tell = (message) => app.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
	window.say = (method, params) => tell({ method, params });
	app.srcdoc = ${JSON.stringify(html)};
	document.body.style.margin = "0";
	document.body.append(app);
})()`;

async function until(what, condition) {
	for (const end = Date.now() + 60000; Date.now() < end; await new Promise((done) => setTimeout(done, 50))) {
		const value = await condition();
		if (value) return value;
	}
	assert.fail(`it has not come so far: ${what}`);
}

async function openApp(browser, sandbox) {
	const page = await browser.fresh();
	await page.run(HOST(sandbox));
	await until("initialized", () => page.run(`said.some(({ method }) => method === "ui/notifications/initialized")`));
	return page;
}

const inside = (page, expression) => page.run(`{ const document = app.contentDocument; ${expression} }`);
const texts = (page) => inside(page, `[...document.querySelectorAll("svg text")].map((e) => e.textContent)`);
const shapes = (page, selector) => inside(page, `document.querySelectorAll(${JSON.stringify(selector)}).length`);
// What the browser complained about, and what the script threw; that the frame could leave its sandbox is the test's own doing.
const troubles = (page) => [...page.complaints().filter((text) => !text.includes("can escape its sandboxing")),
	...page.devtools.heard.filter(({ method }) => method === "Runtime.exceptionThrown").map(({ params }) => params.exceptionDetails)];
const show = async (page, result, found) => {
	await page.run(`say("ui/notifications/tool-input", { arguments: {} }); say("ui/notifications/tool-result", ${JSON.stringify(result)})`);
	await until(found, () => inside(page, `document.body.innerText.includes(${JSON.stringify(found)})`));
};
const chart = (spec) => ({ content: [], structuredContent: { charts: [spec] } });

test("the page draws what was answered", { skip: noChromium, timeout: 180000 }, async () => {
	const browser = await openChromium();
	try {
		const page = await openApp(browser, "allow-scripts allow-same-origin");
		assert.deepEqual(await page.run(`said.slice(0, 1).map(({ method, params }) => [method, params.protocolVersion])`), [["ui/initialize", "2026-01-26"]]);
		assert.match(await inside(page, "document.body.innerText"), /Waiting/);

		// Bars: one a category, as high as its figure.
		const bars = answers["net revenue by sales area in 2025"], [spec] = bars.structuredContent.charts;
		await show(page, bars, spec.title);
		const heights = await inside(page, `[...document.querySelectorAll("svg rect")].map((e) => Number(e.getAttribute("height")))`);
		const figures = spec.series[0].data, most = Math.max(...figures);
		assert.equal(heights.length, spec.categories.length);
		heights.forEach((height, i) => assert.ok(Math.abs(height / Math.max(...heights) - figures[i] / most) < 0.01));
		for (const label of spec.categories) assert.ok((await texts(page)).includes(label), label);
		assert.equal(await inside(page, `document.querySelector("svg").getAttribute("aria-label")`), spec.title);

		// The same from the block of text alone.
		await show(page, { content: answers["net revenue by month in 2025"].content }, "Net revenue by month");
		assert.equal(await shapes(page, "svg circle"), 12);
		assert.equal(await shapes(page, "svg path.path"), 1);
		await show(page, answers["net revenue in 2025"], "no chart");

		// Shapes that the demo has no question for.
		await show(page, chart({ type: "pie", title: "Shares", slices: [{ label: "A", value: 3 }, { label: "B", value: 1 }] }), "Shares");
		assert.equal(await shapes(page, "svg path"), 2);
		assert.ok((await texts(page)).includes("75 % A"));
		await show(page, chart({ type: "scatter", title: "Points", points: [{ x: 1, y: 2 }, { x: 2, y: 3, label: "b" }, { x: "3", y: 1 }] }), "Points");
		assert.equal(await shapes(page, "svg circle"), 2);
		await show(page, chart({ type: "bar", layout: "horizontal", title: "Lying", categories: ["a", "b"],
			series: [{ label: "s", data: [1, -2] }, { label: "t", data: [null, 4] }] }), "Lying");
		assert.equal(await shapes(page, "svg g, svg rect"), 3 + 2);

		// Whatever stands in an answer is text.
		const hostile = `<img src=x onerror="parent.hacked=1"><script>parent.hacked=1</script>`;
		await show(page, chart({ type: "bar", title: hostile, categories: [hostile, "javascript:1"], xAxisLabel: hostile,
			series: [{ label: hostile, data: [1, 2] }] }), hostile);
		assert.equal(await shapes(page, "img, script:not(body > script)"), 0);
		assert.equal(await page.run("window.hacked === undefined"), true);

		// Answers that are none leave it alive.
		for (const broken of [null, 1, [], { structuredContent: null }, chart(null), chart({ type: "bar" }), chart({ type: "line", categories: 3, series: "x" }),
			chart({ type: "bar", categories: ["a"], series: [{ data: [1e999] }] }), { content: [{ text: "{" }, null] }])
			await page.run(`say("ui/notifications/tool-result", ${JSON.stringify(broken)})`);
		await page.run(`tell({ id: 7, method: "ping" }); tell({ id: 8, method: "tools/call" }); tell({ id: 9, method: "ui/resource-teardown", params: {} })`);
		await until("answers", () => page.run(`said.filter(({ id }) => id > 6).length === 3`));
		assert.deepEqual(await page.run(`said.filter(({ id }) => id > 6).map(({ id, error }) => [id, error?.code ?? 0])`), [[7, 0], [8, -32601], [9, 0]]);
		await show(page, bars, spec.title);

		// Who is not the page around is not heard.
		await inside(page, `document.defaultView.postMessage({ jsonrpc: "2.0", method: "ui/notifications/tool-cancelled" }, "*")`);
		await page.run(`say("ui/notifications/host-context-changed", { theme: "dark" })`);
		await until("dark", () => inside(page, `document.documentElement.className === "dark"`));
		assert.ok((await texts(page)).includes(spec.categories[0]));
		const paper = await inside(page, `document.defaultView.getComputedStyle(document.body).backgroundColor`);
		assert.equal(paper, "rgb(23, 22, 20)");
		await page.run(`say("ui/notifications/host-context-changed", { theme: "light" })`);
		await until("light", () => inside(page, `document.documentElement.className === "light"`));
		assert.equal(await inside(page, `document.defaultView.getComputedStyle(document.body).backgroundColor`), "rgb(255, 255, 255)");
		await page.run(`say("ui/notifications/tool-cancelled", { reason: "x" })`);
		await show(page, { isError: true, content: [] }, "failed");
		assert.deepEqual(troubles(page), []);
	} finally {
		await browser.close();
	}
});

test("the page is drawn where nothing of its own is allowed, and looks right", { skip: noChromium, timeout: 180000 }, async () => {
	const browser = await openChromium("--force-device-scale-factor=1", "--window-size=800,600");
	try {
		const page = await openApp(browser, "allow-scripts");
		const before = await page.run(`said.length`);
		await page.run(`say("ui/notifications/tool-result", ${JSON.stringify(answers["net revenue by month in 2025"])})`);
		const { height } = await until("size", () => page.run(`said.slice(${before}).findLast(({ method, params }) =>
			method === "ui/notifications/size-changed" && params.height > 200)?.params`));
		assert.ok(height < 700, `${height} high`);
		await page.run(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`);
		const { data } = await page.say("Page.captureScreenshot", { format: "png", clip: { x: 0, y: 0, width: 760, height, scale: 1 } });
		const png = Buffer.from(data, "base64");
		// White alone would be smaller by far.
		assert.ok(png.length > 8000, `${png.length} bytes of picture`);
		if (process.env.CARREL_SCREENSHOT) writeFileSync(process.env.CARREL_SCREENSHOT, png);
		assert.deepEqual(troubles(page), []);
	} finally {
		await browser.close();
	}
});
