/* identity_text - templates of a connection's identity: {user.name} and {claims.NAME} in them stand for values. */
#pragma once

#include <stdbool.h>

#include "base/span.h"

#define IDENTITY_SETTINGS_MAX	16u	/* settings of one connection */
#define IDENTITY_CLAIMS_MAX	32u	/* claims of one principal */
#define IDENTITY_CLAIMS_BYTES	8192u	/* of all of them, as msgpack */
#define IDENTITY_NAME_MAX	128u	/* bytes of a claim's name */
#define IDENTITY_VALUE_MAX	1024u	/* bytes of a claim, and of a value made of a template */
#define IDENTITY_USER_NAME	"user.name"	/* under it a token's claims say what {user.name} is */

enum identity_piece { IDENTITY_LITERAL, IDENTITY_USER, IDENTITY_CLAIM };

/* text: the literal, or the name of the claim. */
struct identity_part {
	enum identity_piece	kind;
	struct span		text;
};

/* Take the next part from the front of a template without faults.  False: it has no more. */
bool identity_text_next(struct span *rest, struct identity_part *part);

/* What is wrong with a template, for people; NULL: nothing. */
const char *identity_text_fault(struct span text);

/* Whether a claim may be called so: 1 to IDENTITY_NAME_MAX of A-Z a-z 0-9 _ . : / -. */
bool identity_text_is_name(struct span name);

/* Whether a value may be set: 1 to IDENTITY_VALUE_MAX bytes of UTF-8, no NUL. */
bool identity_text_is_value(struct span value);
