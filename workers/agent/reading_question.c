#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ask/text_question.h"
#include "base/date.h"
#include "base/system/clock.h"
#include "base/utf8.h"
#include "workers/agent/data/caveats.h"
#include "workers/agent/data/data.h"
#include "workers/agent/meanings.h"
#include "workers/agent/models_cache.h"
#include "workers/agent/reading_question.h"
#include "workers/agent/data/zones.h"
#include "ask/examples.h"
#include "workers/shared/ask_worker.h"
#include "workers/shared/call.h"

#define ROUNDS_MAX 4u /* readings of one question, each with more known values */
#define PROBE_ROWS 20u /* spellings of one value */
#define ASK_NS     (30 * CLOCK_SECOND) /* for one request to another worker */

/* State while a question is read. */
struct question_reader {
	struct call *c;
	struct arena *arena;
	struct model model;
	struct ask_context context;
	bool unpreferred; /* the preferences could not be read */
	struct span unknown_zone; /* the preferred time zone, of which no rule is known; empty: none */
	struct span preferred; /* the ontology of questions that name none; empty: no preference */
	struct span provider; /* the model that is to read them, or "rules"; empty: the configured one */
	struct ask_value values[ASK_VALUES_MAX], probed[ASK_PROBES_MAX * ROUNDS_MAX];
	struct ask_known known;
};

/* Preferences are optional: without them the user is asked instead, and told.  -1 only when the call must end. */
static int
read_preferences(struct question_reader *r, struct err *err)
{
	const struct agent *agent = call_state(r->c);
	struct mp_value result, map;
	struct err why;
	struct span zone;

	if (call_sub(r->c, &(struct call_ask){ .tool = "preferences", .deadline_ns = clock_ns() + ASK_NS }, &result,
		&why) != 0) {
		r->unpreferred = true;
		buf_reset(call_details(r->c), SIZE_MAX);
		return call_poll(r->c, err) ? 0 : -1;
	}
	if (!mp_get(&result, "preferences", &map) || map.class != MP_MAP)
		return 0;
	ask_preferences_read(r->arena, &map, &r->context.preferences);
	r->preferred = arena_span(r->arena, mp_get_str(&map, "defaultOntology", SPAN("")));
	r->provider = arena_span(r->arena, mp_get_str(&map, "defaultProvider", SPAN("")));
	zone = mp_get_str(&map, "timeZone", SPAN(""));
	if (zone.len > 0 && !zones_offset(agent->zones, zone, r->context.now, &r->context.utc_offset))
		r->unknown_zone = arena_span(r->arena, zone);
	return 0;
}

static int
reader_begin(struct question_reader *r, struct call *c, struct span ontology, struct err *err)
{
	const struct agent *agent = call_state(c);

	memset(r, 0, sizeof(*r));
	r->c = c;
	r->arena = call_arena(c);
	r->context.now = (int64_t)(clock_unix_ms() / 1000);
	r->known.values = r->values;
	r->known.probed = r->probed;
	if (read_preferences(r, err) != 0)
		return -1;
	return models_get(c, agent->models, ontology.len > 0 ? ontology : r->preferred, &r->model, err);
}

static bool
is_known(const struct question_reader *r, const struct ask_value *v)
{
	for (size_t i = 0; i < r->known.nvalues; i++)
		if (span_is(r->values[i].source, v->source) && span_is(r->values[i].column, v->column) &&
		    span_is(r->values[i].value, v->value))
			return true;
	return false;
}

static void
note_value(struct question_reader *r, struct ask_value v)
{
	if (v.value.len > 0 && r->known.nvalues < ASK_VALUES_MAX && !is_known(r, &v))
		r->values[r->known.nvalues++] = v;
}

/* Look up the sampled values that the question may name. */
static int
look_up_values(struct question_reader *r, struct span question, struct err *err)
{
	const struct span *phrases;
	size_t n = ask_phrases(r->arena, question, &phrases);
	struct buf args = { 0 };
	struct mp_value result, list, one;
	struct mp_iter it;
	int status;
	size_t map;

	if (n == 0)
		return 0;
	map = mp_open_pairs(&args, mp_str("connection", r->model.connection));
	mp_pair_array(&args, "words", n);
	for (size_t i = 0; i < n; i++)
		mp_put_str(&args, phrases[i]);
	mp_end(&args, map);
	status = call_sub(r->c,
	    &(struct call_ask){ .tool = "ask_values", .args = buf_view(&args), .deadline_ns = clock_ns() + ASK_NS },
	    &result, err);
	buf_fini(&args);
	if (status == 0 && mp_get(&result, "values", &list) && list.class == MP_ARRAY)
		for (it = mp_iter(&list); mp_next(&it, &one);)
			note_value(r,
			    (struct ask_value){ mp_get_str(&one, "source", SPAN("")),
				mp_get_str(&one, "column", SPAN("")), mp_get_str(&one, "value", SPAN("")) });
	return status;
}

