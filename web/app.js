// The charts of ask_question, drawn in a frame of the client's: it speaks JSON-RPC with the page around it, fetches
// nothing, and makes elements, never markup, of what the answer holds.
"use strict";

const VERSION = "2026-01-26", SVG = "http://www.w3.org/2000/svg";
const PLOT = 280, MARGIN = 8, LINE = 18, SERIES = 8, SHOWN = 400;
const root = document.documentElement, main = document.querySelector("main");
const pen = document.createElement("canvas").getContext("2d");
let locale, language, charts = null, note = "Waiting for the answer …", last = 0;

// --- elements -------------------------------------------------------------------------------

function add(parent, name, attributes = {}, text = undefined) {
	const svg = name === "svg" || parent.namespaceURI === SVG;
	const e = svg ? document.createElementNS(SVG, name) : document.createElement(name);
	for (const [key, value] of Object.entries(attributes))
		e.setAttribute(key, typeof value === "number" ? value.toFixed(1) : value);
	if (text !== undefined) e.textContent = text;
	return parent.appendChild(e);
}

const isFigure = (v) => typeof v === "number" && Number.isFinite(v) && Math.abs(v) < 1e300;
const textOf = (v) => (typeof v === "string" ? v : v === undefined || v === null ? "" : String(v));
const listOf = (v) => (Array.isArray(v) ? v : []);

// digits: of a figure that a number does not hold; the formatter takes them as they are.
function figure(v, digits) {
	if (!isFigure(v)) return "–";
	if (/^-?\d+(\.\d+)?$/.test(digits)) return new Intl.NumberFormat(language ?? locale, { maximumFractionDigits: 2 }).format(digits);
	if (v !== 0 && Math.abs(v) < 0.01) return v.toPrecision(2);
	if (Math.abs(v) >= 2 ** 53) return v.toExponential(5);
	return v.toLocaleString(language ?? locale, { maximumFractionDigits: 2 });
}

function width(text) {
	pen.font = "12px system-ui, sans-serif";
	return pen.measureText(text).width;
}

const widest = (texts) => texts.reduce((most, text) => Math.max(most, width(text)), 0);

// --- scales ---------------------------------------------------------------------------------

// The scale of counts (whole) begins at zero and has no fractions.
function scale(low, high, from, to, whole) {
	if (whole) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
	if (!(high > low)) {
		const about = Math.abs(low) / 2 || 1;
		[low, high] = [low - about, high + about];
	}
	const rough = Math.max(high / 5 - low / 5, whole ? 1 : 1e-300), power = 10 ** Math.floor(Math.log10(rough));
	const step = power * ([1, 2, 5].find((n) => rough / power <= n) ?? 10);
	const bottom = Math.floor(low / step), top = Math.ceil(high / step);
	const place = (v) => from + (v / step - bottom) / (top - bottom) * (to - from);
	const ticks = [];
	for (let i = bottom; i <= top && ticks.length < 20; i++) ticks.push(i * step);
	return { place, ticks };
}

const extent = (figures) => [Math.min(...figures), Math.max(...figures)];

// --- what a chart holds ---------------------------------------------------------------------

// As it is drawn; null: nothing to see.
function read(chart) {
	const type = chart?.type, data = { type, title: textOf(chart?.title), x: textOf(chart?.xAxisLabel), y: textOf(chart?.yAxisLabel) };
	if (type === "pie") {
		data.labels = listOf(chart.slices).slice(0, SERIES).map((s) => textOf(s?.label));
		data.series = [{ label: "", data: listOf(chart.slices).slice(0, SERIES).map((s) => s?.value), digits: listOf(chart.slices).map((s) => s?.digits) }];
	} else if (type === "scatter") {
		const points = listOf(chart.points).filter((p) => isFigure(p?.x) && isFigure(p?.y));
		data.labels = points.map((p) => textOf(p.label));
		data.across = points.map((p) => p.x);
		data.acrossDigits = points.map((p) => p.xDigits);
		data.series = [{ label: "", data: points.map((p) => p.y), digits: points.map((p) => p.digits) }];
	} else if (type === "bar" || type === "line") {
		data.labels = listOf(chart.categories).map(textOf);
		data.series = listOf(chart.series).slice(0, SERIES).map((s) => ({ label: textOf(s?.label), data: data.labels.map((_, i) => s?.data?.[i]), digits: listOf(s?.digits) }));
		data.lying = type === "bar" && chart.layout === "horizontal";
	} else return null;
	data.figures = data.series.flatMap((s) => s.data.filter(isFigure));
	data.whole = data.figures.every(Number.isInteger);
	return data.figures.length > 0 ? data : null;
}

