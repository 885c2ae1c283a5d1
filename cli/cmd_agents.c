/* cmd_agents.c - carrel setup-agents: clients connected to this project, and disconnected again. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/utf8.h"
#include "cli/agents.h"
#include "cli/cmd.h"
#include "cli/daemon.h"
#include "project/describe.h"
#include "project/json_edit.h"
#include "project/paths.h"
#include "project/toml_edit.h"

#define HOLE_MAX	4096u
#define NAME	"carrel"
#define SKILL_FILE_MAX	((size_t)1 << 20)
#define NAME_MAX_LEN	64
#define WAS_MAX	((size_t)256 << 10)	/* bytes of a replaced file in the manifest; backup holds all */

static const char *const skills[] = { "carrel-analytics", "carrel-connectivity" };
#define NSKILLS	(sizeof(skills) / sizeof(skills[0]))

struct setup {
	struct cli		*cli;
	const char		*dir;
	const char		*target_dir;	/* where the files of a project's scope go */
	struct agent_server	 server;
	bool			 running, print;
	unsigned		 listens_at, configured;	/* ports; 0: none */
	struct span		 texts[NSKILLS];	/* the skills as shipped */
	struct agent_manifest	 manifest;
	struct buf		 results, next;		/* JSON members, comma separated */
	size_t			 nresults;
};

/* --- what is said ---------------------------------------------------------------------------- */

/* One thing done, shown at once or kept for --json.  content: what is printed; may be NULL. */
static void
report_change(struct setup *s, const struct agent_record *r, const char *action, const struct buf *content)
{
	struct buf *out = &s->results;

	if (!s->cli->json) {
		/* With --print, stdout gets only the content of the file, so that it can be redirected. */
		if (s->print)
			cli_note("%s (%s): %s %s", r->target, r->scope, action, r->path);
		else
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
		if (s->print)
			cli_note("next: %s", text);
		else
			(void)cli_print("Next: %s\n", text);
		return;
	}
	if (s->next.len > 0)
		buf_byte(&s->next, ',');
	json_write_string(&s->next, span_str(text));
}

/* --- putting in ----------------------------------------------------------------------------------- */

/* The path of the entry in the target's file, without the entry's name. */
static void
entry_place(const struct setup *s, const struct agent_target *t, enum agent_scope scope, struct agent_record *r)
{
	r->is_key = true;
	r->is_table = t->form == FORM_TOML;
	if (scope == AGENT_LOCAL) {
		r->keys[r->nkeys++] = "projects";
		r->keys[r->nkeys++] = s->target_dir;
	}
	r->keys[r->nkeys++] = t->member;
}

/* The entry's value, or the lines of its table: 1, 0, -1. */
static int
get_entry(const struct agent_record *r, bool comments, struct span text, struct span *value, struct err *err)
{
	*value = span_of(text.p, 0);
	if (span_trim(text).len == 0)
		return 0;
	return r->is_table ? toml_edit_get(text, (struct toml_edit_path){ r->nkeys, r->keys }, value, err) :
	    json_edit_get(text, (struct json_edit_path){ r->nkeys, r->keys }, comments, value, err);
}

/* How many keys on the path are missing from the file. */
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

/* The object that will hold the entry and the members made for it; empty: none exists. */
static struct span
around(struct span text, const struct agent_record *r, bool comments)
{
	struct span value = { NULL, 0 };

	if (r->made >= r->nkeys)
		return span_trim(text);
	(void)json_edit_get(text, (struct json_edit_path){ r->nkeys - r->made, r->keys }, comments, &value, NULL);
	return value;
}