/* Run a probe's query on the column.  A column that cannot be read counts as no match. */
static int
probe_column(struct question_reader *r, const struct ask_probe *p, struct err *err)
{
	struct buf args = { 0 };
	struct data_rows rows;
	struct err why;

	mp_put_map(&args, 5);
	mp_pair_str(&args, "connectionId", r->model.connection);
	mp_pair_array(&args, "measures", 0);
	mp_pair_array(&args, "dimensions", 1);
	mp_put_str(&args, p->field);
	mp_pair_array(&args, "filters", 1);
	mp_put_str(&args, p->filter);
	mp_pair_uint(&args, "limit", PROBE_ROWS);
	if (data_query(r->c, buf_view(&args), clock_ns() + ASK_NS, &rows, &why) == 0)
		for (size_t row = 0; row < rows.nrows && rows.ncolumns > 0; row++)
			if (data_cell(&rows, row, 0)->class == MP_STR)
				note_value(r, (struct ask_value){ p->source, p->column, data_cell(&rows, row, 0)->s });
	buf_fini(&args);
	if (r->known.nprobed < sizeof(r->probed) / sizeof(r->probed[0]))
		r->probed[r->known.nprobed++] = (struct ask_value){ p->source, p->column, p->text };
	buf_reset(call_details(r->c), SIZE_MAX);
	return call_poll(r->c, err) ? 0 : -1;
}

static int
read_in_rounds(struct question_reader *r, struct span question, struct ask_reading *out, struct err *err)
{
	for (unsigned round = 0;; round++) {
		if (ask_read(r->model.words, &r->context, question, &r->known, r->arena, out, err) != 0)
			return -1;
		if (out->status != ASK_PROBE)
			return 0;
		if (round == ROUNDS_MAX)
			return err_set(err, ERR_INTERNAL, "the question still needs probes after %u rounds of reading",
			    ROUNDS_MAX);
		for (size_t i = 0; i < out->nprobes; i++)
			if (probe_column(r, &out->probes[i], err) != 0)
				return -1;
	}
}

/* Make a sheet of the catalogue's rows. */
static struct sheet *
sheet_of_rows(struct arena *a, const struct ask_rows *rows)
{
	size_t n = rows->ncolumns < SHEET_COLUMNS_MAX ? rows->ncolumns : SHEET_COLUMNS_MAX;
	struct sheet *s = sheet_new(a, n, rows->nrows);

	for (size_t i = 0; s != NULL && i < n; i++)
		s->columns[i] = (struct sheet_column){ .name = rows->headers[i], .role = SHEET_KEY };
	for (size_t row = 0; s != NULL && row < rows->nrows; row++)
		for (size_t i = 0; i < n; i++)
			if (rows->cells[row * rows->ncolumns + i].len > 0)
				*sheet_cell(s, row, i) = sheet_text(a, rows->cells[row * rows->ncolumns + i]);
	return s;
}

static void
take_questions(const struct ask_reading *from, struct answer *answer)
{
	for (size_t i = 0; i < from->nquestions && i < ANSWER_QUESTIONS_MAX; i++) {
		const struct ask_clarification *q = &from->questions[i];

		answer->questions[i] = (struct answer_question){ .question = q->question,
			.assumption = q->assumption,
			.topic = q->topic,
			.nsuggestions = q->nsuggestions,
			.suggestions = q->suggestions };
		answer->nquestions = i + 1;
	}
}

static void
take_notes(const struct ask_reading *from, struct answer *answer)
{
	answer->interpretation = from->interpretation;
	for (size_t i = 0; i < from->nwords && i < ANSWER_WORDS_MAX; i++)
		answer->words[answer->nwords++] =
		    (struct answer_word){ from->words[i].word, from->words[i].consumed_by };
	for (size_t i = 0; i < from->ncaveats; i++)
		answer_caveat(answer, from->caveats[i]);
	for (size_t i = 0; i < from->nassumptions; i++)
		answer_assumption(answer, from->assumptions[i]);
}

_Static_assert(ASK_CLOSEST_MAX <= ANSWER_CLOSEST_MAX, "all of a refusal's closest entries are told");

