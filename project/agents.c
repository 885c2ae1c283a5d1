/* agents.c - see agents.h: the table of clients, and their configuration entries. */
#include <string.h>

#include "base/json/json_put.h"
#include "base/json/json_write.h"
#include "project/agents.h"
#include "project/format/toml_edit.h"

#define VARIABLE	"CARREL_MCP_TOKEN"

#define BEARER_SHELL	"Bearer ${" VARIABLE "}"
#define BEARER_ENV	"Bearer ${env:" VARIABLE "}"
#define BEARER_BRACES	"Bearer {env:" VARIABLE "}"

/* Ends with a NULL name. */
static const struct agent_target agent_targets[] = {
	{
		.name = "claude-code", .label = "Claude Code", .dress = SKILL_MD, .form = FORM_TYPED,
		.member = "mcpServers", .bearer = BEARER_SHELL,
		.next = "start Claude Code in that directory and allow the server when asked; where it runs already, "
		    "restart it or run /mcp",
		.places = {
			[AGENT_GLOBAL] = { "~/.claude.json", "~/.claude/skills/%s/SKILL.md", true, NULL },
			[AGENT_LOCAL] = { "~/.claude.json", ".claude/skills/%s/SKILL.md", true, NULL },
			[AGENT_PROJECT] = { ".mcp.json", ".claude/skills/%s/SKILL.md", true, NULL },
		},
	},
	{
		.name = "cursor", .label = "Cursor", .dress = SKILL_CURSOR, .form = FORM_PLAIN, .comments = true,
		.member = "mcpServers", .bearer = BEARER_ENV,
		.next = "open Cursor's settings, Tools & MCP, and switch the server on",
		.places = {
			[AGENT_GLOBAL] = { "~/.cursor/mcp.json", NULL, true, NULL },
			[AGENT_PROJECT] = { ".cursor/mcp.json", ".cursor/rules/%s.mdc", true, NULL },
		},
	},
	{
		.name = "claude-desktop", .label = "Claude Desktop", .bundle = true, .form = FORM_PLAIN,
		.next = "in Claude Desktop open Customize, Plugins, upload the file, and restart",
		.places = { [AGENT_GLOBAL] = { NULL, NULL, true, NULL } },
	},
	{
		.name = "codex", .label = "Codex", .dress = SKILL_MD, .form = FORM_TOML, .member = "mcp_servers",
		.bearer = VARIABLE, .global = true,
		.next = "restart Codex; what a project's .codex says, it takes in projects that you trust",
		.places = {
			[AGENT_GLOBAL] = { "$CODEX_HOME/config.toml", "$CODEX_HOME/skills/%s/SKILL.md", true, NULL },
			[AGENT_PROJECT] = { ".codex/config.toml", ".agents/skills/%s/SKILL.md", true, NULL },
		},
	},
	{
		.name = "opencode", .label = "opencode", .dress = SKILL_COMMAND, .form = FORM_OPENCODE,
		.comments = true, .member = "mcp", .bearer = BEARER_BRACES,
		.next = "restart opencode; `opencode mcp list` shows the server",
		.places = {
			[AGENT_GLOBAL] = { "$XDG_CONFIG_HOME/opencode/opencode.json", NULL, true,
			    "$XDG_CONFIG_HOME/opencode/opencode.jsonc" },
			[AGENT_PROJECT] = { "opencode.json", ".opencode/commands/%s.md", true, "opencode.jsonc" },
		},
	},
	{
		.name = "vscode", .label = "VS Code", .form = FORM_TYPED, .comments = true,
		.member = "servers", .bearer = BEARER_ENV,
		.next = "open the directory in VS Code, start the server from .vscode/mcp.json or `MCP: List Servers`, "
		    "and use agent mode",
		.places = {
			[AGENT_GLOBAL] = { "$XDG_CONFIG_HOME/Code/User/mcp.json", NULL, true, NULL },
			[AGENT_PROJECT] = { ".vscode/mcp.json", NULL, true, NULL },
		},
	},
	{
		.name = "gemini", .label = "Gemini CLI", .form = FORM_GEMINI, .comments = true,
		.member = "mcpServers", .bearer = BEARER_SHELL,
		.next = "restart Gemini CLI and run /mcp in it",
		.places = {
			[AGENT_GLOBAL] = { "~/.gemini/settings.json", NULL, true, NULL },
			[AGENT_PROJECT] = { ".gemini/settings.json", NULL, true, NULL },
		},
	},
	{
		.name = "windsurf", .label = "Windsurf", .form = FORM_WINDSURF, .global = true,
		.member = "mcpServers", .bearer = BEARER_ENV,
		.next = "open the MCP servers of the Cascade panel and refresh",
		.places = { [AGENT_GLOBAL] = { "~/.codeium/windsurf/mcp_config.json", NULL, true, NULL } },
	},
	{
		.name = "zed", .label = "Zed", .form = FORM_PLAIN, .comments = true, .global = true,
		.member = "context_servers",
		.next = "Zed takes it at once; the agent panel's settings show the server",
		.places = {
			[AGENT_GLOBAL] = { "$XDG_CONFIG_HOME/zed/settings.json", NULL, true, NULL },
			[AGENT_PROJECT] = { ".zed/settings.json", NULL, true, NULL },
		},
	},
	{
		.name = "universal", .label = "any agent", .dress = SKILL_MD,
		.next = "point the agent at the URL",
		.places = { [AGENT_PROJECT] = { NULL, ".agents/skills/%s/SKILL.md", true, NULL } },
	},
	{ .name = NULL }
};

