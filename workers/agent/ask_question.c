#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sodium.h>

#include "base/system/clock.h"
#include "base/system/fault.h"
#include "base/json/json_write.h"
#include "base/text/locale_text.h"
#include "ask/text_question.h"
#include "workers/agent/data/caveats.h"
#include "workers/agent/data/durations.h"
#include "workers/agent/data/gaps.h"
#include "workers/agent/clarify.h"
#include "workers/agent/answer/compose_sheet.h"
#include "workers/agent/answer/describe.h"
#include "workers/agent/models_cache.h"
#include "workers/agent/answer/narrate.h"
#include "workers/agent/answer/tell.h"
#include "workers/agent/trace.h"
#include "workers/agent/ask_question.h"
#include "workers/shared/call.h"

#define STATEMENT_NS (30 * CLOCK_SECOND) /* for one query, waiting included */

/* The state of one question. */
struct question_state {
	struct call *c;
	uint64_t deadline_ns;
	struct reading reading;
	struct answer answer;
	struct answer_check verify;
	struct data_rows rows[ASK_QUERIES_MAX];
	struct model_use use; /* of the model, if there is one */
	struct span question, told;
};

enum phase { PLANNER, NAVIGATOR, SQL_BUILDER, EXECUTOR, VERIFIER, EXPLAINER };

static const struct {
	const char *name, *fault;
	unsigned permille;
} phases[] = {
	[PLANNER] = { "Planner: reading the question", "agent.planner", 0 },
	[NAVIGATOR] = { "Navigator: datasets and joins", "agent.navigator", 200 },
	[SQL_BUILDER] = { "SQL builder: semantic queries", "agent.sql_builder", 300 },
	[EXECUTOR] = { "Executor: reading the rows", "agent.executor", 400 },
	[VERIFIER] = { "Verifier: checking the rows", "agent.verifier", 700 },
	[EXPLAINER] = { "Explainer: narrative and charts", "agent.explainer", 900 },
};

/* Begin a phase and report progress.  -1 with *err when no time is left. */
static int
begin_phase(struct question_state *q, enum phase phase, struct err *err)
{
	call_progress(q->c, phases[phase].permille, "%s", phases[phase].name);
	(void)fault_point(phases[phase].fault);
	if (!call_poll(q->c, err))
		return -1;
	return clock_ns() < q->deadline_ns ? 0 : err_set(err, ERR_QUERY_TIMEOUT, "the time is over");
}

/* Name the limit where a step ended with the whole question's time.  -1. */
static int
question_over(const struct question_state *q, struct err *err)
{
	return err->code == ERR_QUERY_TIMEOUT && clock_ns() >= q->deadline_ns ?
	    err_set(err, ERR_QUERY_TIMEOUT,
		"The question took longer than limits.ask_timeout_s allows; ask for less at once.") :
	    -1;
}

static uint64_t
statement_deadline(const struct question_state *q)
{
	uint64_t until = clock_ns() + STATEMENT_NS;

	return until < q->deadline_ns ? until : q->deadline_ns;
}

static int
run_query(struct question_state *q, const struct ask_query *query, const struct brief_change *change,
    struct data_rows *out, struct err *err)
{
	struct buf args = { 0 };
	int r;

	brief_put_query(&args, &q->reading.brief, query, change);
	r = data_query(q->c, buf_view(&args), statement_deadline(q), out, err);
	buf_fini(&args);
	if (r == 0)
		durations_take(call_arena(q->c), out,
		    out->ncolumns > query->nmeasures ? out->ncolumns - query->nmeasures : 0);
	return r;
}

static int
execute(struct question_state *q, struct err *err)
{
	const struct answer_brief *b = &q->reading.brief;

	for (size_t i = 0; i < b->nqueries; i++) {
		const struct ask_query *query = &b->queries[i];
		/* One extra row shows whether the last place is shared; groups without a name, NULL and empty, have
		 * none. */
		size_t extra = query->ties ? ASK_TIES_MAX : 3;
		struct brief_change change = {
			.without = SIZE_MAX, .only = SIZE_MAX, .limit = query->limit > 0 ? query->limit + extra : 0
		};

		if (run_query(q, query, &change, &q->rows[i], err) != 0)
			return -1;
	}
	return 0;
}

