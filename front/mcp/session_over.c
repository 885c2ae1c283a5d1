#include "front/mcp/session_over.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/system/clock.h"
#include "front/front.h"
#include "front/who/auth_ask.h"

static void
say_over(struct front *f, const uint8_t body[SESSION_BODY])
{
	struct ipc_session_over msg = { .id = span_of(body, SESSION_BODY), .expires_unix_s = session_expiry(body) };

	auth_say(f, IPC_MSG_SESSION_OVER, 0, &msg);
}

static void
forget_over(struct sessions_over *s, size_t i)
{
	memmove(&s->v[i], &s->v[i + 1], (s->n - i - 1) * sizeof(*s->v));
	s->n--;
}

void
session_over_tell(struct front *f, const uint8_t body[SESSION_BODY])
{
	struct sessions_over *s = &f->over;

	if (!front_has_nodes(f))
		return;
	if (s->n == SESSION_OVER_MAX)
		forget_over(s, 0);
	s->v = mem_grow(s->v, s->n, &s->cap, sizeof(*s->v));
	memcpy(s->v[s->n++].body, body, SESSION_BODY);
	if (f->auth.up)
		say_over(f, body);
}

void
session_over_kept(struct front *f, const uint8_t body[SESSION_BODY])
{
	for (size_t i = f->over.n; i-- > 0;)
		if (memcmp(f->over.v[i].body, body, SESSION_BODY) == 0)
			forget_over(&f->over, i);
}

void
session_over_greet(struct front *f)
{
	f->over.told_ns = clock_ns();
	for (size_t i = 0; i < f->over.n; i++)
		say_over(f, f->over.v[i].body);
}

void
session_over_tick(struct front *f, uint64_t now_ns)
{
	if (f->over.n > 0 && f->auth.up && now_ns - f->over.told_ns >= SESSION_OVER_S * CLOCK_SECOND)
		session_over_greet(f);
}

void
session_over_free(struct front *f)
{
	free(f->over.v);
	f->over = (struct sessions_over){ .n = 0 };
}
