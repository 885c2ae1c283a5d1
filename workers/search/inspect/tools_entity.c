#include <limits.h>
#include <string.h>

#include "project/model/source_find.h"
#include "base/utf8.h"
#include "project/config/drivers.h"
#include "project/scan/type_family.h"
#include "base/array.h"
#include "workers/search/library/news.h"
#include "workers/search/library/resolve.h"
#include "words/text.h"
#include "workers/search/answer/put.h"
#include "workers/search/inspect/tools_entity.h"
#include "workers/shared/call.h"

#define CANDIDATES_MAX	10
#define ABOUT_MAX	2000	/* bytes shown of a comment or description */
#define COLUMNS_NAMED	10	/* in a message */
#define MISSING_NAMED	20	/* missing columns in a message */
#define HOLDS_IT	30	/* percent; see column_distance() */
#define FAR		60
#define LABELS_MAX	100	/* shown of an enumeration */
#define PARTITIONS_MAX	20	/* named of a table */

/* State of one requested entity. */
struct entity {
	struct library		*l;
	struct call		*c;
	const struct connection	*from;
	const struct schema	*s;
	struct mp_value		 table, columns;
	struct buf		*out;
};

static struct span
asked(const struct entity *e)
{
	struct buf text = { 0 };
	struct span s;

	if (e->table.class == MP_STR)
		buf_span(&text, e->table.s);
	else {
		static const char *const parts[] = { "catalog", "db", "name" };

		for (size_t i = 0; i < 3; i++) {
			struct span p = mp_get_str(&e->table, parts[i], (struct span){ 0 });

			if (p.len > 0 && text.len > 0)
				buf_byte(&text, '.');
			buf_span(&text, p);
		}
	}
	text.len = utf8_cut(text.p, text.len, 120);
	s = arena_span(call_arena(e->c), buf_view(&text));
	buf_fini(&text);
	return s;
}

static void put_snapshot(const struct entity *e, struct buf *out);

/* {ok: false, connectionId, table, snapshot, error: {code, message, candidates?}}; n candidates, packed. */
static void
put_error(struct entity *e, const char *code, struct buf *message, const struct buf *candidates, size_t n)
{
	size_t map;

	mp_put_map(e->out, 5);
	mp_pair_bool(e->out, "ok", false);
	mp_pair_maybe(e->out, "connectionId", span_str(e->from->id));
	mp_put_cstr(e->out, "table");
	buf_span(e->out, e->table.raw); /* as in the request */
	put_snapshot(e, e->out);
	mp_put_cstr(e->out, "error");
	map = mp_open_pairs(e->out, mp_maybe("code", span_str(code)), mp_maybe("message", buf_view(message)));
	if (candidates != NULL) {
		mp_pair_array(e->out, "candidates", n);
		buf_span(e->out, buf_view(candidates));
	}
	mp_end(e->out, map);
	buf_fini(message);
}

/* The same with {tableRef, display} of candidate tables. */
static void
put_tables_error(struct entity *e, const char *code, struct buf *message, const struct schema_table *const *tables,
    size_t n)
{
	struct buf candidates = { 0 }, display = { 0 };

	for (size_t i = 0; i < n; i++) {
		size_t map = mp_open_map(&candidates);

		mp_put_cstr(&candidates, "tableRef");
		put_table_ref(&candidates, e->s, tables[i]);
		buf_reset(&display, SIZE_MAX);
		schema_display(e->s, tables[i], &display);
		mp_pair_maybe(&candidates, "display", buf_view(&display));
		mp_end(&candidates, map);
	}
	put_error(e, code, message, &candidates, n);
	buf_fini(&candidates);
	buf_fini(&display);
}

