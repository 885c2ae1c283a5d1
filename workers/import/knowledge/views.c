/*
 * views.c - members of views and cubes as columns, measures and segments, and their joins; see views.h.
 *
 * Both tools aggregate each row of a member's own table once, whatever is joined (Looker by symmetric aggregates, Cube
 * by keys), and so does the semantic layer: a measure is one of its own table, and only its SQL has to be rewritten.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/text/sql_quote.h"
#include "workers/import/knowledge/templates.h"
#include "workers/import/knowledge/views.h"

#define INLINE_MAX	8
#define QUERY_DEPTH_MAX	16	/* queries of queries of queries ... */
#define RESOLVED_MAX	((size_t)64 << 10)	/* of a text; the compiler takes less */

const struct views_tool views_lookml = { "view", "TABLE", "SQL_TABLE_NAME", true, 0 },
			views_cube = { "cube", "CUBE", "sql()", false, 1 };

/*
 * How each type of measure is written, in LookML and in Cube; X is its SQL.  NULL: the tool does not have it, or it is
 * not said here.  A sum of Looker is 0 where there is nothing to add; X alone is SQL that aggregates by itself.
 */
static const struct {
	const char	*type, *forms[2];
} aggregates[] = {
	{ "count", { "count(*)", "count(X)" } },
	{ "count_distinct", { "count(distinct X)", "count(distinct X)" } },
	{ "countDistinct", { NULL, "count(distinct X)" } },
	{ "sum", { "coalesce(sum(X), 0)", "sum(X)" } },
	{ "average", { "avg(X)", NULL } },
	{ "avg", { NULL, "avg(X)" } },
	{ "min", { "min(X)", "min(X)" } },
	{ "max", { "max(X)", "max(X)" } },
	{ "median", { "median(X)", NULL } },
	{ "number", { "X", "X" } },
	{ "string", { "X", "X" } },
	{ "int", { "X", NULL } },
};

/* What the others are, and why they have no place; any other type is not known. */
static const struct {
	const char	*type, *why;
} refused_types[] = {
	{ "sum_distinct", "it counts each key of another table once: aggregates here are of the rows of one table" },
	{ "average_distinct", "it counts each key of another table once: aggregates here are of the rows of one "
	    "table" },
	{ "median_distinct", "it counts each key of another table once: aggregates here are of the rows of one table" },
	{ "percentile", "its percentile depends on the database: percentiles here are continuous and exact" },
	{ "percentile_distinct", "its percentile depends on the database: percentiles here are continuous and exact" },
	{ "running_total", "it adds up rows of a result: the semantic layer has no running windows" },
	{ "percent_of_total", "it compares rows of a result, which no measure does" },
	{ "percent_of_previous", "it compares rows of a result, which no measure does" },
	{ "period_over_period", "it is compared with another period: the semantic layer has no offset windows" },
	{ "list", "it lists values: no aggregate for it gives the same text on every database" },
	{ "yesno", "it is no number" },
	{ "boolean", "it is no number" },
	{ "date", "it is a time, which the tool cuts off and moves to a time zone" },
	{ "time", "it is a time, which the tool cuts off and moves to a time zone" },
	{ "count_distinct_approx", "it counts approximately, and counts here are exact" },
	{ "countDistinctApprox", "it counts approximately, and counts here are exact" },
	{ "rank", "it compares rows of a result, which no measure does" },
	{ "number_agg", "its aggregate is the database's own, and it is not known which rows it needs" },
};

struct view_table *
views_named(const struct views *s, const struct view_alias *aliases, struct span name)
{
	uint64_t hash = hash_of(name);
	uint32_t row;

	for (; aliases != NULL; aliases = aliases->next)
		if (span_is(aliases->name, name))
			return aliases->view;
	for (size_t at = table_start(hash); (row = table_next(&s->names, hash, &at)) != TABLE_NONE;)
		if (span_is(s->v[row]->name, name))
			return s->v[row];
	return NULL;
}

struct view_table *
views_add(struct views *s, struct span name, struct span from)
{
	const char *why = !tree_is_name(name)                  ? "its name has more than letters, digits and _" :
	    views_named(s, NULL, name) != NULL                 ? "another one has its name" :
	    s->n == VIEWS_MAX || s->nmembers > ALL_MEMBERS_MAX ? "there are too many" :
								 NULL;
	struct view_table *v;

	if (why != NULL) {
		knowledge_skip(s->k, s->tool->view, name, from, "%s", why);
		return NULL;
	}
	v = knowledge_alloc(s->k, sizeof(*v));
	v->name = name;
	v->from = from;
	v->row = (uint32_t)s->n;
	s->v = mem_grow(s->v, s->n, &s->cap, sizeof(struct view_table *));
	s->v[s->n] = v;
	table_add(&s->names, hash_of(name), (uint32_t)s->n++);
	return v;
}

static struct span
member_name(struct views *s, const struct view_table *v, struct span name)
{
	return knowledge_text(s->k, "%.*s.%.*s", SPAN_FMT(v->name), SPAN_FMT(name));
}

