/* store_nodes.c - two processes that want the same at the same moment: one of them gets it. */
#include <sys/mman.h>

#include "tests/integration/store/store_pair.h"
#include "workers/auth/store/store_driver.h"
#include "workers/auth/store/store_handover.h"
#include "workers/auth/store/store_note.h"
#include "workers/auth/store/store_oauth.h"
#include "workers/auth/store/store_token.h"

#define ROUNDS_MAX	20000
#define ROUNDS		rounds()

/* CARREL_RACES: how many, instead of 400. */
static unsigned
rounds(void)
{
	const char *given = getenv("CARREL_RACES");
	unsigned n = given == NULL ? 400 : (unsigned)strtoul(given, NULL, 10);

	return n == 0 || n > ROUNDS_MAX ? ROUNDS_MAX : n;
}

static struct err err;

/* What the nodes write down: shared memory. */
struct tally {
	unsigned	won[2][ROUNDS_MAX];
	bool		broken[2];
};

static struct tally *tally;

static void
digest_of(unsigned i, uint8_t digest[STORE_DIGEST])
{
	memset(digest, 0, STORE_DIGEST);
	memcpy(digest, &i, sizeof(i));
}

/* Run `act` ROUNDS times in each of two processes with a store of their own. */
static void
run_nodes(const struct store_pair *r, bool (*act)(struct store *s, unsigned round, unsigned *won))
{
	int status;

	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(tally != MAP_FAILED);
	for (int node = 0; node < 2; node++)
		if (fork() == 0) {
			struct store *local = pair_is_postgres() ? pair_local(r, 3 + node) : NULL;
			struct store *s = pair_open(r, local);

			for (unsigned i = 0; i < ROUNDS && !tally->broken[node]; i++)
				tally->broken[node] = !act(s, i, &tally->won[node][i]);
			if (tally->broken[node])
				fprintf(stderr, "node %d: %s\n", node, err.message);
			_exit(0);
		}
	for (int node = 0; node < 2; node++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	assert_false(tally->broken[0] || tally->broken[1]);
}

static bool
take_code(struct store *s, unsigned round, unsigned *won)
{
	uint8_t digest[STORE_DIGEST];
	struct store_code got;
	int taken;

	digest_of(round, digest);
	if (store_begin(s, &err) != 0 || (taken = store_code_take(s, digest, 5, &got, &err)) < 0 ||
	    store_commit(s, &err) != 0)
		return false;
	*won = taken == STORE_TAKE_FIRST;
	return true;
}

static void
test_each_code_once(void **state)
{
	struct store_pair *r = *state;
	struct store_code c = { .user = "ada", .client = "c", .created_ms = 1, .expires_ms = 100 };

	must(store_begin(r->a, &err));
	for (unsigned i = 0; i < ROUNDS; i++) {
		digest_of(i, c.digest);
		must(store_code_add(r->a, &c, &err));
	}
	must(store_commit(r->a, &err));
	run_nodes(r, take_code);
	for (unsigned i = 0; i < ROUNDS; i++)
		assert_int_equal(tally->won[0][i] + tally->won[1][i], 1);
}

static bool
take_nonce(struct store *s, unsigned round, unsigned *won)
{
	uint8_t digest[STORE_DIGEST];
	int taken;

	digest_of(round, digest);
	if ((taken = store_nonce_take(s, digest, 100, &err)) < 0)
		return false;
	*won = taken == 1;
	return true;
}

static void
test_each_nonce_once(void **state)
{
	struct store_pair *r = *state;
	uint8_t digest[STORE_DIGEST];

	run_nodes(r, take_nonce);
	for (unsigned i = 0; i < ROUNDS; i++)
		assert_int_equal(tally->won[0][i] + tally->won[1][i], 1);
	digest_of(0, digest);
	must(store_oauth_sweep(r->a, 100, 0, &err));
	assert_int_equal(store_nonce_take(r->a, digest, 100, &err), 0);
	must(store_oauth_sweep(r->a, 101, 0, &err)); /* it is good for nothing any more */
	assert_int_equal(store_nonce_take(r->a, digest, 100, &err), 1);
}

/* The statement alone decides, with no transaction around it. */
static bool
turn_grant(struct store *s, unsigned round, unsigned *won)
{
	int turned = store_grant_turn(s, "a000000000000000", round + 1, 5, SPAN(""), 100, &err);

	*won = turned == 1;
	return turned >= 0;
}

static void
test_each_turn_once(void **state)
{
	struct store_pair *r = *state;
	struct store_grant g = { .id = "a000000000000000", .turn = 1, .expires_ms = 100 }, got;
	unsigned turned = 0;

	must(store_grant_add(r->a, &g, &err));
	run_nodes(r, turn_grant);
	for (unsigned i = 0; i < ROUNDS; i++) {
		assert_in_range(tally->won[0][i] + tally->won[1][i], 0, 1);
		turned += tally->won[0][i] + tally->won[1][i];
	}
	assert_int_equal(store_grant(r->a, span_str(g.id), &got, &err), 1);
	assert_int_equal(got.turn, 1 + turned);
}

/* What is read in a transaction holds until its end: at most ten, however many count at the same time. */
static bool
add_within_ten(struct store *s, unsigned round, unsigned *won)
{
	char name[24], text[24];
	struct buf out = { 0 };
	unsigned n;
	bool ok = store_begin(s, &err) == 0 && store_setting(s, "count", &out, &err) >= 0;

	n = out.len > 0 ? (unsigned)strtoul(buf_cstr(&out), NULL, 10) : 0;
	buf_fini(&out);
	snprintf(text, sizeof(text), "%u", n + 1);
	snprintf(name, sizeof(name), "%d.%u", (int)getpid(), round);
	if (ok && n < 10) {
		ok = store_set_setting(s, "count", span_str(text), &err) == 0 &&
		    store_set_setting(s, name, SPAN(""), &err) == 0;
		*won = 1;
	}
	return ok && store_commit(s, &err) == 0;
}

static void
test_transactions_exclude(void **state)
{
	struct store_pair *r = *state;
	unsigned added = 0;

	run_nodes(r, add_within_ten);
	for (unsigned i = 0; i < ROUNDS; i++)
		added += tally->won[0][i] + tally->won[1][i];
	assert_int_equal(added, 10);
}

#define NOTES	60u

static unsigned *begun;	/* how often each note was begun: shared memory */

static void
name_note(unsigned i, char id[STORE_NOTE_ID + 1])
{
	snprintf(id, STORE_NOTE_ID + 1, "mem-%013u-%024x", 1000 + i, i);
}

struct seen_note {
	char			id[STORE_NOTE_ID + 1];
	enum store_note_state	state;
};

static void
see_note(void *arg, const struct store_note *n)
{
	struct seen_note *seen = arg;

	snprintf(seen->id, sizeof(seen->id), "%.*s", SPAN_FMT(n->id));
	seen->state = n->state;
}

/* The writing is taken over again and again, also between a note's being taken and begun; some are begun and left. */
static bool
write_note(struct store *s, unsigned round, unsigned *won)
{
	struct seen_note seen = { .state = STORE_NOTE_QUEUED };
	bool ok = true;
	int found;

	*won = 0;
	if (round % 3 == 0)
		ok = store_begin(s, &err) == 0 && store_set_setting(s, "node.writer", span_str(s->node), &err) == 0 &&
		    store_commit(s, &err) == 0;
	found = ok ? store_note_next(s, true, see_note, &seen, &err) : -1;
	if (found == 1 && seen.state == STORE_NOTE_READ) {
		found = store_note_begin(s, span_str(seen.id), &err);
		*won = found == 1;
		if (found == 1)
			__atomic_add_fetch(&begun[strtoul(seen.id + 18, NULL, 16)], 1, __ATOMIC_SEQ_CST);
	}
	if (found == 1 && round % 4 != 0)
		found = store_note_end(s, span_str(seen.id), true, SPAN("said"), &err);
	return found >= 0;
}

static void
test_each_note_once(void **state)
{
	struct store_pair *r = *state;
	char id[STORE_NOTE_ID + 1], given[STORE_NOTE_ID + 1];

	if (!pair_is_postgres())
		return;
	begun = mmap(NULL, NOTES * sizeof(*begun), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(begun != MAP_FAILED);
	for (unsigned i = 0; i < NOTES; i++) {
		name_note(i, given);
		assert_int_equal(store_note_offer(i % 2 ? r->a : r->b, span_str(given), SPAN("x"), id, &err), 1);
		assert_string_equal(id, given);
	}
	/* The same content later is the same note, on whichever node. */
	snprintf(given, sizeof(given), "mem-%013u-%024x", 5000, 3);
	assert_int_equal(store_note_offer(r->a, span_str(given), SPAN("x"), id, &err), 1);
	assert_string_equal(id + 18, "000000000000000000000003");
	assert_string_not_equal(id, given);
	run_nodes(r, write_note);
	for (unsigned i = 0; i < NOTES; i++)
		if (begun[i] != 1)
			fail_msg("note %u was begun %u times", i, begun[i]);
}

static void
assert_next(struct store *s, enum store_note_state state)
{
	struct seen_note seen = { .state = STORE_NOTE_FAILED };

	pair_psql(strcmp(s->node, "a") == 0 ? "INSERT INTO carrel.setting VALUES('node.writer', 'a') ON CONFLICT(key)"
					      " DO UPDATE SET value = 'a'" :
					      "UPDATE carrel.setting SET value = 'b' WHERE key = 'node.writer'");
	assert_int_equal(store_note_next(s, true, see_note, &seen, &err), 1);
	assert_int_equal(seen.state, state);
}

static int
release(struct store *s, const char *node, struct buf *ids)
{
	int n;

	ids->len = 0;
	assert_int_equal(store_begin(s, &err), 0);
	n = store_note_release(s, span_str(node), ids, &err);
	assert_int_equal(store_commit(s, &err), 0);
	return n;
}

/* a begins note i and is away; b releases it. */
static void
begin_and_release(const struct store_pair *r, unsigned i, char id[STORE_NOTE_ID + 1])
{
	char given[STORE_NOTE_ID + 1];
	struct buf ids = { 0 };

	name_note(i, given);
	assert_int_equal(store_note_offer(r->b, span_str(given), SPAN("x"), id, &err), 1);
	assert_next(r->a, STORE_NOTE_READ);
	pair_psql("UPDATE carrel.node SET until = 9000000000000000 WHERE name = 'a'");
	assert_int_equal(release(r->b, "a", &ids), 0); /* not begun */
	assert_int_equal(store_note_begin(r->a, span_str(id), &err), 1);
	assert_int_equal(release(r->b, "a", &ids), 0); /* it has a lease */
	pair_psql("UPDATE carrel.node SET until = 0 WHERE name = 'a'");
	assert_int_equal(release(r->b, "a", &ids), 1);
	assert_string_equal(buf_cstr(&ids) + 1, id);
	buf_fini(&ids);
	assert_int_equal(store_note_begin(r->a, span_str(id), &err), 0);
}

static void
see_writer(void *arg, const struct store_note *n)
{
	snprintf(arg, STORE_NODE + 1, "%.*s", SPAN_FMT(n->writer));
}

/* What a node that is away had begun is another node's once it is released, and ends once. */
static void
test_a_note_is_released(void **state)
{
	struct store_pair *r = *state;
	char id[STORE_NOTE_ID + 1], writer[STORE_NODE + 1];

	if (!pair_is_postgres())
		return;
	/* a is back and has written it; b has read it at most: it is a's, and b does not begin it. */
	begin_and_release(r, 1, id);
	assert_next(r->b, STORE_NOTE_READ);
	assert_int_equal(store_note_end(r->a, span_str(id), false, SPAN("failed"), &err), 0);
	assert_int_equal(store_note_end(r->a, span_str(id), true, SPAN("said"), &err), 1);
	assert_int_equal(store_note_begin(r->b, span_str(id), &err), 0);
	assert_int_equal(store_note_end(r->b, span_str(id), true, SPAN("said"), &err), 0);
	/* b begins it first: a does not end it any more. */
	begin_and_release(r, 2, id);
	assert_next(r->b, STORE_NOTE_READ);
	assert_int_equal(store_note_begin(r->b, span_str(id), &err), 1);
	assert_int_equal(store_note_end(r->a, span_str(id), true, SPAN("said"), &err), 0);
	assert_int_equal(store_note_end(r->b, span_str(id), true, SPAN("said"), &err), 1);
	assert_int_equal(store_note_look(r->a, span_str(id), see_writer, writer, &err), 1);
	assert_string_equal(writer, "b");
	/* What a released note became is there for years: other notes are removed after a day. */
	pair_psql("DO $$ BEGIN ASSERT (SELECT min(until) FROM carrel.note) >"
		  " extract(epoch FROM now()) * 1000 + 300000000000; END $$");
}

/* The queue is bounded. */
static void
test_notes_are_bounded(void **state)
{
	struct store_pair *r = *state;
	char id[STORE_NOTE_ID + 1];

	if (!pair_is_postgres())
		return;
	pair_psql("INSERT INTO carrel.note(id, node, at, sealed) SELECT 'mem-1-' || lpad(n::text, 24, '0'), 'a', 0, ''"
		  " FROM generate_series(1, 1000) AS n");
	assert_int_equal(store_note_offer(r->a, SPAN("mem-0000000009999-00000000000000000000000a"), SPAN("x"), id,
			     &err),
	    0);
	pair_psql("UPDATE carrel.note SET state = 3, until = 1 WHERE number = (SELECT max(number) FROM carrel.note)");
	assert_int_equal(store_note_offer(r->a, SPAN("mem-0000000009999-00000000000000000000000a"), SPAN("x"), id,
			     &err),
	    1);
}

static void
see_handover(void *arg, const struct store_handover *h)
{
	*(struct store_handover *)arg = *h;
}

static int
look_handover(struct store *s, const char *id, struct store_handover *h)
{
	memset(h, 0, sizeof(*h));
	return store_handover_look(s, span_str(id), see_handover, h, &err);
}

static void
give_handover(struct store *s, const char *id, uint64_t patience_ms)
{
	assert_int_equal(store_handover_give(s, id, patience_ms, SPAN("x"), &err), 1);
}

/* A handover is begun by the writer and by no other, ends once, and only what nobody has begun can be taken back. */
static void
test_a_handover(void **state)
{
	struct store_pair *r = *state;
	struct store_handover h;

	if (!pair_is_postgres())
		return;
	pair_psql("INSERT INTO carrel.setting VALUES('node.writer', 'a') ON CONFLICT(key) DO UPDATE SET value = 'a'");
	give_handover(r->b, "one", 60000);
	assert_int_equal(store_handover_next(r->b, true, see_handover, &h, &err), 0);  /* not the writer */
	assert_int_equal(store_handover_next(r->a, false, see_handover, &h, &err), 0); /* not certain of it */
	assert_int_equal(look_handover(r->a, "one", &h), 0);                           /* another node's */
	assert_int_equal(look_handover(r->b, "one", &h), 1);
	assert_int_equal(h.state, STORE_HANDOVER_WAITS);
	assert_int_equal(store_handover_end(r->a, SPAN("one"), SPAN("y"), &err), 0);
	assert_int_equal(store_handover_next(r->a, true, see_handover, &h, &err), 1);
	assert_false(h.again);
	assert_int_equal(store_handover_take_back(r->b, SPAN("one"), &err), 0);
	/* Its own again, also when it writes no more; another writer does not get it. */
	pair_psql("UPDATE carrel.setting SET value = 'b' WHERE key = 'node.writer'");
	assert_int_equal(store_handover_next(r->b, true, see_handover, &h, &err), 0);
	assert_int_equal(store_handover_next(r->a, false, see_handover, &h, &err), 1);
	assert_true(h.again);
	pair_psql("UPDATE carrel.node SET until = 0 WHERE name = 'a'");
	assert_int_equal(look_handover(r->b, "one", &h), 1);
	assert_true(h.gone && h.state == STORE_HANDOVER_BEGUN);
	assert_int_equal(store_handover_end(r->b, SPAN("one"), SPAN("y"), &err), 0);
	assert_int_equal(store_handover_end(r->a, SPAN("one"), SPAN("y"), &err), 1);
	assert_int_equal(store_handover_end(r->a, SPAN("one"), SPAN("z"), &err), 0);
	assert_int_equal(look_handover(r->b, "one", &h), 1);
	assert_int_equal(h.state, STORE_HANDOVER_ENDED);
	assert_int_equal(store_handover_take_back(r->b, SPAN("one"), &err), 1);

	/* What was not begun in time is not begun later. */
	give_handover(r->a, "late", 0);
	assert_int_equal(look_handover(r->a, "late", &h), 1);
	assert_true(h.late);
	assert_int_equal(store_handover_next(r->b, true, see_handover, &h, &err), 0);
	assert_int_equal(store_handover_take_back(r->a, SPAN("late"), &err), 1);

	/* Bounded. */
	pair_psql("INSERT INTO carrel.handover(id, node, until, sealed) SELECT n::text, 'a', 9000000000000000, ''"
		  " FROM generate_series(1, 100) AS n");
	assert_int_equal(store_handover_give(r->a, "much", 60000, SPAN("x"), &err), 0);
}

static void
see_missing(void *arg, const struct store_node *n)
{
	((int64_t *)arg)[n->own ? 0 : 1] = n->missing;
}

/* Each node says how many files it lacks; one that does not is not taken for one that lacks nothing. */
static void
test_missing_files(void **state)
{
	struct store_pair *r = *state;
	int64_t missing[2] = { 9, 9 };

	if (!pair_is_postgres())
		return;
	store_missing(r->a, 3);
	usleep(260000); /* until the next question */
	(void)store_changed_elsewhere(r->a);
	assert_int_equal(store_nodes(r->b, see_missing, missing, &err), 0);
	assert_int_equal(missing[0], -1);
	assert_int_equal(missing[1], 3);
}

int
store_nodes_tests(void)
{
	const struct CMUnitTest tests[] = {
		PAIR_TEST(test_each_code_once),
		PAIR_TEST(test_each_turn_once),
		PAIR_TEST(test_each_nonce_once),
		PAIR_TEST(test_transactions_exclude),
		PAIR_TEST(test_each_note_once),
		PAIR_TEST(test_a_note_is_released),
		PAIR_TEST(test_notes_are_bounded),
		PAIR_TEST(test_a_handover),
		PAIR_TEST(test_missing_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
