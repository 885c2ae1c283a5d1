/* fingerprint.c - see fingerprint.h. */
#include <stdio.h>

#include "workers/sql/fingerprint.h"

/* FNV-1a. */
static void
add(struct fingerprint *f, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		f->h = (f->h ^ p[i]) * UINT64_C(0x100000001b3);
}

void
fingerprint_begin(struct fingerprint *f)
{
	f->h = UINT64_C(0xcbf29ce484222325);
}

void
fingerprint_add(struct fingerprint *f, struct span field)
{
	static const uint8_t end = 0xff;	/* in no text */

	add(f, field.p, field.len);
	add(f, &end, 1);
}

void
fingerprint_text(const struct fingerprint *f, char out[FINGERPRINT_TEXT])
{
	snprintf(out, FINGERPRINT_TEXT, FINGERPRINT_VERSION "-%016llx", (unsigned long long)f->h);
}
