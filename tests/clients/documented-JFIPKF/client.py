import json, os, sys, urllib.request

url = os.environ.get("CARREL_URL", "http://127.0.0.1:7878/mcp")
headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
if "CARREL_MCP_TOKEN" in os.environ:
    headers["Authorization"] = "Bearer " + os.environ["CARREL_MCP_TOKEN"]

def send(method, params, number=None):
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        message["id"] = number
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(message).encode(), headers)) as reply:
        if reply.headers.get("Mcp-Session-Id"):
            headers["Mcp-Session-Id"] = reply.headers["Mcp-Session-Id"]
        text = reply.read().decode()
    if number is None:
        return None
    lines = [line[6:] for line in text.splitlines() if line.startswith("data: {")]  # an event stream, or one object
    answer = next(a for a in map(json.loads, lines or [text]) if a.get("id") == number)
    if "error" in answer:
        raise RuntimeError(answer["error"]["message"])
    return answer["result"]

send("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                    "clientInfo": {"name": "my-client", "version": "1.0"}}, 1)
send("notifications/initialized", {})
ontologies = json.loads(send("resources/read", {"uri": "carrel://ontologies"}, 2)["contents"][0]["text"])
answer = send("tools/call", {"name": "ask_question", "arguments": {
    "ontologyId": ontologies[0]["id"], "question": sys.argv[1] if len(sys.argv) > 1 else "how many customers are there?"}},
    3)["structuredContent"]
print(answer["narrative"] if answer["status"] == "answered" else answer)
