/* front_rig.c - see front_rig.h: supervisor and HTTP client. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sodium.h>

#include "base/system/clock.h"
#include "base/json/json_read.h"
#include "tests/support/peer.h"
#include "tests/unit/front_auth.h"
#include "tests/unit/front_rig.h"
#include "tests/unit/front_worker.h"
#include "ipc/control.h"

static struct buf received;	/* of the last reply */

/* --- control channel ------------------------------------------------------------------- */

void
rig_say(struct rig *r, unsigned type, const void *msg)
{
	assert_int_equal(control_send(r->control, type, msg, -1), 0);
}

static void
attach(struct rig *r, unsigned kind, enum ipc_role role, const char *connection, int fd)
{
	struct ipc_attach m = {
		.kind = kind, .role = kind == 2 ? role : 0, .generation = ++r->generation,
		.connection = span_str(connection), .uid = (uint32_t)getuid(),
	};

	assert_int_equal(control_send(r->control, IPC_MSG_ATTACH, &m, fd), 0);
}

static void
heard(struct rig *r, const struct ipc_frame *frame)
{
	union ipc_any m;

	assert_int_equal(ipc_unpack_any(frame->type, IPC_FRONT, IPC_SUPERVISOR, frame->body, &m), IPC_OK);
	switch (frame->type) {
	case IPC_MSG_COMPLAINT:
		r->complaints++;
		r->complained = m.complaint.generation;
		r->complaint_reason = (unsigned)m.complaint.reason;
		break;
	case IPC_MSG_SESSION_ENDED:
		r->ended++;
		r->ended_len = m.session_ended.id.len;
		memcpy(r->ended_id, m.session_ended.id.p, m.session_ended.id.len);
		break;
	case IPC_MSG_SESSION_USE:
		r->session_uses++;
		break;
	case IPC_MSG_REPORT:
		break;
	case IPC_MSG_PONG:
		r->pongs++;
		break;
	case IPC_MSG_STATUS_GET:
		r->status_asked++;
		/* Whoever asked may have gone, and the front be ended: nobody misses the answer then. */
		(void)control_send(r->control, IPC_MSG_STATUS,
		    &(struct ipc_status){ .serial = m.status_get.serial, .status = SPAN("\x81\xa7project\xa4shop") },
		    -1);
		break;
	default:
		fail_msg("the front said %s", ipc_type_name(frame->type));
	}
}

void
rig_pump(struct rig *r, int ms)
{
	struct pollfd p[2] = { { r->control, POLLIN, 0 }, { r->log, POLLIN, 0 } };
	struct buf buf = { .max = 0 };
	struct ipc_frame frame;
	enum ipc_fault fault;
	uint8_t text[4096];
	ssize_t n;
	int fd;

	if (poll(p, 2, ms) > 0) {
		if ((p[1].revents & POLLIN) != 0 && (n = read(r->log, text, sizeof(text))) > 0)
			buf_append(&r->said, text, (size_t)n);
		while (control_recv(r->control, &buf, &frame, &fd, &fault) == CHANNEL_FRAME)
			heard(r, &frame);
	}
	buf_fini(&buf);
}

bool
rig_logged(struct rig *r, const char *text)
{
	uint64_t until = clock_ns() + RIG_PATIENCE_MS * CLOCK_MS;

	while (strstr(buf_cstr(&r->said), text) == NULL && clock_ns() < until)
		rig_pump(r, 10);
	return strstr(buf_cstr(&r->said), text) != NULL;
}

void
rig_sync(struct rig *r)
{
	unsigned before = r->pongs;
	uint64_t until = clock_ns() + RIG_PATIENCE_MS * CLOCK_MS;

	rig_say(r, IPC_MSG_PING, &(struct ipc_ping){ .serial = 1 });
	while (r->pongs == before && clock_ns() < until)
		rig_pump(r, 100);
	assert_int_not_equal(r->pongs, before);
}

void
rig_wind(struct rig *r, unsigned ms)
{
	rig_sync(r);
	wind_on(&r->wind, ms);
	rig_sync(r);
}

void
rig_until(struct rig *r, _Atomic int *value, int wanted)
{
	uint64_t until = clock_ns() + RIG_PATIENCE_MS * CLOCK_MS;

	while (*value < wanted && clock_ns() < until)
		rig_pump(r, 10);
	assert_true(*value >= wanted);
}

static void
await(struct rig *r, unsigned type, struct buf *buf)
{
	struct ipc_frame frame;
	union ipc_any msg;
	int fd;

	if (peer_hear_control(r->control, buf, &frame, &fd, RIG_PATIENCE_MS) != CHANNEL_FRAME || frame.type != type ||
	    ipc_unpack_any(type, IPC_FRONT, IPC_SUPERVISOR, frame.body, &msg) != IPC_OK) {
		rig_pump(r, 100);
		fail_msg("not a good %s: %s", ipc_type_name(type), buf_cstr(&r->said));
	}
}

