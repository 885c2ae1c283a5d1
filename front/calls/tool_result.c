#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/json/json_write.h"
#include "base/mem.h"
#include "base/mp.h"
#include "front/wire/out.h"
#include "front/calls/tool_result_parts.h"
#include "front/wire/share.h"
#include "ipc/messages.h"

#define SECRET_ROOM	(16u * 1024)	/* for a result that holds a secret */
#define STEP		(16u * 1024)	/* bytes of JSON produced per step, before escaping */
#define POOL_MAX	64
/* bytes of JSON kept from the text block for structuredContent; beyond: produced twice */
#define REUSE_MAX	(1u << 20)

struct tool_result *
result_new(struct result_budget *budget, uint64_t *own)
{
	struct tool_result *r = SLIST_FIRST(&budget->spare);

	if (r != NULL) {
		SLIST_REMOVE_HEAD(&budget->spare, pooled);
		budget->nspare--;
	} else
		r = mem_new(1, sizeof(*r));
	r->budget = budget;
	r->own = own;
	STAILQ_INIT(&r->chunks);
	r->held = 0;
	r->first = SPAN_NONE;
	r->front = r->head = r->tail = r->content = r->before = r->between = r->after = 0;
	r->rows_field[0] = '\0';
	r->snapshot[0] = r->artifacts[0] = '\0';
	r->file = (struct result_file){ .rows = 0 };
	r->nrows = 0;
	r->truncated = r->secret = r->columns = false;
	r->phase = END;
	buf_reset(&r->texts, IPC_TEXTS_MAX);
	return r;
}

void
result_hold_secret(struct tool_result *r)
{
	r->secret = true;
	/* Room enough: what grows leaves its bytes behind. */
	(void)buf_reserve(&r->fixed, SECRET_ROOM);
	(void)buf_reserve(&r->json, SECRET_ROOM);
}

bool
result_is_secret(const struct tool_result *r)
{
	return r->secret;
}

static void
discharge(struct tool_result *r, size_t n)
{
	r->held -= n;
	if (r->own != NULL)
		*r->own -= n;
	r->budget->used -= n;
}

static void
drop_chunks(struct tool_result *r)
{
	struct result_chunk *c;

	while ((c = STAILQ_FIRST(&r->chunks)) != NULL) {
		STAILQ_REMOVE_HEAD(&r->chunks, next);
		discharge(r, c->len);
		free(c);
	}
	r->nrows = 0;
	r->first = SPAN_NONE;
}

void
result_free(struct tool_result *r)
{
	if (r == NULL)
		return;
	drop_chunks(r);
	discharge(r, r->held);
	if (r->secret) {
		buf_wipe(&r->fixed);
		buf_wipe(&r->json);
	}
	buf_reset(&r->fixed, FIRST_CHUNK);
	buf_reset(&r->json, FIRST_CHUNK);
	if (r->budget->nspare < POOL_MAX) {
		SLIST_INSERT_HEAD(&r->budget->spare, r, pooled);
		r->budget->nspare++;
	} else {
		buf_fini(&r->fixed);
		buf_fini(&r->texts);
		buf_fini(&r->json);
		free(r);
	}
}

void
result_drain_pool(struct result_budget *budget)
{
	struct tool_result *r;

	while ((r = SLIST_FIRST(&budget->spare)) != NULL) {
		SLIST_REMOVE_HEAD(&budget->spare, pooled);
		buf_fini(&r->fixed);
		buf_fini(&r->texts);
		buf_fini(&r->json);
		free(r);
	}
	budget->nspare = 0;
}

void
result_release(void *result)
{
	result_free(result);
}

/* One result may use the whole budget; with others it gets a share of what is free. */
static bool
is_fair(const struct tool_result *r, size_t n)
{
	const struct result_budget *b = r->budget;

	return r->own == NULL || *r->own <= r->held || share_allows(*r->own, b->used, n, b->max);
}

