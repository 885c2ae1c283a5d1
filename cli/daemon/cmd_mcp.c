#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/process.h"
#include "base/utf8.h"
#include "cli/daemon/cmd_mcp.h"
#include "cli/daemon/daemon.h"
#include "cli/daemon/start_daemon.h"
#include "cli/daemon/reload.h"
#include "cli/args.h"
#include "cli/say.h"
#include "project/config/config_value.h"

#define START_MS	30000	/* to the daemon's first word and a good /health */
#define STOP_MS		12000	/* SIGTERM to SIGKILL: CONTRACT_STOP_MS */
#define POLL_MS		5
#define TOKEN_MAX	4096
#define TOKEN_SHORT	16	/* fewer characters are worth a remark */

static const struct view nothing = { VIEW_NONE, { NULL, 0 } };

/* The file's first line, if no other account can read the file. */
static const char *
read_token_file(struct cli *cli, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[TOKEN_MAX + 2];
	const char *token = NULL;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) != 0) {
		cli_fail(CLI_FAILED, "cannot read the token file %s: %s", path, strerror(errno));
	} else if ((st.st_mode & 077) != 0) {
		cli_fail(CLI_FAILED, "the token file %s can be read by others; run `chmod 600 %s`", path, path);
	} else if ((n = read(fd, text, sizeof(text) - 1)) < 0) {
		cli_fail(CLI_FAILED, "cannot read the token file %s: %s", path, strerror(errno));
	} else {
		text[n] = '\0';
		text[strcspn(text, "\r\n")] = '\0';
		if (*text == '\0' || strlen(text) > TOKEN_MAX)
			cli_fail(CLI_FAILED, "the token file %s must hold one line of at most %d bytes", path,
			    TOKEN_MAX);
		else
			token = arena_cstr(cli->arena, span_str(text));
	}
	if (fd >= 0)
		close(fd);
	return token;
}

int
token_option(struct cli *cli, const char *variable, const char **token)
{
	const char *file = cli_option(cli, "token-file"), *given = variable != NULL ? getenv(variable) : NULL;

	*token = cli_option(cli, "token");
	if (*token != NULL && file != NULL)
		return cli_fail(CLI_USAGE, "give the token once: --token-file, or --token");
	if (file != NULL)
		return (*token = read_token_file(cli, file)) != NULL ? CLI_OK : CLI_FAILED;
	if (*token != NULL)
		cli_note("the token on the command line can be seen by every user of this machine (ps); "
			 "--token-file FILE keeps it to yourself");
	else if (given != NULL && *given != '\0')
		*token = given;
	if (*token != NULL && !utf8_valid((const uint8_t *)*token, strlen(*token)))
		return cli_fail(CLI_USAGE, "the token is not valid UTF-8; use letters, digits and punctuation");
	return CLI_OK;
}

static int
read_start_options(struct cli *cli, struct launch_options *o)
{
	uint64_t port = UINT64_MAX;
	int code;

	*o = (struct launch_options){ .host = cli_option(cli, "host"), .port = -1 };
	if (!cli_number(cli, "port", 0, 65535, &port))
		return CLI_USAGE;
	if ((code = token_option(cli, cli_token_variable(), &o->token)) != CLI_OK)
		return code;
	if (port != UINT64_MAX)
		o->port = (int)port;
	o->hosts = cli_options(cli, "allowed-host", &o->nhosts);
	o->origins = cli_options(cli, "allowed-origin", &o->norigins);
	if (o->host != NULL && !config_is_host(o->host))
		return cli_fail(CLI_USAGE, "--host must be an address or a host name, not \"%s\"", o->host);
	for (size_t i = 0; i < o->nhosts; i++) {
		char *host = arena_cstr(cli->arena, span_str(o->hosts[i]));

		config_host_fold(host);
		if (!config_is_host(host))
			return cli_fail(CLI_USAGE, "--allowed-host must be a host name or an address, not \"%s\"",
			    o->hosts[i]);
		o->hosts[i] = host;
	}
	for (size_t i = 0; i < o->norigins; i++)
		if (!config_is_origin(o->origins[i]))
			return cli_fail(CLI_USAGE,
			    "--allowed-origin must be scheme://host or scheme://host:port, as "
			    "https://app.example.org, not \"%s\"",
			    o->origins[i]);
	return CLI_OK;
}

