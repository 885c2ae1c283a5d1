#include <string.h>

#include "project/config/drivers.h"
#include "semantic/compile.h"
#include "semantic/expr.h"
#include "workers/search/inspect/tools_query.h"
#include "workers/search/library/resolve.h"
#include "workers/search/answer/put.h"
#include "workers/shared/call.h"

/* The requested connection, else the default one. */
static int
query_connection(struct call *c, const struct mp_value *args, struct connection **from, struct err *err)
{
	struct library *l = call_state(c);
	struct buf text = BUF_MAX(800);

	if (search_connection(c, args, from, err) != 0)
		return -1;
	if (*from != NULL)
		return 0;
	if ((*from = library_default(l)) != NULL) {
		search_stands_on(c, *from);
		return 0;
	}
	for (size_t i = 0; i < l->nconnections; i++)
		buf_printf(&text, "%s%s", i == 0 ? "" : ", ", l->connections[i].id);
	err_set(err, ERR_INVALID_ARGUMENTS,
	    l->nconnections == 0 ? "The project has no connection yet; `carrel connection add` makes one." :
				   "connectionId is needed, there are several connections: %s.",
	    buf_cstr(&text));
	buf_fini(&text);
	return -1;
}

/* An unknown source whose file cannot be read is reported as broken, with the reason. */
static void
blame_file(const struct connection *from, struct sem_problem *p)
{
	struct span name = span_str(p->text);
	const uint8_t *dot = memchr(name.p, '.', name.len);

	if (p->category != SEM_UNKNOWN_SOURCE)
		return;
	if (dot != NULL)
		name.len = (size_t)(dot - name.p);
	for (size_t i = 0; i < source_set_troubles(from->models.set); i++) {
		struct source_trouble t = source_set_trouble(from->models.set, i);
		const char *slash = strrchr(t.path, '/'), *stem = slash != NULL ? slash + 1 : t.path;

		if (strncmp(stem, (const char *)name.p, name.len) != 0 || stem[name.len] != '.')
			continue;
		sem_fail(p, SEM_INVALID_SOURCE, name, "The file semantic-layer/%s/%s cannot be used: %s", from->id,
		    t.path, t.reason);
		return;
	}
}

static int
tools_query_refuse(struct call *c, const struct connection *from, struct sem_problem *p, struct err *err)
{
	struct buf *d = call_details(c);
	size_t map;

	enum err_code code = p->category == SEM_QUERY_POLICY ? ERR_FORBIDDEN_SQL : ERR_INVALID_QUERY;

	blame_file(from, p);
	map = mp_open_pairs(d, mp_maybe("category", span_str(sem_category_name(p->category))),
	    mp_some("text", span_str(p->text)));
	mp_pair_array(d, "candidates", p->ncandidates);
	for (size_t i = 0; i < p->ncandidates; i++)
		mp_put_cstr(d, p->candidates[i]);
	mp_end(d, map);
	if (p->ncandidates == 0)
		return err_set(err, code, "%s", p->message);
	return err_set(err, code, "%s Close names: %s%s%s%s%s.", p->message, p->candidates[0],
	    p->ncandidates > 1 ? ", " : "", p->ncandidates > 1 ? p->candidates[1] : "", p->ncandidates > 2 ? ", " : "",
	    p->ncandidates > 2 ? p->candidates[2] : "");
}

/* Whether the caller requested this part besides the rows. */
static bool
includes(const struct mp_value *args, const char *what)
{
	struct mp_value list, one;
	struct mp_iter it;

	if (!mp_get(args, "include", &list) || list.class != MP_ARRAY)
		return false;
	for (it = mp_iter(&list); mp_next(&it, &one);)
		if (one.class == MP_STR && span_is_str(one.s, what))
			return true;
	return false;
}

/* Whether all rows are wanted as a file, and the query names no number of them. */
static bool
exports_all(const struct call *c, const struct mp_value *args)
{
	struct mp_value limit;

	return call_export_rows(c) > 0 && !mp_get(args, "limit", &limit);
}

