/*
 * supervisor - the parent process: owns configuration, secrets, listening
 * sockets and every child's life, and never reads a byte that a client sent.
 * One thread, one loop.
 *
 * A struct child is one place in the household (the second worker of
 * connection "warehouse") with at most one process at a time.  Its life
 * follows the table of restart.h; this header is shared by the files of this
 * folder.  Start reading in main.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <event2/event.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/system/ended.h"
#include "base/err.h"
#include "ipc/messages.h"
#include "project/config/config.h"
#include "project/keys.h"
#include "supervisor/death.h"
#include "supervisor/dial.h"
#include "supervisor/launch.h"
#include "supervisor/state/left.h"
#include "supervisor/listen.h"
#include "supervisor/log/log_file.h"
#include "supervisor/process.h"
#include "supervisor/restart.h"

#define SUPERVISOR_TICK_MS	250	/* watch pages, pings, time-outs */
#define SUPERVISOR_MEASURE_MS	10000	/* between metrics for carrel-telemetry */
#define SUPERVISOR_SETTLE_MS	3000	/* start to SERVE at the latest while connections are made */
#define SUPERVISOR_SESSIONS	4096	/* ended sessions remembered; beyond: base/system/ended.h */
#define SUPERVISOR_SESSIONS_EACH 2048	/* of one principal */
#define SUPERVISOR_OUT_MAX	65536	/* control messages a child may leave unread: a second of ended sessions */
#define SUPERVISOR_OUT_BYTES	((size_t)32 << 20)	/* and what they hold together */
#define SUPERVISOR_HEARD_MAX	64000u	/* of a child a second, in sixteenths of a message: clients end sessions fast */
#define SUPERVISOR_REASON	512

/* A control message that did not fit into the socket yet. */
struct outgoing {
	TAILQ_ENTRY(outgoing)	entry;
	unsigned		type;
	struct buf		body;
	int			pass;		/* owned; -1: none */
};

struct child {
	TAILQ_ENTRY(child)	 entry;
	struct supervisor	*sup;
	enum ipc_role		 role;
	char			*connection;	/* SQL: its id; else "" */
	unsigned		 index;		/* among the children of its role and connection, from 0 */
	char			*label;		/* "sql warehouse 1", for logs */

	struct life		 life;
	struct child		*replaces;	/* a child that leaves once this one is ready; NULL: none */
	bool			 seeks;		/* carrel-auth: takes the other's place once it has connected */
	bool			 awaits;	/* has no process yet: what it needs first is on its way (reach.h) */
	bool			 tells_only;	/* is not configured: announces the tools of its role and ends */
	bool			 told_serve;	/* a front: it has SERVE */
	bool			 settled;	/* its first start has succeeded or failed */
	unsigned		 restarts;
	enum metric_reason	 ended_by;	/* its last process */
	char			 why[SUPERVISOR_REASON];	/* why it cannot serve; empty: no reason known */
	bool			 said_why;	/* this process sent the reason, by UNABLE */
	char			 last_exit[SUPERVISOR_REASON];

	struct process		 process;
	struct event		*on_writable, *on_due;
	uint64_t		 started_unix_ms;
	uint64_t		 pinged_ns, owes_since_ns;	/* of the unanswered PING; 0: none is unanswered */
	uint64_t		 serial;
	TAILQ_HEAD(, outgoing)	 out;
	size_t			 nout, out_bytes;
	uint64_t		 heard_since_ns;	/* start of the running second; messages in it */
	unsigned		 heard;

	struct buf		 report;		/* the last REPORT */

	int			 journal;		/* of a front: the descriptor of its audit journal; -1: none */
	unsigned		 journal_number;
	char			*journal_of;		/* the state store whose directory holds it */
};

static inline bool
child_is_serving(const struct child *c)
{
	return c->life.state == LIFE_SERVING;
}

/* A data channel between two children.  They hold the descriptors; the supervisor keeps this record. */
struct data_link {
	TAILQ_ENTRY(data_link)	 entry;
	uint64_t		 generation;
	struct child		*asker, *worker;	/* who asks (roles.def's PEER), who answers */
};

