/* validate.c - the linter of models; see validate.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "project/format/yaml.h"
#include "semantic/compile.h"
#include "semantic/validate.h"

#define SCRATCH_MAX	((size_t)16 << 20)	/* for one compilation */
#define UNCONNECTED_NAMED 5u			/* sources of a file that no join connects */

struct linter {
	const struct sem_model	*model;
	const struct dialect	*dialect;
	struct arena		*arena;
	struct sem_finding	*findings;
	size_t			 n, cap;
	bool			 full;
	bool			 scanned;	/* the model has tables of a scan */
};

static void __attribute__((format(printf, 6, 7)))
report_finding(struct linter *l, const struct source *s, unsigned line, bool warning, enum sem_category category,
    const char *fmt, ...)
{
	char text[800];
	const char *copy;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (l->n == SEM_FINDINGS_MAX)
		return;
	if ((copy = arena_printf(l->arena, "%s", text)) == NULL) {
		l->full = true;
		return;
	}
	if (l->n == l->cap) {
		size_t cap = l->cap > 0 ? l->cap * 2 : 32;
		struct sem_finding *more = arena_array(l->arena, cap, sizeof(*more));

		if (more == NULL) {
			l->full = true;
			return;
		}
		if (l->n > 0)
			memcpy(more, l->findings, l->n * sizeof(*more));
		l->findings = more;
		l->cap = cap;
	}
	l->findings[l->n++] =
	    (struct sem_finding){ s->path, s->name, line, warning, sem_category_name(category), copy };
}

/* The line of the last item called name in the list key; 0 for what is not in one file. */
static unsigned
line_of(const struct source *s, const char *key, const char *name)
{
	const struct yaml_node *list = s->flavour == SOURCE_STANDALONE ? yaml_get(s->node, key) : NULL;

	for (size_t i = list != NULL && list->kind == YAML_SEQUENCE ? list->n : 0; i > 0; i--) {
		const struct yaml_node *v = yaml_get(&list->items[i - 1], "name");

		if (v != NULL && span_is_str(v->text, name))
			return list->items[i - 1].line;
	}
	return 0;
}

static unsigned
join_line(const struct source *s, const struct source_join *j)
{
	const struct yaml_node *list = s->flavour == SOURCE_STANDALONE ? yaml_get(s->node, "joins") : NULL;
	size_t i = (size_t)(j - s->joins);

	return list != NULL && list->kind == YAML_SEQUENCE && list->n == s->njoins ? list->items[i].line : 0;
}

static void
check_repeated(struct linter *l, const struct source *s, const char *key, const char *what, const char *const *names,
    size_t n)
{
	for (size_t i = 1; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(names[i], names[k]) == 0) {
				report_finding(l, s, line_of(s, key, names[i]), false, SEM_AMBIGUOUS_NAME,
				    "The %s \"%s\" is defined twice; rename or remove one.", what, names[i]);
				break;
			}
}

static void
check_names(struct linter *l, const struct source *s)
{
	size_t most = s->ncolumns + s->nmeasures + s->nsegments;
	const char **names = arena_array(l->arena, most + 1, sizeof(*names));
	size_t n = 0;

	if (names == NULL) {
		l->full = true;
		return;
	}
	for (size_t i = 0; i < s->ncolumns; i++)
		names[i] = s->columns[i].name;
	check_repeated(l, s, "columns", "column", names, s->ncolumns);
	for (size_t i = 0; i < s->nmeasures; i++)
		if (s->measures[i].name != NULL)
			names[n++] = s->measures[i].name;
	check_repeated(l, s, "measures", "measure", names, n);
	n = 0;
	for (size_t i = 0; i < s->nsegments; i++)
		if (s->segments[i].name != NULL)
			names[n++] = s->segments[i].name;
	check_repeated(l, s, "segments", "segment", names, n);
}

