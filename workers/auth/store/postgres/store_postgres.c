/*
 * store_postgres.c - see store_postgres.h.
 *
 * One store, several nodes
 *
 * What nodes must agree on is decided by the primary, by one statement each: an UPDATE whose condition only one of them
 * meets (a code that is not used, a grant whose turn is this one).  Around such a statement store.h promises a
 * transaction that excludes other writers.  BEGIN takes a lock of the transaction for that, in the same round trip;
 * so what is read within it (how many tokens there are, whether an administrator is left) is still true when it is
 * committed, on whichever node.  Writes are rare: sign-ins, rotations, changes, and every few seconds the counts of
 * uses; a call itself writes nothing here.  A node that stops within a transaction is ended by the server
 * (idle_in_transaction_session_timeout), and no writer waits longer than lock_timeout.
 *
 * Each commit of a change increments `revision`.  A node asks for it four times a second, and at once when a commit's
 * NOTIFY comes; another number than its own says that something changed.  What it has read may be relied on for two
 * seconds after it asked (the lease): a node that could not confirm within it decides nothing about credentials, since
 * it may not know what another node ended.  The answer brings the server's time as well, which decides what has
 * expired: nodes only measure what has passed since.
 *
 * The question is a row of the table `node`: which revision the node has acted upon, so that what ended before has
 * ended there, and when its lease ends by the server's clock.  Who ends something waits until each node has either
 * acted upon the change or has no lease any more.  That is enough without a lock between the two: a verdict was given
 * after a lease was confirmed, so that row was there before the change was; verdicts of later leases are read from the
 * store after the change.  The table is not logged: a server that crashed, or a standby that was promoted, begins with
 * an empty one.  A node that finds its own row gone therefore waits for a lease before it believes the list: every node
 * that has one by then has written its row again.
 *
 * A change and its audit entry: the audit is local to the node.  begin begins there as well; commit first writes the
 * revision, which shows that the server is there and the transaction sound, then commits the entry, then the change.
 * So nothing is changed without an entry.  An entry whose change did not follow, because the connection was lost
 * within the last round trip, says more than happened; the caller was told that it failed.
 */
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/mem.h"
#include "base/system/clock.h"
#include "base/system/log.h"
#include "workers/auth/store/postgres/postgres_schema.h"
#include "workers/auth/store/postgres/store_postgres.h"
#include "workers/auth/store/store_driver.h"
#include "workers/auth/store/store_loss.h"
#include "workers/auth/store/store_token.h"

#define LOOK_NS		(250 * CLOCK_MS)
#define PLACE		"node.epoch" /* setting of the own store: its process that took its place last */
#define WORDS		64u	/* of other nodes, kept until they are asked for; beyond: the oldest are dropped */
#define MARKS_SWEPT	1024	/* changes between removals of old marks */
#define WRITER_LOCK	"1130459756, 1" /* of a transaction */

struct postgres_store {
	struct store		 base;
	struct postgres_link	 link;
	bool			 prepared[STORE_NSTATEMENTS];
	bool			 within, changing;	/* a transaction; with one of local */
	char			 id[33];		/* tells this node from another that was given its name */
	uint64_t		 before;		/* the process whose place is taken; 0: none is known */
	char			*words[WORDS];		/* of other nodes: a ring */
	unsigned		 first_word, nwords;
	char			*word;			/* the one that was asked for last */
	uint64_t		 newest, revision;	/* the store's; the one that was told of */
	uint64_t		 acted;			/* store_acted() */
	struct store_point	 seen;			/* the newest commit, as the node's own store remembers it */
	enum store_judgement	 judged;		/* what the last answer was, compared with it */
	uint64_t		 lease_ms;
	/* by clock_boot_ns(), as other nodes rely on them: */
	uint64_t		 looked_ns;		/* when it was asked for last */
	uint64_t		 confirmed_ns;		/* when it was asked for last with an answer */
	uint64_t		 server_ms;		/* the server's clock then */
};

enum { OID_BYTEA = 17, OID_INT8 = 20, OID_TEXT = 25, OID_BYTEAS = 1001, OID_TEXTS = 1009, OID_INT8S = 1016 };

static const char *const texts[STORE_NSTATEMENTS] = {
#define SHARED(NAME, text)		[STORE_##NAME] = text,
#define APART(NAME, text, postgres)	[STORE_##NAME] = postgres,
#define LOCAL(NAME, text)		/* of the node's own store */
#define NODES(NAME, text)		[STORE_##NAME] = text,
#include "workers/auth/store/store_statements.def"
#undef SHARED
#undef APART
#undef LOCAL
#undef NODES
};

