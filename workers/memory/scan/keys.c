#include "workers/memory/scan/keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "project/scan/type_family.h"
#include "workers/memory/scan/pace.h"
#include "workers/memory/scan/relate_names.h"
#include "workers/shared/ask_worker.h"
#include "workers/shared/call.h"

#define ROWS_MIN	10		/* fewer may have different values by chance */
#define ROWS_MAX	10000000	/* counting more takes memory and time */
#define TRIES		3		/* columns of a table that are counted, one after the other */
#define QUERIES		5000		/* of a scan; the time is limited too */
#define NAMES_APART	0.9		/* names that repeat more than this mean that a row is not what they name */
#define NAMES_BYTES	((size_t)1 << 20)	/* of a table */

/* What a column's name says of its table's rows; of two columns the first one is the better key. */
enum keys_says { KEYS_OWN, KEYS_PLAIN, KEYS_OWN_NAME, KEYS_NAME, KEYS_NOTHING };

/*
 * Words that stand behind the name of the table (order_no, riverName), and those that a column of any table may be
 * called alone: "number" alone is how many there are.
 */
static const struct {
	const char	*word;
	bool		 name, alone;
} says_words[] = {
	{ "id", false, true }, { "key", false, true }, { "code", false, true }, { "uuid", false, true },
	{ "guid", false, true }, { "pk", false, true }, { "sk", false, true }, { "nr", false, true },
	{ "nummer", false, true }, { "kennung", false, true }, { "schluessel", false, true },
	{ "kuerzel", false, true },
	{ "no", false, false }, { "num", false, false }, { "number", false, false },
	{ "name", true, true }, { "title", true, true }, { "label", true, true }, { "titel", true, true },
	{ "bezeichnung", true, true },
};

/* Columns of numbers that say how many things a row stands for, as those do that are called after the table. */
static const char *const counting_words[] = { "count", "counts", "cnt", "number", "num", "no", "n", "frequency",
	"anzahl", NULL };
static const char *const counting_types[] = { "integer", "decimal", "float", NULL };

/* Types whose values identify, and those that name; a number with a fraction or a moment measures. */
static const char *const key_types[] = { "integer", "text", "uuid", NULL };
static const char *const name_types[] = { "text", NULL };

struct key_candidate {
	uint32_t	table, column;
	unsigned	rank;		/* among the candidates of its table */
	bool		unique;
	uint64_t	rows;
};

struct key_proving {
	const struct relate	*r;
	const struct deep	*deep;
	size_t			 n, cap;
	struct key_candidate	*v;		/* by table and rank */
	bool			*proved;	/* of each table */
	unsigned		 rank;		/* of this round */
	size_t			 next, nqueries;
	struct keys_job {
		struct key_candidate *c;		/* NULL: free */
		struct buf	 args;
	}			 jobs[CALL_SUBS_MAX];
	struct pace		 pace;
};

static enum keys_says
says_word(struct span s, bool alone)
{
	for (size_t i = 0; i < sizeof(says_words) / sizeof(says_words[0]); i++)
		if (span_is_str(s, says_words[i].word) && (says_words[i].alone || !alone))
			return says_words[i].name ? (alone ? KEYS_NAME : KEYS_OWN_NAME) :
						    (alone ? KEYS_PLAIN : KEYS_OWN);
	return KEYS_NOTHING;
}

/* What follows in a name behind the thing that its table holds; p == NULL: the name does not begin with it. */
static struct span
behind_thing(struct arena *a, struct span name, struct span thing)
{
	struct span rest = { NULL, 0 };

	if (span_is(relate_singular(a, name), thing))
		return SPAN("");
	if (name.len > thing.len && memcmp(name.p, thing.p, thing.len) == 0)
		rest = span_of(name.p + thing.len, name.len - thing.len);
	if (rest.len > 0 && rest.p[0] == '_')
		rest = span_of(rest.p + 1, rest.len - 1);
	return rest;
}

/* The thing without its first word: "world_river" is also a "river".  False: there is no other. */
static bool
next_thing(struct span *thing)
{
	const uint8_t *end = memchr(thing->p, '_', thing->len);

	if (end == NULL)
		return false;
	*thing = span_of(end + 1, (size_t)(thing->p + thing->len - end) - 1);
	return thing->len > 1;
}

