#include "ask/ask_model.h"

#include <stdio.h>

#include "ask/lexicon_model.h"
#include "ask/readings/readings.h"
#include "project/config/drivers.h"
#include "project/scan/type_family.h"

#define PREFIX_MAX	3u	/* letters */

/* State while a catalogue is read. */
struct intake {
	struct arena		*arena;
	const char		*fault;		/* the first part that does not fit the catalogue's shape */
	struct ask_model	*m;
	struct span		 driver;	/* the database driver, which decides how types are spelled */
};

static void *
intake_array(struct intake *in, size_t n, size_t size)
{
	void *p = n == 0 ? NULL : arena_array(in->arena, n, size);

	if (n != 0 && p == NULL && in->fault == NULL)
		in->fault = "is too large";
	return p;
}

static struct span
intake_copy(struct intake *in, struct span s)
{
	struct span copy = arena_span(in->arena, s);

	if (s.len > 0 && copy.p == NULL)
		in->fault = "is too large";
	return s.len == 0 ? span_of("", 0) : copy;
}

static struct span
intake_text(struct intake *in, const struct mp_value *map, const char *key)
{
	return intake_copy(in, mp_get_str(map, key, span_of("", 0)));
}

static struct span
intake_name(struct intake *in, const struct mp_value *map)
{
	struct span name = intake_text(in, map, "name");

	if (name.len == 0 && in->fault == NULL)
		in->fault = "has something without a name";
	return name;
}

/* The list under key, and the number of its elements. */
static struct mp_iter
intake_list(const struct mp_value *map, const char *key, size_t *n)
{
	struct mp_value list;

	*n = mp_get(map, key, &list) && list.class == MP_ARRAY ? list.n : 0;
	return mp_iter(&list);
}

static const struct span *
intake_texts(struct intake *in, const struct mp_value *map, const char *key, size_t *n)
{
	struct mp_iter it = intake_list(map, key, n);
	struct span *texts = intake_array(in, *n, sizeof(*texts));
	struct mp_value v;

	if (texts == NULL)
		*n = 0;
	for (size_t i = 0; i < *n && mp_next(&it, &v); i++)
		texts[i] = intake_copy(in, v.class == MP_STR ? v.s : span_of("", 0));
	return texts;
}

static struct ask_names
intake_names(struct intake *in, const struct mp_value *map)
{
	struct ask_names names = { .name = intake_name(in, map) };

	names.words = ask_words_of(in->arena, names.name, true);
	if (names.words.t == NULL && in->fault == NULL)
		in->fault = "is too large";
	names.label = intake_text(in, map, "label");
	names.description = intake_text(in, map, "description");
	names.synonyms = intake_texts(in, map, "synonyms", &names.nsynonyms);
	return names;
}

