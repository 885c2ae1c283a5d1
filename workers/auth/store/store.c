/* store.c - see store.h: each database has these functions of its own. */
#include "workers/auth/store/store.h"

#include "workers/auth/store/store_driver.h"

int
store_begin(struct store *s, struct err *err)
{
	return s->driver->begin(s, STORE_CHANGE, err);
}

int
store_begin_uses(struct store *s, struct err *err)
{
	return s->driver->begin(s, STORE_USES, err);
}

int
store_begin_look(struct store *s, struct err *err)
{
	return s->driver->begin(s, STORE_LOOK, err);
}

int
store_commit(struct store *s, struct err *err)
{
	return s->driver->commit(s, err);
}

void
store_rollback(struct store *s)
{
	s->driver->rollback(s);
}

bool
store_changed_elsewhere(struct store *s)
{
	return s->driver->changed_elsewhere(s);
}

uint64_t
store_revision(struct store *s)
{
	return s->driver->revision(s);
}

void
store_acted(struct store *s, uint64_t revision)
{
	s->driver->acted(s, revision);
}

const char *
store_word(struct store *s)
{
	return s->driver->word == NULL ? NULL : s->driver->word(s);
}

int
store_watch(struct store *s)
{
	return s->driver->watch(s);
}

int
store_sync(struct store *s, struct err *err)
{
	return s->driver->sync(s, err);
}

uint64_t
store_now_ms(struct store *s)
{
	return s->driver->now_ms(s);
}

uint64_t
store_lease_ms(struct store *s)
{
	return s->driver->lease_ms(s);
}

const char *
store_away(struct store *s)
{
	return s->driver->away == NULL ? NULL : s->driver->away(s);
}

void
store_give_up(struct store *s, const char *why)
{
	if (s->driver->give_up != NULL)
		s->driver->give_up(s, why);
}

int
store_over(struct store *s, struct store *own, struct err *err)
{
	s->own = own;
	return s->driver->over(s, err);
}

void
store_close(struct store *s)
{
	if (s != NULL)
		s->driver->close(s);
}
