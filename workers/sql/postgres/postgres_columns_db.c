#include "base/mem.h"
#include "workers/sql/postgres/postgres_columns_db.h"

#include <stdlib.h>
#include <string.h>

#include "workers/sql/postgres/postgres_columns_query.h"

static const char *
columns_db_cell(const PGresult *rows, int row, int column)
{
	return PQgetisnull(rows, row, column) ? NULL : PQgetvalue(rows, row, column);
}

static bool
is_same(const PGresult *x, const PGresult *y)
{
	if (x == NULL || PQntuples(x) != PQntuples(y))
		return false;
	for (int i = 0; i < PQntuples(x); i++)
		for (int k = PG_ASKED_WHAT; k <= PG_ASKED_D; k++)
			if (PQgetlength(x, i, k) != PQgetlength(y, i, k) ||
			    PQgetisnull(x, i, k) != PQgetisnull(y, i, k) ||
			    memcmp(PQgetvalue(x, i, k), PQgetvalue(y, i, k), (size_t)PQgetlength(x, i, k)) != 0)
				return false;
	return true;
}

static int
compare_names(const struct pg_relation *r, struct span schema, struct span name)
{
	int d = span_cmp(span_str(r->name), name);

	return d != 0 ? d : span_cmp(span_str(r->schema), schema);
}