static int
tool_result_charge(struct tool_result *r, size_t n, struct err *err)
{
	if (n > r->budget->max_each || r->held > r->budget->max_each - n)
		return err_set(err, ERR_RESULT_TOO_LARGE, "the result is larger than the limit of %llu bytes",
		    (unsigned long long)r->budget->max_each);
	if (n > r->budget->max || r->budget->used > r->budget->max - n || !is_fair(r, n))
		return err_set(err, ERR_BUSY, "too many large results are being sent at once; try again in a moment");
	r->held += n;
	if (r->own != NULL)
		*r->own += n;
	r->budget->used += n;
	return 0;
}

int
result_add_rows(struct tool_result *r, struct span rows, struct err *err)
{
	struct result_chunk *c;
	struct mp_value v;

	if (!mp_value(rows, &v) || v.class != MP_ARRAY)
		return err_set(err, ERR_INTERNAL, "%s", err_text(ERR_INTERNAL));
	r->nrows += v.n;
	if (r->first.p == NULL && rows.len <= sizeof(r->small)) {
		memcpy(r->small, rows.p, rows.len);
		r->first = span_of(r->small, rows.len);
		return 0;
	}
	if (tool_result_charge(r, rows.len, err) != 0)
		return -1;
	c = mem_alloc(sizeof(*c) + rows.len);
	c->len = rows.len;
	memcpy(c->bytes, rows.p, rows.len);
	STAILQ_INSERT_TAIL(&r->chunks, c, next);
	if (r->first.p == NULL)
		r->first = span_of(r->small, 0); /* keep the order: small takes no further rows */
	return 0;
}

int
result_put_front(struct tool_result *r, struct span map, struct err *err)
{
	if (tool_result_charge(r, map.len, err) != 0)
		return -1;
	buf_span(&r->fixed, map);
	r->front = map.len;
	return 0;
}

void
result_forget_rows(struct tool_result *r)
{
	drop_chunks(r);
}

int
result_replace_rows(struct tool_result *r, struct span rows, uint64_t n, struct err *err)
{
	drop_chunks(r);
	if (result_add_rows(r, rows, err) != 0)
		return -1;
	r->nrows = n;
	return 0;
}

void
result_replace_tail(struct tool_result *r, struct span tail)
{
	struct buf rest = { 0 };
	size_t before = r->front + r->head;

	buf_span(&rest, span_of(r->fixed.p + before + r->tail, r->fixed.len - before - r->tail));
	r->fixed.len = before;
	buf_span(&r->fixed, tail);
	buf_span(&r->fixed, buf_view(&rest));
	r->tail = tail.len;
	r->truncated = true;
	buf_fini(&rest);
}

int
result_finish(struct tool_result *r, struct span head, struct span rows_field, struct span tail,
    struct err *err)
{
	struct mp_value map;

	if (tool_result_charge(r, head.len + tail.len, err) != 0)
		return -1;
	buf_span(&r->fixed, head);
	r->head = head.len;
	buf_span(&r->fixed, tail);
	r->tail = tail.len;
	if (rows_field.len < sizeof(r->rows_field)) {
		if (rows_field.len > 0)
			memcpy(r->rows_field, rows_field.p, rows_field.len);
		r->rows_field[rows_field.len] = '\0';
	}
	r->truncated = mp_value(tail, &map) && map.class == MP_MAP && mp_get_bool(&map, "truncated", false);
	return 0;
}

bool
result_facts(const struct tool_result *r, struct result_facts *out)
{
	*out = (struct result_facts){ .rows = r->nrows, .truncated = r->truncated };
	return r->rows_field[0] != '\0';
}

void
result_put_snapshot(struct tool_result *r, struct span snapshot)
{
	/* Keep the continuation's scan unless the outcome names one itself. */
	if (snapshot.len == 0 || snapshot.len >= sizeof(r->snapshot))
		return;
	memcpy(r->snapshot, snapshot.p, snapshot.len);
	r->snapshot[snapshot.len] = '\0';
}

