#include "workers/sql/duckdb/duckdb_parquet.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/mp.h"
#include "workers/sql/duckdb/duckdb_db.h"
#include "workers/sql/duckdb/duckdb_types.h"
#include "workers/sql/duckdb/duckdb_values.h"
#include "workers/sql/parquet/parquet.h"

#define CREATED_BY	"carrel version " CARREL_VERSION
#define MICROS		INT64_C(1000000)
#define DIGITS_32	9u	/* of a decimal that 4 bytes hold, and 8 */
#define DIGITS_64	18u

struct parquet_file {
	struct sql_db		*db;
	struct result		*result;
	struct parquet		*parquet;
	struct parquet_node	**columns;
	uint64_t		 n;
	size_t			 row_at;	/* bytes that were held before the row */
	bool			 too_large, too_late;	/* the row; a timestamp in it */
};

/* Legend: a type of the library, and what the file has for it; those left out are text. */
static const enum parquet_type file_types[DUCK_TYPES] = {
	[DUCK_BOOLEAN] = PARQUET_BOOLEAN, [DUCK_TINYINT] = PARQUET_INT8, [DUCK_SMALLINT] = PARQUET_INT16,
	[DUCK_INTEGER] = PARQUET_INT32, [DUCK_BIGINT] = PARQUET_INT64, [DUCK_UTINYINT] = PARQUET_UINT8,
	[DUCK_USMALLINT] = PARQUET_UINT16, [DUCK_UINTEGER] = PARQUET_UINT32, [DUCK_UBIGINT] = PARQUET_UINT64,
	[DUCK_FLOAT] = PARQUET_FLOAT, [DUCK_DOUBLE] = PARQUET_DOUBLE, [DUCK_DATE] = PARQUET_DATE,
	[DUCK_TIME] = PARQUET_TIME_MICROS, [DUCK_TIME_NS] = PARQUET_TIME_NANOS,
	[DUCK_TIMESTAMP] = PARQUET_TIMESTAMP_MICROS, [DUCK_TIMESTAMP_S] = PARQUET_TIMESTAMP_MICROS,
	[DUCK_TIMESTAMP_MS] = PARQUET_TIMESTAMP_MILLIS, [DUCK_TIMESTAMP_NS] = PARQUET_TIMESTAMP_NANOS,
	[DUCK_TIMESTAMP_TZ] = PARQUET_TIMESTAMP_UTC, [DUCK_UUID] = PARQUET_UUID, [DUCK_BLOB] = PARQUET_BYTES,
	[DUCK_LIST] = PARQUET_LIST, [DUCK_ARRAY] = PARQUET_LIST, [DUCK_STRUCT] = PARQUET_STRUCT,
	[DUCK_MAP] = PARQUET_MAP, [DUCK_NULL] = PARQUET_INT32,
};

static enum parquet_type
file_type(const struct duckdb_type *t)
{
	if (t->id == DUCK_DECIMAL)
		return t->width <= DIGITS_32 ? PARQUET_DECIMAL32 :
		    t->width <= DIGITS_64    ? PARQUET_DECIMAL64 :
					       PARQUET_DECIMAL128;
	if (t->id == DUCK_VARCHAR && t->alias != NULL && strcmp(t->alias, "JSON") == 0)
		return PARQUET_JSON;
	/* PARQUET_BOOLEAN is 0, as what the table leaves out. */
	return t->id == DUCK_BOOLEAN || (t->id < DUCK_TYPES && file_types[t->id] != PARQUET_BOOLEAN) ?
	    file_types[t->id] :
	    PARQUET_TEXT;
}

static int
add_column(struct parquet_file *f, struct parquet_node *parent, struct span name, const struct duckdb_type *t,
    struct parquet_node **out, struct err *err)
{
	struct parquet_node *node = parquet_add(f->parquet, parent, name, file_type(t)), *below;

	if (node == NULL)
		return err_set(err, ERR_RESULT_TOO_LARGE,
		    "a column is nested deeper than %u levels, which Parquet files are not written with; cast it to "
		    "VARCHAR, "
		    "or open the link with .csv or .jsonl",
		    PARQUET_DEPTH);
	node->width = t->width;
	node->scale = t->scale;
	*out = node;
	for (uint64_t i = 0; node->leaf == NULL && i < t->n; i++)
		if (add_column(f, node, t->names == NULL ? SPAN_NONE : span_str(t->names[i]), t->children[i], &below,
			err) == -1)
			return -1;
	return 0;
}

/* Whether a column before that one has the name, in letters of either case: readers take them for the same. */
static bool
is_taken(const struct parquet_file *f, uint64_t column, struct span name)
{
	char *text = mem_text(name);
	bool taken = false;

	for (uint64_t i = 0; i < column && !taken; i++)
		taken = span_is_word(buf_view(&f->columns[i]->name), text);
	free(text);
	return taken;
}

