/*
 * bound - the parameters of a statement that a team wrote, `:name` in its text.
 *
 * The text that an engine gets has the engine's own placeholders in their place, numbered by the order in which the
 * parameters are declared; the values are given to it apart.  Only whole tokens are looked at: a cast (x::text), an
 * assignment (:=), a text or a comment holding :name are left as they are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "base/text/sqltext.h"
#include "base/text/parameter_types.h"

/* A value; its text is good for the type (parameter_fits()) and has a NUL behind it. */
struct sql_parameter {
	struct span		name;
	enum parameter_type	type;
	bool			small;	/* of a whole number: it has 32 bits */
	bool			optional;	/* it may be null */
	const char		*text;	/* NULL: null */
};

struct sql_bound {
	struct span		tool;	/* whose statement it is, and by which it is held back */
	size_t			n;
	struct sql_parameter	v[PARAMETERS_MOST];
};

/* How an engine's placeholders are written, and which of them a statement may not have of its own. */
struct sql_bound_style {
	enum sqltext_dialect	dialect;
	const char		*marks;
	void			(*put)(struct buf *out, size_t number, const struct sql_parameter *p);
	char			mark;		/* in front of a number, where put is NULL */
};

/* Write sql with placeholders.  -1 with ERR_INVALID_SQL: it has a name that is not declared, or placeholders itself. */
int sql_bound_write(const struct sql_bound_style *style, struct span sql, const struct sql_bound *bound,
    struct buf *out, struct err *err);

/* The same in place, in the arena. */
int sql_bound_text(const struct sql_bound_style *style, struct arena *a, const struct sql_bound *bound,
    struct span *sql, struct err *err);
