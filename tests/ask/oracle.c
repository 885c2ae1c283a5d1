/*
 * oracle.c - read questions over a project's files, run what they mean, print one result a line.
 *
 *	ask-oracle SEMANTIC_DIR WIKI_DIR DATABASE CASES [--trace]
 *	ask-oracle SEMANTIC_DIR WIKI_DIR DATABASE QUESTIONS --check
 *	ask-oracle SEMANTIC_DIR WIKI_DIR DATABASE QUESTIONS --times
 *	ask-oracle SEMANTIC_DIR WIKI_DIR DATABASE QUESTIONS --lies
 *
 * DATABASE is a SQLite file, or statements that make one (.sql).  A case is a line: {"id", "question", "preferences"?,
 * "meanings"?: [[word, means]]}, or a question, with what is to be read of it behind a tab.  A result is {"id", "us",
 * "reading"}: what was read, with the rows of its queries, and how long the reading took.  With --trace also the words,
 * and by what each is consumed.  With --check, on 2025-05-14, only the lines that are not read so, as they are read.
 * With --times only how much processor time the readings took, without that of the database.  With --lies how many
 * readings a language model changes that gives each word another meaning: none of an answer, which --check holds, too.
 */
#include <dirent.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ask/ask.h"
#include "ask/ask_model.h"
#include "ask/text_question.h"
#include "ask/words_function.h"
#include "base/hash.h"
#include "base/system/clock.h"
#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/text/num.h"
#include "project/model/wiki_words.h"
#include "semantic/aggregate.h"
#include "semantic/compile.h"

#define SAMPLE_MAX	200

static sqlite3 *db;
static struct source_set *set;
static struct sem_model *model;
static bool trace;

static void
load_file(const char *path, struct buf *out)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	if (f == NULL) {
		fprintf(stderr, "%s: cannot be read\n", path);
		exit(2);
	}
	do {
		uint8_t *p = buf_reserve(out, 65536);

		n = fread(p, 1, 65536, f);
		out->len += n;
	} while (n > 0);
	fclose(f);
}

static struct span
before_tab(struct span line)
{
	const uint8_t *tab = memchr(line.p, '\t', line.len);

	return tab == NULL ? line : span_of(line.p, (size_t)(tab - line.p));
}

/* --- the catalogue, from the files ------------------------------------------------------------------- */

static void
load_sources(const char *dir, const char *below)
{
	char path[1024];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "%s/%s", dir, below);
	if ((d = opendir(path)) == NULL)
		return;
	while ((e = readdir(d)) != NULL) {
		char relative[600], full[2048];
		struct buf text = { 0 };
		struct err err;

		if (e->d_name[0] == '.')
			continue;
		snprintf(relative, sizeof(relative), "%s%s%s", below, *below != '\0' ? "/" : "", e->d_name);
		if (e->d_type == DT_DIR) {
			load_sources(dir, relative);
			continue;
		}
		snprintf(full, sizeof(full), "%s/%s", dir, relative);
		load_file(full, &text);
		if (source_set_put(set, relative, buf_view(&text), &err) == -1)
			fprintf(stderr, "%s: %s\n", full, err.message);
		buf_fini(&text);
	}
	closedir(d);
}

static void
put_names(struct buf *b, const char *name, const struct source_words *w, struct span description)
{
	mp_pair_cstr(b, "name", name);
	mp_pair_some(b, "label", w->label);
	mp_pair_cstrs(b, "synonyms", w->synonyms, w->nsynonyms);
	mp_pair_some(b, "description", description);
}

static void
put_measure(struct buf *b, const struct source_measure *m)
{
	struct arena *a = arena_new(1 << 20);
	struct sem_aggregate g = sem_aggregate_of(a, span_str(m->expr));
	size_t map = mp_open_map(b);

	put_names(b, m->name, &m->words, m->description);
	mp_pair_cstr(b, "expr", m->expr);
	mp_pair_cstr(b, "filter", m->filter);
	mp_pair_cstr(b, "unit", m->unit);
	mp_pair_cstr(b, "aggregate", sem_aggregate_name(g.kind));
	mp_pair_some(b, "column", g.column);
	mp_pair_cstrs(b, "segments", m->segments, m->nsegments);
	mp_pair_cstrs(b, "noneOver", m->none_over, m->nnone_over);
	if (m->additive == SOURCE_ADDITIVE_OVER)
		mp_pair_cstrs(b, "additive", m->over, m->nover);
	else
		mp_pair_cstr(b, "additive",
		    m->additive == SOURCE_ADDITIVE_FULL ||
			    (m->additive == SOURCE_ADDITIVE_UNSAID && sem_aggregate_is_additive(g.kind)) ?
			"full" :
			"none");
	mp_close(b, map, 12);
	arena_free(a);
}

