/* events - audit entries about the daemon itself: starts, stops, reloads and deaths of workers. */
#pragma once

#include "policy/audit_words.h"

struct child;
struct supervisor;
struct events;

/* NULL: carrel-auth is not running, or not ready. */
struct child *events_hearer(struct supervisor *sup);

/*
 * Tell carrel-auth, or keep it until there is one, in order; beyond EVENTS_MAX that wait, further ones are only
 * logged.  target and reason may be NULL.  Nothing in a household without carrel-auth.
 */
#define EVENTS_MAX	256
void events_tell(struct supervisor *sup, enum audit_action action, enum audit_outcome outcome, const char *target,
    const char *reason);

/* carrel-auth is ready: send the queued events. */
void events_flush(struct supervisor *sup);

void events_close(struct supervisor *sup);
