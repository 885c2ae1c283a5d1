/* agents_entry - the entry for this server in the text of another program's file: found, put in, taken out. */
#pragma once

#include "cli/agents/agents_records.h"

/* The entry's value, or the lines of its table: 1, 0, -1. */
int agent_entry_get(const struct agent_record *r, bool comments, struct span text, struct span *value, struct err *err);

/* The text with the entry put in or replaced, into *out. */
int agent_entry_set(const struct agent_target *t, const struct agent_record *r, struct span text, struct span entry,
    struct buf *out, struct err *err);

/* How many keys on the path are missing from the text. */
unsigned agent_entry_missing(struct span text, const struct agent_record *r, bool comments);

/* Keep in r->hole the enclosing object as it was, if removing the entry would not restore it. */
void agent_entry_keep_hole(struct arena *a, struct agent_record *r, struct span was, struct span with, bool comments);

/* The text without the entry, and without the objects made for it that hold nothing else. */
int agent_entry_without(struct arena *a, const struct agent_record *r, bool comments, struct span *text,
    struct err *err);

/* The text with what the entry, at value in it, had replaced. */
struct span agent_entry_with_old(struct arena *a, const struct agent_record *r, struct span text, struct span value);

/* Equal but for white space? */
bool agent_same_ink(struct span a, struct span b);

/* Is the text an empty object? */
bool agent_is_empty(struct span text);
