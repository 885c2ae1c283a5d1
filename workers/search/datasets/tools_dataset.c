#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json/cell.h"
#include "base/system/clock.h"
#include "policy/datasets_names.h"
#include "workers/search/datasets/tools_dataset.h"
#include "workers/search/library/resolve.h"
#include "workers/search/answer/put.h"
#include "workers/shared/ask_worker.h"
#include "workers/shared/call.h"

#define LOOK_NS		(5 * CLOCK_SECOND)	/* for the answers about one dataset */
#define COUNT_NS	(3 * CLOCK_SECOND)	/* for counting its rows */
#define GLANCE_NS	(800 * CLOCK_MS)	/* for the answers in a list, which must not wait for a slow database */
#define COLUMNS_NS	(2 * CLOCK_SECOND)	/* for the columns of all datasets in a list */
#define ROWS_LOOKED_AT	50			/* for sample values */
#define SAMPLES		3
#define SAMPLE_BYTES	400			/* a longer value is left out */
#define WIDTH		8			/* databases asked at once */

static bool
is_meant(const struct dataset *d, struct span id)
{
	return (id.len == d->id.len && strncasecmp((const char *)id.p, (const char *)d->id.p, id.len) == 0) ||
	    (id.len == d->name.len && strncasecmp((const char *)id.p, (const char *)d->name.p, id.len) == 0);
}

int
datasets_ask(struct call *c, struct span id, struct datasets *out, struct err *err)
{
	struct mp_value result, list, one;
	struct mp_iter it;

	*out = (struct datasets){ .call = c, .answer_ns = { LOOK_NS, COUNT_NS },
		.all_ns = { LOOK_NS, COUNT_NS } };
	if (call_sub(c, &(struct call_ask){ .tool = "datasets" }, &result, err) != 0)
		return -1;
	if (!mp_get(&result, "datasets", &list) || list.class != MP_ARRAY)
		return err_set(err, ERR_INTERNAL, "the list of datasets is not readable");
	if ((out->v = arena_alloc(call_arena(c), (list.n + 1) * sizeof(*out->v))) == NULL)
		return err_set(err, ERR_INTERNAL, "the list of datasets is too long");
	for (it = mp_iter(&list); mp_next(&it, &one);) {
		struct dataset *d = &out->v[out->n];

		memset(d, 0, sizeof(*d));
		d->id = mp_get_str(&one, "id", SPAN(""));
		d->name = mp_get_str(&one, "name", SPAN(""));
		d->connection = mp_get_str(&one, "connection", SPAN(""));
		d->db = mp_get_str(&one, "db", SPAN(""));
		d->table = mp_get_str(&one, "table", SPAN(""));
		d->description = mp_get_str(&one, "description", SPAN(""));
		d->type = mp_get_str(&one, "type", SPAN("table"));
		d->created_at = mp_get_str(&one, "created_at", SPAN(""));
		d->since_ms = mp_get_uint(&one, "since_ms", 0);
		d->table_lacks = mp_get_bool(&one, "table_lacks", false);
		d->texts_lack = mp_get_bool(&one, "texts_lack", false);
		d->columns = d->types = (struct mp_value){ .class = MP_NIL };
		out->n += id.len == 0 || is_meant(d, id);
	}
	return 0;
}

int
datasets_none(struct span id, struct err *err)
{
	return err_set(err, ERR_DATASET_NOT_FOUND,
	    "There is no dataset \"%.*s\"; carrel_list_datasets shows which there are, with their ids.",
	    (int)(id.len < 64 ? id.len : 64), (const char *)id.p);
}

int
datasets_lack(const struct dataset *d, const char *what, struct err *err)
{
	return err_set(err, ERR_BUSY,
	    "%s of the dataset \"%.*s\" (%.*s) was imported on another node and has not come to this one yet: try "
	    "again in "
	    "a moment; `carrel status` on this node says what keeps it",
	    what, SPAN_FMT(d->name), SPAN_FMT(d->id));
}

struct dataset_look {
	struct dataset	*d;
	bool		 count, asked, late;
	uint64_t	 asked_ns;
	struct buf	 args;
};