/* Put the parts of the answer before the rows, then have tool run the query; the probe and its limit go with it. */
static void
run_by(struct call *c, const char *tool, const struct mp_value *asked, const struct connection *from,
    const struct dialect *d, const struct sem_query *q, const struct sem_compiled *out)
{
	struct buf args = { 0 }, head = { 0 };

	/* Of an export the call itself says how many rows there may be, if the query does not. */
	mp_put_pairs(&args, mp_maybe("connectionId", span_str(from->id)), mp_maybe("sql", out->probe),
	    mp_when(!exports_all(c, asked), mp_uint("maxRows", (uint64_t)q->limit)));
	mp_put_pairs(&head, mp_cstr("connectionId", from->id), mp_cstr("dialect", dialect_name(d)),
	    mp_when(includes(asked, "sql"), mp_maybe("sql", out->sql)), mp_strs("notes", out->notes, out->nnotes),
	    mp_when(includes(asked, "plan"), mp_raw("plan", out->plan)));
	call_continue(c, tool, span_str(from->id), buf_view(&args), buf_view(&head));
	buf_fini(&args);
	buf_fini(&head);
}

static int
refuse_driver(const char *driver, struct err *err)
{
	struct buf names = { 0 };

	drivers_put_names(&names, 0, "and");
	err_set(err, ERR_SERVICE_UNAVAILABLE,
	    "sl_query does not speak the dialect of %s yet; it runs on %s connections.", driver, buf_cstr(&names));
	buf_fini(&names);
	return -1;
}

struct call_types {
	struct call		*c;
	const struct connection	*from;
};

/* The type of a column in the connection's scan. */
static struct span
scanned_type(const void *arg, struct span table, struct span column)
{
	const struct call_types *t = arg;
	struct mp_value name = { .class = MP_STR, .s = table };
	const struct schema *s = t->from->scans.schema;
	struct resolved found = { .n = 0 };

	if (s != NULL)
		resolve_table(s, call_arena(t->c), &name, &found);
	for (uint32_t i = 0; found.n == 1 && i < found.v[0]->ncolumns; i++) {
		const struct schema_column *k = &s->columns[found.v[0]->column + i];

		if (span_is(schema_span(s, k->name), column))
			return schema_span(s, k->native_type);
	}
	return span_of("", 0);
}

/* Whether questions may read the source. */
static bool
is_asked_of(const void *arg, const struct source *s)
{
	const struct call_types *t = arg;

	return ontologies_have(call_state(t->c), t->from, s);
}

/* For whom a query is compiled. */
struct query_use {
	bool				 asked;		/* for a question, which reads what ontologies name */
	const struct expr_parameters	*parameters;	/* of a team's tool; NULL: none */
};

/* Compile the query for its connection. */
static int
tools_query_compile(struct call *c, const struct mp_value *args, const struct query_use *use, struct connection **from,
    const struct dialect **d, struct sem_query *q, struct sem_compiled *out, struct err *err)
{
	struct sem_problem p = { 0 };
	const struct sem_model *model;
	struct call_types types = { .c = c };

	call_progress(c, 0, "Compiling query");
	if (query_connection(c, args, from, err) != 0)
		return -1;
	if ((*d = dialect_find(span_str((*from)->driver))) == NULL)
		return refuse_driver((*from)->driver, err);
	if ((model = models_compiled(&(*from)->models)) == NULL)
		return err_set(err, ERR_INTERNAL, "the semantic layer of \"%s\" does not fit into memory", (*from)->id);
	types.from = *from;
	if (sem_query_read(call_arena(c), args, q, &p) != 0)
		return tools_query_refuse(c, *from, &p, err);
	/* What a team's tool gives at most, its owner has decided: that is no number of the asker's. */
	if (use->parameters == NULL && exports_all(c, args))
		q->limit = (int64_t)call_export_rows(c);
	q->type_of = scanned_type;
	q->type_arg = q->serves_arg = &types;
	q->serves = use->asked ? is_asked_of : NULL;
	q->parameters = use->parameters;
	/* For every caller; a query for no rows, by which memory tries a proposed measure, computes nothing. */
	q->governed = (*from)->semantic_only && !(call_is_inner(c) && q->limit == 0);
	call_progress(c, 300, "Generating SQL");
	if (sem_compile(model, *d, q, call_arena(c), out, &p) != 0)
		return tools_query_refuse(c, *from, &p, err);
	q->type_of = NULL;
	q->serves = NULL;
	return 0;
}