/* --- start -------------------------------------------------------------------------------- */

struct preparation {
	const struct wind	*wind;
	unsigned		 files;
};

static int
prepare_front(void *arg)
{
	const struct preparation *p = arg;
	struct rlimit few = { p->files, p->files };

	wind_take(p->wind);
	return p->files != 0 && setrlimit(RLIMIT_NOFILE, &few) != 0 ? EXIT_EXEC : 0;
}

static int
listen_anywhere(unsigned *port)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	socklen_t n = sizeof(in);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&in, sizeof(in)), 0);
	assert_int_equal(listen(fd, 512), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &n), 0);
	*port = ntohs(in.sin_port);
	return fd;
}

static void
pack_json(struct buf *out, const char *text)
{
	size_t at;

	assert_int_equal(json_read(span_str(text), out, &at), JSON_OK);
}

static void
configure(struct rig *r, const struct rig_options *o)
{
	struct buf origins = { .max = 0 }, connections = { .max = 0 }, proxies = { .max = 0 }, uids = { .max = 0 };
	uint8_t sha[32], key[32];
	struct ipc_configure_front m = {
		.team = SPAN("\x90"), .issuers = SPAN("\x90"),
		.project_dir = SPAN("/somewhere/shop"), .host = SPAN("127.0.0.1"), .port = r->port,
		.owner_uid = o->owner_uid != 0 ? o->owner_uid : (uint32_t)getuid(),
		.loopback_open = o->token == NULL || o->open_too, .allowed_hosts = SPAN("\x91\xadhost.internal"),
		.in_flight = o->in_flight != 0 ? o->in_flight : 64,
		.token_prefix = SPAN("crlmcp"),
		.sql_timeout_ms = o->sql_timeout_ms != 0 ? o->sql_timeout_ms : 10000,
		.result_bytes = o->result_bytes != 0 ? o->result_bytes : 8 << 20,
		.body_bytes = o->body_bytes != 0 ? o->body_bytes : 4 << 20,
		.idle_s = o->idle_s != 0 ? o->idle_s : 3600, .sweep_s = 60,
		.result_memory = o->result_memory != 0 ? o->result_memory : 256 << 20,
		.memory_max = (uint64_t)4 << 30,
		.result_brief = o->brief,
		.export_rows = o->export_rows, .export_ms = 600000, .export_link_s = 900,
		.auth_failures_per_min = o->auth_failures != 0 ? o->auth_failures : 5, .block_s = 300,
		.resource_scheme = SPAN("carrel"), .fronts = o->fronts != 0 ? o->fronts : 1, .private = o->private,
		.best_effort = 0, .audit_warn = !o->audited, .oauth = o->oauth, .oauth_registration = o->oauth,
		.public_url = span_str(o->public_url), .proxy_header = span_str(o->proxy_header),
	};

	memset(key, 7, sizeof(key));
	m.signing_key = span_of(key, sizeof(key));
	if (o->token != NULL) {
		crypto_hash_sha256(sha, (const uint8_t *)o->token, strlen(o->token));
		m.token_sha256 = span_of(sha, sizeof(sha));
	}
	mp_put_array(&origins, o->allowed_origin != NULL);
	if (o->allowed_origin != NULL)
		mp_put_cstr(&origins, o->allowed_origin);
	m.allowed_origins = buf_view(&origins);
	pack_json(&connections,
	    "[{\"id\":\"warehouse\",\"driver\":\"sqlite\",\"workers\":2},"
	    "{\"id\":\"other\",\"driver\":\"sqlite\",\"workers\":1}]");
	m.connections = buf_view(&connections);
	pack_json(&proxies, o->proxies != NULL ? o->proxies : o->trusts_loopback ? "[\"127.0.0.1\"]" : "[]");
	m.trusted_proxies = buf_view(&proxies);
	pack_json(&uids, o->proxy_uids != NULL ? o->proxy_uids : "[]");
	m.proxy_uids = buf_view(&uids);
	rig_say(r, IPC_MSG_CONFIGURE_FRONT, &m);
	buf_fini(&uids);
	buf_fini(&origins);
	buf_fini(&connections);
	buf_fini(&proxies);
}

void
rig_offer(struct rig *r, enum ipc_role role, const char *tools)
{
	struct buf b = { .max = 0 };

	pack_json(&b, tools);
	rig_say(r, IPC_MSG_OFFER, &(struct ipc_offer){ .role = role, .tools = buf_view(&b) });
	buf_fini(&b);
}

