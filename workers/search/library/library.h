/*
 * library - everything the search worker knows: the pages, and per connection
 * its semantic model, its latest scan and its dictionary.  One vocabulary and
 * one index over all of it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mp.h"
#include "ipc/messages.h"
#include "policy/columns.h"
#include "policy/identity.h"
#include "workers/search/passages/chunks.h"
#include "workers/search/index/dict.h"
#include "workers/search/library/live.h"
#include "workers/search/index/shelf.h"
#include "workers/search/library/models.h"
#include "workers/search/library/ontologies.h"
#include "workers/search/library/pages.h"
#include "workers/search/library/schema.h"
#include "workers/search/library/sizes.h"

/* A file that cannot be used, relative to the project. */
struct trouble {
	char	*path, *reason;
};

struct troubles {
	size_t		 n, cap;
	struct trouble	*v;
};

void troubles_add(struct troubles *t, const char *path, const char *reason);
void troubles_clear(struct troubles *t);

/* Where a connection's scans stand: what is in use, what is being read. */
struct scan_load;
struct scans {
	struct schema		*schema;	/* in use; NULL: none */
	char			*in_use;	/* identity of what all this was read from; NULL: nothing yet */
	struct scan_load	*load;		/* in work; NULL: nothing */
	struct troubles		 troubles;	/* of what is in use, and of newer ones that cannot be */
	char			*tables_path;	/* "<sync>/tables" below live-database, of what is in use */
	uint64_t		 files_digest;	/* of its files, as read */

	struct dict		*dict;		/* NULL: no profile */
	bool			 dict_unreadable;	/* there is a profile, and none that can be used */
	char			*dict_sync, *dict_at;	/* directory of the profile; when it was made, NULL: unknown */
	bool			 has_sample_rows, has_values_per_column;
	uint64_t		 sample_rows, values_per_column;
	size_t			 text_columns;	/* of tables whose rows can be sampled */
};

struct connection {
	char			*id, *driver, *name, *description;	/* description may be NULL */
	size_t			 nschemas;
	char			**schemas;
	struct columns		*policy;	/* NULL or empty: none */
	bool			 is_default;	/* meant where none is named (config_default_connection()) */
	bool			 semantic_only;	/* no SQL of callers' own, not even inside a query */
	char			 policy_digest[COLUMNS_DIGEST_TEXT];	/* columns_digest() and identity_mark() */
	bool			 identity;	/* each caller reads rows of its own */
	enum ipc_pool_state	 state;
	char			*reason;	/* NULL: none */
	struct models		 models;
	struct scans		 scans;
	struct live		 live;		/* whether the database is still as scanned */
	size_t			 queued;	/* model files waiting to be read */

	/* Working space of following files. */
	size_t			 ndirs, dirs_cap;
	char			**dirs;		/* of sources, below semantic-layer */
	uint64_t		 dirs_digest;
	bool			 check_sources, check_scans, force_scans;
};

/* Places of the project the worker may read.  A place that did not exist when it started cannot be read. */
enum place { PLACE_WIKI, PLACE_SEMANTIC, PLACE_RAW, PLACE_DOCUMENTS, PLACES };

extern const char *const place_names[PLACES];

struct follow;

/* connectivity.sql_*: of a statement over datasets. */
struct dataset_limits {
	uint64_t	ms, rows, memory, characters, threads;
};

struct library {
	char			*project_dir, *wiki_user;
	struct dataset_limits	 limits;
	char			*scheme;	/* of resources' URIs: "carrel" */
	uint64_t		 memory_max;
	bool			 best_effort;
	int			 dirs[PLACES];	/* -1: missing */
	const char		*dir_troubles[PLACES];	/* why, when it exists and cannot be used */
	struct vocab		*vocab;
	struct pages		 pages;
	size_t			 nconnections;
	struct connection	*connections;	/* by id */
	struct ontologies	 ontologies;
	struct chunks		 chunks;	/* of documents of datasets */
	uint64_t		 vectors_rest_ns;	/* until then none of a question is asked for */
	struct sizes		 sizes;		/* of datasets */
	bool			 told_ready;	/* what fronts were last told of ontologies */
	struct follow		*follow;
	uint64_t		 build_ns;	/* spent on reading and indexing until then */
	uint64_t		 reading_ns;	/* the same since there was nothing to read */
	bool			 settled;	/* all there was at the start has been read: see news.h */
	size_t			 nparts, parts_cap;
	struct part		*parts;		/* see library_parts() */
};

/* The source that a scan made of t, a table of s; NULL if absent. */
const struct source *library_made_of(const struct connection *c, const struct schema *s, const struct schema_table *t);

/* The schema meant by db, as a scan or a source gives it; empty: the connection's first. */
struct span library_schema(const struct connection *c, struct span db);

/* What the column policy of c makes of a column, whomever it binds; table is written as a source names it. */
enum columns_action library_column_action(const struct connection *c, const char *table, const char *column);

/* A library without anything in it; the lists are the configuration's, checked here. */
struct library *library_new(struct span project_dir, struct span wiki_user, struct span scheme,
    const struct mp_value *connections, const struct mp_value *ontologies, struct err *err);
void library_free(struct library *l);

struct connection *library_connection(struct library *l, struct span id);

/* The connection meant where none is named; NULL: one must be. */
struct connection *library_default(struct library *l);

/*
 * The segments to search: the pages' and those of the connection only, or of
 * all when it is NULL.  Valid until files are followed again.
 */
const struct part *library_parts(struct library *l, const struct connection *only, size_t *n);

/* Living documents of the whole index. */
uint64_t library_documents(const struct library *l);

/* True while something of the connection waits to be read or indexed. */
bool library_is_indexing(const struct connection *c);

/* "ready", "no_profile_artifact" or "no_candidate_columns". */
const char *library_dictionary(const struct connection *c);

/*
 * Call fn for every file that cannot be used: of connection c, or, when c is
 * NULL, of what belongs to no connection.  Paths are relative to the project.
 */
void library_troubles(const struct library *l, const struct connection *c,
    void (*fn)(void *arg, const char *path, const char *reason), void *arg);

/* Call fn for what the semantic layer of c passes over in files that otherwise work. */
void library_notes(struct connection *c, void (*fn)(void *arg, const char *path, const char *reason), void *arg);

/* Append a map with what the index holds, for `carrel status`. */
void library_report(struct library *l, struct buf *out);

/* ERR_CONNECTION_NOT_FOUND with the ones there are; the list goes to details. */
int library_no_connection(const struct library *l, struct span id, struct buf *details, struct err *err);