/* A name that is taken gets the column's number, as in JSON lines. */
static int
add_columns(struct parquet_file *f, struct span names, struct err *err)
{
	const struct duckdb_session *s = &f->db->session;
	struct buf list = { .max = 0 }, name = { .max = 0 };
	struct mp_value all, one;
	struct mp_iter it;
	int rc = 0;

	mp_put_array(&list, s->ntypes);
	buf_span(&list, names);
	if (!mp_value(buf_view(&list), &all))
		rc = err_set(err, ERR_INTERNAL, "the columns of a result have no names");
	it = mp_iter(&all);
	for (uint64_t i = 0; rc == 0 && i < s->ntypes && mp_next(&it, &one); i++) {
		buf_reset(&name, 4096);
		buf_span(&name, one.s);
		while (is_taken(f, i, buf_view(&name)))
			buf_printf(&name, "_%" PRIu64, i + 1);
		rc = add_column(f, NULL, buf_view(&name), s->types[i], &f->columns[i], err);
		f->n += rc == 0;
	}
	buf_fini(&name);
	buf_fini(&list);
	return rc;
}

/* Bytes, unless the row is too large with them. */
static void
put_bytes(struct parquet_file *f, struct parquet_node *node, unsigned rep, struct span v)
{
	if (v.len > EXPORT_ROW_MAX || parquet_held(f->parquet) - f->row_at > EXPORT_ROW_MAX - v.len)
		f->too_large = true;
	else
		parquet_bytes(f->parquet, node, rep, v);
}

static void
put_text(struct parquet_file *f, struct parquet_node *node, const struct duckdb_type *t, struct duck_vector *vector,
    uint64_t row, unsigned rep)
{
	struct buf text = BUF_MAX(EXPORT_ROW_MAX + 1);

	(void)duckdb_values_text(&text, t, vector, row);
	f->too_large = f->too_large || text.full;
	put_bytes(f, node, rep, buf_view(&text));
	buf_fini(&text);
}

/* Sixteen bytes, the highest first. */
static void
put_huge(struct parquet_file *f, struct parquet_node *node, unsigned rep, uint64_t upper, uint64_t lower)
{
	uint8_t v[16];

	for (unsigned k = 0; k < 8; k++) {
		v[k] = (uint8_t)(upper >> (56 - 8 * k));
		v[8 + k] = (uint8_t)(lower >> (56 - 8 * k));
	}
	parquet_fixed(f->parquet, node, rep, v);
}

/* A number that the library holds in 1, 2, 4 or 8 bytes. */
static int64_t
number_at(enum duck_type_id id, const void *data, uint64_t row)
{
	switch (id) {
	case DUCK_TINYINT:
		return ((const int8_t *)data)[row];
	case DUCK_UTINYINT:
		return ((const uint8_t *)data)[row];
	case DUCK_SMALLINT:
		return ((const int16_t *)data)[row];
	case DUCK_USMALLINT:
		return ((const uint16_t *)data)[row];
	case DUCK_INTEGER:
	case DUCK_DATE:
		return ((const int32_t *)data)[row];
	case DUCK_UINTEGER:
		return ((const uint32_t *)data)[row];
	default:
		return ((const int64_t *)data)[row];
	}
}

/* Whole seconds as microseconds; the infinities stay what they are. */
static int64_t
micros_of(struct parquet_file *f, int64_t seconds)
{
	int64_t micros;

	if (seconds == INT64_MAX || seconds == -INT64_MAX)
		return seconds;
	if (__builtin_mul_overflow(seconds, MICROS, &micros)) {
		f->too_late = true;
		return 0;
	}
	return micros;
}

static void
put_number(struct parquet_file *f, struct parquet_node *node, const struct duckdb_type *t, const void *data,
    uint64_t row, unsigned rep)
{
	int64_t v = number_at(t->id == DUCK_DECIMAL ? t->stored : t->id, data, row);
	int32_t small = (int32_t)(uint32_t)v;

	if (t->id == DUCK_TIMESTAMP_S)
		v = micros_of(f, v);
	if (node->type == PARQUET_INT64 || node->type == PARQUET_UINT64 || node->type == PARQUET_DECIMAL64 ||
	    node->type > PARQUET_DATE)
		parquet_fixed(f->parquet, node, rep, &v);
	else
		parquet_fixed(f->parquet, node, rep, &small);
}

/* A value that is there and has no children. */
static void
put_plain(struct parquet_file *f, struct parquet_node *node, const struct duckdb_type *t, struct duck_vector *vector,
    uint64_t row, unsigned rep)
{
	const void *data = duck.vector_get_data(vector);
	const struct duck_huge *huge = data;

	switch (node->type) {
	case PARQUET_BOOLEAN:
		parquet_fixed(f->parquet, node, rep, (const uint8_t *)data + row);
		break;
	case PARQUET_FLOAT:
		parquet_fixed(f->parquet, node, rep, (const float *)data + row);
		break;
	case PARQUET_DOUBLE:
		parquet_fixed(f->parquet, node, rep, (const double *)data + row);
		break;
	case PARQUET_DECIMAL128:
		put_huge(f, node, rep, (uint64_t)huge[row].upper, huge[row].lower);
		break;
	case PARQUET_UUID: /* the first bit is turned round, so that the numbers sort as the texts do */
		put_huge(f, node, rep, (uint64_t)huge[row].upper ^ UINT64_C(1) << 63, huge[row].lower);
		break;
	case PARQUET_TEXT:
	case PARQUET_JSON:
	case PARQUET_BYTES:
		put_text(f, node, t, vector, row, rep);
		break;
	default:
		put_number(f, node, t, data, row, rep);
		break;
	}
}

