/* vouch_names - the names that a text about a result may use: keys of rows, columns, units, and facts. */
#pragma once

#include <stdint.h>

#include "workers/agent/verify/vouch.h"
#include "workers/agent/verify/vouch_read.h"

/* A set of rows. */
struct vouch_rows {
	uint64_t	bits[VOUCH_ROWS / 64];
};

void vouch_rows_all(struct vouch_rows *r, size_t n);
void vouch_rows_meet(struct vouch_rows *r, const struct vouch_rows *other);
/* The only row of the set; SIZE_MAX: none or several. */
size_t vouch_rows_only(const struct vouch_rows *r);

struct vouch_name {
	const struct vouch_token *t;
	size_t			 n;
	struct span		 text;		/* as in the result */
	bool			 keys, unit;	/* its kind; both are possible */
	bool			 digits;	/* looks like a figure */
	size_t			 column;	/* the column of this name; SIZE_MAX: none */
	unsigned		 columns;	/* bit k: a key in column k */
	struct vouch_rows	 rows;		/* the rows where it is a key */
};

struct vouch_names;

/* All names, in a.  NULL: there are too many. */
const struct vouch_names *vouch_names(struct arena *a, const struct vouch_about *about, const struct sheet *s);

/* The longest name at the beginning of the tokens; returns its number of tokens, 0: none. */
size_t vouch_find_name(const struct vouch_names *names, const struct vouch_token *t, size_t n,
    const struct vouch_name **name);

/* Whether the tokens begin with a unit. */
bool vouch_starts_unit(const struct vouch_names *names, const struct vouch_token *t, size_t n);

/* Whether the mark joins letters into an address: "evil.example", "https://". */
bool vouch_is_address(const struct vouch_token *t, size_t i, size_t n);

/* Whether all characters but line ends are visible. */
bool vouch_is_visible(struct span text);