struct rig *
rig_start(const struct rig_options *o)
{
	struct rig *r = calloc(1, sizeof(*r));
	struct buf buf = { .max = 0 };
	struct preparation p = { .wind = &r->wind, .files = o->files };
	struct peer_child child;
	int listener;

	signal(SIGPIPE, SIG_IGN);
	listener = listen_anywhere(&r->port);
	assert_int_equal(wind_open(&r->wind), 0);
	peer_spawn(&child, BIN_DIR "/carrel-front", &(struct peer_options){ .before_exec = prepare_front, .arg = &p });
	peer_forget_watch(&child);
	r->front = child.pid;
	r->control = child.control;
	r->log = child.log;
	await(r, IPC_MSG_HELLO, &buf);
	configure(r, o);
	await(r, IPC_MSG_READY, &buf);
	buf_fini(&buf);
	if (!o->no_offers) {
		rig_offer(r, IPC_SQL, fake_sql_tools);
		rig_offer(r, IPC_SEARCH, fake_search_tools);
		rig_offer(r, IPC_MEMORY, fake_memory_tools);
	}
	if (!o->private) {
		attach(r, 1, 0, "", listener);
		rig_say(r, IPC_MSG_SERVE, &(struct ipc_serve){ .unused = 0 });
	}
	close(listener);
	rig_sync(r);
	return r;
}

/* --- workers --------------------------------------------------------------------------------- */

int
rig_worker(struct rig *r, enum ipc_role role, const char *connection)
{
	int pair[2], i = (int)r->nworkers++;

	assert_true(i < RIG_WORKERS);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	if ((r->workers[i].pid = fork()) == 0)
		fake_worker(pair[1], role);
	close(pair[1]);
	attach(r, 2, role, role == IPC_SQL ? connection : "", pair[0]);
	r->workers[i].generation = r->generation;
	close(pair[0]);
	if (role == IPC_SQL)
		rig_state(r, connection, 1, "");
	else
		rig_sync(r);
	return i;
}

void
rig_attach(struct rig *r, enum ipc_role role, int fd)
{
	attach(r, 2, role, "", fd);
}

void
rig_state(struct rig *r, const char *connection, unsigned state, const char *reason)
{
	rig_say(r, IPC_MSG_CONNECTION_STATE, &(struct ipc_connection_state){
	    .connection = span_str(connection), .state = state, .reason = span_str(reason) });
	rig_sync(r);
}

void
rig_detach(struct rig *r, int worker, unsigned cause)
{
	rig_say(r, IPC_MSG_DETACH, &(struct ipc_detach){
	    .generation = r->workers[worker].generation, .cause = cause });
	rig_sync(r);
}

bool
rig_worker_ended(struct rig *r, int worker)
{
	uint64_t until = clock_ns() + RIG_PATIENCE_MS * CLOCK_MS;

	while (r->workers[worker].pid > 0 && waitpid(r->workers[worker].pid, NULL, WNOHANG) == 0) {
		if (clock_ns() > until)
			return false;
		rig_pump(r, 10);
	}
	r->workers[worker].pid = 0;
	return true;
}

int
rig_local(struct rig *r)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	attach(r, 3, 0, "", pair[0]);
	close(pair[0]);
	return pair[1];
}

/* --- the end ------------------------------------------------------------------------------------- */

int
rig_end(struct rig *r, unsigned grace_ms)
{
	uint64_t until = clock_ns() + RIG_PATIENCE_MS * CLOCK_MS;
	int status;

	if (grace_ms != 0)
		(void)control_send(r->control, IPC_MSG_SHUTDOWN, &(struct ipc_shutdown){ .grace_ms = grace_ms }, -1);
	while (waitpid(r->front, &status, WNOHANG) == 0) {
		if (clock_ns() > until) {
			kill(r->front, SIGKILL);
			fail_msg("the front does not end");
		}
		rig_pump(r, 10);
	}
	r->front = 0;
	rig_pump(r, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void
rig_stop(struct rig *r)
{
	int code = r->front > 0 ? rig_end(r, 2000) : 0;

	auth_stop(r);

	for (unsigned i = 0; i < r->nworkers; i++)
		if (r->workers[i].pid > 0) {
			kill(r->workers[i].pid, SIGKILL);
			waitpid(r->workers[i].pid, NULL, 0);
		}
	if (code != 0)
		print_error("%s\n", buf_cstr(&r->said));
	close(r->control);
	close(r->log);
	wind_close(&r->wind);
	buf_fini(&r->said);
	buf_fini(&received);
	free(r);
	assert_int_equal(code, 0);
}

/* --- clients ---------------------------------------------------------------------------------------- */

int
rig_connect(struct rig *r)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons((uint16_t)r->port) };
	struct timeval patience = { RIG_PATIENCE_MS / 1000, 0 };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(fd, (struct sockaddr *)&in, sizeof(in)), 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return fd;
}