/* The first relation whose name does not sort before this one. */
static size_t
lower_bound(const struct pg_columns_db *d, struct span schema, struct span name)
{
	size_t low = 0, high = d->nrelations;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_names(&d->relations[middle], schema, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct pg_relation *
relation_of(const struct pg_columns_db *d, const char *schema, const char *name)
{
	size_t i = lower_bound(d, span_str(schema), span_str(name));

	return i < d->nrelations && compare_names(&d->relations[i], span_str(schema), span_str(name)) == 0 ?
	    &d->relations[i] :
	    NULL;
}

/* The column's index; d->ncolumns if the relation has no column of that name. */
static size_t
column_of(const struct pg_columns_db *d, const struct pg_relation *r, const char *name)
{
	for (size_t i = r->first; i < r->first + r->n; i++)
		if (strcmp(d->columns[i].name, name) == 0)
			return i;
	return d->ncolumns;
}

static void
add_edge(struct pg_columns_db *d, size_t a, size_t b, bool both)
{
	if (a == d->ncolumns || b == d->ncolumns)
		return;
	d->edges = mem_grow(d->edges, d->nedges, &d->cap, sizeof(*d->edges));
	d->edges[d->nedges++] = (struct pg_edge){ a, b, both };
}

static void
take_edges(struct pg_columns_db *d, int row)
{
	struct pg_relation *r = relation_of(d, columns_db_cell(d->rows, row, PG_ASKED_SCHEMA),
			       columns_db_cell(d->rows, row, PG_ASKED_NAME)),
			   *parent;
	const char *a = columns_db_cell(d->rows, row, PG_ASKED_A), *b = columns_db_cell(d->rows, row, PG_ASKED_B);

	if (r == NULL)
		return;
	if (columns_db_cell(d->rows, row, PG_ASKED_WHAT)[0] == '3')
		add_edge(d, column_of(d, r, a), column_of(d, r, b), false);
	else if ((parent = relation_of(d, a, b)) != NULL) {
		d->branches[d->nbranches++] = (struct pg_branch){ r, parent };
		for (size_t i = r->first; i < r->first + r->n; i++)
			add_edge(d, i, column_of(d, parent, d->columns[i].name), true);
	}
}

static void
take_reading(struct pg_columns_db *d, int row)
{
	struct pg_relation *view = relation_of(d, columns_db_cell(d->rows, row, PG_ASKED_SCHEMA),
	    columns_db_cell(d->rows, row, PG_ASKED_NAME));
	struct pg_relation *read =
	    relation_of(d, columns_db_cell(d->rows, row, PG_ASKED_A), columns_db_cell(d->rows, row, PG_ASKED_B));
	const char *column = columns_db_cell(d->rows, row, PG_ASKED_C);

	if (view != NULL && read != NULL)
		d->readings[d->nreadings++] = (struct pg_reading){ view, read,
			column == NULL ? d->ncolumns : column_of(d, read, column) };
}

static void
take_hold(struct pg_columns_db *d, int row, size_t holder)
{
	const char *column = columns_db_cell(d->rows, row, PG_ASKED_D);
	const struct pg_relation *held =
	    relation_of(d, columns_db_cell(d->rows, row, PG_ASKED_B), columns_db_cell(d->rows, row, PG_ASKED_C));

	if (held != NULL)
		d->holds[d->nholds++] = (struct pg_hold){ holder, held,
			column == NULL ? d->ncolumns : column_of(d, held, column) };
}

/* Notes what a row says about one column. */
static void
take_column(struct pg_columns_db *d, int row)
{
	struct pg_relation *r = relation_of(d, columns_db_cell(d->rows, row, PG_ASKED_SCHEMA),
	    columns_db_cell(d->rows, row, PG_ASKED_NAME));
	const char *name = columns_db_cell(d->rows, row, PG_ASKED_A);
	char what = columns_db_cell(d->rows, row, PG_ASKED_WHAT)[0];
	size_t i;

	if (r != NULL && name == NULL)
		r->tainted = true;
	if (r == NULL || name == NULL || (i = column_of(d, r, name)) == d->ncolumns)
		return;
	if (what == '6')
		take_hold(d, row, i);
	else
		*(what == '5'       ? &d->columns[i].orders :
			what == '7' ? &d->columns[i].tainted :
			what == '8' ? &d->columns[i].divides :
			what == '9' ? &d->columns[i].counts :
			what == 'c' ? &d->columns[i].clusters :
				      &d->columns[i].defaults) = true;
}

/* Relations that no rule of the policy can name (workers/sql/postgres/guard/columns_server.def). */
static bool
is_of_server(const char *schema)
{
	return strcmp(schema, "pg_catalog") == 0 || strcmp(schema, "information_schema") == 0;
}

static void
take_row(struct pg_columns_db *d, int row)
{
	const PGresult *rows = d->rows;
	struct pg_relation *r;

	switch (columns_db_cell(rows, row, PG_ASKED_WHAT)[0]) {
	case '0':
		r = &d->relations[d->nrelations++];
		*r = (struct pg_relation){ .schema = columns_db_cell(rows, row, PG_ASKED_SCHEMA), .name = columns_db_cell(rows, row, PG_ASKED_NAME),
			.kind = columns_db_cell(rows, row, PG_ASKED_A)[0],
			.visible = strcmp(columns_db_cell(rows, row, PG_ASKED_B), "true") == 0,
			.opaque = columns_db_cell(rows, row, PG_ASKED_C)[0] == PG_VIEW_OPAQUE,
			.whole_rows = columns_db_cell(rows, row, PG_ASKED_C)[0] == PG_VIEW_WHOLE_ROWS,
			.server = is_of_server(columns_db_cell(rows, row, PG_ASKED_SCHEMA)),
			.definition = columns_db_cell(rows, row, PG_ASKED_D) };
		break;
	case '1':
		if ((r = relation_of(d, columns_db_cell(rows, row, PG_ASKED_SCHEMA),
			 columns_db_cell(rows, row, PG_ASKED_NAME))) == NULL)
			break;
		if (r->n++ == 0)
			r->first = d->ncolumns;
		d->columns[d->ncolumns].readable = strcmp(columns_db_cell(rows, row, PG_ASKED_B), "true") == 0;
		d->columns[d->ncolumns].uuid = strcmp(columns_db_cell(rows, row, PG_ASKED_C), "true") == 0;
		d->columns[d->ncolumns++].name = columns_db_cell(rows, row, PG_ASKED_A);
		break;
	case '2':
	case '3':
		take_edges(d, row);
		break;
	case '4':
		take_reading(d, row);
		break;
	case '5':
	case '6':
	case '7':
	case '8':
	case '9':
	case 'c':
	case 'd':
		take_column(d, row);
		break;
	case 'x':
		d->trouble = columns_db_cell(rows, row, PG_ASKED_A);
		d->trouble_with = columns_db_cell(rows, row, PG_ASKED_NAME);
		break;
	default:
		d->readers[d->nreaders++] = (struct pg_reader){ columns_db_cell(rows, row, PG_ASKED_WHAT)[0],
			columns_db_cell(rows, row, PG_ASKED_NAME) };
		break;
	}
}

static int
compare_relations(const void *a, const void *b)
{
	const struct pg_relation *y = b;

	return compare_names(a, span_str(y->schema), span_str(y->name));
}

static int
compare_readers(const void *a, const void *b)
{
	const struct pg_reader *x = a, *y = b;

	return x->what != y->what ? x->what - y->what : strcmp(x->name, y->name);
}

static void
columns_db_forget(struct pg_columns_db *d)
{
	for (size_t i = 0; i < d->nrelations; i++) {
		buf_fini(&d->relations[i].outer);
		buf_fini(&d->relations[i].inner);
		buf_fini(&d->relations[i].traced);
		buf_fini(&d->relations[i].source);
	}
	free(d->relations);
	free(d->columns);
	free(d->edges);
	free(d->readers);
	free(d->readings);
	free(d->holds);
	free(d->branches);
	PQclear(d->rows);
	*d = (struct pg_columns_db){ .counted = d->counted };
}

bool
pg_columns_db_take(struct pg_columns_db *d, PGresult *rows)
{
	size_t n = (size_t)PQntuples(rows), i;

	if (is_same(d->rows, rows)) {
		PQclear(rows);
		return false;
	}
	columns_db_forget(d);
	d->rows = rows;
	d->relations = mem_new(n, sizeof(*d->relations));
	d->columns = mem_new(n, sizeof(*d->columns));
	d->readers = mem_new(n, sizeof(*d->readers));
	d->readings = mem_new(n, sizeof(*d->readings));
	d->holds = mem_new(n, sizeof(*d->holds));
	d->branches = mem_new(n, sizeof(*d->branches));
	/* Sorted again here: the server sorts by its own encoding. */
	for (i = 0; i < n && columns_db_cell(rows, (int)i, PG_ASKED_WHAT)[0] == '0'; i++)
		take_row(d, (int)i);
	qsort(d->relations, d->nrelations, sizeof(*d->relations), compare_relations);
	for (; i < n; i++)
		take_row(d, (int)i);
	qsort(d->readers, d->nreaders, sizeof(*d->readers), compare_readers);
	return true;
}

void
pg_columns_db_fini(struct pg_columns_db *d)
{
	columns_db_forget(d);
}

static bool
raise_to(struct pg_column *c, enum columns_action action)
{
	bool higher = action > c->action;

	if (higher)
		c->action = action;
	return higher;
}

/* Whether some column is protected. */
static bool
has_protected(const struct pg_columns_db *d, const struct pg_relation *r)
{
	for (size_t i = r->first; i < r->first + r->n; i++)
		if (d->columns[i].action != COLUMNS_CLEAR)
			return true;
	return false;
}

/*
 * If a protected column decides in which child a row lies, a child must not be
 * read by itself, and the order in which the parent returns the rows must be
 * hidden.
 */
static void
find_divided(struct pg_columns_db *d)
{
	bool moved = true;

	for (size_t i = 0; i < d->nrelations; i++) {
		struct pg_relation *r = &d->relations[i];

		r->part = r->sorted = r->divider = false;
		for (size_t k = r->first; k < r->first + r->n; k++) {
			const struct pg_column *c = &d->columns[k];

			r->divider = r->divider || (c->divides && c->action != COLUMNS_CLEAR);
			r->sorted = r->sorted || ((c->divides || c->clusters) && c->action != COLUMNS_CLEAR);
			d->counts = d->counts || ((c->divides || c->counts) && c->action != COLUMNS_CLEAR);
		}
		r->divided = r->divider;
	}
	while (moved) {
		moved = false;
		for (size_t i = 0; i < d->nbranches; i++) {
			struct pg_relation *child = d->branches[i].child, *parent = d->branches[i].parent;
			bool part = (parent->part || parent->divider) && !child->part,
			     sorted = child->sorted && !parent->sorted, divided = child->divided && !parent->divided;

			moved = moved || part || sorted || divided;
			child->part = child->part || part;
			parent->sorted = parent->sorted || sorted;
			parent->divided = parent->divided || divided;
		}
	}
}

/* Whether the view's definition depends on protected values of the relation that it reads. */
static bool
spreads(const struct pg_columns_db *d, const struct pg_reading *x)
{
	if (!x->read->touched)
		return false;
	return x->read->definition != NULL || x->view->whole_rows || x->read->part || x->read->sorted ||
	    x->read->tainted || (x->column < d->ncolumns && d->columns[x->column].action != COLUMNS_CLEAR);
}

/*
 * A view that neither shows nor uses protected values is left unchanged, and
 * keeps running with its owner's rights.  A materialized view keeps the order
 * of the rows that it was made from.
 */
static void
find_touched(struct pg_columns_db *d)
{
	bool moved = true;

	for (size_t i = 0; i < d->nrelations; i++) {
		struct pg_relation *r = &d->relations[i];

		r->touched = r->opaque || r->tainted || r->part || r->sorted || has_protected(d, r);
	}
	while (moved) {
		moved = false;
		for (size_t i = 0; i < d->nreadings; i++) {
			const struct pg_reading *x = &d->readings[i];
			bool divided = x->read->divided && !x->view->divided;
			bool sorted = (x->read->sorted || x->read->divided) && x->view->kind == 'm' && !x->view->sorted;

			if (divided || sorted || (!x->view->touched && spreads(d, x))) {
				moved = x->view->touched = true;
				x->view->divided = x->view->divided || divided;
				x->view->sorted = x->view->sorted || sorted;
			}
		}
	}
}

enum server_when {
	COLUMNS_SERVER_ALWAYS, COLUMNS_SERVER_POLICY, COLUMNS_SERVER_DEFAULT, COLUMNS_SERVER_SEQUENCE,
	COLUMNS_SERVER_COUNT
};

static const struct {
	const char		*schema, *relation, *column;
	enum server_when	 when;
	enum columns_action	 action;
} server_columns[] = {
#define SERVER(schema, relation, column, when, action)	{ schema, relation, column, when, action },
#include "workers/sql/postgres/guard/columns_server.def"
#undef SERVER
};

/* The conditions of enum server_when that hold, as bits. */
static unsigned
find_server_times(const struct pg_columns_db *d, const struct columns *policy)
{
	unsigned times = 1u << COLUMNS_SERVER_ALWAYS;

	if (!columns_is_empty(policy))
		times |= 1u << COLUMNS_SERVER_POLICY;
	if (d->counts || d->counted)
		times |= 1u << COLUMNS_SERVER_COUNT;
	for (size_t i = 0; i < d->nrelations; i++) {
		const struct pg_relation *r = &d->relations[i];

		for (size_t k = r->first; k < r->first + r->n; k++)
			if (!r->server && d->columns[k].action != COLUMNS_CLEAR)
				times |= (d->columns[k].defaults ? 1u << COLUMNS_SERVER_DEFAULT : 0) |
				    (r->kind == 'S' ? 1u << COLUMNS_SERVER_SEQUENCE : 0);
	}
	return times;
}

static void
decide_server(struct pg_columns_db *d, const struct columns *policy)
{
	unsigned times = find_server_times(d, policy);

	for (size_t i = 0; i < sizeof(server_columns) / sizeof(server_columns[0]); i++) {
		struct pg_relation *r = relation_of(d, server_columns[i].schema, server_columns[i].relation);
		bool whole = strcmp(server_columns[i].column, "*") == 0;
		size_t column;

		if (r == NULL || (times & 1u << server_columns[i].when) == 0)
			continue;
		r->part = r->part || whole;
		r->touched = true;
		if (!whole && (column = column_of(d, r, server_columns[i].column)) < d->ncolumns)
			d->columns[column].action = server_columns[i].action;
	}
}

/* Decides on columns by the rules and by their types. */
static void
decide_named(struct pg_columns_db *d, struct pg_relation *r, const struct columns *policy, uint32_t view)
{
	r->state = PG_RELATION_NEW;
	for (size_t k = r->first; k < r->first + r->n; k++) {
		struct pg_column *c = &d->columns[k];

		c->action = r->server ?
		    COLUMNS_CLEAR :
		    c->tainted ?
		    COLUMNS_HIDE :
		    columns_decide(policy, view, span_str(r->schema), span_str(r->name), span_str(c->name));
	}
}

/* True if some action became stricter. */
static bool
spread_once(struct pg_columns_db *d)
{
	bool moved = false;

	for (size_t i = 0; i < d->nedges; i++) {
		struct pg_column *a = &d->columns[d->edges[i].a], *b = &d->columns[d->edges[i].b];

		moved = raise_to(a, b->action) || moved;
		moved = (d->edges[i].both && raise_to(b, a->action)) || moved;
	}
	for (size_t i = 0; i < d->nholds; i++) {
		const struct pg_hold *h = &d->holds[i];

		if (h->column < d->ncolumns ? d->columns[h->column].action != COLUMNS_CLEAR : has_protected(d, h->held))
			moved = raise_to(&d->columns[h->holder], COLUMNS_HIDE) || moved;
	}
	return moved;
}

void
pg_columns_db_decide(struct pg_columns_db *d, const struct columns *policy, uint32_t view)
{
	d->counts = false;
	for (size_t i = 0; i < d->nrelations; i++)
		decide_named(d, &d->relations[i], policy, view);
	/* This ends: each round makes some column stricter, and there are only three steps. */
	while (spread_once(d))
		continue;
	find_divided(d);
	find_touched(d);
	decide_server(d, policy);
}

int
pg_columns_db_relation(void *arg, struct span schema, struct span name)
{
	const struct pg_columns_db *d = arg;

	for (size_t i = lower_bound(d, schema, name); i < d->nrelations; i++) {
		const struct pg_relation *r = &d->relations[i];

		if (!span_is_str(name, r->name))
			break;
		if (schema.len > 0 ? span_is_str(schema, r->schema) : r->visible)
			return r->touched ? (int)i : -1;
	}
	return -1;
}

static bool
reads(const struct pg_columns_db *d, enum columns_pg_kind kind, struct span name)
{
	static const char what[] = { 'f', 'o', 't' };
	size_t low = 0, high = d->nreaders;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct pg_reader *r = &d->readers[middle];
		int order = r->what != what[kind] ? r->what - what[kind] : span_cmp(span_str(r->name), name);

		if (order == 0)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* Relations of the server that reveal the number of rows in a partition or a partial index, or its bounds. */
static bool
tells_sizes(struct span name)
{
	static const char *const names[] = { "pg_relation_size", "pg_table_size", "pg_total_relation_size",
		"pg_indexes_size", "pg_get_partition_constraintdef" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (span_is_str(name, names[i]))
			return true;
	return false;
}

/* The same of everything that is stored. */
static bool
tells_all_sizes(struct span name)
{
	return span_is_str(name, "pg_database_size") || span_is_str(name, "pg_tablespace_size");
}

const char *
pg_columns_db_refuses(void *arg, enum columns_pg_kind kind, struct span name)
{
	const struct pg_columns_db *d = arg;

	if (reads(d, kind, name))
		return "a function of the database that may read tables is called by it, which cannot be looked into; "
		       "query the "
		       "tables themselves";
	if (d->counted && kind == COLUMNS_PG_FUNCTION && (tells_sizes(name) || tells_all_sizes(name)))
		return "it tells how many rows there are in all, and this connection runs statements as the one who "
		       "asks; count "
		       "the rows of the tables themselves";
	if (d->counts && kind == COLUMNS_PG_FUNCTION && tells_sizes(name))
		return "it tells how many rows partitions or partial indexes have, which a protected column decides "
		       "here; count the "
		       "rows of the tables themselves";
	return NULL;
}