struct span
result_snapshot(const struct tool_result *r)
{
	return span_str(r->snapshot);
}

void
result_put_artifacts(struct tool_result *r, struct span sha256)
{
	size_t n = sha256.len < sizeof(r->artifacts) ? sha256.len : 0;

	memcpy(r->artifacts, n > 0 ? sha256.p : (const uint8_t *)"", n);
	r->artifacts[n] = '\0';
}

struct span
result_artifacts(const struct tool_result *r)
{
	return span_str(r->artifacts);
}

void
result_put_file(struct tool_result *r, struct result_file file)
{
	r->file = file;
}

struct result_file
result_file(const struct tool_result *r)
{
	return r->file;
}

struct span
result_status(const struct tool_result *r)
{
	struct mp_value map;

	return r->head > 0 && mp_value(span_of(r->fixed.p + r->front, r->head), &map) ?
	    mp_get_str(&map, "status", SPAN_NONE) :
	    SPAN_NONE;
}

static uint64_t
elapsed_in(struct span raw)
{
	struct mp_value map, v;

	return raw.len > 0 && mp_value(raw, &map) && map.class == MP_MAP && mp_get(&map, "elapsedMs", &v) &&
		mp_is_number(&v) && mp_number(&v) > 0 ?
	    (uint64_t)(mp_number(&v) * 1e6) :
	    0;
}

uint64_t
result_elapsed_ns(const struct tool_result *r)
{
	uint64_t ns = elapsed_in(span_of(r->fixed.p + r->front + r->head, r->tail));

	return ns > 0 ? ns : elapsed_in(span_of(r->fixed.p + r->front, r->head));
}

void
result_put_texts(struct tool_result *r, struct span texts)
{
	buf_reset(&r->texts, IPC_TEXTS_MAX);
	buf_span(&r->texts, texts);
}

int
result_put_content(struct tool_result *r, struct span content, struct err *err)
{
	struct mp_value v;

	if (!mp_value(content, &v) || v.class != MP_ARRAY)
		return err_set(err, ERR_INTERNAL, "%s", err_text(ERR_INTERNAL));
	if (v.n == 0)
		return 0;
	if (tool_result_charge(r, content.len, err) != 0)
		return -1;
	buf_span(&r->fixed, content);
	r->content = content.len;
	return 0;
}

struct span
result_content(const struct tool_result *r)
{
	return span_of(r->fixed.p + r->front + r->head + r->tail, r->content);
}

bool
result_is_bare(const struct tool_result *r)
{
	const struct span parts[] = {
		span_of(r->fixed.p, r->front), span_of(r->fixed.p + r->front, r->head),
		span_of(r->fixed.p + r->front + r->head, r->tail)
	};
	struct mp_value v;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i].len > 0 && mp_value(parts[i], &v) && v.n > 0)
			return false;
	return r->rows_field[0] == '\0';
}

bool
result_is_empty(const struct tool_result *r)
{
	const uint8_t *p = r->fixed.p;
	struct mp_value map;

	return r->rows_field[0] == '\0' && r->front == 0 &&
	    (r->head == 0 || !mp_value(span_of(p, r->head), &map) || map.class != MP_MAP || map.n == 0);
}

void
result_take_tail(struct tool_result *r, struct buf *out)
{
	uint8_t *tail = r->fixed.p + r->front + r->head;

	buf_span(out, span_of(tail, r->tail));
	memmove(tail, tail + r->tail, r->fixed.len - r->front - r->head - r->tail);
	r->fixed.len -= r->tail;
	r->tail = 0;
}

