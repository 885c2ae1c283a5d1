#include "workers/search/answer/put.h"
#include "workers/shared/call.h"

void
put_table_ref(struct buf *out, const struct schema *s, const struct schema_table *t)
{
	mp_put_pairs(out, mp_maybe("catalog", schema_span(s, t->catalog)), mp_maybe("db", schema_span(s, t->db)),
	    mp_maybe("name", schema_span(s, t->name)));
}

void
put_strings(struct buf *out, const char *key, const struct wiki_strings *s)
{
	mp_pair_strs(out, key, s->v, s->n);
}

void
put_provenance(struct buf *out, const struct wiki_page *w)
{
	mp_put_cstr(out, "provenance");
	if (!w->has_provenance) {
		mp_put_nil(out);
		return;
	}
	mp_put_pairs(out, mp_some("author", w->author), mp_some("at", w->at), mp_some("runId", w->run_id),
	    mp_some("status", w->status));
}

void
search_stands_on(struct call *call, const struct connection *c)
{
	if (c != NULL && c->scans.schema != NULL)
		call_stands_on(call, span_str(c->id), span_str(c->scans.schema->sync_id));
}

int
search_connection(struct call *call, const struct mp_value *args, struct connection **c, struct err *err)
{
	struct library *l = call_state(call);
	struct mp_value v;

	*c = NULL;
	if (!mp_get(args, "connectionId", &v) || v.class != MP_STR)
		return 0;
	if ((*c = library_connection(l, v.s)) != NULL) {
		search_stands_on(call, *c);
		return 0;
	}
	return library_no_connection(l, v.s, call_details(call), err);
}

size_t
search_limit(const struct mp_value *args, size_t usual, size_t most)
{
	uint64_t n = mp_get_uint(args, "limit", usual);

	return n < 1 ? 1 : n > most ? most : (size_t)n;
}

int
search_finish(struct call *c, struct buf *out, struct err *err)
{
	if (out->full || out->len > IPC_RAW_MAX) {
		buf_fini(out);
		return err_set(err, ERR_RESULT_TOO_LARGE, "the result is too large; ask for less at once");
	}
	call_result(c, buf_view(out));
	buf_fini(out);
	return 0;
}
