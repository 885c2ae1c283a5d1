/* knowledge.c - decides what of a model is taken; see knowledge.h. */
#include <stdlib.h>
#include <string.h>

#include "project/model/source_find.h"
#include "base/hash.h"
#include "base/json/json_read.h"
#include "base/mem.h"
#include "base/text/sql_quote.h"
#include "semantic/compile.h"
#include "workers/memory/ingest/knowledge.h"
#include "workers/memory/ingest/knowledge_files.h"
#include "workers/memory/ingest/knowledge_query.h"
#include "workers/memory/ingest/sources.h"
#include "workers/memory/worker.h"
#include "workers/shared/call.h"

#define ROUNDS_MAX	16	/* what is skipped may be needed by others; each round skips one level of them */
#define TRY_ARENA	((size_t)16 << 20)

static struct know_entry *
find_entry(struct know_model *m, enum know_part part, struct span name)
{
	for (size_t i = 0; i < m->nentries; i++)
		if (m->entries[i].part == part && span_is(m->entries[i].name, name))
			return &m->entries[i];
	return NULL;
}

static size_t
length_of(const struct mp_value *list)
{
	return list->class == MP_ARRAY ? list->n : 0;
}

static void
read_entries(struct know *k, struct know_model *m)
{
	static const char *const lists[] = { "columns", "joins", "measures", "segments" };
	struct mp_value list[KNOW_PARTS], each;
	size_t n = 0;

	for (size_t i = 0; i < KNOW_PARTS; i++) {
		(void)mp_get(&m->said, lists[i], &list[i]);
		n += length_of(&list[i]);
	}
	m->entries = mem_must(arena_array(k->a, n + 1, sizeof(*m->entries)));
	for (size_t i = 0; i < KNOW_PARTS; i++)
		for (struct mp_iter it = mp_iter(&list[i]); list[i].class == MP_ARRAY && mp_next(&it, &each);)
			m->entries[m->nentries++] = (struct know_entry){ .part = (enum know_part)i, .said = each,
				.as = mp_get_str(&each, "as", SPAN("")), .name = mp_get_str(&each, "name", SPAN("")) };
}

static int
read_model(struct know *k, struct err *err)
{
	struct mp_value models, pages, each;
	size_t at;

	if (json_read(k->r->content, &k->mp, &at) != JSON_OK || !mp_value(buf_view(&k->mp), &k->said) ||
	    !mp_get(&k->said, "models", &models) || models.class != MP_ARRAY || !mp_get(&k->said, "pages", &pages) ||
	    pages.class != MP_ARRAY)
		return err_set(err, ERR_INVALID_ARGUMENTS, "this is no knowledge that carrel import-knowledge read");
	k->kind = mp_get_str(&k->said, "kind", SPAN("other"));
	k->project = mp_get_str(&k->said, "project", SPAN("project"));
	k->dir = arena_printf(k->a, "%s-%s", know_slug(k, k->kind), know_slug(k, k->project));
	k->models = mem_must(arena_array(k->a, models.n + 1, sizeof(*k->models)));
	k->pages = mem_must(arena_array(k->a, pages.n + 1, sizeof(*k->pages)));
	for (struct mp_iter it = mp_iter(&models); mp_next(&it, &each); k->nmodels++) {
		k->models[k->nmodels] = (struct know_model){ .said = each, .as = mp_get_str(&each, "as", SPAN("model")),
			.name = mp_get_str(&each, "name", SPAN("")), .from = mp_get_str(&each, "from", SPAN("")) };
		table_add(&k->names, hash_of(k->models[k->nmodels].name), (uint32_t)k->nmodels);
		read_entries(k, &k->models[k->nmodels]);
	}
	for (struct mp_iter it = mp_iter(&pages); mp_next(&it, &each); k->npages++)
		k->pages[k->npages] = (struct know_page){ .said = each, .as = mp_get_str(&each, "as", SPAN("")),
			.name = mp_get_str(&each, "name", SPAN("")), .from = mp_get_str(&each, "from", SPAN("")) };
	return 0;
}

/* The last part of a dotted name; *rest what is in front of it. */
static struct span
last_part(const char *table, struct span *rest)
{
	const char *dot = strrchr(table, '.');

	*rest = dot == NULL ? SPAN_NONE : span_of(table, (size_t)(dot - table));
	return span_str(dot == NULL ? table : dot + 1);
}