void
result_put_last(struct tool_result *r, const char *key, struct span value)
{
	bool truncated = r->truncated;
	struct buf was = { .max = 0 }, tail = { .max = 0 };
	size_t mark = mp_open_map(&tail);
	struct mp_value map, v;
	struct mp_iter it;
	struct span name;

	result_take_tail(r, &was);
	if (mp_value(buf_view(&was), &map))
		for (it = mp_iter(&map); mp_next_pair(&it, &name, &v);) {
			mp_put_str(&tail, name);
			buf_span(&tail, v.raw);
		}
	mp_pair_raw(&tail, key, value);
	mp_end(&tail, mark);
	result_replace_tail(r, buf_view(&tail));
	r->truncated = truncated;
	buf_fini(&was);
	buf_fini(&tail);
}

size_t
result_bytes(const struct tool_result *r)
{
	return r->held + r->first.len;
}

static struct span
part(const struct tool_result *r, enum phase phase)
{
	const uint8_t *p = r->fixed.p;
	const size_t len[] = { r->front, r->head, r->tail, r->content, r->before, r->between, r->after };
	static const enum phase order[] = { FRONT, HEAD, TAIL, CONTENT, BEFORE, BETWEEN, AFTER };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (order[i] == phase)
			return span_of(p, len[i]);
		p += len[i];
	}
	return span_of(p, 0);
}

/* Keep the JSON of the text block when it is small and the budget allows: producing JSON is the expensive part. */
static void
begin_reuse(struct tool_result *r)
{
	size_t guess = result_bytes(r) + result_bytes(r) / 4 + 256;

	r->escaped = r->reused = 0;
	r->reuse = !r->second && guess <= REUSE_MAX / 2 && tool_result_charge(r, guess, NULL) == 0;
	if (r->reuse)
		buf_reserve(&r->json, guess);
}

void
result_begin(struct tool_result *r, struct span before, struct span between, struct span after)
{
	buf_span(&r->fixed, before);
	buf_span(&r->fixed, between);
	buf_span(&r->fixed, after);
	r->before = before.len;
	r->between = between.len;
	r->after = after.len;
	r->phase = BEFORE;
	r->second = between.len == 0;
	r->bare = false;
	begin_reuse(r);
}

void
result_begin_members(struct tool_result *r, struct span before, struct span after)
{
	result_begin(r, before, SPAN_NONE, after);
	r->bare = true;
}

void
result_rewind(struct tool_result *r)
{
	r->phase = BEFORE;
	r->second = r->between == 0;
	r->reuse = false;
	r->walk.depth = 0;
	buf_fini(&r->json);
}

/* True when an earlier part, or the rows, already wrote this member. */
static bool
given(const struct tool_result *r, enum phase phase, struct span key)
{
	static const enum phase order[] = { FRONT, HEAD };

	if (phase == TAIL && r->rows_field[0] != '\0' && span_is_str(key, r->rows_field))
		return true;
	for (size_t i = 0; i < 2 && order[i] != phase; i++) {
		struct mp_value map, v;

		if (part(r, order[i]).len > 0 && mp_value(part(r, order[i]), &map) && mp_member(&map, key, &v))
			return true;
	}
	return false;
}

static void
open_part(struct tool_result *r, enum phase phase)
{
	struct mp_value map;

	r->phase = phase;
	r->members = (struct mp_iter){ NULL, NULL, 0 };
	if (part(r, phase).len > 0 && mp_value(part(r, phase), &map) && map.class == MP_MAP)
		r->members = mp_iter(&map);
}

/* Write v, or only its opening bracket; the walk then writes the rest. */
static void
put_value(struct tool_result *r, struct buf *out, const struct mp_value *v)
{
	struct result_walk *w = &r->walk;

	if ((v->class != MP_MAP && v->class != MP_ARRAY) || v->n == 0 || v->raw.len < STEP ||
	    w->depth == MP_DEPTH_MAX) {
		json_write(out, v);
		return;
	}
	w->it[w->depth] = mp_iter(v);
	w->map[w->depth] = v->class == MP_MAP;
	w->comma[w->depth] = false;
	w->depth++;
	buf_byte(out, v->class == MP_MAP ? '{' : '[');
}

