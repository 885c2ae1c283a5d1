/* vouch_names - the names that a text about a result may have: keys of its rows, its columns, its units, and facts. */
#ifndef AGENT_VOUCH_NAMES_H
#define AGENT_VOUCH_NAMES_H

#include <stdint.h>

#include "workers/agent/vouch.h"
#include "workers/agent/vouch_read.h"

/* A set of rows. */
struct vouch_rows {
	uint64_t	bits[VOUCH_ROWS / 64];
};

void vouch_rows_all(struct vouch_rows *r, size_t n);
void vouch_rows_meet(struct vouch_rows *r, const struct vouch_rows *other);
/* The one row of the set; SIZE_MAX: there are more, or none. */
size_t vouch_rows_only(const struct vouch_rows *r);

struct vouch_name {
	const struct vouch_token *t;
	size_t			 n;
	struct span		 text;		/* as the result has it */
	bool			 keys, unit;	/* what it is, perhaps both */
	bool			 digits;	/* could be read as a figure */
	size_t			 column;	/* that it is the name of; SIZE_MAX: of none */
	unsigned		 columns;	/* bit k: it is a key there */
	struct vouch_rows	 rows;		/* where it is a key */
};

struct vouch_names;

/* All of them, in a.  NULL: there are too many. */
const struct vouch_names *vouch_names(struct arena *a, const struct vouch_about *about, const struct sheet *s);

/* The longest name that the tokens begin with: how many they are, 0: none. */
size_t vouch_find_name(const struct vouch_names *names, const struct vouch_token *t, size_t n,
    const struct vouch_name **name);

/* Whether the tokens begin with a unit. */
bool vouch_starts_unit(const struct vouch_names *names, const struct vouch_token *t, size_t n);

/* Whether a mark between letters makes an address of them: "evil.example", "https://". */
bool vouch_is_address(const struct vouch_token *t, size_t i, size_t n);

/* Whether each character can be seen, line ends apart. */
bool vouch_is_visible(struct span text);

#endif
