/*
 * knowledge - what a team wrote for another tool, read into one model: tables with columns, joins and measures, and
 * pages of text.  One reader for each kind (kinds.def) fills it; carrel-memory writes it into the project's formats.
 *
 * Texts of SQL name other parts of the model as {{model.column}} and {{model:measure}}, and nothing else is in
 * double braces: templates are never run, a text with one that is not understood is skipped.  {{model.*}} is the table
 * itself, {{model.column@grain}} a time cut off (KNOWLEDGE_GRAINS), in the words of the database.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "base/table.h"
#include "base/text/sqltext.h"

#define KNOWLEDGE_ARENA		((size_t)1 << 30)
#define KNOWLEDGE_PACK_MAX	((size_t)64 << 20)	/* all small files together */
#define KNOWLEDGE_MANIFEST_MAX	((uint64_t)512 << 20)	/* one JSON file, which is streamed */
#define KNOWLEDGE_ENTRY_MAX	((size_t)8 << 20)	/* one object of it; a larger one is skipped by name */
#define KNOWLEDGE_JSON_MAX	((size_t)24 << 20)	/* the model, which carrel-memory takes in parts */

/* What a time is cut off to: a date, that of a week's Monday, "2024-03" of a month or quarter, a year's number. */
#define KNOWLEDGE_GRAINS	"date", "week", "month", "quarter", "year"

enum knowledge_part { KNOWLEDGE_COLUMN, KNOWLEDGE_JOIN, KNOWLEDGE_MEASURE, KNOWLEDGE_SEGMENT };

/* A part of a model.  Empty texts are not said. */
struct knowledge_entry {
	struct knowledge_entry	*next;
	enum knowledge_part	 part;
	const char		*as;		/* "metric": the tool's word; NULL: part of another object */
	struct span		 name;
	struct span		 expr, filter;	/* COLUMN: empty: a column of the table; MEASURE; SEGMENT: expr */
	struct span		 label, said;
	struct span		 type, grain;	/* COLUMN: "time", and its granularity */
	struct span		 to, on;	/* JOIN: a model, and "column = column AND ..." of the two tables */
	struct span		 alias;		/* JOIN: another name of the model, in this part */
	bool			 single;	/* JOIN: one to one, not many to one */
	bool			 keyed;		/* JOIN: only where the scan knows these columns as the key of `to` */
	bool			 unique, not_null;	/* COLUMN, as tests say */
	bool			 apart;		/* MEASURE of several models: NULL where one of them has no row */
	bool			 adds;		/* MEASURE: it may be added up, as a plain sum may */
	size_t			 nalso, nvalues;
	const struct span	*also;		/* other words for it */
	const struct span	*values;	/* COLUMN: accepted values */
};

/* A table of the database, as the tool describes it. */
struct knowledge_model {
	struct knowledge_model	*next;
	const char		*as;
	struct span		 name, id;	/* unique; id: how a manifest calls it, or empty */
	struct span		 schema, table;	/* schema may be empty */
	struct span		 sql;		/* the query that it is, in place of a table */
	struct span		 from;		/* the file, for provenance */
	struct span		 label, said, time;
	struct span		 key;		/* "a,b": columns that identify a row */
	struct span		 above;		/* ids of the nodes it is built from: "a,b" */
	size_t			 nalso, ntags;
	const struct span	*also;
	const struct span	*tags;
	struct knowledge_entry	*entries, **end;
};

struct knowledge_page {
	struct knowledge_page	*next;
	const char		*as;
	struct span		 name, from, title, summary, body;
	size_t			 nmodels;
	const struct span	*models;	/* that it is about */
	bool			 named;		/* the body has references; a line with an unknown one is left out */
};

/* What became of an object that is no part of the model by itself. */
struct knowledge_remark {
	struct knowledge_remark	*next;
	const char		*as;
	size_t			 n;		/* objects */
	struct span		 name, from;
	const char		*reason;	/* why it is skipped; NULL: another object has all of it */
};

struct knowledge {
	struct arena		*a;
	struct span		 kind, project;
	bool			 proposed;	/* whatever is asked for: it is evidence, not what a person wrote */
	size_t			 nmodels, cap;
	struct knowledge_model	**byname;
	struct table		 names, ids;	/* of byname */
	struct knowledge_model	*models, **models_end;
	struct knowledge_page	*pages, **pages_end;
	struct knowledge_remark	*remarks, **remarks_end;
};

/* A file of the pack. */
struct knowledge_file {
	struct span	path, text;
};

struct knowledge_input {
	size_t			 nfiles;
	struct knowledge_file	*files;
	int			 manifest;	/* a descriptor; -1: none was given */
	enum sqltext_dialect	 text;		/* how the connection's engine cuts statements */
};

/* What is read.  The pack has each file as "SIZE PATH\n" and its bytes. */
struct knowledge_job {
	int			 pack, manifest;	/* descriptors; -1: there is no manifest */
	struct span		 kind;
	enum sqltext_dialect	 text;
	struct span		 project;	/* the name that the owner gives it; empty: the files say it */
	struct span		 place;		/* and if they do not: the name of their directory, or empty */
};

/*
 * Read the pack and the manifest by the reader of that kind.  0 with the model as one JSON object in *out; -1 with
 * *err: nothing in them can be read.
 */
int knowledge_read(const struct knowledge_job *job, struct buf *out, struct err *err);

/* All of these live in k->a; a full arena ends the process as out of memory does. */
void *knowledge_alloc(struct knowledge *k, size_t size);
struct span knowledge_text(struct knowledge *k, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct span knowledge_copy(struct knowledge *k, struct span s);

/* A new model; one whose name is taken gets another one, made of as much of id as is needed. */
struct knowledge_model *knowledge_model_add(struct knowledge *k, const char *as, struct span name, struct span id);
struct knowledge_model *knowledge_model_named(const struct knowledge *k, struct span name);
struct knowledge_model *knowledge_model_called(const struct knowledge *k, struct span id);	/* by id */

struct knowledge_entry *knowledge_entry_add(struct knowledge *k, struct knowledge_model *m, enum knowledge_part part,
    const char *as, struct span name);
/* NULL: the model has none. */
struct knowledge_entry *knowledge_entry_named(const struct knowledge_model *m, enum knowledge_part part,
    struct span name);

struct knowledge_page *knowledge_page_add(struct knowledge *k, const char *as, struct span name, struct span from);

void knowledge_skip(struct knowledge *k, const char *as, struct span name, struct span from, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* So many objects of a file: all skipped for the reason, or if it is NULL, all in others. */
void knowledge_tally(struct knowledge *k, const char *as, size_t n, struct span from, const char *reason);
/* Another object has all that this one says, or it says nothing. */
void knowledge_merge(struct knowledge *k, const char *as, struct span name);
