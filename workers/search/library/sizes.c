#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "workers/search/library/sizes.h"

#define KNOWN_MAX	8192u	/* all is forgotten beyond: scopes differ, and datasets come and go */
#define LATE_NS		(15 * CLOCK_SECOND)	/* after the first time, then twice as long each */
#define LATE_MOST	9			/* then it is asked about once an hour */

struct size_known *
sizes_of(struct sizes *s, struct span dataset, uint32_t scopes, const char *policy)
{
	char text[128];
	int n = snprintf(text, sizeof(text), "%.*s %08x", (int)(dataset.len < 64 ? dataset.len : 64),
	    (const char *)dataset.p, (unsigned)scopes);
	uint32_t number = names_find(&s->names, span_of(text, (size_t)n));
	struct size_known *k;

	if (number == NAMES_NONE) {
		if (s->names.n >= KNOWN_MAX)
			sizes_fini(s);
		number = names_add(&s->names, span_of(text, (size_t)n));
		s->v = array_grow(s->v, number, &s->cap, sizeof(*s->v));
		s->v[number] = (struct size_known){ .has = false };
	}
	k = &s->v[number];
	if (strcmp(k->policy, policy) != 0) {
		*k = (struct size_known){ .has = false };
		snprintf(k->policy, sizeof(k->policy), "%s", policy);
	}
	return k;
}

bool
size_is_due(const struct size_known *k, uint64_t now_ns)
{
	return k->asked_ns == 0 || now_ns - k->asked_ns >= (k->late == 0 ? SIZES_FRESH_NS : LATE_NS << (k->late - 1));
}

void
size_said(struct size_known *k, uint64_t n, uint64_t now_ns)
{
	k->has = true;
	k->n = n;
	k->said_ns = k->asked_ns = now_ns;
	k->late = 0;
}

void
size_late(struct size_known *k, uint64_t now_ns)
{
	k->asked_ns = now_ns;
	k->late += k->late < LATE_MOST;
}

bool
size_holds(const struct size_known *k, uint64_t now_ns)
{
	return k->has && now_ns - k->said_ns < SIZES_KEPT_NS;
}

void
sizes_fini(struct sizes *s)
{
	names_fini(&s->names);
	free(s->v);
	*s = (struct sizes){ .cap = 0 };
}
