#include "workers/sql/parquet/parquet.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "workers/sql/parquet/levels.h"
#include "workers/sql/parquet/thrift.h"

#define MAGIC		"PAR1"
#define KEEP		((size_t)64 << 10)	/* bytes of a column's buffer that are kept between row groups */

/* enum Type, FieldRepetitionType and ConvertedType of parquet.thrift. */
enum physical { P_BOOLEAN, P_INT32, P_INT64, P_INT96, P_FLOAT, P_DOUBLE, P_BYTE_ARRAY, P_FIXED };
enum { REQUIRED, OPTIONAL, REPEATED };
enum { C_UTF8 = 0, C_MAP = 1, C_LIST = 3, C_DECIMAL = 5, C_DATE = 6, C_TIME_MICROS = 8, C_TIMESTAMP_MILLIS = 9,
	C_TIMESTAMP_MICROS = 10, C_UINT_8 = 11, C_UINT_16, C_UINT_32, C_UINT_64, C_INT_8, C_INT_16, C_INT_32, C_INT_64,
	C_JSON, C_NONE = -1 };

/* Fields of the union LogicalType, and of TimeUnit. */
enum { L_NONE, L_STRING = 1, L_MAP = 2, L_LIST = 3, L_DECIMAL = 5, L_DATE = 6, L_TIME = 7, L_TIMESTAMP = 8,
	L_INTEGER = 10, L_JSON = 12, L_UUID = 14 };
enum { U_MILLIS = 1, U_MICROS, U_NANOS };

/* Legend: physical type and bytes of a value; old and new annotation; bits of an integer, or unit of a time. */
static const struct {
	enum physical	physical;
	unsigned	size;
	int		converted, logical;
	unsigned	detail;
	bool		is_signed, utc;
} types[PARQUET_STRUCT] = {
	[PARQUET_BOOLEAN] = { P_BOOLEAN, 1, C_NONE, L_NONE, 0, false, false },
	[PARQUET_INT8] = { P_INT32, 4, C_INT_8, L_INTEGER, 8, true, false },
	[PARQUET_INT16] = { P_INT32, 4, C_INT_16, L_INTEGER, 16, true, false },
	[PARQUET_INT32] = { P_INT32, 4, C_INT_32, L_INTEGER, 32, true, false },
	[PARQUET_UINT8] = { P_INT32, 4, C_UINT_8, L_INTEGER, 8, false, false },
	[PARQUET_UINT16] = { P_INT32, 4, C_UINT_16, L_INTEGER, 16, false, false },
	[PARQUET_UINT32] = { P_INT32, 4, C_UINT_32, L_INTEGER, 32, false, false },
	[PARQUET_INT64] = { P_INT64, 8, C_INT_64, L_INTEGER, 64, true, false },
	[PARQUET_UINT64] = { P_INT64, 8, C_UINT_64, L_INTEGER, 64, false, false },
	[PARQUET_FLOAT] = { P_FLOAT, 4, C_NONE, L_NONE, 0, false, false },
	[PARQUET_DOUBLE] = { P_DOUBLE, 8, C_NONE, L_NONE, 0, false, false },
	[PARQUET_DECIMAL32] = { P_INT32, 4, C_DECIMAL, L_DECIMAL, 0, false, false },
	[PARQUET_DECIMAL64] = { P_INT64, 8, C_DECIMAL, L_DECIMAL, 0, false, false },
	[PARQUET_DECIMAL128] = { P_FIXED, 16, C_DECIMAL, L_DECIMAL, 0, false, false },
	[PARQUET_DATE] = { P_INT32, 4, C_DATE, L_DATE, 0, false, false },
	[PARQUET_TIME_MICROS] = { P_INT64, 8, C_NONE, L_TIME, U_MICROS, false, false },
	[PARQUET_TIME_NANOS] = { P_INT64, 8, C_NONE, L_TIME, U_NANOS, false, false },
	[PARQUET_TIMESTAMP_MILLIS] = { P_INT64, 8, C_NONE, L_TIMESTAMP, U_MILLIS, false, false },
	[PARQUET_TIMESTAMP_MICROS] = { P_INT64, 8, C_NONE, L_TIMESTAMP, U_MICROS, false, false },
	[PARQUET_TIMESTAMP_NANOS] = { P_INT64, 8, C_NONE, L_TIMESTAMP, U_NANOS, false, false },
	[PARQUET_TIMESTAMP_UTC] = { P_INT64, 8, C_TIMESTAMP_MICROS, L_TIMESTAMP, U_MICROS, false, true },
	[PARQUET_UUID] = { P_FIXED, 16, C_NONE, L_UUID, 0, false, false },
	[PARQUET_TEXT] = { P_BYTE_ARRAY, 0, C_UTF8, L_STRING, 0, false, false },
	[PARQUET_JSON] = { P_BYTE_ARRAY, 0, C_JSON, L_JSON, 0, false, false },
	[PARQUET_BYTES] = { P_BYTE_ARRAY, 0, C_NONE, L_NONE, 0, false, false },
};

