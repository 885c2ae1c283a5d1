/*
 * oauth - how users sign in and what they grant their clients: carrel-auth's OAuth decisions.  policy/oauth_texts.h
 * checks the form of texts; store_oauth.h keeps the data; ipc/messages.def has the fronts' messages.
 *
 * Each function that answers a message fills *out; its spans are constants or borrow from the `said` struct.
 */
#pragma once

#include <sys/queue.h>

#include "base/err.h"
#include "policy/audit_words.h"
#include "policy/oauth_texts.h"
#include "policy/scopes.h"
#include "workers/auth/auth.h"
#include "workers/auth/oauth/signing.h"
#include "workers/auth/store/store_user.h"
#include "workers/auth/oauth/tally.h"

#define OAUTH_CLIENTS_MAX	10000
#define OAUTH_IDLE_CLIENT_MS	(UINT64_C(24) * 3600 * 1000)	/* a client without a grant is removed after this
                                                                 * time */
#define OAUTH_WRONG_MAX		10	/* wrong passwords within OAUTH_WRONG_S */
#define OAUTH_WRONG_S		900u
#define OAUTH_SECRET		43	/* characters of codes and of login sessions */
#define OAUTH_REFRESH_MAX	128	/* bytes of a refresh token */
#define OAUTH_REFUSALS		10	/* recorded refusals per address and minute, of those that change nothing */
#define OAUTH_DEVICES_MAX	10000	/* device grants that wait for their user */
#define OAUTH_USES		256	/* grants whose uses are kept at one time */

/* Not ticked on the pages that ask, unless they were granted before. */
#define OAUTH_UNTICKED	((uint32_t)(POLICY_SCOPES_EXT | POLICY_SCOPE_CONNECTIVITY_ADMIN))

struct auth_oauth {
	struct signing	 key;
	struct tally	*authorized, *registered;	/* counted by address */
	struct tally	*refused;	/* by address: recorded refusals */
	struct tally	*devices;	/* begun, by address */
	struct tally	*wrong_words;	/* codes of users that are none, by user and by address */
	struct tally	*wrong_names, *wrong_addresses, *wrong_pairs, *blocked;
	struct tally	*failed_names;	/* those of wrong_names that were checked, over all addresses */
	uint64_t	 looked_ms;	/* all fronts know what ended before */
	uint64_t	 cut_ms;	/* calls of users that changed until then have ended */
	bool		 look_due;	/* another process may have changed something */
	uint64_t	 swept_ms, written_ms;
	struct {
		char		id[STORE_GRANT_ID + 1];
		uint64_t	last_ms;
	}		 uses[OAUTH_USES];
	size_t		 nuses;
	TAILQ_HEAD(, revocation) revocations;	/* that clients wait for: revoke.h */
	size_t		 nrevocations;
	uint64_t	 revocations_due_ns;	/* when the nodes are asked for again */
};

int oauth_open(struct auth *a, struct err *err);
void oauth_close(struct auth *a);

/* A front attached: send it the keys, and what ended while it was away. */
void oauth_greet(struct auth *a, uint64_t peer);

/* Do what is due by time or by changes of other processes; cheap when nothing is. */
void oauth_tend(struct auth *a, uint64_t now_ms);
void oauth_changed_elsewhere(struct auth *a);

/* Send the keys to every front again. */
void oauth_tell_keys(struct auth *a);

/* An audit entry within the open transaction. */
struct oauth_note {
	enum audit_action	action;
	enum audit_surface	surface;
	enum ipc_oauth		outcome;	/* OAUTH_DONE: ok */
	const char		*user;		/* empty or NULL: unknown user */
	const char		*code;		/* of a refusal; NULL: that of the outcome */
	struct span		target, client, address, receipt;
	uint32_t		scopes;		/* that were granted; 0: none were */
	const char		*named;		/* the tools among them; NULL: none */
	const char		*role;		/* of the user that was made or changed; NULL: neither */
	const char		*role_before;	/* the one that it had; NULL: it had none, or is new */
};

/*
 * Append the map that is an entry's `policy`: the scopes that were granted, as many tools (NULL: none) by name as the
 * entry has room for, and how many more there are.
 */
void oauth_put_scope(uint32_t scopes, const char *named, struct buf *policy);

/* The same of the role of a user, "none" without one, and of the one before where that was another. */
void oauth_put_role(const char *role, const char *before, struct buf *policy);

int oauth_note(struct auth *a, const struct oauth_note *n, struct err *err);

/*
 * The same for a refusal that changes nothing, which anybody can cause: only the first OAUTH_REFUSALS of an address in
 * a minute are recorded.
 */
int oauth_note_refusal(struct auth *a, const struct oauth_note *n, struct err *err);

/* Commit when result is 0, else roll back; -1: nothing was changed. */
int oauth_commit(struct auth *a, int result, struct err *err);

/* Draw secrets of OAUTH_SECRET characters; only their digests are stored. */
void oauth_draw(char out[OAUTH_SECRET + 1]);
void oauth_draw_id(char *out, size_t len);
void oauth_digest(struct span secret, uint8_t digest[STORE_DIGEST]);

/*
 * The client with this id.  1: found, free with store_client_fini(); 0: unknown.  An unknown client that is allowed by
 * allow_unregistered_loopback for redirect (empty: any) is found with the source IPC_CLIENT_UNKNOWN.
 */
int oauth_client(struct auth *a, struct span id, struct span redirect, struct store_client *out, struct err *err);

/*
 * Whether an account's digest is no password's but the identity that signs in as it: issuer and subject.  digest: of
 * STORE_PWHASH_MAX + 1 bytes.
 */
bool oauth_is_identity(const char *digest);
void oauth_identity(const char *issuer, struct span subject, char *digest);

/* End all sessions, codes and grants of a user within the open transaction; the numbers of grants and sessions. */
int oauth_end_user(struct auth *a, const char *name, uint64_t now_ms, uint64_t *grants, uint64_t *sessions,
    struct err *err);

/* Tell the fronts that a grant has ended; it is committed. */
void oauth_tell_end(struct auth *a, const char *user, const char *grant);

/* The scopes of a user's role, as in struct role_share; 0: the user is disabled or gone. */
uint32_t oauth_user_scopes(const struct auth *a, const struct store_user *u);

/* 1: out is a user who may sign in; 0 if absent. */
int oauth_user(struct auth *a, struct span name, struct store_user *out, struct err *err);
