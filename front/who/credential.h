/*
 * credential - whose a credential is: the static token, a connectivity token, which carrel-auth knows, or an access
 * token of a user.  A question and a verdict; what becomes of the request, site_credential.h says.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "front/who/verify_credential.h"

struct address;

/* A credential, and what it was presented for. */
struct credential {
	struct span		  secret;
	bool			  users_only;	/* access tokens are taken, and no others */
	/* those whose access tokens are good, by their paths, NULL ends them; and their issuer.  NULL: none are */
	const char *const	 *resources;
	struct span		  issuer;
	const struct address	 *address;	/* for which a wrong one counts; NULL: none */
	/* how to wait for carrel-auth */
	struct verify_wait	**wait;
	void			(*told)(void *arg, const struct verdict *verdict);
	void			 *arg;
};

/* True: *v is the verdict.  False: carrel-auth is asked, and told() hears it, from the event loop. */
bool credential_judge(struct front *f, const struct credential *c, struct verdict *v);

/* The error code for a verdict on a credential that is not good. */
enum err_code credential_code(enum ipc_verdict verdict);
