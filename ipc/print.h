/*
 * print - the hash of a statement on a connection.  The front quarantines statements by this hash, and
 * workers report statements by the same hash.
 */
#pragma once

#include <stdint.h>

#include "base/span.h"

/* SHA-256 over connection, a NUL, and the statement's text. */
struct print {
	uint8_t	bytes[32];
};

void statement_print(struct span connection, struct span statement, struct print *out);
