#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "project/model/source_find.h"
#include "base/system/clock.h"
#include "base/system/fault.h"
#include "base/system/log.h"
#include "project/format/files.h"
#include "workers/memory/ingest/consult.h"
#include "workers/memory/read/formula.h"
#include "workers/memory/read/mention.h"
#include "workers/memory/ingest/page.h"
#include "workers/memory/read/signals.h"
#include "workers/memory/ingest/sources.h"
#include "workers/memory/read/statements.h"
#include "workers/memory/ingest/work.h"
#include "workers/memory/worker.h"
#include "workers/shared/serve.h"
#include "workers/shared/ask_worker.h"
#include "workers/shared/call.h"

#define ASK_NS		(UINT64_C(10000) * CLOCK_MS)	/* one question, including the time to replace a worker */
#define ALL_NS		(UINT64_C(60000) * CLOCK_MS)	/* all questions of one attempt */
#define PATIENCE_NS	(UINT64_C(60000) * CLOCK_MS)	/* how long a run waits for a worker that is being replaced */
#define DATABASE_NS	(UINT64_C(5000) * CLOCK_MS)	/* how long a run waits for a database */

static const struct source *
find_source(void *arg, struct span name)
{
	return source_set_get(arg, name);
}

/* The connection's current sources, from the files; NULL: there are none. */
static struct source_set *
read_sources(const struct memory *m, struct span connection)
{
	char below[FILES_NAME_MAX + 1];
	struct source_set *set;
	struct err err;
	int place, dir;

	if (connection.len == 0 || connection.len > FILES_NAME_MAX ||
	    (place = memory_open_place(m, "semantic-layer", &err)) < 0)
		return NULL;
	snprintf(below, sizeof(below), "%.*s", SPAN_FMT(connection));
	if (files_open_dir(place, below, &dir) != FILES_OK)
		dir = -1;
	set = sources_read(m->sources, connection, dir);
	if (dir != -1)
		close(dir);
	close(place);
	return set;
}

static bool
is_known(void *arg, struct span name, bool subject)
{
	return mention_is_known(arg, name, subject);
}

/* Reads the signals, with what the run's connection has; without a connection any of them may be meant. */
static void
triage(const struct memory *m, struct run *r)
{
	for (size_t i = 0; i < m->nconnections; i++) {
		struct span id = span_str(m->connections[i].id);
		struct source_set *set =
		    r->connection.len == 0 || span_is(r->connection, id) ? read_sources(m, id) : NULL;

		if (set != NULL)
			r->signals |= signals_read(r->arena, r->content, is_known, set);
	}
}

/* Whether the names are of one table, of which one may have its schema. */
static bool
is_same_table(const char *a, const char *b)
{
	size_t n = strlen(a), k = strlen(b);

	if (n < k)
		return is_same_table(b, a);
	return span_is_folded(span_of(a + n - k, k), span_str(b)) && (n == k || a[n - k - 1] == '.');
}

/* The one hand-written source of the table that a scan knows by this name; NULL: none, or no such table. */
static const struct source *
find_covering(const struct source_set *set, struct span name)
{
	const struct source *scanned = source_set_get(set, name), *found = NULL;

	if (scanned == NULL || scanned->flavour != SOURCE_MANIFEST || scanned->table == NULL)
		return NULL;
	for (size_t i = 0; i < source_set_count(set); i++) {
		const struct source *s = source_set_at(set, i);

		/* One that has the name of another entry of the scan stands for that one. */
		if (s->flavour != SOURCE_STANDALONE || s->replaced != NULL || s->table == NULL ||
		    !is_same_table(s->table, scanned->table))
			continue;
		if (found != NULL)
			return NULL;
		found = s;
	}
	return found;
}

/* Whether the source has the column; an empty name stands for the source itself. */
static bool
has_column(const struct source *s, struct span name)
{
	return name.len == 0 || source_find_column(s, name) != NULL;
}

/* What is said of a table goes to the hand-written source that stands for it, under whatever name. */
static void
cover_proposal(struct arena *a, const struct source_set *set, struct proposal *p)
{
	const struct source *s = p->kind == PROPOSAL_WORDS ? NULL : find_covering(set, p->measure.source);
	struct measure m = p->measure;
	struct formula_scope scope;
	struct err err;

	if (s == NULL || p->refused.len > 0 || (p->kind == PROPOSAL_DESCRIPTION && !has_column(s, m.name)))
		return;
	scope = (struct formula_scope){ span_str(s->name), { NULL, 0 } };
	if (p->kind != PROPOSAL_DESCRIPTION &&
	    measure_make(a, p->measure.name, p->measure.expr, p->measure.filter, &scope, &m, &err) != 0)
		return;
	m.column = p->measure.column;
	m.type = p->measure.type;
	m.label = p->measure.label;
	m.source = arena_span(a, span_str(s->name));
	p->measure = m;
}

