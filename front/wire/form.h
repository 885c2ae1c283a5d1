/*
 * form - application/x-www-form-urlencoded, of bodies and of queries, as strangers send it (WHATWG URL 5.1, narrowed).
 * Pure: no I/O.  What two readers could take differently is refused: a name that comes twice, an invalid escape.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/span.h"

#define FORM_FIELDS_MAX	48u
#define FORM_MAX	(64u * 1024)	/* bytes */

/* Why a text was refused.  Zero is success; each value has its own test. */
enum form_fault {
	FORM_OK = 0,
	FORM_SYNTAX,	/* a wrong escape, a control character, not UTF-8, a field without a name */
	FORM_REPEATED,	/* a name comes twice */
	FORM_TOO_MUCH	/* too many fields or bytes */
};

struct form_field {
	struct span	name, value;	/* decoded; in room */
};

struct form {
	struct form_field	field[FORM_FIELDS_MAX];
	size_t			n;
	struct buf		room;
};

/*
 * Read text.  many: the one name that may come more than once; NULL: none may.  out is to be ended whatever is
 * returned; after a fault it has no fields.
 */
enum form_fault form_read(struct span text, const char *many, struct form *out);
void form_fini(struct form *f);	/* overwrites: passwords come in forms */

/* The value of the field; empty when it is missing, which is the same (RFC 6749 3.1). */
struct span form_get(const struct form *f, const char *name);

/* A clause that describes the fault, for error_description. */
const char *form_fault_text(enum form_fault fault);