static void
put_connections(struct cli *cli, struct view status, struct buf *mp)
{
	static const char *const members[] = { "id", "driver", "state", "reason" };
	struct view_iter it = view_iter(view_get(status, "connections"));
	struct view each;

	mp_pair_array(mp, "connections", view_count(view_get(status, "connections")));
	while (view_next(&it, &each)) {
		mp_put_map(mp, 4);
		for (size_t i = 0; i < 4; i++)
			mp_pair_cstr(mp, members[i], view_cstr(cli->arena, view_get(each, members[i]), NULL));
	}
}

/* status: the daemon's own report, NONE when it was not asked. */
static int
show_daemon(struct cli *cli, const struct daemon *d, const char *line, struct view status)
{
	bool asked = status.kind == VIEW_OBJECT;
	struct buf mp = { 0 };
	size_t mark;
	int code;

	if (!cli->json)
		return cli_print("%s\n", line);
	mark = mp_open_map(&mp);
	if (asked)
		put_connections(cli, status, &mp);
	mp_pair_cstr(&mp, "state", daemon_state_name(d->state));
	mp_pair_cstr(&mp, "projectDir", d->project_dir);
	if (d->state != DAEMON_STOPPED) {
		mp_pair_cstr(&mp, "url", d->url);
		mp_pair_uint(&mp, "pid", (uint64_t)d->pid);
		mp_pair_uint(&mp, "port", d->port);
		mp_pair_cstr(&mp, "host", d->host);
		mp_pair_cstr(&mp, "startedAt", d->started_at);
		mp_pair_bool(&mp, "tokenAuth", d->token_auth);
	}
	mp_end(&mp, mark);
	code = cli_json_mp(buf_view(&mp));
	buf_fini(&mp);
	return code;
}

/* Wait until the daemon, whose status line came, also answers over HTTP. */
static int
await_health(struct cli *cli, const char *project, struct daemon *d, struct err *err)
{
	const uint64_t until = clock_ns() + START_MS * CLOCK_MS;

	do {
		if (daemon_look(cli->arena, project, d, err) != 0)
			return -1;
		/* With a Unix socket (server.listen) the status line must suffice. */
		if (d->state == DAEMON_RUNNING && (d->port == 0 || daemon_health(d->host, d->port, err) == 0))
			return 0;
		poll(NULL, 0, POLL_MS);
	} while (clock_ns() < until);
	return -1;
}

/* In the foreground the command is only a wrapper: it forwards signals and ends with the daemon. */
static volatile sig_atomic_t lid_pid;

static void
pass_on(int sig)
{
	if (lid_pid > 0)
		kill((pid_t)lid_pid, sig);
}

static int
wait_for_daemon(pid_t pid)
{
	int status;

	lid_pid = (sig_atomic_t)pid;
	status = process_wait(pid);
	if (WIFEXITED(status))
		return WEXITSTATUS(status) == 0 ? CLI_OK : CLI_FAILED;
	return cli_fail(CLI_FAILED, "carreld was ended by signal %d", WTERMSIG(status));
}

static bool
is_wildcard(const char *host)
{
	return strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0 || strcmp(host, "[::]") == 0;
}

/* Remarks after the URL: connections that are not served, how others get access, what is temporary. */
static void
note_circumstances(struct cli *cli, const struct config *cfg, const struct launch_options *o, const struct daemon *d,
    struct view status)
{
	(void)reload_note_unavailable(cli, status);
	if (is_wildcard(d->host) && o->nhosts == 0 && cfg->allowed_hosts.n == 0)
		cli_note("other machines are refused until they are allowed by the name they use: `carrel mcp restart "
			 "--allowed-host NAME`, or server.allowed_hosts in %s",
		    cfg->file);
	if (!daemon_has_url(d))
		cli_note("clients cannot name a Unix socket: set server.public_url in %s to the address they use",
		    cfg->file);
	if (o->token != NULL && strlen(o->token) < TOKEN_SHORT)
		cli_note("the token has %zu characters and can be guessed; `openssl rand -hex 32` makes a better one",
		    strlen(o->token));
	if (o->port > 0 && cli_flag(cli, "port") && (unsigned)o->port != cfg->port)
		cli_note("the port %d is for this run; `port: %d` below `server:` in %s keeps it", o->port, o->port,
		    cfg->file);
}