/* The scanned source of the model's table: the only one of its name, or that of its schema. */
static void
find_table(struct know *k, struct know_model *m)
{
	struct span table = mp_get_str(&m->said, "table", m->name), schema = mp_get_str(&m->said, "schema", SPAN("")),
		    at;
	const struct source *found = NULL, *hidden = NULL;
	size_t n = 0, exact = 0;

	for (size_t i = 0; i < source_set_count(k->set); i++) {
		const struct source *s = source_set_at(k->set, i);

		if (s->table == NULL || !span_is_folded(last_part(s->table, &at), table))
			continue;
		if (s->flavour == SOURCE_STANDALONE) {
			hidden = s->replaced != NULL ? s : hidden;
			continue;
		}
		if (exact == 0 || span_is_folded(at, schema))
			found = s;
		exact += span_is_folded(at, schema);
		n++;
	}
	if (n == 0 && hidden != NULL)
		know_skip(k, &m->fate, "%s takes the place of the scanned table, and only scanned tables are extended",
		    hidden->path);
	else if (n == 0)
		know_skip(k, &m->fate, "the scan of %.*s knows no table %.*s", SPAN_FMT(k->r->connection),
		    SPAN_FMT(table));
	else if (n > 1 && exact != 1)
		know_skip(k, &m->fate, "the scan knows several tables %.*s, and none of the schema \"%.*s\"",
		    SPAN_FMT(table), SPAN_FMT(schema));
	else {
		m->source = mem_must(arena_cstr(k->a, span_str(found->name)));
		know_join_file(k, m, know_file(k, NULL, know_file_name(k, m->source)));
		k->files[m->file].name = span_str(m->source);
		if (k->files[m->file].edited)
			know_skip(k, &m->fate, "%.*s was edited since it was imported, and is yours now",
			    SPAN_FMT(k->files[m->file].path));
		k->files[m->file].wanted = true;
	}
}

/* Appends source.name, quoted where that is needed. */
static void
put_name(struct buf *out, const char *source, struct span name)
{
	sql_quote_name(out, span_str(source));
	buf_byte(out, '.');
	sql_quote_name(out, name);
}

static bool
has_member(const struct source *s, struct span name, bool column)
{
	if (column)
		return source_find_folded(s, name) != NULL && source_find_folded(s, name)->visibility != SOURCE_HIDDEN;
	return source_find_measure(s, name) != NULL;
}

/* A time cut off, as KNOWLEDGE_GRAINS says it; false: to no such grain. */
static bool
put_cut(struct know *k, const char *source, struct span name, struct span grain, struct buf *out)
{
	static const struct {
		const char *name, *before, *behind;
		enum dialect_grain grain;
	} grains[] = {
		{ "date", NULL, NULL, GRAIN_DAY },
		{ "week", "", "", GRAIN_WEEK },
		{ "month", "substr(", ", 1, 7)", GRAIN_MONTH },
		{ "quarter", "substr(", ", 1, 7)", GRAIN_QUARTER },
		{ "year", "CAST(substr(", ", 1, 4) AS decimal)", GRAIN_YEAR },
	};
	struct buf x = { 0 };
	size_t i = 0;

	while (i < sizeof(grains) / sizeof(grains[0]) && !span_is_str(grain, grains[i].name))
		i++;
	if (i == sizeof(grains) / sizeof(grains[0]))
		return false;
	put_name(&x, source, name);
	buf_str(out, grains[i].before != NULL ? grains[i].before : k->dialect->day.open);
	if (grains[i].before != NULL)
		k->dialect->bucket(out, grains[i].grain, buf_view(&x));
	else
		buf_span(out, buf_view(&x));
	buf_str(out, grains[i].before != NULL ? grains[i].behind : k->dialect->day.close);
	buf_fini(&x);
	return true;
}