struct view_member *
views_add_member(struct views *s, struct view_table *v, enum view_part part, const char *as, struct span name)
{
	const char *why = !tree_is_name(name) ? "its name has more than letters, digits and _" :
	    v->n == MEMBERS_MAX               ? "its view has too many" :
						NULL;

	if (why != NULL) {
		knowledge_skip(s->k, as, member_name(s, v, name), v->from, "%s", why);
		return NULL;
	}
	s->nmembers++;
	v->members = mem_grow(v->members, v->n, &v->cap, sizeof(*v->members));
	v->members[v->n] = (struct view_member){ .part = part, .as = as, .name = name };
	return &v->members[v->n++];
}

/* Members are found by their names and those of their views, row by row of all members of all views. */
static uint64_t
member_hash(const struct view_table *v, struct span name)
{
	return hash_of(name) ^ (hash_of(v->name) << 1);
}

struct view_member *
views_member(const struct views *s, const struct view_table *v, struct span name)
{
	uint64_t hash = member_hash(v, name);
	uint32_t row;

	for (size_t at = table_start(hash); (row = table_next(&s->members, hash, &at)) != TABLE_NONE;)
		if (row < v->n && span_is(v->members[row].name, name))
			return &v->members[row];
	return NULL;
}

bool
views_table(struct knowledge *k, struct span text, struct span *schema, struct span *table)
{
	struct sqltext s = { SQLTEXT_EXPRESSION, text, 0 };
	struct span parts[2] = { SPAN_NONE, SPAN_NONE };
	struct sqltext_token t = sqltext_next(&s);

	if (sqltext_is(&t, "select")) {
		t = sqltext_next(&s);
		if (!sqltext_is_punct(&t, '*') || (t = sqltext_next(&s), !sqltext_is(&t, "from")))
			return false;
		t = sqltext_next(&s);
	}
	for (;;) {
		const uint8_t *from = t.text.p, *dot;
		struct span part = t.text;

		if (t.kind == SQLTEXT_QUOTED) {
			part = span_of(from + 1, t.text.len - 2);
			/* `project.data.table` */
			if (from[0] == '`' && (dot = memrchr(part.p, '.', part.len)) != NULL) {
				parts[1] = span_of(part.p, (size_t)(dot - part.p));
				if ((from = memrchr(parts[1].p, '.', parts[1].len)) != NULL)
					parts[1] = span_of(from + 1, (size_t)(dot - from - 1));
				part = span_of(dot + 1, part.len - (size_t)(dot + 1 - part.p));
				parts[0] = SPAN_NONE;
			}
			t = sqltext_next(&s);
		} else {
			/* Names of projects may have dashes, and no blanks. */
			while ((t.kind == SQLTEXT_WORD || t.kind == SQLTEXT_NUMBER || sqltext_is_punct(&t, '-')) &&
			    (t.text.p == from || t.text.p == part.p + part.len)) {
				part = span_of(from, (size_t)(t.text.p + t.text.len - from));
				t = sqltext_next(&s);
			}
			if (t.kind != SQLTEXT_END && t.text.p == from)
				return false;
		}
		if (part.len == 0)
			return false;
		if (parts[0].len > 0)
			parts[1] = parts[0];
		parts[0] = part;
		if (!sqltext_is_punct(&t, '.'))
			break;
		t = sqltext_next(&s);
	}
	if (sqltext_is_punct(&t, ';'))
		t = sqltext_next(&s);
	*table = knowledge_copy(k, parts[0]);
	*schema = knowledge_copy(k, parts[1]);
	return t.kind == SQLTEXT_END && !template_is(text);
}

static void
add_model(struct views *s, struct view_table *v)
{
	v->out = knowledge_model_add(s->k, s->tool->view, v->name, SPAN_NONE);
	v->out->from = v->from;
	v->out->label = v->label;
	v->out->said = v->said;
}

void
views_place(struct views *s, struct view_table *v, struct span schema, struct span table)
{
	struct span low = knowledge_copy(s->k, table);
	uint64_t hash;
	uint32_t row;

	for (size_t i = 0; i < low.len; i++)
		((uint8_t *)(uintptr_t)low.p)[i] = ascii_lower(low.p[i]);
	hash = hash_of(low);
	for (size_t at = table_start(hash); (row = table_next(&s->tables, hash, &at)) != TABLE_NONE;)
		v->second = v->second || span_is_folded(s->v[row]->out->table, table);
	add_model(s, v);
	v->out->schema = schema;
	v->out->table = table;
	if (!v->second)
		table_add(&s->tables, hash, v->row);
}

/* A text on its way from one form of references to the other. */
struct resolving {
	const struct views	*s;
	const struct view_table	*home;
	const struct view_alias	*aliases;
	struct sqltext		 t;
	struct view_uses	*uses;
	struct buf		*out;
	unsigned		 depth;		/* members that stand for themselves in others that do */
	const char		*why;
};

