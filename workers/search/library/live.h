/*
 * live - whether a connection's database still has the structure its scan
 * describes: the SQL worker is asked for a fingerprint, at most once a minute
 * and once for every new scan, by the call that wants to know.
 */
#pragma once

#include <stdint.h>

struct call;
struct connection;

#define LIVE_TEXT	64

struct live {
	char		 fingerprint[LIVE_TEXT];	/* what it said last; empty: nothing */
	char		*sync;				/* the scan in use then; NULL: never asked */
	uint64_t	 asked_ns;
};

enum live_state { LIVE_UNKNOWN, LIVE_SAME, LIVE_CHANGED };

/*
 * Ask the database for its fingerprint if the last answer is old.  May wait a moment and serve other calls
 * meanwhile, so only the connection stays valid of what was borrowed from the library.
 */
void live_look(struct call *c, struct connection *from);

/* Judge by the last answer. */
enum live_state live_state(const struct connection *from);