static void
no_scan(struct entity *e)
{
	struct buf m = { 0 };

	if (library_is_indexing(e->from))
		buf_printf(&m, "The scan of connection \"%s\" is being indexed; ask again in a moment.", e->from->id);
	else if (drivers_served(span_str(e->from->driver)) == NULL)
		buf_printf(&m,
		    "Connection \"%s\" has not been scanned, and this version does not serve its driver, %s; what ktx "
		    "scans of it in this project is found here.",
		    e->from->id, e->from->driver);
	else if (e->from->state == IPC_POOL_UNAVAILABLE && e->from->reason != NULL)
		buf_printf(&m, "Connection \"%s\" has not been scanned, and is not available: %s", e->from->id,
		    e->from->reason);
	else
		buf_printf(&m, "Connection \"%s\" has not been scanned. Run `carrel scan %s`, then ask again%s.",
		    e->from->id, e->from->id, e->from->semantic_only ? "" : "; sql_execution works without a scan");
	put_error(e, "scan_missing", &m, NULL, 0);
}

static void
many_tables(struct entity *e, const struct resolved *found)
{
	struct span text = asked(e);
	struct buf m = { 0 };
	size_t n = found->n < CANDIDATES_MAX ? found->n : CANDIDATES_MAX;

	buf_printf(&m, "%zu%s tables are called %.*s; pass one of the candidates as {catalog, db, name}.", found->n,
	    found->n == RESOLVE_MAX ? " or more" : "", SPAN_FMT(text));
	put_tables_error(e, "ambiguous_table", &m, found->v, n);
}

static const struct schema_column *
find_column(const struct schema *s, const struct schema_table *t, struct span name)
{
	const struct schema_column *same = NULL;

	for (uint32_t i = t->column; i < t->column + t->ncolumns; i++) {
		struct span has = schema_span(s, s->columns[i].name);

		if (span_is(has, name))
			return &s->columns[i];
		if (same == NULL && text_is_same(has, name))
			same = &s->columns[i];
	}
	return same;
}

struct near_column {
	unsigned	distance;
	uint32_t	at;
};

static int
by_distance(const void *a, const void *b)
{
	const struct near_column *x = a, *y = b;

	return x->distance != y->distance ? (x->distance > y->distance) - (x->distance < y->distance) :
					    (x->at > y->at) - (x->at < y->at);
}

/*
 * The distance of a column's name from the requested one, in percent of the longer name; a name that contains it is
 * near.  Distances above FAR are equal, so that unrelated columns stay in the table's order.
 */
static unsigned
column_distance(struct span has, struct span asked_for)
{
	struct buf x = { 0 }, y = { 0 };
	size_t longer;
	unsigned d;

	text_fold(has, &x);
	text_fold(asked_for, &y);
	longer = x.len > y.len ? x.len : y.len;
	d = longer == 0 ? 0 : text_distance(buf_view(&x), buf_view(&y), TEXT_WORD_MAX) * 100 / (unsigned)longer;
	if (d > HOLDS_IT && y.len >= 3 && memmem(x.p, x.len, y.p, y.len) != NULL)
		d = HOLDS_IT;
	buf_fini(&x);
	buf_fini(&y);
	return d > FAR ? 100 : d;
}

/* Put column names, the nearest to a missing one first: into m as text, and packed into list.  Returns their number. */
static size_t
name_columns(const struct schema *s, const struct schema_table *t, const struct span *missing, size_t n, struct buf *m,
    struct buf *list)
{
	size_t named = 0;

	struct near_column *near = array_new(t->ncolumns, sizeof(*near));

	for (uint32_t i = 0; i < t->ncolumns; i++) {
		struct span has = schema_span(s, s->columns[t->column + i].name);

		near[i] = (struct near_column){ UINT_MAX, i };
		for (size_t k = 0; k < n; k++) {
			unsigned d = column_distance(has, missing[k]);

			if (d < near[i].distance)
				near[i].distance = d;
		}
	}
	if (t->ncolumns > 0)
		qsort(near, t->ncolumns, sizeof(*near), by_distance);
	for (; named < t->ncolumns && named < COLUMNS_NAMED; named++) {
		struct span has = schema_span(s, s->columns[t->column + near[named].at].name);

		buf_printf(m, "%s%.*s", named > 0 ? ", " : "", SPAN_FMT(has));
		mp_put_str(list, has);
	}
	if (t->ncolumns > COLUMNS_NAMED)
		buf_str(m, ", …");
	free(near);
	return named;
}