/* One question at a time per connection, so that a slow one does not delay the next within its time limit. */
enum lane { LANE_FREE, LANE_BUSY, LANE_CLOSED };

/* The cached number of rows of the dataset, or of columns that the caller sees. */
static struct size_known *
known_size(const struct datasets *all, const struct dataset *d, bool rows)
{
	static struct size_known unkept;
	struct library *l = call_state(all->call);
	const struct connection *from = library_connection(l, d->connection);

	/* One caller's number is not another's. */
	if (from != NULL && from->identity) {
		unkept = (struct size_known){ .has = false };
		return &unkept;
	}
	/* Callers with the same view of the columns share the cache entry. */
	uint32_t view = from == NULL ? 0 : columns_view(from->policy, call_scopes(all->call));

	return sizes_of(&l->sizes, d->id, rows ? SIZES_ROWS : view, from == NULL ? "" : from->policy_digest);
}

static int
keep_rows(void *arg, const struct mp_value *rows, struct err *err)
{
	struct dataset_look *q = arg;
	struct mp_iter it = mp_iter(rows), cells;
	struct mp_value row, cell;

	(void)err;
	while (mp_next(&it, &row)) {
		cells = mp_iter(&row);
		if (!q->count) {
			buf_span(&q->d->sample, row.raw);
			q->d->nsample++;
		} else if (mp_next(&cells, &cell) && cell.class == MP_UINT) {
			q->d->has_rows = true;
			q->d->rows = cell.u;
		}
	}
	return 0;
}

static uint8_t *
lane_of(const struct datasets *all, const struct dataset *d)
{
	struct library *l = call_state(all->call);
	const struct connection *from = library_connection(l, d->connection);

	return &all->lanes[from == NULL ? l->nconnections : (size_t)(from - l->connections)];
}

static void
put_question(const struct datasets *all, struct dataset_look *q, struct call_ask *ask)
{
	mp_put_map(&q->args, 3);
	mp_pair_str(&q->args, "db", q->d->db);
	mp_pair_str(&q->args, "table", q->d->table);
	if (q->count)
		mp_pair_bool(&q->args, "count", true);
	else
		mp_pair_uint(&q->args, "rows", all->rows);
	*ask = (struct call_ask){ .tool = "dataset_sample", .connection = q->d->connection,
		.args = buf_view(&q->args), .deadline_ns = q->asked_ns + all->answer_ns[q->count], .on_rows = keep_rows,
		.arg = q };
}

static bool
next_question(void *arg, struct call_ask *ask)
{
	struct datasets *all = arg;
	uint64_t now = clock_ns();

	for (; all->next < all->n && now < all->until_ns; all->next++) {
		struct dataset *d = all->order[all->next];
		struct dataset_look *q = &all->questions[2 * (d - all->v) + all->counting];
		uint8_t *lane = lane_of(all, d);

		if (d->skip[all->counting] || q->asked || *lane == LANE_CLOSED)
			continue;
		if (*lane == LANE_BUSY) {
			all->more = true;
			continue;
		}
		*lane = LANE_BUSY;
		q->d = d;
		q->count = all->counting;
		q->asked = true;
		q->asked_ns = now;
		put_question(all, q, ask);
		all->next++;
		return true;
	}
	return false;
}

/* Copy a member into the call's arena. */
static struct mp_value
keep_value(struct call *c, const struct mp_value *of, const char *key)
{
	struct mp_value v, kept = { .class = MP_NIL };
	void *copy;

	if (mp_get(of, key, &v) && (copy = arena_alloc(call_arena(c), v.raw.len)) != NULL) {
		memcpy(copy, v.raw.p, v.raw.len);
		(void)mp_value(span_of(copy, v.raw.len), &kept);
	}
	return kept;
}

static int
answer_question(void *arg, const struct call_ask *ask, const struct mp_value *result, const struct err *why,
    struct err *err)
{
	const struct datasets *all = arg;
	struct dataset_look *q = ask->arg;