static void
step_walk(struct tool_result *r, struct buf *out)
{
	struct result_walk *w = &r->walk;
	unsigned top = w->depth - 1;
	struct mp_value v;
	struct span key;

	if (w->map[top] ? !mp_next_pair(&w->it[top], &key, &v) : !mp_next(&w->it[top], &v)) {
		buf_byte(out, w->map[top] ? '}' : ']');
		w->depth--;
		return;
	}
	if (w->comma[top])
		buf_byte(out, ',');
	w->comma[top] = true;
	if (w->map[top]) {
		json_write_string(out, key);
		buf_byte(out, ':');
	}
	put_value(r, out, &v);
}

/* Write the part's next member.  False: none left. */
static bool
step_members(struct tool_result *r, struct buf *out)
{
	struct mp_value v;
	struct span key;

	if (r->walk.depth > 0) {
		step_walk(r, out);
		return true;
	}
	do
		if (!mp_next_pair(&r->members, &key, &v))
			return false;
	while (r->front > 0 && given(r, r->phase, key));
	if (r->comma)
		buf_byte(out, ',');
	r->comma = true;
	json_write_string(out, key);
	buf_byte(out, ':');
	put_value(r, out, &v);
	return true;
}

static void
open_chunk(struct tool_result *r, struct span bytes)
{
	struct mp_value v;

	r->rows = (struct mp_iter){ NULL, NULL, 0 };
	if (bytes.len > 0 && mp_value(bytes, &v))
		r->rows = mp_iter(&v);
}

static void
put_cell(const struct tool_result *r, struct buf *out, size_t column, const struct mp_value *cell)
{
	if (column / 8 < r->texts.len && (r->texts.p[column / 8] >> column % 8 & 1) != 0)
		json_write_cell_text(out, cell);
	else
		json_write_cell(out, cell);
}

/*
 * Write the row at r->rows and step over it.  Heads are read in place: reading the row and then its
 * cells would scan the row twice.
 */
static void
put_row(struct tool_result *r, struct buf *out)
{
	struct mp_iter *rows = &r->rows;
	struct mp_value row, cell;
	size_t head = mp_head(rows->p, (size_t)(rows->end - rows->p), &row);
	struct mp_iter cells;

	if (row.class != MP_ARRAY) {
		if (mp_next(rows, &cell))
			json_write_cell(out, &cell);
		else
			rows->left = 0; /* unreachable: mp_scan() accepted the row */
		return;
	}
	cells = (struct mp_iter){ rows->p + head, rows->end, row.n };
	buf_byte(out, '[');
	for (size_t i = 0; mp_next(&cells, &cell); i++) {
		if (i > 0)
			buf_byte(out, ',');
		put_cell(r, out, i, &cell);
	}
	buf_byte(out, ']');
	rows->p = cells.p;
	rows->left--;
}

/* Write the next cell of a column, or what closes the column. */
static void
step_cell(struct tool_result *r, struct buf *out)
{
	struct mp_value cell;

	if (!mp_next(&r->cells, &cell)) {
		buf_byte(out, ']');
		r->in_column = false;
		r->column++;
		r->rows.p = r->cells.p;
		return;
	}
	if (r->cell_begun)
		buf_byte(out, ',');
	r->cell_begun = true;
	put_cell(r, out, r->column, &cell);
}

static void
open_column(struct tool_result *r, struct buf *out)
{
	struct mp_iter *columns = &r->rows;
	struct mp_value column;
	size_t head = mp_head(columns->p, (size_t)(columns->end - columns->p), &column);

	buf_byte(out, '[');
	r->cells = (struct mp_iter){ columns->p + head, columns->end, column.n };
	columns->left--;
	r->in_column = true;
	r->cell_begun = false;
}

void
result_rows_rewind(struct tool_result *r)
{
	r->chunk = NULL;
	r->rows_begun = r->in_column = false;
	r->column = 0;
	open_chunk(r, r->first);
}