/* One reference: {{model.column}}, {{model.column@grain}} or {{model:measure}}. */
static bool
put_reference(struct know *k, struct know_entry *e, struct span text, struct buf *out)
{
	const uint8_t *at = memrchr(text.p, '.', text.len), *measure = memrchr(text.p, ':', text.len), *cut;
	bool column = measure == NULL;
	struct span model, name, grain;
	struct know_model *m;
	struct know_entry *of;

	if ((at = column ? at : measure) == NULL)
		return false;
	model = span_of(text.p, (size_t)(at - text.p));
	name = span_of(at + 1, text.len - model.len - 1);
	cut = column ? memrchr(name.p, '@', name.len) : NULL;
	grain = cut == NULL ? SPAN_NONE : span_of(cut + 1, name.len - (size_t)(cut + 1 - name.p));
	name.len = cut == NULL ? name.len : (size_t)(cut - name.p);
	if ((m = know_find_model(k, model)) == NULL || m->source == NULL) {
		know_skip(k, &e->fate, "it needs %.*s, which was skipped", SPAN_FMT(model));
		return true;
	}
	/* {{model.*}} is the table itself. */
	if (span_is_str(name, "*")) {
		sql_quote_name(out, span_str(m->source));
		return true;
	}
	/* A file that is its owner's may have it, too. */
	of = m->fate.why.len > 0 ? NULL : find_entry(m, column ? KNOW_COLUMN : KNOW_MEASURE, name);
	if (of != NULL ? of->fate.why.len > 0 : !has_member(source_set_get(k->set, span_str(m->source)), name, column))
		know_skip(k, &e->fate, "it needs %.*s of %.*s, which was skipped", SPAN_FMT(name), SPAN_FMT(model));
	if (grain.len > 0)
		return put_cut(k, m->source, name, grain, out);
	put_name(out, m->source, name);
	return true;
}

/* The text with names in place of references, in the arena. */
static struct span
resolve(struct know *k, struct know_entry *e, struct span text)
{
	const uint8_t *open, *close;
	struct buf out = { 0 };
	struct span s;

	while ((open = memmem(text.p, text.len, "{{", 2)) != NULL &&
	    (close = memmem(open, text.len - (size_t)(open - text.p), "}}", 2)) != NULL) {
		buf_append(&out, text.p, (size_t)(open - text.p));
		if (!put_reference(k, e, span_of(open + 2, (size_t)(close - open - 2)), &out))
			know_skip(k, &e->fate, "its expression is a template");
		text = span_of(close + 2, text.len - (size_t)(close + 2 - text.p));
	}
	buf_span(&out, text);
	s = arena_span(k->a, buf_view(&out));
	buf_fini(&out);
	return s;
}

/* The lines of a page whose references are all known.  A column that is hidden is not: the scan does not have it. */
static struct span
resolve_lines(struct know *k, struct span body)
{
	struct buf out = { 0 };
	struct span line, s;

	while (span_line(&body, &line)) {
		struct know_entry e = { .part = KNOW_MEASURE };

		line = resolve(k, &e, line);
		if (e.fate.why.len == 0)
			buf_printf(&out, "%.*s\n", SPAN_FMT(line));
	}
	s = arena_span(k->a, buf_view(&out));
	buf_fini(&out);
	return s;
}

static bool
says_something(const struct know_entry *e)
{
	static const char *const texts[] = { "label", "said", "type" }, *const flags[] = { "unique", "notNull" };
	struct mp_value values;

	for (size_t i = 0; i < 3; i++)
		if (mp_get_str(&e->said, texts[i], SPAN("")).len > 0)
			return true;
	return mp_get_bool(&e->said, flags[0], false) || mp_get_bool(&e->said, flags[1], false) ||
	    mp_get(&e->said, "also", &values) || mp_get(&e->said, "values", &values);
}

/* Whose columns the source has. */
static const char *
shown_rows(struct know *k, const struct source *s)
{
	return s->table == NULL ? "query" : mem_must(arena_printf(k->a, "table %s", s->table));
}

static void
decide_column(struct know *k, const struct source *s, struct know_entry *e)
{
	const struct source_column *there = source_find_folded(s, e->name);

	e->expr = resolve(k, e, mp_get_str(&e->said, "expr", SPAN("")));
	e->known = e->expr.len == 0;
	if (e->known && there == NULL)
		know_skip(k, &e->fate, "the %s has no such column", shown_rows(k, s));
	else if (e->known)
		e->fate.merged = !says_something(e);
	else if (there == NULL)
		;
	else if (there->expr == NULL)
		know_skip(k, &e->fate, "the %s has a column of that name, and this one is %.*s", shown_rows(k, s),
		    SPAN_FMT(e->expr));
	else if (span_is_str(e->expr, there->expr))
		e->fate.merged = true;
	else
		know_skip(k, &e->fate, "%s defines it as %s; that stays", s->path, there->expr);
}

