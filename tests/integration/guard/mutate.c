/* mutate.c - see mutate.h. */
#include "tests/integration/guard/mutate.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text/sqltext.h"
#include "workers/sql/postgres/postgres_text.h"

#define TOKENS_MAX	6000u	/* of a statement; a longer one is cut off */

struct token {
	enum sqltext_kind	kind;
	bool			gap;	/* white space or a comment in front of it */
	struct span		text;
};

struct tokens {
	struct token	*t;
	size_t		 n, cap;
};

struct mutator {
	uint64_t	 state;
	struct arena	*texts;
	struct tokens	*statements;
	size_t		 n, cap;
	struct span	*pools[MUTATOR_POOLS];
	size_t		 npool[MUTATOR_POOLS], cap_pool[MUTATOR_POOLS];
	struct tokens	 work, scratch;
};

/* --- chance and memory ------------------------------------------------------------------------- */

/* From 0 to n - 1; 0 when n is 0. */
static size_t
chance(struct mutator *m, size_t n)
{
	m->state ^= m->state << 13;
	m->state ^= m->state >> 7;
	m->state ^= m->state << 17;
	return n == 0 ? 0 : (size_t)(m->state >> 11) % n;
}

/* Room for one more in a growing array. */
static void *
grow(void *p, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return p;
	*cap = *cap == 0 ? 64 : *cap * 2;
	if ((p = realloc(p, *cap * size)) == NULL)
		abort();
	return p;
}

static void
push(struct tokens *out, struct token t)
{
	if (out->n >= TOKENS_MAX)
		return;
	out->t = grow(out->t, out->n, &out->cap, sizeof(*out->t));
	out->t[out->n++] = t;
}

static void
push_range(struct tokens *out, const struct tokens *from, size_t at, size_t n)
{
	for (size_t i = at; i < at + n && i < from->n; i++)
		push(out, from->t[i]);
}

static void
push_text(struct tokens *out, const char *text)
{
	struct sqltext s = { .dialect = SQLTEXT_POSTGRES, .text = span_str(text) };
	struct sqltext_token t;

	while ((t = sqltext_next(&s)).kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN)
		push(out, (struct token){ t.kind, true, t.text });
}

static struct span
copy(struct mutator *m, const char *text)
{
	struct span kept = arena_span(m->texts, span_str(text));

	if (kept.p == NULL)
		abort();
	return kept;
}

static struct span
offered(struct mutator *m, enum mutator_pool pool)
{
	return m->npool[pool] == 0 ? SPAN("x") : m->pools[pool][chance(m, m->npool[pool])];
}

static const struct tokens *
other(struct mutator *m)
{
	return &m->statements[chance(m, m->n)];
}

/* --- places ------------------------------------------------------------------------------------------ */

static bool
is_punct(const struct token *t, char c)
{
	return t->kind == SQLTEXT_PUNCT && t->text.p[0] == (uint8_t)c;
}

/* A random "(" and how many tokens up to its ")"; false when there is none. */
static bool
pick_group(struct mutator *m, const struct tokens *s, size_t *at, size_t *n)
{
	size_t start = chance(m, s->n), depth = 0;

	for (size_t k = 0; k < s->n; k++) {
		size_t i = (start + k) % s->n;

		if (!is_punct(&s->t[i], '('))
			continue;
		for (size_t j = i; j < s->n; j++) {
			depth += is_punct(&s->t[j], '(');
			depth -= is_punct(&s->t[j], ')');
			if (depth == 0) {
				*at = i;
				*n = j - i + 1;
				return true;
			}
		}
		return false;
	}
	return false;
}

/* A random token that fits; SIZE_MAX when there is none. */
static size_t
pick(struct mutator *m, const struct tokens *s, bool (*fits)(const struct tokens *s, size_t i))
{
	size_t start = chance(m, s->n);

	for (size_t k = 0; k < s->n; k++)
		if (fits(s, (start + k) % s->n))
			return (start + k) % s->n;
	return SIZE_MAX;
}

static bool
is_called(const struct tokens *s, size_t i)
{
	return (s->t[i].kind == SQLTEXT_WORD || s->t[i].kind == SQLTEXT_QUOTED) && i + 1 < s->n &&
	    is_punct(&s->t[i + 1], '(');
}

static bool
is_after_from(const struct tokens *s, size_t i)
{
	struct sqltext_token before;

	if (i == 0 || (s->t[i].kind != SQLTEXT_WORD && s->t[i].kind != SQLTEXT_QUOTED))
		return false;
	before = (struct sqltext_token){ s->t[i - 1].kind, s->t[i - 1].text };
	return sqltext_is(&before, "FROM") || sqltext_is(&before, "JOIN") || sqltext_is(&before, "TABLE");
}

static bool
is_string(const struct tokens *s, size_t i)
{
	return s->t[i].kind == SQLTEXT_STRING;
}

