/*
 * view - a JSON answer as the text it is.
 *
 * What the daemon answers is shown or passed on digit by digit: 1.50 stays
 * 1.50, which a parsed number would not, and rows may hold integers beyond 64
 * bits and NULs, which json_read() refuses.  So a value is a slice of the
 * answer and nothing is copied, converted or kept.  A text that is no JSON
 * gives VIEW_NONE, never a read past its end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/json/json_walk.h"
#include "base/span.h"

enum view_kind {
	VIEW_NONE,	/* no such member, or not JSON */
	VIEW_NULL, VIEW_BOOL, VIEW_NUMBER, VIEW_STRING, VIEW_ARRAY, VIEW_OBJECT
};

struct view {
	enum view_kind	kind;
	struct span	raw;	/* the value's text, without white space around it */
};

/* The one value that text holds; VIEW_NONE when text is not exactly one value. */
struct view view_of(struct span text);

/* Steps through an ARRAY's elements or an OBJECT's members; key is raw JSON without its quotes. */
struct view_iter {
	struct json_walk	walk;
	bool			object;
};

struct view_iter view_iter(struct view v);
bool view_next(struct view_iter *it, struct view *v);
bool view_next_member(struct view_iter *it, struct span *key, struct view *v);
size_t view_count(struct view v);

/* The member, or a VIEW_NONE.  path may step down: "error.message". */
struct view view_get(struct view v, const char *path);

/* Append a STRING unescaped, anything else as its text. */
void view_text(struct view v, struct buf *out);

/* A cell of t with the text of v, a number right-aligned; absent, faint, if v is NULL. */
struct text_table;
void view_cell(struct view v, const char *absent, struct text_table *t);

/* The text of v as a C string in a; otherwise if v is NULL.  Cut at a NUL. */
const char *view_cstr(struct arena *a, struct view v, const char *otherwise);

bool view_true(struct view v);
double view_number(struct view v, double otherwise);
uint64_t view_uint(struct view v, uint64_t otherwise);