/* Puts the ON of the join for "a = b AND c = d"; false: one of the sources has not these columns. */
static bool
put_on(struct know *k, const struct know_model *m, const struct know_model *to, struct span text, struct buf *out)
{
	const char *sources[2] = { m->source, to->source };

	for (size_t side = 0; text.len > 0; side++) {
		const uint8_t *end = memmem(text.p, text.len, side % 2 == 0 ? " = " : " AND ", side % 2 == 0 ? 3 : 5);
		struct span name = span_of(text.p, end == NULL ? text.len : (size_t)(end - text.p));
		const struct know_model *of = side % 2 == 0 ? m : to;
		struct know_entry *e = find_entry((struct know_model *)(uintptr_t)of, KNOW_COLUMN, name);

		if (e != NULL && !e->known ?
			e->fate.why.len > 0 :
			source_find_folded(source_set_get(k->set, span_str(of->source)), name) == NULL)
			return false;
		if (side > 0)
			buf_str(out, side % 2 == 0 ? " AND " : " = ");
		put_name(out, sources[side % 2], name);
		text = end == NULL ?
		    SPAN_NONE :
		    span_of(end + (side % 2 == 0 ? 3 : 5), text.len - name.len - (side % 2 == 0 ? 3 : 5));
	}
	return true;
}

/* Whether the columns on one side (0 or 1) of "a = b AND c = d" are the key of the source, as the scan knows it. */
static bool
is_key(const struct source *s, struct span on, size_t wanted)
{
	size_t n = 0;

	if (s == NULL || s->ngrain == 0 || s->keyless)
		return false;
	for (size_t side = 0; on.len > 0; side++) {
		const char *between = side % 2 == 0 ? " = " : " AND ";
		const uint8_t *end = memmem(on.p, on.len, between, strlen(between));
		struct span name = span_of(on.p, end == NULL ? on.len : (size_t)(end - on.p));
		bool found = side % 2 != wanted;

		for (size_t i = 0; i < s->ngrain && !found; i++)
			found = span_is_folded(span_str(s->grain[i]), name);
		if (!found)
			return false;
		n += side % 2 == wanted;
		on = end == NULL ? SPAN_NONE : span_of(end + strlen(between), on.len - name.len - strlen(between));
	}
	return n == s->ngrain;
}

/* A join that statements have leads to the table whose key it is; of two such tables, to the later one. */
static void
direct_join(struct know *k, const struct know_model *m, const struct know_model *to, struct know_entry *e)
{
	struct span on = mp_get_str(&e->said, "on", SPAN(""));
	bool there = is_key(source_set_get(k->set, span_str(to->source)), on, 1),
	     here = is_key(source_set_get(k->set, span_str(m->source)), on, 0);

	if (!there && !here)
		know_skip(k, &e->fate, "neither side is a key that the scan knows");
	else
		e->fate.merged = !there || (here && m > to);
}

/* Whether two conditions of one pair are the same, whichever side stands first. */
static bool
is_same_on(struct span a, struct span b)
{
	const uint8_t *eq = memmem(b.p, b.len, " = ", 3);
	struct span left, right;

	if (span_is(a, b))
		return true;
	if (eq == NULL || a.len != b.len)
		return false;
	left = span_of(b.p, (size_t)(eq - b.p));
	right = span_of(eq + 3, b.len - left.len - 3);
	return span_is(span_of(a.p, right.len), right) && span_is(span_of(a.p + a.len - left.len, left.len), left);
}

static bool
is_text(struct span a, const char *b)
{
	return span_is_str(a, b == NULL ? "" : b);
}

