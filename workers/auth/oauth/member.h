/* member - the user here of an identity that the organization's provider has confirmed. */
#pragma once

#include "policy/sign_in.h"
#include "workers/auth/oauth/login.h"

/*
 * Sign in as the user of this identity (outcome SIGN_IN_DONE), who is made, gets another role or loses the role as the
 * groups say; answers and frees l.  An account that is not the identity's own is never signed in to.
 */
void member_sign_in(struct auth *a, struct login *l, const struct ipc_identified *m);

/*
 * The role that roles (a map) gives to groups, a str or an array, or to "*": to anybody there; of several the one with
 * the most scopes.  Empty: none.
 */
struct span member_role(const struct auth *a, struct span roles, struct span groups);

/*
 * Refuse, on record with the reason's code; of reasons that anybody can cause, at most OAUTH_REFUSALS of an address in
 * a minute.  Answers and frees l.
 */
void member_refuse(struct auth *a, struct login *l, enum sign_in reason);
