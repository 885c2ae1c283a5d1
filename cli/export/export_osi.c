/* export_osi.c - the semantic layer as a document of the Open Semantic Interchange, now Apache Ossie, 0.2.0.dev0. */
#include <string.h>

#include "base/mem.h"
#include "base/text/sql_quote.h"
#include "cli/export/export_expression.h"
#include "cli/export/export_osi.h"
#include "project/format/yaml_emit.h"

#define VERSION	"0.2.0.dev0"

/* Words for people: the label, if the object has no place for it, and synonyms. */
static void
put_words(struct export *x, unsigned indent, const struct source_words *w, bool label)
{
	const char **names = mem_must(arena_array(x->a, w->nsynonyms + 1, sizeof(*names)));
	size_t n = 0;

	if (label && w->label.len > 0)
		names[n++] = mem_must(arena_cstr(x->a, w->label));
	for (size_t i = 0; i < w->nsynonyms; i++)
		names[n++] = w->synonyms[i];
	if (n == 0)
		return;
	buf_printf(&x->out, "%*sai_context: {synonyms: ", (int)indent, "");
	export_names(x, names, n);
	buf_str(&x->out, "}\n");
}

static void
put_expression(struct export *x, unsigned indent, struct span text)
{
	buf_printf(&x->out, "%*sexpression: {dialects: [{dialect: ANSI_SQL, expression: ", (int)indent, "");
	yaml_put_quoted(text, &x->out);
	buf_str(&x->out, "}]}\n");
}

static void
put_field(struct export *x, const struct source *s, const struct source_column *c)
{
	struct buf name = { 0 };

	if (c->visibility == SOURCE_HIDDEN)
		return;
	sql_quote_name(&name, span_str(c->name));
	buf_str(&x->out, "          - ");
	export_line(x, 0, "name", span_str(c->name));
	put_expression(x, 12, c->expr != NULL ? span_str(c->expr) : buf_view(&name));
	if (export_is_time(c))
		buf_str(&x->out, "            dimension: {is_time: true}\n");
	export_line(x, 12, "label", c->words.label);
	export_line(x, 12, "description", c->description);
	put_words(x, 12, &c->words, false);
	if (c->granularity != NULL && c->expr != NULL)
		export_leave(x, "granularity", s->name, c->name, "a field has no granularity");
	buf_fini(&name);
}

static void
put_dataset(struct export *x, const struct source *s)
{
	buf_str(&x->out, "      - ");
	export_line(x, 0, "name", span_str(s->name));
	export_line(x, 8, "source", span_str(s->table));
	if (export_has_key(s)) {
		buf_str(&x->out, "        primary_key: ");
		export_names(x, s->grain, s->ngrain);
		buf_byte(&x->out, '\n');
	}
	export_line(x, 8, "description", s->description);
	put_words(x, 8, &s->words, true);
	buf_str(&x->out, "        fields:\n");
	for (size_t i = 0; i < s->ncolumns; i++)
		put_field(x, s, &s->columns[i]);
	export_leave_segments(x, s);
	if (s->time_dimension != NULL)
		export_leave(x, "default date", s->name, s->time_dimension, "a dataset has no date of its own");
}

static void
put_columns(struct export *x, const char *key, const struct export_join *j, bool target)
{
	const char *names[SEM_KEYS_MAX];

	for (size_t i = 0; i < j->npairs; i++)
		names[i] = mem_must(arena_cstr(x->a, target ? j->pairs[i].target : j->pairs[i].local));
	buf_printf(&x->out, "        %s: ", key);
	export_names(x, names, j->npairs);
	buf_byte(&x->out, '\n');
}

/* The first join of two sources is unnamed here, further ones go by their alias. */
static void
put_relationships(struct export *x, const struct source *s, bool *any)
{
	const struct export_join *v;
	size_t n = export_joins(x, s, &v);

	for (size_t i = 0; i < n; i++) {
		bool first = true;

		for (size_t k = 0; k < i; k++)
			first = first && v[k].to != v[i].to;
		if (first && v[i].alias != NULL)
			export_leave(x, "alias", s->name, v[i].alias, "the only relationship of two datasets has none");
		buf_str(&x->out, *any ? "" : "    relationships:\n");
		*any = true;
		buf_str(&x->out, "      - ");
		export_line(x, 0, "name",
		    span_str(v[i].alias != NULL ? v[i].alias :
						  mem_must(arena_printf(x->a, "%s_to_%s", s->name, v[i].to->name))));
		export_line(x, 8, "from", span_str(s->name));
		export_line(x, 8, "to", span_str(v[i].to->name));
		put_columns(x, "from_columns", &v[i], false);
		put_columns(x, "to_columns", &v[i], true);
	}
}

static void
put_metric(struct export *x, const struct source *s, const struct source_measure *m, bool *any)
{
	const char *why = NULL, *text = export_expression(x, s, m, false, &why);

	if (text == NULL) {
		export_leave(x, "measure", s->name, m->name, why);
		return;
	}
	buf_str(&x->out, *any ? "" : "    metrics:\n");
	*any = true;
	buf_str(&x->out, "      - ");
	export_line(x, 0, "name", span_str(export_metric_name(x, s, m)));
	put_expression(x, 8, span_str(text));
	export_line(x, 8, "description", m->description);
	put_words(x, 8, &m->words, true);
	export_leave_meaning(x, s, m);
}

void
export_osi(struct export *x)
{
	size_t n = source_set_count(x->set);
	const struct source **sources = mem_must(arena_array(x->a, n + 1, sizeof(struct source *)));
	bool relationships = false, metrics = false;
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		if (export_has_table(x, source_set_at(x->set, i)))
			sources[count++] = source_set_at(x->set, i);
	buf_str(&x->out, "version: \"" VERSION "\"\nsemantic_model:\n  - ");
	export_line(x, 0, "name", span_str(x->connection));
	buf_str(&x->out, "    datasets:\n");
	for (size_t i = 0; i < count; i++)
		put_dataset(x, sources[i]);
	for (size_t i = 0; i < count; i++)
		put_relationships(x, sources[i], &relationships);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < sources[i]->nmeasures; j++)
			put_metric(x, sources[i], &sources[i]->measures[j], &metrics);
}
