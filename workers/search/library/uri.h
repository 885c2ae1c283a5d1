/*
 * uri - the names of resources: SCHEME://wiki/{key},
 * SCHEME://semantic-layer/{connection}/{source},
 * SCHEME://schema/{connection}/{table}, SCHEME://dialect/{connection},
 * SCHEME://ontologies, SCHEME://ontologies/{id} and
 * SCHEME://ontologies/{id}/datasets/{name}.
 *
 * A variable is what RFC 6570 makes of one in simple expansion: every byte
 * that is not unreserved (RFC 3986) is percent-encoded, so that a name may
 * hold slashes, blanks and any letters.  A name is looked up in what was
 * indexed; it never becomes a path.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

/* In the order of resources/list. */
enum uri_kind {
	URI_WIKI,
	URI_SEMANTIC,
	URI_SCHEMA,
	URI_DIALECT,
	URI_ONTOLOGIES,		/* all of them, in one */
	URI_ONTOLOGY,
	URI_DATASET,
	URI_KINDS
};

struct uri {
	enum uri_kind	kind;
	struct span	connection;	/* of ontologies the id; empty for pages */
	struct span	name;		/* key, source or table; the connection again if the URI ends there */
};

/* Append the URI of u. */
void uri_put(const char *scheme, const struct uri *u, struct buf *out);

/* "SCHEME://schema/{connection}/{table}"; the URI itself when it has no variables. */
void uri_put_template(const char *scheme, enum uri_kind kind, struct buf *out);

/*
 * Read text; what was decoded is in out, which borrows from scratch.  Lenient
 * in what need not have been encoded, strict otherwise.  False: another
 * scheme or kind, missing, empty or additional parts, a query or fragment, a
 * malformed escape, a control character as it is, or a name that is not UTF-8
 * or holds a zero byte.
 */
bool uri_read(const char *scheme, struct span text, struct buf *scratch, struct uri *out);