struct proposals *
consult_proposals(const struct memory *m, struct run *r)
{
	struct proposals *out = arena_alloc(r->arena, sizeof(*out));
	struct source_set *set = read_sources(m, r->connection);
	struct note note;

	if (out != NULL && page_note_read(r->arena, r->content, r->signals, &note) == 0)
		propose(r->arena, &(struct propose_text){ note.text, note.title, note.above },
		    set == NULL ? NULL : find_source, set, out);
	if (out != NULL && set != NULL && out->prose)
		statements_propose(r->arena, note.text, set, out);
	for (size_t i = 0; out != NULL && set != NULL && i < out->n; i++)
		cover_proposal(r->arena, set, &out->v[i]);
	return out;
}

const struct run_trial *
consult_trial(const struct run *r, const struct proposal *p)
{
	for (size_t i = 0; i < r->ntrials; i++)
		if (span_is(r->trials[i].asked, p->measure.asked) &&
		    span_is(r->trials[i].filter, p->measure.asked_filter))
			return &r->trials[i];
	return NULL;
}

int
consult_ignore_rows(void *arg, const struct mp_value *rows, struct err *err)
{
	(void)arg;
	(void)rows;
	(void)err;
	return 0;
}

/* Whether the failure is temporary: the same question may succeed a moment later. */
static bool
is_passing(enum err_code code)
{
	return code == ERR_WORKER_LOST || code == ERR_SERVICE_UNAVAILABLE || code == ERR_BUSY ||
	    code == ERR_QUERY_CANCELLED || code == ERR_QUERY_TIMEOUT || code == ERR_DATABASE_UNAVAILABLE ||
	    code == ERR_RATE_LIMITED;
}

/* Finds pages about the note's subject, the nearest first.  -1 with *err: search did not answer. */
static int
ask_search(struct call *c, struct run *r, const struct note *note, struct err *err)
{
	struct buf args = { 0 };
	struct mp_value result, list, each;
	int status;

	r->npages = 0;
	mp_put_pairs(&args, mp_str("title", note->title), mp_uint("limit", RUN_PAGES_MAX));
	status = call_sub(c, &(struct call_ask){ .tool = "same_subject", .args = buf_view(&args),
	    .deadline_ns = clock_ns() + ASK_NS, .on_rows = consult_ignore_rows }, &result, err);
	if (status == 0 && mp_get(&result, "pages", &list) && list.class == MP_ARRAY)
		for (struct mp_iter it = mp_iter(&list); mp_next(&it, &each) && r->npages < RUN_PAGES_MAX;)
			r->pages[r->npages++] = (struct run_page){
				arena_span(r->arena, mp_get_str(&each, "key", SPAN(""))),
				(unsigned)mp_get_uint(&each, "near", 0) };
	buf_fini(&args);
	return status;
}

/* The expression as a query names it: count(*) counts the rows of the measure's source, by one of its columns. */
static void
put_asked(const struct measure *m, const struct source *s, struct buf *out)
{
	static const char all[] = "count(*)";
	struct span rest = m->asked;
	const char *column = NULL;

	for (size_t i = 0; s != NULL && i < s->ncolumns && column == NULL; i++)
		if (s->columns[i].expr == NULL && s->columns[i].visibility != SOURCE_HIDDEN)
			column = s->columns[i].name;
	while (rest.len > 0) {
		bool here = column != NULL && span_begins_word(rest, all);

		if (here)
			buf_printf(out, "count(%s.%s)", s->name, column);
		else
			buf_byte(out, rest.p[0]);
		rest = formula_from(rest, here ? sizeof(all) - 1 : 1);
	}
}

/* Puts the arguments of sl_query: the proposal as a query without rows. */
static void
put_query(const struct run *r, const struct measure *m, const struct source *s, struct buf *args)
{
	struct buf expr = { 0 };

	mp_put_map(args, m->filter.len > 0 ? 4 : 3);
	mp_pair_str(args, "connectionId", r->connection);
	mp_pair_array(args, "measures", 1);
	mp_put_map(args, 2);
	mp_put_cstr(args, "expr");
	/* A dimension is tested by counting it. */
	if (m->column)
		buf_printf(&expr, "count(%.*s)", SPAN_FMT(m->asked));
	else
		put_asked(m, s, &expr);
	mp_put_str(args, buf_view(&expr));
	buf_fini(&expr);
	mp_pair_str(args, "name", m->name);
	mp_pair_uint(args, "limit", 0);
	if (m->filter.len > 0) {
		mp_pair_array(args, "filters", 1);
		mp_put_str(args, m->asked_filter);
	}
}