struct postgres_query {
	struct store_query	 base;
	PGresult		*res;
	int			 row;	/* the current one; -1: before the first */
};

static struct postgres_store *
store_of(struct store *s)
{
	return (struct postgres_store *)s;
}

static struct postgres_query *
query_of(struct store_query *q)
{
	return (struct postgres_query *)q;
}

/* Have the server parse the statement, at its first use: afterwards its name is its number. */
static int
prepare(struct postgres_store *p, enum store_statement which, const char *name, const struct store_value *values,
    size_t n, struct err *err)
{
	static const Oid types[] = { [STORE_TEXT] = OID_TEXT, [STORE_NUMBER] = OID_INT8, [STORE_BYTES] = OID_BYTEA,
		[STORE_TEXTS] = OID_TEXTS, [STORE_NUMBERS] = OID_INT8S, [STORE_BLOBS] = OID_BYTEAS };
	Oid given[STORE_COLUMNS_MAX];
	PGresult *res;
	char *text;

	if (p->prepared[which])
		return 0;
	for (size_t i = 0; i < n; i++)
		given[i] = types[values[i].kind];
	text = mem_text(span_str(texts[which]));
	for (char *at = text; (at = strchr(at, '?')) != NULL; at++)
		*at = '$';
	res = postgres_link_await(&p->link, PQsendPrepare(p->link.conn, name, text, (int)n, given), err);
	free(text);
	p->prepared[which] = res != NULL;
	PQclear(res);
	return p->prepared[which] ? 0 : -1;
}

/* The parameters in binary form. */
static int
send_prepared(struct postgres_store *p, const char *name, const struct store_value *values, size_t n)
{
	const char *bytes[STORE_COLUMNS_MAX];
	int lengths[STORE_COLUMNS_MAX], formats[STORE_COLUMNS_MAX];
	uint64_t numbers[STORE_COLUMNS_MAX];

	for (size_t i = 0; i < n; i++) {
		const struct store_value *v = &values[i];

		formats[i] = 1;
		numbers[i] = htobe64(v->n);
		bytes[i] = v->kind == STORE_NUMBER ? (const char *)&numbers[i] : (const char *)v->s.p;
		lengths[i] = v->kind == STORE_NUMBER ? (int)sizeof(numbers[i]) : (int)v->s.len;
		if (bytes[i] == NULL && v->kind == STORE_TEXT)
			bytes[i] = "";
	}
	return PQsendQueryPrepared(p->link.conn, name, (int)n, bytes, lengths, formats, 1);
}

static struct store_query *
postgres_ask(struct store *s, enum store_statement which, const struct store_value *values, size_t n, struct err *err)
{
	struct postgres_store *p = store_of(s);
	struct postgres_query *q;
	PGresult *res = NULL;
	char name[16];

	if (n > STORE_COLUMNS_MAX || texts[which] == NULL)
		abort(); /* a statement of the local store */
	snprintf(name, sizeof(name), "s%d", (int)which);
	postgres_link_settle(&p->link);
	if (p->link.conn == NULL)
		(void)postgres_link_fail(&p->link, err);
	else if (prepare(p, which, name, values, n, err) == 0)
		res = postgres_link_await(&p->link, send_prepared(p, name, values, n), err);
	if (res == NULL)
		return NULL;
	q = mem_new(1, sizeof(*q));
	*q = (struct postgres_query){ { s }, res, -1 };
	return &q->base;
}

static int
postgres_post(struct store *s, enum store_statement which, const struct store_value *values, size_t n, struct err *err)
{
	struct postgres_store *p = store_of(s);
	char name[16];

	snprintf(name, sizeof(name), "s%d", (int)which);
	postgres_link_settle(&p->link);
	if (p->link.conn == NULL)
		return postgres_link_fail(&p->link, err);
	if (p->within)
		return err_set(err, ERR_INTERNAL, "a statement without an answer within a transaction");
	return prepare(p, which, name, values, n, err) != 0 ?
	    -1 :
	    postgres_link_post(&p->link, send_prepared(p, name, values, n), err);
}

static int
postgres_posted(struct store *s, struct err *err)
{
	return postgres_link_posted(&store_of(s)->link, err);
}

static void
postgres_end(struct store_query *q)
{
	PQclear(query_of(q)->res);
	free(q);
}

