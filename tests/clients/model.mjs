// model - a played language model on loopback, for agents that ask one before they do anything: it asks for one call of
// a tool, and says what came of it.  It speaks the three forms that the agents of npm speak: Anthropic's messages,
// OpenAI's responses and chat completions.
import http from "node:http";

const ANSWERED = "The tool said: ";

// The tool that is meant, by whatever name the agent has for it.
const named = (names, tool) => names.find((name) => name === tool || name.endsWith(`_${tool}`) || name.endsWith(`.${tool}`));

const textOf = (content) => typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("");

function events(response, list) {
	response.writeHead(200, { "Content-Type": "text/event-stream" });
	for (const [event, data] of list)
		response.write(`${event ? `event: ${event}\n` : ""}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
	response.end();
}

// Each form: what tools the agent has, what a tool said last, and how a text and a call are answered.
const forms = {
	"/v1/messages": {
		tools: ({ tools = [] }) => tools.map(({ name }) => ({ name })),
		said: ({ messages }) => messages.flatMap(({ content }) => Array.isArray(content) ? content : [])
			.filter(({ type }) => type === "tool_result").map(({ content }) => textOf(content)),
		answer(response, { stream, model }, text, call) {
			const block = call ? { type: "tool_use", id: "toolu_1", name: call.name, input: call.args } : { type: "text", text };
			const message = { id: "msg_1", type: "message", role: "assistant", model, content: [block],
				stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } };
			if (!stream) return response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(message));
			events(response, [
				{ type: "message_start", message: { ...message, content: [], stop_reason: null } },
				{ type: "content_block_start", index: 0, content_block: call ? { ...block, input: {} } : { type: "text", text: "" } },
				{ type: "content_block_delta", index: 0,
					delta: call ? { type: "input_json_delta", partial_json: JSON.stringify(call.args) } : { type: "text_delta", text } },
				{ type: "content_block_stop", index: 0 },
				{ type: "message_delta", delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } },
				{ type: "message_stop" },
			].map((event) => [event.type, event]));
		},
	},
	"/v1/responses": {
		// A server's tools may stand in a namespace of their own.
		tools: ({ tools = [] }) => tools.flatMap((tool) => tool.tools ? tool.tools.map(({ name }) => ({ name, namespace: tool.name })) : [{ name: tool.name ?? "" }]),
		said: ({ input }) => (Array.isArray(input) ? input : []).filter(({ type }) => type === "function_call_output").map(({ output }) => textOf(output)),
		answer(response, { model }, text, call) {
			const item = call ? { type: "function_call", id: "fc_1", call_id: "call_1", name: call.name, arguments: JSON.stringify(call.args),
				...(call.namespace && { namespace: call.namespace }), status: "completed" } :
				{ type: "message", id: "msg_1", role: "assistant", status: "completed", content: [{ type: "output_text", text, annotations: [] }] };
			const whole = { id: "resp_1", object: "response", model, status: "completed", output: [item],
				usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2, input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } } };
			events(response, [
				{ type: "response.created", response: { ...whole, status: "in_progress", output: [] } },
				{ type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress" } },
				{ type: "response.output_item.done", output_index: 0, item },
				{ type: "response.completed", response: whole },
			].map((event) => [event.type, event]));
		},
	},
	"/v1/chat/completions": {
		tools: ({ tools = [] }) => tools.map((tool) => ({ name: tool.function.name })),
		said: ({ messages }) => messages.filter(({ role }) => role === "tool").map(({ content }) => textOf(content)),
		answer(response, { model }, text, call) {
			const piece = (delta, finish_reason = null) => ["", { id: "chat_1", object: "chat.completion.chunk", created: 1, model,
				choices: [{ index: 0, delta, finish_reason }] }];
			events(response, [
				piece(call ? { role: "assistant", tool_calls: [{ index: 0, id: "call_1", type: "function",
					function: { name: call.name, arguments: JSON.stringify(call.args) } }] } : { role: "assistant", content: text }),
				piece({}, call ? "tool_calls" : "stop"),
				["", "[DONE]"],
			]);
		},
	},
};

// A model that wants this tool called with these arguments, once.  said: what tools answered, as the agents passed it on.
export async function playModel(tool, args) {
	const played = { said: [], asked: [], refused: [] };
	const server = http.createServer(async (request, response) => {
		const { pathname } = new URL(request.url, "http://localhost");
		const form = forms[pathname];
		let body = "";
		for await (const piece of request.setEncoding("utf8")) body += piece;
		if (!form || request.method !== "POST") {
			played.refused.push(`${request.method} ${request.url}`);
			return response.writeHead(404, { "Content-Type": "application/json" }).end('{"error":{"type":"not_found_error","message":"not here"}}');
		}
		const asked = JSON.parse(body), tools = form.tools(asked), said = form.said(asked);
		played.asked.push(tools.map(({ name }) => name));
		played.said.push(...said);
		const name = named(tools.map((one) => one.name), tool);
		const call = said.length === 0 && name && { ...tools.find((one) => one.name === name), args };
		form.answer(response, asked, said.length ? ANSWERED + said.at(-1) : "No such tool is here.", call || null);
	});
	await new Promise((done) => server.listen(0, "127.0.0.1", done));
	return Object.assign(played, { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() });
}