static const char *const scope_names[AGENT_NSCOPES] = { "global", "local", "project" };

const char *
agent_scope_name(enum agent_scope scope)
{
	return scope_names[scope];
}

enum agent_scope
agent_scope(const char *name)
{
	unsigned i = 0;

	while (i < AGENT_NSCOPES && strcmp(scope_names[i], name) != 0)
		i++;
	return (enum agent_scope)i;
}

const struct agent_target *
agent_target(const char *name)
{
	for (const struct agent_target *t = agent_targets; t->name != NULL; t++)
		if (strcmp(t->name, name) == 0)
			return t;
	return NULL;
}

static void
agents_put(struct buf *out, const char *before, const char *text)
{
	buf_str(out, before);
	json_write_string(out, span_str(text));
}

void
agent_target_names(struct buf *out)
{
	for (const struct agent_target *t = agent_targets; t->name != NULL; t++)
		buf_printf(out, "%s%s", t == agent_targets ? "" : t[1].name == NULL ? " or " : ", ", t->name);
}

/* The arguments behind the program. */
static void
put_arguments(const struct agent_server *s, bool token, struct buf *out)
{
	const char *const words[] = { "--project-dir", s->project_dir, "mcp", "stdio", "--token-file", s->token_file };

	for (size_t i = 0; i < (token && s->token_file != NULL ? 6u : 4u); i++)
		json_put_cstr(out, NULL, words[i]);
}

/* JSON's strings are TOML's as well. */
static void
put_toml(const struct agent_target *t, const struct agent_server *s, const char *name, struct buf *out)
{
	buf_printf(out, "[%s.", t->member);
	toml_edit_key(name, out);
	buf_str(out, "]\n");
	if (s->stdio) {
		agents_put(out, "command = ", s->program);
		buf_str(out, "\nargs = [");
		put_arguments(s, true, out);
		json_end_list(out);
	} else {
		agents_put(out, "url = ", s->url);
		if (s->token)
			agents_put(out, "\nbearer_token_env_var = ", t->bearer);
	}
	buf_byte(out, '\n');
}

static void
put_stdio(const struct agent_target *t, const struct agent_server *s, struct buf *out)
{
	if (t->form == FORM_OPENCODE) {
		json_put_cstr(out, "type", "local");
		json_put_list(out, "command");
		json_put_cstr(out, NULL, s->program);
		put_arguments(s, false, out);
		json_end_list(out);
		json_put_bool(out, "enabled", true);
		return;
	}
	if (t->form == FORM_TYPED)
		json_put_cstr(out, "type", "stdio");
	json_put_cstr(out, "command", s->program);
	json_put_list(out, "args");
	put_arguments(s, true, out);
	json_end_list(out);
}

void
agent_entry(const struct agent_target *t, const struct agent_server *s, const char *name, struct buf *out)
{
	static const char *const types[] = { [FORM_TYPED] = "http", [FORM_OPENCODE] = "remote" };
	static const char *const urls[] = { [FORM_TYPED] = "url", [FORM_PLAIN] = "url", [FORM_WINDSURF] = "serverUrl",
		[FORM_GEMINI] = "httpUrl", [FORM_OPENCODE] = "url" };

	if (t->form == FORM_TOML) {
		put_toml(t, s, name, out);
		return;
	}
	json_put_object(out, NULL);
	/* A client that cannot refer to a token needs none where it starts the server itself. */
	if (s->stdio || t->bundle || (s->token && t->bearer == NULL)) {
		put_stdio(t, s, out);
		json_end_object(out);
		return;
	}
	if (t->form == FORM_TYPED || t->form == FORM_OPENCODE)
		json_put_cstr(out, "type", types[t->form]);
	json_put_cstr(out, urls[t->form], s->url);
	if (t->form == FORM_OPENCODE)
		json_put_bool(out, "enabled", true);
	if (s->token) {
		json_put_object(out, "headers");
		json_put_cstr(out, "Authorization", t->bearer);
		json_end_object(out);
	}
	json_end_object(out);
}

void
agent_snippet(const struct agent_server *s, struct buf *out)
{
	if (s->stdio)
		buf_printf(out, "%s --project-dir %s mcp stdio\n", s->program, s->project_dir);
	else
		buf_printf(out, "%s\n%s", s->url, s->token ? "Authorization: " BEARER_SHELL "\n" : "");
}