/* Removing the entry does not always restore the file exactly: an object without members loses its white space. */
static void
keep_hole(struct setup *s, struct agent_record *r, struct span was, struct span with, bool comments)
{
	struct span hole = around(was, r, comments);
	struct buf back = { 0 };

	if (r->made > 0 && hole.len > 0 && hole.len <= HOLE_MAX &&
	    json_edit_remove(with, (struct json_edit_path){ r->nkeys - r->made + 1, r->keys }, comments, &back, NULL) ==
		0 &&
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

/* The directory below which directories were made for this file, or for an earlier file in them. */
static const char *
root_of(struct setup *s, const char *path)
{
	const char *root = agent_root(s->cli->arena, path);

	for (size_t i = 0; i < s->manifest.n; i++) {
		const struct agent_record *other = &s->manifest.v[i];
		size_t n = strlen(root);

		if (other->below != NULL && strlen(other->below) < n &&
		    strncmp(root, other->below, strlen(other->below)) == 0 && strncmp(other->path, root, n) == 0 &&
		    other->path[n] == '/')
			root = other->below;
	}
	return root;
}

/* --- the entry's name ---------------------------------------------------------------------------- */

static bool
is_name(const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < n; i++)
		if (!ascii_is_alnum((uint8_t)name[i]) && name[i] != '-' && name[i] != '_')
			return false;
	return n > 0 && n <= NAME_MAX_LEN;
}

/* "carrel-shop" for /home/me/Shop; the number n tells equal ones apart. */
static const char *
name_of_project(const struct setup *s, unsigned n)
{
	const char *slash = strrchr(s->dir, '/');
	char name[NAME_MAX_LEN] = NAME "-";
	size_t at = strlen(name);

	for (const char *p = slash == NULL ? s->dir : slash + 1; *p != '\0' && at < 40; p++) {
		bool plain = ascii_is_alnum((uint8_t)*p);

		if (plain || name[at - 1] != '-')
			name[at++] = plain ? (char)ascii_lower((uint8_t)*p) : '-';
	}
	while (at > 0 && name[at - 1] == '-')
		at--;
	name[at] = '\0';
	return n < 2 ? arena_cstr(s->cli->arena, span_str(name)) : arena_printf(s->cli->arena, "%s-%u", name, n);
}

/*
 * The name of the entry in this file: the requested name, else the name of this
 * project's entry, else the first of carrel, carrel-<project>, carrel-<project>-2,
 * … that is free.  Stored in r->keys.
 */
static int
name_entry(struct setup *s, const struct agent_target *t, struct agent_record *r, struct span text, struct err *err)
{
	const char *asked = cli_option(s->cli, "name");
	size_t last = r->nkeys++;
	struct span value;

	r->keys[last] = asked;
	for (size_t i = 0; i < s->manifest.n && r->keys[last] == NULL; i++) {
		const struct agent_record *mine = &s->manifest.v[i];

		r->keys[last] = mine->nkeys == r->nkeys ? mine->keys[last] : "";
		if (mine->nkeys != r->nkeys || agent_manifest_find(&s->manifest, r) != mine)
			r->keys[last] = NULL;
	}
	for (unsigned n = 0; r->keys[last] == NULL; n++) {
		struct buf entry = { 0 };
		int there;

		r->keys[last] = n == 0 ? NAME : name_of_project(s, n);
		agent_entry(t, &s->server, r->keys[last], &entry);
		there = get_entry(r, t->comments, text, &value, err);
		if (there == 1 && !same_ink(value, buf_view(&entry)))
			r->keys[last] = NULL;
		buf_fini(&entry);
		if (there < 0)
			return -1;
	}
	return 0;
}

static int
set_entry(const struct agent_target *t, const struct agent_record *r, struct span text, struct span entry, struct buf *out,
    struct err *err)
{
	return r->is_table ? toml_edit_set(text, (struct toml_edit_path){ r->nkeys, r->keys }, entry, out, err) :
	    json_edit_set(text, (struct json_edit_path){ r->nkeys, r->keys }, entry, t->comments, out, err);
}

/* The entry that is replaced, unless Carrel wrote it. */
static void
keep_replaced(struct setup *s, const struct agent_target *t, struct agent_record *r, struct span text)
{
	struct span value;

	r->made_line = r->is_table && text.len > 0 && text.p[text.len - 1] != '\n';
	if (get_entry(r, t->comments, text, &value, NULL) == 1 && agent_manifest_find(&s->manifest, r) == NULL)
		r->was = arena_cstr(s->cli->arena, value);
}

static int
write_entry(struct setup *s, const struct agent_target *t, struct agent_record *r)
{
	struct buf was = { 0 }, out = { 0 }, entry = { 0 };
	struct err err = { .code = ERR_NONE };
	int existed = agent_read(s->dir, r->path, &was, &err), code = CLI_OK;

	r->made_file = existed == 0;
	if (existed < 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else if (name_entry(s, t, r, buf_view(&was), &err) != 0 ||
	    (agent_entry(t, &s->server, r->keys[r->nkeys - 1], &entry),
		set_entry(t, r, buf_view(&was), buf_view(&entry), &out, &err)) != 0)
		code = cli_fail(CLI_FAILED,
		    "%s was left as it is: %s; correct it and try again, or add the entry by hand "
		    "(--print shows it)",
		    r->path, err.message);
	else {
		r->made = r->is_table ? 0 : missing(buf_view(&was), r, t->comments);
		r->below = root_of(s, r->path);
		r->put = arena_cstr(s->cli->arena, buf_view(&entry));
		keep_replaced(s, t, r, buf_view(&was));
		if (existed == 1 && span_is(buf_view(&was), buf_view(&out)))
			report_change(s, r, "unchanged", NULL);
		else if (agent_write(s->dir, r->path, &was, existed == 1, buf_view(&out), &err) != 0)
			code = cli_fail(CLI_FAILED, "%s", err.message);
		else
			report_change(s, r, r->was != NULL ? "replaced the entry in" : "wrote", NULL);
	}
	if (code == CLI_OK) {
		if (!r->is_table)
			keep_hole(s, r, buf_view(&was), buf_view(&out), t->comments);
		agent_manifest_add(s->cli->arena, &s->manifest, r);
	}
	buf_fini(&was);
	buf_fini(&out);
	buf_fini(&entry);
	return code;
}

static void
print_entry(struct setup *s, const struct agent_target *t, struct agent_record *r)
{
	struct buf was = { 0 }, entry = { 0 }, shown = { 0 };
	struct err err = { .code = ERR_NONE };

	(void)agent_read(s->dir, r->path, &was, &err);
	/* A broken file has no entries whose names could be taken. */
	if (name_entry(s, t, r, buf_view(&was), &err) != 0)
		r->keys[r->nkeys - 1] = NAME;
	agent_entry(t, &s->server, r->keys[r->nkeys - 1], &entry);
	(void)set_entry(t, r, r->is_table ? SPAN("") : SPAN("{}\n"), buf_view(&entry), &shown, &err);
	report_change(s, r, "add to", &shown);
	buf_fini(&was);
	buf_fini(&entry);
	buf_fini(&shown);
}

/* The file for the entry: the usual one, or the alternative if only that exists. */
static const char *
config_path(struct setup *s, const struct agent_place *p, struct err *err)
{
	const char *path = agent_path(s->cli->arena, p->config, s->target_dir, err), *other;

	if (path == NULL || p->other == NULL || access(path, F_OK) == 0)
		return path;
	other = agent_path(s->cli->arena, p->other, s->target_dir, err);
	return other != NULL && access(other, F_OK) == 0 ? other : path;
}

static int
put_entry(struct setup *s, const struct agent_target *t, enum agent_scope scope)
{
	struct agent_record r = { .target = t->name, .scope = agent_scope_name(scope) };
	struct err err;
	int code = CLI_OK;

	if ((r.path = config_path(s, &t->places[scope], &err)) == NULL)
		return cli_fail(CLI_FAILED, "%s", err.message);
	entry_place(s, t, scope, &r);
	if (s->print)
		print_entry(s, t, &r);
	else
		code = write_entry(s, t, &r);
	if (code == CLI_OK && scope == AGENT_PROJECT && s->server.token && !s->server.stdio)
		cli_note(t->bearer != NULL ?
			"%s is shared with everybody who has the project: it refers to the variable "
			"CARREL_MCP_TOKEN, which each of them sets" :
			"%s starts Carrel itself, on this machine only: %s cannot refer "
			"to a token",
		    r.path, t->label);
	return code;
}

/* A digest of a file that we wrote, to notice later changes. */
static const char *
mark_of(struct setup *s, struct span text)
{
	return arena_printf(s->cli->arena, "%016llx", (unsigned long long)hash_of(text));
}

static bool
is_outside(const struct setup *s, const char *path)
{
	size_t n = strlen(s->dir);

	return strncmp(path, s->dir, n) != 0 || path[n] != '/';
}

static int
put_file(struct setup *s, struct agent_record *r, struct span text)
{
	struct err err = { .code = ERR_NONE };
	struct buf was = { 0 };
	int existed, code = CLI_OK;

	if (s->print) {
		report_change(s, r, "would write", NULL);
		return CLI_OK;
	}
	existed = agent_read(s->dir, r->path, &was, &err);
	r->below = root_of(s, r->path);
	r->put = mark_of(s, text);
	/* A file of equal content may belong to another project: agent_share() knows. */
	if (existed == 1 && !span_is(buf_view(&was), text) && agent_manifest_find(&s->manifest, r) == NULL &&
	    was.len <= WAS_MAX && utf8_valid(was.p, was.len) && memchr(was.p, '\0', was.len) == NULL)
		r->was = arena_cstr(s->cli->arena, buf_view(&was));
	if (existed == 1 && span_is(buf_view(&was), text))
		report_change(s, r, "unchanged", NULL);
	else if (existed < 0 || agent_write(s->dir, r->path, &was, existed == 1, text, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else
		report_change(s, r, "wrote", NULL);
	if (code == CLI_OK && is_outside(s, r->path) && agent_share(s->cli->arena, r->path, s->dir, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	if (code == CLI_OK)
		agent_manifest_add(s->cli->arena, &s->manifest, r);
	buf_fini(&was);
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
		if ((r.path = agent_path(s->cli->arena, pattern, s->target_dir, &err)) == NULL)
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
	agent_entry(t, &s->server, NAME, &server);
	buf_str(&server, "}}\n");
	files[1] = (struct agent_file){ ".mcp.json", buf_view(&server) };
	for (size_t i = 0; i < NSKILLS; i++)
		files[2 + i] =
		    (struct agent_file){ arena_printf(s->cli->arena, "skills/%s/SKILL.md", skills[i]), s->texts[i] };
	agent_zip(files, 2 + NSKILLS, &zip);
	r.path = arena_printf(s->cli->arena, "%s/.carrel/agents/claude/carrel.zip", s->dir);
	code = put_file(s, &r, buf_view(&zip));
	buf_fini(&server);
	buf_fini(&zip);
	return code;
}

static int
install_target(struct setup *s, const struct agent_target *t, enum agent_scope scope)
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
		struct agent_record r = {
			.target = t->name, .scope = agent_scope_name(scope), .path = "its configuration"
		};
		struct buf snippet = { 0 };

		agent_snippet(&s->server, &snippet);
		report_change(s, &r, "add to", &snippet);
		buf_fini(&snippet);
	}
	if (code == CLI_OK)
		next_step(s, arena_printf(s->cli->arena, "%s: %s", t->label, t->next));
	return code;
}

/* --- taking out -------------------------------------------------------------------------------------- */

/* Is the text an empty object? */
static bool
is_empty_object(struct span text)
{
	text = span_trim(text);
	return text.len >= 2 && text.p[0] == '{' && text.p[text.len - 1] == '}' &&
	    span_trim(span_of(text.p + 1, text.len - 2)).len == 0;
}

/* The directory below which empty directories made for the file may be removed. */
static const char *
below_of(const struct setup *s, const struct agent_record *r)
{
	const char *home = getenv("HOME");

	if (r->below != NULL)
		return r->below;
	return is_outside(s, r->path) && home != NULL ? home : s->dir;
}

/* The text without the entry, and without the objects made for it that hold nothing else. */
static int
without_entry(struct setup *s, const struct agent_record *r, bool comments, struct span *text, struct err *err)
{
	unsigned left = r->made > 0 ? r->made : 1;
	struct buf out = { 0 };
	struct span value;
	int found = 1;

	if (r->is_table) {
		found = toml_edit_remove(*text, (struct toml_edit_path){ r->nkeys, r->keys }, &out, err);
		if (r->made_line && out.len > 0 && out.p[out.len - 1] == '\n')
			out.len--;
		*text = arena_span(s->cli->arena, buf_view(&out));
	}
	for (size_t depth = r->nkeys; !r->is_table && found >= 0 && depth > 0 && left > 0; depth--, left--) {
		struct json_edit_path path = { depth, r->keys };

		found = json_edit_get(*text, path, comments, &value, err);
		if (found == 1 && (depth == r->nkeys || is_empty_object(value))) {
			buf_reset(&out, SIZE_MAX);
			(void)json_edit_remove(*text, path, comments, &out, err);
			*text = arena_span(s->cli->arena, buf_view(&out));
		}
	}
	if (!r->is_table && found >= 0)
		*text = fill_hole(s, r, *text, comments);
	buf_fini(&out);
	return found < 0 ? -1 : 0;
}

/* Restore what the entry replaced. */
static struct span
with_old_entry(struct setup *s, const struct agent_record *r, struct span text, struct span value)
{
	struct buf out = { 0 };
	struct span whole;

	buf_append(&out, text.p, (size_t)(value.p - text.p));
	buf_str(&out, r->was);
	buf_append(&out, value.p + value.len, text.len - (size_t)(value.p + value.len - text.p));
	whole = arena_span(s->cli->arena, buf_view(&out));
	buf_fini(&out);
	return whole;
}

/* Replace the file, or remove it when it was made for the entry and nothing else is in it. */
static int
keep_rest(struct setup *s, const struct agent_record *r, const struct buf *was, struct span text, struct err *err)
{
	bool empty = r->is_table ? span_trim(text).len == 0 : is_empty_object(text);

	if (span_is(text, buf_view(was)))
		return 0;
	return r->made_file && empty ? agent_remove(s->dir, r->path, below_of(s, r), err) :
				       agent_write(s->dir, r->path, was, true, text, err);
}

static int
take_entry(struct setup *s, const struct agent_record *r)
{
	const struct agent_target *t = agent_target(r->target);
	bool comments = t != NULL && t->comments;
	const char *did = "took the entry out of";
	struct err err = { .code = ERR_NONE };
	struct buf was = { 0 };
	int existed = agent_read(s->dir, r->path, &was, &err), there, code = CLI_OK;
	struct span value, text = buf_view(&was);

	if (existed < 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else if ((there = get_entry(r, comments, text, &value, &err)) < 0)
		code =
		    cli_fail(CLI_FAILED, "%s was left as it is: %s; take the entry out by hand", r->path, err.message);
	else if (there == 0)
		did = "the entry was gone already from";
	else if (r->put != NULL && !same_ink(value, span_str(r->put)))
		did = "left the entry, which was changed since, in";
	else if (r->was != NULL) {
		did = "put back the entry of before in";
		text = with_old_entry(s, r, text, value);
	} else if (without_entry(s, r, comments, &text, &err) != 0)
		code =
		    cli_fail(CLI_FAILED, "%s was left as it is: %s; take the entry out by hand", r->path, err.message);
	if (code == CLI_OK && existed == 1 && keep_rest(s, r, &was, text, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	if (code == CLI_OK)
		report_change(s, r, did, NULL);
	buf_fini(&was);
	return code;
}

static int
take_file(struct setup *s, const struct agent_record *r)
{
	const char *did = "removed", *user = NULL;
	struct err err = { .code = ERR_NONE };
	struct buf now = { 0 };
	int existed = agent_read(s->dir, r->path, &now, &err), result = existed < 0 ? -1 : 0;

	if (result == 0 && is_outside(s, r->path))
		result = agent_unshare(s->cli->arena, r->path, s->dir, &user, &err);
	if (result == 0 && existed == 0)
		did = "gone already:";
	else if (result == 0 && user != NULL)
		did = arena_printf(s->cli->arena, "left, since %s uses it, too:", user);
	else if (result == 0 && r->put != NULL && strcmp(mark_of(s, buf_view(&now)), r->put) != 0)
		did = "left, since it was changed:";
	else if (result == 0 && r->was != NULL) {
		did = "put back";
		result = agent_write(s->dir, r->path, &now, true, span_str(r->was), &err);
	} else if (result == 0)
		result = agent_remove(s->dir, r->path, below_of(s, r), &err);
	buf_fini(&now);
	if (result != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	report_change(s, r, did, NULL);
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
			report_change(s, r, r->is_key ? "would take the entry out of" : "would remove", NULL);
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
		if (paths_read(AT_FDCWD, file, PATHS_ANY, SKILL_FILE_MAX, &text, &err) != 0)
			return cli_fail(CLI_FAILED, "%s", err.message);
		s->texts[i] = arena_span(s->cli->arena, buf_view(&text));
		buf_fini(&text);
	}
	return CLI_OK;
}

/* --dir: agents work in the directory of the code, which may differ from the project. */
static int
find_target_dir(struct setup *s)
{
	const char *given = cli_option(s->cli, "dir"), *name = cli_option(s->cli, "name");
	char real[PATH_MAX];
	struct stat st;

	if (name != NULL && !is_name(name))
		return cli_fail(CLI_USAGE, "--name is made of letters, digits, - and _, at most %d of them",
		    NAME_MAX_LEN);
	if (given == NULL)
		return CLI_OK;
	if (realpath(given, real) == NULL || stat(real, &st) != 0 || !S_ISDIR(st.st_mode))
		return cli_fail(CLI_USAGE, "--dir %s is no directory that is there", given);
	s->target_dir = arena_cstr(s->cli->arena, span_str(real));
	return CLI_OK;
}

/* The address of the daemon, and whether clients need a token. */
static int
find_server(struct setup *s)
{
	const char *given = getenv(cli_token_variable());
	struct config cfg = { 0 };
	struct daemon d;
	struct err err;

	if (!cli_config(s->cli, false, &cfg))
		return CLI_FAILED;
	s->dir = s->target_dir = cfg.project_dir;
	s->server.stdio = cli_flag(s->cli, "stdio");
	if (find_target_dir(s) != CLI_OK)
		return CLI_USAGE;
	if (daemon_look(s->cli->arena, s->dir, &d, &err) != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	s->running = d.state == DAEMON_RUNNING;
	s->listens_at = s->running && cfg.public_url == NULL ? d.port : 0;
	s->configured = cfg.port;
	s->server.url =
	    d.state != DAEMON_STOPPED ? d.url : daemon_url(s->cli->arena, cfg.host, cfg.port != 0 ? cfg.port : 7878);
	if (cfg.public_url != NULL)
		s->server.url = daemon_public_url(s->cli->arena, cfg.public_url);
	else if ((cfg.listen != NULL || (d.state != DAEMON_STOPPED && d.port == 0)) && !s->server.stdio &&
	    !cli_flag(s->cli, "remove"))
		return cli_fail(CLI_FAILED,
		    "the daemon listens on a Unix socket, which clients cannot name: set server.public_url "
		    "to the address they use, or let them start Carrel with --stdio");
	s->server.token = s->running ? d.token_auth : cfg.token != NULL || (given != NULL && given[0] != '\0');
	s->server.project_dir = s->dir;
	s->server.program = cli_program(s->cli, "carrel");
	if (s->server.program == NULL)
		return CLI_FAILED;
	if (agent_manifest_read(s->cli->arena, s->dir, &s->manifest, &err) != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	return CLI_OK;
}

/* The scope asked for, else the project's or --dir's where the client usually has it there, else its own settings. */
static int
choose_scope(const struct setup *s, const struct agent_target *t, enum agent_scope *scope)
{
	const char *asked = cli_option(s->cli, "scope");

	if (asked == NULL) {
		*scope = t->places[AGENT_PROJECT].supported && (!t->global || cli_option(s->cli, "dir") != NULL) ?
		    AGENT_PROJECT :
		    AGENT_GLOBAL;
		return CLI_OK;
	}
	if ((*scope = agent_scope(asked)) == AGENT_NSCOPES)
		return cli_fail(CLI_USAGE, "--scope is global, local or project, not \"%s\"", asked);
	if (!t->places[*scope].supported)
		return cli_fail(CLI_USAGE, "%s has no scope %s; it has%s%s%s", t->name, asked,
		    t->places[AGENT_GLOBAL].supported ? " global" : "",
		    t->places[AGENT_LOCAL].supported ? " local" : "",
		    t->places[AGENT_PROJECT].supported ? " project" : "");
	return CLI_OK;
}

static int
put_in(struct setup *s)
{
	enum agent_scope scopes[CLI_WORDS_MAX];
	const struct agent_target *targets[CLI_WORDS_MAX];
	struct buf known = { 0 };
	const char **names;
	size_t n;
	int code = CLI_OK, worst = CLI_OK;

	names = cli_options(s->cli, "target", &n);
	agent_target_names(&known);
	if (n == 0)
		code = cli_fail(CLI_USAGE, "say for which client: --target %s; it may be repeated", buf_cstr(&known));
	/* Check all targets before writing the first file. */
	for (size_t i = 0; i < n && code == CLI_OK; i++) {
		if ((targets[i] = agent_target(names[i])) == NULL)
			code = cli_fail(CLI_USAGE, "no client \"%s\" is known; choose from %s", names[i],
			    buf_cstr(&known));
		else
			code = choose_scope(s, targets[i], &scopes[i]);
	}
	buf_fini(&known);
	if (code != CLI_OK)
		return code;
	if (load_skills(s) != CLI_OK)
		return CLI_FAILED;
	for (size_t i = 0; i < n; i++)
		if (install_target(s, targets[i], scopes[i]) != CLI_OK)
			worst = CLI_FAILED;
	if (s->server.stdio)
		return worst;
	if (s->server.token)
		next_step(s, "set the variable CARREL_MCP_TOKEN where the client is started");
	if (s->running && s->listens_at != 0 && s->listens_at != s->configured)
		next_step(s,
		    arena_printf(s->cli->arena,
			"the daemon has port %u for this run alone, and that is what was written: "
			"`port: %u` below `server:` in the configuration keeps it",
			s->listens_at, s->listens_at));
	if (!s->running)
		next_step(s,
		    arena_printf(s->cli->arena,
			"Run `carrel mcp start`: the daemon is not running, and clients look for it "
			"at %s",
			s->server.url));
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