static int
verify_query(void *arg, const struct ask_query *query, const struct brief_change *change, struct data_rows *out,
    struct err *err)
{
	return run_query(arg, query, change, out, err);
}

static bool
verify_goes_on(void *arg, struct err *err)
{
	struct question_state *q = arg;

	return call_poll(q->c, err) && clock_ns() < q->deadline_ns;
}

static int
check_answer(struct question_state *q, struct err *err)
{
	struct answer_check *v = &q->verify;

	*v = (struct answer_check){ .arena = call_arena(q->c),
		.brief = &q->reading.brief,
		.rows = q->rows,
		.query = verify_query,
		.may_go_on = verify_goes_on,
		.arg = q };
	memcpy(v->today, q->reading.today, sizeof(v->today));
	if (verify_run(v, err) != 0)
		return -1;
	q->answer.verify = v;
	return 0;
}

static void
put_caveat(struct question_state *q, enum caveat which, struct span arg)
{
	answer_caveat(&q->answer, caveat_text(call_arena(q->c), q->reading.brief.german, which, &arg));
}

static enum narrate_form
form_of(const struct question_state *q)
{
	static const enum narrate_form forms[] = {
		[ASK_SCALAR] = NARRATE_SCALAR,
		[ASK_GROUPS] = NARRATE_GROUPS,
		[ASK_TIME] = NARRATE_TIME,
		[ASK_RANKING] = NARRATE_RANKING,
		[ASK_SHARE] = NARRATE_SHARE,
		[ASK_COMPARE] = NARRATE_COMPARE,
		[ASK_PERIODS] = NARRATE_COMPARE,
		[ASK_LIST] = NARRATE_LIST,
	};
	enum ask_shape shape = q->reading.brief.shape;

	/* A comparison with a missing side is told as groups. */
	if ((shape == ASK_COMPARE || shape == ASK_PERIODS) && q->answer.sheet->ncolumns != 4)
		return NARRATE_GROUPS;
	return shape == ASK_SCALAR && q->answer.sheet->nrows > 1 ? NARRATE_GROUPS : forms[shape];
}

static void
put_narrative(struct question_state *q)
{
	struct narrate_about about = {
		.form = form_of(q), .german = q->reading.brief.german, .by_model = q->answer.by_model,
		.interpretation = q->answer.interpretation, .uncovered = q->verify.uncovered, .told = q->told
	};
	struct buf text = { 0 };

	narrate(&text, &about, q->answer.sheet);
	q->answer.narrative = arena_span(call_arena(q->c), buf_view(&text));
	buf_fini(&text);
}

/* Let the model write the text, if it may see the rows. */
static int
tell_answer(struct question_state *q, struct err *err)
{
	char why[160];
	int result;

	if (!q->reading.model || !tell_may(&q->use, &q->answer))
		return 0;
	(void)fault_point("agent.narrator");
	result = tell_ask(&q->use, &q->answer, q->question, &q->told, why, err);
	q->answer.by_model |= result == 0;
	if (result <= 0)
		return result;
	q->told = SPAN("");
	put_caveat(q, CAVEAT_MODEL_NOT_SHOWN, span_str(why));
	return 0;
}

static void
put_chart(struct question_state *q)
{
	const struct answer_brief *b = &q->reading.brief;
	struct chart_about about = { .ranking = b->shape == ASK_RANKING,
		.by_size = b->shape == ASK_GROUPS || b->shape == ASK_SHARE,
		.reversed = b->shape == ASK_PERIODS && b->nqueries == 2 &&
		    span_cmp(b->queries[1].window.start, b->queries[0].window.start) < 0,
		.share = b->shape == ASK_SHARE,
		.relation = b->relation,
		.title = b->title, .measures = b->title_measures };
	struct span why;
	struct sheet picture = *q->answer.sheet;

	/* The chart of a comparison shows the two sides, not their difference. */
	if (form_of(q) == NARRATE_COMPARE)
		picture.columns[2].role = picture.columns[3].role = SHEET_OTHER;
	q->answer.ncharts =
	    chart_choose(call_arena(q->c), &about, gaps_fill(call_arena(q->c), &picture), q->answer.charts, &why);
	answer_caveat(&q->answer, why);
}

