/* sets.c - see sets.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/relevance/bm25.h"
#include "tests/relevance/project.h"
#include "tests/relevance/sets.h"
#include "base/array.h"
#include "workers/search/rank/same.h"
#include "workers/search/index/builder.h"

#define TEN		10
#define FIFTEEN		15
#define CALL_ARENA	((size_t)8 << 20)

const char *const measure_names[MEASURES] = {
	[MEASURE_MRR] = "MRR", [MEASURE_RECALL] = "recall", [MEASURE_TABLES] = "tables", [MEASURE_COLUMNS] = "columns",
	[MEASURE_CONNECTION] = "conn", [MEASURE_EMPTY] = "empty", [MEASURE_UNSURE] = "unsure", [MEASURE_SURE] = "sure",
	[MEASURE_RIGHT] = "right", [MEASURE_RIGHT_UNSURE] = "right if unsure"
};

/* --- reading ---------------------------------------------------------------- */

static size_t
add_project(struct sets *s, const char *dir)
{
	for (size_t i = 0; i < s->nprojects; i++)
		if (strcmp(s->projects[i].dir, dir) == 0)
			return i;
	s->projects = array_grow(s->projects, s->nprojects, &s->projects_cap, sizeof(*s->projects));
	s->projects[s->nprojects] = (struct project){ .dir = mem_text(span_str(dir)) };
	return s->nprojects++;
}

static struct set *
find_set(struct sets *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->v[i].name, name) == 0)
			return &s->v[i];
	s->v = array_grow(s->v, s->n, &s->cap, sizeof(*s->v));
	s->v[s->n] = (struct set){ .name = mem_text(span_str(name)) };
	return &s->v[s->n++];
}

static bool
add_line(struct set *set, size_t project, char *line)
{
	char *v[4] = { 0 };
	size_t n = 0;
	struct asked q;

	for (char *one; n < 4 && (one = strsep(&line, "\t")) != NULL;)
		v[n++] = one;
	if (n < 3)
		return false;
	q = n == 3 ? (struct asked){ .category = v[0], .text = v[1], .answers = v[2] } :
	    (struct asked){ .category = v[0], .connection = v[0], .text = v[1], .answers = v[2], .columns = v[3] };
	for (char **p[] = { &q.category, &q.connection, &q.text, &q.answers, &q.columns }, ***at = p;
	     at < p + sizeof(p) / sizeof(p[0]); at++)
		**at = **at == NULL ? NULL : mem_text(span_str(**at));
	if (set->n == set->cap) {
		size_t cap = set->cap;

		set->project = array_grow(set->project, set->n, &cap, sizeof(*set->project));
		set->v = array_grow(set->v, set->n, &set->cap, sizeof(*set->v));
		set->project = array_resize(set->project, set->cap, sizeof(*set->project));
	}
	set->project[set->n] = project;
	set->v[set->n++] = q;
	return true;
}