static void
decide_join(struct know *k, struct know_model *m, const struct source *s, struct know_entry *e)
{
	struct span name = mp_get_str(&e->said, "to", SPAN(""));
	struct span alias = mp_get_str(&e->said, "alias", SPAN(""));
	struct know_model *to = know_find_model(k, name);
	struct buf on = { 0 };

	if (to == NULL || to->source == NULL) {
		know_skip(k, &e->fate, "it leads to %.*s, which was skipped", SPAN_FMT(name));
		return;
	}
	if (strcmp(to->source, m->source) == 0 && alias.len == 0) {
		e->fate.merged = true;
		return;
	}
	if (mp_get_bool(&e->said, "keyed", false)) {
		direct_join(k, m, to, e);
		if (e->fate.merged || e->fate.why.len > 0)
			return;
	}
	if (!put_on(k, m, to, mp_get_str(&e->said, "on", SPAN("")), &on))
		know_skip(k, &e->fate, "one of the tables has not the columns of %.*s",
		    SPAN_FMT(mp_get_str(&e->said, "on", SPAN(""))));
	e->expr = arena_span(k->a, buf_view(&on));
	if (alias.len > 0 && source_set_get(k->set, alias) != NULL)
		know_skip(k, &e->fate, "its alias %.*s is the name of a source", SPAN_FMT(alias));
	for (size_t i = 0; i < s->njoins && e->fate.why.len == 0; i++)
		if (strcmp(s->joins[i].to, to->source) == 0) {
			if (s->joins[i].on != NULL && is_same_on(span_str(s->joins[i].on), e->expr))
				e->fate.merged = true;
			else if (is_text(alias, s->joins[i].alias))
				know_skip(k, &e->fate, "%s joins %s already, on %s", s->name, to->source,
				    s->joins[i].on != NULL ? s->joins[i].on : "other columns");
		}
	buf_fini(&on);
}

static void
decide_segment(struct know *k, const struct source *s, struct know_entry *e)
{
	e->expr = resolve(k, e, mp_get_str(&e->said, "expr", SPAN("")));
	for (size_t i = 0; i < s->nsegments; i++) {
		if (!span_is_str(e->name, s->segments[i].name))
			continue;
		if (is_text(e->expr, s->segments[i].expr))
			e->fate.merged = true;
		else
			know_skip(k, &e->fate, "%s defines it as %s; that stays", s->path, s->segments[i].expr);
	}
}

static void
decide_measure(struct know *k, const struct source *s, struct know_entry *e)
{
	const struct source_measure *there = source_find_measure(s, e->name);

	e->expr = resolve(k, e, mp_get_str(&e->said, "expr", SPAN("")));
	e->filter = resolve(k, e, mp_get_str(&e->said, "filter", SPAN("")));
	if (there != NULL && is_text(e->expr, there->expr) && is_text(e->filter, there->filter))
		e->fate.merged = true;
	else if (there != NULL)
		know_skip(k, &e->fate, "%s defines it as %s%s%s; that stays", s->path, there->expr,
		    there->filter != NULL ? " where " : "", there->filter != NULL ? there->filter : "");
}

/* What only one entry of its part may say of a table: its name, or the source that a join leads to, or its alias. */
static struct span
said_once(struct know *k, const struct know_entry *e)
{
	const struct know_model *to;
	struct span alias;

	if (e->part != KNOW_JOIN)
		return e->name;
	alias = mp_get_str(&e->said, "alias", SPAN(""));
	to = know_find_model(k, mp_get_str(&e->said, "to", SPAN("")));
	return alias.len > 0 || to == NULL || to->source == NULL ? alias : span_str(to->source);
}

/* What was taken of the table before, and has the place of the entry; NULL: nothing. */
static const struct know_entry *
find_first(struct know *k, const struct know_model *m, const struct know_entry *e)
{
	struct span once = said_once(k, e);

	for (const struct know_model *o = m; o != NULL; o = o->before) {
		if (o->fate.why.len > 0)
			continue;
		for (const struct know_entry *other = o->entries; other < o->entries + o->nentries && other != e;
		     other++)
			if (other->part == e->part && know_is_taken(o, other) &&
			    (span_is(said_once(k, other), once) ||
				(e->part == KNOW_JOIN && span_is(other->expr, e->expr))))
				return other;
	}
	return NULL;
}