static bool refuse_text(struct resolving *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool
refuse_text(struct resolving *r, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	r->why = (const char *)knowledge_text(r->s->k, "%s", text).p;
	return false;
}

/* An identifier without its quotes. */
static struct span
plain_name(const struct sqltext_token *t)
{
	return t->kind == SQLTEXT_QUOTED ? span_of(t->text.p + 1, t->text.len - 2) : t->text;
}

/* The view whose name stands there, unless it is one of several roles that its rows have. */
static struct view_table *
view_called(struct resolving *r, struct span name)
{
	struct view_table *v = views_named(r->s, r->aliases, name);
	bool home = r->aliases == NULL || span_is(r->aliases->name, name);

	if (v == NULL)
		refuse_text(r, "it names %.*s, which is no %s that was read", SPAN_FMT(name), r->s->tool->view);
	else if (v->out == NULL)
		refuse_text(r, "it needs %.*s, which was skipped", SPAN_FMT(name));
	else if (!home && (v == r->home || !span_is(v->name, name)))
		refuse_text(r, "it names %.*s, one of several roles of %.*s", SPAN_FMT(name), SPAN_FMT(v->name));
	else
		return v;
	return NULL;
}

/* ".name" behind a table: its column. */
static bool
put_column(struct resolving *r, const struct view_table *v)
{
	struct sqltext_token t;
	struct span name;

	if (sqltext_peek(&r->t, 0) != '.')
		return refuse_text(r, "it uses the rows of %.*s as a whole", SPAN_FMT(v->name));
	r->t.at++;
	t = sqltext_piece(&r->t);
	name = plain_name(&t);
	if (t.kind != SQLTEXT_WORD && t.kind != SQLTEXT_QUOTED)
		return refuse_text(r, "it uses the rows of %.*s as a whole", SPAN_FMT(v->name));
	if (v == r->home)
		sql_quote_name(r->out, name);
	else if (!tree_is_name(name))
		return refuse_text(r, "it names a column of %.*s that cannot be named here", SPAN_FMT(v->name));
	else
		buf_printf(r->out, "{{%.*s.%.*s}}", SPAN_FMT(v->name), SPAN_FMT(name));
	return true;
}

/*
 * The member of that name; of a time in LookML also the name with the word for its plain value, or with one of *grain,
 * which stays NULL otherwise.
 */
static const struct view_member *
member_called(struct resolving *r, const struct view_table *v, struct span name, const char **grain)
{
	static const char *const grains[] = { KNOWLEDGE_GRAINS };
	const struct view_member *m = views_member(r->s, v, name), *time = NULL;
	struct span word = SPAN_NONE;

	for (size_t i = name.len; m == NULL && time == NULL && i > 1; i--)
		if (name.p[i - 1] == '_' && (time = views_member(r->s, v, span_of(name.p, i - 1))) != NULL) {
			word = span_of(name.p + i, name.len - i);
			time = time->time ? time : NULL;
		}
	for (size_t i = 0; i < sizeof(grains) / sizeof(grains[0]) && time != NULL && grain != NULL; i++)
		if (span_is_str(word, grains[i]))
			*grain = grains[i];
	if (m == NULL && time == NULL)
		refuse_text(r, "it names %.*s of %.*s, which was not read", SPAN_FMT(name), SPAN_FMT(v->name));
	else if (m == NULL && !span_is_str(word, "raw") && !span_is_str(word, "time") &&
	    (grain == NULL || *grain == NULL))
		refuse_text(r, "it uses %.*s, and no expression here cuts a time off that way", SPAN_FMT(name));
	else if (m == NULL)
		m = time;
	if (m != NULL && m->why != NULL) {
		refuse_text(r, "it needs %.*s of %.*s, which was skipped", SPAN_FMT(m->name), SPAN_FMT(v->name));
		return NULL;
	}
	return m;
}

static const char *resolve_text(struct resolving *r);

/* A member whose name is that of another column of its table has no name here: its SQL replaces it. */
static bool
put_inline(struct resolving *r, const struct view_member *m)
{
	struct resolving inner = *r;

	if (++inner.depth > INLINE_MAX)
		return refuse_text(r, "it is made of %.*s, which is made of too many others", SPAN_FMT(m->name));
	inner.t = (struct sqltext){ SQLTEXT_EXPRESSION, m->sql, 0 };
	buf_byte(r->out, '(');
	r->why = resolve_text(&inner);
	buf_byte(r->out, ')');
	return r->why == NULL;
}

static bool
put_member(struct resolving *r, const struct view_table *v, struct span name)
{
	const char *grain = NULL;
	const struct view_member *m = member_called(r, v, name, &grain);

	if (m == NULL)
		return false;
	if (grain != NULL) {
		buf_printf(r->out, "{{%.*s.%.*s@%s}}", SPAN_FMT(v->name), SPAN_FMT(m->name), grain);
		return true;
	}
	if (m->part == VIEW_SEGMENT)
		return refuse_text(r, "it uses a segment");
	if (m->part == VIEW_MEASURE) {
		r->uses->measures++;
		r->uses->others = r->uses->others || v != r->home;
	}
	if (v == r->home && m->shadows)
		return put_inline(r, m);
	if (v == r->home && m->column.len > 0)
		sql_quote_name(r->out, m->column);
	else
		buf_printf(r->out, "{{%.*s%c%.*s}}", SPAN_FMT(v->name), m->part == VIEW_MEASURE ? ':' : '.',
		    SPAN_FMT(m->name));
	return true;
}

/* What stands between braces, whose first one was taken. */
static bool
take_braces(struct resolving *r, struct span *name)
{
	struct span rest = span_of(r->t.text.p + r->t.at, r->t.text.len - r->t.at);
	const uint8_t *end = rest.len == 0 ? NULL : memchr(rest.p, '}', rest.len);

	if (end == NULL)
		return refuse_text(r, "a brace has no end");
	*name = span_trim(span_of(rest.p, (size_t)(end - rest.p)));
	r->t.at += (size_t)(end - rest.p) + 1;
	return true;
}

/* "orders.status" as "orders" and "status"; before is empty if there is no dot. */
static struct span
cut_name(struct span name, struct span *before)
{
	const uint8_t *dot = name.len == 0 ? NULL : memchr(name.p, '.', name.len);

	*before = dot == NULL ? SPAN_NONE : span_of(name.p, (size_t)(dot - name.p));
	return dot == NULL ? name : span_of(dot + 1, name.len - before->len - 1);
}

static bool
put_reference(struct resolving *r)
{
	struct span name, of, member;
	const struct view_table *v;

	if (!take_braces(r, &name))
		return false;
	member = cut_name(name, &of);
	if (!tree_is_name(member) || (of.len > 0 && !tree_is_name(of)))
		return refuse_text(r, "it uses %.*s, which is no member", (int)(name.len < 60 ? name.len : 60),
		    (const char *)name.p);
	if (of.len == 0 && span_is_str(member, r->s->tool->self))
		return put_column(r, r->home);
	if (of.len == 0 &&
	    (r->s->tool->dollar || views_member(r->s, r->home, member) != NULL ||
		views_named(r->s, r->aliases, member) == NULL))
		return put_member(r, r->home, member);
	if (of.len > 0 && span_is_str(of, r->s->tool->self))
		return put_member(r, r->home, member);
	if ((v = view_called(r, of.len > 0 ? of : member)) == NULL)
		return false;
	return of.len > 0 ? put_member(r, v, member) : put_column(r, v);
}

/* Whether a text of SQL has what the tool would replace in it. */
static bool
has_braces(const struct resolving *r, struct span text)
{
	return memmem(text.p, text.len, "${", 2) != NULL ||
	    (!r->s->tool->dollar && memchr(text.p, '{', text.len) != NULL);
}

static bool
put_piece(struct resolving *r, const struct sqltext_token *t, bool qualified)
{
	const struct view_table *v;

	if (t->kind == SQLTEXT_BROKEN)
		return refuse_text(r, "its SQL ends within a text");
	if (sqltext_is_punct(t, '{') && !r->s->tool->dollar)
		return put_reference(r);
	if (sqltext_is_punct(t, '$') && sqltext_peek(&r->t, 0) == '{') {
		r->t.at++;
		return put_reference(r);
	}
	if ((t->kind == SQLTEXT_STRING || t->kind == SQLTEXT_QUOTED) && has_braces(r, t->text))
		return refuse_text(r, "it has a reference within a text");
	/* A table by the name that it has in the tool's statements. */
	if (t->kind == SQLTEXT_WORD && !qualified && sqltext_peek(&r->t, 0) == '.' &&
	    (v = views_named(r->s, r->aliases, t->text)) != NULL)
		return (v = view_called(r, t->text)) != NULL && put_column(r, v);
	if (t->kind == SQLTEXT_COMMENT)
		buf_byte(r->out, ' ');
	else if (t->kind == SQLTEXT_QUOTED)
		sql_quote_name(r->out, plain_name(t));
	else
		buf_span(r->out, t->text);
	return true;
}

static const char *
resolve_text(struct resolving *r)
{
	struct sqltext_token t, last = { .kind = SQLTEXT_END };
	struct span text = r->t.text;

	if (text.len == 0)
		return NULL;
	if (template_is(text))
		return "it has a template, which is not run";
	if (tree_find(text, "@{") != NULL)
		return "it has a constant that no file of the project defines";
	if (memchr(text.p, '\0', text.len) != NULL)
		return "its SQL is no text";
	while ((t = sqltext_piece(&r->t)).kind != SQLTEXT_END && put_piece(r, &t, sqltext_is_punct(&last, '.'))) {
		if (r->out->len > RESOLVED_MAX)
			return "it is too long";
		last = t;
	}
	return r->why;
}

const char *
views_resolve(const struct views *s, const struct view_table *home, const struct view_alias *aliases, struct span text,
    struct view_uses *uses, struct buf *out)
{
	return resolve_text(&(struct resolving){
	    s, home, aliases, { SQLTEXT_EXPRESSION, span_trim(text), 0 }, uses, out, 0, NULL });
}

/* The text resolved, in k's memory; empty with *why: it cannot be said. */
static struct span
resolved(const struct views *s, const struct view_table *v, struct span text, struct view_uses *uses, const char **why)
{
	struct buf out = { 0 };
	struct span copy = SPAN_NONE;

	*uses = (struct view_uses){ 0 };
	if ((*why = views_resolve(s, v, NULL, text, uses, &out)) == NULL)
		copy = knowledge_copy(s->k, span_trim(buf_view(&out)));
	buf_fini(&out);
	return copy;
}

/* Whether the text, resolved, has a column of the table by that name. */
static bool
has_column(struct span text, struct span name)
{
	struct sqltext s = { SQLTEXT_EXPRESSION, text, 0 };
	struct sqltext_token t, last = { .kind = SQLTEXT_END };

	while ((t = sqltext_next(&s)).kind != SQLTEXT_END) {
		if ((t.kind == SQLTEXT_WORD || t.kind == SQLTEXT_QUOTED) && span_is_folded(plain_name(&t), name) &&
		    !sqltext_is_punct(&last, '.') && !sqltext_is_punct(&last, '{') && sqltext_peek(&s, 0) != '(')
			return true;
		last = t;
	}
	return false;
}

/* The column that is all of the text; empty: it is more. */
static struct span
only_column(struct span text)
{
	struct sqltext s = { SQLTEXT_EXPRESSION, text, 0 };
	struct sqltext_token t = sqltext_next(&s), next = sqltext_next(&s);

	return next.kind == SQLTEXT_END && (t.kind == SQLTEXT_WORD || t.kind == SQLTEXT_QUOTED) ? plain_name(&t) :
												  SPAN_NONE;
}

static const char *resolve_query(struct views *s, struct view_table *v, unsigned depth);

/* The table of another view in a query: its name, or its own query in brackets. */
static bool
put_table(struct views *s, struct resolving *r)
{
	struct span name, of, member;
	struct view_table *v;
	const char *why;

	if (!take_braces(r, &name))
		return false;
	member = cut_name(name, &of);
	if (of.len == 0 || !span_is_str(member, s->tool->table))
		return refuse_text(r, "its query uses %.*s, which is no table", (int)(name.len < 60 ? name.len : 60),
		    (const char *)name.p);
	if ((v = views_named(s, NULL, of)) == NULL)
		return refuse_text(r, "it names %.*s, which is no %s that was read", SPAN_FMT(of), s->tool->view);
	if (v->query.len > 0 && (why = resolve_query(s, v, r->depth + 1)) != NULL)
		return refuse_text(r, "it needs %.*s: %s", SPAN_FMT(of), why);
	if (v->out == NULL)
		return refuse_text(r, "it needs %.*s, which was skipped", SPAN_FMT(of));
	if (v->query.len > 0)
		buf_printf(r->out, "(%.*s)", SPAN_FMT(v->out->sql));
	else if (s->tool->dollar)
		buf_printf(r->out, "{{%.*s.*}}", SPAN_FMT(v->name));
	else
		buf_printf(r->out, "(SELECT * FROM {{%.*s.*}})", SPAN_FMT(v->name));
	return true;
}

/* A query names tables of the database, which stay as they are, and tables of views. */
static const char *
put_query(struct views *s, struct resolving *r)
{
	struct sqltext_token t;

	if (template_is(r->t.text))
		return "its query has a template, which is not run";
	if (tree_find(r->t.text, "@{") != NULL)
		return "its query has a constant that no file of the project defines";
	if (memchr(r->t.text.p, '\0', r->t.text.len) != NULL)
		return "its query is no text";
	while (r->why == NULL && (t = sqltext_piece(&r->t)).kind != SQLTEXT_END) {
		bool braces = sqltext_is_punct(&t, '$') && sqltext_peek(&r->t, 0) == '{';

		r->t.at += braces;
		if (braces || (sqltext_is_punct(&t, '{') && !s->tool->dollar))
			(void)put_table(s, r);
		else if (t.kind == SQLTEXT_BROKEN)
			return "its query ends within a text";
		else if (t.kind != SQLTEXT_COMMENT && has_braces(r, t.text))
			return "its query has a reference within a text";
		else if (t.kind == SQLTEXT_COMMENT)
			buf_byte(r->out, ' ');
		else
			buf_span(r->out, t.text);
		if (r->out->len > RESOLVED_MAX)
			return "its query is too long";
	}
	return r->why;
}

/* Gives a view that is a query its model.  Returns NULL, or why it has none: then it was skipped. */
static const char *
resolve_query(struct views *s, struct view_table *v, unsigned depth)
{
	struct buf out = { 0 };
	struct resolving r = { s, v, NULL, { s->text, span_trim(v->query), 0 }, NULL, &out, depth, NULL };
	const char *why;

	if (v->out != NULL)
		return NULL;
	if (v->reading || depth > QUERY_DEPTH_MAX)
		return v->reading ? "its query is made of itself, or was skipped" : "it is made of too many others";
	v->reading = true;
	why = s->queried > QUERIES_MAX ? "the queries of all are too long" : put_query(s, &r);
	if (why != NULL)
		knowledge_skip(s->k, s->tool->view, v->name, v->from, "%s", why);
	else {
		while (out.len > 0 && (out.p[out.len - 1] == ';' || ascii_is_space(out.p[out.len - 1])))
			out.len--;
		add_model(s, v);
		v->out->table = SPAN_NONE;
		v->out->sql = knowledge_copy(s->k, span_trim(buf_view(&out)));
		s->queried += out.len;
	}
	buf_fini(&out);
	return why;
}

/* The columns that identify a row, if all of them are columns. */
static void
set_key(struct views *s, struct view_table *v)
{
	struct buf key = { 0 };
	bool plain = true;

	for (size_t i = 0; i < v->n; i++)
		if (v->members[i].key) {
			plain = plain && v->members[i].column.len > 0;
			buf_printf(&key, "%s%.*s", key.len > 0 ? "," : "", SPAN_FMT(v->members[i].column));
		}
	if (plain && v->out != NULL)
		v->out->key = knowledge_copy(s->k, buf_view(&key));
	buf_fini(&key);
}

void
views_index(struct views *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i]->query.len > 0 && s->v[i]->out == NULL && !s->v[i]->reading)
			(void)resolve_query(s, s->v[i], 0);
	for (size_t i = 0; i < s->n; i++)
		for (size_t j = 0; j < s->v[i]->n; j++) {
			struct view_member *m = &s->v[i]->members[j];

			if (views_member(s, s->v[i], m->name) != NULL)
				m->why = "another member has its name";
			else
				table_add(&s->members, member_hash(s->v[i], m->name), (uint32_t)j);
		}
	for (size_t i = 0; i < s->n; i++)
		for (size_t j = 0; j < s->v[i]->n; j++) {
			struct view_member *m = &s->v[i]->members[j];
			struct span text = SPAN_NONE;
			struct view_uses uses;
			const char *why;

			/* Of a member that is just another one, the column may be known already; else it is computed.
			 */
			if (m->part == VIEW_DIMENSION && m->why == NULL && s->v[i]->out != NULL)
				text = resolved(s, s->v[i], m->sql, &uses, &why);
			m->column = only_column(text);
			m->shadows = m->column.len == 0 && has_column(text, m->name);
		}
	for (size_t i = 0; i < s->n; i++)
		set_key(s, s->v[i]);
}

