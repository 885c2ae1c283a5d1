/* sqlite_columns_db - what a column policy means in the file at hand; part of sqlite_columns. */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/columns.h"
#include "workers/sql/sqlite/sqlite_guard.h"

enum sqlite_object_kind { SQLITE_OBJECT_TABLE, SQLITE_OBJECT_VIEW, SQLITE_OBJECT_VIRTUAL, SQLITE_OBJECT_SHADOW };

struct sqlite_object_column {
	char			*name;
	enum columns_action	 action;
	bool			 generated;
	bool			 inner;		/* of a virtual table, for its internal use */
	bool			 derived;	/* of a view: its value is protected already */
	bool			 key;		/* part of the primary key */
	bool			 integer;	/* declared INTEGER */
};

struct sqlite_object {
	enum sqlite_object_kind		 kind;
	char				*name, *sql;	/* sql may be NULL */
	size_t				 n;
	struct sqlite_object_column	*columns;
	bool				 protected;	/* some column is protected */
	bool				 fronted;	/* a temporary view of the same name replaces it */
	bool				 refused;	/* must not be read: it shows words or computed values, or
                                                         * could not be examined */
	bool				 without_rowid;
	char				*own_index;	/* without row ids: its primary key's index; else NULL */
	bool				 ordered;	/* an index on a protected column may determine the order of
                                                         * its rows */
	bool				 sorted;	/* its rows are stored in the order of a protected column */
	bool				 laid_out;	/* a virtual table: the layout of its shadow tables follows
                                                         * the order of protected rows */
};

struct sqlite_columns_db {
	size_t			 n;
	struct sqlite_object	*objects;
};

/* Reads the file's tables and decides on every column.  The authorizer allows everything meanwhile. */
int sqlite_columns_db_read(struct sqlite_columns_db *d, sqlite3 *db, struct sqlite_guard *guard,
    const struct columns *policy, uint32_t view);
void sqlite_columns_db_fini(struct sqlite_columns_db *d);

/* NULL if absent. */
const struct sqlite_object *sqlite_columns_db_object(const struct sqlite_columns_db *d, const char *name);

/* The virtual table that this shadow table belongs to. */
const struct sqlite_object *sqlite_columns_db_owner(const struct sqlite_columns_db *d, const char *shadow);

/* Whether this is a shadow table whose content, or its layout, may reveal protected values. */
bool sqlite_columns_db_is_closed(const struct sqlite_columns_db *d, const struct sqlite_object *o);

/* NULL if it has no such column. */
struct sqlite_object_column *sqlite_columns_db_column(const struct sqlite_object *o, const char *name);

/* The action of a column, CLEAR when it does not exist; the strictest of all columns; that of the row id. */
enum columns_action sqlite_columns_db_action(const struct sqlite_object *o, const char *column);
enum columns_action sqlite_columns_db_strictest(const struct sqlite_object *o);
enum columns_action sqlite_columns_db_row_id_action(const struct sqlite_object *o);

/*
 * The strictest action of the columns that sql names; NULL: of all columns.  names_table: whether sql names the table.
 */
enum columns_action sqlite_columns_db_named(const struct sqlite_object *o, const char *sql);
bool sqlite_columns_db_names_table(const struct sqlite_object *o, const char *sql);

/* Whether that column of the table is its row id. */
bool sqlite_columns_db_is_row_id(const struct sqlite_object *o, const struct sqlite_object_column *c);