static void
decide_entry(struct know *k, struct know_model *m, struct know_entry *e)
{
	const struct source *s = source_set_get(k->set, span_str(m->source));
	const struct know_entry *first;

	if (e->fate.why.len > 0 || s == NULL)
		return;
	e->fate.merged = false;
	if (e->part == KNOW_COLUMN)
		decide_column(k, s, e);
	else if (e->part == KNOW_JOIN)
		decide_join(k, m, s, e);
	else if (e->part == KNOW_MEASURE)
		decide_measure(k, s, e);
	else
		decide_segment(k, s, e);
	if (e->fate.why.len > 0 || e->fate.merged || (first = find_first(k, m, e)) == NULL)
		return;
	if (span_is(first->expr, e->expr) && span_is(first->filter, e->filter))
		e->fate.merged = true;
	else
		know_skip(k, &e->fate, "another model of the table has this name already");
}

/*
 * Against the project without this import: what is there otherwise decides.  Columns come first, since joins and
 * measures need them; a measure may need one of a later model, so measures are decided until nothing is skipped.
 */
static void
decide_all(struct know *k)
{
	size_t skipped = 0, before;

	do {
		before = skipped;
		skipped = 0;
		for (int part = KNOW_COLUMN; part < KNOW_PARTS; part++)
			for (size_t i = 0; i < k->nmodels; i++)
				for (size_t j = 0; k->models[i].fate.why.len == 0 && j < k->models[i].nentries; j++) {
					struct know_entry *e = &k->models[i].entries[j];

					if ((int)e->part == part)
						decide_entry(k, &k->models[i], e);
					skipped += e->fate.why.len > 0;
				}
	} while (skipped != before);
}

/* Compose the set without this import's files; of a query only what the database says of it. */
static void
withdraw(struct know *k)
{
	struct err err;

	for (size_t i = 0; i < k->nfiles; i++) {
		const struct know_file *f = &k->files[i];

		if (f->below == NULL || f->edited)
			continue;
		if (f->query == NULL || source_set_put(k->set, f->below, f->query->query->text, &err) != 0)
			source_set_remove(k->set, f->below);
	}
	source_set_compose(k->set, NULL, NULL);
}

/* Compose it with the files as they would be.  A file that does not compose skips its models. */
static void
put_files(struct know *k)
{
	struct err err;

	for (size_t i = 0; i < k->nfiles; i++) {
		struct know_file *f = &k->files[i];

		if (f->below == NULL || f->edited || !f->wanted)
			continue;
		know_put_overlay(k, f, i);
		if (f->text.len > 0)
			(void)source_set_put(k->set, f->below, buf_view(&f->text), &err);
	}
	source_set_compose(k->set, NULL, NULL);
	for (size_t t = 0; t < source_set_troubles(k->set); t++) {
		struct source_trouble trouble = source_set_trouble(k->set, t);

		for (size_t i = 0; i < k->nmodels; i++) {
			struct know_model *m = &k->models[i];

			if (m->fate.why.len == 0 && strcmp(k->files[m->file].below, trouble.path) == 0)
				know_skip(k, &m->fate, "its overlay does not compose: %s", trouble.reason);
		}
	}
}

/* "source"."name" as a query has it. */
static struct span
know_field(struct know *k, const char *source, const char *name)
{
	struct buf b = { 0 };
	struct span s;

	buf_quoted(&b, span_str(source), '"');
	buf_byte(&b, '.');
	buf_quoted(&b, span_str(name), '"');
	s = arena_span(k->a, buf_view(&b));
	buf_fini(&b);
	return s;
}

/* A column of the source that can be asked for. */
static const char *
any_column(const struct source *s)
{
	for (size_t i = 0; s != NULL && i < s->ncolumns; i++)
		if (s->columns[i].expr == NULL && s->columns[i].visibility != SOURCE_HIDDEN)
			return s->columns[i].name;
	return NULL;
}

/* A column behind that join, which is named by its columns: other joins may have its alias. */
static struct span
joined_field(struct know *k, const struct know_entry *e, const char *to, const char *column)
{
	struct span on = mp_get_str(&e->said, "on", SPAN(""));
	struct buf b = { 0 };
	const uint8_t *end;
	struct span s;

	sql_quote_name(&b, span_str(to));
	for (const char *between = "("; (end = memmem(on.p, on.len, " = ", 3)) != NULL; between = ", ") {
		buf_str(&b, between);
		sql_quote_name(&b, span_of(on.p, (size_t)(end - on.p)));
		end = memmem(end, on.len - (size_t)(end - on.p), " AND ", 5);
		on = end == NULL ? SPAN("") : span_of(end + 5, on.len - (size_t)(end + 5 - on.p));
	}
	buf_str(&b, ").");
	sql_quote_name(&b, span_str(column));
	s = arena_span(k->a, buf_view(&b));
	buf_fini(&b);
	return s;
}