/* If there is no administrator yet, print a link that works once. */
static void
note_setup(struct cli *cli, const struct config *cfg)
{
	static const uint8_t no_arguments[] = { 0x80 };
	struct view result;
	struct client c;
	const char *url;

	if (!cfg->oauth.enabled || cfg->proxy_header != NULL || client_open(cli, &c, CLIENT_CLI, NULL, true) != 0)
		return;
	if (client_tool(&c, "setup_link", span_of(no_arguments, 1), NULL, NULL, &result, &(struct err){ 0 }) == 0 &&
	    (url = view_cstr(cli->arena, view_get(result, "url"), NULL)) != NULL)
		cli_note("there is no administrator yet; this link makes the first one, once and within an hour: %s",
		    url);
	client_close(&c);
}

/* The URL on its own line, then how a client is told of it. */
static int
show_started(struct cli *cli, const struct config *cfg, const struct launch_options *o, const struct daemon *d)
{
	struct view status = { VIEW_NONE, { NULL, 0 } };
	struct client c = { .fd = -1, .status_fd = -1 };
	const char *line = d->url;
	int code;

	if (reload_settled(cli, &c, &status) != CLI_OK)
		return CLI_FAILED;
	if (daemon_has_url(d) && !cli->json)
		line = arena_printf(cli->arena,
		    "%s\n\nConnect a client:\n  claude mcp add --transport http carrel %s%s\n"
		    "  carrel setup-agents --target claude-code   (or another: `carrel setup-agents --help`)",
		    d->url, d->url, d->token_auth ? " --header 'Authorization: Bearer ${CARREL_MCP_TOKEN}'" : "");
	code = show_daemon(cli, d, line, status);
	if (code == CLI_OK)
		note_circumstances(cli, cfg, o, d, status);
	client_close(&c);
	if (code == CLI_OK)
		note_setup(cli, cfg);
	return code;
}

/* Name the project whose daemon holds the port, also when the kernel does not tell. */
static int
fail_start(struct cli *cli, const struct config *cfg, const struct launch_options *o, const struct err *err)
{
	const char *whose = strstr(err->message, "already in use") == NULL ?
	    NULL :
	    daemon_project_at(cli->arena, o->host != NULL ? o->host : cfg->host,
		o->port >= 0 ? (unsigned)o->port : cfg->port);

	return whose == NULL ? cli_fail(CLI_FAILED, "%s", err->message) :
			       cli_fail(CLI_FAILED, "%s; the Carrel of %s listens there", err->message, whose);
}

