/*
 * print - the fingerprint of a statement on a connection, by which it is held
 * back: whoever runs it and whoever holds it back must come to the same.
 */
#ifndef IPC_PRINT_H
#define IPC_PRINT_H

#include <stdint.h>

#include "base/span.h"

/* SHA-256 over connection, a NUL, and the statement's text. */
struct print {
	uint8_t	bytes[32];
};

void statement_print(struct span connection, struct span statement, struct print *out);

#endif