/* Compiles and runs a query for no rows that the entry is needed for. */
static int
try_entry(struct call *c, struct know *k, const struct sem_model *model, const struct dialect *d,
    struct know_model *m, struct know_entry *e, struct err *err)
{
	const struct know_model *to =
	    e->part == KNOW_JOIN ? know_find_model(k, mp_get_str(&e->said, "to", SPAN(""))) : NULL;
	const struct source *s = source_set_get(k->set, span_str(m->source)),
			    *other = to == NULL ? NULL : source_set_get(k->set, span_str(to->source));
	const char *name = mem_must(arena_cstr(k->a, e->name)), *of = any_column(other), *own = any_column(s);
	bool alias = mp_get_str(&e->said, "alias", SPAN("")).len > 0;
	struct sem_measure_item measure = { .expr = know_field(k, m->source, name) };
	struct sem_dimension_item dimension = { .field = know_field(k, m->source, name) };
	const struct span segment = dimension.field;
	struct sem_query q = { .measures = &measure, .nmeasures = 1, .include_empty = true };
	struct arena *scratch;
	struct sem_compiled out = { 0 };
	struct mp_value head;
	struct sem_problem p;
	int r = 0;

	if (e->part == KNOW_COLUMN)
		q = (struct sem_query){ .dimensions = &dimension, .ndimensions = 1, .include_empty = true };
	else if (e->part != KNOW_MEASURE) {
		if (own == NULL || (to != NULL && of == NULL))
			return 0;
		measure.expr =
		    span_str(mem_must(arena_printf(k->a, "count(%.*s)", SPAN_FMT(know_field(k, m->source, own)))));
		measure.name = SPAN("n");
		if (e->part == KNOW_SEGMENT) {
			q.segments = &segment;
			q.nsegments = 1;
		} else {
			dimension.field = alias ? joined_field(k, e, to->source, of) : know_field(k, to->source, of);
			q.dimensions = &dimension;
			q.ndimensions = 1;
		}
	}
	scratch = arena_new(TRY_ARENA);
	if (sem_compile(model, d, &q, scratch, &out, &p) != 0)
		know_skip(k, &e->fate, "it does not compile: %s", p.message);
	else if (out.undescribed.len > 0)
		know_skip(k, &e->fate, "it names %.*s, which no source has", SPAN_FMT(out.undescribed));
	else
		r = know_run(c, k, out.sql, &e->fate, &head, err);
	e->fate.tried = r == 0 && e->fate.why.len == 0;
	arena_free(scratch);
	return r;
}

/* Tries all that is taken and was not tried yet; *skipped is set if something had to go.  -1 with *err. */
static int
try_all(struct call *c, struct know *k, const struct dialect *d, bool *skipped, struct err *err)
{
	size_t n = source_set_count(k->set);
	const struct source **list = mem_new(n + 1, sizeof(struct source *));
	struct sem_model *model;
	int r = 0;

	for (size_t i = 0; i < n; i++)
		list[i] = source_set_at(k->set, i);
	model = sem_model_new(list, n);
	for (size_t i = 0; model != NULL && i < k->nmodels; i++) {
		struct know_model *m = &k->models[i];

		call_progress(c, (unsigned)(900 * i / k->nmodels), "Trying %.*s", SPAN_FMT(m->name));
		for (size_t j = 0; m->fate.why.len == 0 && j < m->nentries && r == 0; j++) {
			struct know_entry *e = &m->entries[j];

			if (!know_is_taken(m, e) || e->known || e->fate.tried)
				continue;
			r = try_entry(c, k, model, d, m, e, err);
			*skipped = *skipped || !e->fate.tried;
		}
	}
	sem_model_free(model);
	free(list);
	return model == NULL ? err_set(err, ERR_INTERNAL, "the semantic layer is too large") : r;
}