static void
put_column(struct buf *b, const struct source_column *c)
{
	mp_put_map(b, 8);
	put_names(b, c->name, &c->words, c->description);
	mp_pair_cstr(b, "type", c->type);
	mp_pair_bool(b, "time", c->time);
	mp_pair_bool(b, "computed", c->expr != NULL);
	mp_pair_bool(b, "internal", c->visibility == SOURCE_INTERNAL);
}

static void
put_source(struct buf *b, const struct source *s)
{
	size_t list, n = 0;

	mp_put_map(b, 9);
	put_names(b, s->name, &s->words, s->description);
	mp_pair_cstr(b, "timeDimension", s->time_dimension);
	mp_pair_cstrs(b, "grain", s->grain, s->ngrain);
	mp_put_cstr(b, "measures");
	mp_put_array(b, s->nmeasures);
	for (size_t i = 0; i < s->nmeasures; i++)
		put_measure(b, &s->measures[i]);
	mp_put_cstr(b, "dimensions");
	list = mp_open_array(b);
	for (size_t i = 0; i < s->ncolumns; i++)
		if (s->columns[i].visibility != SOURCE_HIDDEN) {
			put_column(b, &s->columns[i]);
			n++;
		}
	mp_close(b, list, n);
	mp_put_cstr(b, "segments");
	mp_put_array(b, s->nsegments);
	for (size_t i = 0; i < s->nsegments; i++) {
		mp_put_map(b, 5);
		put_names(b, s->segments[i].name, &s->segments[i].words, s->segments[i].description);
		mp_pair_cstr(b, "expr", s->segments[i].expr);
	}
}

static uint64_t
source_number(const struct source *s)
{
	for (size_t i = 0; i < source_set_count(set); i++)
		if (source_set_at(set, i) == s)
			return i;
	return UINT64_MAX;
}

static void
put_node(struct buf *b, const struct sem_node *node)
{
	mp_put_map(b, node->alias ? 4 : 3);
	mp_pair_str(b, "name", node->name);
	mp_pair_uint(b, "source", source_number(node->source));
	if (node->alias)
		mp_pair_uint(b, "owner", node->owner);
	mp_put_cstr(b, "edges");
	mp_put_array(b, node->nedges);
	for (size_t i = 0; i < node->nedges; i++) {
		const struct sem_edge *e = &node->edges[i];

		mp_put_map(b, 3);
		mp_pair_uint(b, "to", e->to);
		mp_pair_cstrs(b, "verbs", e->join->verbs->verbs, e->join->verbs->nverbs);
		mp_put_cstr(b, "on");
		mp_put_array(b, e->join->npairs);
		for (size_t k = 0; k < e->join->npairs; k++) {
			mp_put_array(b, 2);
			mp_put_str(b, e->inverse ? e->join->pairs[k].target : e->join->pairs[k].local);
			mp_put_str(b, e->inverse ? e->join->pairs[k].local : e->join->pairs[k].target);
		}
	}
}

static void
put_words(struct buf *b, const char *dir)
{
	size_t list = mp_open_array(b), n = 0;
	struct dirent *e;
	DIR *d = opendir(dir);

	while (d != NULL && (e = readdir(d)) != NULL) {
		char path[1024];
		struct buf text = { 0 };
		struct wiki_words w;
		struct span word, means;

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		load_file(path, &text);
		wiki_words_begin(&w, &(struct wiki_page){ .body = buf_view(&text) });
		while (wiki_words_next(&w, &word, &means)) {
			bool dot = memchr(means.p, '.', means.len) != NULL, found;

			found = !dot && source_set_get(set, means) != NULL;
			mp_put_map(b, 3);
			mp_pair_str(b, "word", word);
			mp_pair_str(b, "means", means);
			mp_pair_cstr(b, "kind", dot ? "measure" : found ? "source" : "join");
			n++;
		}
		buf_fini(&text);
	}
	if (d != NULL)
		closedir(d);
	mp_close(b, list, n);
}