void
rig_send_n(int fd, const void *p, size_t n)
{
	while (n > 0) {
		ssize_t done = send(fd, p, n, MSG_NOSIGNAL);

		if (done <= 0)
			return; /* refused already; the answer is what is looked at */
		p = (const char *)p + done;
		n -= (size_t)done;
	}
}

void
rig_send(int fd, const char *text)
{
	rig_send_n(fd, text, strlen(text));
}

/* One byte; false at the end. */
static bool
next(int fd, char *c)
{
	return recv(fd, c, 1, 0) == 1;
}

char *
rig_header(const struct reply *a, const char *name)
{
	static char value[1024];
	size_t n = strlen(name);

	for (const char *p = strstr(a->head, "\r\n"); p != NULL; p = strstr(p, "\r\n")) {
		p += 2;
		if (strncasecmp(p, name, n) == 0 && p[n] == ':') {
			snprintf(value, sizeof(value), "%.*s", (int)strcspn(p + n + 2, "\r"), p + n + 2);
			return value;
		}
	}
	return NULL;
}

static void
read_n(int fd, size_t n)
{
	char block[65536];

	while (n > 0) {
		ssize_t got = recv(fd, block, n < sizeof(block) ? n : sizeof(block), 0);

		if (got <= 0)
			return;
		buf_append(&received, block, (size_t)got);
		n -= (size_t)got;
	}
}

/* One chunk; false after the last, or when there is none. */
static bool
read_chunk(int fd)
{
	char line[32], c;
	size_t n, size;

	for (n = 0; n + 1 < sizeof(line) && next(fd, &c) && c != '\n';)
		line[n++] = c;
	line[n] = '\0';
	size = strtoul(line, NULL, 16);
	read_n(fd, size);
	return next(fd, &c) && next(fd, &c) && size > 0;
}

static void
read_chunks(int fd)
{
	while (read_chunk(fd))
		continue;
}

const char *
rig_event(int fd)
{
	buf_reset(&received, 1 << 20);
	while (read_chunk(fd))
		if (received.len >= 2 && memcmp(received.p + received.len - 2, "\n\n", 2) == 0)
			return buf_cstr(&received);
	return "";
}

struct reply
rig_head(int fd)
{
	struct reply a = { .status = 0 };
	size_t n = 0;

	while (n + 1 < sizeof(a.head) && next(fd, &a.head[n])) {
		n++;
		if (n >= 4 && memcmp(a.head + n - 4, "\r\n\r\n", 4) == 0)
			break;
	}
	a.head[n] = '\0';
	a.body = (char *)(uintptr_t) "";
	a.chunked = strstr(a.head, "chunked") != NULL;
	if (sscanf(a.head, "HTTP/1.1 %d", &a.status) != 1)
		a.status = 0;
	return a;
}

struct reply
rig_read(int fd)
{
	struct reply a = rig_head(fd);
	char *length;

	buf_reset(&received, 1 << 20);
	if (a.status == 0)
		return a;
	length = rig_header(&a, "Content-Length");
	if (length != NULL)
		read_n(fd, strtoul(length, NULL, 10));
	else if (a.chunked)
		read_chunks(fd);
	else if (a.status != 204 && a.status != 100)
		read_n(fd, SIZE_MAX);
	a.body = (char *)(uintptr_t)buf_cstr(&received);
	a.len = received.len;
	return a;
}

void
rig_send_post(int fd, const char *headers, const char *body)
{
	struct buf b = { .max = 0 };

	buf_printf(&b,
	    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	    "Accept: application/json, text/event-stream\r\nContent-Length: %zu\r\n%s\r\n%s",
	    strlen(body), headers, body);
	rig_send_n(fd, b.p, b.len);
	buf_fini(&b);
}

struct reply
rig_post(int fd, const char *headers, const char *body)
{
	rig_send_post(fd, headers, body);
	return rig_read(fd);
}

bool
rig_closed(int fd)
{
	char c;
	ssize_t n;

	do
		n = recv(fd, &c, 1, 0);
	while (n > 0);
	return n == 0 || errno == ECONNRESET;
}

const char *
rig_line(int fd)
{
	char c = '\0';

	buf_reset(&received, 1 << 20);
	while (next(fd, &c) && c != '\n')
		buf_append(&received, &c, 1);
	return c == '\n' ? buf_cstr(&received) : "";
}

const char *
rig_session(int fd, const char *revision)
{
	static char header[128];
	char body[256];
	struct reply a;

	snprintf(body, sizeof(body),
	    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
	    "{\"protocolVersion\":\"%s\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}",
	    revision);
	a = rig_post(fd, "", body);
	assert_int_equal(a.status, 200);
	assert_non_null(rig_header(&a, "Mcp-Session-Id"));
	snprintf(header, sizeof(header), "Mcp-Session-Id: %s\r\n", rig_header(&a, "Mcp-Session-Id"));
	return header;
}
