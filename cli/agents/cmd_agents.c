#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/json/json_put.h"
#include "cli/agents/agents_put.h"
#include "cli/agents/agents_take.h"
#include "cli/agents/cmd_agents.h"
#include "cli/daemon/daemon.h"
#include "project/paths.h"
#include "cli/agents/agents_files.h"
#include "cli/args.h"
#include "cli/say.h"

#define SKILL_FILE_MAX	((size_t)1 << 20)

const char *const setup_skills[SETUP_SKILLS] = { "carrel-analytics", "carrel-connectivity" };

/* Report an action, at once or collected for --json.  content: a text to print; may be NULL. */
void
agents_report(struct setup *s, const struct agent_record *r, const char *action, const struct buf *content)
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
	s->nresults++;
	json_put_object(out, NULL);
	json_put_cstr(out, "target", r->target);
	json_put_cstr(out, "scope", r->scope);
	json_put_cstr(out, "action", action);
	json_put_cstr(out, "path", r->path);
	if (content != NULL)
		json_put_str(out, "content", content->len > 0 ? buf_view(content) : SPAN(""));
	json_end_object(out);
}

void
agents_next(struct setup *s, const char *text)
{
	if (!s->cli->json) {
		if (s->print)
			cli_note("next: %s", text);
		else
			(void)cli_print("Next: %s\n", text);
		return;
	}
	json_put_cstr(&s->next, NULL, text);
}

/* A digest of a file that we wrote, to notice later changes. */
const char *
agents_mark(struct setup *s, struct span text)
{
	return arena_printf(s->cli->arena, "%016llx", (unsigned long long)hash_of(text));
}

bool
agents_is_outside(const struct setup *s, const char *path)
{
	size_t n = strlen(s->dir);

	return strncmp(path, s->dir, n) != 0 || path[n] != '/';
}

static bool
is_name(const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < n; i++)
		if (!ascii_is_alnum((uint8_t)name[i]) && name[i] != '-' && name[i] != '_')
			return false;
	return n > 0 && n <= SETUP_NAME_MAX;
}

static int
load_skills(struct setup *s)
{
	for (size_t i = 0; i < SETUP_SKILLS; i++) {
		const char *file =
		    cli_share(s->cli, arena_printf(s->cli->arena, "skills/%s/SKILL.md", setup_skills[i]));
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

static int
find_target_dir(struct setup *s)
{
	const char *given = cli_option(s->cli, "dir"), *name = cli_option(s->cli, "name");
	char real[PATH_MAX];
	struct stat st;

	if (name != NULL && !is_name(name))
		return cli_fail(CLI_USAGE, "--name is made of letters, digits, - and _, at most %d of them",
		    SETUP_NAME_MAX);
	if (given == NULL)
		return CLI_OK;
	if (realpath(given, real) == NULL || stat(real, &st) != 0 || !S_ISDIR(st.st_mode))
		return cli_fail(CLI_USAGE, "--dir %s: there is no such directory", given);
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

/* The requested scope; else project or --dir if the client's usual file is there; else the client's default. */
static int
choose_scope(const struct setup *s, const struct agent_target *t, enum agent_scope *scope)
{
	const char *asked = cli_option(s->cli, "scope"), *shared = cli_option(s->cli, "shared");

	if (shared != NULL && strcmp(shared, "write") != 0 && strcmp(shared, "skip") != 0)
		return cli_fail(CLI_USAGE, "--shared is write or skip, not \"%s\"", shared);
	if (asked == NULL) {
		*scope = t->places[AGENT_PROJECT].supported && (!t->global || cli_option(s->cli, "dir") != NULL) ?
		    AGENT_PROJECT :
		    AGENT_GLOBAL;
		return CLI_OK;
	}
	if ((*scope = agent_scope(asked)) == AGENT_NSCOPES)
		return cli_fail(CLI_USAGE, "--scope is global, local or project, not \"%s\"", asked);
	if (!t->places[*scope].supported)
		return cli_fail(CLI_USAGE, "%s has no scope %s; its scopes are%s%s%s", t->name, asked,
		    t->places[AGENT_GLOBAL].supported ? " global" : "",
		    t->places[AGENT_LOCAL].supported ? " local" : "",
		    t->places[AGENT_PROJECT].supported ? " project" : "");
	return CLI_OK;
}

static int
put_in(struct setup *s)
{
	enum agent_scope scopes[CLI_OPTIONS_MAX];
	const struct agent_target *targets[CLI_OPTIONS_MAX];
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
		if (agents_install(s, targets[i], scopes[i]) != CLI_OK)
			worst = CLI_FAILED;
	if (s->server.stdio)
		return worst;
	if (s->server.token)
		agents_next(s, "set the variable CARREL_MCP_TOKEN where the client is started");
	if (s->running && s->listens_at != 0 && s->listens_at != s->configured)
		agents_next(s,
		    arena_printf(s->cli->arena,
			"the daemon has port %u for this run alone, and that is what was written: "
			"`port: %u` below `server:` in the configuration keeps it",
			s->listens_at, s->listens_at));
	if (!s->running)
		agents_next(s,
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
	code = cli_flag(cli, "remove") ? agents_remove(&s) : put_in(&s);
	if (code != CLI_USAGE && !s.print && agent_manifest_write(s.dir, &s.manifest, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	if (cli->json && (code == CLI_OK || s.nresults > 0)) {
		json_put_object(&out, NULL);
		json_put_cstr(&out, "projectDir", s.dir);
		json_put_cstr(&out, "url", s.server.url);
		json_put_bool(&out, "tokenAuth", s.server.token);
		json_put_bool(&out, "running", s.running);
		json_put_list(&out, "results");
		json_put_members(&out, buf_view(&s.results));
		json_end_list(&out);
		json_put_list(&out, "nextSteps");
		json_put_members(&out, buf_view(&s.next));
		json_end_list(&out);
		json_end_object(&out);
		if (cli_json(buf_view(&out)) != CLI_OK)
			code = CLI_FAILED;
	}
	buf_fini(&out);
	buf_fini(&s.results);
	buf_fini(&s.next);
	return code;
}