	(void)err;
	q->late = result == NULL && why->code == ERR_QUERY_TIMEOUT;
	*lane_of(all, q->d) = q->late ? LANE_CLOSED : LANE_FREE;
	if (!q->count && result == NULL)
		q->d->why = *why;
	else if (!q->count) {
		q->d->columns = keep_value(all->call, result, "columns");
		q->d->types = keep_value(all->call, result, "types");
	}
	return 0;
}

/* Cache the answers; an immediate failure may be retried at once. */
static void
keep_sizes(struct datasets *all)
{
	uint64_t now = clock_ns();

	for (size_t i = 0; i < 2 * all->n; i++) {
		const struct dataset_look *q = &all->questions[i];
		struct dataset *d = &all->v[i / 2];
		struct size_known *k;

		if (!q->asked)
			continue;
		k = known_size(all, d, q->count);
		if (q->count ? d->has_rows : d->columns.class == MP_ARRAY)
			size_said(k, q->count ? d->rows : d->columns.n, now);
		else if (q->late)
			size_late(k, now);
	}
}

/* Use cached sizes where the database gave no answer now. */
static void
fill_sizes(const struct datasets *all)
{
	uint64_t now = clock_ns();

	for (size_t i = 0; i < all->n; i++) {
		struct dataset *d = &all->v[i];
		const struct size_known *k = known_size(all, d, true);

		d->has_rows = size_holds(k, now);
		d->rows = k->n;
		k = known_size(all, d, false);
		d->has_width = size_holds(k, now);
		d->width = k->n;
	}
}

/* Ask all questions of one kind: columns or numbers of rows. */
static int
ask_all(struct datasets *all, bool counting, struct err *err)
{
	int result;

	all->counting = counting;
	all->until_ns = clock_ns() + all->all_ns[counting];
	do {
		all->next = 0;
		all->more = false;
		result = call_sub_many(all->call, WIDTH, next_question, answer_question, all, err);
	} while (result == 0 && all->more && clock_ns() < all->until_ns);
	return result;
}

static int
compare_weights(const void *a, const void *b)
{
	const struct dataset *x = *(struct dataset *const *)a, *y = *(struct dataset *const *)b;

	return x->weight != y->weight ? (x->weight > y->weight ? 1 : -1) : (x > y) - (x < y);
}

/* Order by size in the latest scan, small tables first; views last, as their cost is unknown. */
static void
put_in_order(struct datasets *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct dataset *d = &all->v[i];
		const struct schema_table *t =
		    datasets_scanned(library_connection(call_state(all->call), d->connection), d);

		d->weight = t == NULL                             ? 0 :
		    snapshot_is_view((enum snapshot_kind)t->kind) ? UINT64_MAX :
		    t->has_rows                                   ? (uint64_t)t->rows :
								    0;
		all->order[i] = d;
	}
	qsort(all->order, all->n, sizeof(struct dataset *), compare_weights);
}

int
datasets_look(struct datasets *all, unsigned rows, struct err *err)
{
	size_t nlanes = ((const struct library *)call_state(all->call))->nconnections + 1;
	int result;

	all->rows = rows;
	all->questions = arena_alloc(call_arena(all->call), (2 * all->n + 1) * sizeof(*all->questions));
	all->lanes = arena_alloc(call_arena(all->call), nlanes);
	all->order = arena_alloc(call_arena(all->call), (all->n + 1) * sizeof(struct dataset *));
	if (all->questions == NULL || all->lanes == NULL || all->order == NULL)
		return err_set(err, ERR_INTERNAL, "too many datasets at once");
	put_in_order(all);
	memset(all->questions, 0, (2 * all->n + 1) * sizeof(*all->questions));
	memset(all->lanes, LANE_FREE, nlanes);
	for (size_t i = 0; i < all->n; i++)
		all->v[i].mark = mp_open_array(&all->v[i].sample);
	result = ask_all(all, false, err);
	if (result == 0)
		result = ask_all(all, true, err);
	for (size_t i = 0; i < all->n; i++)
		mp_close(&all->v[i].sample, all->v[i].mark, all->v[i].nsample);
	if (result == 0) {
		keep_sizes(all);
		fill_sizes(all);
	}
	for (size_t i = 0; i < 2 * all->n; i++)
		buf_fini(&all->questions[i].args);
	return result;
}