/* thing: the table's name in the singular. */
static enum keys_says
says_of(struct arena *a, struct span name, struct span thing)
{
	enum keys_says says = says_word(name, true);

	for (bool more = thing.len > 1; says == KEYS_NOTHING && more; more = next_thing(&thing)) {
		struct span rest = behind_thing(a, name, thing);

		if (rest.p != NULL)
			says = rest.len == 0 ? KEYS_OWN_NAME : says_word(rest, false);
	}
	return says;
}

/* Whether a column of numbers says how many of the table's things a row is about, or how much: births, total_births. */
static bool
is_counting(struct arena *a, struct span name, struct span thing)
{
	bool counts = span_is_any(name, counting_words);

	name = relate_singular(a, name);
	for (bool more = thing.len > 1; !counts && more; more = next_thing(&thing))
		counts = name.len >= thing.len && memcmp(name.p + name.len - thing.len, thing.p, thing.len) == 0 &&
		    (name.len == thing.len || name.p[name.len - thing.len - 1] == '_');
	return counts;
}

static bool
has_type(struct span driver, const struct relate_column *c, const char *const *types)
{
	return span_is_any(span_str(type_family(driver, c->type)), types);
}

static bool
is_sampled_unique(const struct relate_column *c)
{
	return c->rows >= ROWS_MIN && c->nulls == 0 && c->distinct == c->rows;
}

/* A table in search of its key. */
struct keyless {
	struct key_proving		*g;
	const struct relate_table *t;
	struct span		 driver, thing;
	struct arena		*arena;
	struct span		*names;		/* of the columns, folded, without a prefix that all share */
	enum keys_says		*says;		/* of the columns */
};

/* Whether names of the rows repeat, so that a row is not what they name, or a column counts what the rows are about. */
static bool
is_about_others(const struct keyless *k)
{
	for (size_t i = 0; i < k->t->ncolumns; i++) {
		const struct relate_column *c = &k->t->columns[i];

		if ((k->says[i] == KEYS_NAME || k->says[i] == KEYS_OWN_NAME) &&
		    (double)c->distinct < NAMES_APART * (double)(c->rows - c->nulls))
			return true;
		if (has_type(k->driver, c, counting_types) && is_counting(k->arena, k->names[i], k->thing))
			return true;
	}
	return false;
}

static void
add_candidates(const struct keyless *k)
{
	bool others = is_about_others(k);
	unsigned rank = 0;

	for (enum keys_says s = KEYS_OWN; s < KEYS_NOTHING; s++) {
		bool name = s == KEYS_OWN_NAME || s == KEYS_NAME, alone = s == KEYS_PLAIN || s == KEYS_NAME;

		for (size_t i = 0; i < k->t->ncolumns && rank < TRIES; i++) {
			if (k->says[i] != s || (alone && others) || !is_sampled_unique(&k->t->columns[i]) ||
			    !has_type(k->driver, &k->t->columns[i], name ? name_types : key_types))
				continue;
			k->g->v = mem_grow(k->g->v, k->g->n, &k->g->cap, sizeof(*k->g->v));
			k->g->v[k->g->n++] = (struct key_candidate){ .table = (uint32_t)(k->t - k->g->r->tables),
				.column = (uint32_t)i, .rank = rank };
			rank++;
		}
	}
}

static void
find_candidates(struct keyless *k)
{
	size_t n = k->t->ncolumns, prefix;

	k->names = arena_array(k->arena, n, sizeof(*k->names));
	k->says = arena_array(k->arena, n, sizeof(*k->says));
	k->thing = relate_singular(k->arena, relate_unnumbered(relate_fold_table(k->arena, k->t->m->name)));
	if (k->names == NULL || k->says == NULL)
		return;
	for (size_t i = 0; i < n; i++)
		k->names[i] = relate_fold(k->arena, k->t->columns[i].name);
	prefix = relate_common_prefix(k->names, n);
	for (size_t i = 0; i < n; i++) {
		k->names[i] = span_of(k->names[i].p + prefix, k->names[i].len - prefix);
		k->says[i] = says_of(k->arena, k->names[i], k->thing);
	}
	add_candidates(k);
}

static void
keys_take(struct key_candidate *c, const struct mp_value *v)
{
	c->rows = mp_get_uint(v, "childRows", 0);
	c->unique = c->rows >= ROWS_MIN && mp_get_uint(v, "childFilled", 0) == c->rows &&
	    mp_get_uint(v, "childDistinct", 0) == c->rows;
}