/* One side of an equality of a join. */
struct join_side {
	struct span		 role, column;	/* how the view is called there */
	const struct view_table	*view;
};

static bool
set_side(struct resolving *r, struct span role, const struct view_table *v, struct span name, bool member,
    struct join_side *out)
{
	const struct view_member *m = NULL;

	if (v == NULL)
		return refuse_text(r, "it names %.*s, which is no %s that was read", SPAN_FMT(role), r->s->tool->view);
	if (v->out == NULL)
		return refuse_text(r, "it leads to %.*s, which was skipped", SPAN_FMT(v->name));
	if (member && (m = member_called(r, v, name, NULL)) == NULL)
		return false;
	if (m != NULL && m->shadows)
		return refuse_text(r, "its condition is more than equal columns");
	*out = (struct join_side){ role, m == NULL ? name : m->column.len > 0 ? m->column : m->name, v };
	return tree_is_name(out->column) || refuse_text(r, "it names a column that cannot be named here");
}

/* "{orders}.id", "${orders.id}", "orders.id". */
static bool
take_side(struct resolving *r, struct join_side *out)
{
	struct sqltext_token t = sqltext_next(&r->t), column;
	struct span name = t.text, of = t.text, member = SPAN_NONE;
	bool braces = sqltext_is_punct(&t, '{');

	if (sqltext_is_punct(&t, '$') && sqltext_peek(&r->t, 0) == '{') {
		r->t.at++;
		braces = true;
	}
	if (braces) {
		if (!take_braces(r, &name))
			return false;
		member = cut_name(name, &of);
		if (of.len == 0 && (r->s->tool->dollar || views_member(r->s, r->home, member) != NULL)) {
			of = r->home->name;
		} else if (of.len == 0) {
			of = member;
			member = SPAN_NONE;
		}
	} else if (t.kind != SQLTEXT_WORD)
		return refuse_text(r, "its condition is more than equal columns");
	if (span_is_str(of, r->s->tool->self))
		of = r->home->name;
	if (member.len > 0)
		return set_side(r, of, views_named(r->s, r->aliases, of), member, true, out);
	if (sqltext_peek(&r->t, 0) != '.')
		return refuse_text(r, "its condition is more than equal columns");
	r->t.at++;
	column = sqltext_piece(&r->t);
	if (column.kind != SQLTEXT_WORD && column.kind != SQLTEXT_QUOTED)
		return refuse_text(r, "its condition is more than equal columns");
	return set_side(r, of, views_named(r->s, r->aliases, of), plain_name(&column), false, out);
}

