/*
 * oauth - how users sign in and what they grant their clients: carrel-auth's decisions of OAuth.  What is decided by
 * the looks of a text alone is policy/oauth.h; what is kept, store_oauth.h; what fronts ask, ipc/messages.def.
 *
 * Each function that answers a message fills *out, whose spans are constants or borrow from the struct said.
 */
#ifndef WORKERS_AUTH_OAUTH_H
#define WORKERS_AUTH_OAUTH_H

#include "base/err.h"
#include "policy/audit.h"
#include "policy/oauth.h"
#include "workers/auth/auth.h"
#include "workers/auth/signing.h"
#include "workers/auth/store_oauth.h"
#include "workers/auth/tally.h"

#define OAUTH_CLIENTS_MAX	10000
#define OAUTH_IDLE_CLIENT_MS	(UINT64_C(24) * 3600 * 1000)	/* without a grant for so long, a client goes */
#define OAUTH_WRONG_MAX		10	/* passwords in */
#define OAUTH_WRONG_S		900u
#define OAUTH_SECRET		43	/* characters of codes and of login sessions */
#define OAUTH_REFRESH_MAX	128	/* of a refresh token */
#define OAUTH_REFUSALS		10	/* of an address in a minute, on record though they change nothing */
#define OAUTH_USES		256	/* grants whose uses are kept at one time */

struct oauth {
	struct signing	 key;
	struct tally	*authorized, *registered;	/* of addresses */
	struct tally	*refused;	/* of addresses: what is on record of it */
	struct tally	*wrong_names, *wrong_addresses, *wrong_pairs, *blocked;
	uint64_t	 looked_ms;	/* what ended before is known to all fronts */
	bool		 look_due;	/* another process may have changed something */
	uint64_t	 swept_ms, written_ms;
	struct {
		char		id[STORE_GRANT_ID + 1];
		uint64_t	last_ms;
	}		 uses[OAUTH_USES];
	size_t		 nuses;
};

int oauth_open(struct auth *a, struct err *err);
void oauth_close(struct auth *a);

/* A front came: the keys; and what ended while it was not there. */
void oauth_greet(struct auth *a, uint64_t peer);

/* What time and other processes have done; cheap when there is nothing. */
void oauth_tend(struct auth *a, uint64_t now_ms);
void oauth_changed_elsewhere(struct auth *a);

/* Every front learns the keys anew. */
void oauth_tell_keys(struct auth *a);

/* --- what they share ------------------------------------------------------------------------ */

/* An entry of the audit within the transaction that is open. */
struct oauth_note {
	enum audit_action	action;
	enum audit_surface	surface;
	enum ipc_oauth		outcome;	/* OAUTH_DONE: ok */
	const char		*user;		/* who; empty or NULL: nobody known */
	struct span		target, client, address, receipt;
};

int oauth_note(struct auth *a, const struct oauth_note *n, struct err *err);

/*
 * The same of a refusal that changes nothing, which anybody may have as often as they like: the first OAUTH_REFUSALS
 * of an address in a minute have an entry, the others none.
 */
int oauth_note_refusal(struct auth *a, const struct oauth_note *n, struct err *err);

/* Commit when result is 0, else roll back; -1 when nothing of it happened. */
int oauth_commit(struct auth *a, int result, struct err *err);

/* Secrets of OAUTH_SECRET characters, and what is kept of them. */
void oauth_draw(char out[OAUTH_SECRET + 1]);
void oauth_draw_id(char *out, size_t len);
void oauth_digest(struct span secret, uint8_t digest[STORE_DIGEST]);

/*
 * The client with this id: 1, and to be freed with store_client_fini(); 0: it is unknown.  One that is unknown but
 * may go to redirect (empty: any) by allow_unregistered_loopback has the source IPC_CLIENT_UNKNOWN.
 */
int oauth_client(struct auth *a, struct span id, struct span redirect, struct store_client *out, struct err *err);

/* A grant has ended and is committed: fronts are told. */
void oauth_tell_end(struct auth *a, const char *user, const char *grant);

/* What a user's role has; 0: the user is disabled or gone. */
uint32_t oauth_user_scopes(const struct store_user *u);

/* 1: out is a user who may sign in; 0: there is none, or not any more. */
int oauth_user(struct auth *a, struct span name, struct store_user *out, struct err *err);

/* --- authorize.c ------------------------------------------------------------------------------ */