static int
postgres_next(struct store_query *q, struct err *err)
{
	(void)err; /* all rows have come with the answer */
	if (++query_of(q)->row < PQntuples(query_of(q)->res))
		return 1;
	postgres_end(q);
	return 0;
}

static int
postgres_run(struct store_query *q, uint64_t *changed, struct err *err)
{
	(void)err;
	*changed = strtoull(PQcmdTuples(query_of(q)->res), NULL, 10);
	postgres_end(q);
	return 0;
}

static struct span
postgres_bytes(struct store_query *base, int i)
{
	const struct postgres_query *q = query_of(base);

	return span_of(PQgetvalue(q->res, q->row, i), (size_t)PQgetlength(q->res, q->row, i));
}

/* Integers of each width and booleans: big-endian. */
static int64_t
postgres_number(struct store_query *q, int i)
{
	struct span bytes = postgres_bytes(q, i);
	uint64_t n = bytes.len > 0 && bytes.p[0] >= 0x80 ? UINT64_MAX : 0;

	for (size_t at = 0; at < bytes.len; at++)
		n = n << 8 | bytes.p[at];
	return (int64_t)n;
}

static void
postgres_rollback(struct store *s)
{
	struct postgres_store *p = store_of(s);

	if (p->link.conn != NULL && PQtransactionStatus(p->link.conn) != PQTRANS_IDLE)
		(void)postgres_link_do(&p->link, "ROLLBACK", NULL);
	if (p->changing)
		store_rollback(s->own);
	p->within = p->changing = false;
}

static int
postgres_begin(struct store *s, enum store_purpose purpose, struct err *err)
{
	struct postgres_store *p = store_of(s);

	if (p->within)
		return err_set(err, ERR_INTERNAL, "a transaction within another");
	if (p->link.conn == NULL)
		return postgres_link_fail(&p->link, err);
	if (purpose == STORE_CHANGE && store_begin(s->own, err) != 0)
		return -1;
	p->within = true;
	p->changing = purpose == STORE_CHANGE;
	if (postgres_link_do(&p->link,
		purpose == STORE_LOOK ? "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY" :
					"BEGIN; SELECT pg_advisory_xact_lock(" WRITER_LOCK ")",
		err) == 0)
		return 0;
	postgres_rollback(s);
	return -1;
}

/* Number the change, and draw its mark. */
static int
write_revision(struct postgres_store *p, int64_t *revision, uint64_t *mark, struct err *err)
{
	char sql[240];

	randombytes_buf(mark, sizeof(*mark));
	*mark = *mark >> 2 | 1;
	snprintf(sql, sizeof(sql),
	    "WITH r AS (UPDATE revision SET number = number + 1 RETURNING number) INSERT INTO mark"
	    " SELECT number, %" PRIu64 ", " STORE_SERVER_MS " FROM r RETURNING number",
	    *mark);
	if (postgres_link_number(&p->link, sql, revision, err) != 0)
		return -1;
	return *revision % MARKS_SWEPT != 0 ?
	    0 :
	    store_change(store_statement(&p->base, STORE_MARKS_SWEEP, err), NULL, err);
}

/*
 * Remember this node's own change before its caller is answered: a server that fails at this moment may lose it, and no
 * other node may know of it.
 */
static void
take_own(struct postgres_store *p, uint64_t revision, uint64_t mark)
{
	struct store_point now = { p->seen.identity, p->seen.epoch, revision, mark };
	struct err err;

	if (p->seen.identity == 0)
		return;
	p->seen = now;
	if (store_loss_remember(p->base.own, &now, &err) != 0)
		log_warn("the newest change of the state store cannot be remembered: %s", err.message);
}

static int
postgres_commit(struct store *s, struct err *err)
{
	struct postgres_store *p = store_of(s);
	uint64_t since = store_now_ms(s);
	bool changing = p->changing;
	int64_t revision = 0;
	uint64_t mark = 0;

	if (changing && (write_revision(p, &revision, &mark, err) != 0 || store_commit(s->own, err) != 0)) {
		postgres_rollback(s);
		return -1;
	}
	p->within = p->changing = false;
	if (postgres_link_do(&p->link, changing ? "NOTIFY carrel; COMMIT" : "COMMIT", err) != 0)
		return -1;
	if (!changing)
		return 0;
	take_own(p, (uint64_t)revision, mark);
	s->committed = (uint64_t)revision;
	s->committed_ms = since;
	if (p->newest == p->revision && s->committed == p->revision + 1)
		p->newest = ++p->revision; /* ours: nothing changed elsewhere */
	return 0;
}

