/* cmd_agents.c - carrel setup-agents: clients connected to this project, and disconnected again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/agents.h"
#include "cli/cmd.h"
#include "cli/daemon.h"
#include "project/describe.h"
#include "project/json_edit.h"

#define HOLE_MAX	4096u
#define NAME	"carrel"

static const char *const skills[] = { "carrel-analytics", "carrel-connectivity" };
#define NSKILLS	(sizeof(skills) / sizeof(skills[0]))

struct setup {
	struct cli		*cli;
	const char		*dir, *backup;
	struct agent_server	 server;
	bool			 running, print;
	struct span		 texts[NSKILLS];	/* the skills as shipped */
	struct agent_manifest	 manifest;
	struct buf		 results, next;		/* JSON members, comma separated */
	size_t			 nresults;
};

/* --- what is said ---------------------------------------------------------------------------- */

/* One thing done, shown at once or kept for --json.  content: what is printed; may be NULL. */
static void
tell(struct setup *s, const struct agent_record *r, const char *action, const struct buf *content)
{
	struct buf *out = &s->results;

	if (!s->cli->json) {
		(void)cli_print("%s (%s): %s %s\n", r->target, r->scope, action, r->path);
		if (content != NULL) {
			(void)cli_write(buf_view(content));
			if (content->len > 0 && content->p[content->len - 1] != '\n')
				(void)cli_print("\n");
		}
		return;
	}
	buf_str(out, s->nresults++ > 0 ? ",{\"target\":" : "{\"target\":");
	json_write_string(out, span_str(r->target));
	buf_str(out, ",\"scope\":");
	json_write_string(out, span_str(r->scope));
	buf_str(out, ",\"action\":");
	json_write_string(out, span_str(action));
	buf_str(out, ",\"path\":");
	json_write_string(out, span_str(r->path));
	if (content != NULL) {
		buf_str(out, ",\"content\":");
		json_write_string(out, buf_view(content));
	}
	buf_byte(out, '}');
}

static void
next_step(struct setup *s, const char *text)
{
	if (!s->cli->json) {
		(void)cli_print("Next: %s\n", text);
		return;
	}
	if (s->next.len > 0)
		buf_byte(&s->next, ',');
	json_write_string(&s->next, span_str(text));
}

/* --- putting in ----------------------------------------------------------------------------------- */

/* Where the entry stands in the target's file. */
static void
entry_path(const struct setup *s, enum agent_scope scope, struct agent_record *r)
{
	r->is_key = true;
	if (scope == AGENT_LOCAL) {
		r->keys[r->nkeys++] = "projects";
		r->keys[r->nkeys++] = s->dir;
	}
	r->keys[r->nkeys++] = "mcpServers";
	r->keys[r->nkeys++] = NAME;
}

/* How many of the keys on the way the file does not have yet. */
static unsigned
missing(struct span text, const struct agent_record *r, bool comments)
{
	struct span value;
	unsigned n = 0;

	for (size_t depth = r->nkeys; depth > 0; depth--)
		if (span_trim(text).len == 0 ||
		    json_edit_get(text, (struct json_edit_path){ depth, r->keys }, comments, &value, NULL) != 1)
			n++;
	return n;
}

/* The object that the entry, and what is made for it, goes into; empty: there is none. */
static struct span
around(struct span text, const struct agent_record *r, bool comments)
{
	struct span value = { NULL, 0 };

	if (r->made >= r->nkeys)
		return span_trim(text);
	(void)json_edit_get(text, (struct json_edit_path){ r->nkeys - r->made, r->keys }, comments, &value, NULL);
	return value;
}

/* Taking out is not always the exact way back: an object without members loses its white space. */
static void
keep_hole(struct setup *s, struct agent_record *r, struct span was, struct span with, bool comments)
{
	struct span hole = around(was, r, comments);
	struct buf back = { 0 };

	if (r->made > 0 && hole.len > 0 && hole.len <= HOLE_MAX &&
	    json_edit_remove(with, (struct json_edit_path){ r->nkeys - r->made + 1, r->keys }, comments, &back, NULL) == 0 &&
	    !span_is(buf_view(&back), was))
		r->hole = arena_cstr(s->cli->arena, hole);
	buf_fini(&back);
}