static struct ask_model *
load_model(const char *semantic, const char *wiki)
{
	struct buf b = { 0 };
	struct mp_value catalogue;
	const struct source **list;
	struct ask_model *m;
	struct err err;

	set = source_set_new();
	load_sources(semantic, "");
	source_set_compose(set, NULL, NULL);
	if (source_set_count(set) == 0) {
		fprintf(stderr, "%s: no source is in it (.yaml)\n", semantic);
		exit(2);
	}
	list = calloc(source_set_count(set) + 1, sizeof(*list));
	for (size_t i = 0; i < source_set_count(set); i++)
		list[i] = source_set_at(set, i);
	model = sem_model_new(list, source_set_count(set));
	mp_put_map(&b, 3);
	mp_put_cstr(&b, "sources");
	mp_put_array(&b, source_set_count(set));
	for (size_t i = 0; i < source_set_count(set); i++)
		put_source(&b, list[i]);
	mp_put_cstr(&b, "nodes");
	mp_put_array(&b, sem_model_nodes(model));
	for (uint32_t i = 0; i < sem_model_nodes(model); i++)
		put_node(&b, sem_model_node(model, i));
	mp_put_cstr(&b, "words");
	put_words(&b, wiki);
	if (mp_scan(buf_view(&b)) != MP_OK || !mp_value(buf_view(&b), &catalogue) ||
	    (m = ask_model_read(&catalogue, &err)) == NULL) {
		fprintf(stderr, "no model: %s\n", err.message);
		exit(2);
	}
	buf_fini(&b);
	free(list);
	return m;
}

/* --- values ------------------------------------------------------------------------------------------------ */

static struct ask_value values[ASK_VALUES_MAX], probed[64];
static struct ask_known known = { .values = values, .probed = probed };

/* Whether a column's values are sampled, counted once for each. */
static bool
is_sampled(const struct source *s, const struct source_column *c)
{
	static struct {
		const struct source_column *column;
		bool few;
	} seen[2000];
	static size_t nseen;
	char sql[2000];
	sqlite3_stmt *st;
	bool few = false;

	for (size_t i = 0; i < nseen; i++)
		if (seen[i].column == c)
			return seen[i].few;
	sqlite3_snprintf(sizeof(sql), sql, "SELECT COUNT(DISTINCT \"%w\") FROM \"%w\"", c->name, s->table);
	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW)
		few = sqlite3_column_int64(st, 0) <= SAMPLE_MAX;
	sqlite3_finalize(st);
	if (nseen < sizeof(seen) / sizeof(seen[0])) {
		seen[nseen].column = c;
		seen[nseen++].few = few;
	}
	return few;
}

/* The column's values that are one of the n texts. */
static void
add_values(struct arena *a, const struct source *s, const char *column, const struct span *texts, size_t n)
{
	struct buf sql = { 0 };
	sqlite3_stmt *st;

	buf_printf(&sql, s->table != NULL ? "SELECT DISTINCT \"%s\" FROM \"%s\"" : "SELECT DISTINCT \"%s\" FROM (%s)",
	    column, s->table != NULL ? s->table : s->sql);
	buf_printf(&sql, " WHERE lower(\"%s\") IN (''", column);
	for (size_t i = 0; i < n; i++) {
		buf_str(&sql, ", lower(");
		buf_quoted(&sql, texts[i], '\'');
		buf_str(&sql, ")");
	}
	buf_str(&sql, ")");
	if (sqlite3_prepare_v2(db, buf_cstr(&sql), -1, &st, NULL) == SQLITE_OK)
		while (sqlite3_step(st) == SQLITE_ROW && known.nvalues < ASK_VALUES_MAX)
			if (sqlite3_column_bytes(st, 0) > 0)
				values[known.nvalues++] = (struct ask_value){ span_str(s->name), span_str(column),
					arena_span(a,
					    span_of(sqlite3_column_text(st, 0), (size_t)sqlite3_column_bytes(st, 0))) };
	sqlite3_finalize(st);
	buf_fini(&sql);
}

