/*
 * auth - carrel-auth: users' credentials, limits, the audit.  One struct auth is the whole state of the
 * process; this header is shared by the files of this folder.  Start reading in worker.c.
 */
#ifndef WORKERS_AUTH_AUTH_H
#define WORKERS_AUTH_AUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/ipc.h"
#include "workers/auth/store.h"
#include "workers/shared/child.h"

#define AUTH_KEY	32

/* What CONFIGURE_AUTH said, but for what its struct members below are made of. */
struct auth_conf {
	char		*state;			/* path of the store */
	uint8_t		 token_key[AUTH_KEY], audit_mac_key[AUTH_KEY], audit_sign_seed[AUTH_KEY];
	bool		 audit_key_outside, audit_disk;
	unsigned	 retention_days;
	char		 token_prefix[17];
	unsigned	 connectivity;		/* 0: the store says, 1: off, 2: on */
	char		 bind_host[257];
	unsigned	 port, max_tokens;
};

struct audit;

struct auth {
	struct auth_conf	 conf;
	struct store		*store;
	struct audit		*audit;
};

extern const struct role auth_role;

#endif