static enum store_judgement
judge_point(struct postgres_store *p, const struct store_point *now, uint64_t then, const char *by)
{
	enum store_judgement found = store_loss_judge(&p->seen, now, then);
	struct err err;

	if (found == STORE_LOST && by[0] == '\0' && store_loss_tell(&p->base, now, &err) != 0)
		log_warn("the other nodes cannot be told that the state store lost commits: %s", err.message);
	return by[0] != '\0' && found != STORE_ELSEWHERE_ACCEPTED ? STORE_LOST : found;
}

/*
 * Remember what the store is at, before anything is acted upon by it; -1: it is not relied on.  by: another node that
 * refuses it, or empty.
 */
static int
take_point(struct postgres_store *p, const struct store_point *now, uint64_t then, const char *by, struct err *err)
{
	switch (p->judged = judge_point(p, now, then, by)) {
	case STORE_GOES_ON:
		return 0;
	case STORE_NEWER:
		if (store_loss_remember(p->base.own, now, err) != 0)
			return -1;
		p->seen = *now;
		return 0;
	case STORE_ELSEWHERE_ACCEPTED:
		return err_set(err, ERR_SERVICE_UNAVAILABLE, "another node has accepted that it lost commits");
	case STORE_LOST:
		break;
	}
	return store_loss_refuse(p->base.own, &p->seen, now, strcmp(by, p->base.node) == 0 ? "" : by, err);
}

/*
 * A process that starts takes the place of the one before it, while that one's lease lasts.  A copy of the node's own
 * store that was made since does not know which one that is: so of a node and its copies one is served, and the others
 * are refused for as long as it asks.
 */
static int
read_place(struct postgres_store *p, struct err *err)
{
	struct buf kept = BUF_MAX(32);
	int found = store_setting(p->base.own, PLACE, &kept, err);

	if (found == 1)
		p->before = strtoull(buf_cstr(&kept), NULL, 10);
	buf_fini(&kept);
	return found < 0 ? -1 : 0;
}

static int
keep_place(const struct postgres_store *p, struct err *err)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, p->base.epoch);
	return store_set_setting(p->base.own, PLACE, span_str(text), err);
}

/* The name has another process, whose lease has not ended.  One that was there before decides nothing any more. */
static int
fail_taken(struct postgres_store *p, bool starts, struct err *err)
{
	(void)err_set(err, ERR_SERVICE_UNAVAILABLE,
	    "another node with the name %s uses the state store, possibly a copy of this one with its .carrel: give "
	    "each node a name and a .carrel/state.db of its own",
	    p->base.node);
	if (!starts)
		postgres_link_give_up(&p->link, err->message);
	return -1;
}

/*
 * Say what was acted upon, and ask for the revision and the time.  The lease begins when the question is sent: the
 * answer may be as old as that.
 */
static int
confirm(struct postgres_store *p, struct err *err)
{
	struct store_point now;
	struct err own;
	char found_by[STORE_NODE + 32];
	uint64_t then;
	bool starts = p->base.epoch == 0;
	struct store_query *q;
	int found;

	if (err == NULL)
		err = &own;
	if (starts)
		p->base.epoch = (uint64_t)randombytes_random() + 1;
	p->looked_ns = clock_boot_ns();
	q = STORE_GIVEN(&p->base, STORE_NODE_CONFIRM, err, STORE_T(p->base.node), STORE_T(p->id),
	    STORE_N(p->base.epoch), STORE_N(p->acted), STORE_N(starts ? p->before : 0), STORE_N(p->lease_ms),
	    STORE_N(p->seen.number), STORE_T(p->base.project), STORE_N(p->base.behind),
	    STORE_N((uint64_t)p->base.uncopied), STORE_N((uint64_t)p->base.missing));
	if ((found = store_look(q, err)) == 0)
		return fail_taken(p, starts, err);
	if (found != 1)
		return -1;
	now = (struct store_point){ store_column_uint(q, 2), store_column_uint(q, 3), store_column_uint(q, 0),
		store_column_uint(q, 4) };
	then = store_column_uint(q, 5);
	if (store_column_uint(q, 6) != 0)
		p->base.listed_ns = p->looked_ns + p->lease_ms * CLOCK_MS;
	p->base.drained = store_column_uint(q, 7) != 0;
	store_column_text(q, 8, p->base.writer, sizeof(p->base.writer));
	p->base.writer_there = store_column_uint(q, 9) != 0;
	p->base.sessions_newest = store_column_uint(q, 10);
	p->base.tasks_unwanted = store_column_uint(q, 11);
	store_column_text(q, 12, p->base.writer_project, sizeof(p->base.writer_project));
	p->base.notes_open = store_column_uint(q, 13);
	store_column_text(q, 14, found_by, sizeof(found_by));
	p->base.files_newest = store_column_uint(q, 15);
	p->base.files_doubted = store_column_uint(q, 16);
	p->base.handovers_open = store_column_uint(q, 17);
	p->server_ms = store_column_uint(q, 1);
	p->confirmed_ns = p->looked_ns;
	p->base.round_trip_us = (clock_boot_ns() - p->looked_ns) / 1000;
	p->base.ahead_ms = (int64_t)clock_unix_ms() - (int64_t)p->server_ms;
	store_found(q);
	if (starts && keep_place(p, err) != 0)
		return -1;
	if (take_point(p, &now, then, store_loss_finder(found_by, &now), err) != 0) {
		if (!starts)
			postgres_link_give_up(&p->link, err->message);
		return -1;
	}
	p->newest = now.number;
	return 0;
}