static int
run_query(struct call *c, const char *tool, const struct mp_value *args, bool asked, struct err *err)
{
	struct sem_compiled out;
	const struct dialect *d;
	struct connection *from;
	struct sem_query q;

	if (tools_query_compile(c, args, &(struct query_use){ .asked = asked }, &from, &d, &q, &out, err) != 0)
		return -1;
	call_progress(c, 600, "Executing");
	run_by(c, tool, args, from, d, &q, &out);
	return 0;
}

int
tool_sl_query(struct call *c, const struct mp_value *args, struct err *err)
{
	return run_query(c, "sl_execution", args, false, err);
}

int
tool_ask_query(struct call *c, const struct mp_value *args, struct err *err)
{
	return run_query(c, "ask_execution", args, true, err);
}

/* The names of a team's tool's parameters. */
static int
read_names(struct call *c, const struct mp_value *args, struct expr_parameters *out, struct err *err)
{
	struct mp_value list, one;
	struct span *names;
	struct mp_iter it;

	*out = (struct expr_parameters){ .n = 0 };
	if (!mp_get(args, "parameters", &list) || list.class != MP_ARRAY)
		return 0;
	if ((names = arena_array(call_arena(c), list.n + 1, sizeof(*names))) == NULL)
		return err_set(err, ERR_INVALID_QUERY, "the tool has too many parameters");
	out->names = names;
	for (it = mp_iter(&list); mp_next(&it, &one);)
		if (one.class == MP_STR)
			names[out->n++] = one.s;
	return 0;
}

/* Have the connection's worker run the statement with the values of the call, which this process only passes on. */
static void
run_team(struct call *c, const struct mp_value *args, const struct connection *from, const struct dialect *d,
    const struct sem_query *q, const struct sem_compiled *out)
{
	struct buf message = { 0 }, head = { 0 };
	struct mp_value given;
	bool check = mp_get_bool(args, "check", false);

	if (!mp_get(args, "arguments", &given))
		mp_value(MP_EMPTY_MAP, &given);
	mp_put_pairs(&message, mp_str("tool", mp_get_str(args, "tool", SPAN_NONE)), mp_maybe("sql", out->probe),
	    mp_uint("maxRows", (uint64_t)q->limit), mp_raw("arguments", given.raw),
	    mp_when(check, mp_bool("check", true)));
	mp_put_pairs(&head, mp_cstr("connectionId", from->id), mp_cstr("dialect", dialect_name(d)),
	    mp_strs("notes", out->notes, out->nnotes));
	call_continue(c, "team_execution", span_str(from->id), buf_view(&message), buf_view(&head));
	buf_fini(&message);
	buf_fini(&head);
}

int
tool_team_query(struct call *c, const struct mp_value *args, struct err *err)
{
	struct expr_parameters parameters;
	struct sem_compiled out;
	const struct dialect *d;
	struct connection *from;
	struct mp_value query;
	struct sem_query q;

	if (!mp_get(args, "query", &query) || query.class != MP_MAP)
		return err_set(err, ERR_INVALID_ARGUMENTS, "query is missing");
	if (read_names(c, args, &parameters, err) != 0 ||
	    tools_query_compile(c, &query, &(struct query_use){ .parameters = &parameters }, &from, &d, &q, &out,
		err) != 0)
		return -1;
	call_progress(c, 600, "Executing");
	run_team(c, args, from, d, &q, &out);
	return 0;
}

int
tool_sl_compile(struct call *c, const struct mp_value *args, struct err *err)
{
	struct sem_compiled out;
	const struct dialect *d;
	struct connection *from;
	struct buf mp = { 0 };
	struct sem_query q;

	if (tools_query_compile(c, args, &(struct query_use){ .asked = false }, &from, &d, &q, &out, err) != 0)
		return -1;
	mp_put_pairs(&mp, mp_maybe("connectionId", span_str(from->id)), mp_maybe("dialect", span_str(dialect_name(d))),
	    mp_strs("headers", out.headers, out.nheaders), mp_maybe("sql", out.sql),
	    mp_strs("notes", out.notes, out.nnotes), mp_raw("plan", out.plan));
	return search_finish(c, &mp, err);
}