static void
sample(struct arena *a, struct span question)
{
	const struct span *phrases;
	size_t n = ask_phrases(a, question, &phrases);

	known.nvalues = known.nprobed = 0;
	for (size_t k = 0; k < source_set_count(set); k++)
		for (size_t c = 0; c < source_set_at(set, k)->ncolumns; c++) {
			const struct source *s = source_set_at(set, k);
			const struct source_column *column = &s->columns[c];

			if (s->table != NULL && column->visibility == SOURCE_PUBLIC && column->type != NULL &&
			    (column->type[0] == 's' || column->type[0] == 't' || column->type[0] == 'T' ||
				column->type[0] == 'V') &&
			    is_sampled(s, column))
				add_values(a, s, column->name, phrases, n);
		}
}

static void
run_probes(struct arena *a, const struct ask_reading *r)
{
	for (size_t i = 0; i < r->nprobes && known.nprobed < 64; i++) {
		const struct source *s = source_set_get(set, r->probes[i].source);
		char *column = arena_cstr(a, r->probes[i].column);

		probed[known.nprobed++] =
		    (struct ask_value){ r->probes[i].source, r->probes[i].column, r->probes[i].text };
		add_values(a, s, column, &r->probes[i].text, 1);
	}
}

/* --- running ------------------------------------------------------------------------------------------------ */


static void
put_strings(struct buf *b, const struct ask_query *q)
{
	mp_put_cstr(b, "filters");
	size_t list = mp_open_array(b), n = 0;

	for (size_t i = 0; i < q->nfilters; i++, n++)
		mp_put_str(b, q->filters[i].sql);
	for (unsigned side = 0; side < 2; side++) {
		struct span day = side == 0 ? q->window.start : q->window.end;
		char text[400];

		if (q->window.field.len == 0 || day.len == 0)
			continue;
		snprintf(text, sizeof(text), "%.*s %s '%.*s'", SPAN_FMT(q->window.field), side == 0 ? ">=" : "<",
		    SPAN_FMT(day));
		mp_put_cstr(b, text);
		n++;
	}
	mp_close(b, list, n);
}

static void
put_query(struct buf *b, const struct ask_query *q)
{
	size_t map = mp_open_map(b), n = 5;

	mp_put_cstr(b, "measures");
	mp_put_array(b, q->nmeasures);
	for (size_t i = 0; i < q->nmeasures; i++) {
		mp_put_map(b, q->measures[i].name.len > 0 ? 2 : 1);
		mp_pair_str(b, "expr", q->measures[i].expr);
		if (q->measures[i].name.len > 0)
			mp_pair_str(b, "name", q->measures[i].name);
	}
	mp_put_cstr(b, "dimensions");
	mp_put_array(b, q->ndimensions);
	for (size_t i = 0; i < q->ndimensions; i++) {
		mp_put_map(b, q->dimensions[i].granularity.len > 0 ? 2 : 1);
		mp_pair_str(b, "field", q->dimensions[i].field);
		if (q->dimensions[i].granularity.len > 0)
			mp_pair_str(b, "granularity", q->dimensions[i].granularity);
	}
	put_strings(b, q);
	mp_pair_uint(b, "limit", q->limit > 0 ? q->limit + (q->ties ? ASK_TIES_MAX : 0) : 10000);
	mp_pair_bool(b, "include_empty", !q->no_empty);
	if (q->order_by.len > 0) {
		mp_put_cstr(b, "order_by");
		mp_put_array(b, 1);
		mp_put_map(b, 2);
		mp_pair_str(b, "field", q->order_by);
		mp_pair_cstr(b, "direction", q->descending ? "desc" : "asc");
		n++;
	}
	mp_close(b, map, n);
}

