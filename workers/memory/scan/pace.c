#include <stdio.h>

#include "base/system/clock.h"
#include "workers/memory/scan/pace.h"
#include "workers/shared/tool.h"
#include "workers/shared/call.h"

#define SPARE_NS	(60 * CLOCK_SECOND)	/* maximal reserve of the call's time, for writing the results */
#define WARM_NS		(2 * CLOCK_SECOND)	/* no estimate before this */
#define WARM_STEPS	5
#define SMOOTH_STEPS	16		/* over which the rate is smoothed */

void
pace_begin(struct pace *p, const struct call *c, size_t total, unsigned from, unsigned to)
{
	uint64_t now = clock_ns(), end = call_deadline(c), left = end > now ? end - now : 0;

	end -= left / 10 < SPARE_NS ? left / 10 : SPARE_NS;
	*p = (struct pace){ .begun_ns = now, .last_ns = now, .end_ns = end, .total = total, .from = from, .to = to };
}

bool
pace_is_up(const struct pace *p)
{
	return clock_ns() > p->end_ns;
}

double
pace_smooth(double step_ns, size_t steps, uint64_t took_ns)
{
	double weight = steps < SMOOTH_STEPS ? 1.0 / (double)(steps > 0 ? steps : 1) : 1.0 / SMOOTH_STEPS;

	return step_ns + ((double)took_ns - step_ns) * weight;
}

/* Estimates are rounded to tens, except within the last ten seconds. */
void
pace_left(uint64_t elapsed_ns, size_t steps, double step_ns, size_t left, char *out, size_t cap)
{
	double seconds = step_ns * (double)left / 1e9;
	unsigned long long s = seconds < 1e9 ? (unsigned long long)(seconds + 0.999) : 1000000000;

	out[0] = '\0';
	if (elapsed_ns < WARM_NS || steps < WARM_STEPS || left == 0)
		return;
	if (s < 90)
		snprintf(out, cap, "about %llu s", s <= 10 ? (s > 0 ? s : 1) : (s + 9) / 10 * 10);
	else if (s < 5400)
		snprintf(out, cap, "about %llu min", (s + 59) / 60);
	else
		snprintf(out, cap, "about %llu h %llu min", s / 3600, s % 3600 / 60);
}

void
pace_step(struct pace *p, struct call *c, const char *verb, const char *things, size_t at_step)
{
	uint64_t now = clock_ns();
	char left[64];

	if (at_step > p->total)
		at_step = p->total;
	p->steps++;
	p->step_ns = pace_smooth(p->step_ns, p->steps, now - p->last_ns);
	p->last_ns = now;
	pace_left(now - p->begun_ns, p->steps, p->step_ns, p->total - at_step, left, sizeof(left));
	call_progress(c, p->from + (unsigned)((uint64_t)(p->to - p->from) * at_step / (p->total > 0 ? p->total : 1)),
	    "%s %zu of %zu %s%s%s%s", verb, at_step, p->total, things, left[0] != '\0' ? ", " : "", left,
	    left[0] != '\0' ? " left" : "");
}
