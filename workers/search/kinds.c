/* kinds.c - see kinds.h. */
#include <stdlib.h>
#include <string.h>

#include "workers/search/array.h"
#include "workers/search/kinds.h"
#include "workers/search/text.h"

static const struct {
	const char *kind, *things;
} rows[] = {
#define KIND(kind, things) { kind, things },
#include "workers/search/kinds.def"
#undef KIND
};

struct thing {
	uint8_t		stem[TEXT_WORD_MAX];
	size_t		len;
	uint16_t	row;
};

/* By stem, then row; made when first asked, for the life of the process. */
static struct {
	size_t		 n, cap;
	struct thing	*v;
} things;

static int
by_stem(const void *a, const void *b)
{
	const struct thing *x = a, *y = b;
	int order = span_cmp(span_of(x->stem, x->len), span_of(y->stem, y->len));

	return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

static void
add_row(uint16_t row)
{
	size_t len;

	for (const char *p = rows[row].things; *p != '\0'; p += len + (p[len] == ' ')) {
		struct thing *t;

		len = strcspn(p, " ");
		things.v = array_grow(things.v, things.n, &things.cap, sizeof(*things.v));
		t = &things.v[things.n++];
		t->len = text_stem(span_of(p, len), t->stem);
		t->row = row;
	}
}

static void
prepare(void)
{
	if (things.n > 0)
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		add_row((uint16_t)i);
	qsort(things.v, things.n, sizeof(*things.v), by_stem);
}

size_t
kinds_of(struct span folded, struct span out[KINDS_OF_MAX])
{
	uint8_t stem[TEXT_WORD_MAX];
	struct span key = span_of(stem, text_stem(folded, stem));
	size_t low = 0, high, n = 0;

	prepare();
	for (high = things.n; low < high; ) {
		size_t mid = low + (high - low) / 2;

		if (span_cmp(span_of(things.v[mid].stem, things.v[mid].len), key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < things.n && n < KINDS_OF_MAX && span_is(span_of(things.v[low].stem, things.v[low].len), key); low++)
		if (low == 0 || things.v[low - 1].row != things.v[low].row ||
		    !span_is(span_of(things.v[low - 1].stem, things.v[low - 1].len), key))
			out[n++] = span_str(rows[things.v[low].row].kind);
	return n;
}
