/*
 * front_auth - plays carrel-auth for tests of the front, in a thread of the test.
 *
 *	auth_start(r);
 *	auth_token(r, &(struct played_token){ .text = TOKEN_A, .scopes = POLICY_SCOPES_TOKEN });
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "policy/scopes.h"
#include "tests/unit/front_rig.h"

#define TOKEN_A	"crlmcp_aaaaaaaa_0123456789abcdef0123456789abcdef"
#define TOKEN_B	"crlmcp_BBBBBBBB_0123456789abcdef0123456789abcdef"
#define TOKEN_C	"crlmcp_c3c3c3c3_00000000000000000000000000000000"

#define AS(token)	"Authorization: Bearer " token "\r\n"

#define PLAYED_TOKENS	8

struct played_token {
	const char	*text;		/* of a connectivity token, or the id of a grant */
	const char	*principal;	/* NULL: "token:" and the id in text */
	uint32_t	 may;
	unsigned	 verdict;	/* 0: IPC_VERDICT_GOOD */
	uint32_t	 scopes;
	unsigned	 keep_ms;
	uint64_t	 expires_unix_ms;
};

struct played_auth {
	pthread_t		thread;
	pthread_mutex_t		lock;
	struct channel		ch;
	bool			stopping;
	struct played_token	tokens[PLAYED_TOKENS];
	unsigned		ntokens;
	_Atomic bool		silent;		/* hears and counts, and answers nothing */
	_Atomic bool		unrecorded;	/* answers no AUDIT */
	_Atomic bool		unwritable;	/* answers that nothing is written */
	/* what ADMIT is answered with; admission 0: IPC_ADMISSION_GRANTED */
	_Atomic unsigned	admission, retry_after;
	_Atomic unsigned	limit, remaining;	/* the quota it tells of, which begins anew in 42 s; 0: none */
	/* heard so far */
	_Atomic int		verifies, admits, releases, failures, audits, ended;
	_Atomic int		held;		/* ADMIT of calls that were running already */
	_Atomic int		sql;		/* admits of IPC_CLASS_SQL */
	_Atomic uint64_t	last_id;	/* of the last VERIFY or ADMIT */
	char			address[64];	/* of the last FAILURE */
	_Atomic int		audits_again;	/* those that said so */
	char			entry[8192];	/* the last one, as JSON: auth_entry() */
	struct ipc_ended	last_ended;
	/* hears what is none of the above, with the lock held; answers by channel_send() */
	void			(*other)(struct played_auth *a, const struct ipc_frame *frame, const union ipc_any *m);
};

/* Attach one, with connectivity on.  Tokens and counts of one that was lost are kept. */
void auth_start(struct rig *r);
void auth_token(struct rig *r, const struct played_token *t);

/* The same token is something else from now on. */
void auth_set(struct rig *r, const char *text, unsigned verdict);
/* The last entry that was sent, as JSON, when at least so many were. */
const char *auth_entry(struct rig *r, int wanted);

void auth_say(struct rig *r, unsigned type, uint64_t id, const void *msg);
void auth_lose(struct rig *r);	/* the channel ends */
void auth_stop(struct rig *r);	/* also when there is none */