static void
take_refusal(const struct ask_reading *from, struct answer *answer)
{
	answer->code = span_str(ask_reason_code(from->reason));
	answer->message = from->message;
	answer->understood = from->interpretation;
	for (size_t i = 0; i < from->nclosest; i++)
		answer->closest[answer->nclosest++] = from->closest[i];
	for (size_t i = 0; from->navailable > 0 && i < from->nunknown; i++)
		answer->missing[answer->nmissing++] = from->unknown[i];
	for (size_t i = 0; i < from->navailable; i++)
		answer->available[answer->navailable++] = from->available[i];
}

static void
take_queries(const struct question_reader *r, const struct ask_reading *from, struct reading *out)
{
	struct answer_brief *b = &out->brief;

	*b = (struct answer_brief){ .shape = from->shape,
		.connection = r->model.connection,
		.nqueries = from->nqueries,
		.nnamed = from->nnamed,
		.german = from->german,
		.relation = from->relation,
		.title = from->title,
		.title_measures = from->title_measures };
	for (size_t i = 0; i < from->nqueries; i++)
		b->queries[i] = from->queries[i];
	memcpy(b->named, from->named, sizeof(b->named));
	out->confidence = span_str(from->confidence);
}

static const char *
intent_of(const struct ask_reading *from)
{
	static const char *const intents[] = { "scalar", "groups", "time", "ranking", "share", "compare", "periods",
		"list" };

	return from->status == ASK_CATALOGUE ? "catalogue" :
	    from->status == ASK_ANSWER       ? intents[from->shape] :
					       "unknown";
}

static void
note_today(struct reading *out, const struct ask_context *context)
{
	time_t t = (time_t)(context->now + context->utc_offset);
	struct tm day;

	gmtime_r(&t, &day);
	strftime(out->today, sizeof(out->today), "%Y-%m-%d", &day);
}

/* Copy the engine's reading into *out and the answer's notes. */
static int
take_reading(struct question_reader *r, const struct ask_reading *from, struct reading *out, struct answer *answer,
    struct err *err)
{
	static const enum reading_status statuses[] = { [ASK_ANSWER] = READING_ANSWER,
		[ASK_CATALOGUE] = READING_CATALOGUE,
		[ASK_CLARIFY] = READING_CLARIFY,
		[ASK_REFUSE] = READING_REFUSE };

	out->status = statuses[from->status];
	out->intent = intent_of(from);
	out->confidence = SPAN("low");
	note_today(out, &r->context);
	take_notes(from, answer);
	take_questions(from, answer);
	out->brief.german = from->german;
	if (r->unpreferred)
		answer_caveat(answer, caveat_text(r->arena, from->german, CAVEAT_NO_PREFERENCES, NULL));
	if (r->unknown_zone.len > 0)
		answer_caveat(answer, caveat_text(r->arena, from->german, CAVEAT_NO_ZONE, &r->unknown_zone));
	if (from->status == ASK_ANSWER)
		take_queries(r, from, out);
	else if (from->status == ASK_REFUSE)
		take_refusal(from, answer);
	else if (from->status == ASK_CATALOGUE && (out->sheet = sheet_of_rows(r->arena, &from->rows)) == NULL)
		return err_set(err, ERR_RESULT_TOO_LARGE, "there is no room for the answer");
	if (out->sheet != NULL)
		out->sheet->german = from->german;
	return 0;
}

/* Whether the asker lets the model read questions; if not, or if that is unknown, why. */
static bool
wants_model(const struct question_reader *r, const struct model_engine *engine, char why[160])
{
	if (r->unpreferred)
		snprintf(why, 160, "the preferences could not be read");
	else if (r->provider.len > 0 && !span_is(r->provider, model_name(engine)))
		snprintf(why, 160, "the preferred provider is %.*s", (int)utf8_prefix(r->provider, 100), r->provider.p);
	else
		return true;
	return false;
}

/*
 * Look each value of the meanings up in its column, and write it as it stands there.  Meanings without one, or whose
 * value is there in one spelling, are kept.  -1: the call must end.
 */
static int
settle_values(struct question_reader *r, struct ask_meaning *meanings, size_t *n, struct err *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < *n; i++) {
		struct ask_meaning m = meanings[i];
		size_t before = r->known.nvalues, dot = m.means.len;
		struct ask_probe probe;

		while (m.value.len > 0 && dot > 0 && m.means.p[dot - 1] != '.')
			dot--;
		if (m.value.len > 0) {
			probe = ask_probe_of(r->arena, span_of(m.means.p, dot - 1),
			    span_of(m.means.p + dot, m.means.len - dot), m.value);
			if (probe_column(r, &probe, err) != 0)
				return -1;
			if (r->known.nvalues == before + 1)
				m.value = arena_span(r->arena, r->values[before].value);
		}
		if (m.value.len == 0 || r->known.nvalues == before + 1)
			meanings[kept++] = m;
		r->known.nvalues = before;
	}
	*n = kept;
	return 0;
}