static bool
same_text(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool
same_segments(const struct source_measure *a, const struct source_measure *b)
{
	if (a->nsegments != b->nsegments)
		return false;
	for (size_t i = 0; i < a->nsegments; i++)
		if (strcmp(a->segments[i], b->segments[i]) != 0)
			return false;
	return true;
}

static void
check_twins(struct linter *l, const struct source *s)
{
	for (size_t i = 1; i < s->nmeasures; i++)
		for (size_t k = 0; k < i; k++) {
			const struct source_measure *a = &s->measures[k], *b = &s->measures[i];

			if (a->expr == NULL || !same_text(a->expr, b->expr) || !same_text(a->filter, b->filter) ||
			    !same_segments(a, b) || same_text(a->name, b->name))
				continue;
			report_finding(l, s, line_of(s, "measures", b->name), true, SEM_AMBIGUOUS_NAME,
			    "The measures \"%s\" and \"%s\" are the same; keep one.", a->name, b->name);
			break;
		}
}

static void
check_grain(struct linter *l, const struct source *s, const struct sem_node *node)
{
	for (size_t i = 0; i < s->ngrain; i++) {
		struct span name = span_str(s->grain[i]);

		if (sem_find_column(node, name) != NULL)
			continue;
		if (memchr(name.p, '.', name.len) != NULL)
			report_finding(l, s, 0, false, SEM_INVALID_SOURCE,
			    "The grain column \"%s\" is qualified; name the column alone.", s->grain[i]);
		else
			report_finding(l, s, 0, false, SEM_UNKNOWN_COLUMN,
			    "The grain column \"%s\" is not among the columns; describe it or correct the grain.",
			    s->grain[i]);
	}
}

static bool
has_scanned_column(const struct source *scanned, const char *name)
{
	for (size_t i = 0; i < scanned->ncolumns; i++)
		if (strcasecmp(scanned->columns[i].name, name) == 0)
			return true;
	return false;
}

/* What the scan does not know of a hand-written source.  Without a scan there is nothing to compare with. */
static void
check_scanned(struct linter *l, const struct sem_node *node)
{
	const struct source *s = node->source;
	const struct yaml_node *table = yaml_get(s->node, "table");

	if (s->flavour != SOURCE_STANDALONE || s->table == NULL || !l->scanned)
		return;
	if (node->scanned == NULL)
		report_finding(l, s, table != NULL ? table->line : 0, true, SEM_INVALID_SOURCE,
		    "The scan knows no table \"%s\"; correct `table`, or run carrel scan if it is new.", s->table);
	for (size_t i = 0; i < s->ncolumns && node->scanned != NULL; i++)
		if (s->columns[i].expr == NULL && !has_scanned_column(node->scanned, s->columns[i].name))
			report_finding(l, s, line_of(s, "columns", s->columns[i].name), true, SEM_UNKNOWN_COLUMN,
			    "The scan knows no column \"%s\" of %s; correct its name, or run carrel scan if it is new.",
			    s->columns[i].name, node->scanned->table);
}

/* The key of one side is the side's grain: at most one row matches. */
static bool
is_grain(const struct source *s, const struct sem_join *j, bool target)
{
	for (size_t g = 0; g < s->ngrain; g++) {
		bool found = false;

		for (size_t i = 0; i < j->npairs && !found; i++)
			found = span_is_str(target ? j->pairs[i].target : j->pairs[i].local, s->grain[g]);
		if (!found)
			return false;
	}
	return s->ngrain > 0;
}

/* Columns that people read, as opposed to keys. */
static bool
is_display_value(struct span name)
{
	static const char *const words[] = { "name", "email", "label", "title", "description" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i]);

		if (name.len >= n && memcmp(name.p + name.len - n, words[i], n) == 0 &&
		    (name.len == n || name.p[name.len - n - 1] == '_'))
			return true;
	}
	return false;
}

static void
check_join(struct linter *l, const struct sem_join *j)
{
	const struct sem_node *from = sem_model_node(l->model, j->from), *to = sem_model_node(l->model, j->to);
	const struct source *s = from->source;
	unsigned line = join_line(s, j->declared);
	bool complete = true;

	for (size_t i = 0; i < j->npairs; i++) {
		const struct sem_pair *p = &j->pairs[i];
		bool local = sem_find_column(from, p->local) != NULL, target = sem_find_column(to, p->target) != NULL;

		if (!local || !target)
			report_finding(l, s, line, false, SEM_UNKNOWN_COLUMN,
			    "The join to %s uses %.*s.%.*s, which is no column; correct the ON (%s).", j->declared->to,
			    SPAN_FMT(local ? to->name : from->name), SPAN_FMT(local ? p->target : p->local),
			    j->declared->on);
		complete = complete && local && target;
		if (is_display_value(p->local) != is_display_value(p->target))
			report_finding(l, s, line, true, SEM_INVALID_JOIN,
			    "The join to %s compares %.*s with %.*s: one of them is text for people, not a key.",
			    j->declared->to, SPAN_FMT(p->local), SPAN_FMT(p->target));
	}
	if (!complete)
		return;
	if (j->relationship != SOURCE_ONE_TO_MANY && !is_grain(to->source, j, true))
		report_finding(l, s, line, true, SEM_INVALID_JOIN,
		    "The join to %s does not compare all of its grain: where several of its rows match, numbers "
		    "multiply.",
		    j->declared->to);
	if (j->relationship != SOURCE_MANY_TO_ONE && !is_grain(s, j, false))
		report_finding(l, s, line, true, SEM_INVALID_JOIN,
		    "The join to %s says that one row of %s matches, but does not compare all of %s's grain.",
		    j->declared->to, s->name, s->name);
}