static bool
is_word(const struct tokens *s, size_t i)
{
	return s->t[i].kind == SQLTEXT_WORD;
}

static bool
is_operand(const struct tokens *s, size_t i)
{
	return s->t[i].kind == SQLTEXT_NUMBER || s->t[i].kind == SQLTEXT_STRING || s->t[i].kind == SQLTEXT_WORD;
}

/* --- changes: each makes m->scratch of m->work -------------------------------------------------------- */

/* n tokens at at become what is put by the caller between head() and tail(). */
static void
head(struct mutator *m, size_t at)
{
	push_range(&m->scratch, &m->work, 0, at);
}

static void
tail(struct mutator *m, size_t at)
{
	push_range(&m->scratch, &m->work, at, m->work.n);
}

static void
replace_group(struct mutator *m)
{
	const struct tokens *from = other(m);
	size_t at = 0, n = 0, start = 0, len = 0;

	if (!pick_group(m, &m->work, &at, &n) || !pick_group(m, from, &start, &len))
		return;
	head(m, at);
	push_range(&m->scratch, from, start, len);
	tail(m, at + n);
}

static void
replace_operand(struct mutator *m)
{
	const struct tokens *from = other(m);
	size_t at = pick(m, &m->work, is_operand), start = 0, len = 0;

	if (at == SIZE_MAX)
		return;
	head(m, at);
	if (chance(m, 2) == 0 && pick_group(m, from, &start, &len)) {
		/* A call, with its name. */
		if (start > 0 && from->t[start - 1].kind == SQLTEXT_WORD)
			push(&m->scratch, from->t[start - 1]);
		push_range(&m->scratch, from, start, len);
	} else {
		push_text(&m->scratch, "(");
		push_range(&m->scratch, from, 0, from->n);
		push_text(&m->scratch, ")");
	}
	tail(m, at + 1);
}

static void
replace_one(struct mutator *m, size_t at, struct span by, enum sqltext_kind kind)
{
	if (at == SIZE_MAX)
		return;
	head(m, at);
	push(&m->scratch, (struct token){ kind, true, by });
	tail(m, at + 1);
}

static void
replace_function(struct mutator *m)
{
	replace_one(m, pick(m, &m->work, is_called), offered(m, MUTATOR_FUNCTIONS), SQLTEXT_WORD);
}

static void
replace_relation(struct mutator *m)
{
	replace_one(m, pick(m, &m->work, is_after_from), offered(m, MUTATOR_RELATIONS), SQLTEXT_WORD);
}

static void
replace_string(struct mutator *m)
{
	replace_one(m, pick(m, &m->work, is_string), offered(m, MUTATOR_STRINGS), SQLTEXT_STRING);
}

static void
replace_word(struct mutator *m)
{
	const struct tokens *from = other(m);
	size_t at = pick(m, from, is_word);

	if (at != SIZE_MAX)
		replace_one(m, pick(m, &m->work, is_word), from->t[at].text, SQLTEXT_WORD);
}

/* A few tokens go, come twice, or change places with the next. */
static void
shuffle(struct mutator *m)
{
	size_t at = chance(m, m->work.n), n = 1 + chance(m, 4);

	head(m, at);
	switch (chance(m, 3)) {
	case 0:
		break;
	case 1:
		push_range(&m->scratch, &m->work, at, n);
		push_range(&m->scratch, &m->work, at, n);
		break;
	default:
		push_range(&m->scratch, &m->work, at + n, n);
		push_range(&m->scratch, &m->work, at, n);
		n *= 2;
		break;
	}
	tail(m, at + n);
}

/* Something in front of a word or behind a call: another spelling, perhaps another meaning. */
static void
respell(struct mutator *m)
{
	static const char *const before[] = { "pg_catalog .", "public .", "/**/", "VARIADIC", "DISTINCT", "ALL", "x :=",
		"LATERAL", "(", "NOT", "- ", "ROW" };
	static const char *const behind[] = { ":: regclass", ":: text", ". *", ". nextval", "[ 1 ]", "COLLATE \"C\"",
		"OVER ( )", "FILTER ( WHERE true )", "WITHIN GROUP ( ORDER BY 1 )", "AT TIME ZONE 'UTC'", ")",
		"IS DOCUMENT", "WITH ORDINALITY", "TABLESAMPLE SYSTEM ( 50 )", "INTO stolen", "FOR UPDATE",
		"; SELECT 1", "AS x ( a , b )", "LIMIT 1", "ORDER BY 1 USING <", "CYCLE id SET c USING p" };
	size_t at = chance(m, m->work.n);

	head(m, at);
	if (chance(m, 3) == 0) {
		push_text(&m->scratch, before[chance(m, sizeof(before) / sizeof(before[0]))]);
		tail(m, at);
	} else {
		push_range(&m->scratch, &m->work, at, 1);
		push_text(&m->scratch, behind[chance(m, sizeof(behind) / sizeof(behind[0]))]);
		tail(m, at + 1);
	}
}

