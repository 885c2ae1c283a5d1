/*
 * preferences - defaults for understanding a question: their names and values.  Pure; a set of them is a msgpack map
 * with the names of ask.md.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mp.h"
#include "project/config/config.h"

#define PREFERENCES_WORDS	64	/* thresholds */
#define PREFERENCES_TEXT	200	/* bytes of a text; 100 of a word */

/* "04-01", a day of every year or of leap years; "Europe/Berlin"; a word that has a threshold; any text. */
bool preferences_is_month_day(struct span s);
bool preferences_is_zone(struct span s);
bool preferences_is_word(struct span s);
bool preferences_is_text(struct span s);

/* Append what the project's configuration says. */
void preferences_of_project(const struct config_preferences *cfg, struct buf *out);

/*
 * Append `own`, a map or nil, changed by a merge patch (RFC 7396): null removes, thresholds are changed one by one. -1
 * with *err when change has an unknown name or an invalid value; nothing is appended then.
 */
int preferences_change(const struct mp_value *own, const struct mp_value *change, struct buf *out, struct err *err);

/* Append all preferences: own, else the project's, else null; thresholds of both, own first. */
void preferences_merge(const struct mp_value *project, const struct mp_value *own, struct buf *out);

/* The value of a command line's KEY=VALUE appended to a map that is open, with its key.  -1 with *err: no such key. */
int preferences_put_text(struct span key, struct span value, struct buf *out, struct err *err);
