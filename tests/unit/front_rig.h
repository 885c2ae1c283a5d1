/*
 * front_rig - plays everything around carrel-front for tests: the supervisor
 * on the control channel, workers in processes of their own, HTTP clients.
 *
 *	struct rig *r = rig_start(&(struct rig_options){ .token = "secret" });
 *	int worker = rig_worker(r, IPC_SQL, "warehouse");
 *	int fd = rig_connect(r);
 *	struct reply a = rig_post(fd, "", "{…}");
 *	assert_int_equal(a.status, 200);
 *	rig_stop(r);
 *
 * What a worker does with a call is in the call: sql_execution's statement is
 * a small command ("rows 3", "sleep 500", "crash", …; see run() in front_worker.c).
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "ipc/channel.h"
#include "ipc/messages.h"
#include "tests/support/wind.h"
#include "tests/unit/harness.h"

#define RIG_PATIENCE_MS	60000	/* whatever is waited for fails after this */
#define RIG_WORKERS	16

/* What clients say.  META is what every request of 2026-07-28 carries. */
#define META	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","		\
	"\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define RPC(id, method, params)	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params "}}"

/* Another offer of tools than the rig's workers begin with. */
#define OTHER_TOOLS	"[{\"name\":\"wiki_read\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\"," \
	"\"properties\":{}}}]"

struct rig_options {
	const char	*token;			/* NULL: none, loopback open */
	bool		 open_too;		/* with a token as well: two principals over HTTP */
	uint32_t	 owner_uid;		/* 0: our own */
	const char	*allowed_origin;
	unsigned	 in_flight;		/* 0: 64 */
	unsigned	 sql_timeout_ms;	/* 0: 10000 */
	uint64_t	 result_bytes;		/* 0: 8 MiB */
	uint64_t	 result_memory;		/* 0: 256 MiB */
	uint64_t	 body_bytes;		/* 0: 4 MiB */
	unsigned	 idle_s;		/* 0: an hour */
	unsigned	 auth_failures;		/* 0: 5 */
	bool		 trusts_loopback;	/* as a reverse proxy */
	const char	*proxies;		/* a JSON array of more of them */
	const char	*proxy_uids;		/* a JSON array of users that they run as */
	bool		 private;
	bool		audited;	/* audit.on_failure: refuse */
	unsigned	 fronts;		/* that it is told of; 0: 1 */
	bool		 oauth;			/* people sign in; clients register */
	const char	*public_url, *proxy_header;
	bool		 no_offers;
	bool		 brief;			/* surface.result_text: brief */
	unsigned	 export_rows;		/* of an export; 0: results have no links */
	unsigned	 files;			/* descriptors it may have; 0: as many as we */
};

struct rig_worker {
	pid_t		pid;
	uint64_t	generation;
};

struct played_auth;

struct rig {
	struct played_auth	*auth;		/* front_auth.h; NULL: none */
	pid_t			front;
	int			control, log;
	unsigned		port;
	struct rig_worker	workers[RIG_WORKERS];
	unsigned		nworkers;
	uint64_t		generation;
	unsigned		complaints, pongs, ended, session_uses, status_asked;
	uint64_t		complained;	/* generation of the last */
	unsigned		complaint_reason;
	uint8_t			ended_id[64];
	size_t			ended_len;
	struct buf		said;		/* the front's log */
	struct wind		wind;		/* of the front's clocks */
};

struct reply {
	int		 status;
	char		 head[4096];
	char		*body;			/* NUL-terminated, until the next rig_*() on any connection */
	size_t		 len;
	bool		 chunked;
};

struct rig *rig_start(const struct rig_options *o);
int rig_worker(struct rig *r, enum ipc_role role, const char *connection);
void rig_attach(struct rig *r, enum ipc_role role, int fd);	/* a channel's end that the front gets */
void rig_state(struct rig *r, const char *connection, unsigned state, const char *reason);
void rig_detach(struct rig *r, int worker, unsigned cause);
void rig_say(struct rig *r, unsigned type, const void *msg);
void rig_offer(struct rig *r, enum ipc_role role, const char *tools);	/* JSON */
int rig_local(struct rig *r);	/* a connected local client */
bool rig_logged(struct rig *r, const char *text);	/* waits for a line of the front's log that holds it */
void rig_pump(struct rig *r, int ms);
void rig_sync(struct rig *r);	/* the front has taken in all that was said to it */
void rig_wind(struct rig *r, unsigned ms);	/* so much time passes for the front */
void rig_until(struct rig *r, _Atomic int *value, int wanted);	/* pump until it is that much */
bool rig_worker_ended(struct rig *r, int worker);
int rig_end(struct rig *r, unsigned grace_ms);	/* SHUTDOWN and the exit code */
void rig_stop(struct rig *r);	/* also checks that the front ended well */

int rig_connect(struct rig *r);
void rig_send(int fd, const char *text);
void rig_send_n(int fd, const void *p, size_t n);
struct reply rig_read(int fd);
void rig_send_post(int fd, const char *headers, const char *body);	/* to /mcp */
struct reply rig_post(int fd, const char *headers, const char *body);	/* the same, and its answer */
/* initialize with a revision; the header line of the session, CR LF and all, until the next call. */
const char *rig_session(int fd, const char *revision);
struct reply rig_head(int fd);	/* of an answer whose body is a stream */
const char *rig_event(int fd);	/* the next event or comment of a chunked stream; "" at its end */
bool rig_closed(int fd);	/* waits for the end of what the front sends */
const char *rig_line(int fd);	/* of a local client */
char *rig_header(const struct reply *a, const char *name);	/* NULL: absent; until the next call */