static void
drop_word(struct postgres_store *p)
{
	free(p->words[p->first_word]);
	p->first_word = (p->first_word + 1) % WORDS;
	p->nwords--;
}

static void
keep_word(struct postgres_store *p, const char *word)
{
	if (p->nwords == WORDS)
		drop_word(p);
	p->words[(p->first_word + p->nwords++) % WORDS] = mem_text(span_str(word));
}

/* Whether another node said that it changed something; its words are kept. */
static bool
was_notified(struct postgres_store *p)
{
	PGnotify *n;
	bool changed = false;

	if (p->link.conn == NULL || !postgres_link_hear(&p->link))
		return false;
	while ((n = PQnotifies(p->link.conn)) != NULL) {
		bool other = n->be_pid != PQbackendPID(p->link.conn);

		if (other && n->extra[0] != '\0' && strcmp(n->extra, "session") != 0 &&
		    strcmp(n->extra, "cancel") != 0 && strcmp(n->extra, "file") != 0 &&
		    strcmp(n->extra, "handover") != 0)
			keep_word(p, n->extra);
		else
			changed |= other;
		PQfreemem(n);
	}
	return changed;
}

static const char *
postgres_word(struct store *s)
{
	struct postgres_store *p = store_of(s);

	free(p->word);
	p->word = NULL;
	if (p->nwords == 0)
		return NULL;
	p->word = mem_text(span_str(p->words[p->first_word]));
	drop_word(p);
	return p->word;
}

static bool
postgres_changed_elsewhere(struct store *s)
{
	struct postgres_store *p = store_of(s);

	if (was_notified(p) || clock_boot_ns() - p->looked_ns >= LOOK_NS)
		(void)confirm(p, NULL);
	if (p->newest == p->revision)
		return false;
	p->revision = p->newest;
	return true;
}

static uint64_t
postgres_revision(struct store *s)
{
	return store_of(s)->revision;
}

/* Others may wait for it: say so at once. */
static void
postgres_acted(struct store *s, uint64_t revision)
{
	struct postgres_store *p = store_of(s);

	if (revision == p->acted)
		return;
	p->acted = revision;
	if (!p->within)
		(void)confirm(p, NULL);
}

static int
postgres_watch(struct store *s)
{
	const struct postgres_store *p = store_of(s);

	return p->link.conn == NULL ? -1 : PQsocket(p->link.conn);
}

/* The node's own clock is not asked: it measures what has passed since the server said its time. */
static uint64_t
postgres_now_ms(struct store *s)
{
	const struct postgres_store *p = store_of(s);

	return p->server_ms + (clock_boot_ns() - p->confirmed_ns) / CLOCK_MS;
}

static uint64_t
postgres_lease_ms(struct store *s)
{
	const struct postgres_store *p = store_of(s);
	uint64_t passed = clock_boot_ns() - p->confirmed_ns;

	return p->link.conn != NULL && passed < p->lease_ms * CLOCK_MS ? p->lease_ms - passed / CLOCK_MS : 0;
}

static const char *
postgres_away(struct store *s)
{
	const struct postgres_store *p = store_of(s);

	return p->link.conn != NULL ? NULL : p->link.why;
}

/* What is committed is the server's to keep. */
static int
postgres_sync(struct store *s, struct err *err)
{
	(void)s, (void)err;
	return 0;
}

