/*
 * source - the semantic-layer sources of a connection, composed from its files into one model.
 *
 * There are three kinds of files (ktx's formats): a standalone source (`table` or `sql`), an overlay on a scanned
 * entry of the same name, and manifest shards below `_schema/`.  Several overlays of a name add up; of two measures,
 * segments or computed columns with the same name that of the later file counts.  A set has all files of a connection;
 * adding, replacing or removing a file recomposes only the names in it.  A file that cannot be read, or a composition
 * that fails, is a separate trouble: the last good version stays, and nothing else is affected.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "project/format/yaml.h"

enum source_flavour { SOURCE_STANDALONE, SOURCE_MANIFEST, SOURCE_OVERLAID };
enum source_visibility { SOURCE_PUBLIC, SOURCE_INTERNAL, SOURCE_HIDDEN };
enum source_relationship { SOURCE_MANY_TO_ONE, SOURCE_ONE_TO_MANY, SOURCE_ONE_TO_ONE, SOURCE_NO_RELATIONSHIP };

/* Over which dimensions sums of a measure mean something. */
enum source_additivity { SOURCE_ADDITIVE_UNSAID, SOURCE_ADDITIVE_FULL, SOURCE_ADDITIVE_NONE, SOURCE_ADDITIVE_OVER };

/* Names for people: `label` and `synonyms`, in any language. */
struct source_words {
	struct span		 label;		/* empty: none */
	size_t			 nsynonyms;
	const char		**synonyms;	/* including those in the description (project/model/also.h) */
};

/* Texts are NUL-terminated UTF-8; NULL where the file has none. */
struct source_column {
	const char		*name;
	const char		*type;		/* as written: "string", "NUMERIC(10,2)" */
	const char		*expr;		/* computed columns */
	const char		*granularity;	/* natural_granularity */
	bool			 time;		/* role: time */
	enum source_visibility	 visibility;
	bool			 withheld;	/* source_set_hide(): not even shown */
	struct span		 description;	/* resolved; empty: none */
	struct source_words	 words;
	unsigned long long	 unique_rows;	/* in as many rows a deep scan found another value each; 0: unknown */
};

struct source_join {
	const char		*to, *on, *alias;
	enum source_relationship relationship;
	unsigned		 line;		/* in the file it is from; 0: not known */
	size_t			 nverbs;
	const char		**verbs;	/* what rows of one side do with those of the other: "produce" */
};

struct source_measure {
	const char		*name, *expr, *filter;
	size_t			 nsegments;
	const char		**segments;
	struct span		 description;
	struct source_words	 words;
	const char		*unit;
	enum source_additivity	 additive;	/* OVER: those of `over` */
	size_t			 nover, nnone_over;
	const char		**over, **none_over;
	bool			 missing_stays;	/* a source without rows for a group is not read as 0 */
};

struct source_segment {
	const char		*name, *expr;
	struct span		 description;
	struct source_words	 words;
};

struct source {
	const char		*name;
	const char		*path;		/* below the connection's directory; the overlay's for an overlaid entry */
	const char		*rival;		/* another file that defines the same name; NULL: none */
	const struct source	*replaced;	/* standalone: the scan's entry of the same name; NULL: none */
	enum source_flavour	 flavour;
	const char		*table, *sql;	/* exactly one, or none when the file is wrong */
	struct span		 description;	/* resolved; empty: none */
	struct source_words	 words;
	const char		*time_dimension; /* the column of default_time_dimension */
	size_t			 ngrain;
	const char		**grain;
	unsigned long long	 grain_rows;	/* the grain was only measured, in as many rows; 0: it was not */
	bool			 keyless;	/* of a scan: all columns are the grain, for nothing says better */
	size_t			 ncolumns;
	struct source_column	*columns;
	size_t			 njoins;
	struct source_join	*joins;
	size_t			 nmeasures;
	struct source_measure	*measures;
	size_t			 nsegments;
	struct source_segment	*segments;
	const struct yaml_node	*node;		/* the composed mapping, in the authoring form */
};

struct source_set;

struct source_set *source_set_new(void);
void source_set_free(struct source_set *set);

/*
 * Columns of tables, as sources name them, that is_hidden() knows get the
 * visibility hidden, whatever the files say, and are left out where a source
 * is shown.  Before the first compose.
 */
void source_set_hide(struct source_set *set, bool (*is_hidden)(void *arg, const char *table, const char *column),
    void *arg);

/*
 * Add the file path ("orders.yaml", "_schema/public.yaml", relative to the connection's directory) with this text to
 * the model.  -1 with *err when it cannot be read: its previous version, if any, stays in the model and the file is
 * listed among the troubles.
 */
int source_set_put(struct source_set *set, const char *path, struct span text, struct err *err);

/* The file exists but could not even be read (too large, a link): as a failed put. */
void source_set_fail(struct source_set *set, const char *path, const char *reason);

void source_set_remove(struct source_set *set, const char *path);

/*
 * Compose the changes since the last call.  changed() is called once for every name whose source changed, appeared or
 * disappeared: before is NULL for a new one, after is NULL for a removed one.  Both are valid only during the call;
 * results of source_set_get() are valid until the next compose.
 */
void source_set_compose(struct source_set *set,
    void (*changed)(void *arg, const struct source *before, const struct source *after), void *arg);

/* Exact, case-sensitive; NULL if absent. */
const struct source *source_set_get(const struct source_set *set, struct span name);

/* All sources, ordered by name in byte order. */
size_t source_set_count(const struct source_set *set);
const struct source *source_set_at(const struct source_set *set, size_t i);

/* A trouble: file and reason.  Sorted by path.  Valid until the next change. */
struct source_trouble {
	const char	*path;
	const char	*reason;
};
size_t source_set_troubles(const struct source_set *set);
struct source_trouble source_set_trouble(const struct source_set *set, size_t i);

/*
 * The source as YAML text: a standalone file verbatim, anything composed
 * rewritten.  Appended to out.
 */
void source_set_yaml(const struct source_set *set, const struct source *s, struct buf *out);

/* The source as a msgpack map. */
void source_mp(const struct source *s, struct buf *out);

/*
 * The name a source file would give its source: `name:`, else the file's stem.
 * True for names of files that hold sources: .yaml and .yml.
 */
bool source_is_file(const char *path);
bool source_is_shard(const char *path);

/* Below it are the overlays that imports of knowledge write: they come before all other files but shards. */
#define SOURCE_IMPORTS	"_imported"
bool source_is_import(const char *path);

/* Who sees what source_walk() finds; paths are below the directory that is walked. */
struct source_visitor {
	void	*arg;
	void	(*directory)(void *arg, const char *path, int fd);	/* before its files; NULL: not wanted */
	bool	(*file)(void *arg, const char *path, bool is_link);	/* false after the last */
};

/* Free these with the end of the compose pass: `before` may still borrow from them. */
void source_set_retire(struct source_set *set, struct arena *arena, const uint8_t *text);

/* Replace the text in *where with a copy of text, or with NULL. */
void source_set_say(char **where, const char *text);
