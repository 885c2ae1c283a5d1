// The official clients, asked in the middle of a call: by requests on the call's
// stream in the older revisions, by input_required in the newest.  Their users
// and models are played here.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { CallToolResultSchema, CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { Client as Client2 } from "@modelcontextprotocol/client";

import { clients, serveFixture, transports, transportsOf } from "./support.mjs";

let fixture;

before(async () => { fixture = await serveFixture(); }, { timeout: 180000 });
after(async () => {
	fixture?.server.kill("SIGTERM");
	await fixture?.ended;
});

const info = { name: "carrel-tests", version: "1" };
const capabilities = { elicitation: {}, sampling: {}, roots: {} };
const asked = [];
const user = async ({ params }) => {
	asked.push("elicitation/create");
	const content = Object.fromEntries(Object.keys(params.requestedSchema.properties).map((name) => [name, name === "ok" ? true : `my ${name}`]));
	return { action: "accept", content };
};
const model = async ({ params }) => {
	asked.push("sampling/createMessage");
	return { role: "assistant", model: "test", content: { type: "text", text: `answer to ${params.messages[0].content.text}` } };
};
const roots = async () => {
	asked.push("roots/list");
	return { roots: [{ uri: "file:///a" }, { uri: "file:///b" }] };
};

function client1() {
	const client = new Client1(info, { capabilities });
	client.setRequestHandler(ElicitRequestSchema, user);
	client.setRequestHandler(CreateMessageRequestSchema, model);
	client.setRequestHandler(ListRootsRequestSchema, roots);
	return { client, call: (name, args) => client.callTool({ name, arguments: args }, CallToolResultSchema) };
}

function client2(mode) {
	const client = new Client2(info, { capabilities, versionNegotiation: { mode } });
	client.setRequestHandler("elicitation/create", user);
	client.setRequestHandler("sampling/createMessage", model);
	client.setRequestHandler("roots/list", roots);
	return { client, call: (name, args) => client.callTool({ name, arguments: args }) };
}

const make = (kind) => kind.name === "1.x" ? client1() : client2(kind.name.includes("pinned") ? { pin: kind.name.split(" ").at(-1) } : kind.name.split(" ").at(-1));

const CALLS = [
	["test_elicitation", { message: "Who?" }, /action=accept, content=\{"username":"my username","email":"my email"\}/, ["elicitation/create"]],
	["test_sampling", { prompt: "2+2" }, /LLM response: answer to 2\+2/, ["sampling/createMessage"]],
	["test_input_required_result_multiple_inputs", {}, /All inputs were received/, ["elicitation/create", "roots/list", "sampling/createMessage"]],
	["test_input_required_result_multi_round", {}, /Both rounds/, ["elicitation/create", "elicitation/create"]],
	["test_input_required_result_request_state", {}, /state-ok/, ["elicitation/create"]],
];

for (const kind of clients)
	for (const transport of transportsOf(kind))
		test(`asked: client ${kind.name} over ${transport}`, { timeout: 120000 }, async () => {
			const { client, call } = make(kind);
			await client.connect(transports[transport](kind, fixture));
			try {
				for (const [name, args, text, questions] of CALLS) {
					asked.length = 0;
					const { content } = await call(name, args);
					assert.match(content[0].text, text, name);
					assert.deepEqual([...asked].sort(), questions, name);
				}
			} finally {
				await client.close();
			}
		});
