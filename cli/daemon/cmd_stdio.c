#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <limits.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/system/io.h"
#include "cli/daemon/client.h"
#include "cli/cmd_connection_edit.h"
#include "cli/cmd_init.h"
#include "cli/daemon/cmd_mcp.h"
#include "cli/scans_project.h"
#include "policy/token.h"
#include "cli/args.h"
#include "cli/daemon/cmd_stdio.h"
#include "cli/say.h"
#include "project/config/secret.h"

#define QUIET_MS	250	/* after the end of input: end when no answer came for so long */
#define CHUNK		65536
#define PENDING_MAX	((size_t)1 << 20)	/* of input the daemon has not taken yet: then stdin waits */

/* Copies from the daemon to stdout, blocking on stdout.  False: the conversation is over. */
static bool
pass_answers(int socket)
{
	static uint8_t chunk[CHUNK];
	ssize_t n = recv(socket, chunk, sizeof(chunk), MSG_DONTWAIT);

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	return n > 0 && io_write(STDOUT_FILENO, span_of(chunk, (size_t)n)) == 0;
}

/* Reads from stdin into pending.  False at its end. */
static bool
take_input(struct buf *pending)
{
	ssize_t n = read(STDIN_FILENO, buf_reserve(pending, CHUNK), CHUNK);

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	pending->len += (size_t)n;
	return n > 0;
}

