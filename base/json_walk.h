/*
 * json_walk - JSON read where it stands: nothing is copied or converted, a value is a part of the text.  For answers
 * that are passed on digit by digit (cli/view.h) and for files of which one member changes and every other byte stays
 * (project/json_edit.h).
 */
#ifndef BASE_JSON_WALK_H
#define BASE_JSON_WALK_H

#include <stdbool.h>
#include <stddef.h>

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
	size_t	key, key_end;		/* with quotes; of an element both 0 */
	size_t	value, value_end;
	size_t	comma;			/* behind it; 0: none */
};

/* The byte at w->at; -1: the text ends. */
static inline int
json_walk_peek(const struct json_walk *w)
{
	return w->at < w->text.len ? w->text.p[w->at] : -1;
}

/* Skip white space and, where they are allowed, comments. */
void json_walk_space(struct json_walk *w);

/* Skip the value that starts here. */
void json_walk_value(struct json_walk *w);

/* Skip the next member of the container that w is in.  False at its end, its bracket skipped, and where w is bad. */
bool json_walk_next(struct json_walk *w, bool object, struct json_member *m);

#endif
