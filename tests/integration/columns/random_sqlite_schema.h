/*
 * random_sqlite_schema - databases drawn by lot: tables, generated columns,
 * indexes, views and virtual tables of every kind, with a policy for some of
 * the columns; and the same database twice, different in protected values
 * alone.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define DRAWN_OBJECTS	40
#define DRAWN_COLUMNS	8

enum drawn_action { DRAWN_CLEAR, DRAWN_HASH, DRAWN_MASK, DRAWN_HIDE };

struct drawn_object {
	char		name[32];
	enum { DRAWN_TABLE, DRAWN_VIEW, DRAWN_INDEX5, DRAWN_INDEX4, DRAWN_WORDS, DRAWN_PLACES } kind;
	bool		rebuilt;		/* filled from its content */
	bool		without_rowid;
	unsigned	n;
	struct drawn_column {
		char			name[24];
		enum drawn_action	action;
		bool			number, computed;
		unsigned		key;	/* place in the primary key, from 1 */
	} columns[DRAWN_COLUMNS];
};

struct drawn {
	uint64_t		state;
	unsigned		n, nindexes;
	struct drawn_object	objects[DRAWN_OBJECTS];
	bool			hashed;		/* some column is */
	struct buf		schema;		/* CREATE statements, a line each */
	struct buf		policy;		/* JSON */
};

unsigned drawn_lot(struct drawn *d, unsigned n);
void drawn_make(struct drawn *d, uint64_t seed);
void drawn_fini(struct drawn *d);

/* The INSERT statements of database 0 or 1. */
void drawn_rows(const struct drawn *d, unsigned which, struct buf *out);

/* A name in one of the ways it can be written. */
void drawn_put_name(struct drawn *d, struct buf *out, const char *name);
