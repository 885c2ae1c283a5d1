/*
 * guard_catalogue - the names of the database at hand that decide which
 * statements are allowed: its functions with their properties, and the
 * operators and types that call a function which may not run.  Filled once by
 * the worker, sealed, then only read.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

struct guard_catalogue;

/* Properties of one overload. */
enum {
	GUARD_FN_VOLATILE	= 1 << 0,
	GUARD_FN_DEFINER	= 1 << 1,	/* SECURITY DEFINER: runs with its owner's rights */
	GUARD_FN_PROCEDURE	= 1 << 2,
	GUARD_FN_ONE_ARGUMENT	= 1 << 3,	/* can be called with one argument, so that .name may mean it */
	GUARD_FN_TAKES_ROW	= 1 << 4,	/* that argument can be a row */
	GUARD_FN_OPAQUE		= 1 << 5,	/* a user's function in a language other than SQL and PL/pgSQL */
	GUARD_FN_SYSTEM		= 1 << 6,	/* in pg_catalog or information_schema, of no extension */
	GUARD_FN_SHADOWED	= 1 << 7,	/* the search path always finds another function of that name first */
	GUARD_FN_OBJECTS	= 1 << 8	/* tells of the server: regclass, xid, no arguments */
};

/* The verdict on a name: the worst one of the overloads that a call could mean. */
enum guard_verdict {
	GUARD_MAY,
	GUARD_UNKNOWN,		/* no function has that name */
	GUARD_NOT_LISTED,	/* belongs to an extension that is not on the list */
	GUARD_LANGUAGE,		/* its language does not tell what it does */
	GUARD_VOLATILE,
	GUARD_DEFINER,
	GUARD_PROCEDURE,
	GUARD_DENIED		/* guard_rules_function() says why */
};

struct guard_catalogue *guard_catalogue_new(void);
void guard_catalogue_free(struct guard_catalogue *c);

/*
 * Trust users' and extensions' functions of that name: they may be called
 * although they are volatile, SECURITY DEFINER, or cannot be judged.  Call
 * before the functions are added.  Functions on the list of refused ones and
 * procedures stay refused, and so do operators and types that call a trusted
 * function.
 */
void guard_catalogue_trust(struct guard_catalogue *c, struct span schema, struct span name);

/* The verdict on the n-th trusted name without its trust; GUARD_UNKNOWN if no function has that name. */
enum guard_verdict guard_catalogue_trusted(const struct guard_catalogue *c, size_t n);

/*
 * extension may be empty.  min and max: the number of arguments that it can
 * be called with.  A function of the server is judged by its name alone,
 * whatever its arguments.
 */
void guard_catalogue_add_function(struct guard_catalogue *c, struct span schema, struct span name,
    struct span extension, unsigned properties, unsigned min, unsigned max);

/* A function that is called by an operator, or by the casts and checks of a type. */
struct guard_behind {
	struct span	name, extension;
	unsigned	properties;
};

/*
 * Kept only if that function may not run; the list of extensions is not asked.
 * own: the operator takes only values of users' types, and values of the
 * server's own types find another operator of that name.
 */
void guard_catalogue_add_operator(struct guard_catalogue *c, struct span schema, struct span name, bool own,
    const struct guard_behind *f);
void guard_catalogue_add_type(struct guard_catalogue *c, struct span schema, struct span name,
    const struct guard_behind *f);

/*
 * Values of the type whole_schema.whole contain values of schema.name: if the latter may not be
 * used, the former may not either.
 */
void guard_catalogue_add_holder(struct guard_catalogue *c, struct span schema, struct span name,
    struct span whole_schema, struct span whole);

/* A relation, type or function whose name may stand for values of a type that an `own` operator takes. */
void guard_catalogue_add_source(struct guard_catalogue *c, struct span name);

/* A type whose name may be written as a cast in function syntax: uuid('…'). */
void guard_catalogue_add_castable(struct guard_catalogue *c, struct span schema, struct span name);

/* Adds a schema of the search path, in order, pg_catalog included. */
void guard_catalogue_add_path(struct guard_catalogue *c, struct span schema);

void guard_catalogue_seal(struct guard_catalogue *c);

enum guard_verdict guard_catalogue_function(const struct guard_catalogue *c, struct span schema,
    struct span name, unsigned nargs);

/*
 * The verdict on the function that a field selection x.name would call if x
 * had no such field; GUARD_MAY if none is bad.  row: x can only be a row.
 */
enum guard_verdict guard_catalogue_attribute(const struct guard_catalogue *c, struct span name, bool row);

/* Whether the schema is on the search path. */
bool guard_catalogue_searches(const struct guard_catalogue *c, struct span schema);

/* Whether every call of that name means a function of the server itself. */
bool guard_catalogue_is_servers(const struct guard_catalogue *c, struct span schema, struct span name);

/* Whether some function of that name has GUARD_FN_OBJECTS. */
bool guard_catalogue_tells_objects(const struct guard_catalogue *c, struct span name);

/* Whether a user's or an extension's function would be called by x.name if x had no such field. */
bool guard_catalogue_has_attribute(const struct guard_catalogue *c, struct span name);

/* The verdict on all operators of a name. */
enum guard_operators_verdict {
	GUARD_OPERATORS_MAY,
	GUARD_OPERATORS_OWN,	/* bad only on values of users' types: see guard_catalogue_is_source() */
	GUARD_OPERATORS_BAD
};
enum guard_operators_verdict guard_catalogue_operator(const struct guard_catalogue *c, struct span schema,
    struct span name);

/* Whether a name may stand for values of a type that an `own` operator takes. */
bool guard_catalogue_is_source(const struct guard_catalogue *c, struct span name);

bool guard_catalogue_is_castable(const struct guard_catalogue *c, struct span schema, struct span name);
bool guard_catalogue_has_bad_type(const struct guard_catalogue *c, struct span schema, struct span name);