/* For a list: skip what is cached, and give the rest little time. */
static void
glance(struct datasets *all)
{
	uint64_t now = clock_ns();

	all->answer_ns[0] = all->answer_ns[1] = all->all_ns[1] = GLANCE_NS;
	all->all_ns[0] = COLUMNS_NS;
	for (size_t i = 0; i < all->n; i++) {
		all->v[i].skip[0] = !size_is_due(known_size(all, &all->v[i], false), now);
		all->v[i].skip[1] = !size_is_due(known_size(all, &all->v[i], true), now);
	}
}

void
datasets_fini(struct datasets *all)
{
	for (size_t i = 0; i < all->n; i++)
		buf_fini(&all->v[i].sample);
}

static void
put_dataset(const struct library *l, const struct dataset *d, bool owner, struct buf *out)
{
	const struct chunk_set *text = chunks_set(&l->chunks, d->id);
	struct buf table = { 0 };
	char name[DATASETS_NAME];

	mp_put_map(out, owner ? 11 : 8);
	mp_pair_str(out, "id", d->id);
	mp_pair_str(out, "name", d->name);
	mp_pair_some(out, "description", d->description);
	mp_pair_str(out, "type", d->type);
	mp_pair_known(out, "row_count", d->has_rows, d->rows);
	mp_pair_known(out, "column_count", d->has_width, d->width);
	mp_pair_str(out, "created_at", d->created_at);
	mp_pair_bool(out, "has_vectors", text != NULL && text->nvectors > 0);
	if (!owner)
		return;
	if (d->db.len > 0)
		buf_printf(&table, "%.*s.", SPAN_FMT(d->db));
	buf_span(&table, d->table);
	datasets_name(d->id, false, name);
	mp_pair_str(out, "connection", d->connection);
	mp_pair_str(out, "table", buf_view(&table));
	mp_pair_cstr(out, "table_name", name);
	buf_fini(&table);
}

static int
list_datasets(struct call *c, struct span id, bool owner, struct err *err)
{
	struct datasets all;
	struct buf out = { 0 };
	int result;

	if (datasets_ask(c, id, &all, err) != 0)
		return -1;
	if (id.len > 0 && all.n == 0)
		return datasets_none(id, err);
	/* A request for a single dataset gets current numbers. */
	if (id.len == 0)
		glance(&all);
	if ((result = datasets_look(&all, 0, err)) == 0) {
		size_t map = mp_open_map(&out);

		mp_pair_array(&out, "datasets", all.n);
		for (size_t i = 0; i < all.n; i++)
			put_dataset(call_state(c), &all.v[i], owner, &out);
		mp_pair_uint(&out, "count", all.n);
		mp_end(&out, map);
		result = search_finish(c, &out, err);
	}
	datasets_fini(&all);
	return result;
}

int
tool_list_datasets(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)args;
	return list_datasets(c, SPAN(""), false, err);
}

int
tool_dataset_list(struct call *c, const struct mp_value *args, struct err *err)
{
	return list_datasets(c, mp_get_str(args, "id", SPAN("")), true, err);
}

const struct schema_table *
datasets_scanned(const struct connection *from, const struct dataset *d)
{
	const struct schema *s = from == NULL ? NULL : from->scans.schema;
	const uint32_t *named;
	size_t n = 0;

	if (s == NULL)
		return NULL;
	named = schema_named(s, d->table, &n);
	for (size_t i = 0; i < n; i++) {
		const struct schema_table *t = &s->tables[named[i]];
		struct span db = schema_span(s, t->db);

		if (span_is(schema_span(s, t->name), d->table) && (d->db.len == 0 || db.len == 0 || span_is(db, d->db)))
			return t;
	}
	return NULL;
}