/* Send pending input to the daemon, as much as the socket takes.  False when the daemon is gone. */
static bool
pass_input(int socket, struct buf *pending)
{
	ssize_t n = send(socket, pending->p, pending->len, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	buf_consume(pending, (size_t)n);
	return true;
}

/* Returns true when our client ended the conversation, false when the daemon did. */
static bool
proxy(int socket)
{
	struct buf pending = { 0 };
	bool input = true, over = false, ended_here = false;

	while (!over) {
		struct pollfd p[2] = { { .fd = socket, .events = POLLIN }, { .fd = -1, .events = POLLIN } };
		int n;

		if (pending.len > 0)
			p[0].events |= POLLOUT;
		if (input && pending.len < PENDING_MAX)
			p[1].fd = STDIN_FILENO;
		n = poll(p, 2, input ? -1 : QUIET_MS);
		if (n < 0 && errno != EINTR)
			break;
		if (n == 0) {
			ended_here = true;
			break;
		}
		if (p[1].revents != 0)
			input = take_input(&pending);
		if (p[0].revents & (POLLIN | POLLHUP | POLLERR))
			over = !pass_answers(socket);
		if (!over && (p[0].revents & POLLOUT))
			over = !pass_input(socket, &pending);
	}
	buf_fini(&pending);
	return ended_here || !input;
}

/* The directories above it as well; only for us. */
static int
make_private(char *dir)
{
	for (char *p = strchr(dir + 1, '/');; p = strchr(p + 1, '/')) {
		if (p != NULL)
			*p = '\0';
		if (mkdir(dir, 0700) != 0 && errno != EEXIST)
			return cli_fail(CLI_FAILED, "cannot make %s: %s; set XDG_STATE_HOME to a place of yours", dir,
			    strerror(errno));
		if (p == NULL)
			return CLI_OK;
		*p = '/';
	}
}

/* A directory for each database path, so that a later start finds the scan again. */
static const char *
private_place(struct cli *cli)
{
	static const char *const options[] = { "url", "path", "name" };
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME"), **schemas;
	uint64_t mark = HASH_START;
	char real[PATH_MAX];
	size_t n;

	for (size_t i = 0; i < 3; i++) {
		const char *value = cli_option(cli, options[i]);

		/* A relative path means another file in another directory. */
		if (i == 1 && value != NULL && realpath(value, real) != NULL)
			value = real;
		if (value != NULL)
			mark = hash_more(hash_step(mark, i), value, strlen(value));
	}
	for (size_t k = 0; k < 2; k++) {
		schemas = cli_options(cli, k == 0 ? "schema" : "schemas", &n);
		for (size_t i = 0; i < n; i++)
			mark = hash_more(hash_step(mark, 3 + k), schemas[i], strlen(schemas[i]));
	}
	if (cli_flag(cli, "all-schemas"))
		mark = hash_step(mark, 5);
	if (state != NULL && *state == '/')
		return arena_printf(cli->arena, "%s/carrel/projects/%016llx", state, (unsigned long long)mark);
	if (home != NULL && *home == '/')
		return arena_printf(cli->arena, "%s/.local/state/carrel/projects/%016llx", home,
		    (unsigned long long)mark);
	(void)cli_fail(CLI_FAILED, "neither HOME nor XDG_STATE_HOME is set, so there is no place for a project");
	return NULL;
}

/* --url or --path: the project is ours, made and scanned when it is new.  Nothing is written to stdout. */
static int
private_project(struct cli *cli)
{
	struct config cfg = { 0 };
	const char *place;
	char dir[PATH_MAX];
	bool is_new;
	int code;

	if (!cli_flag(cli, "url") && !cli_flag(cli, "path"))
		return project_options(cli);
	if (cli->project_option != NULL)
		return cli_fail(CLI_USAGE, "a project has its connections: give --project-dir, or --url or --path");
	if ((place = private_place(cli)) == NULL)
		return CLI_FAILED;
	snprintf(dir, sizeof(dir), "%s", place);
	if (make_private(dir) != CLI_OK || project_make(dir) != CLI_OK)
		return CLI_FAILED;
	cli->project_option = place;
	cli->quiet = true;
	if (!cli_config(cli, false, &cfg))
		return CLI_FAILED;
	is_new = cfg.nconnections == 0;
	code = is_new ? project_connect(cli, place) : CLI_OK;
	if (!cli_config(cli, false, &cfg))
		return CLI_FAILED;
	if (cfg.nconnections == 0)
		return code != CLI_OK ? code : CLI_FAILED;
	/* A connection that cannot be tested or scanned is served with its error, and tried again at the next start. */
	if (last_scan(cli, cfg.project_dir, cfg.connections[0].id) == NULL &&
	    (is_new ? code : connection_take_schemas(cli, cfg.connections[0].id)) == CLI_OK)
		(void)project_scan(cli, cfg.connections[0].id);
	return CLI_OK;
}

/*
 * Reports on stderr, which clients keep in a log, what will not be served: the client starts us with its own
 * environment.  A database that does not answer is reported to the caller that asks it.
 */
static void
note_unserved(struct cli *cli)
{
	struct config_issues issues = { 0 };
	struct buf value = { 0 };
	struct config cfg = { 0 };
	const char *dir = cli_project(cli);
	struct err err;

	if (dir == NULL || config_load(cli->arena, dir, &cfg, &issues, &err) != 0)
		return;
	for (size_t i = 0; i < cfg.nconnections; i++) {
		const struct config_connection *c = &cfg.connections[i];
		const char *url = config_setting(c, "url"), *ref = url != NULL ? url : c->path_ref, *fault;

		if (c->unusable != NULL)
			cli_note("the connection %s is unavailable: %s", c->id, c->unusable);
		else if (ref != NULL && config_env_name(ref) != NULL &&
		    (config_secret(ref, CONFIG_HOLDS_URL, dir, NULL, cli_getenv, NULL, &value, &err) != 0 ||
			value.len == 0))
			cli_note("the connection %s is unavailable unless the daemon has the variable %s, which has no "
				 "value "
				 "here: name it in the client's `env` for this server, or export it",
			    c->id, config_env_name(ref));
		else if (c->driver != NULL && c->driver->fault != NULL &&
		    (fault = c->driver->fault(c, cli->arena)) != NULL)
			cli_note("the connection %s is not complete: %s", c->id, fault);
		else if (c->path != NULL && access(c->path, R_OK) != 0)
			cli_note("the connection %s is unavailable: %s: %s", c->id, c->path, strerror(errno));
		buf_wipe(&value);
	}
	buf_fini(&value);
}

/*
 * The token of this conversation: as given, or a connectivity token in the variable.  A static one there is for the
 * daemon and its HTTP clients: over stdio its owner needs none, and a private daemon would not know it.
 */
static int
stdio_token(struct cli *cli, const char **token)
{
	const char *variable = getenv("CARREL_MCP_TOKEN");
	int code = token_option(cli, NULL, token);

	if (code == CLI_OK && *token == NULL && variable != NULL && policy_token_is(NULL, span_str(variable)))
		*token = variable;
	return code;
}

int
cmd_mcp_stdio(struct cli *cli)
{
	const char *token = NULL;
	struct client c;
	bool ours;
	int code;

	if ((code = stdio_token(cli, &token)) != CLI_OK || (code = private_project(cli)) != CLI_OK)
		return code;
	if (client_open(cli, &c, CLIENT_STDIO, token, false) != 0)
		return CLI_FAILED;
	note_unserved(cli);
	/* The answer to hello is consumed; nothing else has been sent yet. */
	ours = proxy(c.fd);
	client_close(&c);
	return ours ?
	    CLI_OK :
	    cli_fail(CLI_FAILED, "the daemon closed the conversation; see `carrel mcp status` and `carrel mcp logs`");
}
