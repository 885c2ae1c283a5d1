#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "semantic/problem.h"

const char *
sem_category_name(enum sem_category category)
{
	static const char *const names[] = {
		[SEM_OK] = "ok",
#define X(NAME, text)	[SEM_##NAME] = text,
		SEM_CATEGORIES(X)
#undef X
	};

	return (size_t)category < sizeof(names) / sizeof(names[0]) ? names[category] : "unknown";
}

static void
copy_cut(char *out, size_t cap, struct span s)
{
	size_t n = utf8_cut(s.p, s.len, cap - 1);

	if (n > 0)
		memcpy(out, s.p, n);
	out[n] = '\0';
}

int
sem_fail(struct sem_problem *p, enum sem_category category, struct span text, const char *fmt, ...)
{
	va_list ap;
	int n;

	p->category = category;
	copy_cut(p->text, sizeof(p->text), text);
	va_start(ap, fmt);
	n = vsnprintf(p->message, sizeof(p->message), fmt, ap);
	va_end(ap);
	if (n >= (int)sizeof(p->message))
		p->message[utf8_cut((const uint8_t *)p->message, sizeof(p->message) - 1, sizeof(p->message) - 1)] =
		    '\0';
	return -1;
}

unsigned
sem_distance(struct span a, struct span b)
{
	unsigned row[49];
	size_t n = a.len < 48 ? a.len : 48, m = b.len < 48 ? b.len : 48;

	for (size_t j = 0; j <= m; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			unsigned cost = diagonal + (tolower(a.p[i - 1]) != tolower(b.p[j - 1]));

			diagonal = row[j];
			if (row[j] + 1 < cost)
				cost = row[j] + 1;
			if (row[j - 1] + 1 < cost)
				cost = row[j - 1] + 1;
			row[j] = cost;
		}
	}
	return row[m];
}

void
sem_candidate(struct sem_problem *p, struct span wanted, struct span name)
{
	unsigned d = sem_distance(wanted, name);
	size_t shorter = wanted.len < name.len ? wanted.len : name.len;
	bool inside = shorter >= 3 &&
	    (memmem(wanted.p, wanted.len, name.p, name.len) != NULL ||
		memmem(name.p, name.len, wanted.p, wanted.len) != NULL);
	size_t at;

	if (d > 1 + wanted.len / 3 && !inside)
		return;
	for (at = 0; at < p->ncandidates; at++) {
		struct span other = span_str(p->candidates[at]);

		if (span_is(other, name))
			return;
		if (d < sem_distance(wanted, other))
			break;
	}
	if (at == SEM_CANDIDATES_MAX)
		return;
	if (p->ncandidates < SEM_CANDIDATES_MAX)
		p->ncandidates++;
	memmove(p->candidates[at + 1], p->candidates[at], (p->ncandidates - at - 1) * sizeof(p->candidates[0]));
	copy_cut(p->candidates[at], sizeof(p->candidates[at]), name);
}

void
sem_alternative(struct sem_problem *p, const char *fmt, ...)
{
	va_list ap;

	if (p->ncandidates == SEM_CANDIDATES_MAX)
		return;
	va_start(ap, fmt);
	vsnprintf(p->candidates[p->ncandidates++], sizeof(p->candidates[0]), fmt, ap);
	va_end(ap);
}

int
sem_ambiguous(struct sem_problem *p, struct span text, const char *fmt, ...)
{
	char what[256], names[sizeof(p->candidates)] = "";
	size_t n = 0;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < p->ncandidates && n < sizeof(names); i++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", i > 0 ? ", " : "", p->candidates[i]);
	return sem_fail(p, SEM_AMBIGUOUS_NAME, text, "%s; write which is meant: %s.", what, names);
}
