/*
 * identity - as whom a statement runs on a connection with `identity` (docs/identity.md).  Pure.
 *
 * A connection's templates and what is known of the principal make the values of the session's settings and, on
 * PostgreSQL, a role.  A principal that lacks a value is refused: a statement never runs without them.
 *
 * principal is that of CALL; claims, also of CALL, are a msgpack map of texts, or empty.  {user.name} is the name of a
 * user, of a token its claim IDENTITY_USER_NAME.  This machine's owner (local:, cli:, page:local:) is
 * whom identity.owner names.  The static token stands for no person.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"
#include "base/text/identity_text.h"
#include "policy/columns.h"

struct identity;

/* Names and values of the settings, in the order of the configuration.  Borrowed from the identity and an arena. */
struct identity_as {
	size_t		 n;
	const char	*names[IDENTITY_SETTINGS_MAX];
	const char	*values[IDENTITY_SETTINGS_MAX];
	const char	*role;		/* NULL: the account's own */
};

/* Read CONFIGURE_SQL's field.  *out is NULL for an empty one. */
int identity_new(struct identity **out, const char *connection, struct span raw, struct err *err);

/* Accepts NULL. */
void identity_free(struct identity *id);

size_t identity_settings(const struct identity *id);
const char *identity_setting(const struct identity *id, size_t i);
size_t identity_roles(const struct identity *id);
const char *identity_role(const struct identity *id, size_t i);

/* Whether scans have somebody to read as. */
bool identity_has_neutral(const struct identity *id);

/* As whom statements of the principal run; -1: it is refused, with what to do. */
int identity_resolve(const struct identity *id, struct span principal, struct span claims, struct arena *a,
    struct identity_as *out, struct err *err);

/* As whom scans read. */
int identity_resolve_neutral(const struct identity *id, struct arena *a, struct identity_as *out, struct err *err);

/*
 * Mark a digest of columns_digest() as that of a connection with this identity: what was read for all callers under
 * another one, or without, is not shown.  No effect for an empty one.
 */
void identity_mark(struct span identity, char digest[COLUMNS_DIGEST_TEXT]);

#define IDENTITY_TEXT	256	/* bytes, with its NUL */

/*
 * For the audit: role="analyst" app.user="ada" app.tenant="acme", values as strings of JSON; an ellipsis
 * follows one that is cut.
 */
void identity_text(const struct identity_as *as, char out[IDENTITY_TEXT]);

/* In place of claims: what the call reads is kept for all callers, so that it runs as none of them. */
#define IDENTITY_FOR_ALL	SPAN("\xc0")
bool identity_is_for_all(struct span claims);

/* Whether claims are a map of at most IDENTITY_CLAIMS_MAX names to values, or empty. */
bool identity_is_claims(struct span claims);