struct authorize_said {
	char	code[OAUTH_SECRET + 1], user[STORE_USER_MAX + 1], client[STORE_CLIENT_NAME + 1];
	char	resource[STORE_URI_MAX + 1];
};

void authorize_answer(struct auth *a, const struct ipc_authorize *m, uint64_t now_ms, uint64_t now_ns,
    struct authorize_said *said, struct ipc_authorized *out);

/* --- redeem.c --------------------------------------------------------------------------------- */

struct redeem_said {
	struct buf	access;
	char		refresh[OAUTH_REFRESH_MAX + 1];
};

void redeem_said_fini(struct redeem_said *said);
void redeem_answer(struct auth *a, const struct ipc_redeem *m, uint64_t now_ms, struct redeem_said *said,
    struct ipc_redeemed *out);
void redeem_revoke(struct auth *a, const struct ipc_revoke *m, uint64_t now_ms, struct ipc_revoked *out);

/* The refresh token of a grant's turn; and the other way: false when it is none of ours. */
void refresh_make(const uint8_t key[AUTH_KEY], const char *grant, uint64_t turn, char out[OAUTH_REFRESH_MAX + 1]);
bool refresh_read(const uint8_t key[AUTH_KEY], struct span text, char grant[STORE_GRANT_ID + 1], uint64_t *turn);

/* VERIFY of a grant.  principal: at least 80. */
void redeem_verify(struct auth *a, struct span grant, uint64_t now_ms, struct ipc_verified *out, char principal[80]);
void redeem_write_uses(struct auth *a);

/* --- register.c ----------------------------------------------------------------------------------- */

struct register_said {
	char		id[33];
	struct err	err;
};

void register_answer(struct auth *a, const struct ipc_register_client *m, uint64_t now_ms, uint64_t now_ns,
    struct register_said *said, struct ipc_registered *out);

/* The redirects of a client (array of str), one a line into out, which is emptied.  -1 with *err: one will not do. */
int register_redirects(struct auth *a, const struct mp_value *list, struct buf *out, struct err *err);

/* Room for one more, in the transaction that is open.  -1 with *err: there is none, or the store fails. */
int register_make_room(struct auth *a, uint64_t now_ms, struct err *err);

/* A line of text without what hides or deceives. */
bool register_name_fine(struct span name);

/* --- login.c ---------------------------------------------------------------------------------------- */

void login_take(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_login *m);
void login_setup(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_setup *m);
void login_out(struct auth *a, const struct ipc_logout *m, struct ipc_signed_out *out);

/* Whose session the cookie is: 1 with *u; 0: nobody's; asserted: see messages.def. */
int login_user(struct auth *a, struct span session, struct span asserted, uint64_t now_ms, struct store_user *u,
    uint64_t *expires_ms, struct err *err);

/* Whether a name and a password will do for a new user; else *err says why not. */
int login_check_name(struct span name, struct err *err);
int login_check_password(struct span password, struct err *err);

/* --- accounts.c, clients.c: what the owner's commands call --------------------------------------- */

int user_add_run(struct call *c, const struct mp_value *args, struct err *err);
int user_list_run(struct call *c, const struct mp_value *args, struct err *err);
int user_set_run(struct call *c, const struct mp_value *args, struct err *err);
int user_remove_run(struct call *c, const struct mp_value *args, struct err *err);
int client_add_run(struct call *c, const struct mp_value *args, struct err *err);
int client_list_run(struct call *c, const struct mp_value *args, struct err *err);
int client_remove_run(struct call *c, const struct mp_value *args, struct err *err);
int client_grants_run(struct call *c, const struct mp_value *args, struct err *err);
int client_revoke_run(struct call *c, const struct mp_value *args, struct err *err);
int key_list_run(struct call *c, const struct mp_value *args, struct err *err);
int key_rotate_run(struct call *c, const struct mp_value *args, struct err *err);
int setup_link_run(struct call *c, const struct mp_value *args, struct err *err);

/* Where browsers find this server: public_url, else a loopback name and the port. */
void login_put_origin(const struct auth *a, struct buf *out);

/* --- login.c, the link ------------------------------------------------------------------------------ */

/* The link for the first administrator into out, when one is wanted: 1; 0: none is; -1. */
int login_setup_link(struct auth *a, uint64_t now_ms, struct buf *out, uint64_t *expires_ms, struct err *err);

#endif
