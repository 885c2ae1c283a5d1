/*
 * verify_credential - asks carrel-auth who presents a credential, and remembers the answer for as long as it says.
 *
 * The caller waits, and is told from the event loop.  If the channel to carrel-auth is lost, all that
 * was remembered is forgotten, and what is still waited for is asked again on the next channel, until
 * VERIFY_MS have passed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "ipc/messages.h"
#include "policy/scopes.h"

#define VERIFY_MS	5000u	/* time for carrel-auth to answer; then IPC_VERDICT_UNKNOWN */
#define VERIFY_MAX	4096u	/* asked at one time; beyond: IPC_VERDICT_UNKNOWN at once */

struct front;
struct principal;
struct verify;
struct verify_wait;

/* A credential, and what the front found out about it by itself. */
struct verify_subject {
	struct span	secret;		/* as it was presented */
	/* of an access token, whose signature and claims are good; resource empty: it is a connectivity token */
	struct span	resource, client, grant;
	struct span	metadata;	/* URL of the resource's */
	uint32_t	scopes;
	struct policy_named named;	/* the team's tools that it names */
	uint64_t	expires_unix_ms;
	const struct ipc_vouch *vouch;	/* of a token of another issuer, instead of grant; its address is set here */
};

struct verdict {
	enum ipc_verdict	 what;
	struct principal	*who;	/* IPC_VERDICT_GOOD; else NULL */
	bool			 counts;	/* as a wrong credential of its address, if it is not good */
};

struct verify *verify_new(void);
void verify_free(struct verify *v);

/* The remembered verdict on a credential for this resource.  False: none; ask carrel-auth. */
bool verify_recall(struct front *f, struct span secret, struct span resource, struct verdict *out);

/*
 * Ask.  told() hears the verdict once, from the event loop, unless verify_forget() comes first; the wait
 * is gone then.  NULL: too many are asked for already.  subject and address are copied.
 */
struct verify_wait *verify_ask(struct front *f, const struct verify_subject *subject, struct span address,
    void (*told)(void *arg, const struct verdict *verdict), void *arg);
void verify_forget(struct verify_wait *w);

/* Handle VERIFIED.  False: the message breaks the protocol. */
bool verify_take(struct front *f, uint64_t id, const struct ipc_verified *m);

/* The channel to carrel-auth was made or lost. */
void verify_channel(struct front *f, bool up);

/* Forget the remembered verdicts on a principal's credentials. */
void verify_drop(struct front *f, const struct principal *who);

void verify_tick(struct front *f, uint64_t now);
