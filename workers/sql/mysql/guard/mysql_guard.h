/*
 * mysql_guard - decides by its tree whether a statement may be sent.
 *
 * The grammar has no statement that writes, and no clause that locks, writes files or sets variables (mysql_parse.h).
 * Decided here is what the names of a tree stand for: every function is listed, and the server has it, or is a routine
 * of the database that only reads, every schema is one of the database, and of information_schema only what describes
 * it may be read.
 * mysql_weight.h bounds what a statement costs.  Pure.
 *
 * Not decided here: what views and routines of the database do, which is their owner's affair; the session bounds that.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/span.h"
#include "workers/sql/mysql/grammar/mysql_tree.h"

/* A stored function that reads or computes, with the rights of its caller. */
struct mysql_routine {
	struct span	 schema, name;
};

/* The layers that are switched off, one at a time, by an audit. */
enum mysql_guard_mode { MYSQL_GUARD_ALL, MYSQL_GUARD_ONLY_FORM, MYSQL_GUARD_ONLY_FUNCTIONS };

struct mysql_guard {
	enum mysql_guard_mode		 mode;
	bool				 mariadb;	/* the server is no MySQL */
	unsigned long			 version;	/* 101119: 10.11.19 */
	bool				 folded;	/* names of schemas that differ in case are the same */
	bool				 counted;	/* rows are hidden by who asks: counts of all are refused */
	size_t				 nschemas, nroutines;
	const struct span		*schemas;	/* that may be named; system schemas never */
	const struct mysql_routine	*routines;
};

/*
 * Judges the tree of a statement.  -1 with ERR_FORBIDDEN_SQL, ERR_TABLE_NOT_FOUND or ERR_INVALID_SQL, and *at the byte
 * of the statement that the message is about.
 */
int mysql_guard_judge(const struct mysql_guard *g, const struct mysql_node *tree, size_t *at, struct err *err);