static void
note_snapshot(struct question_state *q)
{
	char text[25];

	clock_iso8601(clock_unix_ms(), text);
	q->answer.snapshot = arena_span(call_arena(q->c), span_str(text));
}

static int
explain(struct question_state *q, struct err *err)
{
	const struct verify_check *blocked = verify_blocked(&q->verify);
	struct span caveat;
	struct sheet *sheet;

	for (size_t i = 0; i < q->verify.ncaveats; i++)
		answer_caveat(&q->answer, q->verify.caveats[i]);
	if (blocked != NULL) {
		q->answer.status = ANSWER_CANNOT;
		q->answer.code = SPAN("unverified");
		q->answer.message =
		    caveat_text(call_arena(q->c), q->reading.brief.german, CAVEAT_NO_ANSWER, &blocked->note);
		return 0;
	}
	for (size_t i = 0; i < q->reading.brief.nqueries; i++)
		verify_hide_keys(call_arena(q->c), &q->reading.brief.queries[i], &q->rows[i]);
	/* without the keys that are not shown */
	q->answer.interpretation = describe_brief(call_arena(q->c), &q->reading.brief);
	durations_scale(call_arena(q->c), q->reading.brief.queries, q->rows, q->reading.brief.nqueries);
	if ((sheet = compose_sheet(call_arena(q->c), &q->reading.brief, q->rows, &caveat, err)) == NULL)
		return -1;
	sheet_note_fractions(sheet);
	q->answer.sheet = sheet;
	answer_caveat(&q->answer, caveat);
	note_snapshot(q);
	if (tell_answer(q, err) != 0)
		return -1;
	put_narrative(q);
	put_chart(q);
	return 0;
}

/* The word that was read as this part, as it was asked; empty: none, or several. */
static struct span
word_of(const struct answer *a, const char *part, struct span name)
{
	struct buf consumed = { 0 };
	struct span word = SPAN("");
	size_t n = 0;

	buf_printf(&consumed, "%s %.*s", part, SPAN_FMT(name));
	for (size_t i = 0; i < a->nwords; i++)
		if (span_is(a->words[i].consumed_by, buf_view(&consumed))) {
			word = a->words[i].word;
			n++;
		}
	buf_fini(&consumed);
	return n == 1 ? word : SPAN("");
}

/* Call a part by this word, also in the title. */
static void
rename_part(struct question_state *q, struct span *label, struct span word)
{
	struct span title = q->reading.brief.title;
	struct buf text = { 0 };
	const uint8_t *at = title.len == 0 || label->len == 0 ? NULL : memmem(title.p, title.len, label->p, label->len);

	if (word.len == 0)
		return;
	if (at != NULL) {
		buf_append(&text, title.p, (size_t)(at - title.p));
		buf_span(&text, word);
		buf_append(&text, at + label->len, title.len - (size_t)(at - title.p) - label->len);
		q->reading.brief.title = arena_span(call_arena(q->c), buf_view(&text));
	}
	buf_fini(&text);
	*label = word;
}

/* "Anzahl Kunden" for the number of rows of customers, as the question calls them; empty: it is no such number. */
static struct span
counted_word(struct question_state *q, const struct ask_measure *m)
{
	const uint8_t *open = memchr(m->expr.p, '(', m->expr.len), *source = open == NULL ? m->expr.p : open + 1;
	const uint8_t *dot = memchr(m->expr.p, '.', m->expr.len);
	struct span word = SPAN("");

	if (m->rows && dot != NULL && dot > source)
		word = word_of(&q->answer, "source", span_of(source, (size_t)(dot - source)));
	return word.len == 0 ? word : locale_fill(call_arena(q->c), "Anzahl {1}", &word);
}

/* Whether the word is the label in another case or number: "Länder", of "Land". */
static bool
is_form_of(struct question_state *q, struct span word, struct span label)
{
	size_t n, m;
	struct ask_token *t = ask_tokens(call_arena(q->c), word, false, 1, &n),
			 *u = ask_tokens(call_arena(q->c), label, false, 1, &m);

	return t != NULL && u != NULL && n == 1 && m == 1 && span_is(t->german, u->german);
}

