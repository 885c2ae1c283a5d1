/*
 * listen - the sockets that clients connect to.  They are bound here once and
 * passed to every front, and so outlive each front.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "project/config/config.h"

#define LISTEN_BACKLOG	4096
#define LISTEN_MAX	4

struct listener {
	int		 fds[LISTEN_MAX];
	unsigned	 n;
	char		 host[256];	/* as configured; "unix:/path" for a Unix socket */
	unsigned	 port;		/* as bound; 0 for a Unix socket */
	bool		 loopback;	/* only this machine's own addresses */
	bool		 network;	/* an address that other machines reach is among them */
	bool		 local;		/* a Unix socket is among them */
	bool		 given;		/* by systemd: not changed until the supervisor ends */
	char		 unlink_path[108];	/* our Unix socket; empty: none */
};

/*
 * Bind as configured, or take systemd's sockets (LISTEN_FDS).  has_token: a
 * static token is configured.  Without one, and without connectivity tokens,
 * only loopback is allowed.
 * Returns 0, or -1 with *err, a sentence that says what to do.
 */
int listen_open(struct listener *l, const struct config *cfg, bool has_token, struct err *err);

/* Whether l may stay open under another configuration; as listen_open(). */
int listen_check(const struct listener *l, const struct config *cfg, bool has_token, struct err *err);

/* The number of sockets that systemd passed, from descriptor 3 on; 0: none. */
unsigned listen_given(void);

void listen_close(struct listener *l);

/* "http://127.0.0.1:7878", or "unix:/path". */
void listen_url(const struct listener *l, char *out, size_t cap);
