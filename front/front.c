/* front.c - see front.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "front/front.h"

#define REFUSALS_A_SECOND	5u

struct principal *
front_principal(struct front *f, enum principal_kind kind, const char *id, uint32_t scopes)
{
	struct principal *p;

	LIST_FOREACH(p, &f->principals, next)
		if (strcmp(p->id, id) == 0)
			break;
	if (p == NULL) {
		p = mem_new(1, sizeof(*p));
		snprintf(p->id, sizeof(p->id), "%s", id);
		p->kind = kind;
		LIST_INSERT_HEAD(&f->principals, p, next);
	}
	p->scopes = scopes;
	return p;
}

uint32_t
principal_reach(const struct principal *who)
{
	switch (who->kind) {
	case PRINCIPAL_TOKEN:
		return POLICY_SCOPES_TOKEN;
	default:
		return who->scopes; /* fixed: nobody can grant it more */
	}
}

struct principal *
front_greatest(const struct front *f, size_t (*has)(const struct principal *who))
{
	struct principal *p, *most = NULL;
	size_t n, top = 0;

	LIST_FOREACH(p, &f->principals, next)
		if ((n = has(p)) > top) {
			most = p;
			top = n;
		}
	return most;
}

void
front_log_refusal(struct front *f, const char *fmt, ...)
{
	struct refusals *r = &f->refusals;
	uint64_t now = clock_ns() / CLOCK_SECOND;
	char line[512];
	va_list ap;

	if (now != r->second) {
		if (r->unsaid > 0)
			log_warn("%u more requests were refused", r->unsaid);
		r->second = now;
		r->said = r->unsaid = 0;
	}
	if (r->said >= REFUSALS_A_SECOND) {
		r->unsaid++;
		return;
	}
	r->said++;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	log_warn("%s", line);
}