static void
no_columns(struct entity *e, const struct schema_table *t, const struct span *missing, size_t n)
{
	struct buf m = { 0 }, candidates = { 0 };
	size_t named;

	schema_display(e->s, t, &m);
	buf_str(&m, " has no column ");
	for (size_t i = 0; i < n; i++)
		buf_printf(&m, "%s%.*s", i > 0 ? ", " : "", (int)utf8_cut(missing[i].p, missing[i].len, 100),
		    (const char *)missing[i].p);
	buf_str(&m, ". It has: ");
	named = name_columns(e->s, t, missing, n, &m, &candidates);
	buf_str(&m, ". Leave columns out to see all of them.");
	put_error(e, "column_not_found", &m, &candidates, named);
	buf_fini(&candidates);
}

/* Mark the requested columns in wanted; false: an error was written. */
static bool
choose_columns(struct entity *e, const struct schema_table *t, bool *wanted)
{
	struct mp_iter it = mp_iter(&e->columns);
	struct span missing[MISSING_NAMED];
	struct mp_value one;
	size_t n = 0;

	memset(wanted, e->columns.class != MP_ARRAY || e->columns.n == 0, t->ncolumns);
	while (e->columns.class == MP_ARRAY && mp_next(&it, &one)) {
		const struct schema_column *c;

		if (one.class != MP_STR)
			continue;
		c = find_column(e->s, t, one.s);
		if (c == NULL)
			c = find_column(e->s, t, resolve_unquoted(call_arena(e->c), one.s));
		if (c != NULL)
			wanted[c - (e->s->columns + t->column)] = true;
		else if (n < MISSING_NAMED)
			missing[n++] = one.s;
	}
	if (n > 0)
		no_columns(e, t, missing, n);
	return n == 0;
}

/* Put a foreign text, cut to ABOUT_MAX. */
static void
put_about(struct buf *out, const char *key, struct span text)
{
	if (text.len > ABOUT_MAX)
		text.len = utf8_cut(text.p, text.len, ABOUT_MAX);
	mp_pair_some(out, key, text);
}

/* The type family, in words common to all databases; an enumeration is recognised by its labels. */
static const char *
family_of(const struct schema *s, const struct schema_column *c, struct span type)
{
	const char *family = type_family(span_str(s->driver), type);

	return c->labels != 0 && strcmp(family, "array") != 0 ? "enum" : family;
}

static void
put_labels(const struct schema *s, const schema_text *labels, size_t n, struct buf *out)
{
	size_t told = n < LABELS_MAX ? n : LABELS_MAX;

	mp_pair_array(out, "enumLabels", told);
	for (size_t i = 0; i < told; i++)
		mp_put_str(out, schema_span(s, labels[i]));
	if (told < n)
		mp_pair_bool(out, "moreLabels", true);
}

/* Where its values come from when a row does not give them. */
static void
put_origin(const struct schema *s, const struct schema_column *c, struct buf *out)
{
	static const char *const members[] = { "default", "generated", "identity" };
	size_t n;
	const schema_text *texts = schema_list(s, c->origin, &n);

	for (size_t i = 0; i < n; i++)
		if (texts[i] != 0)
			mp_pair_str(out, members[i], schema_span(s, texts[i]));
}

/* In how many rows a deep scan found another value each; 0: it did not, or the column is withheld. */
static unsigned long long
measured_rows(const struct source *made, struct span column)
{
	const struct source_column *c = source_find_column(made, column);

	return c == NULL || c->withheld ? 0 : c->unique_rows;
}

