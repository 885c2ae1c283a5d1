/* evidence.c - facts, how often each was met, and the page that tells them. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "workers/import/knowledge/evidence.h"

#define USED_MAX	5000	/* tables; further ones, and facts, are passed over */
#define FACTS_MAX	20000
#define PAIRED_MAX	32	/* tables of a statement that are paired */
#define SHOWN_MAX	100	/* of each list of the page, the most frequent ones */
#define STANDING	3	/* statements that must have a filter before it is told */

void
evidence_begin(struct log_evidence *e, uint64_t calls)
{
	e->serial++;
	e->calls = calls;
	e->nread++;
	e->ncalls += calls;
}

static void
count_use(const struct log_evidence *e, struct log_use *u)
{
	if (u->last == e->serial)
		return;
	u->last = e->serial;
	u->statements++;
	u->calls += e->calls;
}

size_t
evidence_table(struct log_evidence *e, struct span schema, struct span name)
{
	struct knowledge_model *m;
	size_t i;

	for (i = 0; i < e->ntables; i++) {
		m = e->tables[i].model;
		if (span_is(m->table, name) && (schema.len == 0 || m->schema.len == 0 || span_is(m->schema, schema)))
			break;
	}
	if (i == USED_MAX)
		return EVIDENCE_NO_TABLE;
	if (i == e->ntables) {
		e->tables = mem_grow(e->tables, i, &e->tables_cap, sizeof(*e->tables));
		name = knowledge_copy(e->k, name);
		m = knowledge_model_add(e->k, "table", name, SPAN_NONE);
		m->table = name;
		e->tables[e->ntables++] = (struct used_table){ m, { 0 } };
	}
	if (e->tables[i].model->schema.len == 0 && schema.len > 0)
		e->tables[i].model->schema = knowledge_copy(e->k, schema);
	count_use(e, &e->tables[i].use);
	return i;
}

void
evidence_add(struct log_evidence *e, enum fact_kind kind, size_t a, size_t b, struct span text, const char *operator)
{
	uint64_t hash = hash_of(text) ^ hash_of(span_str(operator)) * 3 ^ (uint64_t)(a << 24 ^ b << 4 ^ (size_t)kind);
	uint32_t row;

	for (size_t at = table_start(hash); (row = table_next(&e->keys, hash, &at)) != TABLE_NONE;) {
		struct log_fact *f = &e->facts[row];

		if (f->kind == kind && f->a == a && f->b == b && span_is(f->text, text) &&
		    strcmp(f->operator, operator) == 0) {
			count_use(e, &f->use);
			return;
		}
	}
	if (e->nfacts == FACTS_MAX)
		return;
	e->facts = mem_grow(e->facts, e->nfacts, &e->facts_cap, sizeof(*e->facts));
	e->facts[e->nfacts] = (struct log_fact){ kind, a, b, knowledge_copy(e->k, text), operator, { 0 } };
	count_use(e, &e->facts[e->nfacts].use);
	table_add(&e->keys, hash, (uint32_t)e->nfacts++);
}

void
evidence_pairs(struct log_evidence *e)
{
	size_t used[PAIRED_MAX], n = 0;

	for (size_t i = 0; i < e->ntables && n < PAIRED_MAX; i++)
		if (e->tables[i].use.last == e->serial)
			used[n++] = i;
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			evidence_add(e, FACT_PAIR, used[i], used[j], SPAN(""), "");
}

static int
order_facts(const void *a, const void *b)
{
	const struct log_fact *x = a, *y = b;

	if (x->use.calls != y->use.calls)
		return x->use.calls < y->use.calls ? 1 : -1;
	return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : span_cmp(x->text, y->text);
}

/* "{{t.x}} = {{u.y}} AND ...", from "x = y AND ...". */
static void
put_join(const struct log_evidence *e, const struct log_fact *f, struct buf *out)
{
	struct span models[2] = { e->tables[f->a].model->name, e->tables[f->b].model->name }, text = f->text;

	for (size_t side = 0; text.len > 0; side++) {
		const char *between = side % 2 == 0 ? " = " : " AND ";
		const uint8_t *end = memmem(text.p, text.len, between, strlen(between));
		size_t n = end == NULL ? text.len : (size_t)(end - text.p), skip = end == NULL ? 0 : strlen(between);

		buf_printf(out, "{{%.*s.%.*s}}%s", SPAN_FMT(models[side % 2]), (int)n, (const char *)text.p,
		    end == NULL ? "" : between);
		text = span_of(text.p + n + skip, text.len - n - skip);
	}
}