/* One end of a join: its condition as seen from there, and its columns as ",a,b,". */
struct join_end {
	struct join_side	 side;
	struct buf		 on, columns;
};

static void
put_equality(struct join_end *e, const struct join_side *mine, const struct join_side *other)
{
	e->side = *mine;
	buf_printf(&e->on, "%s%.*s = %.*s", e->on.len > 0 ? " AND " : "", SPAN_FMT(mine->column),
	    SPAN_FMT(other->column));
	buf_printf(&e->columns, "%s%.*s,", e->columns.len > 0 ? "" : ",", SPAN_FMT(mine->column));
}

/* Whether a row of that end is met by its key, or no key is known. */
static bool
has_key(const struct join_end *e)
{
	struct span key = e->side.view->out->key;
	bool all = true;

	while (key.len > 0 && all) {
		const uint8_t *comma = memchr(key.p, ',', key.len);
		size_t n = comma == NULL ? key.len : (size_t)(comma - key.p);
		struct buf column = { 0 };

		buf_printf(&column, ",%.*s,", (int)n, (const char *)key.p);
		all = memmem(e->columns.p, e->columns.len, column.p, column.len) != NULL;
		buf_fini(&column);
		key = comma == NULL ? SPAN_NONE : span_of(comma + 1, key.len - n - 1);
	}
	return all;
}