static void
postgres_close(struct store *s)
{
	struct postgres_store *p = store_of(s);

	postgres_rollback(s);
	if (p->link.conn != NULL && p->base.epoch != 0)
		(void)store_change(STORE_GIVEN(s, STORE_NODE_LEAVE, NULL, STORE_T(s->node), STORE_N(p->base.epoch)),
		    NULL, NULL);
	postgres_link_close(&p->link);
	while (p->nwords > 0)
		drop_word(p);
	free(p->word);
	free(p);
}

/* The node's own number, drawn once. */
static int
read_id(struct postgres_store *p, struct err *err)
{
	struct buf kept = BUF_MAX(sizeof(p->id) - 1);
	uint8_t raw[16];
	int found = store_setting(p->base.own, STORE_NODE_ID, &kept, err);

	if (found == 1)
		snprintf(p->id, sizeof(p->id), "%s", buf_cstr(&kept));
	buf_fini(&kept);
	if (found != 0)
		return found < 0 ? -1 : read_place(p, err);
	randombytes_buf(raw, sizeof(raw));
	sodium_bin2hex(p->id, sizeof(p->id), raw, sizeof(raw));
	return store_set_setting(p->base.own, STORE_NODE_ID, span_str(p->id), err);
}

/* After a refusal: go on if the loss was accepted, here or by another node. */
static int
take_up(struct postgres_store *p, struct err *err)
{
	bool here = p->judged == STORE_LOST && store_loss_is_accepted(p->base.own, &p->seen);

	if (!here && p->judged != STORE_ELSEWHERE_ACCEPTED)
		return -1;
	if (store_loss_repeat(&p->base, p->base.own, here ? p->seen.epoch + (p->seen.epoch == 0) : 0, err) != 0)
		return -1;
	p->seen = (struct store_point){ .identity = 0 };
	return confirm(p, err);
}

/* Take the node's place among the others.  Nothing was read before: there is nothing to act upon. */
static int
postgres_over(struct store *s, struct err *err)
{
	struct postgres_store *p = store_of(s);

	if (p->link.conn == NULL)
		return postgres_link_fail(&p->link, err);
	if (read_id(p, err) != 0 || store_loss_recall(s->own, &p->seen, err) != 0 ||
	    (confirm(p, err) != 0 && take_up(p, err) != 0)) {
		postgres_link_give_up(&p->link, err->message);
		return -1;
	}
	p->revision = p->newest;
	postgres_acted(s, p->revision);
	return 0;
}

static void
postgres_give_up(struct store *s, const char *why)
{
	struct postgres_link *l = &store_of(s)->link;

	postgres_link_give_up(l, why);
	snprintf(l->why, sizeof(l->why), "%s", why);
}

static const struct store_driver postgres_driver = {
	.ask = postgres_ask,
	.next = postgres_next,
	.run = postgres_run,
	.end = postgres_end,
	.bytes = postgres_bytes,
	.post = postgres_post,
	.posted = postgres_posted,
	.number = postgres_number,
	.begin = postgres_begin,
	.commit = postgres_commit,
	.rollback = postgres_rollback,
	.changed_elsewhere = postgres_changed_elsewhere,
	.revision = postgres_revision,
	.acted = postgres_acted,
	.word = postgres_word,
	.watch = postgres_watch,
	.sync = postgres_sync,
	.now_ms = postgres_now_ms,
	.lease_ms = postgres_lease_ms,
	.away = postgres_away,
	.over = postgres_over,
	.give_up = postgres_give_up,
	.close = postgres_close,
};

static struct postgres_store *
postgres_new(const char *node, unsigned lease_ms)
{
	struct postgres_store *p = mem_new(1, sizeof(*p));

	p->base.driver = &postgres_driver;
	p->base.uncopied = p->base.missing = -1;
	snprintf(p->base.node, sizeof(p->base.node), "%s", node);
	p->lease_ms = lease_ms;
	return p;
}

struct store *
store_postgres_lost(const char *node, const char *why)
{
	struct postgres_store *p = postgres_new(node, 0);

	snprintf(p->link.why, sizeof(p->link.why), "%s", why);
	p->confirmed_ns = clock_boot_ns();
	p->server_ms = clock_unix_ms();
	return &p->base;
}

struct store *
store_postgres_open(char *url, const char *node, unsigned lease_ms, struct err *err)
{
	struct postgres_store *p = postgres_new(node, lease_ms);

	if (postgres_link_open(&p->link, url, err) != 0 ||
	    postgres_schema_migrate(&p->link, postgres_steps, postgres_nsteps, err) != 0) {
		postgres_close(&p->base);
		return NULL;
	}
	return &p->base;
}
