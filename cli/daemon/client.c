#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sodium.h>

#include "base/system/clock.h"
#include "base/system/io.h"
#include "base/json/json_put.h"
#include "base/json/json_write.h"
#include "cli/daemon/client.h"
#include "cli/daemon/daemon.h"
#include "cli/daemon/start_daemon.h"
#include "cli/daemon/tool_words.h"
#include "policy/proof.h"
#include "policy/tools.h"
#include "project/paths.h"
#include "cli/say.h"

#define PROTOCOL	"2026-07-28"	/* the stateless revision: no handshake before a call */
#define REOPEN_TRIES	50		/* attempts to reach a front that is not shutting down */
#define REOPEN_MS	20
#define PRIVATE_STOP_MS	12000		/* a private daemon's end after ours, as CONTRACT_STOP_MS */

static volatile sig_atomic_t interrupted;

static void
note_interrupt(int signo)
{
	(void)signo;
	interrupted = 1;
}

void
client_cancellable(struct client *c)
{
	/* No SA_RESTART: waiting for an answer ends. */
	struct sigaction sa = { .sa_handler = note_interrupt, .sa_flags = (int)SA_RESETHAND };

	c->cancellable = true;
	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
}

static int
send_all(struct client *c, struct span bytes, struct err *err)
{
	if (io_send(c->fd, bytes) != 0)
		return err_set(err, ERR_SERVICE_UNAVAILABLE, "the daemon went away: %s", strerror(errno));
	return 0;
}

/* The reason that a private daemon reported for ending, if it did. */
static int
explain_end(struct client *c, struct err *err)
{
	struct buf line = { 0 };
	int r = -1;

	if (c->status_fd >= 0)
		r = launch_wait(c->status_fd, 2000, &line, err);
	if (r == 0 || c->status_fd < 0)
		err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "the daemon closed the conversation; "
		    "see `carrel status` and `carrel mcp logs`");
	buf_fini(&line);
	return -1;
}

/* The next line without its newline; borrowed until the next call. */
static int
next_line(struct client *c, struct span *line, struct err *err)
{
	size_t seen = 0;

	buf_consume(&c->in, c->line);
	c->line = 0;
	for (;;) {
		const uint8_t *end = c->in.len > seen ? memchr(c->in.p + seen, '\n', c->in.len - seen) : NULL;
		ssize_t n;

		if (end != NULL) {
			*line = span_of(c->in.p, (size_t)(end - c->in.p));
			c->line = line->len + 1;
			return 0;
		}
		seen = c->in.len;
		if (seen > CLIENT_LINE_MAX)
			return err_set(err, ERR_INTERNAL, "the answer is longer than %zu MiB; ask for less",
			    CLIENT_LINE_MAX >> 20);
		if (c->cancellable && interrupted != 0)
			return err_set(err, ERR_QUERY_CANCELLED, "cancelled");
		n = recv(c->fd, buf_reserve(&c->in, 65536), 65536, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			c->unsent = n < 0 && errno == ECONNRESET; /* the daemon has not read all that it was sent */
			return explain_end(c, err);
		}
		c->in.len += (size_t)n;
	}
}

static int
send_request(struct client *c, const char *method, struct span params, struct err *err)
{
	struct buf line = { 0 };
	struct mp_value v;
	int r;

	if (!mp_value(params, &v))
		abort();
	json_put_object(&line, NULL);
	json_put_cstr(&line, "jsonrpc", "2.0");
	json_put_uint(&line, "id", c->next_id);
	json_put_cstr(&line, "method", method);
	json_put_key(&line, "params");
	json_write(&line, &v);
	json_end_object(&line);
	buf_byte(&line, '\n');
	r = send_all(c, buf_view(&line), err);
	c->unsent = r != 0;
	buf_wipe(&line);
	return r;
}

/* No answer will come. */
static void
take_back(struct client *c, uint64_t id)
{
	struct buf line = { 0 };
	struct err ignored;

	json_put_object(&line, NULL);
	json_put_cstr(&line, "jsonrpc", "2.0");
	json_put_cstr(&line, "method", "notifications/cancelled");
	json_put_object(&line, "params");
	json_put_uint(&line, "requestId", id);
	json_end_object(&line);
	json_end_object(&line);
	buf_byte(&line, '\n');
	(void)send_all(c, buf_view(&line), &ignored);
	buf_fini(&line);
}