static void
put_column(const struct schema *s, const struct schema_column *c, const struct source *made, struct buf *out)
{
	struct span normalized = schema_span(s, c->normalized_type), native = schema_span(s, c->native_type);
	unsigned long long measured = c->primary_key ? 0 : measured_rows(made, schema_span(s, c->name));
	size_t nlabels, mark = mp_open_map(out);
	const schema_text *labels = schema_list(s, c->labels, &nlabels);

	mp_pair_maybe(out, "name", schema_span(s, c->name));
	mp_pair_maybe(out, "nativeType", native.p != NULL ? native : SPAN(""));
	if (normalized.len == 0)
		normalized = native;
	mp_pair_maybe(out, "normalizedType", normalized.p == NULL ? SPAN("") : span_str(family_of(s, c, normalized)));
	mp_pair_maybe(out, "dimensionType", span_str(snapshot_dimension_name((enum snapshot_dimension)c->dimension)));
	mp_pair_bool(out, "nullable", c->nullable);
	mp_pair_bool(out, "primaryKey", c->primary_key);
	if (measured > 0)
		mp_pair_uint(out, "measuredUniqueRows", measured);
	put_about(out, "comment", schema_span(s, c->comment));
	put_about(out, "description", schema_span(s, c->description));
	if (nlabels > 0)
		put_labels(s, labels, nlabels, out);
	put_origin(s, c, out);
	mp_end(out, mark);
}

/* In SQLite a foreign key may name only a table; it then refers to its primary key. */
static struct span
target_column(const struct schema *s, const struct schema_key *k)
{
	size_t n = 0;
	const uint32_t *named = schema_named(s, schema_span(s, k->to_table), &n);
	const struct schema_table *t = n > 0 ? &s->tables[named[0]] : NULL;

	for (uint32_t i = 0; t != NULL && i < t->ncolumns; i++)
		if (s->columns[t->column + i].primary_key)
			return schema_span(s, s->columns[t->column + i].name);
	return SPAN("");
}

static void
put_key(const struct schema *s, const struct schema_key *k, struct buf *out)
{
	struct span column = schema_span(s, k->to_column);

	mp_put_pairs(out, mp_maybe("fromColumn", schema_span(s, k->from_column)),
	    mp_maybe("toCatalog", schema_span(s, k->to_catalog)), mp_maybe("toDb", schema_span(s, k->to_db)),
	    mp_maybe("toTable", schema_span(s, k->to_table)),
	    mp_maybe("toColumn", column.p != NULL ? column : target_column(s, k)),
	    mp_maybe("constraintName", schema_span(s, k->constraint)));
}

static void
put_index(const struct schema *s, const struct schema_index *x, struct buf *out)
{
	size_t n, mark;
	const schema_text *columns = schema_list(s, x->columns, &n);
	struct span definition = schema_span(s, x->definition);

	mark = mp_open_map(out);
	mp_pair_maybe(out, "name", schema_span(s, x->name));
	mp_pair_array(out, "columns", n);
	for (size_t i = 0; i < n; i++)
		if (columns[i] == 0)
			mp_put_nil(out);
		else
			mp_put_str(out, schema_span(s, columns[i]));
	mp_pair_bool(out, "unique", x->unique);
	if (x->primary)
		mp_pair_bool(out, "primary", true);
	if (definition.p != NULL)
		mp_pair_str(out, "definition", definition);
	mp_end(out, mark);
}

static void
put_checks(const struct schema *s, const struct schema_table *t, struct buf *out)
{
	size_t n;
	const schema_text *texts = schema_list(s, t->checks, &n);

	mp_put_cstr(out, "checks");
	mp_put_array(out, n / 2);
	for (; n > 0; n -= 2, texts += 2) {
		size_t mark = mp_open_map(out);

		if (texts[0] != 0)
			mp_pair_str(out, "name", schema_span(s, texts[0]));
		mp_pair_str(out, "expression", schema_span(s, texts[1]));
		mp_end(out, mark);
	}
}

/* Whether our own scan lacks details that current scans have.  Imported ktx scans never have them. */
static bool
is_incomplete(const struct schema *s)
{
	return s->fingerprint != NULL && !s->has_details;
}

