#include "workers/auth/store/store_note.h"

#include <stdio.h>

#include "workers/auth/store/store_driver.h"

int
store_note_offer(struct store *s, struct span given, struct span sealed, char id[STORE_NOTE_ID + 1], struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, STORE_NOTE_OFFER, err, STORE_S(given), STORE_T(s->node),
	    STORE_B(sealed.p, sealed.len), STORE_N(STORE_NOTES), STORE_N(STORE_SAME_MS));

	if (store_look(q, err) != 1)
		return -1;
	store_column_text(q, 0, id, STORE_NOTE_ID + 1);
	store_found(q);
	if (id[0] != '\0' && s->notes_open == 0)
		s->notes_open = 1; /* until the next question */
	return id[0] != '\0';
}

static struct store_note
read_note(struct store_query *q)
{
	uint64_t state = store_column_uint(q, 2);

	return (struct store_note){ .id = store_column(q, 0), .sealed = store_column(q, 1),
		.state = state <= STORE_NOTE_FAILED ? (enum store_note_state)state : STORE_NOTE_FAILED };
}

int
store_note_next(struct store *s, bool writes, void (*fn)(void *arg, const struct store_note *n), void *arg,
    struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, STORE_NOTE_NEXT, err, STORE_T(s->node), STORE_N(writes));
	struct store_note n;
	int found = store_look(q, err);

	if (found != 1)
		return found;
	n = read_note(q);
	n.writer = span_str(s->node);
	fn(arg, &n);
	return store_found(q);
}

int
store_note_begin(struct store *s, struct span id, struct err *err)
{
	return store_change_one(STORE_GIVEN(s, STORE_NOTE_BEGIN, err, STORE_S(id), STORE_T(s->node)), err);
}

int
store_note_end(struct store *s, struct span id, bool done, struct span sealed, struct err *err)
{
	return store_change_one(STORE_GIVEN(s, STORE_NOTE_END, err, STORE_S(id), STORE_T(s->node),
				    STORE_N(done ? STORE_NOTE_DONE : STORE_NOTE_FAILED), STORE_B(sealed.p, sealed.len)),
	    err);
}

int
store_note_release(struct store *s, struct span node, struct buf *ids, struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, STORE_NOTE_RELEASE, err, STORE_S(node));
	int found, n = 0;

	for (; (found = store_look(q, err)) == 1; n++) {
		buf_byte(ids, ' ');
		buf_span(ids, store_column(q, 0));
	}
	return found < 0 ? -1 : n;
}

int
store_note_look(struct store *s, struct span id, void (*fn)(void *arg, const struct store_note *n), void *arg,
    struct err *err)
{
	struct store_query *q;
	struct store_note n;
	int found, rows = 0;

	if (id.len == 0)
		return 0;
	for (q = STORE_GIVEN(s, STORE_NOTE_LOOK, err, STORE_S(id)); (found = store_look(q, err)) == 1;) {
		n = read_note(q);
		n.writer = store_column(q, 3);
		n.gone = n.writer.len > 0 && store_column_uint(q, 4) != 0;
		if (rows++ == 0)
			fn(arg, &n);
	}
	return found < 0 ? -1 : rows;
}

uint64_t
store_notes_open(const struct store *s)
{
	return s->notes_open;
}