static const struct schema_column *
scanned_column(const struct schema *s, const struct schema_table *t, struct span name)
{
	for (uint32_t i = 0; t != NULL && i < t->ncolumns; i++)
		if (span_is(schema_span(s, s->columns[t->column + i].name), name))
			return &s->columns[t->column + i];
	return NULL;
}

/* Put up to SAMPLES distinct values of column `at`, in the order of the rows. */
static void
put_samples(const struct dataset *d, size_t at, struct buf *out)
{
	struct span seen[SAMPLES];
	struct mp_value all, row, cell = { .class = MP_NIL };
	struct mp_iter it, cells;
	size_t n = 0, mark;

	mark = mp_pair_open_array(out, "sample_values");
	it = mp_iter(mp_value(buf_view(&d->sample), &all) ? &all : &(struct mp_value){ .class = MP_NIL });
	while (n < SAMPLES && mp_next(&it, &row)) {
		bool there = false;

		cells = mp_iter(&row);
		for (size_t i = 0; i <= at && mp_next(&cells, &cell); i++)
			;
		for (size_t i = 0; i < n; i++)
			there = there || span_is(seen[i], cell.raw);
		if (there || cell.class == MP_NIL || cell.raw.len > SAMPLE_BYTES)
			continue;
		seen[n++] = cell.raw;
		cell_put_value(out, &cell);
	}
	mp_close(out, mark, n);
}

static struct span
type_at(const struct dataset *d, size_t at)
{
	struct mp_iter it = mp_iter(&d->types);
	struct mp_value type = { .class = MP_NIL };

	if (d->types.class != MP_ARRAY)
		return SPAN("");
	for (size_t i = 0; i <= at; i++)
		if (!mp_next(&it, &type))
			return SPAN("");
	return type.class == MP_STR ? type.s : SPAN("");
}

static void
put_dataset_column(const struct dataset *d, const struct schema *s, const struct schema_column *known, struct span name,
    size_t at, struct buf *out)
{
	struct span type = type_at(d, at), about = SPAN("");
	size_t map;

	if (known != NULL) {
		type = schema_span(s, known->native_type).len > 0 ? schema_span(s, known->native_type) : type;
		about = schema_span(s, known->description);
		about = about.len > 0 ? about : schema_span(s, known->comment);
	}
	map = mp_open_pairs(out, mp_str("name", name), mp_str("type", type.len > 0 ? type : SPAN("unknown")),
	    mp_bool("nullable", known == NULL || known->nullable), mp_some("description", about));
	put_samples(d, at, out);
	mp_end(out, map);
}

static void
put_schema(struct library *l, const struct dataset *d, struct buf *out)
{
	const struct connection *from = library_connection(l, d->connection);
	const struct schema_table *t = datasets_scanned(from, d);
	const struct schema *s = t == NULL ? NULL : from->scans.schema;
	struct mp_iter it = mp_iter(&d->columns);
	struct mp_value column;
	char name[DATASETS_NAME];
	size_t at = 0;

	datasets_name(d->id, false, name);
	mp_put_map(out, 4);
	mp_pair_str(out, "dataset_id", d->id);
	mp_pair_cstr(out, "table_name", name);
	mp_pair_known(out, "row_count", d->has_rows, d->rows);
	mp_pair_array(out, "columns", d->columns.n);
	while (mp_next(&it, &column)) {
		struct span text = column.class == MP_STR ? column.s : SPAN("");

		put_dataset_column(d, s, scanned_column(s, t, text), text, at++, out);
	}
}

int
tool_get_schema(struct call *c, const struct mp_value *args, struct err *err)
{
	struct span id = mp_get_str(args, "dataset_id", SPAN(""));
	const struct size_known *known;
	struct datasets all;
	struct buf out = { 0 };
	int result = -1;

	if (datasets_ask(c, id, &all, err) != 0)
		return -1;
	if (all.n == 0)
		return datasets_none(id, err);
	if (all.v[0].table_lacks)
		return datasets_lack(&all.v[0], "the table", err);
	all.n = 1;
	known = known_size(&all, &all.v[0], true);
	/* Count even if lists gave up on it, unless counting is always slow. */
	all.v[0].skip[1] = !size_is_due(known, clock_ns()) && (size_holds(known, clock_ns()) || known->late > 2);
	if (datasets_look(&all, ROWS_LOOKED_AT, err) != 0)
		goto out;
	if (all.v[0].columns.class != MP_ARRAY) {
		*err = all.v[0].why;
		goto out;
	}
	search_stands_on(c, library_connection(call_state(c), all.v[0].connection));
	put_schema(call_state(c), &all.v[0], &out);
	result = search_finish(c, &out, err);
out:
	datasets_fini(&all);
	return result;
}

