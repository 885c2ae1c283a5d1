/*
 * export - the semantic layer of a connection as another tool's file.  What that tool has no word for is left out and
 * listed, each by its name.
 */
#pragma once

#include "base/buf.h"
#include "cli/cmd.h"
#include "semantic/model.h"

struct export {
	struct cli		*cli;
	struct arena		*a;
	const char		*connection;
	const struct source_set	*set;
	const struct sem_model	*model;
	struct buf		 out;		/* the file */
	struct buf		 left;		/* elements of an array: {as, name, reason} */
	size_t			 nleft;
};

/* A safe join of a source: to at most one row.  Those of two sources without an alias come first. */
struct export_join {
	const struct source	*to;
	const char		*alias;		/* NULL: none */
	bool			 single;	/* one to one */
	size_t			 npairs;
	struct sem_pair		 pairs[SEM_KEYS_MAX];
};

/* Lists what is left out: "segment", "orders.shipped", and why. */
void export_leave(struct export *x, const char *as, const char *source, const char *name, const char *why);

/* The joins of a source, in the arena; returns how many. */
size_t export_joins(struct export *x, const struct source *s, const struct export_join **out);

/* The name of a measure among those of all sources: source_name where another one has it, too, which is listed. */
const char *export_metric_name(struct export *x, const struct source *s, const struct source_measure *m);

/* Whether its rows are those of a table, and its file is sound; otherwise it is listed. */
bool export_has_table(struct export *x, const struct source *s);

/* The columns that identify a row: a scan takes all together where it knows no key. */
static inline bool
export_has_key(const struct source *s)
{
	return s->ngrain > 0 && !s->keyless;
}

/* Whether the column is a time. */
bool export_is_time(const struct source_column *c);

/* Lists what of a source, and of a measure that was written, no tool has a word for. */
void export_leave_segments(struct export *x, const struct source *s);
void export_leave_meaning(struct export *x, const struct source *s, const struct source_measure *m);

/* "key: text", in quotes, appended to out. */
void export_key(struct buf *out, unsigned indent, const char *key, struct span text);

/* The same in the file; nothing for an empty text. */
void export_line(struct export *x, unsigned indent, const char *key, struct span text);

/* "[a, b]" of n names. */
void export_names(struct export *x, const char *const *names, size_t n);