/* "a = b AND c = d", where one side of each is the view that is joined. */
static bool
read_condition(struct resolving *r, struct span to, struct join_end *here, struct join_end *there)
{
	struct sqltext_token t;

	do {
		struct join_side side[2];
		size_t at;

		if (!take_side(r, &side[0]) || (t = sqltext_next(&r->t), !sqltext_is_punct(&t, '=')) ||
		    !take_side(r, &side[1]))
			return refuse_text(r, "%s",
			    r->why != NULL ? r->why :
					     "its condition is more than equal "
					     "columns");
		at = span_is(side[0].role, to) ? 0 : 1;
		if (!span_is(side[at].role, to) || span_is(side[1 - at].role, to) ||
		    (here->on.len > 0 && !span_is(side[1 - at].role, here->side.role)))
			return refuse_text(r, "its condition is not between it and one other %s", r->s->tool->view);
		put_equality(here, &side[1 - at], &side[at]);
		put_equality(there, &side[at], &side[1 - at]);
		t = sqltext_next(&r->t);
	} while (sqltext_is(&t, "and"));
	return t.kind == SQLTEXT_END || sqltext_is_punct(&t, ';') ||
	    refuse_text(r, "its condition is more than equal columns");
}

static const struct knowledge_entry *
find_join(const struct view_table *from, const struct view_table *to, struct span alias)
{
	for (const struct knowledge_entry *e = from->out->entries; e != NULL; e = e->next)
		if (e->part == KNOWLEDGE_JOIN && span_is(e->to, to->name) && span_is(e->alias, alias))
			return e;
	return NULL;
}