/* "x = y AND ..." as "y = x AND ...". */
static struct span
turn_on(struct knowledge *k, struct span text)
{
	struct buf out = { 0 };
	struct span s;

	while (text.len > 0) {
		const uint8_t *eq = memmem(text.p, text.len, " = ", 3), *and = memmem(text.p, text.len, " AND ", 5);
		size_t n = and == NULL ? text.len : (size_t)(and-text.p), left = (size_t)(eq - text.p);

		buf_printf(&out, "%.*s = %.*s%s", (int)(n - left - 3), (const char *)eq + 3, (int)left,
		    (const char *)text.p, and == NULL ? "" : " AND ");
		text = and == NULL ? SPAN_NONE : span_of(and+5, text.len - n - 5);
	}
	s = knowledge_copy(k, buf_view(&out));
	buf_fini(&out);
	return s;
}

/* A join as it may be proposed: from either table, since only the scan knows which of them has the key. */
static void
make_join(struct log_evidence *ev, const struct log_fact *f)
{
	struct knowledge_model *a = ev->tables[f->a].model, *b = ev->tables[f->b].model;
	struct span name = knowledge_text(ev->k, "%.*s.%.*s", SPAN_FMT(a->name), SPAN_FMT(b->name));
	struct knowledge_entry *e;

	if (a == b)
		return;
	for (int turned = 0; turned < 2; turned++) {
		e = knowledge_entry_add(ev->k, turned ? b : a, KNOWLEDGE_JOIN, turned ? NULL : "join", name);
		e->to = turned ? a->name : b->name;
		e->on = turned ? turn_on(ev->k, f->text) : f->text;
		e->keyed = true;
	}
}

static void
put_fact(const struct log_evidence *e, const struct log_fact *f, struct buf *out)
{
	const struct used_table *a = &e->tables[f->a];
	unsigned long long n = f->use.statements, calls = f->use.calls;

	buf_str(out, "- ");
	if (f->kind == FACT_JOIN)
		put_join(e, f, out);
	else if (f->kind == FACT_PAIR)
		buf_printf(out, "{{%.*s.*}}, {{%.*s.*}}", SPAN_FMT(a->model->name),
		    SPAN_FMT(e->tables[f->b].model->name));
	else
		buf_printf(out, "{{%.*s.%.*s}} `%s`", SPAN_FMT(a->model->name), SPAN_FMT(f->text), f->operator);
	buf_printf(out, ": %s%llu statements, %llu calls\n", f->kind == FACT_FILTER ? "all " : "", n, calls);
}

/* The page that tells what was counted; its lines whose names the scan does not know are left out. */
static void
make_page(struct log_evidence *e)
{
	static const char *const heads[FACT_KINDS] = { "Joins", "Filters of every statement that reads the table",
		"Tables that are used together" };
	struct knowledge_page *p = knowledge_page_add(e->k, "counts", SPAN("use"), SPAN_NONE);
	struct buf body = { 0 };

	buf_printf(&body,
	    "Counted in %llu statements, which ran %llu times. It is how the tables were used, and no rule.\n",
	    (unsigned long long)e->nread, (unsigned long long)e->ncalls);
	for (int kind = 0; kind < FACT_KINDS; kind++) {
		size_t n = 0;

		for (size_t i = 0; i < e->nfacts && n < SHOWN_MAX; i++) {
			const struct log_fact *f = &e->facts[i];

			if ((int)f->kind != kind ||
			    (kind == FACT_FILTER &&
				(f->use.statements < STANDING || f->use.statements < e->tables[f->a].use.statements)))
				continue;
			if (n++ == 0)
				buf_printf(&body, "\n## %s\n\n", heads[kind]);
			put_fact(e, f, &body);
		}
	}
	p->title = SPAN("How tables are used");
	p->summary =
	    SPAN("Joins, standing filters and tables that are used together, counted in statements that were run");
	p->named = true;
	p->body = knowledge_copy(e->k, buf_view(&body));
	buf_fini(&body);
}

void
evidence_end(struct log_evidence *e)
{
	if (e->nfacts > 0)
		qsort(e->facts, e->nfacts, sizeof(*e->facts), order_facts);
	for (size_t i = 0; i < e->nfacts; i++)
		if (e->facts[i].kind == FACT_JOIN)
			make_join(e, &e->facts[i]);
	if (e->nread > 0)
		make_page(e);
	table_free(&e->keys);
	free(e->tables);
	free(e->facts);
}