/* Equal but for white space. */
static bool
same_ink(struct span a, struct span b)
{
	for (;;) {
		while (a.len > 0 && strchr(" \t\r\n", a.p[0]) != NULL)
			a = span_of(a.p + 1, a.len - 1);
		while (b.len > 0 && strchr(" \t\r\n", b.p[0]) != NULL)
			b = span_of(b.p + 1, b.len - 1);
		if (a.len == 0 || b.len == 0)
			return a.len == b.len;
		if (a.p[0] != b.p[0])
			return false;
		a = span_of(a.p + 1, a.len - 1);
		b = span_of(b.p + 1, b.len - 1);
	}
}

static struct span
fill_hole(struct setup *s, const struct agent_record *r, struct span text, bool comments)
{
	struct span now = around(text, r, comments), filled;
	struct buf out = { 0 };

	if (r->hole == NULL || now.len == 0 || !same_ink(now, span_str(r->hole)))
		return text;
	buf_append(&out, text.p, (size_t)(now.p - text.p));
	buf_str(&out, r->hole);
	buf_append(&out, now.p + now.len, text.len - (size_t)(now.p + now.len - text.p));
	filled = arena_span(s->cli->arena, buf_view(&out));
	buf_fini(&out);
	return filled;
}

static int
write_entry(struct setup *s, const struct agent_target *t, struct agent_record *r, const struct buf *entry)
{
	struct buf was = { 0 }, out = { 0 };
	struct err err = { .code = ERR_NONE };
	int existed = agent_read(r->path, &was, &err), code = CLI_OK;

	r->made_file = existed == 0;
	r->made = missing(buf_view(&was), r, t->comments);
	if (existed < 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else if (json_edit_set(buf_view(&was), (struct json_edit_path){ r->nkeys, r->keys }, buf_view(entry), t->comments,
	    &out, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s was left as it is: %s; correct it and try again, or add the entry by hand "
		    "(--print shows it)", r->path, err.message);
	else if (existed == 1 && span_is(buf_view(&was), buf_view(&out)))
		tell(s, r, "unchanged", NULL);
	else if (agent_write(r->path, &was, existed == 1, buf_view(&out), s->backup, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else
		tell(s, r, r->made == 0 ? "replaced the entry in" : "wrote", NULL);
	if (code == CLI_OK) {
		keep_hole(s, r, buf_view(&was), buf_view(&out), t->comments);
		agent_manifest_add(s->cli->arena, &s->manifest, r);
	}
	buf_fini(&was);
	buf_fini(&out);
	return code;
}

static int
put_entry(struct setup *s, const struct agent_target *t, enum agent_scope scope)
{
	struct agent_record r = { .target = t->name, .scope = agent_scope_name(scope) };
	struct buf entry = { 0 };
	struct err err;
	int code = CLI_OK;

	if ((r.path = agent_path(s->cli->arena, t->places[scope].config, s->dir, &err)) == NULL)
		return cli_fail(CLI_FAILED, "%s", err.message);
	entry_path(s, scope, &r);
	agent_entry(t, &s->server, &entry);
	if (s->print) {
		struct buf shown = { 0 };

		(void)json_edit_set(SPAN("{}\n"), (struct json_edit_path){ r.nkeys, r.keys }, buf_view(&entry), false, &shown, &err);
		tell(s, &r, "add to", &shown);
		buf_fini(&shown);
	} else
		code = write_entry(s, t, &r, &entry);
	if (code == CLI_OK && scope == AGENT_PROJECT && s->server.token && !s->cli->json)
		cli_note("%s is shared with everybody who has the project: it refers to the variable CARREL_MCP_TOKEN, which "
		    "each of them sets", r.path);
	buf_fini(&entry);
	return code;
}

static int
put_file(struct setup *s, struct agent_record *r, struct span text)
{
	struct buf was = { 0 }, shown = { 0 };
	struct err err = { .code = ERR_NONE };
	int existed, code = CLI_OK;

	if (s->print) {
		tell(s, r, "would write", NULL);
		return CLI_OK;
	}
	existed = agent_read(r->path, &was, &err);
	if (existed == 1 && span_is(buf_view(&was), text))
		tell(s, r, "unchanged", NULL);
	else if (existed < 0 || agent_write(r->path, &was, existed == 1, text, s->backup, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else
		tell(s, r, "wrote", NULL);
	if (code == CLI_OK)
		agent_manifest_add(s->cli->arena, &s->manifest, r);
	buf_fini(&was);
	buf_fini(&shown);
	return code;
}

static const char *
skill_path(struct setup *s, const char *pattern, const char *skill)
{
	const char *hole = strstr(pattern, "%s");

	return arena_printf(s->cli->arena, "%.*s%s%s", (int)(hole - pattern), pattern, skill, hole + 2);
}

static int
put_skills(struct setup *s, const struct agent_target *t, enum agent_scope scope)
{
	struct agent_record r = { .target = t->name, .scope = agent_scope_name(scope) };
	struct buf text = { 0 };
	struct err err;
	int code = CLI_OK;

	for (size_t i = 0; i < NSKILLS && code == CLI_OK; i++) {
		const char *pattern = skill_path(s, t->places[scope].skill, skills[i]);

		buf_reset(&text, SIZE_MAX);
		if ((r.path = agent_path(s->cli->arena, pattern, s->dir, &err)) == NULL)
			code = cli_fail(CLI_FAILED, "%s", err.message);
		else if (agent_dress(s->cli->arena, t->dress, s->texts[i], &text) != 0)
			code = cli_fail(CLI_FAILED, "the shipped skill %s is damaged; install again", skills[i]);
		else
			code = put_file(s, &r, buf_view(&text));
	}
	buf_fini(&text);
	return code;
}

/* The plugin for Claude Desktop: manifest, server, skills. */
static int
put_bundle(struct setup *s, const struct agent_target *t)
{
	struct agent_record r = { .target = t->name, .scope = "global" };
	struct buf server = { 0 }, zip = { 0 };
	struct agent_file files[2 + NSKILLS] = {
		{ ".claude-plugin/plugin.json", SPAN("{\n  \"name\": \"carrel\",\n  \"version\": \"" CARREL_VERSION "\",\n"
		    "  \"description\": \"Research in this project's databases, wiki and semantic layer\"\n}\n") },
	};
	int code;

	buf_str(&server, "{\"mcpServers\":{\"" NAME "\":");
	agent_entry(t, &s->server, &server);
	buf_str(&server, "}}\n");
	files[1] = (struct agent_file){ ".mcp.json", buf_view(&server) };
	for (size_t i = 0; i < NSKILLS; i++)
		files[2 + i] = (struct agent_file){ arena_printf(s->cli->arena, "skills/%s/SKILL.md", skills[i]), s->texts[i] };
	agent_zip(files, 2 + NSKILLS, &zip);
	r.path = arena_printf(s->cli->arena, "%s/.carrel/agents/claude/carrel.zip", s->dir);
	code = put_file(s, &r, buf_view(&zip));
	buf_fini(&server);
	buf_fini(&zip);
	return code;
}

static int
install(struct setup *s, const struct agent_target *t, enum agent_scope scope)
{
	const struct agent_place *p = &t->places[scope];
	int code = CLI_OK;

	if (p->config != NULL)
		code = put_entry(s, t, scope);
	if (code == CLI_OK && p->skill != NULL)
		code = put_skills(s, t, scope);
	if (code == CLI_OK && t->bundle)
		code = put_bundle(s, t);
	if (code == CLI_OK && p->config == NULL && !t->bundle) {
		struct agent_record r = { .target = t->name, .scope = agent_scope_name(scope),
			.path = t->snippet_file != NULL ? t->snippet_file : "its configuration" };
		struct buf snippet = { 0 };

		agent_snippet(t, &s->server, &snippet);
		tell(s, &r, "add to", &snippet);
		buf_fini(&snippet);
	}
	if (code == CLI_OK)
		next_step(s, arena_printf(s->cli->arena, "%s: %s", t->label, t->next));
	return code;
}

/* --- taking out -------------------------------------------------------------------------------------- */

/* Nothing but the brackets of an object. */
static bool
is_empty_object(struct span text)
{
	text = span_trim(text);
	return text.len >= 2 && text.p[0] == '{' && text.p[text.len - 1] == '}' &&
	    span_trim(span_of(text.p + 1, text.len - 2)).len == 0;
}

static int
take_entry(struct setup *s, const struct agent_record *r)
{
	const struct agent_target *t = agent_target(r->target);
	bool comments = t != NULL && t->comments;
	struct buf was = { 0 }, out = { 0 };
	struct err err = { .code = ERR_NONE };
	struct span value, text;
	int existed = agent_read(r->path, &was, &err), code = CLI_OK;
	unsigned left = r->made > 0 ? r->made : 1;

	text = buf_view(&was);
	/* The entry, and what was made around it when nothing else came to live there. */
	for (size_t depth = r->nkeys; existed == 1 && code == CLI_OK && depth > 0 && left > 0; depth--, left--) {
		struct json_edit_path path = { depth, r->keys };
		int found = json_edit_get(text, path, comments, &value, &err);

		if (found < 0)
			code = cli_fail(CLI_FAILED, "%s was left as it is: %s; take the entry out by hand", r->path, err.message);
		else if (found == 1 && (depth == r->nkeys || is_empty_object(value))) {
			buf_reset(&out, SIZE_MAX);
			(void)json_edit_remove(text, path, comments, &out, &err);
			text = arena_span(s->cli->arena, buf_view(&out));
		}
	}
	if (existed == 1 && code == CLI_OK)
		text = fill_hole(s, r, text, comments);
	if (existed < 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else if (existed == 1 && code == CLI_OK && !span_is(text, buf_view(&was)) &&
	    (r->made_file && is_empty_object(text) ? agent_remove(r->path, s->dir, s->backup, &err) :
	    agent_write(r->path, &was, true, text, s->backup, &err)) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	if (code == CLI_OK)
		tell(s, r, "took the entry out of", NULL);
	buf_fini(&was);
	buf_fini(&out);
	return code;
}

static int
take_file(struct setup *s, const struct agent_record *r)
{
	struct err err;
	const char *home = getenv("HOME"), *below = s->dir;

	if (strncmp(r->path, s->dir, strlen(s->dir)) != 0 && home != NULL)
		below = home;
	if (agent_remove(r->path, below, s->backup, &err) != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	tell(s, r, "removed", NULL);
	return CLI_OK;
}

static bool
is_wanted(const struct setup *s, const struct agent_record *r)
{
	const char *scope = cli_option(s->cli, "scope"), **targets;
	size_t n;

	targets = cli_options(s->cli, "target", &n);
	if (scope != NULL && strcmp(scope, r->scope) != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (strcmp(targets[i], r->target) == 0)
			return true;
	return n == 0;
}

static int
take_out(struct setup *s)
{
	struct agent_manifest kept = { 0 };
	int worst = CLI_OK;

	for (size_t i = 0; i < s->manifest.n; i++) {
		const struct agent_record *r = &s->manifest.v[i];

		if (!is_wanted(s, r))
			agent_manifest_add(s->cli->arena, &kept, r);
		else if (s->print)
			tell(s, r, r->is_key ? "would take the entry out of" : "would remove", NULL);
		else if ((r->is_key ? take_entry(s, r) : take_file(s, r)) != CLI_OK) {
			agent_manifest_add(s->cli->arena, &kept, r);
			worst = CLI_FAILED;
		}
	}
	if (s->manifest.n == 0 && !s->cli->json)
		(void)cli_print("Nothing was set up from this project.\n");
	if (!s->print)
		s->manifest = kept;
	return worst;
}

/* --- the command ------------------------------------------------------------------------------------- */

static int
load_skills(struct setup *s)
{
	for (size_t i = 0; i < NSKILLS; i++) {
		const char *file = cli_share(s->cli, arena_printf(s->cli->arena, "skills/%s/SKILL.md", skills[i]));
		struct buf text = { 0 };
		struct err err;

		if (file == NULL)
			return CLI_FAILED;
		if (agent_read(file, &text, &err) != 1)
			return cli_fail(CLI_FAILED, "%s", err.message);
		s->texts[i] = arena_span(s->cli->arena, buf_view(&text));
		buf_fini(&text);
	}
	return CLI_OK;
}

/* Where clients find the daemon, and whether they must say who they are. */
static int
find_server(struct setup *s)
{
	const char *given = getenv(cli_token_variable());
	struct config cfg = { 0 };
	struct daemon d;
	struct err err;

	if (!cli_config(s->cli, false, &cfg))
		return CLI_FAILED;
	s->dir = cfg.project_dir;
	if (daemon_look(s->cli->arena, s->dir, &d, &err) != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	s->running = d.state == DAEMON_RUNNING;
	s->server.url = d.state != DAEMON_STOPPED ? d.url :
	    daemon_url(s->cli->arena, cfg.host, cfg.port != 0 ? cfg.port : 7878);
	s->server.token = s->running ? d.token_auth : cfg.token != NULL || (given != NULL && given[0] != '\0');
	s->server.project_dir = s->dir;
	s->server.program = cli_program(s->cli, "carrel");
	s->backup = arena_printf(s->cli->arena, "%s/.carrel/agents/backup", s->dir);
	if (s->server.program == NULL)
		return CLI_FAILED;
	if (agent_manifest_read(s->cli->arena, s->dir, &s->manifest, &err) != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	return CLI_OK;
}

/* The scope asked for, else the narrowest that is written to the project, else the only one. */
static int
choose_scope(const struct setup *s, const struct agent_target *t, enum agent_scope *scope)
{
	const char *asked = cli_option(s->cli, "scope");

	if (asked == NULL) {
		*scope = t->places[AGENT_PROJECT].supported ? AGENT_PROJECT : AGENT_GLOBAL;
		return CLI_OK;
	}
	if ((*scope = agent_scope(asked)) == AGENT_NSCOPES)
		return cli_fail(CLI_USAGE, "--scope is global, local or project, not \"%s\"", asked);
	if (!t->places[*scope].supported)
		return cli_fail(CLI_USAGE, "%s has no scope %s; it has%s%s%s", t->name, asked,
		    t->places[AGENT_GLOBAL].supported ? " global" : "", t->places[AGENT_LOCAL].supported ? " local" : "",
		    t->places[AGENT_PROJECT].supported ? " project" : "");
	return CLI_OK;
}

static int
put_in(struct setup *s)
{
	enum agent_scope scopes[CLI_WORDS_MAX];
	const struct agent_target *targets[CLI_WORDS_MAX];
	const char **names;
	size_t n;
	int code, worst = CLI_OK;

	names = cli_options(s->cli, "target", &n);
	if (n == 0)
		return cli_fail(CLI_USAGE, "say for which client: --target claude-code, cursor, claude-desktop, codex, opencode or "
		    "universal; it may be repeated");
	/* All are known before the first file is touched. */
	for (size_t i = 0; i < n; i++) {
		if ((targets[i] = agent_target(names[i])) == NULL)
			return cli_fail(CLI_USAGE, "no client \"%s\" is known; choose from claude-code, cursor, claude-desktop, codex, "
			    "opencode, universal", names[i]);
		if ((code = choose_scope(s, targets[i], &scopes[i])) != CLI_OK)
			return code;
	}
	if (load_skills(s) != CLI_OK)
		return CLI_FAILED;
	for (size_t i = 0; i < n; i++)
		if (install(s, targets[i], scopes[i]) != CLI_OK)
			worst = CLI_FAILED;
	if (s->server.token)
		next_step(s, "set the variable CARREL_MCP_TOKEN where the client is started");
	if (!s->running)
		next_step(s, "Run `carrel mcp start`: the daemon is not running");
	return worst;
}

int
cmd_setup_agents(struct cli *cli)
{
	struct setup s = { .cli = cli, .print = cli_flag(cli, "print") };
	struct buf out = { 0 };
	struct err err;
	int code = find_server(&s);

	if (code != CLI_OK)
		return code;
	code = cli_flag(cli, "remove") ? take_out(&s) : put_in(&s);
	if (code != CLI_USAGE && !s.print && agent_manifest_write(s.dir, &s.manifest, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	if (cli->json && (code == CLI_OK || s.nresults > 0)) {
		buf_str(&out, "{\"projectDir\":");
		json_write_string(&out, span_str(s.dir));
		buf_str(&out, ",\"url\":");
		json_write_string(&out, span_str(s.server.url));
		buf_printf(&out, ",\"tokenAuth\":%s,\"running\":%s,\"results\":[", s.server.token ? "true" : "false",
		    s.running ? "true" : "false");
		buf_span(&out, buf_view(&s.results));
		buf_str(&out, "],\"nextSteps\":[");
		buf_span(&out, buf_view(&s.next));
		buf_str(&out, "]}");
		if (cli_json(buf_view(&out)) != CLI_OK)
			code = CLI_FAILED;
	}
	buf_fini(&out);
	buf_fini(&s.results);
	buf_fini(&s.next);
	return code;
}