static void
show_progress(struct view params, client_progress_fn *progress, void *arg)
{
	double total = view_number(view_get(params, "total"), 1);
	struct buf message = { 0 };

	if (view_get(params, "message").kind == VIEW_STRING)
		view_text(view_get(params, "message"), &message);
	progress(arg, view_number(view_get(params, "progress"), 0) / (total > 0 ? total : 1), buf_cstr(&message));
	buf_fini(&message);
}

/* The message of an error object, and its code if it is one of Carrel's. */
static int
take_error(struct view error, struct view message, struct err *err)
{
	struct buf said = { 0 }, text = { 0 }, name = { 0 };
	enum err_code code;

	view_text(message, &said);
	words_translate(buf_view(&said), &text);
	if (view_get(error, "code").kind == VIEW_STRING)
		view_text(view_get(error, "code"), &name);
	code = err_from_name(buf_cstr(&name));
	err_set(err, code == ERR_NONE ? ERR_INTERNAL : code, "%s",
	    text.len > 0 ? buf_cstr(&text) : "the daemon gave no reason");
	buf_fini(&said);
	buf_fini(&text);
	buf_fini(&name);
	return -1;
}

/* Go on with the front's successor, as the same client. */
static bool
client_move(struct client *c)
{
	struct client next;
	struct err ignored;
	pid_t peer;
	int fd;

	for (unsigned tries = 0; c->project != NULL && tries < REOPEN_TRIES; tries++, poll(NULL, 0, REOPEN_MS)) {
		if ((fd = daemon_connect(c->project, &peer)) < 0)
			continue;
		client_init(&next, fd);
		if (client_hello(&next, CLIENT_CLI, NULL, &ignored) != 0) {
			client_close(&next);
			continue;
		}
		close(c->fd);
		buf_fini(&c->in);
		c->fd = fd;
		c->in = next.in;
		c->line = next.line;
		c->next_id = next.next_id;
		return true;
	}
	return false;
}

/* Send the request and read the first line that comes back. */
static int
ask_line(struct client *c, const char *method, struct span params, struct span *line, struct err *err)
{
	c->next_id++;
	return send_request(c, method, params, err) != 0 ? -1 : next_line(c, line, err);
}

int
client_call(struct client *c, const char *method, struct span params,
    client_progress_fn *progress, void *arg, struct view *result, struct err *err)
{
	struct span line = { NULL, 0 };
	int r = ask_line(c, method, params, &line, err);

	if (r != 0 && c->unsent && client_move(c))
		r = ask_line(c, method, params, &line, err);
	for (;; r = next_line(c, &line, err)) {
		struct view answer, error;

		if (r != 0) {
			if (err->code == ERR_QUERY_CANCELLED)
				take_back(c, c->next_id);
			return -1;
		}
		answer = view_of(line);
		if (answer.kind != VIEW_OBJECT)
			return err_set(err, ERR_INTERNAL, "the daemon answered something that is no JSON-RPC");
		if (view_get(answer, "method").kind == VIEW_STRING) {
			if (progress != NULL &&
			    span_is_str(view_get(answer, "method").raw, "\"notifications/progress\""))
				show_progress(view_get(answer, "params"), progress, arg);
			continue;
		}
		error = view_get(answer, "error");
		/* An error without an id is the answer to a request that could not be parsed. */
		if (view_uint(view_get(answer, "id"), 0) != c->next_id && error.kind != VIEW_OBJECT)
			continue;
		if (error.kind == VIEW_OBJECT)
			return take_error(view_get(error, "data"), view_get(error, "message"), err);
		*result = view_get(answer, "result");
		return 0;
	}
}

