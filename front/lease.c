/* lease.c - see lease.h. */
#include "front/lease.h"

#include <stdio.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "front/ending.h"
#include "front/front.h"

void
lease_take(struct front *f, const struct ipc_lease *m)
{
	if (f->lease.until_ns == 0)
		sessions_scatter(f->sessions);
	f->lease = (struct front_lease){ .until_ns = m->until_ns, .cancel_ns = m->cancel_ns, .unix_ms = m->unix_ms,
		.at_ns = m->at_ns, .cut = f->lease.cut && clock_boot_ns() >= m->cancel_ns, .drained = m->drained != 0,
		.behind = m->behind != 0, .writes = m->writes != 0 };
	if (m->writer.len > 0)
		snprintf(f->lease.elsewhere, sizeof(f->lease.elsewhere),
		    "the node %.*s writes this project: do it there, or `carrel cluster drain %.*s` first",
		    SPAN_FMT(m->writer), SPAN_FMT(m->writer));
}

bool
lease_is_over(const struct front *f)
{
	return f->lease.until_ns != 0 && clock_boot_ns() >= f->lease.until_ns;
}

void
lease_look(void *front)
{
	struct front *f = front;
	struct principal *p;

	if (f->lease.until_ns == 0 || f->lease.cut || clock_boot_ns() < f->lease.cancel_ns)
		return;
	f->lease.cut = true;
	log_warn("the state store was not confirmed for too long: what runs for others than the owner ends");
	LIST_FOREACH(p, &f->principals, next)
		if (!principal_is_owner(p))
			ending_take(f, 0,
			    &(struct ipc_end){ .principal = span_str(p->id), .verdict = IPC_VERDICT_UNKNOWN });
}

uint64_t
lease_unix_ms(const struct front *f)
{
	if (f->lease.until_ns == 0)
		return clock_unix_ms();
	return f->lease.unix_ms + (clock_boot_ns() - f->lease.at_ns) / CLOCK_MS;
}