/* The only table of the latest scan that the arguments name. */
static int
table_meant(struct call *c, const struct connection *from, const struct mp_value *args,
    const struct schema_table **out, struct err *err)
{
	struct span text = mp_get_str(args, "table", SPAN(""));
	struct mp_value table;
	struct resolved found;

	if (from->scans.schema == NULL)
		return err_set(err, ERR_SCAN_MISSING,
		    "connection \"%s\" was not scanned yet: run `carrel scan %s` first", from->id, from->id);
	if (!mp_get(args, "table", &table))
		return err_set(err, ERR_INVALID_ARGUMENTS, "table is needed");
	resolve_table(from->scans.schema, call_arena(c), &table, &found);
	if (found.n == 0)
		return err_set(err, ERR_TABLE_NOT_FOUND,
		    "the latest scan of \"%s\" has no table %.*s; if it is new, run `carrel scan %s`", from->id,
		    (int)(text.len < 200 ? text.len : 200), (const char *)text.p, from->id);
	if (found.n > 1)
		return err_set(err, ERR_AMBIGUOUS_TABLE,
		    "%zu tables are called %.*s: name its schema too, as schema.table", found.n,
		    (int)(text.len < 200 ? text.len : 200), (const char *)text.p);
	*out = found.v[0];
	return 0;
}

/* Check that the column policy of the connection leaves at least one column visible. */
static int
check_visible(struct call *c, const struct connection *from, const struct schema_table *t, struct dataset *d,
    struct err *err)
{
	const struct schema *s = from->scans.schema;
	struct datasets one = { .call = c, .n = 1, .v = d, .answer_ns = { LOOK_NS, 0 }, .all_ns = { LOOK_NS, 0 } };
	struct mp_value column;
	struct mp_iter it;
	bool any = false;

	if (datasets_look(&one, 0, err) != 0)
		return -1;
	if (d->columns.class != MP_ARRAY) {
		*err = d->why;
		return -1;
	}
	for (it = mp_iter(&d->columns); mp_next(&it, &column);)
		any = any || (column.class == MP_STR && scanned_column(s, t, column.s) != NULL);
	return any ? 0 :
		     err_set(err, ERR_INVALID_ARGUMENTS,
			 "every column of %.*s is hidden by the column policy of \"%s\": there is nothing to publish",
			 SPAN_FMT(d->table), from->id);
}

int
tool_dataset_check(struct call *c, const struct mp_value *args, struct err *err)
{
	const struct schema_table *t;
	struct dataset d = { .columns = { .class = MP_NIL }, .types = { .class = MP_NIL } };
	struct connection *from;
	struct buf out = { 0 };
	int result;

	if (search_connection(c, args, &from, err) != 0)
		return -1;
	if (from == NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS, "connectionId is needed");
	if (table_meant(c, from, args, &t, err) != 0)
		return -1;
	d.connection = span_str(from->id);
	d.db = schema_span(from->scans.schema, t->db);
	d.table = schema_span(from->scans.schema, t->name);
	if (d.db.p == NULL)
		d.db = SPAN("");
	result = check_visible(c, from, t, &d, err);
	buf_fini(&d.sample);
	if (result != 0)
		return -1;
	mp_put_pairs(&out, mp_cstr("connection", from->id), mp_str("db", d.db), mp_str("table", d.table),
	    mp_cstr("type", snapshot_is_view((enum snapshot_kind)t->kind) ? "view" : "table"));
	return search_finish(c, &out, err);
}
