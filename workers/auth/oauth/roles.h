/* roles - what users of a role may be granted: the roles that are built in, and those of auth.roles. */
#pragma once

#include "policy/scopes.h"
#include "workers/auth/auth.h"

/* Scopes, and tools of the team's by name; with tools, scopes has POLICY_SCOPE_NAMED. */
struct role_share {
	uint32_t		scopes;
	struct policy_named	named;
};

bool roles_has(const struct auth *a, struct span role);

/* Append "viewer, contributor or admin, or desk", and the names as an array. */
void roles_text(const struct auth *a, struct buf *out);
void roles_put(const struct auth *a, struct buf *out);

/* All that the role has; nothing: there is no such role.  Tools that its scopes allow as well are not named. */
void roles_share(const struct auth *a, struct span role, struct role_share *out);

/* What is asked for when no scope is named: POLICY_SCOPE_NAMED without a name. */
#define ROLE_ALL	((struct role_share){ .scopes = POLICY_SCOPES_ALL | POLICY_SCOPE_NAMED })

/* What of a text of scopes the role may be granted; all that it has, of one without words. */
void roles_offer(const struct auth *a, struct span role, struct span text, struct role_share *out);

/* Leave of *s what the role may be granted; of ROLE_ALL, all that it has. */
void roles_limit(const struct auth *a, struct span role, struct role_share *s);

/* Read a text of scopes.  *any: it has words. */
void roles_read(struct span text, struct role_share *out, bool *any);

/* Leave what is in both; set POLICY_SCOPE_NAMED by what is left. */
void roles_both(struct role_share *s, uint32_t scopes, const char *named);

/* Set POLICY_SCOPE_NAMED by the tools. */
void roles_mark(struct role_share *s);

/* Whether all of some is in the other. */
bool roles_within(const struct role_share *some, uint32_t scopes, const char *named);

/* What a credential allows, and what its role could, in the words of VERIFIED; a keeps the texts. */
void roles_tell(struct auth *a, const struct role_share *granted, const struct role_share *whole,
    struct ipc_verified *out);

/* Whether a user whose role changes loses something by it. */
bool roles_lessen(const struct auth *a, struct span before, struct span after);

/* Of two roles, the one with more scopes is larger, then the one with more tools; 0: there is no such role. */
unsigned roles_rank(const struct auth *a, struct span role);