/* Adds the join of these ends; single: each row of both meets one of the other. */
static void
add_join(struct views *s, const struct view_join *j, const struct join_end *near, const struct join_end *far,
    bool single)
{
	const struct join_side *from = &near->side, *to = &far->side;
	struct span on = buf_view(&near->on), back = buf_view(&far->on);
	/* A table that several views are of has one name here, and the others are its roles. */
	struct span alias = !span_is(to->role, to->view->name) ? to->role :
	    to->view->second                                   ? to->view->name :
								 SPAN_NONE;
	const struct knowledge_entry *there = find_join(from->view, to->view, alias),
				     *reverse = find_join(to->view, from->view, SPAN_NONE);
	struct knowledge_entry *e;

	single = single && has_key(near);
	if (!has_key(far))
		knowledge_skip(s->k, j->as, j->name, j->from,
		    "it says that one row of %.*s meets, and does not compare all of its key",
		    SPAN_FMT(to->view->name));
	else if (from->view == to->view && alias.len == 0)
		knowledge_skip(s->k, j->as, j->name, j->from, "it leads to its own %s", s->tool->view);
	else if ((there != NULL && span_is(there->on, on)) ||
	    (reverse != NULL && single && reverse->single && span_is(reverse->on, back)))
		knowledge_merge(s->k, j->as, j->name);
	else if (there != NULL)
		knowledge_skip(s->k, j->as, j->name, j->from, "%.*s is joined already, on %.*s",
		    SPAN_FMT(to->view->name), SPAN_FMT(there->on));
	else if (reverse != NULL && from->view != to->view && span_is(reverse->on, back))
		knowledge_skip(s->k, j->as, j->name, j->from, "another join says the opposite of it");
	else {
		e = knowledge_entry_add(s->k, from->view->out, KNOWLEDGE_JOIN, j->as, j->name);
		e->to = to->view->name;
		e->on = knowledge_copy(s->k, on);
		e->alias = alias;
		e->single = single;
	}
}

void
views_join(struct views *s, const struct view_join *j)
{
	struct resolving r = { s, j->home, j->aliases, { SQLTEXT_EXPRESSION, span_trim(j->on), 0 }, NULL, NULL, 0,
		NULL };
	struct join_end here = { .on = { 0 } }, there = { .on = { 0 } };

	if (j->on.len == 0)
		refuse_text(&r, "it has no condition");
	else if (template_is(j->on))
		refuse_text(&r, "it has a template, which is not run");
	else if (span_is_str(j->relationship, "many_to_many"))
		refuse_text(&r, "rows of both sides meet several of the other, and such numbers are not added up here");
	else
		(void)read_condition(&r, j->to, &here, &there);
	if (r.why != NULL)
		knowledge_skip(s->k, j->as, j->name, j->from, "%s", r.why);
	else if (span_is_str(j->relationship, "one_to_many"))
		add_join(s, j, &there, &here, false);
	else
		add_join(s, j, &here, &there, span_is_str(j->relationship, "one_to_one"));
	buf_fini(&here.on);
	buf_fini(&here.columns);
	buf_fini(&there.on);
	buf_fini(&there.columns);
}

static const char *
take_dimension(struct views *s, struct view_table *v, const struct view_member *m)
{
	struct view_uses uses;
	struct knowledge_entry *e;
	const char *why;
	struct span expr = resolved(s, v, m->sql, &uses, &why);

	if (why == NULL && uses.measures > 0)
		why = "it is made of measures, and a column has one value for each row";
	if (why == NULL && expr.len == 0)
		why = "it has no SQL";
	if (why != NULL)
		return why;
	e = knowledge_entry_add(s->k, v->out, KNOWLEDGE_COLUMN, m->as, m->name);
	e->expr = span_is_folded(m->column, m->name) ? SPAN_NONE : expr;
	e->type = m->time ? SPAN("time") : SPAN_NONE;
	e->label = m->label;
	e->said = m->said;
	return NULL;
}