static void
keys_arguments(const struct key_proving *g, const struct key_candidate *c, struct buf *out)
{
	size_t map = mp_open_map(out);

	relate_put_side(&g->r->tables[c->table], &c->column, 1, "child", out);
	mp_add_pairs(out, mp_uint("sampleRows", 0), mp_uint("timeoutMs", g->r->profile->limits.statement_ms));
	mp_end(out, map);
}

static void
keys_name(const struct key_proving *g, const struct keys_job *j, uint8_t key[RECALL_KEY])
{
	recall_key(key, "unique", buf_view(&j->args), g->r->tables[j->c->table].version);
}

/* The next candidate of this round that has to be counted, in j; false: no other one. */
static bool
next_candidate(struct key_proving *g, struct keys_job *j)
{
	uint8_t key[RECALL_KEY];
	struct span value;
	struct mp_value v;

	for (; g->next < g->n; g->next++) {
		j->c = &g->v[g->next];
		if (j->c->rank != g->rank || g->proved[j->c->table])
			continue;
		buf_reset(&j->args, 65536);
		keys_arguments(g, j->c, &j->args);
		keys_name(g, j, key);
		if (recall_find(g->deep->recall, key, &value) && mp_value(value, &v))
			keys_take(j->c, &v);
		else if (g->nqueries < QUERIES && !pace_is_up(&g->pace)) {
			g->next++;
			return true;
		}
	}
	j->c = NULL;
	return false;
}

static bool
keys_next(void *arg, struct call_ask *ask)
{
	struct key_proving *g = arg;
	struct keys_job *j = g->jobs;

	while (j->c != NULL)
		j++;
	if (!next_candidate(g, j))
		return false;
	g->nqueries++;
	*ask = (struct call_ask){ .tool = "relate", .connection = span_str(g->deep->connection),
		.args = buf_view(&j->args), .arg = j };
	return true;
}

static int
keys_done(void *arg, const struct call_ask *ask, const struct mp_value *head, const struct err *why, struct err *err)
{
	struct key_proving *g = arg;
	struct keys_job *j = ask->arg;
	uint8_t key[RECALL_KEY];

	(void)why;
	(void)err;
	if (head != NULL) {
		keys_take(j->c, head);
		keys_name(g, j, key);
		recall_add(g->deep->recall, key, g->r->tables[j->c->table].version.len > 0, head->raw);
	}
	j->c = NULL;
	pace_step(&g->pace, g->deep->call, "Counted", "possible keys", g->nqueries);
	return 0;
}

static int
prove_round(struct key_proving *g, struct manifest *m, struct err *err)
{
	g->next = 0;
	if (call_sub_many(g->deep->call, g->deep->width, keys_next, keys_done, g, err) == -1)
		return -1;
	for (size_t i = 0; i < g->n; i++) {
		const struct key_candidate *c = &g->v[i];
		const struct relate_table *t = &g->r->tables[c->table];

		if (c->rank != g->rank || !c->unique)
			continue;
		g->proved[c->table] = true;
		manifest_measured_unique(m, t->m, t->columns[c->column].name, c->rows);
	}
	return 0;
}

int
keys_prove(const struct relate *r, struct manifest *m, struct span driver, const struct deep *d, unsigned from,
    unsigned to, struct err *err)
{
	struct key_proving g = { .r = r, .deep = d, .proved = mem_new(r->ntables, sizeof(bool)) };
	int result = 0;

	for (size_t i = 0; i < r->ntables; i++) {
		struct keyless k = { .g = &g, .t = &r->tables[i], .driver = driver };

		if (k.t->nprimary > 0 || k.t->rows < ROWS_MIN || k.t->rows > ROWS_MAX)
			continue;
		k.arena = arena_new(NAMES_BYTES);
		find_candidates(&k);
		arena_free(k.arena);
	}
	pace_begin(&g.pace, d->call, g.n, from, to);
	for (; result == 0 && g.rank < TRIES; g.rank++)
		result = prove_round(&g, m, err);
	m->measured = true;
	for (size_t i = 0; i < CALL_SUBS_MAX; i++)
		buf_fini(&g.jobs[i].args);
	free(g.v);
	free(g.proved);
	return result;
}