/* Asks whether the measure compiles and the database accepts it; the reason if not.  -1 with *err: no answer. */
static int
ask_compiler(struct call *c, struct run *r, const struct measure *m, struct err *err)
{
	struct buf args = { 0 };
	struct mp_value result;
	struct source_set *set = read_sources(call_state(c), r->connection);
	struct run_trial *t;
	int status;

	put_query(r, m, set == NULL ? NULL : source_set_get(set, m->source), &args);
	status = call_sub(c, &(struct call_ask){ .tool = "sl_query", .args = buf_view(&args),
	    .deadline_ns = clock_ns() + ASK_NS, .on_rows = consult_ignore_rows }, &result, err);
	buf_fini(&args);
	if (status != 0 && is_passing(err->code))
		return -1;
	t = &r->trials[r->ntrials++];
	*t = (struct run_trial){ m->asked, m->asked_filter, SPAN("") };
	if (status != 0)
		t->refused =
		    arena_span(r->arena, span_str(err->message[0] != '\0' ? err->message : err_text(err->code)));
	return 0;
}

/* Asks about all measures.  -1 with *err: one question was not answered; the other answers are kept. */
static int
ask_all(struct call *c, struct run *r, const struct proposals *list, struct err *err)
{
	for (size_t i = 0; i < list->n && r->connection.len > 0; i++) {
		const struct proposal *p = &list->v[i];

		if (propose_is_formula(p) && p->refused.len == 0 && consult_trial(r, p) == NULL &&
		    r->ntrials < RUN_TRIALS_MAX && ask_compiler(c, r, &p->measure, err) != 0)
			return -1;
	}
	return 0;
}

void
consult_call(struct call *c, struct run *r)
{
	const struct proposals *list = consult_proposals(call_state(c), r);
	struct err err = { .code = ERR_NONE };

	/* The model may have changed meanwhile. */
	r->ntrials = 0;
	r->unasked = SPAN_NONE;
	if (list != NULL && ask_all(c, r, list, &err) != 0)
		r->unasked = arena_span(r->arena, span_str(err.message));
}

struct consult_question {
	const struct memory	*m;
	struct run		*r;
	struct note		 note;
	bool			 searched;
};

static int
ask_questions(struct call *c, void *arg, struct err *err)
{
	struct consult_question *q = arg;
	const struct proposals *list;

	if (ask_search(c, q->r, &q->note, err) != 0)
		return -1;
	(void)fault_point("memory.searched");
	q->r->stage = RUN_VALIDATE;
	list = consult_proposals(q->m, q->r);
	if (list == NULL)
		return err_set(err, ERR_INTERNAL, "the text is too large");
	return ask_all(c, q->r, list, err);
}

/* True if the run has to wait, because the failure may pass. */
static bool
should_wait(const struct run *r, const struct err *err)
{
	uint64_t waited = clock_ns() - r->asked_ns;

	return is_passing(err->code) && waited < (err->code == ERR_DATABASE_UNAVAILABLE ? DATABASE_NS : PATIENCE_NS);
}

bool
consult_run(struct memory *m, struct run *r, int state)
{
	struct consult_question q = { .m = m, .r = r };
	struct err err = { .code = ERR_NONE };

	if (r->consulted || r->step != RUN_STEP_INGEST || r->stage >= RUN_WRITE)
		return true;
	if (r->resumed && work_begin_again(m, r, state, &err) != 0)
		return false;
	if (r->stage >= RUN_DONE)
		return true;
	r->stage = RUN_TRIAGE;
	if (r->asked_ns == 0)
		r->asked_ns = clock_ns();
	(void)fault_point("memory.triage");
	triage(m, r);
	if (r->signals != 0 && page_note_read(r->arena, r->content, r->signals, &q.note) == 0) {
		r->stage = RUN_PROPOSE;
		(void)fault_point("memory.propose");
		if (r->ticket.len == 0)
			err_set(&err, ERR_SCOPE_DENIED, "the run came without leave to ask");
		if (err.code != ERR_NONE || serve_ask_for(r->ticket, ALL_NS, ask_questions, &q, &err) != 0) {
			if (should_wait(r, &err))
				return false;
			r->unasked =
			    arena_span(r->arena, span_str(err.message[0] != '\0' ? err.message : err_text(err.code)));
			log_warn("run %s: not all of it could be asked: %s", r->id, err.message);
		}
	}
	r->stage = RUN_VALIDATE;
	r->consulted = true;
	(void)fault_point("memory.consulted");
	if (run_save(r, state, &err) == 0)
		return true;
	log_warn("run %s waits: %s", r->id, err.message);
	r->consulted = false;
	return false;
}