/* The form of its aggregate; NULL with *why: it has no place here. */
static const char *
form_of(const struct views *s, const struct view_member *m, const char **why)
{
	const char *form = NULL;

	*why = (const char *)knowledge_text(s->k, "its type \"%.*s\" is not known", SPAN_FMT(m->type)).p;
	for (size_t i = 0; i < sizeof(aggregates) / sizeof(aggregates[0]); i++)
		if (span_is_str(m->type, aggregates[i].type))
			form = aggregates[i].forms[s->tool->form];
	for (size_t i = 0; i < sizeof(refused_types) / sizeof(refused_types[0]); i++)
		if (span_is_str(m->type, refused_types[i].type))
			*why = refused_types[i].why;
	return form;
}

/* Its condition, and that of its view, resolved. */
static const char *
put_filter(struct views *s, struct view_table *v, const struct view_member *m, struct buf *out)
{
	struct view_uses uses = { 0 };
	const char *why = NULL;

	if (m->filter.len > 0)
		why = views_resolve(s, v, NULL, m->filter, &uses, out);
	if (why == NULL && uses.measures > 0)
		why = "its filter uses a measure";
	if (v->limit.len > 0)
		buf_printf(out, "%s%.*s", out->len > 0 ? " and " : "", SPAN_FMT(v->limit));
	return why;
}

static struct span
aggregate_text(struct views *s, const char *form, struct span x)
{
	struct buf out = { 0 };
	struct span text;

	for (; *form != '\0'; form++)
		if (*form == 'X')
			buf_span(&out, x);
		else
			buf_byte(&out, (uint8_t)*form);
	text = knowledge_copy(s->k, buf_view(&out));
	buf_fini(&out);
	return text;
}

static const char *
take_measure(struct views *s, struct view_table *v, const struct view_member *m)
{
	const char *why, *form = form_of(s, m, &why);
	bool plain = form != NULL && strcmp(form, "X") == 0, star = form != NULL && strchr(form, 'X') == NULL;
	struct knowledge_entry *e;
	struct buf filter = { 0 };
	struct view_uses uses;
	struct span x;

	if (form == NULL)
		return why;
	if (v->odd != NULL)
		return v->odd;
	x = resolved(s, v, span_is_str(m->sql, "*") ? SPAN("1") : m->sql, &uses, &why);
	if (why == NULL && m->sql.len == 0 && span_is_str(m->type, "count"))
		x = SPAN("*");
	if (why == NULL && x.len == 0 && !star)
		why = "it has no SQL";
	if (why == NULL && uses.measures > 0 && !plain)
		why = "it aggregates a measure";
	if (why == NULL && uses.others)
		why = "it is made of measures of several tables, and which of their rows count depends on the question";
	if (why == NULL && plain && uses.measures == 0 && x.len > 0 && memchr(x.p, '(', x.len) == NULL)
		why = "its SQL aggregates nothing";
	if (why == NULL && plain && m->filter.len > 0)
		why = "it has filters, which act on no aggregate of its own";
	if (why == NULL)
		why = put_filter(s, v, m, &filter);
	if (why == NULL) {
		e = knowledge_entry_add(s->k, v->out, KNOWLEDGE_MEASURE, m->as, m->name);
		e->expr = aggregate_text(s, form, x);
		e->filter = knowledge_copy(s->k, buf_view(&filter));
		e->adds = strncmp(form, "coalesce", 8) == 0;
		e->label = m->label;
		e->said = m->said;
	}
	buf_fini(&filter);
	return why;
}

static const char *
take_segment(struct views *s, struct view_table *v, const struct view_member *m)
{
	struct view_uses uses;
	struct knowledge_entry *e;
	const char *why;
	struct span expr = resolved(s, v, m->sql, &uses, &why);

	if (why == NULL && (expr.len == 0 || uses.measures > 0))
		why = "it is no condition on rows";
	if (why != NULL)
		return why;
	e = knowledge_entry_add(s->k, v->out, KNOWLEDGE_SEGMENT, m->as, m->name);
	e->expr = expr;
	e->label = m->label;
	e->said = m->said;
	return NULL;
}

void
views_take(struct views *s)
{
	static const char *(*const takers[])(struct views *, struct view_table *, const struct view_member *) = {
		[VIEW_DIMENSION] = take_dimension, [VIEW_MEASURE] = take_measure, [VIEW_SEGMENT] = take_segment
	};

	for (size_t i = 0; i < s->n; i++)
		for (size_t j = 0; j < s->v[i]->n; j++) {
			struct view_table *v = s->v[i];
			const struct view_member *m = &v->members[j];
			const char *why = v->out == NULL ? "its table was skipped" :
			    m->why != NULL               ? m->why :
							   takers[m->part](s, v, m);

			if (why != NULL)
				knowledge_skip(s->k, m->as, member_name(s, v, m->name), v->from, "%s", why);
		}
}

void
views_free(struct views *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i]->members);
	free(s->v);
	table_free(&s->names);
	table_free(&s->members);
	table_free(&s->tables);
}

const char *
views_odd_key(struct knowledge *k, const struct yaml_node *n, const char *const *known)
{
	const struct yaml_node *odd = tree_unknown_key(n, known);

	return odd == NULL ? NULL : (const char *)knowledge_text(k, TREE_UNKNOWN, SPAN_FMT(odd->text)).p;
}