static int
launch(struct cli *cli, const struct config *cfg, const struct launch_options *o, bool foreground)
{
	struct daemon_launch l = { .kind = foreground ? LAUNCH_FOREGROUND : LAUNCH_DETACHED,
		.program = cli_program(cli, "carreld"), .project_dir = cfg->project_dir };
	struct buf document = { 0 }, line = { 0 };
	struct daemon d;
	struct err err;
	int status_fd = -1, code;
	pid_t pid;

	if (l.program == NULL)
		return CLI_FAILED;
	if (foreground) {
		struct sigaction sa = { .sa_handler = pass_on };

		sigaction(SIGTERM, &sa, NULL);
		sigaction(SIGINT, &sa, NULL);
		sigaction(SIGHUP, &sa, NULL);
	}
	launch_document(cfg, o, &document);
	l.document = buf_view(&document);
	pid = launch_start(&l, &status_fd, &err);
	buf_wipe(&document);
	if (pid < 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	lid_pid = foreground ? (sig_atomic_t)pid : 0;
	if (launch_wait(status_fd, START_MS, &line, &err) != 0 || await_health(cli, cfg->project_dir, &d, &err) != 0) {
		kill(pid, SIGTERM);
		code = fail_start(cli, cfg, o, &err);
	} else
		code = show_started(cli, cfg, o, &d);
	buf_fini(&line);
	close(status_fd);
	return foreground && code == CLI_OK ? wait_for_daemon(pid) : code;
}

/* Whether an option differs from what the running daemon was started with. */
static bool
differs(const struct cli *cli, const struct launch_options *o, const struct daemon *d)
{
	return (o->port > 0 && (unsigned)o->port != d->port) || (o->host != NULL && strcmp(o->host, d->host) != 0) ||
	    (o->token != NULL && !d->token_auth) || cli_flag(cli, "token") || cli_flag(cli, "token-file") ||
	    o->nhosts > 0 || o->norigins > 0;
}

/* Read the configuration, and how the project's daemon stands.  CLI_OK, or the exit code after a message. */
static int
look_at_daemon(struct cli *cli, struct config *cfg, struct daemon *d)
{
	struct err err;

	if (!cli_config(cli, true, cfg))
		return CLI_FAILED;
	if (daemon_look(cli->arena, cfg->project_dir, d, &err) != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	return CLI_OK;
}

int
cmd_mcp_start(struct cli *cli)
{
	struct launch_options o;
	struct config cfg = { 0 };
	struct daemon d;
	int code;

	if ((code = read_start_options(cli, &o)) != CLI_OK)
		return code;
	if ((code = look_at_daemon(cli, &cfg, &d)) != CLI_OK)
		return code;
	if (d.state == DAEMON_RUNNING) {
		if (differs(cli, &o, &d))
			cli_note("the daemon that runs keeps its address and token; `carrel mcp restart` with the same "
				 "options takes the new ones");
		code = show_daemon(cli, &d, arena_printf(cli->arena, "Already running: %s", d.url), nothing);
		if (code == CLI_OK)
			note_setup(cli, &cfg);
		return code;
	}
	return launch(cli, &cfg, &o, cli_flag(cli, "foreground"));
}

/* The process has ended, or is a zombie: either way it holds no descriptor any more. */
static bool
is_gone(pid_t pid)
{
	char path[64], line[256] = "";
	const char *state;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	if ((f = fopen(path, "re")) == NULL)
		return true;
	if (fgets(line, sizeof(line), f) == NULL)
		line[0] = '\0';
	fclose(f);
	state = strrchr(line, ')');
	return state == NULL || state[1] == '\0' || state[2] == 'Z' || state[2] == 'X';
}

static bool
await_end(pid_t pid, unsigned ms)
{
	const uint64_t until = clock_ns() + ms * CLOCK_MS;

	while (!is_gone(pid)) {
		if (clock_ns() >= until)
			return false;
		poll(NULL, 0, POLL_MS);
	}
	return true;
}

static void
remove_state_file(const char *project)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/.carrel/mcp.json", project);
	unlink(path);
}

/* SIGTERM, STOP_MS of time, SIGKILL.  *killed: SIGKILL was needed.  CLI_OK, or the exit code after a message. */
static int
end_daemon(const struct daemon *d, const char *project, bool *killed)
{
	*killed = false;
	if (kill(d->pid, SIGTERM) != 0 && errno != ESRCH)
		return cli_fail(CLI_FAILED, "cannot stop the daemon (pid %ld): %s; run as the user who started it",
		    (long)d->pid, strerror(errno));
	if (await_end(d->pid, STOP_MS))
		return CLI_OK;
	kill(d->pid, SIGKILL);
	if (!await_end(d->pid, 2000))
		return cli_fail(CLI_FAILED, "pid %ld does not end even when killed; see `ps -p %ld`", (long)d->pid,
		    (long)d->pid);
	remove_state_file(project);
	*killed = true;
	return CLI_OK;
}

int
cmd_mcp_stop(struct cli *cli)
{
	const char *project = cli_project(cli);
	bool killed;
	struct daemon d;
	struct err err;

	if (project == NULL)
		return CLI_FAILED;
	if (daemon_look(cli->arena, project, &d, &err) != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	if (d.state == DAEMON_STALE) {
		remove_state_file(project);
		return cli_fail(CLI_NOT_RUNNING, "the daemon was gone already (pid %ld); its mcp.json is removed",
		    (long)d.pid);
	}
	if (d.state == DAEMON_STOPPED)
		return cli_fail(CLI_NOT_RUNNING, "the daemon is not running; start it with `carrel mcp start`");
	if (end_daemon(&d, project, &killed) != CLI_OK)
		return CLI_FAILED;
	d.state = DAEMON_STOPPED;
	return show_daemon(cli, &d, killed ? "Stopped. It took too long and was killed." : "Stopped.", nothing);
}

int
cmd_mcp_restart(struct cli *cli)
{
	struct launch_options o;
	struct config cfg = { 0 };
	struct daemon d;
	bool killed;
	int code;

	if ((code = read_start_options(cli, &o)) != CLI_OK)
		return code;
	/* Report configuration errors before stopping anything. */
	if ((code = look_at_daemon(cli, &cfg, &d)) != CLI_OK)
		return code;
	if (d.state == DAEMON_RUNNING) {
		if (d.token_auth && o.token == NULL && cfg.token == NULL)
			return cli_fail(CLI_USAGE,
			    "the daemon was started with a token, which it alone knows; give it again: "
			    "--token-file FILE, or CARREL_MCP_TOKEN");
		/*
		 * Keep the port, so that clients still find the daemon, unless the configuration or an option
		 * changes it.
		 */
		if (o.port < 0 && cfg.listen == NULL && d.port != 0)
			o.port = (int)d.port;
		if (o.host == NULL && cfg.listen == NULL && d.port != 0)
			o.host = d.host;
		if (end_daemon(&d, cfg.project_dir, &killed) != CLI_OK)
			return CLI_FAILED;
	}
	return launch(cli, &cfg, &o, cli_flag(cli, "foreground"));
}

int
cmd_mcp_reload(struct cli *cli)
{
	struct view status = nothing;
	struct config cfg = { 0 };
	struct client c;
	struct daemon d;
	struct err err;
	int code;

	if ((code = look_at_daemon(cli, &cfg, &d)) != CLI_OK)
		return code;
	if (d.state != DAEMON_RUNNING)
		return cli_fail(CLI_NOT_RUNNING, "the daemon is not running; start it with `carrel mcp start`");
	if (reload_daemon(cli, &cfg, &d) != CLI_OK || reload_settled(cli, &c, &status) != CLI_OK)
		return CLI_FAILED;
	if (daemon_look(cli->arena, cfg.project_dir, &d, &err) != 0) /* the address may have changed */
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else if ((code = show_daemon(cli, &d, arena_printf(cli->arena, "Reloaded: %s", d.url), status)) == CLI_OK)
		(void)reload_note_unavailable(cli, status);
	client_close(&c);
	return code;
}

int
cmd_mcp_status(struct cli *cli)
{
	const char *project = cli_project(cli), *line;
	struct daemon d;
	struct err err;
	int code;

	if (project == NULL)
		return CLI_FAILED;
	if (daemon_look(cli->arena, project, &d, &err) != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	if (d.state == DAEMON_RUNNING)
		line =
		    arena_printf(cli->arena, "running   %s\npid       %ld\nstarted   %s\ntoken     %s\nproject   %s%s",
			d.url, (long)d.pid, d.started_at, d.token_auth ? "required" : "none", project,
			d.answers ? "" : "\nIt does not take connections; it may be starting or stopping.");
	else if (d.state == DAEMON_STALE)
		line = arena_printf(cli->arena,
		    "stale     pid %ld ended without cleaning up; "
		    "`carrel mcp start` starts a new one",
		    (long)d.pid);
	else
		line = "stopped   start it with `carrel mcp start`";
	code = show_daemon(cli, &d, line, nothing);
	return code != CLI_OK ? code : d.state == DAEMON_RUNNING ? CLI_OK : CLI_NOT_RUNNING;
}