/* NULL, or why not. */
static const char *
run_query(struct arena *a, const struct ask_query *q, struct buf *rows)
{
	struct buf b = { 0 };
	struct mp_value args;
	struct sem_query query;
	struct sem_problem problem = { 0 };
	struct sem_compiled compiled;
	sqlite3_stmt *st;
	size_t list, n = 0, by = ask_order_column(q);
	char last[64] = "";

	put_query(&b, q);
	if (mp_scan(buf_view(&b)) != MP_OK || !mp_value(arena_span(a, buf_view(&b)), &args))
		return "no query";
	buf_fini(&b);
	if (sem_query_read(a, &args, &query, &problem) == -1 ||
	    sem_compile(model, dialect_find(SPAN("sqlite")), &query, a, &compiled, &problem) == -1)
		return arena_cstr(a, span_str(problem.message));
	if (sqlite3_prepare_v2(db, (const char *)compiled.sql.p, (int)compiled.sql.len, &st, NULL) != SQLITE_OK)
		return sqlite3_errmsg(db);
	list = mp_open_array(rows);
	while (sqlite3_step(st) == SQLITE_ROW) {
		const char *place = (const char *)sqlite3_column_text(st, (int)by);

		if (q->ties && n >= q->limit && strcmp(place == NULL ? "" : place, last) != 0)
			break;
		n++;
		snprintf(last, sizeof(last), "%s", place == NULL ? "" : place);
		mp_put_array(rows, (size_t)sqlite3_column_count(st));
		for (int i = 0; i < sqlite3_column_count(st); i++)
			switch (sqlite3_column_type(st, i)) {
			case SQLITE_NULL:
				mp_put_nil(rows);
				break;
			case SQLITE_INTEGER:
				mp_put_int(rows, sqlite3_column_int64(st, i));
				break;
			case SQLITE_FLOAT:
				mp_put_double(rows, sqlite3_column_double(st, i));
				break;
			default:
				mp_put_str(rows,
				    span_of(sqlite3_column_text(st, i), (size_t)sqlite3_column_bytes(st, i)));
			}
	}
	sqlite3_finalize(st);
	mp_close(rows, list, n);
	return NULL;
}

/* --- results ------------------------------------------------------------------------------------------------- */

/* The first columns, which name the row; a key that only tells rows of the same name apart follows them. */
static size_t
number_of_keys(const struct ask_query *q)
{
	size_t n = q->ndimensions;

	while (n > 1 && q->nmeasures > 0 && q->dimensions[n - 1].identity)
		n--;
	return n;
}

static void
put_reading(struct arena *a, struct buf *out, const struct ask_reading *r)
{
	static const char *const states[] = { "answered", "answered", "clarification", "cannot_answer", "probe" };
	size_t map = mp_open_map(out), n = 2;

	mp_pair_cstr(out, "interpretation", arena_cstr(a, r->interpretation));
	mp_pair_cstr(out, "status", states[r->status]);
	if (r->status == ASK_ANSWER) {
		mp_pair_uint(out, "shape", (uint64_t)r->shape);
		mp_put_cstr(out, "results");
		mp_put_array(out, r->nqueries);
		for (size_t i = 0; i < r->nqueries; i++) {
			struct buf rows = { 0 };
			const char *why = run_query(a, &r->queries[i], &rows);

			mp_put_map(out, 5);
			mp_pair_uint(out, "keys", number_of_keys(&r->queries[i]));
			mp_pair_uint(out, "hidden", r->queries[i].ndimensions - number_of_keys(&r->queries[i]));
			mp_pair_str(out, "label", r->queries[i].label.p == NULL ? SPAN("") : r->queries[i].label);
			mp_pair_cstr(out, "error", why);
			mp_put_cstr(out, "rows");
			if (why == NULL)
				buf_span(out, buf_view(&rows));
			else
				mp_put_nil(out);
			buf_fini(&rows);
		}
		n += 2;
	} else if (r->status == ASK_CATALOGUE) {
		mp_pair_strs(out, "cells", r->rows.cells, r->rows.nrows * r->rows.ncolumns);
		n++;
	} else if (r->status == ASK_CLARIFY) {
		mp_put_cstr(out, "questions");
		mp_put_array(out, r->nquestions);
		for (size_t i = 0; i < r->nquestions; i++) {
			mp_put_map(out, 3);
			mp_pair_str(out, "question", r->questions[i].question);
			mp_pair_str(out, "topic", r->questions[i].topic);
			mp_pair_strs(out, "suggestions", r->questions[i].suggestions, r->questions[i].nsuggestions);
		}
		n++;
	} else {
		mp_pair_cstr(out, "code", ask_reason_code(r->reason));
		mp_pair_str(out, "message", r->message);
		n += 2;
	}
	if (trace) {
		mp_put_cstr(out, "words");
		mp_put_array(out, r->nwords);
		for (size_t i = 0; i < r->nwords; i++) {
			mp_put_array(out, 2);
			mp_put_str(out, r->words[i].word);
			mp_put_str(out, r->words[i].consumed_by.p == NULL ? SPAN("") : r->words[i].consumed_by);
		}
		n++;
	}
	mp_close(out, map, n);
}