/* Every join is a safe edge in one direction at least; of a one-to-one the forward one counts. */
static void
check_joins(struct linter *l, uint32_t id)
{
	const struct sem_node *node = sem_model_node(l->model, id);

	for (size_t i = 0; i < node->nedges; i++) {
		const struct sem_join *j = node->edges[i].join;
		bool inverse = node->edges[i].inverse;

		if ((inverse ? j->to : j->from) == id && inverse == (j->relationship == SOURCE_ONE_TO_MANY))
			check_join(l, j);
	}
}

static void
validate_compile(struct linter *l, const struct source *s, const struct sem_query *q, const char *key, const char *what,
    const char *name)
{
	struct arena *scratch = arena_new(SCRATCH_MAX);
	struct sem_compiled out = { 0 };
	struct sem_problem p;
	unsigned line = line_of(s, key, name);

	if (sem_compile(l->model, l->dialect, q, scratch, &out, &p) == -1)
		report_finding(l, s, line, false, p.category, "The %s \"%s\" cannot be used: %s", what, name,
		    p.message);
	else if (out.undescribed.len > 0)
		report_finding(l, s, line, true, SEM_UNKNOWN_COLUMN,
		    "The %s \"%s\" names \"%.*s\", which no source describes; it is taken for a column of %s's own "
		    "table.",
		    what, name, SPAN_FMT(out.undescribed), s->name);
	arena_free(scratch);
}

static struct span
qualified(struct linter *l, const struct source *s, const char *name)
{
	struct buf text = BUF_MAX(4096);
	struct span out;

	buf_byte(&text, '"');
	buf_str(&text, s->name);
	buf_str(&text, "\".\"");
	buf_str(&text, name);
	buf_byte(&text, '"');
	out = arena_span(l->arena, buf_view(&text));
	buf_fini(&text);
	return out;
}

static const struct source_column *
visible_column(const struct source *s)
{
	for (size_t i = 0; i < s->ncolumns; i++)
		if (s->columns[i].visibility != SOURCE_HIDDEN && s->columns[i].expr == NULL)
			return &s->columns[i];
	return NULL;
}

static void
check_measures(struct linter *l, const struct source *s)
{
	for (size_t i = 0; i < s->nmeasures; i++) {
		struct sem_measure_item item = { .name = { NULL, 0 } };
		struct sem_query q = { .measures = &item, .nmeasures = 1, .limit = 1, .include_empty = true };

		item.expr = qualified(l, s, s->measures[i].name);
		validate_compile(l, s, &q, "measures", "measure", s->measures[i].name);
	}
}

static void
check_columns(struct linter *l, const struct source *s)
{
	for (size_t i = 0; i < s->ncolumns; i++) {
		struct sem_dimension_item item = { .granularity = { NULL, 0 } };
		struct sem_query q = { .dimensions = &item, .ndimensions = 1, .limit = 1, .include_empty = true };

		if (s->columns[i].expr == NULL || s->columns[i].visibility == SOURCE_HIDDEN)
			continue;
		item.field = qualified(l, s, s->columns[i].name);
		validate_compile(l, s, &q, "columns", "computed column", s->columns[i].name);
	}
}

/* A segment acts on a count of its source's rows. */
static void
check_segments(struct linter *l, const struct source *s)
{
	const struct source_column *c = visible_column(s);

	for (size_t i = 0; i < s->nsegments && c != NULL; i++) {
		struct span column = qualified(l, s, c->name), segment = qualified(l, s, s->segments[i].name);
		const char *count = arena_printf(l->arena, "count(%.*s)", SPAN_FMT(column));
		struct sem_measure_item item = { .name = SPAN("n") };
		struct sem_query q = { .measures = &item, .nmeasures = 1, .segments = &segment, .nsegments = 1,
			.limit = 1, .include_empty = true };

		if (count == NULL) {
			l->full = true;
			return;
		}
		item.expr = span_str(count);
		validate_compile(l, s, &q, "segments", "segment", s->segments[i].name);
	}
}

static bool
is_connected(const struct linter *l, uint32_t i)
{
	const struct sem_node *node = sem_model_node(l->model, i);
	size_t n = sem_model_nodes(l->model);

	for (uint32_t k = 0; k < n; k++) {
		const struct sem_node *other = sem_model_node(l->model, k);

		if (k != i && (other->component == node->component || other->source == node->source))
			return true;
	}
	return false;
}