static void put_value(struct parquet_file *f, struct parquet_node *node, const struct duckdb_type *t,
    struct duck_vector *vector, uint64_t row, unsigned rep);

/* Elements of a list, or entries of a map: the columns of what they hold, at the same rows. */
static void
put_elements(struct parquet_file *f, struct parquet_node *node, const struct duckdb_type *t,
    struct duck_vector *const of[2], struct duck_list at, unsigned rep)
{
	if (at.length == 0)
		parquet_null(f->parquet, node, rep, node->def);
	for (uint64_t i = 0; i < at.length && !f->too_large; i++)
		for (uint64_t k = 0; k < node->n; k++)
			put_value(f, node->children[k], t->children[k], of[k], at.offset + i, i == 0 ? rep : node->rep);
}

static void
put_nested(struct parquet_file *f, struct parquet_node *node, const struct duckdb_type *t, struct duck_vector *vector,
    uint64_t row, unsigned rep)
{
	const struct duck_list *lists = duck.vector_get_data(vector);
	struct duck_vector *entries;

	switch (t->id) {
	case DUCK_LIST:
		put_elements(f, node, t, (struct duck_vector *[2]){ duck.list_vector_get_child(vector) }, lists[row],
		    rep);
		break;
	case DUCK_ARRAY:
		put_elements(f, node, t, (struct duck_vector *[2]){ duck.array_vector_get_child(vector) },
		    (struct duck_list){ row * t->size, t->size }, rep);
		break;
	case DUCK_MAP:
		entries = duck.list_vector_get_child(vector);
		put_elements(f, node, t,
		    (struct duck_vector *[2]){
			duck.struct_vector_get_child(entries, 0), duck.struct_vector_get_child(entries, 1) },
		    lists[row], rep);
		break;
	default:
		for (uint64_t i = 0; i < node->n; i++)
			put_value(f, node->children[i], t->children[i], duck.struct_vector_get_child(vector, i), row,
			    rep);
		break;
	}
}

static void
put_value(struct parquet_file *f, struct parquet_node *node, const struct duckdb_type *t, struct duck_vector *vector,
    uint64_t row, unsigned rep)
{
	if (f->too_large || parquet_held(f->parquet) - f->row_at > EXPORT_ROW_MAX)
		f->too_large = true;
	else if (t->id == DUCK_NULL || duckdb_values_is_null(vector, row))
		parquet_null(f->parquet, node, rep, node->def - 1);
	else if (node->leaf == NULL)
		put_nested(f, node, t, vector, row, rep);
	else
		put_plain(f, node, t, vector, row, rep);
}

static int
put_row(struct parquet_file *f, struct err *err)
{
	struct duckdb_session *s = &f->db->session;

	f->row_at = parquet_held(f->parquet);
	for (uint64_t i = 0; i < f->n && !f->too_large; i++)
		put_value(f, f->columns[i], s->types[i], duck.data_chunk_get_vector(s->chunk, i), s->row - 1, 0);
	if (f->too_large)
		return err_set(err, ERR_RESULT_TOO_LARGE,
		    "one row is larger than the %zu bytes that a row of an export may have; select fewer columns or "
		    "parts of "
		    "them, for example substr(column, 1, 1000)",
		    EXPORT_ROW_MAX);
	if (f->too_late)
		return err_set(err, ERR_DATABASE_ERROR,
		    "a TIMESTAMP_S is beyond what a Parquet file can hold; cast it to VARCHAR, or open the link with "
		    ".csv or "
		    ".jsonl");
	row_stream_count(f->result);
	return parquet_row_done(f->parquet, err);
}

static int
write_rows(struct parquet_file *f, struct err *err)
{
	int rc;

	while ((rc = duckdb_session_next(f->db, err)) == 1 && row_stream_wants(f->result))
		if (put_row(f, err) == -1)
			return -1;
	return rc == -1 ? -1 : parquet_end(f->parquet, err);
}

static int
write_piece(void *arg, uint64_t rows, struct span bytes, struct err *err)
{
	return row_stream_bytes(arg, rows, bytes, err);
}

int
duckdb_parquet_write(struct sql_db *db, struct result *r, struct span names, struct err *err)
{
	struct parquet_file f = { .db = db, .result = r, .parquet = parquet_new(write_piece, r, CREATED_BY) };
	int rc;

	f.columns = mem_new(db->session.ntypes + 1, sizeof(struct parquet_node *));
	rc = add_columns(&f, names, err);
	if (rc == 0)
		rc = parquet_begin(f.parquet, err);
	if (rc == 0)
		rc = write_rows(&f, err);
	parquet_free(f.parquet);
	free(f.columns);
	return rc;
}