const figureOf = (series, i) => figure(series.data[i], series.digits?.[i]);

function said(d, s, i) {
	const names = [d.labels[i], d.series.length > 1 ? d.series[s].label : ""].filter((name) => name !== "");
	const own = figureOf(d.series[s], i), value = d.type === "scatter" ? `${figure(d.across[i], d.acrossDigits[i])} / ${own}` : own;
	return names.length > 0 ? `${names.join(", ")}: ${value}` : value;
}

function shape(svg, name, attributes, d, s, i) {
	const e = add(svg, name, attributes);
	add(e, "title", {}, said(d, s, i));
}

// --- drawing --------------------------------------------------------------------------------

function grid(svg, box, up) {
	for (const v of up.ticks) {
		const y = up.place(v);
		add(svg, "path", { d: `M${box.left} ${y}H${box.right}`, class: v === 0 ? "axis" : "grid" });
		add(svg, "text", { x: box.left - 6, y: y + 4, class: "end" }, figure(v));
	}
}

function columns(svg, box, across) {
	const every = Math.ceil((widest(across.ticks.map(figure)) + 8) * across.ticks.length / (box.right - box.left));
	across.ticks.forEach((v, i) => {
		const x = across.place(v);
		add(svg, "path", { d: `M${x} ${box.top}V${box.bottom}`, class: v === 0 ? "axis" : "grid" });
		if (i % every === 0) add(svg, "text", { x, y: box.bottom + 16, class: "mid" }, figure(v));
	});
}

function below(svg, box, labels, first, step) {
	const every = Math.max(1, Math.ceil((widest(labels) + 10) / step));
	for (let i = 0; i < labels.length; i += every) {
		const half = width(labels[i]) / 2 + 2;
		add(svg, "text", { x: Math.min(Math.max(first + step * i, half), box.wide - half), y: box.bottom + 18, class: "mid" }, labels[i]);
	}
}

function upright(svg, box, d) {
	const lines = d.type === "line";
	let [low, high] = extent(d.figures);
	if (!lines || (low <= high / 2 && high >= low / 2)) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
	const up = scale(low, high, box.bottom, box.top, d.whole);
	box.left = MARGIN + widest(up.ticks.map(figure)) + 6;
	grid(svg, box, up);
	const step = (box.right - box.left) / d.labels.length, first = box.left + step / 2;
	d.series.forEach((s, k) => {
		let path = "", drawing = false;
		const wide = step * 0.8 / d.series.length;
		s.data.forEach((v, i) => {
			if (lines && isFigure(v)) path += `${drawing ? "L" : "M"}${(first + step * i).toFixed(1)} ${up.place(v).toFixed(1)}`;
			drawing = isFigure(v);
			if (!drawing || lines) return;
			const y = up.place(v), zero = up.place(0);
			shape(svg, "rect", { x: box.left + step * (i + 0.1) + wide * k, y: Math.min(y, zero), width: Math.max(wide - 1, 0.5),
				height: Math.abs(y - zero), class: `f${k}` }, d, k, i);
		});
		if (!lines) return;
		add(svg, "path", { d: path, class: `path l${k}` });
		s.data.forEach((v, i) => isFigure(v) && shape(svg, "circle",
			{ cx: first + step * i, cy: up.place(v), r: step < 8 ? 1.5 : 3, class: `f${k}` }, d, k, i));
	});
	below(svg, box, d.labels, first, step);
}