/*
 * Read the question again as the language model takes its unknown words.  0: *from is that reading.  1: the model gives
 * them no meaning with which it can be read, for the reason in why; *from is unchanged.
 */
static int
read_by_model(struct question_reader *r, struct model_use *u, struct span question, struct ask_reading *from,
    char why[160], struct err *err)
{
	struct ask_reading *again = arena_alloc(r->arena, sizeof(*again));
	const struct meanings_question about = { r->model.words, question, from->nunknown, from->unknown };
	struct ask_meaning *meanings;
	int result;

	if (again == NULL)
		return err_set(err, ERR_RESULT_TOO_LARGE, "there is no room to read the question");
	result = meanings_ask(u, &about, &meanings, &r->known.nmeanings, why, err);
	if (result != 0 || (result = settle_values(r, meanings, &r->known.nmeanings, err)) != 0)
		return result;
	r->known.meanings = meanings;
	if (read_in_rounds(r, question, again, err) != 0)
		return -1;
	if (again->status == ASK_REFUSE || again->nunknown > 0) {
		snprintf(why, 160, "with what it takes the words for the question cannot be read either");
		return 1;
	}
	*from = *again;
	return 0;
}

int
reading_make(struct model_use *u, struct span ontology, struct span question, struct reading *out,
    struct answer *answer, char why[160], struct err *err)
{
	struct question_reader *r = arena_alloc(call_arena(u->call), sizeof(*r));
	struct ask_reading *from = arena_alloc(call_arena(u->call), sizeof(*from));
	int result;

	why[0] = '\0';
	if (r == NULL || from == NULL)
		return err_set(err, ERR_RESULT_TOO_LARGE, "there is no room to read the question");
	if (reader_begin(r, u->call, ontology, err) != 0 || look_up_values(r, question, err) != 0 ||
	    read_in_rounds(r, question, from, err) != 0)
		return -1;
	out->model = u->engine != NULL && wants_model(r, u->engine, why);
	result = from->nunknown == 0 ? 0 : 1;
	if (result == 1 && out->model) {
		if ((result = read_by_model(r, u, question, from, why, err)) < 0)
			return -1;
		answer->by_model = result == 0;
	}
	if (result == 0)
		why[0] = '\0';
	return take_reading(r, from, out, answer, err);
}

/* The year in which the data end, for examples that have an answer; 0: they go on to last year, or it is not known. */
static unsigned
last_year_of_data(struct question_reader *r)
{
	int64_t this_year = date_of_days((r->context.now + r->context.utc_offset) / (24 * 60 * 60)).year;
	struct span date = ask_examples_date(r->model.words, r->arena);
	struct buf args = { 0 };
	struct data_rows rows;
	struct err why;
	int year = 0;
	size_t map;

	if (date.len == 0)
		return 0;
	map = mp_open_pairs(&args, mp_str("connectionId", r->model.connection), mp_uint("limit", 1));
	mp_pair_array(&args, "measures", 1);
	mp_put_pairs(&args, mp_str("expr", span_str(arena_printf(r->arena, "max(%.*s)", SPAN_FMT(date)))),
	    mp_cstr("name", "last_day"));
	mp_end(&args, map);
	if (data_query(r->c, buf_view(&args), clock_ns() + ASK_NS, &rows, &why) == 0 && rows.nrows == 1 &&
	    rows.ncolumns == 1 && data_cell(&rows, 0, 0)->class == MP_STR)
		for (size_t i = 0; i < 4 && i < data_cell(&rows, 0, 0)->s.len; i++)
			year = year * 10 + (data_cell(&rows, 0, 0)->s.p[i] - '0');
	buf_fini(&args);
	buf_reset(call_details(r->c), SIZE_MAX);
	return year >= 1000 && year < this_year - 1 ? (unsigned)year : 0;
}

int
reading_examples(struct call *c, struct span ontology, struct span *texts, size_t n, struct err *err)
{
	struct question_reader *r = arena_alloc(call_arena(c), sizeof(*r));

	if (r == NULL)
		return err_set(err, ERR_RESULT_TOO_LARGE, "there is no room to look for questions");
	if (reader_begin(r, c, ontology, err) != 0)
		return -1;
	return (int)ask_examples(r->model.words, &r->context, last_year_of_data(r), r->arena, texts, n);
}
