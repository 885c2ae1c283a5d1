/* knowledge_parts - what knowledge.c decides and knowledge_files.c writes. */
#pragma once

#include "base/mp.h"
#include "base/table.h"
#include "project/model/source.h"
#include "semantic/dialect.h"
#include "workers/memory/ingest/knowledge.h"

enum know_part { KNOW_COLUMN, KNOW_JOIN, KNOW_MEASURE, KNOW_SEGMENT, KNOW_PARTS };

/* Why something has no place here; empty: it is taken. */
struct know_fate {
	struct span	why;
	bool		merged;		/* nothing has to be written for it */
	bool		tried;		/* it compiled, and ran on the database */
};

struct know_entry {
	enum know_part	 part;
	struct mp_value	 said;		/* the entry of the model */
	struct span	 as, name;
	struct span	 expr, filter;	/* with names of sources in place of references; JOIN: expr is its ON */
	bool		 known;		/* COLUMN: of the table, not computed */
	struct know_fate fate;
};

struct know_model {
	struct mp_value	 said;
	struct span	 as, name, from;
	const char	*source;	/* the scanned source that it is an overlay of; NULL: fate.why says why */
	size_t		 file;		/* its file */
	const struct know_model *before, *next;	/* of that file, in the order they were read */
	size_t		 nentries;
	struct know_entry *entries;
	struct know_query *query;	/* what it is in place of a table; NULL: of a table */
	struct know_fate fate;
};

/* A column; type is a word of the semantic layer, or NULL. */
struct know_field {
	struct span	name;
	const char	*type;
};

/* A query whose rows are a source's. */
struct know_query {
	struct span	 sql;		/* with tables in place of references */
	size_t		 ncolumns;
	struct know_field *columns;	/* as the database says */
	struct span	 text;		/* the file of the source with these columns alone */
};

/* A file of this import, as it is and as it is to be. */
struct know_file {
	struct span	 path;		/* below the project: "semantic-layer/w/_imported/dbt-shop/orders.yaml" */
	const char	*below;		/* below the connection's directory; NULL: a page */
	struct span	 name, about;	/* the source or key; a summary */
	bool		 there, edited;	/* it exists; by its owner's hand */
	bool		 wanted;
	const struct know_model *query;	/* the only model of it, if that is a query */
	struct know_model	*first, *last;	/* its models; NULL: none */
	struct span	 before;
	struct buf	 text;
};

struct know_page {
	struct mp_value	 said;
	struct span	 as, name, from, body;
	size_t		 file;
	struct know_fate fate;
};

struct know {
	const struct memory	*m;
	struct run		*r;
	struct arena		*a;
	struct source_set	*set;
	const struct dialect	*dialect;
	struct span		 driver;
	struct buf		 mp;
	struct mp_value		 said;
	struct span		 kind, project;
	const char		*dir;		/* "dbt-shop", of files and in front of the keys of pages */
	size_t			 nmodels, npages, nfiles, files_cap;
	struct know_model	*models;
	struct table		 names;		/* of models */
	struct know_page	*pages;
	struct know_file	*files;
};

/* Why it is skipped. */
void know_skip(struct know *k, struct know_fate *f, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

struct know_model *know_find_model(struct know *k, struct span name);

/*
 * Runs a statement for no rows; it is skipped if the database refuses it.  *head: what it says of its columns, during
 * the call.  -1 with *err: the database did not answer.
 */
struct call;
int know_run(struct call *c, struct know *k, struct span sql, struct know_fate *fate, struct mp_value *head,
    struct err *err);

static inline bool
know_is_taken(const struct know_model *m, const struct know_entry *e)
{
	return m->fate.why.len == 0 && e->fate.why.len == 0 && !e->fate.merged;
}
