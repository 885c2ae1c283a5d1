/* config_typo - which key an unknown one was probably meant to be. */
#pragma once

#include "project/config/config_value.h"

/* The key of table, or at the top level ("") the section, that written is a misspelling of; NULL: none. */
const char *config_meant(const struct config_key *table, const char *section, struct span written);

/* Whether a file that misses this key serves more than one that has it may. */
bool config_protects(const char *section, const char *key);

/*
 * Whether no key of section may be unknown, since each of them limits somebody or puts something on record; the keys
 * that it has are then written to out, n bytes.
 */
bool config_closed_keys(const char *section, char *out, size_t n);

/*
 * Whether a connection's unknown key reads as if it were to keep somebody out: read_only-true, sslMod, excludeTables.
 * read_only itself does not: connections only read.
 */
bool config_would_close(struct span key);