/* A column of plain values. */
struct parquet_leaf {
	unsigned	 rep_max, def_max;
	size_t		 n;		/* values, missing ones included */
	struct buf	 reps, defs;	/* their levels, a byte each; none where the most is 0 */
	struct buf	 values;	/* those that are there; of BOOLEAN a byte each */
	struct buf	 path;		/* the list of names down to it, its head left out */
	size_t		 npath;
};

struct parquet {
	parquet_write		*write;
	void			*arg;
	const char		*created_by;
	struct parquet_node	 root;
	struct buf		 schema;	/* the list of SchemaElement, its head left out */
	size_t			 nschema, nleaves;
	size_t			 held, most;	/* bytes of the columns; with which they leave */
	uint64_t		 rows, group_rows;
	struct buf		 groups;	/* the list of RowGroup, its head left out */
	size_t			 ngroups;
	struct buf		 out, page;	/* not written yet; levels and bits of a page */
	uint64_t		 offset;	/* bytes of the file, with out */
};

struct parquet *
parquet_new(parquet_write *write, void *arg, const char *created_by)
{
	struct parquet *p = mem_new(1, sizeof(*p));

	p->write = write;
	p->arg = arg;
	p->created_by = created_by;
	p->root.type = PARQUET_STRUCT;
	p->groups.max = PARQUET_FOOTER;
	p->schema.max = PARQUET_FOOTER;
	return p;
}

static void
free_below(struct parquet_node *node)
{
	for (size_t i = 0; i < node->n; i++) {
		struct parquet_leaf *l = node->children[i]->leaf;

		free_below(node->children[i]);
		buf_fini(&node->children[i]->name);
		if (l != NULL) {
			buf_fini(&l->reps);
			buf_fini(&l->defs);
			buf_fini(&l->values);
			buf_fini(&l->path);
			free(l);
		}
		free(node->children[i]);
	}
	free(node->children);
}

void
parquet_free(struct parquet *p)
{
	if (p == NULL)
		return;
	free_below(&p->root);
	buf_fini(&p->schema);
	buf_fini(&p->groups);
	buf_fini(&p->out);
	buf_fini(&p->page);
	free(p);
}

/* Whether what is below it repeats. */
static bool
is_repeating(const struct parquet_node *node)
{
	return node->type == PARQUET_LIST || node->type == PARQUET_MAP;
}

/* Files have names of their own for what lists and maps hold. */
static struct span
name_below(const struct parquet_node *parent, struct span name)
{
	return parent->type == PARQUET_LIST ? SPAN("element") :
	    parent->type != PARQUET_MAP     ? name :
	    parent->n == 0                  ? SPAN("key") :
					      SPAN("value");
}

struct parquet_node *
parquet_add(struct parquet *p, struct parquet_node *parent, struct span name, enum parquet_type type)
{
	struct parquet_node *node, *above = parent != NULL ? parent : &p->root;

	if (above->depth == PARQUET_DEPTH)
		return NULL;
	node = mem_new(1, sizeof(*node));
	node->type = type;
	node->depth = above->depth + 1;
	node->required = above->type == PARQUET_MAP && above->n == 0;
	node->def = above->def + is_repeating(above) + !node->required;
	node->rep = above->rep + is_repeating(node);
	buf_span(&node->name, name_below(above, name));
	if (type < PARQUET_STRUCT) {
		node->leaf = mem_new(1, sizeof(*node->leaf));
		node->leaf->rep_max = above->rep;
		node->leaf->def_max = node->def;
		p->nleaves++;
	}
	above->children = mem_grow(above->children, above->n, &above->cap, sizeof(struct parquet_node *));
	above->children[above->n++] = node;
	return node;
}