/* What a language model would say of the case's unknown words. */
static void
take_meanings(const struct mp_value *kase)
{
	static struct ask_meaning meanings[64];
	struct mp_value list, pair, text[2];
	struct mp_iter it, in;

	known.meanings = meanings;
	known.nmeanings = 0;
	if (!mp_get(kase, "meanings", &list) || list.class != MP_ARRAY)
		return;
	for (it = mp_iter(&list); mp_next(&it, &pair) && known.nmeanings < 64;) {
		in = mp_iter(&pair);
		if (mp_next(&in, &text[0]) && mp_next(&in, &text[1]))
			meanings[known.nmeanings++] = (struct ask_meaning){ .word = text[0].s,
				.means = text[1].s };
	}
}

static void
answer(const struct ask_model *m, const struct mp_value *kase)
{
	struct arena *a = arena_new((size_t)256 << 20);
	struct ask_context c = { .now = (int64_t)time(NULL) };
	struct span question = mp_get_str(kase, "question", SPAN(""));
	struct ask_reading *r = arena_alloc(a, sizeof(*r));
	struct mp_value preferences, v;
	struct buf out = { 0 }, json = { 0 };
	struct err err;
	uint64_t began, took = 0;

	(void)mp_get(kase, "preferences", &preferences);
	ask_preferences_read(a, &preferences, &c.preferences);
	sample(a, question);
	take_meanings(kase);
	for (unsigned round = 0; round < 4; round++) {
		began = clock_ns();
		if (ask_read(m, &c, question, &known, a, r, &err) != 0)
			exit(2);
		took += clock_ns() - began;
		if (r->status != ASK_PROBE)
			break;
		run_probes(a, r);
	}
	mp_put_map(&out, 3);
	mp_pair_str(&out, "id", mp_get_str(kase, "id", SPAN("")));
	mp_pair_uint(&out, "us", took / 1000);
	mp_put_cstr(&out, "reading");
	put_reading(a, &out, r);
	if (mp_scan(buf_view(&out)) != MP_OK || !mp_value(buf_view(&out), &v))
		exit(2);
	json_write(&json, &v);
	printf("%.*s\n", SPAN_FMT(json));
	buf_fini(&out);
	buf_fini(&json);
	arena_free(a);
}

/* --- guards ------------------------------------------------------------------------------------------------- */

/* Read the question as it would be asked, probes and all. */
static void
read_whole(const struct ask_model *m, const struct ask_context *c, struct span question, struct arena *a,
    struct ask_reading *r)
{
	struct err err;

	sample(a, question);
	for (unsigned round = 0; round < 4; round++) {
		if (ask_read(m, c, question, &known, a, r, &err) != 0)
			exit(2);
		if (r->status != ASK_PROBE)
			break;
		run_probes(a, r);
	}
}

/* Why the queries of an answer do not run; NULL: they do. */
static const char *
why_not_run(struct arena *a, const struct ask_reading *r)
{
	const char *why = NULL;

	for (size_t i = 0; r->status == ASK_ANSWER && i < r->nqueries && why == NULL; i++) {
		struct buf rows = { 0 };

		why = run_query(a, &r->queries[i], &rows);
		buf_fini(&rows);
	}
	return why;
}

/* Any name of the model, another one for each seed: of a source, a measure or a column. */
static struct span
any_name(struct arena *a, const struct ask_model *m, uint64_t seed)
{
	const struct ask_source *s = &m->sources[seed % m->nsources];
	size_t all = 1 + s->nmeasures + s->ncolumns, k = (seed / m->nsources) % all;
	struct span leaf = k == 0 ? SPAN("") :
	    k <= s->nmeasures     ? s->measures[k - 1].names.name :
				    s->columns[k - 1 - s->nmeasures].names.name;

	return k == 0 ? s->names.name : span_str(arena_printf(a, "%.*s.%.*s", SPAN_FMT(s->names.name), SPAN_FMT(leaf)));
}