static enum ask_aggregate
aggregate_of(struct span text)
{
	static const char *const names[] = { [ASK_AGGREGATE_DERIVED] = "derived", [ASK_AGGREGATE_SUM] = "sum",
		[ASK_AGGREGATE_COUNT] = "count", [ASK_AGGREGATE_COUNT_DISTINCT] = "count_distinct",
		[ASK_AGGREGATE_AVG] = "avg",
		[ASK_AGGREGATE_MIN] = "min", [ASK_AGGREGATE_MAX] = "max" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (span_is_str(text, names[i]))
			return (enum ask_aggregate)i;
	return ASK_AGGREGATE_OTHER;
}

static void
intake_measure(struct intake *in, const struct mp_value *v, struct ask_source_measure *out)
{
	struct mp_value additive;

	*out = (struct ask_source_measure){ .names = intake_names(in, v) };
	out->expr = intake_text(in, v, "expr");
	out->filter = intake_text(in, v, "filter");
	out->column = intake_text(in, v, "column");
	out->unit = intake_text(in, v, "unit");
	out->aggregate = aggregate_of(mp_get_str(v, "aggregate", SPAN("other")));
	out->segments = intake_texts(in, v, "segments", &out->nsegments);
	out->none_over = intake_texts(in, v, "noneOver", &out->nnone_over);
	if (!mp_get(v, "additive", &additive) || additive.class != MP_STR)
		out->over = intake_texts(in, v, "additive", &out->nover);
	else
		out->additive = span_is_str(additive.s, "full");
}

/* The names of types that people use in semantic sources, then those of databases. */
static enum ask_type
type_of(struct span driver, struct span type, bool time)
{
	static const struct {
		const char *family;
		enum ask_type type;
	} families[] = { { "number", ASK_TYPE_NUMBER }, { "string", ASK_TYPE_TEXT }, { "integer", ASK_TYPE_NUMBER },
		{ "decimal", ASK_TYPE_NUMBER }, { "float", ASK_TYPE_NUMBER }, { "text", ASK_TYPE_TEXT },
		{ "enum", ASK_TYPE_TEXT }, { "boolean", ASK_TYPE_BOOLEAN }, { "date", ASK_TYPE_TIME },
		{ "timestamp", ASK_TYPE_TIME }, { "timestamptz", ASK_TYPE_TIME } };
	const size_t n = sizeof(families) / sizeof(families[0]);
	const char *family;

	if (time || span_is_word(type, "time"))
		return time ? ASK_TYPE_TIME : ASK_TYPE_OTHER;
	for (size_t i = 0; i < 2; i++)
		if (span_is_word(type, families[i].family))
			return families[i].type;
	family = type_family(driver, type);
	for (size_t i = 0; i < n; i++)
		if (strcmp(family, families[i].family) == 0)
			return families[i].type;
	return ASK_TYPE_OTHER;
}

static void
intake_column(struct intake *in, const struct mp_value *v, struct ask_column *out)
{
	*out = (struct ask_column){ .names = intake_names(in, v), .time = mp_get_bool(v, "time", false),
		.internal = mp_get_bool(v, "internal", false), .masked = mp_get_bool(v, "masked", false),
		.computed = mp_get_bool(v, "computed", false) };
	out->type = type_of(in->driver, mp_get_str(v, "type", span_of("", 0)), out->time);
	out->time |= out->type == ASK_TYPE_TIME;
	out->values = intake_texts(in, v, "values", &out->nvalues);
}

/* Whether it is called by the n words: "turbine" or "turbine name", of turbines. */
static bool
is_called_after(struct ask_words called, const struct ask_token *t, size_t n)
{
	bool same = n > 0 && (called.n == n || (called.n == n + 1 && span_is_str(called.t[n].folded, "name")));

	for (size_t k = 0; same && k < n; k++)
		same = span_is(called.t[k].stem, t[k].stem);
	return same;
}

/* The only text column whose name is the n words, with or without the word "name" after them. */
static uint32_t
label_called(const struct ask_source *s, const struct ask_token *t, size_t n)
{
	uint32_t found = ASK_NONE;

	for (uint32_t i = 0; i < s->ncolumns; i++) {
		bool same = s->columns[i].type == ASK_TYPE_TEXT && !s->columns[i].internal &&
		    is_called_after(s->columns[i].names.words, t, n);

		if (same && found != ASK_NONE)
			return ASK_NONE;
		found = same ? i : found;
	}
	return found;
}

/* Countries and CountryName, airlines and Airline, car_makers and Maker. */
static uint32_t
label_after_source(const struct ask_source *s)
{
	struct ask_words rows = s->names.words;
	uint32_t found = label_called(s, rows.t, rows.n);

	return found == ASK_NONE && rows.n > 1 ? label_called(s, rows.t + rows.n - 1, 1) : found;
}

/* The one or two words of the name as one, without the source's: customer_first_name of customers. */
static struct span
joined_name(struct intake *in, const struct ask_source *s, struct ask_words name)
{
	struct ask_words rows = s->names.words;
	bool own = name.n == 3 && rows.n > 0 && span_is(rows.t[rows.n - 1].stem, name.t[0].stem);

	return name.n == 0 || name.n - own > 2 ? SPAN("") : ask_joined(in->arena, name.t + own, name.n - own);
}

/* Find the next column, from *from on, whose name or label is one of these, however it is split into words. */
static bool
next_called(struct intake *in, const struct ask_source *s, const char *const *names, uint32_t *from)
{
	for (; *from < s->ncolumns; ++*from) {
		const struct ask_names *column = &s->columns[*from].names;
		struct span joined = joined_name(in, s, column->words),
			    label = joined_name(in, s, ask_words_of(in->arena, column->label, true));

		for (const char *const *name = names; *name != NULL && !s->columns[*from].internal; name++)
			if (span_is_str(joined, *name) || span_is_str(label, *name))
				return true;
	}
	return false;
}

/* Whether the rows are people: the source has a first or a last name.  A title then is no name of the row. */
static bool
mark_names_of_people(struct intake *in, const struct ask_source *s, struct ask_column *columns)
{
	static const char *const names[] = { "firstname", "lastname", "surname", "forename", "givenname", "familyname",
		"fname", "lname", "vorname", "nachname", NULL };
	bool any = false;

	for (uint32_t from = 0; next_called(in, s, names, &from); from++)
		any = columns[from].of_person = true;
	return any;
}

/* Whether the owner's words call the column the name of the rows: "player name", or "name", "player" as synonyms. */
static bool
is_called_name(struct intake *in, const struct ask_names *source, const struct ask_names *column)
{
	struct ask_words rows = ask_words_of(in->arena, source->label, true), own = source->words,
			 label = ask_words_of(in->arena, column->label, true);
	bool called = label.n == rows.n + 1 && is_called_after(label, rows.t, rows.n);

	for (size_t i = 0; i < column->nsynonyms && !called; i++) {
		struct ask_words said = ask_words_of(in->arena, column->synonyms[i], true);

		called = (said.n == 1 && span_is_str(said.t[0].folded, "name")) ||
		    is_called_after(said, rows.t, rows.n) || is_called_after(said, own.t, own.n);
	}
	return called;
}

/* claim_number of claims, whose key is not shown: what people call a row by, if only one column is called so. */
static uint32_t
number_of_rows(const struct ask_source *s)
{
	for (uint32_t i = 0; i < s->ncolumns; i++)
		if (!s->columns[i].internal && ask_is_in_grain(s, &s->columns[i]))
			return ASK_NONE;
	return ask_only_ending(s, "number no nr code nummer reference", false);
}

#define BY_NAME		1u
#define BY_LABEL	2u

/* The first column that people may see and call so; ASK_NONE: none. */
static uint32_t
shown_called(const struct ask_source *s, struct span text, unsigned by)
{
	for (uint32_t i = 0; text.len > 0 && i < s->ncolumns; i++)
		if (!s->columns[i].internal &&
		    (((by & BY_NAME) != 0 && span_is_folded(s->columns[i].names.name, text)) ||
			((by & BY_LABEL) != 0 && span_is_folded(s->columns[i].names.label, text))))
			return i;
	return ASK_NONE;
}

/* The column that names a row: one called name, title or similar, or one called after the source. */
static uint32_t
label_of(struct intake *in, const struct ask_source *s, bool of_people)
{
	static const char *const usual[] = { "name", "label", "title", "titel", "bezeichnung", NULL },
		*const people[] = { "displayname", "fullname", NULL },
		*const others[] = { "displayname", "fullname", "companyname", "businessname", NULL };
	static const char *const between[] = { "_", "", " ", "" };
	struct span stem = s->names.name, rows = s->names.label;
	uint32_t found = ASK_NONE;

	for (const char *const *u = usual; *u != NULL && found == ASK_NONE; u++)
		if (!of_people || strcmp(*u, "title") != 0)
			found = shown_called(s, span_str(*u), BY_NAME | BY_LABEL);
	for (uint32_t i = 0; i < s->ncolumns && found == ASK_NONE; i++)
		if (s->columns[i].type == ASK_TYPE_TEXT && !s->columns[i].internal && !of_people &&
		    is_called_name(in, &s->names, &s->columns[i].names))
			found = i;
	if (stem.len > 1 && ascii_lower(stem.p[stem.len - 1]) == 's')
		stem.len--;
	/* car_name of cars; as an owner calls it: "player name" of players, "Spielername" of Spieler */
	for (unsigned way = 0; way < (rows.len > 0 ? 4 : 2) && found == ASK_NONE; way++) {
		char *own = arena_printf(in->arena, "%.*s%sname", SPAN_FMT(way < 2 ? stem : rows), between[way]);

		found = shown_called(s, span_str(own), way < 2 ? BY_NAME : BY_LABEL);
	}
	if (found != ASK_NONE)
		return found;
	found = 0;
	if (next_called(in, s, of_people ? people : others, &found))
		return found;
	found = label_after_source(s);
	return found == ASK_NONE && !of_people ? number_of_rows(s) : found;
}

static uint32_t
column_called(const struct ask_source *s, struct span name)
{
	for (uint32_t i = 0; name.len > 0 && i < s->ncolumns; i++)
		if (span_is_folded(s->columns[i].names.name, name))
			return i;
	return ASK_NONE;
}

/* c_name, c_phone of customers: what all columns begin with is no part of what people call them. */
static void
drop_prefix(struct intake *in, const struct ask_source *s, struct ask_column *columns)
{
	struct span first = s->ncolumns > 1 ? columns[0].names.name : SPAN("");
	size_t n = 0;

	while (n < first.len && n < PREFIX_MAX && first.p[n] != '_')
		n++;
	if (n++ == 0 || n > first.len || first.p[n - 1] != '_' ||
	    ascii_lower(first.p[0]) != ascii_lower(s->names.name.p[0]))
		return;
	for (size_t i = 0; i < s->ncolumns; i++)
		if (columns[i].names.name.len <= n ||
		    !span_is_folded(span_of(columns[i].names.name.p, n), span_of(first.p, n)))
			return;
	for (size_t i = 0; i < s->ncolumns; i++)
		if (columns[i].names.label.len == 0) {
			struct span rest = span_of(columns[i].names.name.p + n, columns[i].names.name.len - n);

			columns[i].names.label = ask_label(in->m->arena, &(struct ask_names){ .name = rest });
		}
}

static void
intake_source(struct intake *in, const struct mp_value *v, struct ask_source *out)
{
	struct ask_source_measure *measures;
	struct ask_column *columns;
	struct ask_segment *segments;
	struct mp_iter it;
	struct mp_value e;

	*out = (struct ask_source){ .names = intake_names(in, v) };
	out->covered = mp_get_str(v, "coveredBy", span_of("", 0)).len > 0;
	out->grain = intake_texts(in, v, "grain", &out->ngrain);
	out->measured = out->ngrain == 1 ? mp_get_uint(v, "measuredRows", 0) : 0;
	it = intake_list(v, "measures", &out->nmeasures);
	out->measures = measures = intake_array(in, out->nmeasures, sizeof(*measures));
	for (size_t i = 0; measures != NULL && mp_next(&it, &e); i++)
		intake_measure(in, &e, &measures[i]);
	it = intake_list(v, "dimensions", &out->ncolumns);
	out->columns = columns = intake_array(in, out->ncolumns, sizeof(*columns));
	for (size_t i = 0; columns != NULL && mp_next(&it, &e); i++)
		intake_column(in, &e, &columns[i]);
	it = intake_list(v, "segments", &out->nsegments);
	out->segments = segments = intake_array(in, out->nsegments, sizeof(*segments));
	for (size_t i = 0; segments != NULL && mp_next(&it, &e); i++)
		segments[i] = (struct ask_segment){ intake_names(in, &e), intake_text(in, &e, "expr") };
	if (in->fault != NULL)
		return;
	drop_prefix(in, out, columns);
	out->time = column_called(out, mp_get_str(v, "timeDimension", span_of("", 0)));
	out->label = label_of(in, out, mark_names_of_people(in, out, columns));
}

static bool
mp_index(const struct mp_value *map, const char *key, size_t below, uint32_t *out)
{
	uint64_t n = mp_get_uint(map, key, UINT64_MAX);

	*out = n < below ? (uint32_t)n : ASK_NONE;
	return n < below;
}

static void
intake_edge(struct intake *in, const struct mp_value *v, struct ask_edge *out)
{
	struct mp_value pair, here, there;
	size_t n;
	struct mp_iter it = intake_list(v, "on", &n), ends;

	*out = (struct ask_edge){ .here = span_of("", 0), .there = span_of("", 0) };
	out->verbs = intake_texts(in, v, "verbs", &out->nverbs);
	if (!mp_index(v, "to", in->m->nnodes, &out->to) && in->fault == NULL)
		in->fault = "has a join to nowhere";
	if (n != 1 || !mp_next(&it, &pair) || pair.class != MP_ARRAY || pair.n != 2)
		return;
	ends = mp_iter(&pair);
	if (mp_next(&ends, &here) && mp_next(&ends, &there) && here.class == MP_STR && there.class == MP_STR) {
		out->here = intake_copy(in, here.s);
		out->there = intake_copy(in, there.s);
	}
}

static void
intake_node(struct intake *in, const struct mp_value *v, size_t i, struct ask_node *out)
{
	struct ask_edge *edges;
	struct mp_iter it;
	struct mp_value e;

	*out = (struct ask_node){ .name = intake_name(in, v) };
	if ((!mp_index(v, "source", in->m->nsources, &out->source) || (i < in->m->nsources && out->source != i)) &&
	    in->fault == NULL)
		in->fault = "has a name of no source";
	(void)mp_index(v, "owner", in->m->nnodes, &out->owner);
	it = intake_list(v, "edges", &out->nedges);
	out->edges = edges = intake_array(in, out->nedges, sizeof(*edges));
	for (size_t k = 0; edges != NULL && mp_next(&it, &e); k++)
		intake_edge(in, &e, &edges[k]);
}

static void
intake_graph(struct intake *in, const struct mp_value *catalogue)
{
	struct ask_model *m = in->m;
	struct ask_source *sources;
	struct ask_node *nodes;
	struct mp_iter it = intake_list(catalogue, "sources", &m->nsources);
	struct mp_value v;

	if (m->nsources > ASK_SOURCES_MAX)
		in->fault = "has too many sources";
	sources = in->fault == NULL ? intake_array(in, m->nsources, sizeof(*sources)) : NULL;
	m->sources = sources;
	for (size_t i = 0; sources != NULL && in->fault == NULL && mp_next(&it, &v); i++)
		intake_source(in, &v, &sources[i]);
	it = intake_list(catalogue, "nodes", &m->nnodes);
	if (in->fault == NULL && (m->nnodes < m->nsources || m->nnodes > 8 * (size_t)ASK_SOURCES_MAX))
		in->fault = "has other nodes than sources";
	m->nodes = nodes = in->fault == NULL ? intake_array(in, m->nnodes, sizeof(*nodes)) : NULL;
	for (size_t i = 0; nodes != NULL && in->fault == NULL && mp_next(&it, &v); i++)
		intake_node(in, &v, i, &nodes[i]);
}

/* Whether edge k is one of several edges from the node to the same source, each over another column. */
static bool
is_one_of_ways(const struct ask_model *m, const struct ask_node *n, size_t k)
{
	size_t ways = 0;

	if (n->edges[k].to >= m->nsources || n->edges[k].here.len == 0)
		return false;
	for (size_t i = 0; i < n->nedges; i++) {
		if (n->edges[i].to != n->edges[k].to)
			continue;
		ways++;
		if (i != k && (n->edges[i].here.len == 0 || span_is(n->edges[i].here, n->edges[k].here)))
			return false;
	}
	return ways > 1;
}

/* origin_id: "origin"; start_station_id: "start station". */
static struct span
label_of_key(struct intake *in, struct span column)
{
	static const char *const endings[] = { "_id", "_key", "_code", "_no", "_fk", NULL };

	for (size_t i = 0; endings[i] != NULL; i++) {
		size_t n = strlen(endings[i]);

		if (column.len > n && span_is_folded(span_of(column.p + column.len - n, n), span_str(endings[i]))) {
			column.len -= n;
			break;
		}
	}
	return ask_label(in->arena, &(struct ask_names){ .name = column });
}

/* Give the edge a target node of its own, which queries name by the column: airports(flights.origin_id). */
static void
split_way(struct intake *in, struct ask_node *nodes, uint32_t from, struct ask_edge *edge, uint32_t to)
{
	const struct ask_node *source = &nodes[edge->to];
	struct buf name = { 0 };

	buf_printf(&name, "%.*s(%.*s.%.*s)", SPAN_FMT(source->name), SPAN_FMT(nodes[from].name), SPAN_FMT(edge->here));
	nodes[to] = *source;
	nodes[to].name = intake_copy(in, buf_view(&name));
	nodes[to].label = label_of_key(in, edge->here);
	nodes[to].owner = from;
	edge->to = to;
	buf_fini(&name);
}

static void
intake_ways(struct intake *in)
{
	struct ask_model *m = in->m;
	size_t more = 0, n = m->nnodes;
	struct ask_node *nodes;

	for (size_t i = 0; i < m->nsources; i++)
		for (size_t k = 0; k < m->nodes[i].nedges; k++)
			more += is_one_of_ways(m, &m->nodes[i], k);
	if (more == 0 || n + more > 8 * (size_t)ASK_SOURCES_MAX)
		return;
	nodes = intake_array(in, n + more, sizeof(*nodes));
	if (nodes == NULL)
		return;
	memcpy(nodes, m->nodes, n * sizeof(*nodes));
	for (uint32_t i = 0; i < m->nsources; i++) {
		struct ask_edge *edges;

		if (m->nodes[i].nedges == 0)
			continue;
		if ((edges = intake_array(in, m->nodes[i].nedges, sizeof(*edges))) == NULL)
			return;
		memcpy(edges, m->nodes[i].edges, m->nodes[i].nedges * sizeof(*edges));
		for (size_t k = 0; k < m->nodes[i].nedges; k++)
			if (is_one_of_ways(m, &m->nodes[i], k))
				split_way(in, nodes, i, &edges[k], (uint32_t)n++);
		nodes[i].edges = edges;
	}
	m->nodes = nodes;
	m->nnodes = n;
}

static void
intake_declared(struct intake *in, const struct mp_value *catalogue)
{
	struct mp_iter it = intake_list(catalogue, "words", &in->m->ndeclared);
	struct ask_declared *declared = intake_array(in, in->m->ndeclared, sizeof(*declared));
	struct mp_value v;

	in->m->declared = declared;
	for (size_t i = 0; declared != NULL && mp_next(&it, &v); i++)
		declared[i] = (struct ask_declared){ .word = intake_text(in, &v, "word"),
			.means = intake_text(in, &v, "means"),
			.page = intake_text(in, &v, "page"),
			.join = span_is_str(mp_get_str(&v, "kind", span_of("", 0)), "join"),
			.agent = mp_get_bool(&v, "agent", false) };
}

struct ask_model *
ask_model_read(const struct mp_value *catalogue, struct err *err)
{
	struct intake in = { .arena = arena_new(ASK_MODEL_BYTES_MAX) };
	struct span dialect = span_str(drivers[0]->name);
	struct mp_value about;

	if (in.arena == NULL || (in.m = arena_alloc(in.arena, sizeof(*in.m))) == NULL) {
		arena_free(in.arena);
		err_set(err, ERR_BUSY, "there is no memory for the ontology");
		return NULL;
	}
	in.m->arena = in.arena;
	if (catalogue->class != MP_MAP)
		in.fault = "is no map";
	(void)mp_get(catalogue, "ontology", &about);
	in.driver = about.class == MP_MAP ? mp_get_str(&about, "dialect", dialect) : dialect;
	in.m->governed = about.class == MP_MAP && mp_get_bool(&about, "semanticOnly", false);
	if (in.fault == NULL)
		intake_graph(&in, catalogue);
	if (in.fault == NULL)
		intake_ways(&in);
	if (in.fault == NULL)
		intake_declared(&in, catalogue);
	if (in.fault == NULL &&
	    ((in.m->lexicon = ask_lexicon_new(in.m)) == NULL ||
		(in.m->agents = ask_lexicon_of_others(in.m, in.m->arena, in.m->declared, in.m->ndeclared)) == NULL))
		in.fault = "has too many words";
	if (in.fault == NULL && (in.m->spoken = readings_spoken_new(in.m)) == NULL)
		in.fault = "has too many sources";
	if (in.fault == NULL)
		return in.m;
	err_set(err, ERR_INTERNAL, "The ontology cannot be read: its catalogue %s.", in.fault);
	ask_lexicon_free(in.m->lexicon);
	ask_lexicon_free(in.m->agents);
	arena_free(in.arena);
	return NULL;
}

void
ask_model_free(struct ask_model *m)
{
	if (m == NULL)
		return;
	ask_lexicon_free(m->lexicon);
	ask_lexicon_free(m->agents);
	readings_spoken_free(m->spoken);
	arena_free(m->arena);
}