static void
put_time_type(struct buf *out, enum parquet_type type)
{
	unsigned last = 0, unit = 0;

	thrift_bool(out, &last, 1, types[type].utc);
	thrift_struct(out, &last, 2);
	thrift_struct(out, &unit, types[type].detail);
	thrift_end(out);
	thrift_end(out);
}

/* The annotation of a plain value, field 10 of SchemaElement. */
static void
put_logical_type(struct buf *out, unsigned *last, const struct parquet_node *node)
{
	unsigned which = 0, last_of = 0;
	int logical = node->type == PARQUET_LIST ? L_LIST :
	    node->type == PARQUET_MAP            ? L_MAP :
	    node->type == PARQUET_STRUCT         ? L_NONE :
						   types[node->type].logical;

	if (logical == L_NONE)
		return;
	thrift_struct(out, last, 10);
	thrift_struct(out, &which, (unsigned)logical);
	if (logical == L_DECIMAL) {
		thrift_i32(out, &last_of, 1, (int32_t)node->scale);
		thrift_i32(out, &last_of, 2, (int32_t)node->width);
	} else if (logical == L_INTEGER) {
		thrift_i8(out, &last_of, 1, (int8_t)types[node->type].detail);
		thrift_bool(out, &last_of, 2, types[node->type].is_signed);
	} else if (logical == L_TIME || logical == L_TIMESTAMP)
		put_time_type(out, node->type);
	thrift_end(out);
	thrift_end(out);
}

static void
put_group(struct parquet *p, struct span name, int repetition, size_t children, int converted,
    const struct parquet_node *node)
{
	struct buf *out = &p->schema;
	unsigned last = 0;

	p->nschema++;
	if (repetition != C_NONE)
		thrift_i32(out, &last, 3, repetition);
	thrift_text(out, &last, 4, name);
	thrift_i32(out, &last, 5, (int32_t)children);
	if (converted != C_NONE)
		thrift_i32(out, &last, 6, converted);
	if (node != NULL)
		put_logical_type(out, &last, node);
	thrift_end(out);
}

static void
put_leaf(struct parquet *p, const struct parquet_node *node)
{
	struct buf *out = &p->schema;
	unsigned last = 0;

	p->nschema++;
	thrift_i32(out, &last, 1, (int32_t)types[node->type].physical);
	if (types[node->type].physical == P_FIXED)
		thrift_i32(out, &last, 2, (int32_t)types[node->type].size);
	thrift_i32(out, &last, 3, node->required ? REQUIRED : OPTIONAL);
	thrift_text(out, &last, 4, buf_view(&node->name));
	if (types[node->type].converted != C_NONE)
		thrift_i32(out, &last, 6, types[node->type].converted);
	if (types[node->type].logical == L_DECIMAL) {
		thrift_i32(out, &last, 7, (int32_t)node->scale);
		thrift_i32(out, &last, 8, (int32_t)node->width);
	}
	put_logical_type(out, &last, node);
	thrift_end(out);
}

/* The elements of the schema from this node on; path: the list of names down to it, n of them. */
static void
put_schema(struct parquet *p, const struct parquet_node *node, struct span above, size_t n)
{
	int repetition = node->required ? REQUIRED : OPTIONAL;
	bool map = node->type == PARQUET_MAP;
	struct buf path = { .max = 0 };

	buf_span(&path, above);
	thrift_put_text(&path, buf_view(&node->name));
	n++;
	if (node->leaf != NULL) {
		put_leaf(p, node);
		buf_span(&node->leaf->path, buf_view(&path));
		node->leaf->npath = n;
	} else if (node->type == PARQUET_STRUCT)
		put_group(p, buf_view(&node->name), repetition, node->n, C_NONE, NULL);
	else {
		struct span inner = map ? SPAN("key_value") : SPAN("list");

		put_group(p, buf_view(&node->name), repetition, 1, map ? C_MAP : C_LIST, node);
		put_group(p, inner, REPEATED, node->n, C_NONE, NULL);
		thrift_put_text(&path, inner);
		n++;
	}
	for (size_t i = 0; i < node->n; i++)
		put_schema(p, node->children[i], buf_view(&path), n);
	buf_fini(&path);
}