bool
sets_add(struct sets *s, const char *name, const char *project, const char *questions)
{
	struct set *set = find_set(s, name);
	size_t i = add_project(s, project), room = 0;
	FILE *f = fopen(questions, "re");
	char *line = NULL;
	bool good = f != NULL;

	while (good && getline(&line, &room, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (*line != '#' && *line != '\0')
			good = add_line(set, i, line);
	}
	if (!good)
		fprintf(stderr, "%s: cannot be read, or a line has no three or four columns\n", questions);
	free(line);
	if (f != NULL)
		fclose(f);
	return good;
}

void
sets_close(struct sets *s)
{
	for (size_t i = 0; i < s->nprojects; i++) {
		bm25_free(s->projects[i].bm25);
		if (s->projects[i].library != NULL)
			library_free(s->projects[i].library);
		s->projects[i].bm25 = NULL;
		s->projects[i].library = NULL;
	}
}

void
sets_free(struct sets *s)
{
	sets_close(s);
	for (size_t i = 0; i < s->nprojects; i++)
		free(s->projects[i].dir);
	free(s->projects);
	for (size_t i = 0; i < s->n; i++) {
		struct set *set = &s->v[i];

		for (size_t k = 0; k < set->n; k++) {
			free(set->v[k].category);
			free(set->v[k].connection);
			free(set->v[k].text);
			free(set->v[k].answers);
			free(set->v[k].columns);
		}
		free(set->name);
		free(set->v);
		free(set->project);
	}
	free(s->v);
}

void
sets_open(struct sets *s)
{
	sets_close(s);
	for (size_t i = 0; i < s->nprojects; i++)
		s->projects[i].library = project_open(s->projects[i].dir, s->vectors);
}

/* --- judging ----------------------------------------------------------------- */

/* A ref, as both forms of questions name it. */
struct ref {
	char		id[300];	/* "kind:id" */
	const char	*connection;	/* NULL: of the project */
	char		table[200], column[200];
};

struct refs {
	size_t		n;
	bool		confident;
	struct ref	v[FIFTEEN];
};

static void
set_text(char *out, size_t room, struct span s)
{
	snprintf(out, room, "%.*s", SPAN_FMT(s));
}

static void
make_ref(const struct part *p, uint32_t doc, struct ref *r)
{
	enum kind kind = (enum kind)p->segment->kind[doc];
	struct buf id = { 0 };

	*r = (struct ref){ .connection = p->shelf->connection };
	buf_printf(&id, "%s:", kind_name(kind));
	p->shelf->ops->id(p->shelf, p->segment, doc, &id);
	set_text(r->id, sizeof(r->id), buf_view(&id));
	buf_fini(&id);
	if (kind == KIND_TABLE || kind == KIND_COLUMN) {
		const struct schema *s = (const struct schema *)p->shelf;
		const struct schema_column *c;
		const struct schema_table *t = schema_of(s, p->segment, doc, &c);

		set_text(r->table, sizeof(r->table), schema_span(s, t->name));
		if (c != NULL)
			set_text(r->column, sizeof(r->column), schema_span(s, c->name));
	} else if (kind != KIND_WIKI) {
		uint32_t i;
		const struct source *source = models_of((const struct models *)p->shelf, p->segment, doc, &i);

		set_text(r->table, sizeof(r->table), span_str(source->name));
		if (kind == KIND_SL_DIMENSION)
			set_text(r->column, sizeof(r->column), span_str(source->columns[i].name));
	}
}

static void
ask(struct library *l, const char *text, unsigned kinds, size_t limit, struct refs *out)
{
	struct arena *a = arena_new(CALL_ARENA);
	struct answers answers;
	struct err err;
	size_t n;

	if (search_find(l, a, span_str(text), NULL, kinds, limit, false, &answers, &n, &err) != 0)
		abort();
	out->n = n;
	out->confident = answers.confident;
	for (size_t i = 0; i < n; i++)
		make_ref(&answers.parts[answers.v[i].part], answers.v[i].doc, &out->v[i]);
	arena_free(a);
}

static void
ask_bm25(struct project *p, const char *text, unsigned kinds, size_t limit, struct refs *out)
{
	struct bm25_hit hits[FIFTEEN];
	size_t nparts;
	const struct part *parts = library_parts(p->library, NULL, &nparts);

	if (p->bm25 == NULL)
		p->bm25 = bm25_new(p->library);
	out->n = bm25_ask(p->bm25, text, kinds, limit, hits);
	out->confident = true;
	for (size_t i = 0; i < out->n; i++)
		make_ref(&parts[hits[i].part], hits[i].doc, &out->v[i]);
}

/* Is what begins with `answer` and ends with end or '|' the text, case aside? */
static bool
is_answer(const char *answer, size_t len, const char *text)
{
	return strlen(text) == len && strncasecmp(answer, text, len) == 0;
}

static bool
matches(const struct asked *q, const char *answer, size_t len, bool column, const struct ref *r)
{
	char both[401];

	if (q->connection == NULL)
		return is_answer(answer, len, r->id);
	if (r->connection == NULL || strcmp(r->connection, q->connection) != 0)
		return false;
	if (!column)
		return is_answer(answer, len, r->table);
	snprintf(both, sizeof(both), "%s.%s", r->table, r->column);
	return r->column[0] != '\0' && is_answer(answer, len, both);
}

/* Share of the answers among the first `most`; *first: rank of the first ref that is one of them, 0: none. */
static float
found(const struct asked *q, const char *answers, bool column, const struct refs *refs, size_t most, size_t *first)
{
	size_t n = 0, hit = 0;

	*first = 0;
	for (const char *at = answers; *at != '\0';) {
		size_t len = strcspn(at, "|"), i = 0;

		while (i < refs->n && i < most && !matches(q, at, len, column, &refs->v[i]))
			i++;
		if (i < refs->n && i < most) {
			hit++;
			*first = *first == 0 || i + 1 < *first ? i + 1 : *first;
		}
		n++;
		at += len + (at[len] == '|');
	}
	return n == 0 ? -1 : (float)hit / (float)n;
}

typedef void ask_fn(struct project *p, const char *text, unsigned kinds, size_t limit, struct refs *out);

static void
ask_ours(struct project *p, const char *text, unsigned kinds, size_t limit, struct refs *out)
{
	ask(p->library, text, kinds, limit, out);
}

static void
judge(struct project *p, const struct asked *q, ask_fn *fn, struct result *out)
{
	bool ours = q->connection == NULL;
	size_t depth = ours ? TEN : FIFTEEN, first, any;
	struct refs refs;

	for (size_t i = 0; i < MEASURES; i++)
		out->v[i] = -1;
	fn(p, q->text, KINDS_ALL, depth, &refs);
	if (strcmp(q->answers, "-") == 0) {
		out->v[MEASURE_UNSURE] = refs.n == 0 || !refs.confident;
		out->v[MEASURE_EMPTY] = refs.n == 0;
		return;
	}
	out->v[MEASURE_RECALL] = found(q, q->answers, false, &refs, depth, &first);
	out->v[MEASURE_MRR] = first == 0 ? 0 : 1 / (float)first;
	out->v[MEASURE_EMPTY] = refs.n == 0;
	out->v[MEASURE_SURE] = refs.n > 0 && refs.confident;
	out->v[refs.n > 0 && refs.confident ? MEASURE_RIGHT : MEASURE_RIGHT_UNSURE] = first == 1;
	if (ours)
		return;
	out->v[MEASURE_CONNECTION] =
	    refs.n > 0 && refs.v[0].connection != NULL && strcmp(refs.v[0].connection, q->connection) == 0;
	if (q->columns != NULL && *q->columns != '\0')
		out->v[MEASURE_COLUMNS] = found(q, q->columns, true, &refs, depth, &any);
	fn(p, q->text, KIND_BIT(KIND_TABLE), depth, &refs);
	out->v[MEASURE_TABLES] = found(q, q->answers, false, &refs, depth, &any);
}

void
sets_ask(struct sets *s, const struct set *set, struct result *out)
{
	for (size_t i = 0; i < set->n; i++)
		judge(&s->projects[set->project[i]], &set->v[i], ask_ours, &out[i]);
}

void
sets_ask_bm25(struct sets *s, const struct set *set, struct result *out)
{
	for (size_t i = 0; i < set->n; i++)
		judge(&s->projects[set->project[i]], &set->v[i], ask_bm25, &out[i]);
}

void
sets_show_misses(struct sets *s, const struct set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct asked *q = &set->v[i];
		struct result r;
		struct refs refs;

		judge(&s->projects[set->project[i]], q, ask_ours, &r);
		if (r.v[MEASURE_MRR] < 0 ? r.v[MEASURE_UNSURE] > 0 : r.v[MEASURE_MRR] >= 1 && r.v[MEASURE_RECALL] >= 1)
			continue;
		ask(s->projects[set->project[i]].library, q->text, KINDS_ALL, FIFTEEN, &refs);
		printf("  %-12s %.2f %.2f  %s  wants %s\n     ", q->category, (double)r.v[MEASURE_MRR],
		    (double)r.v[MEASURE_RECALL], q->text, q->answers);
		for (size_t k = 0; k < refs.n && k < 6; k++)
			printf(" %s/%s", refs.v[k].connection != NULL ? refs.v[k].connection : "", refs.v[k].id);
		printf("%s\n", refs.confident ? "" : "  (unsure)");
	}
}