static void
put_snapshot(const struct entity *e, struct buf *out)
{
	const struct schema *s = e->s;
	enum live_state state = live_state(e->from);

	mp_put_cstr(out, "snapshot");
	if (s == NULL) {
		mp_put_nil(out);
		return;
	}
	mp_put_map(out, (size_t)4 + is_incomplete(s));
	mp_pair_maybe(out, "syncId", span_str(s->sync_id));
	mp_pair_maybe(out, "extractedAt", span_str(s->extracted_at));
	mp_pair_maybe(out, "scanRunId", span_str(s->run_id));
	mp_put_cstr(out, "stale");
	if (state == LIVE_UNKNOWN)
		mp_put_nil(out);
	else
		mp_put_bool(out, state == LIVE_CHANGED);
	if (is_incomplete(s)) {
		struct buf note = { 0 };

		buf_printf(&note,
		    "older than the program or the column policy: `carrel scan %s` adds enum labels, defaults, "
		    "checks, indexes and views' SQL",
		    e->from->id);
		mp_pair_maybe(out, "note", buf_view(&note));
		buf_fini(&note);
	}
}

static void
put_head(const struct entity *e, const struct schema_table *t)
{
	struct buf *out = e->out, display = { 0 };

	mp_pair_bool(out, "ok", true);
	mp_pair_maybe(out, "connectionId", span_str(e->from->id));
	mp_put_cstr(out, "tableRef");
	put_table_ref(out, e->s, t);
	schema_display(e->s, t, &display);
	mp_pair_maybe(out, "display", buf_view(&display));
	buf_fini(&display);
	mp_pair_maybe(out, "kind", span_str(snapshot_kind_name((enum snapshot_kind)t->kind)));
	put_about(out, "comment", schema_span(e->s, t->comment));
	put_about(out, "description", schema_span(e->s, t->description));
	mp_put_cstr(out, "estimatedRows");
	if (t->has_rows)
		mp_put_int(out, t->rows);
	else
		mp_put_nil(out);
}

/* The parts of a table, which are asked for as that table. */
static void
put_partitions(const struct schema *s, const struct schema_table *t, struct buf *out)
{
	size_t n;
	const schema_text *names = schema_list(s, t->partitions, &n);

	mp_put_cstr(out, "partitions");
	mp_put_map(out, 2);
	mp_pair_uint(out, "count", n);
	mp_put_cstr(out, "names");
	n = n < PARTITIONS_MAX ? n : PARTITIONS_MAX;
	mp_put_array(out, n);
	for (size_t i = 0; i < n; i++)
		mp_put_str(out, schema_span(s, names[i]));
}

static void
put_table(struct entity *e, const struct schema_table *t)
{
	bool *wanted = array_new(t->ncolumns, sizeof(*wanted));
	struct span definition = schema_span(e->s, t->definition);
	const struct source *made = library_made_of(e->from, e->s, t);
	struct buf *out = e->out;
	size_t whole, mark;

	if (!choose_columns(e, t, wanted))
		goto out;
	whole = mp_open_map(out);
	put_head(e, t);
	mark = mp_pair_open_array(out, "columns");
	for (uint32_t i = 0; i < t->ncolumns; i++)
		if (wanted[i])
			put_column(e->s, &e->s->columns[t->column + i], made, out);
	mp_end(out, mark);
	mp_pair_array(out, "foreignKeys", t->nkeys);
	for (uint32_t i = 0; i < t->nkeys; i++)
		put_key(e->s, &e->s->keys[t->key + i], out);
	if (t->nindexes > 0) {
		mp_pair_array(out, "indexes", t->nindexes);
		for (uint32_t i = 0; i < t->nindexes; i++)
			put_index(e->s, &e->s->indexes[t->index + i], out);
	}
	if (t->checks != 0)
		put_checks(e->s, t, out);
	if (definition.p != NULL)
		mp_pair_str(out, "definition", definition);
	if (t->partitions != 0)
		put_partitions(e->s, t, out);
	put_snapshot(e, out);
	mp_end(out, whole);
out:
	free(wanted);
}

void
search_put_table(const struct connection *from, const struct schema_table *t, struct buf *out)
{
	struct entity e = { .from = from, .s = from->scans.schema, .out = out };

	put_table(&e, t);
}

