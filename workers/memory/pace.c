/* pace.c - see pace.h. */
#include <stdio.h>

#include "base/clock.h"
#include "workers/memory/pace.h"
#include "workers/shared/tool.h"

#define SPARE_NS	(60 * CLOCK_SECOND)	/* of the call's time at most, for writing down what was found */
#define WARM_NS		(2 * CLOCK_SECOND)	/* before this nothing is foretold */
#define WARM_STEPS	5

void
pace_begin(struct pace *p, const struct call *c, size_t total, unsigned from, unsigned to)
{
	uint64_t now = clock_ns(), end = call_deadline(c), left = end > now ? end - now : 0;

	end -= left / 10 < SPARE_NS ? left / 10 : SPARE_NS;
	*p = (struct pace){ .begun_ns = now, .end_ns = end, .total = total, .from = from, .to = to };
}

bool
pace_is_up(const struct pace *p)
{
	return clock_ns() > p->end_ns;
}

void
pace_left(uint64_t elapsed_ns, size_t steps, size_t left, char *out, size_t cap)
{
	uint64_t s;

	out[0] = '\0';
	if (elapsed_ns < WARM_NS || steps < WARM_STEPS || left == 0)
		return;
	s = elapsed_ns / CLOCK_MS * left / steps / 1000;
	if (s < 90)
		snprintf(out, cap, "about %llu s", (unsigned long long)(s < 10 ? 10 : (s + 9) / 10 * 10));
	else if (s < 5400)
		snprintf(out, cap, "about %llu min", (unsigned long long)((s + 59) / 60));
	else
		snprintf(out, cap, "about %llu h %llu min", (unsigned long long)(s / 3600), (unsigned long long)(s % 3600 / 60));
}

void
pace_step(struct pace *p, struct call *c, const char *verb, const char *things, size_t at_step)
{
	char left[64];

	if (at_step > p->total)
		at_step = p->total;
	p->steps++;
	pace_left(clock_ns() - p->begun_ns, p->steps, p->total - at_step, left, sizeof(left));
	call_progress(c, p->from + (unsigned)((uint64_t)(p->to - p->from) * at_step / (p->total > 0 ? p->total : 1)),
	    "%s %zu of %zu %s%s%s%s", verb, at_step, p->total, things, left[0] != '\0' ? ", " : "", left,
	    left[0] != '\0' ? " left" : "");
}