/* One finding for each file: a scan's has all tables of a schema. */
static void
report_unconnected(struct linter *l, const struct sem_node *const *alone, size_t n)
{
	struct buf names = { 0 };

	for (size_t i = 0, k, more; i < n; i = k) {
		for (k = i + 1; k < n && strcmp(alone[k]->source->path, alone[i]->source->path) == 0; k++)
			continue;
		more = k - i > UNCONNECTED_NAMED ? k - i - UNCONNECTED_NAMED : 0;
		buf_reset(&names, SIZE_MAX);
		for (size_t at = i; at < k - more; at++)
			buf_printf(&names, "%s%s",
			    at == i         ? "" :
				at + 1 == k ? " and " :
					      ", ",
			    alone[at]->source->name);
		if (more > 0)
			buf_printf(&names, " and %zu more", more);
		report_finding(l, alone[i]->source, 0, true, SEM_NO_JOIN_PATH,
		    k - i == 1 ? "No join connects %s with another source; its measures can be grouped by its own "
				 "columns only." :
				 "No join connects %s with another source; their measures can be grouped by their own "
				 "columns only.",
		    buf_cstr(&names));
	}
	buf_fini(&names);
}

static int
by_path(const void *pa, const void *pb)
{
	const struct sem_node *const *a = pa, *const *b = pb;
	int r = strcmp((*a)->source->path, (*b)->source->path);

	return r != 0 ? r : strcmp((*a)->source->name, (*b)->source->name);
}

static void
check_connected(struct linter *l)
{
	size_t n = sem_model_nodes(l->model), sources = 0, nalone = 0;
	const struct sem_node **alone = arena_array(l->arena, n + 1, sizeof(const struct sem_node *));

	if (alone == NULL) {
		l->full = true;
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct sem_node *node = sem_model_node(l->model, i);

		if (node->alias || node->covered_by != SEM_NONE)
			continue;
		sources++;
		if (!is_connected(l, i))
			alone[nalone++] = node;
	}
	if (sources < 2 || nalone == 0)
		return;
	qsort(alone, nalone, sizeof(*alone), by_path);
	report_unconnected(l, alone, nalone);
}

static void
check_aliases(struct linter *l)
{
	for (uint32_t i = 0; i < sem_model_nodes(l->model); i++) {
		const struct sem_node *node = sem_model_node(l->model, i);
		const struct source *owner = sem_model_node(l->model, node->owner)->source;
		bool ambiguous;
		uint32_t found;

		if (!node->alias)
			continue;
		found = sem_find_node(l->model, node->name, &ambiguous);
		if (ambiguous)
			report_finding(l, owner, 0, true, SEM_AMBIGUOUS_NAME,
			    "Another join has the alias \"%.*s\", too; neither can be named in a query.",
			    SPAN_FMT(node->name));
		else if (found != i)
			report_finding(l, owner, 0, false, SEM_AMBIGUOUS_NAME,
			    "The join alias \"%.*s\" is the name of a source, which hides it; rename the alias.",
			    SPAN_FMT(node->name));
	}
}

static int
by_place(const void *pa, const void *pb)
{
	const struct sem_finding *a = pa, *b = pb;
	int r = strcmp(a->path, b->path);

	if (r == 0 && a->line != b->line)
		r = a->line < b->line ? -1 : 1;
	return r != 0 ? r : strcmp(a->text, b->text);
}

const struct sem_finding *
sem_validate(const struct sem_model *m, const struct dialect *d, struct arena *a, size_t *n)
{
	struct linter l = { .model = m, .dialect = d, .arena = a };

	for (uint32_t i = 0; i < sem_model_nodes(m); i++)
		l.scanned = l.scanned || sem_model_node(m, i)->source->flavour != SOURCE_STANDALONE ||
		    sem_model_node(m, i)->source->replaced != NULL;
	for (size_t i = 0; i < sem_model_troubles(m); i++) {
		const struct sem_trouble *t = sem_model_trouble(m, i);

		report_finding(&l, t->source, t->line, t->passed_over, t->category, "%s", t->text);
	}
	for (uint32_t i = 0; i < sem_model_nodes(m); i++) {
		const struct sem_node *node = sem_model_node(m, i);

		if (node->alias)
			continue;
		check_names(&l, node->source);
		check_grain(&l, node->source, node);
		check_joins(&l, i);
		/* The file's own fault was reported already; what it breaks is not reported again. */
		if (sem_node_trouble(m, i) != NULL)
			continue;
		check_twins(&l, node->source);
		check_scanned(&l, node);
		check_measures(&l, node->source);
		check_columns(&l, node->source);
		check_segments(&l, node->source);
	}
	check_connected(&l);
	check_aliases(&l);
	if (l.n > 1)
		qsort(l.findings, l.n, sizeof(*l.findings), by_place);
	*n = 0;
	for (size_t i = 0; i < l.n; i++) /* a definition that occurs twice would be reported twice */
		if (i == 0 || by_place(&l.findings[i - 1], &l.findings[i]) != 0)
			l.findings[(*n)++] = l.findings[i];
	return l.full ? NULL : l.findings != NULL ? l.findings : arena_alloc(a, sizeof(struct sem_finding));
}
