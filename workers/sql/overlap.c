#include "base/system/clock.h"
#include "base/mp.h"
#include "workers/sql/asker.h"
#include "workers/sql/worker.h"
#include "workers/sql/overlap.h"
#include "workers/shared/call.h"

/* The table and columns of one side, in the call's arena.  Returns the number of columns; 0 if the side is invalid. */
static size_t
read_side(struct call *c, const struct mp_value *args, const char *key, struct relate_side *out)
{
	struct mp_value side, list, v;
	struct mp_iter it;
	struct span db;
	size_t n = 0;

	if (!mp_get(args, key, &side) || !mp_get(&side, "columns", &list) || list.n > RELATE_WIDTH_MAX)
		return 0;
	db = mp_get_str(&side, "db", SPAN_NONE);
	out->table = arena_cstr(call_arena(c), mp_get_str(&side, "name", SPAN("")));
	out->db = db.len == 0 ? NULL : arena_cstr(call_arena(c), db);
	if (out->table == NULL || (db.len > 0 && out->db == NULL))
		return 0;
	for (it = mp_iter(&list); mp_next(&it, &v); n++)
		if (v.class != MP_STR || (out->columns[n] = arena_cstr(call_arena(c), v.s)) == NULL)
			return 0;
	return n;
}

static void
put_counts(struct buf *out, const struct overlap_counts *n)
{
	mp_put_pairs(out, mp_uint("childRows", n->child_rows), mp_uint("childFilled", n->child_filled),
	    mp_uint("childDistinct", n->child_distinct), mp_uint("foundRows", n->found_rows),
	    mp_uint("foundDistinct", n->found_distinct), mp_uint("parentRows", n->parent_rows),
	    mp_uint("parentFilled", n->parent_filled), mp_uint("parentDistinct", n->parent_distinct));
}

/* Overlap counts would reveal a protected column's values; refuse. */
static int
check_side(struct sql_worker *w, struct call *c, const struct relate_side *side, size_t width, struct err *err)
{
	enum columns_action action;

	for (size_t i = 0; i < width; i++) {
		if (sql_column_action(w->db, &w->cfg, c, COLUMNS_ANYBODY, side->db, side->table, side->columns[i],
			&action, err) == -1)
			return -1;
		if (action != COLUMNS_CLEAR)
			return err_set(err, ERR_FORBIDDEN_SQL, "%s.%s has a column policy and is not compared",
			    side->table, side->columns[i]);
	}
	return 0;
}

void
overlap_put_alone(struct buf *out, const char *count, struct span name, struct span table)
{
	buf_printf(out, "SELECT %s(*), %s(%.*s), %s(DISTINCT %.*s), 0, 0, 0, 0, 0 FROM %.*s", count, count,
	    SPAN_FMT(name), count, SPAN_FMT(name), SPAN_FMT(table));
}

/* Without a parent one column of the child is counted. */
static bool
read_ask(struct call *c, const struct mp_value *args, struct relate_ask *ask)
{
	struct mp_value parent;

	ask->width = read_side(c, args, "child", &ask->child);
	if (!mp_get(args, "parent", &parent))
		return ask->width == 1;
	return ask->width > 0 && read_side(c, args, "parent", &ask->parent) == ask->width;
}

int
relate_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct sql_worker *w = call_state(c);
	struct relate_ask ask = { .rows = mp_get_uint(args, "sampleRows", 0) };
	uint64_t own = clock_ns() + mp_get_uint(args, "timeoutMs", 1) * CLOCK_MS;
	struct overlap_counts counts = { 0 };
	struct buf out = { 0 };

	if (!read_ask(c, args, &ask))
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "both sides need a table and as many columns, at most %d; a child alone needs one",
		    RELATE_WIDTH_MAX);
	if (check_side(w, c, &ask.child, ask.width, err) == -1 ||
	    (ask.parent.table != NULL && check_side(w, c, &ask.parent, ask.width, err) == -1))
		return -1;
	if (asker_neutral(c, &ask.as, err) == -1)
		return -1;
	ask.deadline_ns = own < call_deadline(c) ? own : call_deadline(c);
	if (sql_driver.relate(w->db, c, &ask, &counts, err) == -1)
		return -1;
	put_counts(&out, &counts);
	call_result(c, buf_view(&out));
	buf_fini(&out);
	return 0;
}