static void
place_pages(struct know *k)
{
	for (size_t i = 0; i < k->npages; i++) {
		struct know_page *p = &k->pages[i];
		const char *key = arena_printf(k->a, "%s%s%s-%s", k->dir, p->as.len > 0 ? "-" : "",
		    p->as.len > 0 ? know_slug(k, p->as) : "", know_slug(k, p->name));
		struct know_file *f;

		p->file = know_file(k,
		    arena_printf(k->a, "wiki/global/%.*s.md", (int)(strlen(key) < 120 ? strlen(key) : 120), key), NULL);
		f = &k->files[p->file];
		if (f->wanted)
			know_skip(k, &p->fate, "another page has its key");
		else if (f->edited)
			know_skip(k, &p->fate, "%.*s is another page, or was edited since it was imported",
			    SPAN_FMT(f->path));
		else {
			f->wanted = true;
			p->body = mp_get_str(&p->said, "body", SPAN(""));
			if (mp_get_bool(&p->said, "named", false))
				p->body = resolve_lines(k, p->body);
			know_put_page(k, f, p);
		}
	}
}

/* The difference of each file between now and then. */
static void
take_changes(struct know *k, struct run_changes *out)
{
	run_changes_begin(out, k->r->arena, k->nfiles + 1);
	for (size_t i = 0; i < k->nfiles; i++) {
		struct know_file *f = &k->files[i];
		bool stays = f->wanted && f->text.len > 0;
		struct run_change *c;

		if (f->edited || (!f->there && !stays) || (f->there && stays && span_is(f->before, buf_view(&f->text))))
			continue;
		c = run_change(out, f->below != NULL ? RUN_SEMANTIC : RUN_WIKI,
		    !stays       ? RUN_REMOVED :
			f->there ? RUN_UPDATED :
				   RUN_CREATED);
		c->path = f->path;
		c->name = f->name;
		c->before = f->there ? f->before : SPAN("");
		c->after = stays ? arena_span(k->a, buf_view(&f->text)) : SPAN("");
		c->summary = stays ? f->about : SPAN("the project does not have it any more");
		c->reason =
		    span_str(arena_printf(k->a, "import of %.*s, %.*s", SPAN_FMT(k->project), SPAN_FMT(k->kind)));
	}
}

static void
forget_files(struct know *k)
{
	for (size_t i = 0; i < k->nfiles; i++) {
		if (k->files[i].below != NULL)
			sources_forget(k->m->sources, k->r->connection, k->files[i].below);
		buf_fini(&k->files[i].text);
	}
	free(k->files);
	table_free(&k->names);
	buf_fini(&k->mp);
}

int
knowledge_compose(struct call *c, struct run *r, struct run_changes *out, bool *evidence, struct err *err)
{
	struct know k = { .m = call_state(c), .r = r, .a = r->arena };
	const struct memory_connection *to = memory_connection(k.m, r->connection);
	const struct dialect *d = to == NULL ? NULL : dialect_find(span_str(to->driver));
	bool again = true;
	int result = -1;

	k.dialect = d;
	k.driver = to == NULL ? SPAN_NONE : span_str(to->driver);
	if (d == NULL)
		err_set(err, ERR_CONNECTION_NOT_FOUND, "there is no connection \"%.*s\"", SPAN_FMT(r->connection));
	else if (read_model(&k, err) == 0 && know_read_files(&k, err) == 0) {
		withdraw(&k);
		for (size_t i = 0; i < k.nmodels; i++)
			if (mp_get_str(&k.models[i].said, "sql", SPAN("")).len == 0)
				find_table(&k, &k.models[i]);
		result = know_place_queries(c, &k, err);
		for (unsigned round = 0; again && result == 0 && round < ROUNDS_MAX; round++) {
			again = false;
			withdraw(&k);
			decide_all(&k);
			put_files(&k);
			result = try_all(c, &k, d, &again, err);
		}
		if (result == 0 && again)
			result = err_set(err, ERR_INTERNAL, "the model's measures depend on each other too deeply");
		withdraw(&k);
		put_files(&k);
		place_pages(&k);
		if (result == 0) {
			take_changes(&k, out);
			know_report(&k);
			if (evidence != NULL)
				*evidence = mp_get_bool(&k.said, "proposed", false);
		}
	}
	forget_files(&k);
	return result;
}