static void
a_partition(struct entity *e, const struct schema_table *t)
{
	struct span text = asked(e);
	struct buf m = { 0 }, display = { 0 };

	schema_display(e->s, t, &display);
	buf_printf(&m, "%.*s is a partition of %.*s, which a scan describes whole; ask for %.*s.", SPAN_FMT(text),
	    SPAN_FMT(buf_view(&display)), SPAN_FMT(buf_view(&display)));
	put_tables_error(e, "table_not_found", &m, &t, 1);
	buf_fini(&display);
}

static void
no_table(struct entity *e)
{
	struct arena *a = call_arena(e->c);
	const struct schema_table *tables[CANDIDATES_MAX];
	struct span text = asked(e), column, display = { 0 };
	struct buf m = { 0 }, owner = { 0 };
	struct resolved owners;
	struct answers near;
	size_t n = 0;

	buf_printf(&m, "The latest scan of \"%s\" has no table %.*s", e->from->id, SPAN_FMT(text));
	if (resolve_owner(e->s, a, &e->table, &owners, &column)) {
		tables[n++] = owners.v[0];
		schema_display(e->s, owners.v[0], &owner);
		display = buf_view(&owner);
		if (find_column(e->s, owners.v[0], column) != NULL) {
			buf_printf(&m,
			    "; %.*s is a column of %.*s: ask for {\"table\": \"%.*s\", \"columns\": [\"%.*s\"]}.",
			    SPAN_FMT(column), SPAN_FMT(display), SPAN_FMT(display), SPAN_FMT(column));
			put_tables_error(e, "table_not_found", &m, tables, n);
			goto out;
		}
	} else {
		n = search_suggest(e->l, a, resolve_asked(a, &e->table), e->from, KIND_TABLE, CANDIDATES_MAX, &near);
		for (size_t i = 0; i < n; i++) {
			const struct schema_column *none;

			tables[i] = schema_of(e->s, near.parts[near.v[i].part].segment, near.v[i].doc, &none);
		}
		if (n > 0)
			display = near.v[0].id;
	}
	buf_str(&m, ". ");
	if (n > 0)
		buf_printf(&m, "The nearest is %.*s. ", SPAN_FMT(display));
	buf_printf(&m, "discover_data finds tables by what they hold; if it is new, run `carrel scan %s`.",
	    e->from->id);
	put_tables_error(e, "table_not_found", &m, tables, n);
out:
	buf_fini(&owner);
}

static void
put_entity(struct entity *e)
{
	const struct schema_table *whole;
	struct resolved found;

	if (e->s == NULL) {
		no_scan(e);
		return;
	}
	resolve_table(e->s, call_arena(e->c), &e->table, &found);
	if (found.n == 0 && (whole = resolve_partition(e->s, call_arena(e->c), &e->table)) != NULL)
		a_partition(e, whole);
	else if (found.n == 0)
		no_table(e);
	else if (found.n > 1)
		many_tables(e, &found);
	else
		put_table(e, found.v[0]);
}

static int
details(struct call *c, const struct mp_value *args, bool may_ask, struct err *err)
{
	struct entity e = { .l = call_state(c), .c = c };
	struct mp_value list, one;
	struct buf out = { 0 };
	struct connection *from;
	struct mp_iter it;

	if (search_connection(c, args, &from, err) != 0)
		return -1;
	if (from == NULL || !mp_get(args, "entities", &list) || list.class != MP_ARRAY)
		return err_set(err, ERR_INVALID_ARGUMENTS, "connectionId and entities are needed");
	if (may_ask) {
		enum live_state before = live_state(from);

		live_look(c, from);
		news_live(e.l, from, before);
	}
	e.from = from;
	e.s = from->scans.schema;
	e.out = &out;
	mp_put_map(&out, 1);
	mp_pair_array(&out, "results", list.n);
	it = mp_iter(&list);
	while (mp_next(&it, &one)) {
		mp_get(&one, "table", &e.table);
		mp_get(&one, "columns", &e.columns);
		put_entity(&e);
	}
	return search_finish(c, &out, err);
}

int
tool_entity_details(struct call *c, const struct mp_value *args, struct err *err)
{
	return details(c, args, true, err);
}

int
tool_entity_details_meanwhile(struct call *c, const struct mp_value *args, struct err *err)
{
	return details(c, args, false, err);
}