static int
refuse_footer(struct err *err)
{
	return err_set(err, ERR_RESULT_TOO_LARGE,
	    "the Parquet file would have too many columns for its length: its description takes more than %zu MiB; "
	    "select "
	    "fewer columns or rows, or open the link with .csv or .jsonl",
	    PARQUET_FOOTER >> 20);
}

/* Hand on what is there; rows: how many of the file's are complete with it. */
static int
flush_pieces(struct parquet *p, uint64_t rows, struct err *err)
{
	int rc = p->out.len == 0 && rows == 0 ? 0 : p->write(p->arg, rows, buf_view(&p->out), err);

	buf_reset(&p->out, KEEP);
	return rc;
}

static int
put_bytes(struct parquet *p, struct span s, struct err *err)
{
	while (s.len > 0) {
		size_t room = PARQUET_PIECE - p->out.len, n = s.len < room ? s.len : room;

		buf_append(&p->out, s.p, n);
		p->offset += n;
		s = span_of(s.p + n, s.len - n);
		if (p->out.len == PARQUET_PIECE && flush_pieces(p, 0, err) == -1)
			return -1;
	}
	return 0;
}

int
parquet_begin(struct parquet *p, struct err *err)
{
	size_t wanted = p->nleaves * PARQUET_GROUP_COLUMN;

	p->most = wanted < PARQUET_GROUP ? PARQUET_GROUP : wanted < PARQUET_GROUP_MOST ? wanted : PARQUET_GROUP_MOST;
	put_group(p, SPAN("rows"), C_NONE, p->root.n, C_NONE, NULL);
	for (size_t i = 0; i < p->root.n; i++)
		put_schema(p, p->root.children[i], SPAN_NONE, 0);
	return p->schema.full ? refuse_footer(err) : put_bytes(p, SPAN(MAGIC), err);
}

static void
put_levels(struct parquet *p, struct parquet_leaf *l, unsigned rep, unsigned def)
{
	l->n++;
	if (l->rep_max > 0)
		buf_byte(&l->reps, (uint8_t)rep);
	if (l->def_max > 0)
		buf_byte(&l->defs, (uint8_t)def);
	p->held += 2;
}

void
parquet_null(struct parquet *p, struct parquet_node *node, unsigned rep, unsigned def)
{
	if (node->leaf != NULL)
		put_levels(p, node->leaf, rep, def);
	for (size_t i = 0; i < node->n; i++)
		parquet_null(p, node->children[i], rep, def);
}

void
parquet_fixed(struct parquet *p, struct parquet_node *node, unsigned rep, const void *v)
{
	size_t size = types[node->type].size;

	put_levels(p, node->leaf, rep, node->def);
	buf_append(&node->leaf->values, v, size);
	p->held += size;
}

void
parquet_bytes(struct parquet *p, struct parquet_node *node, unsigned rep, struct span v)
{
	struct buf *out = &node->leaf->values;

	put_levels(p, node->leaf, rep, node->def);
	for (size_t k = 0; k < 4; k++)
		buf_byte(out, (uint8_t)(v.len >> 8 * k));
	buf_span(out, v);
	p->held += 4 + v.len;
}

size_t
parquet_held(const struct parquet *p)
{
	return p->held;
}

/* PageHeader of a data page. */
static void
put_page_header(struct buf *out, size_t size, size_t n)
{
	unsigned last = 0, data = 0;

	thrift_i32(out, &last, 1, 0);
	thrift_i32(out, &last, 2, (int32_t)size);
	thrift_i32(out, &last, 3, (int32_t)size);
	thrift_struct(out, &last, 5);
	thrift_i32(out, &data, 1, (int32_t)n);
	thrift_i32(out, &data, 2, 0); /* PLAIN */
	thrift_i32(out, &data, 3, 3); /* RLE */
	thrift_i32(out, &data, 4, 3);
	thrift_end(out);
	thrift_end(out);
}

/* ColumnChunk, whose page begins at offset and has size bytes with its header. */
static void
put_chunk(struct buf *out, const struct parquet_node *node, uint64_t offset, uint64_t size)
{
	unsigned last = 0, meta = 0;

	thrift_i64(out, &last, 2, (int64_t)offset);
	thrift_struct(out, &last, 3);
	thrift_i32(out, &meta, 1, (int32_t)types[node->type].physical);
	thrift_list(out, &meta, 2, THRIFT_I32, 2);
	thrift_put_int(out, 0); /* PLAIN */
	thrift_put_int(out, 3); /* RLE */
	thrift_list(out, &meta, 3, THRIFT_BINARY, node->leaf->npath);
	buf_span(out, buf_view(&node->leaf->path));
	thrift_i32(out, &meta, 4, 0); /* UNCOMPRESSED */
	thrift_i64(out, &meta, 5, (int64_t)node->leaf->n);
	thrift_i64(out, &meta, 6, (int64_t)size);
	thrift_i64(out, &meta, 7, (int64_t)size);
	thrift_i64(out, &meta, 9, (int64_t)offset);
	thrift_end(out);
	thrift_end(out);
}

