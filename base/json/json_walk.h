/*
 * json_walk - JSON read where it stands: nothing is copied or converted, a value is a part of the text.  For answers
 * that are passed on digit by digit (cli/show/view.h), for files of which one member changes and every other byte stays
 * (project/format/json_edit.h), and for the table files of scans (project/scan/snapshot_plain.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/json/json_text.h"
#include "base/span.h"

#define JSON_WALK_DEPTH_MAX	128

struct json_walk {
	struct span	text;
	size_t		at;
	unsigned	depth;		/* containers that json_walk_value() is in */
	bool		comments;	/* are allowed, and a comma behind the last member */
	bool		strict;		/* strings and numbers are what json_read() takes */
	bool		bad;		/* the text is no JSON at this place, or too deep */
};

/* A member of an object or an element of a list, as offsets of its parts. */
struct json_member {
	size_t	key, key_end;		/* of the key with its quotes; both 0: an element */
	size_t	value, value_end;
	size_t	comma;			/* behind it; 0: none */
};

/* The byte at w->at; -1: the text ends. */
static inline int
json_walk_peek(const struct json_walk *w)
{
	return w->at < w->text.len ? w->text.p[w->at] : -1;
}

/* Skip the bytes of word if they are next. */
static inline bool
json_walk_takes(struct json_walk *w, struct span word)
{
	if (w->text.len - w->at < word.len || memcmp(w->text.p + w->at, word.p, word.len) != 0)
		return false;
	w->at += word.len;
	return true;
}

/* Skip white space and, where they are allowed, comments. */
void json_walk_space(struct json_walk *w);

/* Skip the value that starts here. */
void json_walk_value(struct json_walk *w);

/* Skip the string that starts here; content borrows what it holds.  False, nothing skipped: no string, or an escape. */
static inline bool
json_walk_plain(struct json_walk *w, struct span *content)
{
	const uint8_t *p = w->text.p + w->at;
	size_t left = w->text.len - w->at, n;

	if (left < 2 || *p++ != '"' || (n = json_plain(p, left - 1)) == left - 1 || p[n] != '"')
		return false;
	*content = span_of(p, n);
	w->at += n + 2;
	return true;
}

/* Skip the next member of the container that w is in.  False at its end, its bracket skipped, and where w is bad. */
bool json_walk_next(struct json_walk *w, bool object, struct json_member *m);

/*
 * The parts of json_walk_next(), for readers that take the value themselves: the closing bracket, if it is next; the
 * key, whose value is next then; the comma behind the value, if it is not the last.
 */
bool json_walk_ends(struct json_walk *w, bool object);
void json_walk_key(struct json_walk *w, struct json_member *m);
void json_walk_comma(struct json_walk *w, bool object, struct json_member *m);
