#include "workers/auth/files/files_tools.h"

#include <stdio.h>

#include "base/mp.h"
#include "base/system/clock.h"
#include "workers/auth/auth.h"
#include "workers/auth/files/files.h"
#include "workers/auth/store/store.h"
#include "workers/shared/call.h"

#define WAIT_NS		(3 * CLOCK_SECOND)	/* the command asks again */
#define PAUSE_MS	10

/* Until nothing is left to do that can be done.  Others are served meanwhile. */
static int
share_for_a_while(struct call *c, struct auth *a, struct files_state *state, struct err *err)
{
	uint64_t until = clock_ns() + WAIT_NS;

	files_look(a->files);
	for (;;) {
		bool more;

		(void)store_changed_elsewhere(a->store);
		more = files_step(a->files, clock_ns());
		files_say(a->files, state);
		if (state->settled || clock_ns() >= until || store_away(a->store) != NULL)
			return 0;
		if (!(more ? call_poll(c, err) : call_wait(c, -1, false, PAUSE_MS, err)))
			return -1;
		a->tend(a);
	}
}

int
files_share_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct files_state s = { .settled = true };
	struct span name = mp_get_str(args, "remove", SPAN(""));
	struct buf out = { 0 };
	char text[256];

	if (a->files != NULL) {
		snprintf(text, sizeof(text), "%.*s", SPAN_FMT(name));
		if (name.len > 0 && files_remove(a->files, text, err) < 0)
			return -1;
		if (share_for_a_while(c, a, &s, err) != 0)
			return -1;
	}
	mp_put_pairs(&out, mp_bool("shared", a->files != NULL), mp_uint("files", s.files),
	    mp_uint("missing", s.missing), mp_uint("missing_bytes", s.missing_bytes), mp_uint("unsent", s.unsent),
	    mp_uint("aside", s.aside), mp_bool("full", s.full), mp_bool("settled", s.settled),
	    mp_cstr("trouble", s.trouble), mp_cstr("away", a->away));
	call_result(c, buf_view(&out));
	buf_fini(&out);
	return 0;
}
