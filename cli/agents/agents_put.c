#include <stdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/json/json_put.h"
#include "base/utf8.h"
#include "cli/agents/agents_put.h"
#include "cli/agents/cmd_agents.h"
#include "cli/agents/agents_entry.h"
#include "cli/agents/agents_files.h"
#include "cli/args.h"
#include "cli/say.h"

#define NAME	"carrel"
#define WAS_MAX	((size_t)256 << 10)	/* bytes of a replaced file in the manifest; backup holds all */

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

/* "carrel-shop" for /home/me/Shop; the number n tells equal ones apart. */
static const char *
name_of_project(const struct setup *s, unsigned n)
{
	const char *slash = strrchr(s->dir, '/');
	char name[SETUP_NAME_MAX] = NAME "-";
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
 * … that is free: an equal entry is another project's if that project put it in.
 * Stored in r->keys.
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
		there = agent_entry_get(r, t->comments, text, &value, err);
		if (there == 1 &&
		    (!agent_same_ink(value, buf_view(&entry)) ||
			agent_other_user(s->cli->arena, agent_entry_id(s->cli->arena, r), s->dir) != NULL))
			r->keys[last] = NULL;
		buf_fini(&entry);
		if (there < 0)
			return -1;
	}
	return 0;
}

/* The entry that is replaced, unless Carrel wrote it: for this project, or the same for another one. */
static void
keep_replaced(struct setup *s, const struct agent_target *t, struct agent_record *r, struct span text)
{
	const char *id = agent_entry_id(s->cli->arena, r);
	struct span value;

	r->made_line = r->is_table && text.len > 0 && text.p[text.len - 1] != '\n';
	if (agent_entry_get(r, t->comments, text, &value, NULL) == 1 && agent_manifest_find(&s->manifest, r) == NULL &&
	    (!agent_same_ink(value, span_str(r->put)) || agent_other_user(s->cli->arena, id, s->dir) == NULL))
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
		agent_entry_set(t, r, buf_view(&was), buf_view(&entry), &out, &err)) != 0)
		code = cli_fail(CLI_FAILED,
		    "%s was not changed: %s; correct the file and try again, or add the entry by hand "
		    "(--print shows it)",
		    r->path, err.message);
	else {
		r->made = r->is_table ? 0 : agent_entry_missing(buf_view(&was), r, t->comments);
		r->below = root_of(s, r->path);
		r->put = arena_cstr(s->cli->arena, buf_view(&entry));
		keep_replaced(s, t, r, buf_view(&was));
		if (existed == 1 && span_is(buf_view(&was), buf_view(&out)))
			agents_report(s, r, "unchanged", NULL);
		else if (agent_write(s->dir, r->path, &was, existed == 1, buf_view(&out), &err) != 0)
			code = cli_fail(CLI_FAILED, "%s", err.message);
		else
			agents_report(s, r, r->was != NULL ? "replaced the entry in" : "wrote", NULL);
	}
	if (code == CLI_OK && agents_is_outside(s, r->path) &&
	    agent_share(s->cli->arena, agent_entry_id(s->cli->arena, r), s->dir, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	if (code == CLI_OK) {
		if (!r->is_table)
			agent_entry_keep_hole(s->cli->arena, r, buf_view(&was), buf_view(&out), t->comments);
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
	(void)agent_entry_set(t, r, r->is_table ? SPAN("") : SPAN("{}\n"), buf_view(&entry), &shown, &err);
	agents_report(s, r, "add to", &shown);
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

/* Whether an entry that refers to a token is left out of a file that is shared with the project. */
static bool
skips_shared(const struct setup *s, const char *path)
{
	const char *shared = cli_option(s->cli, "shared");
	char line[16] = "";

	if (shared == NULL && !s->print && !s->cli->json && isatty(STDIN_FILENO) && isatty(STDERR_FILENO)) {
		fprintf(stderr,
		    "%s is shared with everybody who has the project. Write the reference to the token, or skip "
		    "it? [Write/skip] ",
		    path);
		if (fgets(line, sizeof(line), stdin) != NULL && (line[0] == 's' || line[0] == 'S'))
			shared = "skip";
	}
	return shared != NULL && strcmp(shared, "skip") == 0;
}

static int
put_entry(struct setup *s, const struct agent_target *t, enum agent_scope scope)
{
	struct agent_record r = { .target = t->name, .scope = agent_scope_name(scope) };
	struct err err;
	int code = CLI_OK;

	if ((r.path = config_path(s, &t->places[scope], &err)) == NULL)
		return cli_fail(CLI_FAILED, "%s", err.message);
	if (scope == AGENT_PROJECT && s->server.token && !s->server.stdio && skips_shared(s, r.path)) {
		cli_note("%s is left as it is: it is shared with everybody who has the project", r.path);
		return CLI_OK;
	}
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

static int
put_file(struct setup *s, struct agent_record *r, struct span text)
{
	struct err err = { .code = ERR_NONE };
	struct buf was = { 0 };
	int existed, code = CLI_OK;

	if (s->print) {
		agents_report(s, r, "would write", NULL);
		return CLI_OK;
	}
	existed = agent_read(s->dir, r->path, &was, &err);
	r->below = root_of(s, r->path);
	r->put = agents_mark(s, text);
	/* A file of equal content may belong to another project: agent_share() knows. */
	if (existed == 1 && !span_is(buf_view(&was), text) && agent_manifest_find(&s->manifest, r) == NULL &&
	    was.len <= WAS_MAX && utf8_valid(was.p, was.len) && memchr(was.p, '\0', was.len) == NULL)
		r->was = arena_cstr(s->cli->arena, buf_view(&was));
	if (existed == 1 && span_is(buf_view(&was), text))
		agents_report(s, r, "unchanged", NULL);
	else if (existed < 0 || agent_write(s->dir, r->path, &was, existed == 1, text, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else
		agents_report(s, r, "wrote", NULL);
	if (code == CLI_OK && agents_is_outside(s, r->path) && agent_share(s->cli->arena, r->path, s->dir, &err) != 0)
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

	for (size_t i = 0; i < SETUP_SKILLS && code == CLI_OK; i++) {
		const char *pattern = skill_path(s, t->places[scope].skill, setup_skills[i]);

		buf_reset(&text, SIZE_MAX);
		if ((r.path = agent_path(s->cli->arena, pattern, s->target_dir, &err)) == NULL)
			code = cli_fail(CLI_FAILED, "%s", err.message);
		else if (agent_dress(s->cli->arena, t->dress, s->texts[i], &text) != 0)
			code = cli_fail(CLI_FAILED, "the shipped skill %s is damaged; install again", setup_skills[i]);
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
	struct agent_file files[2 + SETUP_SKILLS] = {
		{ ".claude-plugin/plugin.json", SPAN("{\n  \"name\": \"carrel\",\n  \"version\": \"" CARREL_VERSION "\",\n"
		    "  \"description\": \"Research in this project's databases, wiki and semantic layer\"\n}\n") },
	};
	int code;

	json_put_object(&server, NULL);
	json_put_object(&server, "mcpServers");
	json_put_key(&server, NAME);
	agent_entry(t, &s->server, NAME, &server);
	json_end_object(&server);
	json_end_object(&server);
	buf_byte(&server, '\n');
	files[1] = (struct agent_file){ ".mcp.json", buf_view(&server) };
	for (size_t i = 0; i < SETUP_SKILLS; i++)
		files[2 + i] = (struct agent_file){ arena_printf(s->cli->arena, "skills/%s/SKILL.md", setup_skills[i]),
			s->texts[i] };
	agent_zip(files, 2 + SETUP_SKILLS, &zip);
	r.path = arena_printf(s->cli->arena, "%s/.carrel/agents/claude/carrel.zip", s->dir);
	code = put_file(s, &r, buf_view(&zip));
	buf_fini(&server);
	buf_fini(&zip);
	return code;
}

int
agents_install(struct setup *s, const struct agent_target *t, enum agent_scope scope)
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
		agents_report(s, &r, "add to", &snippet);
		buf_fini(&snippet);
	}
	if (code == CLI_OK)
		agents_next(s, arena_printf(s->cli->arena, "%s: %s", t->label, t->next));
	return code;
}
