/*
 * config_edit - edits carrel.yaml by changing only the lines concerned.  Comments, order and
 * formatting of everything else stay.
 */
#pragma once

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

/* A format: the connection's name. */
#define CONFIG_EDIT_TAKEN \
	"there is a connection \"%s\" already; choose another name, or change it with `carrel connection edit`"

struct config_edit_value {
	const char	 *key;
	const char	 *text;		/* NULL: the list */
	size_t		  n;
	const char	**list;
};

/*
 * Append text to out with connection id added after the others.  -1 with *err: the name exists already, or the file
 * cannot be edited safely (not YAML, or connections on one line).
 */
int config_edit_add(struct span text, const char *id, const struct config_edit_value *values, size_t n,
    struct buf *out, struct err *err);

/*
 * The same with keys of connection id changed: an existing key gets the new value on its line and keeps its comment; a
 * new one is added after the others; one with neither text nor list is removed.
 */
int config_edit_set(struct span text, const char *id, const struct config_edit_value *values, size_t n,
    struct buf *out, struct err *err);

/* The text without the connection id and the comment lines directly above it. */
int config_edit_remove(struct span text, const char *id, struct buf *out, struct err *err);
