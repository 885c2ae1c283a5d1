/*
 * auth - carrel-auth: users' credentials, limits, the audit.  One struct auth is the whole state of the
 * process; this header is shared by the files of this folder.  Start reading in worker.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "ipc/messages.h"
#include "ipc/journal.h"
#include "policy/tool_names.h"
#include "workers/auth/audit/audit.h"
#include "workers/auth/behind.h"
#include "workers/auth/fronts.h"
#include "workers/auth/limits.h"
#include "workers/auth/node_report.h"
#include "workers/auth/store/store.h"
#include "workers/auth/tokens/usage.h"
#include "workers/shared/child.h"

#define AUTH_KEY	32

/* What CONFIGURE_AUTH said. */
struct auth_conf {
	char		*state;			/* path of the store */
	char		*state_url;		/* of the store that nodes share; empty: none; wiped once it was used */
	unsigned	 lease_ms;		/* what was read from it is good for so long */
	uint64_t	 files_max;		/* bytes of all files in it */
	bool		 alone;			/* no other one serves: serve even if that store is away */
	char		 node[65];		/* the name of this node */
	char		*project_dir;
	uint8_t		 token_key[AUTH_KEY], audit_mac_key[AUTH_KEY], audit_sign_seed[AUTH_KEY];
	uint8_t		 journal_key[JOURNAL_KEY];
	struct buf	 static_token;			/* the server's: no entry of the audit holds it; empty: none */
	bool		 has_journals, audit_key_outside, audit_disk;
	unsigned	 retention_days;
	char		 token_prefix[17];
	char		 tool_prefix[TOOL_NAMES_MAX + 1];
	enum ipc_connectivity_switch connectivity;
	char		 bind_host[257];
	unsigned	 port, max_tokens;

	/* oauth */
	bool		 oauth, registration, client_metadata, unregistered_loopback, proxy_users;
	uint8_t		 refresh_key[AUTH_KEY], seal_key[AUTH_KEY];
	char		*public_url;			/* empty: not set */
	unsigned	 code_ttl_s, access_ttl_s, refresh_ttl_days, refresh_max_days, refresh_grace_s;
	unsigned	 register_per_min, authorize_per_min, consent_days, session_h, device_code_ttl_s;
	struct buf	 redirect_schemes;		/* msgpack: array of str */
	char		 proxy_role[33];		/* empty: unknown names are refused */
	char		*oidc_issuer, *oidc_client, *oidc_scopes;	/* issuer empty: auth.oidc is not set */
	struct buf	 oidc_roles;			/* msgpack: map of groups to roles */
	bool		 oidc_only;			/* passwords are off */
	struct buf	 issuers;			/* msgpack: array of {issuer, roles} */
	struct buf	 roles, team;			/* msgpack, as CONFIGURE_AUTH has them */
	struct buf	 preferences;			/* msgpack: map, the project's */
};

struct admin;
struct audit;
struct audit_copies;
struct auth_oauth;
struct files;
struct hashing;
struct issuers;
struct limits_shared;
struct metadata;
struct provider;

/* Uses of a token that are not in the store yet. */
struct token_use {
	char		id[STORE_TOKEN_ID + 1];
	uint64_t	requests, last_ms;	/* last_ms 0: unused */
	uint64_t	good_at;		/* auth.changes when the token was last verified; 0: never */
	uint64_t	good_until_ms;		/* the token's end, Unix; 0: none */
};

#define AUTH_USES	256	/* tokens whose uses are kept at one time; beyond, uses are written at once */

struct auth {
	struct auth_conf	 conf;
	struct limits_conf	 rates;
	struct store		*store;
	struct store		*own;		/* the node's, of the audit; the same unless nodes share one */
	struct audit		*audit;
	struct audit_copies	*copies;	/* NULL: the store is the node's own */
	struct files		*files;		/* NULL: the same */
	bool			 files_due;	/* its next step need not wait */
	struct limits		*limits;
	struct limits_shared	*shared;	/* NULL: nothing was counted in a store that nodes share */
	struct fronts		 fronts;
	bool			 enabled;	/* connectivity tokens are accepted */
	bool			 loss_told;	/* the audit has what store_loss_repeat() did */
	void			(*tend)(struct auth *);	/* does what is due, also while a call waits: auth_tend() */
	bool			 look_due;	/* another process changed something that was not read yet */
	struct policy_named	 told_named, told_may;	/* of the credential that was verified last, and its role */
	struct buf		 told_claims;	/* of the principal that was verified last */
	char			 told_failing[AUDIT_FAILING];	/* what the fronts were told last of the audit */

	struct token_use	 uses[AUTH_USES];
	size_t			 nuses;
	uint64_t		 written_ms;	/* when uses were written last */

	uint64_t		 changes;	/* incremented whenever a token may have changed; starts at 1 */
	uint64_t		 looked_ms;	/* when another process's writes were last looked for; Unix, as the
                                                 * next ones */
	uint64_t		 acts_on, acts_since_ms;	/* the revision to say store_acted() of; 0: none */
	uint64_t		 sessions_told;	/* number of the newest session that fronts know to have ended */
	uint64_t		 told_until_ns;	/* the end of the lease, as fronts were told last */
	uint64_t		 writes_ns;	/* from when this node writes the project; 0: it does not */
	struct node_report	 report;
	struct behind		 behind;
	char			 away[400];	/* that store is away, since when and why; empty: it is not */
	char			 away_since[25];
	uint64_t		 away_heard_ns;	/* when it was last looked up why no other process can use it */
	uint64_t		 swept_ms;	/* the fronts know all tokens that ended before */
	uint64_t		 sweep_due_ms;	/* when the next token ends or lapses; 0: never */
	uint64_t		 failures;	/* wrong credentials since the start of the process */
	struct usage		 usage;

	struct auth_oauth		*oauth;
	struct hashing		*hashing;
	struct metadata		*metadata;
	struct provider		*provider;
	struct issuers		*issuers;
	struct admin		*admin;
};

extern const struct role auth_role;

extern const struct tool auth_tools[];
