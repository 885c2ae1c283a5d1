#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "base/system/clock.h"
#include "base/json/json_put.h"
#include "front/calls/quarantine.h"

static void
quarantine_expire(struct quarantine *q, uint64_t now)
{
	for (size_t i = 0; i < QUARANTINE_MAX; i++)
		if (q->suspects[i].deaths > 0 && q->suspects[i].until <= now) {
			q->suspects[i].deaths = 0;
			q->count--;
		}
}

static struct suspect *
find_statement(struct quarantine *q, const struct print *print)
{
	for (size_t i = 0; i < QUARANTINE_MAX; i++)
		if (q->suspects[i].deaths > 0 &&
		    memcmp(q->suspects[i].print.bytes, print->bytes, sizeof(print->bytes)) == 0)
			return &q->suspects[i];
	return NULL;
}

static struct suspect *
take_slot(struct quarantine *q)
{
	struct suspect *first = &q->suspects[0];

	for (size_t i = 0; i < QUARANTINE_MAX; i++) {
		if (q->suspects[i].deaths == 0) {
			q->count++;
			return &q->suspects[i];
		}
		if (q->suspects[i].until < first->until)
			first = &q->suspects[i];
	}
	return first;
}

static struct suspect *
suspect_of(struct quarantine *q, const struct print *print, struct span connection, uint64_t now)
{
	struct suspect *s;
	size_t n = connection.len < sizeof(s->connection) ? connection.len : sizeof(s->connection) - 1;

	quarantine_expire(q, now);
	if ((s = find_statement(q, print)) == NULL) {
		s = take_slot(q);
		*s = (struct suspect){ .print = *print };
		memcpy(s->connection, connection.p, n);
	}
	s->until = now + QUARANTINE_NS;
	return s;
}

void
quarantine_hold(struct quarantine *q, const struct print *print, struct span connection, uint64_t now)
{
	struct suspect *s = suspect_of(q, print, connection, now);

	s->deaths = QUARANTINE_DEATHS;
	s->stuck = true;
}

void
quarantine_bury(struct quarantine *q, uint64_t generation, struct span connection, struct span statement)
{
	struct grave *g = &q->graves[q->next_grave++ % QUARANTINE_GRAVES];

	g->generation = generation;
	snprintf(g->connection, sizeof(g->connection), "%.*s", SPAN_FMT(connection));
	statement_print(connection, statement, &g->print);
}

void
quarantine_settle(struct quarantine *q, uint64_t generation, bool own, uint64_t now)
{
	for (size_t i = 0; i < QUARANTINE_GRAVES; i++) {
		struct grave *g = &q->graves[i];

		if (g->generation != generation)
			continue;
		if (own)
			suspect_of(q, &g->print, span_str(g->connection), now)->deaths++;
		g->generation = 0;
	}
}

uint64_t
quarantine_held(struct quarantine *q, struct span connection, struct span statement, uint64_t now, bool *stuck)
{
	struct print print;
	struct suspect *s;

	*stuck = false;
	if (q->count == 0)
		return 0;
	quarantine_expire(q, now);
	statement_print(connection, statement, &print);
	s = find_statement(q, &print);
	*stuck = s != NULL && s->stuck;
	return s != NULL && s->deaths >= QUARANTINE_DEATHS ? s->until - now : 0;
}

int
quarantine_check(struct quarantine *q, struct span connection, struct span statement, uint64_t now, struct err *err)
{
	bool stuck;
	uint64_t held = quarantine_held(q, connection, statement, now, &stuck);

	if (held == 0)
		return 0;
	if (stuck)
		return err_set(err, ERR_QUARANTINED,
		    "The database server did not end this statement when it was told to, "
		    "and it is held back for another %" PRIu64 " s; change it, or let the owner end it on the server "
		    "(`carrel status` names its process) and lift this with `carrel status --clear-quarantine`.",
		    held / CLOCK_SECOND + 1);
	return err_set(err, ERR_QUARANTINED,
	    "This statement stopped two workers and is held back for another %" PRIu64
	    " s; change it, or let the owner lift it with `carrel status --clear-quarantine`.",
	    held / CLOCK_SECOND + 1);
}

static unsigned
is_held_back(const struct suspect *s, uint64_t now)
{
	return s->deaths >= QUARANTINE_DEATHS && s->until > now;
}

unsigned
quarantine_clear(struct quarantine *q, uint64_t now)
{
	unsigned n = 0;

	for (size_t i = 0; i < QUARANTINE_MAX; i++)
		n += is_held_back(&q->suspects[i], now);
	memset(q->suspects, 0, sizeof(q->suspects));
	q->count = 0;
	return n;
}

void
quarantine_put(const struct quarantine *q, uint64_t now, struct buf *out)
{
	char hex[17];

	buf_byte(out, '[');
	for (size_t i = 0; i < QUARANTINE_MAX; i++) {
		const struct suspect *s = &q->suspects[i];

		if (!is_held_back(s, now))
			continue;
		sodium_bin2hex(hex, sizeof(hex), s->print.bytes, 8);
		json_put_object(out, NULL);
		json_put_cstr(out, "connection", s->connection);
		json_put_cstr(out, "fingerprint", hex);
		json_put_bool(out, "stuck", s->stuck);
		json_put_uint(out, "secondsLeft", (s->until - now) / UINT64_C(1000000000));
		json_end_object(out);
	}
	json_end_list(out);
}
