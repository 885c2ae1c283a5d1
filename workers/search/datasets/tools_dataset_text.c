#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/system/clock.h"
#include "workers/search/datasets/tools_dataset.h"
#include "workers/search/datasets/tools_dataset_text.h"
#include "workers/shared/ask_worker.h"
#include "workers/shared/call.h"

#define KEYS_MAX	16u

static void
put_names(const struct mp_value *columns, struct buf *out)
{
	struct mp_iter it = mp_iter(columns);
	struct mp_value one;

	for (size_t n = 0; n < 20 && mp_next(&it, &one); n++)
		if (one.class == MP_STR)
			buf_printf(out, "%s%.*s", n > 0 ? ", " : "", SPAN_FMT(one.s));
}

/* The column as the database spells it; case is ignored if that is unambiguous. */
static int
column_meant(const struct dataset *d, struct span name, struct span *out, struct err *err)
{
	struct buf names = { 0 };
	struct mp_value one;
	struct mp_iter it;
	size_t alike = 0;

	for (it = mp_iter(&d->columns); mp_next(&it, &one);) {
		if (one.class != MP_STR || one.s.len != name.len)
			continue;
		if (span_is(one.s, name)) {
			*out = one.s;
			return 0;
		}
		if (strncasecmp((const char *)one.s.p, (const char *)name.p, name.len) == 0) {
			*out = one.s;
			alike++;
		}
	}
	if (alike == 1)
		return 0;
	put_names(&d->columns, &names);
	err_set(err, ERR_COLUMN_NOT_FOUND, "the dataset has no column \"%.*s\"; it has %.600s",
	    (int)(name.len < 100 ? name.len : 100), (const char *)name.p, buf_cstr(&names));
	buf_fini(&names);
	return -1;
}

static bool
has_column(const struct dataset *d, struct span name)
{
	struct mp_iter it = mp_iter(&d->columns);
	struct mp_value one;

	while (mp_next(&it, &one))
		if (one.class == MP_STR && span_is(one.s, name))
			return true;
	return false;
}

/* The primary key from the latest scan; no key if one of its columns is hidden. */
static size_t
key_of(const struct schema *s, const struct schema_table *t, const struct dataset *d, struct span keys[KEYS_MAX],
    bool *any)
{
	size_t n = 0;

	*any = false;
	for (uint32_t i = 0; t != NULL && i < t->ncolumns; i++) {
		struct span name = schema_span(s, s->columns[t->column + i].name);

		if (!s->columns[t->column + i].primary_key)
			continue;
		*any = true;
		if (n == KEYS_MAX || !has_column(d, name))
			return 0;
		keys[n++] = name;
	}
	return n;
}

static void
put_ask(struct library *l, const struct dataset *d, struct span column, const struct mp_value *args,
    struct buf *out)
{
	const struct connection *from = library_connection(l, d->connection);
	const struct schema_table *t = datasets_scanned(from, d);
	struct span keys[KEYS_MAX];
	struct mp_value after;
	bool any, goes_on = mp_get(args, "after", &after);
	size_t n = key_of(t == NULL ? NULL : from->scans.schema, t, d, keys, &any);
	size_t map = mp_open_pairs(out, mp_str("db", d->db), mp_str("table", d->table), mp_str("column", column),
	    mp_strs("keys", keys, n),
	    mp_bool("numbered",
		t != NULL && !snapshot_is_view((enum snapshot_kind)t->kind) && !any &&
		    !has_column(d, SPAN("_rowid_"))));

	if (goes_on)
		mp_pair_raw(out, "after", after.raw);
	mp_end(out, map);
}

int
tool_dataset_column(struct call *c, const struct mp_value *args, struct err *err)
{
	struct span id = mp_get_str(args, "id", SPAN("")), column = mp_get_str(args, "column", SPAN(""));
	struct buf ask = { 0 }, head = { 0 };
	struct datasets all;
	int result = -1;

	if (datasets_ask(c, id, &all, err) != 0)
		return -1;
	if (all.n == 0)
		return datasets_none(id, err);
	all.n = 1;
	all.all_ns[1] = 0;
	if (datasets_look(&all, 0, err) != 0)
		goto out;
	if (all.v[0].columns.class != MP_ARRAY) {
		*err = all.v[0].why;
		goto out;
	}
	if (column_meant(&all.v[0], column, &column, err) != 0)
		goto out;
	put_ask(call_state(c), &all.v[0], column, args, &ask);
	mp_put_pairs(&head, mp_str("column", column));
	call_continue(c, "dataset_texts", all.v[0].connection, buf_view(&ask), buf_view(&head));
	result = 0;
out:
	buf_fini(&ask);
	buf_fini(&head);
	datasets_fini(&all);
	return result;
}

/* Ask the connection's worker whether everybody may read the column; the answer is cached, a failure is not. */
static void
ask_policy(struct call *c, const struct dataset *d, struct chunk_set *set, size_t at, const char *digest)
{
	struct chunk_document *doc = &set->documents[at];
	struct buf args = { 0 };
	struct mp_value none;
	struct err err;
	int result;

	doc->withheld = true;
	doc->policy[0] = '\0';
	mp_put_pairs(&args, mp_str("db", d->db), mp_str("table", d->table), mp_cstr("column", doc->column),
	    mp_bool("check", true));
	result = call_sub(c, &(struct call_ask){ .tool = "dataset_texts", .connection = d->connection,
		.args = buf_view(&args) }, &none, &err);
	buf_fini(&args);
	if (result != 0 && err.code != ERR_COLUMN_NOT_FOUND)
		return;
	/* The array may have been reallocated meanwhile. */
	doc = &set->documents[at];
	doc->withheld = result != 0;
	snprintf(doc->policy, sizeof(doc->policy), "%s", digest);
}

static void
withhold_columns(struct call *c, const struct dataset *d, struct chunk_set *set)
{
	struct library *l = call_state(c);

	for (size_t i = 0; i < set->ndocuments; i++) {
		const struct connection *from = library_connection(l, d->connection);
		struct chunk_document *doc = &set->documents[i];

		if (!doc->live || doc->column == NULL)
			continue;
		/* Texts of a column that predate its last publication are withheld. */
		if (doc->stamp.mtime_ns / (int64_t)CLOCK_MS < (int64_t)d->since_ms)
			doc->withheld = true;
		else if (from == NULL || from->semantic_only || from->identity || columns_is_empty(from->policy)) {
			doc->withheld = from == NULL || from->semantic_only || from->identity;
			doc->policy[0] = '\0';
		} else if (strcmp(doc->policy, from->policy_digest) != 0)
			ask_policy(c, d, set, i, from->policy_digest);
	}
}

void
datasets_withhold(struct call *c, const struct datasets *all)
{
	const struct library *l = call_state(c);

	for (size_t i = 0; i < all->n; i++) {
		struct chunk_set *set = chunks_set(&l->chunks, all->v[i].id);

		if (set != NULL)
			withhold_columns(c, &all->v[i], set);
	}
}
