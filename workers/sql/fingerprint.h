/*
 * fingerprint - one short text for the structure of everything in scope: which
 * relations there are, their columns, types and keys.  A scan keeps the one it
 * found; another one later means that the scan is out of date.
 *
 * It is no digest against forgery: who can change the schema can see it, too.
 */
#ifndef WORKERS_SQL_FINGERPRINT_H
#define WORKERS_SQL_FINGERPRINT_H

#include <stdint.h>

#include "base/span.h"

/* What comes before the dash is raised when the same schema would come out differently. */
#define FINGERPRINT_VERSION	"3"
#define FINGERPRINT_TEXT	24

struct fingerprint {
	uint64_t	h;
};

void fingerprint_begin(struct fingerprint *f);

/* One more field; {"ab", "c"} is not {"a", "bc"}. */
void fingerprint_add(struct fingerprint *f, struct span field);

/* "3-0123456789abcdef" */
void fingerprint_text(const struct fingerprint *f, char out[FINGERPRINT_TEXT]);

#endif
