/* daemon - is this project's daemon running?  .carrel/mcp.json says, the kernel confirms. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/err.h"

enum daemon_state {
	DAEMON_STOPPED,		/* no mcp.json */
	DAEMON_STALE,		/* mcp.json of a daemon that is gone */
	DAEMON_RUNNING
};

struct daemon {
	enum daemon_state	 state;
	bool			 answers;	/* RUNNING: control.sock takes connections */
	pid_t			 pid;
	unsigned		 port;
	const char		*host, *started_at, *project_dir;
	bool			 token_auth;
	const char		*url;		/* where clients find it: below server.public_url, or on this machine */
};

/*
 * Read the state of project_dir's daemon from its mcp.json.  STALE: the pid is
 * another program's by now.  An mcp.json that was never filled counts as
 * missing.  -1 when the file exists and cannot be read.
 */
int daemon_look(struct arena *a, const char *project_dir, struct daemon *d, struct err *err);

const char *daemon_state_name(enum daemon_state state);

/*
 * "http://127.0.0.1:7878/mcp"; a wildcard host becomes the loopback address of its family.  A Unix socket
 * ("unix:/path") is not changed.
 */
const char *daemon_url(struct arena *a, const char *host, unsigned port);

/* The same URL below server.public_url. */
const char *daemon_public_url(struct arena *a, const char *public_url);

/* Whether a client can be given the URL; a Unix socket has none. */
bool daemon_has_url(const struct daemon *d);

/* A connection to project_dir's control.sock, *peer its listener's pid; -1 with errno. */
int daemon_connect(const char *project_dir, pid_t *peer);

/* GET /health once: 0 when it was answered with 200, else -1 with *err. */
int daemon_health(const char *host, unsigned port, struct err *err);

/* The project that a daemon at host:port serves; NULL: no daemon, or no answer. */
const char *daemon_project_at(struct arena *a, const char *host, unsigned port);

/* Whether host:port can be listened on. */
bool daemon_port_free(const char *host, unsigned port);