/* Read the question with a language model that gives each of its words some meaning; *r as without one before. */
static void
read_with_lies(const struct ask_model *m, const struct ask_context *c, struct span question, struct arena *a,
    uint64_t seed, struct ask_reading *r)
{
	static struct ask_meaning lies[ASK_WORDS_MAX];
	size_t n;
	const struct ask_token *t = ask_tokens(a, question, false, ASK_WORDS_MAX, &n);

	n = n < ASK_WORDS_MAX ? n : ASK_WORDS_MAX;
	for (size_t i = 0; i < n; i++)
		lies[i] = (struct ask_meaning){ .word = t[i].text,
			.means = any_name(a, m, hash_of(t[i].folded) + seed) };
	known.meanings = lies;
	known.nmeanings = n;
	read_whole(m, c, question, a, r);
	known.nmeanings = 0;
}

static bool
is_answer(const struct ask_reading *r)
{
	return r->status == ASK_ANSWER || r->status == ASK_CATALOGUE;
}

/* Whether a language model that lies changes the answer. */
static bool
lies_change(const struct ask_model *m, const struct ask_context *c, struct span question, struct arena *a,
    const struct ask_reading *r)
{
	struct ask_reading *with = arena_alloc(a, sizeof(*with));

	if (!is_answer(r) || m->nsources == 0)
		return false;
	read_with_lies(m, c, question, a, 0, with);
	return with->status != r->status || !span_is(with->interpretation, r->interpretation) ||
	    with->nassumptions != r->nassumptions;
}

/*
 * A line is "question<TAB>reading": what an answer means, and its queries run; "? topic" or "- reason".  How
 * many are read otherwise.
 */
static unsigned
check_questions(const struct ask_model *m, struct span rest)
{
	static const struct ask_context c = { .now = INT64_C(1747224000) }; /* 2025-05-14 */
	unsigned wrong = 0;
	struct span line;

	while (span_line(&rest, &line)) {
		struct span question = before_tab(line), expected;
		struct arena *a = arena_new((size_t)256 << 20);
		struct ask_reading *r = arena_alloc(a, sizeof(*r));
		struct buf got = { 0 };

		expected = question.len == line.len ?
		    SPAN("") :
		    span_of(question.p + question.len + 1, line.len - question.len - 1);
		read_whole(m, &c, question, a, r);
		if (r->status == ASK_ANSWER || r->status == ASK_CATALOGUE)
			buf_span(&got, r->interpretation);
		else if (r->status == ASK_CLARIFY)
			buf_printf(&got, "? %.*s", SPAN_FMT(r->questions[0].topic));
		else
			buf_printf(&got, "- %s", ask_reason_code(r->reason));
		if (why_not_run(a, r) != NULL)
			buf_printf(&got, "; does not run: %s", why_not_run(a, r));
		if (lies_change(m, &c, question, a, r))
			buf_str(&got, "; a model that lies changes it");
		if (!span_is(expected, buf_view(&got))) {
			printf("%.*s\t%.*s\n", SPAN_FMT(question), SPAN_FMT(got));
			wrong++;
		}
		buf_fini(&got);
		arena_free(a);
	}
	return wrong;
}

#define LIES 8u /* of each question that is not answered */

/* How many answers lies change, and how many they make of what had none.  The first, as an exit status. */
static int
count_lies(const struct ask_model *m, struct span rest)
{
	const struct ask_context c = { .now = (int64_t)time(NULL) };
	unsigned answered = 0, changed = 0, unread = 0, read = 0, unsaid = 0;
	struct span line;

	while (span_line(&rest, &line)) {
		struct span question = before_tab(line);
		struct arena *a = arena_new((size_t)256 << 20);
		struct ask_reading *r = arena_alloc(a, sizeof(*r));

		read_whole(m, &c, question, a, r);
		answered += is_answer(r);
		unread += is_answer(r) ? 0 : LIES;
		if (lies_change(m, &c, question, a, r)) {
			printf("changed: %.*s\n", SPAN_FMT(question));
			changed++;
		}
		for (unsigned i = 0; !is_answer(r) && i < LIES; i++) {
			struct ask_reading *with = arena_alloc(a, sizeof(*with));

			read_with_lies(m, &c, question, a, i, with);
			read += is_answer(with);
			unsaid += is_answer(with) && with->nassumptions == 0;
		}
		arena_free(a);
	}
	printf("%u answers, %u changed by lies; %u lies about others: %u answered, %u of them without an assumption\n",
	    answered, changed, unread, read, unsaid);
	return changed + unsaid > 0;
}