/*
 * A model has its labels in one language; a German answer uses the question's words in their place.  In any language
 * "by genre" is called so, not "by name".
 */
static void
use_words_of_question(struct question_state *q)
{
	struct answer_brief *b = &q->reading.brief;

	for (size_t k = 0; k < b->nqueries; k++) {
		struct ask_query *query = &b->queries[k];

		for (size_t i = 0; b->german && i < query->nmeasures; i++) {
			struct ask_measure *m = &query->measures[i];
			struct span word = word_of(&q->answer, "measure", m->expr);

			rename_part(q, &m->label, word.len > 0 ? word : counted_word(q, m));
		}
		for (size_t i = 0; i < query->ndimensions; i++) {
			struct span word = word_of(&q->answer, "by", query->dimensions[i].field);

			if ((b->german && !is_form_of(q, word, query->dimensions[i].label)) ||
			    query->dimensions[i].entity)
				rename_part(q, &query->dimensions[i].label, word);
		}
	}
}

static int
answer_reading(struct question_state *q, struct err *err)
{
	if (q->reading.status == READING_CATALOGUE) {
		q->answer.sheet = q->reading.sheet;
		q->reading.brief.shape = ASK_LIST;
		put_narrative(q);
		return 0;
	}
	q->answer.rows = q->rows;
	use_words_of_question(q);
	q->answer.interpretation = describe_brief(call_arena(q->c), &q->reading.brief);
	if (begin_phase(q, NAVIGATOR, err) != 0 || begin_phase(q, SQL_BUILDER, err) != 0 ||
	    begin_phase(q, EXECUTOR, err) != 0 || execute(q, err) != 0 || begin_phase(q, VERIFIER, err) != 0 ||
	    check_answer(q, err) != 0 || begin_phase(q, EXPLAINER, err) != 0)
		return -1;
	return explain(q, err);
}

static int
read_question(struct question_state *q, struct span ontology, struct span question, struct err *err)
{
	const struct agent *agent = call_state(q->c);
	char why[160];

	q->question = question;
	q->use = (struct model_use){ .engine = agent->engine, .call = q->c, .until_ns = q->deadline_ns };
	if (agent->engine != NULL)
		(void)fault_point("agent.reader");
	if (reading_make(&q->use, ontology, question, &q->reading, &q->answer, why, err) != 0)
		return -1;
	if (agent->engine != NULL && why[0] != '\0')
		put_caveat(q, CAVEAT_MODEL_NOT_READ, arena_span(call_arena(q->c), span_str(why)));
	return 0;
}

/* What the reading takes for granted, for the client's log, before the rows are read. */
static void
tell_assumptions(const struct question_state *q)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < q->answer.nassumptions; i++) {
		buf_reset(&text, SIZE_MAX);
		mp_put_str(&text, q->answer.assumptions[i]);
		call_notice(q->c, IPC_LEVEL_INFO, "ask_question", buf_view(&text));
	}
	buf_fini(&text);
}

/* The question with what was answered to the questions it led to; the arena's. */
static int
run_question(struct question_state *q, struct span ontology, struct span question, struct err *err)
{
	if (begin_phase(q, PLANNER, err) != 0 || read_question(q, ontology, question, err) != 0)
		return -1;
	q->answer.brief = &q->reading.brief;
	switch (q->reading.status) {
	case READING_CLARIFY:
		q->answer.status = ANSWER_CLARIFICATION;
		return 0;
	case READING_REFUSE:
		q->answer.status = ANSWER_CANNOT;
		return 0;
	default:
		q->answer.status = ANSWER_ANSWERED;
		tell_assumptions(q);
		return answer_reading(q, err);
	}
}

/* Put the artifacts of the phases as msgpack into out; the audit records the digest of their JSON. */
static void
put_artifacts(struct question_state *q, struct buf *out)
{
	uint8_t digest[crypto_hash_sha256_BYTES];
	char hex[2 * sizeof(digest) + 1];
	struct buf json = { 0 };
	size_t at = out->len;
	struct mp_value trace;

	trace_put(out, &q->reading, &q->answer);
	if (mp_value(span_of(out->p + at, out->len - at), &trace)) {
		json_write(&json, &trace);
		crypto_hash_sha256(digest, json.p, json.len);
		call_artifacts(q->c, sodium_bin2hex(hex, sizeof(hex), digest, sizeof(digest)));
	}
	buf_fini(&json);
}

