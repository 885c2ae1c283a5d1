/*
 * vouched - the subjects of other issuers whose tokens have not ended, by the client that they came with.
 *
 * What tokens opened ends with the last one of their subject.  Of one subject and client the newest token counts: one
 * that says other claims, or another role, ends the calls that run by what was said before, and older ones are no good
 * any more.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "workers/auth/auth.h"
#include "workers/auth/store/store_user.h"

#define VOUCHED_MAX	4096u	/* entries; beyond, the first to end is ended */
#define VOUCHED_GRANT	32u	/* characters of what stands for a grant */
#define VOUCHED_DIGEST	16u

struct vouched;

/* A token.  digest: of all that it says of its subject. */
struct vouched_token {
	char		grant[VOUCHED_GRANT + 1], user[STORE_USER_MAX + 1];
	uint8_t		client[VOUCHED_DIGEST], digest[VOUCHED_DIGEST];
	uint64_t	issued_ms, until_ms;	/* of the store's clock */
};

enum vouched_verdict {
	VOUCHED_NEW,		/* the first of its subject and client, or newer than those that were seen */
	VOUCHED_KNOWN,
	VOUCHED_OTHER,		/* newer, and says something else than those before */
	VOUCHED_OUTDATED	/* older than one that says something else */
};

struct vouched *vouched_new(void);
void vouched_free(struct vouched *v);

/* grant and user are set by the caller; the rest of what the message says.  may, named: what its role has. */
void vouched_describe(struct vouched_token *t, const struct ipc_vouch *m, uint64_t may, const char *named);

enum vouched_verdict vouched_weigh(const struct vouched *v, const struct vouched_token *t);

/* Remember a token that is good.  What its subject began under another name ends: it has an account since. */
void vouched_keep(struct auth *a, struct vouched *v, const struct vouched_token *t);

/* What tokens of its subject opened ends, and none of its client that is older than t is good any more. */
void vouched_refuse(struct auth *a, struct vouched *v, const struct vouched_token *t);

/* End what tokens opened that have ended. */
void vouched_tend(struct auth *a, struct vouched *v, uint64_t now_ms);