bool
result_rows_have(struct tool_result *r)
{
	while (r->rows.left == 0) {
		r->chunk = r->chunk == NULL ? STAILQ_FIRST(&r->chunks) : STAILQ_NEXT(r->chunk, next);
		if (r->chunk == NULL)
			return false;
		open_chunk(r, span_of(r->chunk->bytes, r->chunk->len));
	}
	return true;
}

bool
result_rows_step(struct tool_result *r, struct buf *out)
{
	if (r->in_column) {
		step_cell(r, out);
		return true;
	}
	if (!result_rows_have(r))
		return false;
	if (r->rows_begun)
		buf_byte(out, ',');
	r->rows_begun = true;
	if (r->columns)
		open_column(r, out);
	else
		put_row(r, out);
	return true;
}

/* One step of writing the object; r->phase tells when the object is closed. */
static void
step_object(struct tool_result *r, struct buf *out)
{
	switch (r->phase) {
	case OPEN:
		if (!r->bare)
			buf_byte(out, '{');
		r->comma = false;
		open_part(r, FRONT);
		break;
	case FRONT:
		if (!step_members(r, out))
			open_part(r, HEAD);
		break;
	case HEAD:
		if (!step_members(r, out))
			r->phase = ROWS_OPEN;
		break;
	case ROWS_OPEN:
		if (r->rows_field[0] == '\0') {
			open_part(r, TAIL);
			break;
		}
		if (r->comma)
			buf_byte(out, ',');
		r->comma = true;
		json_write_string(out, span_str(r->rows_field));
		buf_append(out, ":[", 2);
		result_rows_rewind(r);
		r->phase = ROWS;
		break;
	case ROWS:
		if (!result_rows_step(r, out)) {
			buf_byte(out, ']');
			open_part(r, TAIL);
		}
		break;
	case TAIL:
		if (!step_members(r, out)) {
			if (!r->bare)
				buf_byte(out, '}');
			r->phase = CLOSE;
		}
		break;
	default:
		r->phase = CLOSE;
		break;
	}
}

/* One step of the text block: produce JSON, then escape it. */
static void
fill_text(struct tool_result *r, struct buf *out)
{
	struct buf step = { .max = 0 }; /* used when json is not kept */
	struct buf *raw = r->reuse ? &r->json : &step;
	size_t goal;

	goal = raw->len + STEP;
	while (r->phase != CLOSE && raw->len < goal)
		step_object(r, raw);
	if (!r->reuse) {
		json_escape(out, buf_view(&step));
		buf_fini(&step);
		return;
	}
	json_escape(out, span_of(raw->p + r->escaped, raw->len - r->escaped));
	r->escaped = raw->len;
	if (raw->len > REUSE_MAX) {
		r->reuse = false; /* structuredContent will be produced again */
		buf_fini(&r->json);
	}
}

/* One step of structuredContent, from the JSON kept for the text block. */
static void
fill_from_json(struct tool_result *r, struct buf *out)
{
	size_t n = r->json.len - r->reused;

	if (n > OUT_BLOCK)
		n = OUT_BLOCK;
	buf_append(out, r->json.p + r->reused, n);
	r->reused += n;
	r->phase = r->reused < r->json.len ? OPEN : CLOSE;
}

bool
result_fill(void *result, struct buf *out)
{
	struct tool_result *r = result;
	size_t goal = out->len + OUT_BLOCK;

	while (r->phase != END && out->len < goal) {
		switch (r->phase) {
		case BEFORE:
		case BETWEEN:
			buf_span(out, part(r, r->phase));
			r->phase = OPEN;
			break;
		case CLOSE:
			r->phase = r->second ? AFTER : BETWEEN;
			r->second = true;
			break;
		case AFTER:
			buf_span(out, part(r, AFTER));
			r->phase = END;
			break;
		default:
			if (!r->second)
				fill_text(r, out);
			else if (r->reuse)
				fill_from_json(r, out);
			else
				while (r->phase != CLOSE && out->len < goal)
					step_object(r, out);
			break;
		}
	}
	return r->phase != END;
}
