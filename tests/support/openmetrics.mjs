// Reads an exposition of OpenMetrics 1.0 on standard input and fails at the first line that is not one: the grammar of
// the specification, each family once and together, the suffixes of its type, labels in one order and no line twice,
// buckets that only grow and end with +Inf.
import { readFileSync } from "node:fs";

const text = readFileSync(0, "utf8");
const fail = (line, why) => {
	console.error(`${why}: ${line}`);
	process.exit(1);
};
if (!text.endsWith("\n# EOF\n")) fail(text.slice(-40), "no # EOF at the end");
const lines = text.slice(0, -"# EOF\n".length).split("\n").slice(0, -1);

const name = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const label = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"';
const meta = new RegExp(`^# (HELP|TYPE|UNIT) (${name}) (.*)$`);
const sample = new RegExp(`^(${name})(?:\\{(${label}(?:,${label})*)\\})? (-?[0-9]+(?:\\.[0-9]+)?|\\+Inf|NaN)$`);
const suffixes = {
	counter: ["_total"], gauge: [""], unknown: [""], histogram: ["_bucket", "_sum", "_count"],
};
const seen = new Set(), series = new Set(), buckets = new Map();
let family = null;

for (const line of lines) {
	const m = meta.exec(line);
	if (m) {
		if (!family || family.name !== m[2]) {
			if (seen.has(m[2])) fail(line, "a family in two places");
			seen.add(m[2]);
			family = { name: m[2], said: {}, samples: 0 };
		}
		if (family.samples > 0 || m[1] in family.said) fail(line, "metadata twice, or after its samples");
		family.said[m[1]] = m[3];
		if (m[1] === "TYPE" && !(m[3] in suffixes)) fail(line, "no type");
		if (m[1] === "UNIT" && !m[2].endsWith(`_${m[3]}`)) fail(line, "the name does not end in its unit");
		continue;
	}
	const s = sample.exec(line);
	if (!s) fail(line, "no sample");
	const suffix = family && s[1].startsWith(family.name) ? s[1].slice(family.name.length) : null;
	if (suffix === null || !suffixes[family.said.TYPE]?.includes(suffix))
		fail(line, "not of the family that it follows");
	if (!family.said.HELP) fail(line, "no help");
	family.samples++;
	if (series.has(`${s[1]}{${s[2]}}`)) fail(line, "twice");
	series.add(`${s[1]}{${s[2]}}`);
	if (family.said.TYPE !== "gauge" && Number(s[3]) < 0) fail(line, "less than nothing");
	if (family.said.TYPE !== "histogram") continue;
	const le = /(?:^|,)le="([^"]*)"$/.exec(s[2] ?? "");
	const of = `${family.name} ${(s[2] ?? "").replace(/,?le="[^"]*"$/, "")}`;
	if ((suffix === "_bucket") !== (le !== null)) fail(line, "le is a bucket's");
	const b = buckets.get(of) ?? { bound: -Infinity, n: 0 };
	if (suffix === "_bucket") {
		const bound = le[1] === "+Inf" ? Infinity : Number(le[1]);
		if (!/^([0-9]+\.[0-9]+|\+Inf)$/.test(le[1]) || !(bound > b.bound))
			fail(line, "bounds that do not grow");
		if (Number(s[3]) < b.n) fail(line, "a bucket with less than the one before");
		buckets.set(of, { bound, n: Number(s[3]) });
	} else if (b.bound !== Infinity)
		fail(line, "no bucket +Inf");
	else if (suffix === "_count" && Number(s[3]) !== b.n)
		fail(line, "another count than the bucket +Inf");
}
