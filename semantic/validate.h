/*
 * validate - finds faults of a model in its files.
 *
 * Checks everything that needs no data: invalid files, unusable joins, unresolved names, measures that do not compile,
 * unconnected parts.  Pure: no I/O; same model, same findings.
 */
#pragma once

#include "base/arena.h"
#include "semantic/dialect.h"
#include "semantic/model.h"

#define SEM_FINDINGS_MAX	10000	/* further ones are not reported */

struct sem_finding {
	const char	*path;		/* the file, below the connection's directory */
	const char	*source;
	unsigned	 line;		/* 0: not of one line */
	bool		 warning;	/* it compiles, but probably does not mean what was intended */
	const char	*category;	/* as in problem.h */
	const char	*text;		/* one sentence and what to do */
};

/*
 * All findings, ordered by path, then line, in a; *n of them.  NULL when a is
 * full.  d is the dialect that the measures must compile for.
 */
const struct sem_finding *sem_validate(const struct sem_model *m, const struct dialect *d, struct arena *a, size_t *n);