function lying(svg, box, d, thick) {
	const [low, high] = extent(d.figures), step = thick * d.series.length + 8;
	box.left = Math.min(MARGIN + widest(d.labels.slice(0, box.shown)) + 8, box.wide / 2);
	box.right -= widest(d.figures.map(figure)) + 8;
	const across = scale(Math.min(low, 0), Math.max(high, 0), box.left, Math.max(box.right, box.left + 40), d.whole), zero = across.place(0);
	columns(svg, box, across);
	d.labels.slice(0, box.shown).forEach((label, i) => {
		const top = box.top + step * i + 4;
		add(svg, "text", { x: box.left - 8, y: top + (step - 8) / 2 + 4, class: "end" }, label);
		d.series.forEach((s, k) => {
			if (!isFigure(s.data[i])) return;
			const x = across.place(s.data[i]);
			shape(svg, "rect", { x: Math.min(x, zero), y: top + thick * k, width: Math.abs(x - zero), height: thick - 1, class: `f${k}` }, d, k, i);
			add(svg, "text", { x: Math.max(x, zero) + 4, y: top + thick * (k + 1) - 4 }, figureOf(s, i));
		});
	});
}

function slices(svg, box, d) {
	const parts = d.series[0].data.map((v) => (isFigure(v) && v > 0 ? v : 0)), sum = parts.reduce((a, b) => a + b, 0);
	const r = Math.min(PLOT, box.wide * 0.45) / 2 - 6, x = MARGIN + r, y = box.top + PLOT / 2;
	let from = 0, at = y - LINE * (parts.length - 1) / 2;
	parts.forEach((v, i) => {
		const part = sum > 0 ? v / sum : 0, to = from + part;
		const edge = (turn) => `${(x + r * Math.sin(2 * Math.PI * turn)).toFixed(2)} ${(y - r * Math.cos(2 * Math.PI * turn)).toFixed(2)}`;
		if (part >= 0.9999) shape(svg, "circle", { cx: x, cy: y, r, class: `f${i}` }, d, 0, i);
		else if (part > 0)
			shape(svg, "path", { d: `M${x} ${y}L${edge(from)}A${r} ${r} 0 ${part > 0.5 ? 1 : 0} 1 ${edge(to)}Z`, class: `f${i}` }, d, 0, i);
		from = to;
		const left = MARGIN + 2 * r + 16;
		add(svg, "rect", { x: left, y: at - 10, width: 11, height: 11, class: `f${i}` });
		add(svg, "text", { x: left + 18, y: at }, `${(part * 100).toLocaleString(language ?? locale, { maximumFractionDigits: 1 })} % ${d.labels[i]}`);
		at += LINE;
	});
}

function points(svg, box, d) {
	const up = scale(...extent(d.figures), box.bottom, box.top, d.whole);
	box.left = MARGIN + widest(up.ticks.map(figure)) + 6;
	box.right -= 20;
	const across = scale(...extent(d.across), box.left, box.right);
	grid(svg, box, up);
	columns(svg, box, across);
	d.across.forEach((v, i) => shape(svg, "circle", { cx: across.place(v), cy: up.place(d.series[0].data[i]), r: 4, class: "f0" }, d, 0, i));
}

// A square and a name a series; where the plot begins below them.
function legend(svg, box, d) {
	let x = MARGIN, y = box.top;
	d.series.forEach((s, k) => {
		const wide = width(s.label) + 32;
		if (x > MARGIN && x + wide > box.wide - MARGIN) [x, y] = [MARGIN, y + LINE];
		add(svg, "rect", { x, y: y - 10, width: 11, height: 11, class: `f${k}` });
		add(svg, "text", { x: x + 16, y }, s.label);
		x += wide;
	});
	box.top = y + LINE;
}

function table(d) {
	const details = add(main, "details"), t = add(details, "table"), head = add(add(t, "thead"), "tr"), body = add(t, "tbody");
	details.insertBefore(document.createElement("summary"), t).textContent = "Figures";
	add(head, "th", { scope: "col" }, d.type === "scatter" ? "" : d.x);
	if (d.across) add(head, "th", { scope: "col" }, d.x);
	for (const s of d.series) add(head, "th", { scope: "col" }, s.label || d.y);
	d.labels.slice(0, SHOWN).forEach((label, i) => {
		const row = add(body, "tr");
		add(row, "td", {}, label);
		if (d.across) add(row, "td", { class: "n" }, figure(d.across[i], d.acrossDigits[i]));
		for (const s of d.series) add(row, "td", { class: "n" }, figureOf(s, i));
	});
	if (d.labels.length > SHOWN) add(details, "p", { class: "soft" }, `… and ${d.labels.length - SHOWN} more`);
}