static int
flush_leaf(struct parquet *p, const struct parquet_node *node, struct err *err)
{
	struct parquet_leaf *l = node->leaf;
	struct buf header = { .max = 0 };
	uint64_t offset = p->offset;
	struct span values = buf_view(&l->values);
	int rc;

	buf_reset(&p->page, KEEP);
	if (l->rep_max > 0)
		levels_put(&p->page, l->reps.p, l->n, l->rep_max);
	if (l->def_max > 0)
		levels_put(&p->page, l->defs.p, l->n, l->def_max);
	if (node->type == PARQUET_BOOLEAN) {
		levels_put_bits(&p->page, l->values.p, l->values.len);
		values = SPAN_NONE;
	}
	put_page_header(&header, p->page.len + values.len, l->n);
	rc = put_bytes(p, buf_view(&header), err);
	rc = rc == -1 ? rc : put_bytes(p, buf_view(&p->page), err);
	rc = rc == -1 ? rc : put_bytes(p, values, err);
	put_chunk(&p->groups, node, offset, p->offset - offset);
	l->n = 0;
	buf_reset(&l->reps, KEEP);
	buf_reset(&l->defs, KEEP);
	buf_reset(&l->values, KEEP);
	buf_fini(&header);
	return rc;
}

static int
flush_below(struct parquet *p, const struct parquet_node *node, struct err *err)
{
	for (size_t i = 0; i < node->n; i++)
		if (node->children[i]->leaf != NULL ? flush_leaf(p, node->children[i], err) == -1 :
						      flush_below(p, node->children[i], err) == -1)
			return -1;
	return 0;
}

/* The columns leave, as a row group, whose description is kept. */
static int
flush_group(struct parquet *p, struct err *err)
{
	uint64_t rows = p->group_rows, offset = p->offset;
	unsigned last = 0;

	thrift_list(&p->groups, &last, 1, THRIFT_STRUCT, p->nleaves);
	if (flush_below(p, &p->root, err) == -1)
		return -1;
	thrift_i64(&p->groups, &last, 2, (int64_t)(p->offset - offset));
	thrift_i64(&p->groups, &last, 3, (int64_t)rows);
	thrift_end(&p->groups);
	p->ngroups++;
	p->rows += rows;
	p->group_rows = p->held = 0;
	return p->groups.full ? refuse_footer(err) : flush_pieces(p, rows, err);
}

int
parquet_row_done(struct parquet *p, struct err *err)
{
	p->group_rows++;
	return p->held < p->most ? 0 : flush_group(p, err);
}

int
parquet_end(struct parquet *p, struct err *err)
{
	struct buf footer = { .max = 0 };
	unsigned last = 0;
	uint8_t length[4];
	int rc;

	if (p->group_rows > 0 && flush_group(p, err) == -1)
		return -1;
	thrift_i32(&footer, &last, 1, 1);
	thrift_list(&footer, &last, 2, THRIFT_STRUCT, p->nschema);
	buf_span(&footer, buf_view(&p->schema));
	thrift_i64(&footer, &last, 3, (int64_t)p->rows);
	thrift_list(&footer, &last, 4, THRIFT_STRUCT, p->ngroups);
	buf_span(&footer, buf_view(&p->groups));
	thrift_text(&footer, &last, 6, span_str(p->created_by));
	thrift_end(&footer);
	for (size_t k = 0; k < 4; k++)
		length[k] = (uint8_t)(footer.len >> 8 * k);
	rc = put_bytes(p, buf_view(&footer), err);
	rc = rc == -1 ? rc : put_bytes(p, span_of(length, sizeof(length)), err);
	rc = rc == -1 ? rc : put_bytes(p, SPAN(MAGIC), err);
	buf_fini(&footer);
	return rc == -1 ? rc : flush_pieces(p, 0, err);
}
