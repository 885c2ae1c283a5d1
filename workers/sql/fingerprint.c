#include <stdio.h>

#include "base/hash.h"
#include "workers/sql/fingerprint.h"

void
fingerprint_begin(struct fingerprint *f)
{
	f->h = HASH_START;
}

void
fingerprint_add(struct fingerprint *f, struct span field)
{
	f->h = hash_step(hash_more(f->h, field.p, field.len), 0xff); /* a byte that no text contains */
}

void
fingerprint_text(const struct fingerprint *f, char out[FINGERPRINT_TEXT])
{
	snprintf(out, FINGERPRINT_TEXT, FINGERPRINT_VERSION "-%016llx", (unsigned long long)f->h);
}