function draw(d) {
	const wide = Math.max(280, main.clientWidth), thick = d.series.length > 1 ? 12 : 16;
	const box = { wide, right: wide - MARGIN, top: LINE, shown: Math.min(d.labels.length, SHOWN) };
	if (d.title) add(main, "h1", {}, d.title);
	const svg = add(add(main, "figure"), "svg", { role: "img", "aria-label": d.title, width: wide });
	if (d.type !== "pie" && d.y) {
		add(svg, "text", { x: MARGIN, y: box.top - 4 }, d.lying ? d.x : d.y);
		box.top += LINE;
	}
	if (d.series.length > 1) legend(svg, box, d);
	box.bottom = box.top + (d.lying ? (thick * d.series.length + 8) * box.shown : PLOT);
	if (d.type === "pie") slices(svg, box, d);
	else if (d.type === "scatter") points(svg, box, d);
	else if (d.lying) lying(svg, box, d, thick);
	else upright(svg, box, d);
	if (d.type !== "pie" && d.x)
		add(svg, "text", { x: (box.left + box.right) / 2, y: box.bottom + LINE * 2, class: "mid" }, d.lying ? d.y : d.x);
	const high = box.bottom + (d.type === "pie" ? 4 : LINE * 3 - 8);
	svg.setAttribute("height", high.toFixed(0));
	svg.setAttribute("viewBox", `0 0 ${wide} ${high.toFixed(0)}`);
	table(d);
}

function show() {
	main.replaceChildren();
	for (const d of charts ?? []) draw(d);
	if (!charts?.length) add(main, "p", { class: "soft", role: "status" }, note);
}

// --- the page around ------------------------------------------------------------------------

const say = (message) => window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");

function context(c) {
	if (c?.theme === "light" || c?.theme === "dark") {
		root.classList.remove("light", "dark");
		root.classList.add(c.theme);
	}
	for (const [name, value] of Object.entries(c?.styles?.variables ?? {}))
		if (/^--(color-(background|text|border)-primary|color-text-secondary|font-sans)$/.test(name) && typeof value === "string")
			root.style.setProperty(name, value);
	if (typeof c?.locale === "string") {
		try {
			locale = Intl.getCanonicalLocales(c.locale)[0];
		} catch {}
	}
	show();
}

// Charts come in structuredContent, and in a block of text for hosts that pass on only those.
function result(r) {
	let specs = r?.structuredContent?.charts;
	for (const block of specs === undefined ? listOf(r?.content) : []) {
		try {
			const value = JSON.parse(block.text);
			if (value?._type === "chart_specs") specs = value.charts;
		} catch {}
	}
	language = r?.structuredContent?.interpretation?.language;
	charts = listOf(specs).slice(0, SERIES).map(read).filter((d) => d !== null);
	note = r?.isError ? "The question failed." : "This answer has no chart.";
	show();
}

const heard = {
	"ui/notifications/tool-result": result,
	"ui/notifications/tool-cancelled": () => {
		note = "The question was cancelled.";
		show();
	},
	"ui/notifications/host-context-changed": context,
};

window.addEventListener("message", ({ source, data }) => {
	if (source !== window.parent || data?.jsonrpc !== "2.0") return;
	if (data.method === undefined) {
		if (data.id !== 1 || data.result === undefined) return;
		context(data.result.hostContext);
		say({ method: "ui/notifications/initialized", params: {} });
	} else if (data.id === undefined) {
		if (Object.hasOwn(heard, data.method)) heard[data.method](data.params);
	} else if (data.method === "ping" || data.method === "ui/resource-teardown") say({ id: data.id, result: {} });
	else say({ id: data.id, error: { code: -32601, message: "There is no such method." } });
});

new ResizeObserver(() => {
	const { width: wide, height } = root.getBoundingClientRect();
	if (Math.round(wide) !== last) {
		last = Math.round(wide);
		show();
	}
	say({ method: "ui/notifications/size-changed", params: { width: Math.ceil(wide), height: Math.ceil(height) } });
}).observe(root);

show();
say({ id: 1, method: "ui/initialize", params: { protocolVersion: VERSION, appInfo: { name: "carrel-charts", version: "1" },
	appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] } } });
