#include <stdlib.h>
#include <string.h>

#include "cli/agents/agents_take.h"
#include "cli/agents/cmd_agents.h"
#include "cli/agents/agents_entry.h"
#include "cli/agents/agents_files.h"
#include "cli/args.h"
#include "cli/say.h"

/* The directory below which empty directories made for the file may be removed. */
static const char *
below_of(const struct setup *s, const struct agent_record *r)
{
	const char *home = getenv("HOME");

	if (r->below != NULL)
		return r->below;
	return agents_is_outside(s, r->path) && home != NULL ? home : s->dir;
}

/* Replace the file, or remove it if it was made for the entry and holds nothing else. */
static int
keep_rest(struct setup *s, const struct agent_record *r, const struct buf *was, struct span text, struct err *err)
{
	bool empty = r->is_table ? span_trim(text).len == 0 : agent_is_empty(text);

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
	const char *did = "took the entry out of", *user = NULL;
	struct err err = { .code = ERR_NONE };
	struct buf was = { 0 };
	int existed = agent_read(s->dir, r->path, &was, &err), there, code = CLI_OK;
	struct span value, text = buf_view(&was);

	if (existed < 0 ||
	    (agents_is_outside(s, r->path) &&
		agent_unshare(s->cli->arena, agent_entry_id(s->cli->arena, r), s->dir, &user, &err) != 0))
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else if ((there = agent_entry_get(r, comments, text, &value, &err)) < 0)
		code = cli_fail(CLI_FAILED, "%s was not changed: %s; take the entry out by hand", r->path, err.message);
	else if (there == 0)
		did = "the entry was gone already from";
	else if (r->put != NULL && !agent_same_ink(value, span_str(r->put)))
		did = "left the entry, which was changed since, in";
	else if (user != NULL)
		did = arena_printf(s->cli->arena, "left the entry, since %s uses it, too, in", user);
	else if (r->was != NULL) {
		did = "put back the entry of before in";
		text = agent_entry_with_old(s->cli->arena, r, text, value);
	} else if (agent_entry_without(s->cli->arena, r, comments, &text, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s was not changed: %s; take the entry out by hand", r->path, err.message);
	if (code == CLI_OK && existed == 1 && keep_rest(s, r, &was, text, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	if (code == CLI_OK)
		agents_report(s, r, did, NULL);
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

	if (result == 0 && agents_is_outside(s, r->path))
		result = agent_unshare(s->cli->arena, r->path, s->dir, &user, &err);
	if (result == 0 && existed == 0)
		did = "gone already:";
	else if (result == 0 && user != NULL)
		did = arena_printf(s->cli->arena, "left, since %s uses it, too:", user);
	else if (result == 0 && r->put != NULL && strcmp(agents_mark(s, buf_view(&now)), r->put) != 0)
		did = "left, since it was changed:";
	else if (result == 0 && r->was != NULL) {
		did = "put back";
		result = agent_write(s->dir, r->path, &now, true, span_str(r->was), &err);
	} else if (result == 0)
		result = agent_remove(s->dir, r->path, below_of(s, r), &err);
	buf_fini(&now);
	if (result != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	agents_report(s, r, did, NULL);
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

int
agents_remove(struct setup *s)
{
	struct agent_manifest kept = { 0 };
	int worst = CLI_OK;

	for (size_t i = 0; i < s->manifest.n; i++) {
		const struct agent_record *r = &s->manifest.v[i];

		if (!is_wanted(s, r))
			agent_manifest_add(s->cli->arena, &kept, r);
		else if (s->print)
			agents_report(s, r, r->is_key ? "would take the entry out of" : "would remove", NULL);
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
