/*
 * config_member - members of a value of carrel.yaml that has a shape of its own, as a tool or an issuer: read, or what
 * was expected noted under the name of the value.  Internal to config*.c.
 */
#pragma once

#include "project/config/config_value.h"

/* Whether node is a mapping; noted if not, with expected, as "name and claims". */
bool config_member_keys(struct config_reader *r, const struct yaml_node *node, const char *expected, const char *name);

/* Note keys that are not among those known, NULL at the end: a misspelt one could be meant as a limit.  False: some. */
bool config_member_known(struct config_reader *r, const struct yaml_node *node, const char *const *known,
    const char *name);

/* A text of at most `most` bytes; NULL: it is missing (noted when it is needed), or no text (noted). */
const char *config_member_text(struct config_reader *r, const struct yaml_node *node, const char *key, size_t most,
    bool needed, const char *name);

/* The whole number under key, from low to high; absent: out stays as it is. */
void config_member_count(struct config_reader *r, const struct yaml_node *node, const char *key, uint64_t low,
    uint64_t high, unsigned *out, const char *name);

/*
 * Zeroed memory for the elements, of size bytes each, of a list or mapping of `least` to `most` of them.  NULL: it is
 * another value (noted, with of, as "values as values"), or the arena is full.
 */
void *config_member_room(struct config_reader *r, const struct yaml_node *node, enum yaml_kind kind, size_t least,
    size_t most, size_t size, const char *of, const char *name);
