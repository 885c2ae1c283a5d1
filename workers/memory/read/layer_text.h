/*
 * layer_text - edits the YAML text of a source's file and leaves all other bytes as they are.  Every edit is checked by
 * parsing the result: apart from what was meant, it is equal to the text before.  Pure.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "project/format/yaml.h"

/* The text of a scalar; empty for other nodes. */
static inline struct span
layer_scalar(const struct yaml_node *n)
{
	return n != NULL && n->kind == YAML_SCALAR ? n->text : SPAN_NONE;
}

/* "key: text" as one line. */
void layer_put_line(struct buf *out, unsigned indent, const char *key, struct span text);

/* The entry with this name in the list under key; NULL: none. */
const struct yaml_node *layer_entry(const struct yaml_node *root, const char *key, struct span name);

/*
 * Adds an entry to the list under key, which may be missing.  entry: its lines, the first one without the dash; its
 * first key is its name.  -1 with *err: the text has a form that is not edited.
 */
int layer_add(struct arena *a, struct span text, const char *key, struct span entry, struct buf *out, struct err *err);

/* Gives the named entry of the list under key this description.  -1 as above. */
int layer_describe(struct arena *a, struct span text, const char *key, struct span name, struct span description,
    struct buf *out, struct err *err);

/*
 * Gives the named entry of the list under key this text as its member, in place of the one it had; an empty text: takes
 * the member away.  -1 as above.
 */
int layer_set(struct arena *a, struct span text, const char *key, struct span name, const char *member,
    struct span value, struct buf *out, struct err *err);

/* Gives a file without a description of its source this one.  -1 as above. */
int layer_describe_all(struct arena *a, struct span text, struct span description, struct buf *out, struct err *err);

/* Adds a comment above the entry.  1: *out has the text; 0: the comment is there already; -1 as above. */
int layer_mark(struct arena *a, struct span text, const char *key, struct span name, const char *mark, struct buf *out,
    struct err *err);

/* The text without the lines that are this comment, in a. */
struct span layer_unmark(struct arena *a, struct span text, const char *mark);
