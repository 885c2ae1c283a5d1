#include <stdlib.h>
#include <sys/queue.h>

#include "base/system/clock.h"
#include "base/mem.h"
#include "front/who/auth_ask.h"
#include "front/front.h"
#include "front/who/oauth_issuer.h"

struct auth_ask {
	TAILQ_ENTRY(auth_ask)	 by_age;
	struct auth_asks	*of;
	uint64_t		 id, due_ns;
	unsigned		 answered;	/* type of the answer */
	void			 (*told)(void *arg, const union ipc_any *answer);
	void			*arg;
};

struct auth_asks {
	TAILQ_HEAD(, auth_ask)	 by_age;	/* oldest first */
	unsigned		 n;
	uint64_t		 last_id;
};

bool
auth_say(struct front *f, unsigned type, uint64_t id, const void *msg)
{
	return f->auth.up && router_say_auth(f->router, type, id, msg);
}

struct auth_asks *
auth_asks_new(void)
{
	struct auth_asks *a = mem_new(1, sizeof(*a));

	TAILQ_INIT(&a->by_age);
	return a;
}

void
auth_asks_free(struct auth_asks *a)
{
	if (a == NULL)
		return;
	while (!TAILQ_EMPTY(&a->by_age))
		auth_ask_forget(TAILQ_FIRST(&a->by_age));
	free(a);
}

struct auth_ask *
auth_ask(struct front *f, unsigned type, const void *msg, unsigned answered,
    void (*told)(void *arg, const union ipc_any *answer), void *arg)
{
	struct auth_asks *a = f->oauth->asks;
	struct auth_ask *w;

	if (a->n >= AUTH_ASKS_MAX || !auth_say(f, type, a->last_id + 1, msg))
		return NULL;
	w = mem_new(1, sizeof(*w));
	w->of = a;
	w->id = ++a->last_id;
	w->due_ns = clock_ns() + AUTH_ASK_MS * CLOCK_MS;
	w->answered = answered;
	w->told = told;
	w->arg = arg;
	TAILQ_INSERT_TAIL(&a->by_age, w, by_age);
	a->n++;
	return w;
}

void
auth_ask_forget(struct auth_ask *w)
{
	TAILQ_REMOVE(&w->of->by_age, w, by_age);
	w->of->n--;
	free(w);
}

static void
ask_tell(struct auth_ask *w, const union ipc_any *answer)
{
	void (*told)(void *arg, const union ipc_any *answer) = w->told;
	void *arg = w->arg;

	auth_ask_forget(w);
	told(arg, answer);
}

bool
auth_ask_take(struct front *f, unsigned type, uint64_t id, const union ipc_any *msg)
{
	struct auth_ask *w;

	TAILQ_FOREACH(w, &f->oauth->asks->by_age, by_age)
		if (w->id == id)
			break;
	if (w == NULL)
		return true; /* the asker dropped the question */
	if (w->answered != type)
		return false;
	ask_tell(w, msg);
	return true;
}

void
auth_ask_lost(struct front *f)
{
	struct auth_ask *w;

	while ((w = TAILQ_FIRST(&f->oauth->asks->by_age)) != NULL)
		ask_tell(w, NULL);
}

void
auth_ask_tick(struct front *f, uint64_t now)
{
	struct auth_ask *w;

	while ((w = TAILQ_FIRST(&f->oauth->asks->by_age)) != NULL && w->due_ns <= now)
		ask_tell(w, NULL);
}