/* The proof for the worker of a LOCAL tool.  False: no proof is needed, or none can be given. */
static bool
client_prove(const struct client *c, const char *tool, struct span arguments, char hex[2 * PROOF_SIZE + 1])
{
	const struct policy_tool *row = policy_tool(span_str(tool));
	uint8_t key[PROOF_KEY], nonce[PROOF_NONCE], proof[PROOF_SIZE];
	struct proof_call call = { .tool = span_str(tool), .args = arguments };
	struct mp_value args;

	if (!c->has_root || row == NULL || row->toolset != POLICY_TOOLSET_LOCAL || !mp_value(arguments, &args) ||
	    getrandom(nonce, sizeof(nonce), 0) != sizeof(nonce))
		return false;
	call.connection = policy_tool_connection(row, &args);
	keys_derive_local(c->root, ipc_role_name(row->role), key, sizeof(key));
	proof_make(key, &call, clock_ns(), nonce, proof);
	sodium_bin2hex(hex, 2 * PROOF_SIZE + 1, proof, sizeof(proof));
	sodium_memzero(key, sizeof(key));
	return true;
}

static void
put_meta(struct buf *mp, const char *name, bool progress, const char *proof)
{
	size_t map;

	mp_put_cstr(mp, "_meta");
	map = mp_open_pairs(mp, mp_when(proof != NULL, mp_cstr(PROOF_META, proof)),
	    mp_cstr("io.modelcontextprotocol/protocolVersion", PROTOCOL));
	mp_put_cstr(mp, "io.modelcontextprotocol/clientCapabilities");
	mp_put_map(mp, 0);
	mp_put_cstr(mp, "io.modelcontextprotocol/clientInfo");
	mp_put_pairs(mp, mp_cstr("name", name), mp_cstr("version", CARREL_VERSION));
	if (progress)
		mp_pair_uint(mp, "progressToken", 1);
	mp_end(mp, map);
}

/* The sentence of a failed tool: its text block. */
static struct view
first_text(struct view result)
{
	struct view_iter it = view_iter(view_get(result, "content"));
	struct view block;

	if (view_next(&it, &block))
		return view_get(block, "text");
	return view_get(result, "structuredContent.error.message");
}

int
client_tool(struct client *c, const char *tool, struct span arguments,
    client_progress_fn *progress, void *arg, struct view *result, struct err *err)
{
	struct buf params = { 0 };
	struct view answer = { VIEW_NONE, { NULL, 0 } };
	char proof[2 * PROOF_SIZE + 1];
	int r;

	mp_put_map(&params, 3);
	mp_pair_cstr(&params, "name", tool);
	mp_pair_raw(&params, "arguments", arguments);
	put_meta(&params, c->name, progress != NULL, client_prove(c, tool, arguments, proof) ? proof : NULL);
	r = client_call(c, "tools/call", buf_view(&params), progress, arg, &answer, err);
	buf_fini(&params);
	if (r != 0)
		return -1;
	*result = view_get(answer, "structuredContent");
	c->export = view_get(view_get(answer, "_meta"), "carrel/export");
	if (view_true(view_get(answer, "isError")))
		return take_error(view_get(*result, "error"), first_text(answer), err);
	return 0;
}

void
client_init(struct client *c, int fd)
{
	*c = (struct client){ .fd = fd, .status_fd = -1, .name = "carrel" };
}

int
client_hello(struct client *c, enum client_voice voice, const char *token, struct err *err)
{
	struct buf params = { 0 };
	struct view result;
	int r;

	mp_put_pairs(&params, mp_cstr("client", voice == CLIENT_CLI ? "cli" : "stdio"),
	    mp_when(token != NULL, mp_cstr("token", token)));
	r = client_call(c, "carrel/hello", buf_view(&params), NULL, NULL, &result, err);
	buf_wipe(&params);
	return r;
}

/* Start a private carreld on a socketpair.  -1 after an error message. */
static int
open_private(struct cli *cli, struct client *c, bool quiet)
{
	struct daemon_launch l = { .kind = LAUNCH_PRIVATE, .quiet = quiet };
	char root[2 * KEYS_ROOT + 1];
	struct launch_options o = { .port = -1, .local_root = root };
	struct buf document = { 0 };
	struct config cfg = { 0 };
	struct err err;
	int pair[2];

	if (!cli_config(cli, false, &cfg) || (l.program = cli_program(cli, "carreld")) == NULL)
		return -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return cli_fail(-1, "cannot make a socket: %s", strerror(errno));
	if (getrandom(c->root, sizeof(c->root), 0) != sizeof(c->root))
		abort();
	sodium_bin2hex(root, sizeof(root), c->root, sizeof(c->root));
	launch_document(&cfg, &o, &document);
	sodium_memzero(root, sizeof(root));
	l.project_dir = cfg.project_dir;
	l.document = buf_view(&document);
	l.client_fd = pair[1];
	c->fd = pair[0];
	c->has_root = true;
	c->child = launch_start(&l, &c->status_fd, &err);
	buf_wipe(&document);
	close(pair[1]);
	if (c->child > 0)
		return 0;
	c->child = 0;
	client_close(c);
	return cli_fail(-1, "%s", err.message);
}

