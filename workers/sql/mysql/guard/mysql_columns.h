/*
 * mysql_columns - the column policy on MariaDB and MySQL: statements are changed before they are sent.
 *
 * Where a tree names a protected table it gets a sub-select in its place, in which hidden columns are missing, masked
 * ones are a constant and hashed ones a keyed digest (mysql_lineage.h).  Views are replaced by their definitions, with
 * the same done inside.  The columns of information_schema that hold values of protected columns are NULL for them.
 * So whatever a statement does, the values are not there to be found.
 *
 * Pure: what the database has is given (mysql_catalogue).  A relation that is not in it cannot be named.  One object is
 * for callers with the same view of the policy; it is made again when the catalogue changes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"
#include "policy/columns.h"
#include "workers/sql/mysql/grammar/mysql_tree.h"

/* The variable of the session that holds the key of digests (workers/sql/digest.h); no statement can name it. */
#define MYSQL_COLUMNS_KEY	"@carrel_column_key"

struct mysql_column {
	struct span	 name;
	struct span	 computed;	/* the expressions of a generated column and of its default */
	bool		 binary;	/* its values are bytes: BINARY, BLOB, BIT, GEOMETRY and their kin */
	bool		 invisible;	/* SELECT * leaves it out */
	bool		 unread;	/* the account may know of it, and not read it */
};

/* A part of an index. */
struct mysql_part {
	struct span	 index;
	struct span	 column;	/* a name, or an expression */
};

struct mysql_relation {
	struct span			 schema, name;
	bool				 is_view;
	struct span			 definition;	/* of a view, as information_schema has it; empty: not known */
	struct span			 partitioned;	/* the expressions that say which partition a row is in */
	bool				 keyed;		/* the columns of an index say that, too */
	bool				 elsewhere;	/* its rows are those of other tables: MERGE, FEDERATED, … */
	size_t				 ncolumns, nparts;
	const struct mysql_column	*columns;
	const struct mysql_part		*parts;
};

/* All that the account can read or know of, with the views and tables of information_schema itself. */
struct mysql_catalogue {
	struct span			 schema;	/* of names without one */
	bool				 folded;	/* lower_case_table_names is not 0 */
	size_t				 n;
	const struct mysql_relation	*relations;
};

struct mysql_columns;

/* NULL for an empty policy, which all functions accept.  policy and catalogue are borrowed. */
struct mysql_columns *mysql_columns_new(const struct columns *policy, uint32_t scopes,
    const struct mysql_catalogue *catalogue);
void mysql_columns_free(struct mysql_columns *p);

/*
 * Changes a statement that mysql_guard_judge() allows into what may be sent for these callers.  -1 with
 * ERR_FORBIDDEN_SQL, ERR_TABLE_NOT_FOUND or ERR_SQL_TOO_LONG, and *at the byte of the statement that the message is
 * about, or SIZE_MAX.
 */
int mysql_columns_apply(const struct mysql_columns *p, struct arena *a, struct mysql_node *tree, size_t *at,
    struct err *err);

/* What these callers may see of a column; of a relation that they may not read they see none. */
enum columns_action mysql_columns_action(const struct mysql_columns *p, struct span schema, struct span relation,
    struct span column);

/* Whether the relation has protected columns, or is a view that reads them or cannot be looked into. */
bool mysql_columns_shows_any(const struct mysql_columns *p, struct span schema, struct span relation);

/* Whether an expression or a definition names a protected column of any relation. */
bool mysql_columns_names_any(const struct mysql_columns *p, struct span sql);

/* Whether a rule fits any column of the catalogue. */
bool mysql_columns_matches(const struct mysql_columns *p, size_t rule);