/* question: NULL for a call that asks none.  NULL with *err. */
static struct question_state *
asking_begin(struct call *c, const struct mp_value *args, struct span *ontology, struct span *question, struct err *err)
{
	const struct agent *agent = call_state(c);
	struct question_state *q = arena_alloc(call_arena(c), sizeof(*q));
	uint64_t until = clock_ns() + agent->timeout_ms * CLOCK_MS;

	*ontology = mp_get_str(args, "ontologyId", SPAN(""));
	if (question != NULL && (*question = mp_get_str(args, "question", SPAN(""))).len == 0) {
		err_set(err, ERR_INVALID_ARGUMENTS, "question is missing.");
		return NULL;
	}
	if (q == NULL) {
		err_set(err, ERR_INTERNAL, "no memory for a question");
		return NULL;
	}
	memset(q, 0, sizeof(*q));
	q->c = c;
	q->deadline_ns = until < call_deadline(c) ? until : call_deadline(c);
	return q;
}

static int
give_answer(struct call *c, const struct mp_value *args, struct err *err)
{
	struct span ontology, question;
	struct question_state *q = asking_begin(c, args, &ontology, &question, err);
	struct buf head = { 0 }, content = { 0 }, artifacts = { 0 };
	struct clarify round;

	if (q == NULL)
		return -1;
	call_lasts(c, false);
	clarify_resume(c, &question, &round);
	if (run_question(q, ontology, question, err) != 0)
		return question_over(q, err);
	if (q->answer.status == ANSWER_CLARIFICATION && clarify_ask(c, &round, &q->reading, &q->answer))
		return 0;
	answer_put(&head, &q->answer);
	answer_put_blocks(&content, &q->answer);
	put_artifacts(q, &artifacts);
	call_result_content(c, buf_view(&head), buf_view(&content));
	buf_fini(&artifacts);
	buf_fini(&head);
	buf_fini(&content);
	return 0;
}

static int
give_trace(struct call *c, const struct mp_value *args, struct err *err)
{
	struct span ontology, question;
	struct question_state *q = asking_begin(c, args, &ontology, &question, err);
	struct buf head = { 0 };
	size_t map;

	if (q == NULL)
		return -1;
	if (run_question(q, ontology, question, err) != 0)
		return question_over(q, err);
	map = mp_open_map(&head);
	mp_put_cstr(&head, "answer");
	answer_put(&head, &q->answer);
	mp_put_cstr(&head, "trace");
	put_artifacts(q, &head);
	mp_end(&head, map);
	call_result(c, buf_view(&head));
	buf_fini(&head);
	return 0;
}

#define EXAMPLES 16 /* candidates; ten with an answer are shown */

static int
give_examples(struct call *c, const struct mp_value *args, struct err *err)
{
	struct span ontology, texts[EXAMPLES];
	struct question_state *q = asking_begin(c, args, &ontology, NULL, err);
	struct buf head = { 0 };
	int n = q == NULL ? -1 : reading_examples(c, ontology, texts, EXAMPLES, err);

	if (n < 0)
		return -1;
	mp_put_map(&head, 1);
	mp_pair_array(&head, "questions", (size_t)n);
	for (int i = 0; i < n; i++)
		mp_put_str(&head, texts[i]);
	call_result(c, buf_view(&head));
	buf_fini(&head);
	return 0;
}

static int
end_asking(struct call *c, int result)
{
	const struct agent *agent = call_state(c);

	models_done(agent->models, c);
	return result;
}

int
tool_ask_question(struct call *c, const struct mp_value *args, struct err *err)
{
	return end_asking(c, give_answer(c, args, err));
}

int
tool_ask_trace(struct call *c, const struct mp_value *args, struct err *err)
{
	return end_asking(c, give_trace(c, args, err));
}

int
tool_ask_examples(struct call *c, const struct mp_value *args, struct err *err)
{
	return end_asking(c, give_examples(c, args, err));
}