/* The project's owner can read the key.  For others the worker rejects the call with an explanation. */
static void
read_root(const char *project, struct client *c)
{
	struct buf key = BUF_MAX(65536);
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/.carrel/" KEYS_FILE, project);
	if (paths_read(AT_FDCWD, path, PATHS_ANY, 64, &key, NULL) == 0 && key.len == sizeof(c->root)) {
		memcpy(c->root, key.p, key.len);
		c->has_root = true;
	}
	buf_wipe(&key);
}

int
client_open(struct cli *cli, struct client *c, enum client_voice voice, const char *token, bool only_running)
{
	const char *project = cli_project(cli);
	unsigned tries = 0;
	struct err err;
	pid_t peer;
	bool gone;
	int fd;

	client_init(c, -1);
	if (project == NULL)
		return -1;
again:
	if ((fd = daemon_connect(project, &peer)) >= 0) {
		client_init(c, fd);
		if (voice == CLIENT_CLI)
			read_root(project, c);
	} else if (errno == EACCES)
		return cli_fail(-1,
		    "the project's daemon belongs to another user; run as that user, "
		    "or connect over HTTP with a token");
	else if (only_running)
		return 1;
	else if (open_private(cli, c, voice == CLIENT_CLI) != 0)
		return -1;
	if (client_hello(c, voice, token, &err) == 0) {
		c->project = voice == CLIENT_CLI && c->child == 0 ? project : NULL;
		return 0;
	}
	gone = c->child == 0 && err.code == ERR_SERVICE_UNAVAILABLE;
	client_close(c);
	/* The front was shutting down, as after a reload: connect again to its successor. */
	if (gone && ++tries < REOPEN_TRIES) {
		poll(NULL, 0, REOPEN_MS);
		goto again;
	}
	return cli_fail(-1, "%s", err.message);
}

void
client_close(struct client *c)
{
	const uint64_t until = clock_ns() + PRIVATE_STOP_MS * CLOCK_MS;

	if (c->fd >= 0)
		close(c->fd);
	if (c->status_fd >= 0)
		close(c->status_fd);
	if (c->child > 0) {
		while (waitpid(c->child, NULL, WNOHANG) == 0) {
			if (clock_ns() > until)
				kill(c->child, SIGKILL);
			poll(NULL, 0, 2);
		}
	}
	buf_fini(&c->in);
	sodium_memzero(c->root, sizeof(c->root));
	client_init(c, -1);
}

/* Of a result that is cut: where all of its rows are. */
static void
note_export(struct cli *cli, const struct client *c, struct view result)
{
	if (cli->json || c->export.kind != VIEW_OBJECT || !view_true(view_get(result, "truncated")))
		return;
	cli_note("all rows, at most %llu, until %s: %s",
	    (unsigned long long)view_uint(view_get(c->export, "maxRows"), 0),
	    view_cstr(cli->arena, view_get(c->export, "expiresAt"), ""),
	    view_cstr(cli->arena, view_get(c->export, "url"), ""));
}

int
client_run(struct cli *cli, const char *tool, struct span arguments,
    int (*show)(struct cli *cli, struct view result), int (*verdict)(struct view result))
{
	struct view result = { VIEW_NONE, { NULL, 0 } };
	struct client c;
	struct err err;
	int code;

	if (client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		return CLI_FAILED;
	if (client_tool(&c, tool, arguments, NULL, NULL, &result, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else
		code = cli->json ? cli_json(result.raw) : show(cli, result);
	if (code == CLI_OK)
		note_export(cli, &c, result);
	if (code == CLI_OK && verdict != NULL)
		code = verdict(result);
	client_close(&c);
	return code;
}