/* --- times -------------------------------------------------------------------------------------------------- */

#define TIMES_MAX	8192
#define TIMES_TRIES	3	/* of each question; the least counts, which other processes disturb least */

static uint64_t
processor_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* How long all rounds of the question's reading take, without the probes' statements. */
static uint64_t
time_question(const struct ask_model *m, struct span question)
{
	struct ask_context c = { .now = (int64_t)time(NULL) };
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < TIMES_TRIES; i++) {
		struct arena *a = arena_new((size_t)256 << 20);
		struct ask_reading *r = arena_alloc(a, sizeof(*r));
		uint64_t took = 0, began;
		struct err err;

		sample(a, question);
		for (unsigned round = 0; round < 4; round++) {
			began = processor_ns();
			if (ask_read(m, &c, question, &known, a, r, &err) != 0)
				exit(2);
			took += processor_ns() - began;
			if (r->status != ASK_PROBE)
				break;
			run_probes(a, r);
		}
		least = took < least ? took : least;
		arena_free(a);
	}
	return least;
}

static int
compare_times(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void
time_questions(const struct ask_model *m, struct span rest)
{
	static uint64_t took[TIMES_MAX];
	struct span line;
	size_t n = 0;

	while (n < TIMES_MAX && span_line(&rest, &line))
		if (line.len > 0)
			took[n++] = time_question(m, before_tab(line));
	qsort(took, n, sizeof(took[0]), compare_times);
	if (n > 0)
		printf("questions %zu p50_us %" PRIu64 " p99_us %" PRIu64 " max_us %" PRIu64 "\n", n,
		    took[n / 2] / 1000, took[n * 99 / 100] / 1000, took[n - 1] / 1000);
}

static bool
open_database(const char *path)
{
	size_t n = strlen(path);
	struct buf sql = { 0 };

	if (n < 4 || strcmp(path + n - 4, ".sql") != 0)
		return sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK;
	load_file(path, &sql);
	if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
	    sqlite3_exec(db, buf_cstr(&sql), NULL, NULL, NULL) != SQLITE_OK)
		return false;
	buf_fini(&sql);
	return true;
}

int
main(int argc, char **argv)
{
	struct buf cases = { 0 };
	struct span rest, line;
	struct ask_model *m;
	unsigned wrong = 0;

	if (argc < 5 || argc > 6) {
		fprintf(stderr,
		    "usage: ask-oracle SEMANTIC_DIR WIKI_DIR DATABASE CASES [--trace|--check|--times|--lies]\n");
		return 2;
	}
	if (!open_database(argv[3])) {
		fprintf(stderr, "%s: %s\n", argv[3], sqlite3_errmsg(db));
		return 2;
	}
	trace = argc > 5;
	m = load_model(argv[1], argv[2]);
	load_file(argv[4], &cases);
	rest = buf_view(&cases);
	if (argc > 5 && strcmp(argv[5], "--check") == 0)
		wrong = check_questions(m, rest);
	else if (argc > 5 && strcmp(argv[5], "--lies") == 0)
		wrong = (unsigned)count_lies(m, rest);
	else if (argc > 5 && strcmp(argv[5], "--times") == 0)
		time_questions(m, rest);
	else
		while (span_line(&rest, &line)) {
			struct buf mp = { 0 };
			struct mp_value kase;
			size_t at;

			if (line.len > 0 && line.p[0] != '{') {
				mp_put_map(&mp, 2);
				mp_pair_str(&mp, "id", before_tab(line));
				mp_pair_str(&mp, "question", before_tab(line));
			} else if (line.len > 0 && json_read(line, &mp, &at) != JSON_OK) {
				fprintf(stderr, "no case: %.*s\n", SPAN_FMT(line));
				return 2;
			}
			if (mp.len > 0 && mp_value(buf_view(&mp), &kase))
				answer(m, &kase);
			buf_fini(&mp);
		}
	buf_fini(&cases);
	ask_model_free(m);
	sem_model_free(model);
	source_set_free(set);
	sqlite3_close(db);
	return wrong > 0;
}
