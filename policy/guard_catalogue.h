/*
 * guard_catalogue - what the database at hand has, as far as it decides which
 * names a statement may use: its functions with their properties, and the
 * operators and types behind which a function stands that may not be called.
 *
 * Filled once by the worker, sealed, then only read.
 */
#ifndef POLICY_GUARD_CATALOGUE_H
#define POLICY_GUARD_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

struct guard_catalogue;

/* Properties of one overload. */
enum {
	GUARD_FN_VOLATILE	= 1 << 0,
	GUARD_FN_DEFINER	= 1 << 1,	/* runs with its owner's rights */
	GUARD_FN_PROCEDURE	= 1 << 2,
	GUARD_FN_ONE_ARGUMENT	= 1 << 3,	/* may be called with one, and so be written as .name */
	GUARD_FN_TAKES_ROW	= 1 << 4,	/* and that argument may be a row */
	GUARD_FN_OPAQUE		= 1 << 5,	/* of a user, in another language than SQL and PL/pgSQL */
	GUARD_FN_SYSTEM		= 1 << 6,	/* in pg_catalog or information_schema, of no extension */
	GUARD_FN_SHADOWED	= 1 << 7	/* the search path always finds another one first */
};

/* What may be said about a name; the worst of the overloads that a call could mean. */
enum guard_verdict {
	GUARD_MAY,
	GUARD_UNKNOWN,		/* there is no such function */
	GUARD_NOT_LISTED,	/* of an extension that is not on the list */
	GUARD_LANGUAGE,		/* nobody can say what it does */
	GUARD_VOLATILE,
	GUARD_DEFINER,
	GUARD_PROCEDURE,
	GUARD_DENIED		/* guard_rules_function() says why */
};

struct guard_catalogue *guard_catalogue_new(void);
void guard_catalogue_free(struct guard_catalogue *c);

/*
 * Trust the functions of that name, of users and extensions: they may be called
 * although they are volatile, run with another's rights, or cannot be judged.
 * Before the functions are added.  What the list of refused functions names,
 * and procedures, stay refused; so do operators and types behind which a
 * trusted function stands.
 */
void guard_catalogue_trust(struct guard_catalogue *c, struct span schema, struct span name);

/* What would be said of the n-th trusted name without that; GUARD_UNKNOWN: nothing has that name. */
enum guard_verdict guard_catalogue_trusted(const struct guard_catalogue *c, size_t n);

/*
 * extension may be empty.  min and max: with how many arguments it can be
 * called.  A function of the server is judged by its name alone, whatever
 * they are.
 */
void guard_catalogue_add_function(struct guard_catalogue *c, struct span schema, struct span name,
    struct span extension, unsigned properties, unsigned min, unsigned max);

/* A function that stands behind an operator, or behind the casts and checks of a type. */
struct guard_behind {
	struct span	name, extension;
	unsigned	properties;
};

/*
 * Kept only if that function may not run; of an extension that is not listed
 * it may.  own: it takes nothing but values of users' types, and values of the
 * server's own types find another operator of that name.
 */
void guard_catalogue_add_operator(struct guard_catalogue *c, struct span schema, struct span name, bool own,
    const struct guard_behind *f);
void guard_catalogue_add_type(struct guard_catalogue *c, struct span schema, struct span name,
    const struct guard_behind *f);

/* A value of the type whole_schema.whole holds one of schema.name: if that may not be used, neither may whole. */
void guard_catalogue_add_holder(struct guard_catalogue *c, struct span schema, struct span name,
    struct span whole_schema, struct span whole);

/* A relation, type or function whose name may stand for values of a type that an own operator takes. */
void guard_catalogue_add_source(struct guard_catalogue *c, struct span name);

/* A type whose name may be written as the function of a cast: uuid('…'). */
void guard_catalogue_add_castable(struct guard_catalogue *c, struct span schema, struct span name);

/* A schema of the search path, in order, pg_catalog included. */
void guard_catalogue_add_path(struct guard_catalogue *c, struct span schema);

void guard_catalogue_seal(struct guard_catalogue *c);

/* --- asking; an empty schema means: as the search path finds it ------------------ */

enum guard_verdict guard_catalogue_function(const struct guard_catalogue *c, struct span schema,
    struct span name, unsigned nargs);

/*
 * What a field selection, x.name, would call if x has no such field; GUARD_MAY
 * when nothing bad.  row: x can only be a row.
 */
enum guard_verdict guard_catalogue_attribute(const struct guard_catalogue *c, struct span name, bool row);

/* Whether names without a schema may be of this one. */
bool guard_catalogue_searches(const struct guard_catalogue *c, struct span schema);

/* Whether whatever call of that name means a function of the server itself. */
bool guard_catalogue_is_servers(const struct guard_catalogue *c, struct span schema, struct span name);

/* Whether a user or an extension has a function that x.name would call if x has no such field. */
bool guard_catalogue_has_attribute(const struct guard_catalogue *c, struct span name);

/* What may be said of all operators of a name. */
enum guard_operators_verdict {
	GUARD_OPERATORS_MAY,
	GUARD_OPERATORS_OWN,	/* only over values of users' types: see guard_catalogue_is_source() */
	GUARD_OPERATORS_BAD
};
enum guard_operators_verdict guard_catalogue_operator(const struct guard_catalogue *c, struct span schema, struct span name);

/* Whether values of a type that an own operator takes may come from what has that name. */
bool guard_catalogue_is_source(const struct guard_catalogue *c, struct span name);

bool guard_catalogue_is_castable(const struct guard_catalogue *c, struct span schema, struct span name);
bool guard_catalogue_has_bad_type(const struct guard_catalogue *c, struct span schema, struct span name);

#endif