/* The last reported state of a connection's pool. */
struct connection_state {
	enum ipc_pool_state state;	/* 0: nothing yet */
	char		reason[SUPERVISOR_REASON];
};

enum phase {
	PHASE_STARTING,
	PHASE_SERVING,
	PHASE_DRAINING,		/* fronts finish what they have */
	PHASE_ENDING,		/* workers are told to stop */
	PHASE_CLOSING		/* then those that stay until all others have ended */
};

#define SUPERVISOR_ISSUERS	8	/* as config.def has it */

struct supervisor {
	struct launch		 launch;
	struct event_base	*base;
	struct arena		*arena;		/* of cfg */
	struct config		*cfg;
	char			*bin_dir;
	uint64_t		 config_modified_ms;	/* of the file that was read */
	uint64_t		 reloads;	/* number of requested reloads */
	char			 reload_error[SUPERVISOR_REASON];	/* of the last reload; empty: it succeeded */
	const char		*project_dir;	/* lives as long as the process */
	int			 project_fd, state_fd;	/* the project directory and its .carrel; -1: none */
	int			 lock_fd;
	uint8_t			 root_key[KEYS_ROOT];	/* .carrel/signing.key: never leaves this process */
	uint8_t			 local_root[KEYS_ROOT];	/* of the owner's proofs: the same, or a private client's */
	uint64_t		 started_ns, started_unix_ms;
	bool			 imports_met;	/* the configuration was read since there are imported files */
	uint64_t		 synced_ns;	/* when carrel-auth was last told what `carrel sync` did */
	uint64_t		 measured_ns;	/* when carrel-telemetry was last told the metrics */
	uint64_t		 kept_alive_ns;	/* when systemd was last sent WATCHDOG=1 */

	enum phase		 phase;
	uint64_t		 phase_until_ns;
	int			 exit_code;

	struct listener		 listener;
	struct log_file		 log;
	struct event		*on_signal, *on_tick, *on_local;
	int			 signal_fd, local_fd;

	TAILQ_HEAD(, child)	 children;	/* in no particular order */
	TAILQ_HEAD(, data_link)	 links;
	uint64_t		 generation;
	struct child		*next_front;	/* the front that gets the next local client */
	struct buf		 tools[IPC_ROLES];	/* as each role announced them */
	struct connection_state	*states;	/* one per cfg->connections */
	struct ended		*sessions;	/* that ended before they expired */
	struct metrics		*metrics;	/* counted here, and by fronts that have ended */
	struct left		 left;		/* on database servers */
	uint64_t		 pools;		/* random: names the server connections of this run */
	struct events		*events;	/* events.c's; NULL: none wait */
	struct errands		*commits, *fetches;	/* NULL before the first one */
	struct errands		*identities[1 + SUPERVISOR_ISSUERS];	/* of auth.oidc, of each issuer */
	struct provider_place {
		char	*issuer, *token_endpoint, *jwks_uri;	/* as the provider's configuration has them */
		bool	 post;				/* the token endpoint takes the secret in the form alone */
	}			 provider,	/* of auth.oidc; URLs NULL: not known yet */
				 issuers[SUPERVISOR_ISSUERS];	/* of auth.issuers, as they became known */
	struct doctor		*doctor;		/* the same */
	TAILQ_HEAD(, password)	 passwords;	/* password.c's */
	/* children_go_on() */
	void			(*go_on)(struct supervisor *sup, const char *connection, const char *why);
	char			*reach_dir;	/* of the sockets of tunnels; NULL: there was none to be made */
	struct dial		 dials[IPC_OUTSIDES]; /* where the agent's models are */
};

/* An empty supervisor: no child, no open descriptor; the event base is made. */
void supervisor_init(struct supervisor *sup);

/* Start the periodic work: time-outs, restarts of the household, dead children, rotation of the log. */
void supervisor_watch_clock(struct supervisor *sup);

/* Free everything that the two functions above and the household made, except the configuration. */
void supervisor_fini(struct supervisor *sup);

extern const struct errand_kind commit_kind, fetch_kind, identity_kind;
