#include "base/json/json_put.h"
#include "base/json/json_write.h"
#include "workers/search/ontology/ontology_content.h"

/* "key":"text", or null. */
static void
put_text(struct buf *out, const char *key, struct span text)
{
	json_put_str(out, key, text.len > 0 ? text : SPAN_NONE);
}

static size_t
fields_of(const struct source *s)
{
	size_t n = s->nmeasures;

	for (size_t i = 0; i < s->ncolumns; i++)
		n += s->columns[i].visibility != SOURCE_HIDDEN;
	return n;
}

/* The i-th source of the model if o serves it; otherwise NULL. */
static const struct source *
served(const struct ontology *o, const struct sem_model *m, uint32_t i)
{
	const struct sem_node *node = sem_model_node(m, i);

	return node->alias || !ontology_serves(o, m, i) ? NULL : node->source;
}

static void
put_counts(const struct ontology *o, struct buf *out)
{
	const struct sem_model *m = models_compiled(&o->from->models);
	size_t datasets = 0, fields = 0;

	for (uint32_t i = 0; m != NULL && i < sem_model_nodes(m); i++) {
		const struct source *s = served(o, m, i);

		if (s == NULL)
			continue;
		datasets++;
		fields += fields_of(s);
	}
	json_put_uint(out, "datasetCount", datasets);
	json_put_uint(out, "fieldCount", fields);
}

static void
put_head(const struct ontology *o, const char *key, struct buf *out)
{
	json_put_object(out, key);
	put_text(out, "id", span_str(o->id));
	put_text(out, "name", span_str(o->name));
	put_text(out, "description", span_str(o->description));
}

void
ontology_put_all(const struct library *l, struct buf *out)
{
	json_put_list(out, NULL);
	for (size_t i = 0; i < l->ontologies.n; i++) {
		const struct ontology *o = &l->ontologies.v[i];

		if (ontology_state(l, o) != ONTOLOGY_READY)
			continue;
		put_head(o, NULL, out);
		put_counts(o, out);
		json_end_object(out);
	}
	json_end_list(out);
}

void
ontology_put(const struct ontology *o, struct buf *out)
{
	const struct sem_model *m = models_compiled(&o->from->models);

	json_put_object(out, NULL);
	put_head(o, "ontology", out);
	json_end_object(out);
	json_put_list(out, "datasets");
	for (uint32_t i = 0; m != NULL && i < sem_model_nodes(m); i++) {
		const struct source *s = served(o, m, i);

		if (s == NULL)
			continue;
		json_put_object(out, NULL);
		put_text(out, "name", span_str(s->name));
		put_text(out, "description", s->description);
		put_text(out, "source", span_str(s->table != NULL ? s->table : "sql"));
		json_end_object(out);
	}
	json_end_list(out);
	json_end_object(out);
}

/* Put one line of YAML; a JSON string is a YAML scalar. */
static void
put_line(struct buf *out, const char *begin, const char *key, struct span text)
{
	buf_printf(out, "%s%s: ", begin, key);
	if (text.len == 0)
		buf_str(out, "null");
	else
		json_write_string(out, text);
	buf_byte(out, '\n');
}

static void
put_field(struct buf *out, const char *name, const char *type, struct span description, const char *expr)
{
	put_line(out, "  - ", "name", span_str(name));
	put_line(out, "    ", "type", span_str(type));
	put_line(out, "    ", "description", description);
	put_line(out, "    ", expr != NULL ? "expression" : "source_column", span_str(expr != NULL ? expr : name));
}

void
ontology_put_dataset(const struct source *s, struct buf *out)
{
	put_line(out, "", "name", span_str(s->name));
	put_line(out, "", "description", s->description);
	buf_str(out, "source:\n");
	put_line(out, "  ", s->table != NULL ? "table" : "sql", span_str(s->table != NULL ? s->table : s->sql));
	buf_str(out, "fields:\n");
	for (size_t i = 0; i < s->ncolumns; i++) {
		const struct source_column *c = &s->columns[i];

		if (c->visibility != SOURCE_HIDDEN)
			put_field(out, c->name, c->type, c->description, c->expr);
	}
	for (size_t i = 0; i < s->nmeasures; i++)
		put_field(out, s->measures[i].name, "number", s->measures[i].description, s->measures[i].expr);
}

const struct source *
ontology_dataset(const struct ontology *o, struct span name)
{
	const struct sem_model *m = models_compiled(&o->from->models);
	bool ambiguous;
	uint32_t node = m == NULL ? SEM_NONE : sem_find_node(m, name, &ambiguous);
	const struct source *s = node == SEM_NONE ? NULL : served(o, m, node);

	return s != NULL && span_is_str(name, s->name) ? s : NULL;
}