/* The whole statement becomes a part of a larger one. */
static void
embed(struct mutator *m)
{
	static const struct {
		const char *before, *between, *behind; /* the other statement stands between the first two */
	} forms[] = {
		{ "WITH w AS (", ")", "" },
		{ "WITH w AS MATERIALIZED (", ")", "" },
		{ "EXPLAIN", NULL, "" },
		{ "SELECT * FROM (", NULL, ") AS q" },
		{ "SELECT EXISTS (", NULL, ")" },
		{ "SELECT ARRAY (", NULL, ")" },
		{ "", "UNION ALL", "" },
		{ "(", ") EXCEPT (", ")" },
		{ "SELECT ( SELECT count(*) FROM (", ") a ) , ( SELECT 1 FROM (", ") b LIMIT 1 )" },
		{ "EXPLAIN ( VERBOSE )", NULL, "" },
		{ "SELECT row_to_json(q) FROM (", NULL, ") q" },
		{ "SELECT q :: text FROM (", NULL, ") q" },
		{ "WITH RECURSIVE w AS (", ")", "" },
		{ "EXPLAIN ( FORMAT JSON )", NULL, "" },
		{ "SELECT", ";", "" },
		{ "VALUES ( (", NULL, ") )" },
	};
	size_t i = chance(m, sizeof(forms) / sizeof(forms[0]));
	const struct tokens *from = other(m);

	push_text(&m->scratch, forms[i].before);
	if (forms[i].between != NULL) {
		push_range(&m->scratch, from, 0, from->n);
		push_text(&m->scratch, forms[i].between);
	}
	push_range(&m->scratch, &m->work, 0, m->work.n);
	push_text(&m->scratch, forms[i].behind);
}

static void
change(struct mutator *m)
{
	static void (*const changes[])(struct mutator *m) = {
		replace_group, replace_group, replace_operand, replace_operand, replace_function, replace_function,
		replace_function, replace_relation, replace_string, replace_word, shuffle, respell, embed,
	};
	struct tokens swap;

	if (m->work.n == 0)
		return;
	m->scratch.n = 0;
	changes[chance(m, sizeof(changes) / sizeof(changes[0]))](m);
	if (m->scratch.n == 0)
		return;
	swap = m->work;
	m->work = m->scratch;
	m->scratch = swap;
}

/* --- what is offered ------------------------------------------------------------------------------------- */

struct mutator *
mutator_new(uint64_t seed)
{
	struct mutator *m = calloc(1, sizeof(*m));

	if (m == NULL)
		abort();
	m->texts = arena_new((size_t)64 << 20);
	m->state = seed * 0x9E3779B97F4A7C15u | 1;
	return m;
}

void
mutator_free(struct mutator *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->statements[i].t);
	for (size_t p = 0; p < MUTATOR_POOLS; p++)
		free(m->pools[p]);
	free(m->statements);
	free(m->work.t);
	free(m->scratch.t);
	arena_free(m->texts);
	free(m);
}

void
mutator_add(struct mutator *m, const char *sql)
{
	struct sqltext s = { .dialect = SQLTEXT_POSTGRES, .text = copy(m, sql) };
	struct tokens *out;
	size_t end = 0;

	m->statements = grow(m->statements, m->n, &m->cap, sizeof(*m->statements));
	out = &m->statements[m->n];
	memset(out, 0, sizeof(*out));
	for (;;) {
		struct sqltext_token t = sqltext_next(&s);
		size_t start;

		if (t.kind == SQLTEXT_END || t.kind == SQLTEXT_BROKEN)
			break;
		start = (size_t)(t.text.p - s.text.p);
		push(out, (struct token){ t.kind, start > end, t.text });
		end = start + t.text.len;
	}
	m->n += out->n > 0;
}

void
mutator_offer(struct mutator *m, enum mutator_pool pool, const char *text)
{
	m->pools[pool] = grow(m->pools[pool], m->npool[pool], &m->cap_pool[pool], sizeof(struct span));
	m->pools[pool][m->npool[pool]++] = copy(m, text);
}

void
mutator_next(struct mutator *m, struct buf *out)
{
	const struct tokens *from = other(m);

	m->work.n = 0;
	push_range(&m->work, from, 0, from->n);
	for (size_t n = 1 + chance(m, 5); n > 0; n--)
		change(m);
	buf_reset(out, SIZE_MAX);
	for (size_t i = 0; i < m->work.n; i++) {
		if (i > 0 && m->work.t[i].gap)
			buf_byte(out, ' ');
		buf_span(out, m->work.t[i].text);
	}
}
