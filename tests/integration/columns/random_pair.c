/* random_pair.c - see random_pair.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "tests/integration/columns/random_pair.h"

#define SECONDS		15

static void
put_text(const struct random_pair *p, struct buf *out, const char *text)
{
	while (text != NULL && *text != '\0') {
		const char *instead = "";
		size_t n = p->own(text, &instead);

		if (n == 0)
			buf_byte(out, (uint8_t)*text++);
		buf_str(out, instead);
		text += n;
	}
	buf_byte(out, '\n');
}

static void
put_answer(const struct random_pair *p, const struct driver_answer *a, struct buf *out)
{
	buf_reset(out, 1 << 20);
	buf_printf(out, "%d %s\n", (int)a->kind, a->code == NULL ? "" : a->code);
	put_text(p, out, a->message);
	put_text(p, out, a->details);
	put_text(p, out, a->result);
	put_text(p, out, a->rows);
}

static void
fail_pair(const struct random_pair *p, const char *what, const char *arguments, const char *one, const char *other)
{
	fprintf(stderr, "%.*s\n%.*s\n%s\n%.1500s\n%.1500s\n", SPAN_FMT(buf_view(p->schema)),
	    SPAN_FMT(buf_view(p->policy)), what, one, other);
	fail_msg("seed %llu (%s) tells protected values: %s %s", (unsigned long long)p->seed, p->kind, what,
	    arguments == NULL ? "" : arguments);
}

void
random_pair_compare(struct random_pair *p, const char *tool, const char *what, const char *arguments)
{
	struct buf text[2] = { { 0 }, { 0 } };

	for (unsigned i = 0; i < 2; i++) {
		const struct driver_answer *a =
		    tool == NULL ? sql_run(p->worker[i], what, 0) : driver_call(p->worker[i], tool, "db", arguments);

		if (a->kind == DRIVER_LOST)
			fail_msg("the worker is lost, seed %llu: %s", (unsigned long long)p->seed, what);
		p->answered += i == 0 && a->kind == DRIVER_RESULT;
		put_answer(p, a, &text[i]);
	}
	p->asked++;
	if (!span_is(buf_view(&text[0]), buf_view(&text[1])) ||
	    (p->shows != NULL && p->shows(p, what, buf_cstr(&text[0]))))
		fail_pair(p, what, arguments, buf_cstr(&text[0]), buf_cstr(&text[1]));
	buf_fini(&text[0]);
	buf_fini(&text[1]);
}

static uint64_t
setting(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

void
random_pairs(struct random_pair *p, void (*try)(struct random_pair *p))
{
	uint64_t end = clock_ns() + setting("CARREL_FUZZ_SECONDS", SECONDS) * CLOCK_SECOND;
	uint64_t first = setting("CARREL_FUZZ_SEED", 1);

	p->seed = first;
	do {
		try(p);
		p->seed++;
	} while (clock_ns() < end);
	/* Else the lots are drawn badly, and nothing was tried. */
	if (p->answered * 8 < p->asked)
		fail_msg("only %lu of %lu were answered", p->answered, p->asked);
	print_message("seeds %llu to %llu: %lu of %lu questions were answered, the others refused\n",
	    (unsigned long long)first, (unsigned long long)p->seed - 1, p->answered, p->asked);
}
