/* tools.c - see tools.h: offers, lists, and the arguments of calls. */
#include <stdlib.h>

#include "base/json/json_put.h"
#include "base/mem.h"
#include "front/wire/announce.h"
#include "front/mcp/app.h"
#include "front/calls/team_arguments.h"
#include "front/calls/tools.h"
#include "policy/tool_names.h"
#include "base/json/json_schema_self.h"

#define ROLES		7	/* bits of enum ipc_role */
#define LISTS_MAX	16	/* combinations of scopes and form in use; beyond: the oldest is dropped */

#define STEPS_MAX	6	/* names in an alias's path; longer paths are malformed */
#define ALIASES_MAX	32

/* "entities[].table.schema=db": the path, the member's name there, and the name that replaces it. */
struct alias {
	struct span	path[STEPS_MAX];	/* an empty name stands for every element of an array */
	size_t		npath;
	struct span	from, to;
	char		text[128];		/* the spans above point into this text */
};

struct tool_list {
	uint32_t	 scopes;
	char		*tools;		/* of the caller's names; NULL: none */
	enum tool_form	 form;
	struct blob	*bytes;		/* NULL: free slot */
};

struct tools {
	struct tool_entry	entries[POLICY_TOOLS_MAX];	/* in the order of policy/tools.def */
	struct tool_list		lists[LISTS_MAX];
	unsigned		next_list;
	struct buf		offers[ROLES];	/* the latest offer of each role */
	unsigned		changes;
	bool			ready;		/* questions can be asked */
	struct tool_entry	*team;		/* in the order of the configuration */
	size_t			nteam;
	char			prefix[TOOL_NAMES_MAX + 1];
};

struct tools *
tools_new(struct span prefix)
{
	struct tools *t = mem_new(1, sizeof(*t));

	if (prefix.len == 0 || prefix.len > TOOL_NAMES_MAX)
		prefix = SPAN(TOOL_NAMES_OWN);
	memcpy(t->prefix, prefix.p, prefix.len);
	return t;
}

static void
drop_lists(struct tools *t)
{
	for (size_t i = 0; i < LISTS_MAX; i++) {
		blob_unref(t->lists[i].bytes);
		free(t->lists[i].tools);
		t->lists[i] = (struct tool_list){ .bytes = NULL };
	}
}

static void
drop_parts(struct tool_entry *e)
{
	buf_fini(&e->offer);
	free(e->aliases);
	free(e->params);
	free(e->fault);
}

static void
drop_entry(struct tool_entry *e)
{
	drop_parts(e);
	for (size_t i = 0; i < e->nvalues; i++) {
		drop_parts(&e->values[i].all);
		drop_parts(&e->values[i].one);
	}
	free(e->values);
	*e = (struct tool_entry){ .policy = NULL };
}

void
tools_free(struct tools *t)
{
	if (t == NULL)
		return;
	drop_lists(t);
	for (size_t i = 0; i < policy_ntools; i++)
		drop_entry(&t->entries[i]);
	for (size_t i = 0; i < t->nteam; i++)
		drop_entry(&t->team[i]);
	free(t->team);
	for (size_t i = 0; i < ROLES; i++)
		buf_fini(&t->offers[i]);
	free(t);
}

static bool
read_path(struct alias *a, struct span left)
{
	while (left.len > 0) {
		const uint8_t *dot = memchr(left.p, '.', left.len);
		struct span step = span_of(left.p, dot == NULL ? left.len : (size_t)(dot - left.p));
		size_t used = step.len + (dot != NULL);
		bool each = step.len > 2 && step.p[step.len - 2] == '[' && step.p[step.len - 1] == ']';

		left = span_of(left.p + used, left.len - used);
		if (each)
			step.len -= 2;
		if (step.len == 0 || a->npath + 2 > STEPS_MAX)
			return false;
		if (left.len == 0 && !each) {
			a->from = step;
			return true;
		}
		a->path[a->npath++] = step;
		if (each)
			a->path[a->npath++] = span_of("", 0);
	}
	return false;
}

static bool
read_alias(struct alias *a, struct span word)
{
	const uint8_t *equals = memchr(word.p, '=', word.len);
	size_t left;

	if (equals == NULL || word.len >= sizeof(a->text))
		return false;
	memcpy(a->text, word.p, word.len);
	left = (size_t)(equals - word.p);
	a->to = span_of(a->text + left + 1, word.len - left - 1);
	return a->to.len > 0 && read_path(a, span_of(a->text, left));
}

/* Read "entities[].table.schema=db …".  *aliases is NULL for an empty text.  False: the text is malformed. */
static bool
alias_read(struct span text, struct alias **aliases, size_t *n)
{
	*aliases = NULL;
	*n = 0;
	if (text.len == 0)
		return true;
	/* One allocation: the spans point into it, so it must not move. */
	*aliases = mem_new(ALIASES_MAX, sizeof(**aliases));
	while (text.len > 0) {
		const uint8_t *space = memchr(text.p, ' ', text.len);
		struct span word = span_of(text.p, space == NULL ? text.len : (size_t)(space - text.p));
		size_t used = word.len + (space != NULL);

		text = span_of(text.p + used, text.len - used);
		if (word.len == 0)
			continue;
		if (*n == ALIASES_MAX || !read_alias(&(*aliases)[*n], word))
			return false;
		++*n;
	}
	return true;
}

/* The schema's root must be an object; otherwise clients refuse the whole list. */
static bool
schema_usable(const struct mp_value *schema)
{
	char why[128];

	return schema->class == MP_MAP && span_is_str(mp_get_str(schema, "type", SPAN_NONE), "object") &&
	    schema_check_self(schema, why, sizeof(why));
}

/* A tool with invalid headers is not offered: clients would refuse it.  Few tools declare any. */
static bool
read_params(struct tool_entry *e)
{
	struct params found;
	const char *problem = params_read(&e->input, &found);

	if (problem != NULL || found.n == 0)
		return problem == NULL;
	e->params = mem_alloc(sizeof(*e->params));
	*e->params = found;
	return true;
}

static bool
has_own_names(const struct tools *t)
{
	return strcmp(t->prefix, TOOL_NAMES_OWN) == 0;
}

static bool
read_entry(const struct tools *t, struct tool_entry *e, const struct mp_value *given)
{
	const struct span none = { NULL, 0 };
	struct mp_value map, properties, connection, query;

	if (has_own_names(t) || tool_is_team(e))
		buf_span(&e->offer, given->raw);
	else
		tool_names_value(t->prefix, given, &e->offer);
	if (!mp_value(buf_view(&e->offer), &map))
		return false;
	e->shown = mp_get_str(&map, "name", none);
	e->name = tool_is_team(e) ? e->shown : span_str(e->policy->name);
	e->scopes = (uint32_t)mp_get_uint(&map, "scopes", e->policy->scopes);
	e->connection = mp_get_str(&map, "connection", none);
	e->title = mp_get_str(&map, "title", e->shown);
	e->description = mp_get_str(&map, "description", none);
	if (tool_is_team(e) && mp_get(&map, "query", &query))
		e->query = query.raw;
	e->hints = (unsigned)mp_get_uint(&map, "hints", 0);
	e->budget_ms = (unsigned)mp_get_uint(&map, "budgetMs", 0);
	if (e->description.len == 0 || !mp_get(&map, "inputSchema", &e->input) || !schema_usable(&e->input))
		return false;
	if (mp_get(&map, "outputSchema", &e->output) && !schema_usable(&e->output))
		return false;
	e->takes_connection =
	    mp_get(&e->input, "properties", &properties) && mp_get(&properties, "connectionId", &connection);
	return read_params(e) && alias_read(mp_get_str(&map, "aliases", none), &e->aliases, &e->naliases);
}

bool
tool_is_team(const struct tool_entry *e)
{
	return e->policy->toolset == POLICY_TOOLSET_TEAM;
}

/* The team's tools answer as the row behind them does, once a worker has announced it. */
static void
share_output(struct tools *t)
{
	for (size_t i = 0; i < t->nteam; i++) {
		const struct tool_entry *like = &t->entries[t->team[i].policy->order];

		t->team[i].output = like->policy == NULL ? (struct mp_value){ .class = MP_NIL } : like->output;
	}
}

static bool
read_companion(const struct tools *t, const struct mp_value *of, const char *key, struct tool_entry *e)
{
	struct mp_value given;

	*e = (struct tool_entry){ .policy = policy_tool(SPAN("team_query")) };
	if (e->policy == NULL || !mp_get(of, key, &given))
		return false;
	e->role = e->policy->role;
	return read_entry(t, e, &given) && e->query.len > 0;
}

/* The queries behind the parameters that have the values of a dimension.  False: one of them is wrong. */
static bool
read_values(const struct tools *t, struct tool_entry *e)
{
	struct mp_value map, values, of;
	struct mp_iter it;
	struct span key;
	bool fits = true;

	if (!mp_value(buf_view(&e->offer), &map) || !mp_get(&map, "values", &values))
		return true;
	if (values.class != MP_MAP)
		return false;
	e->values = mem_new(values.n, sizeof(*e->values));
	for (it = mp_iter(&values); fits && mp_next_pair(&it, &key, &of);) {
		struct tool_values *v = &e->values[e->nvalues++];

		v->parameter = key;
		v->dimension = mp_get_str(&of, "dimension", SPAN_NONE);
		fits = read_companion(t, &of, "all", &v->all) && read_companion(t, &of, "one", &v->one);
	}
	return fits;
}

const struct tool_values *
tool_values_of(const struct tool_entry *e, struct span parameter)
{
	for (size_t i = 0; i < e->nvalues; i++)
		if (span_is(e->values[i].parameter, parameter))
			return &e->values[i];
	return NULL;
}

const char *
tool_fault(const struct tool_entry *e)
{
	const char *fault = e->fault;

	for (size_t i = 0; fault == NULL && i < e->nvalues; i++)
		fault = e->values[i].all.fault;
	return fault;
}

int
tools_take_team(struct tools *t, struct span team, struct err *err)
{
	const struct policy_tool *statement = policy_tool(SPAN("team_tool")), *query = policy_tool(SPAN("team_query"));
	struct mp_value all, one, body;
	struct mp_iter it;

	if (!mp_value(team, &all) || all.class != MP_ARRAY)
		return err_set(err, ERR_INTERNAL, "the list of the team's tools is no array");
	if (all.n == 0)
		return 0;
	if (statement == NULL || query == NULL)
		return err_set(err, ERR_INTERNAL, "a team's tools cannot be served by this program");
	t->team = mem_new(all.n, sizeof(*t->team));
	for (it = mp_iter(&all); mp_next(&it, &one);) {
		struct tool_entry e = { .policy = mp_get(&one, "query", &body) ? query : statement };

		e.role = e.policy->role;
		if (!read_entry(t, &e, &one) || !read_values(t, &e)) {
			drop_entry(&e);
			return err_set(err, ERR_INTERNAL,
			    "a tool of the configuration has a schema that is not checked");
		}
		t->team[t->nteam++] = e;
	}
	return 0;
}

const struct tool_entry *
tools_team(const struct tools *t, size_t i)
{
	return i < t->nteam ? &t->team[i] : NULL;
}

const struct tool_entry *
tools_team_named(const struct tools *t, struct span name)
{
	for (size_t i = 0; i < t->nteam; i++)
		if (span_is(name, t->team[i].name))
			return &t->team[i];
	return NULL;
}

/* A team's tool, or a query behind one of its parameters, to be changed. */
static struct tool_entry *
find_own(struct tools *t, const struct tool_entry *e)
{
	for (size_t i = 0; i < t->nteam; i++)
		for (size_t k = 0; k < t->team[i].nvalues; k++)
			if (e == &t->team[i].values[k].all)
				return &t->team[i].values[k].all;
	return &t->team[e - t->team];
}

bool
tools_note_fault(struct tools *t, const struct tool_entry *e, const char *fault)
{
	struct tool_entry *own = find_own(t, e);

	if (fault == NULL ? own->fault == NULL : own->fault != NULL && strcmp(fault, own->fault) == 0)
		return false;
	free(own->fault);
	own->fault = fault == NULL ? NULL : mem_text(span_str(fault));
	t->changes++;
	drop_lists(t);
	return true;
}

bool
tools_begin_trial(struct tools *t, const struct tool_entry *e)
{
	struct tool_entry *own = find_own(t, e);

	own->try_again = own->trying;
	if (own->trying)
		return false;
	own->trying = true;
	return true;
}

bool
tools_end_trial(struct tools *t, const struct tool_entry *e)
{
	struct tool_entry *own = find_own(t, e);

	own->trying = false;
	return own->try_again;
}

bool
tool_is_allowed(const struct tool_entry *e, const struct tool_caller *caller)
{
	if (!tool_is_team(e))
		return policy_tool_allowed(e->policy, caller->scopes);
	return (caller->scopes & (e->scopes | POLICY_SCOPE_LOCAL)) != 0 || policy_named_has(caller->tools, e->name);
}

uint32_t
tool_needs(const struct tool_entry *e)
{
	return e->scopes != 0 ? e->scopes : e->policy->scopes;
}

uint32_t
tool_lacks(const struct tool_entry *e, const struct tool_caller *reach)
{
	uint32_t some = e->scopes & reach->scopes;

	if (!tool_is_team(e))
		return e->policy->scopes;
	return policy_named_has(reach->tools, e->name) ? 0 : some != 0 ? some : e->scopes;
}

static void
note_offer(struct tools *t, enum ipc_role role, struct span offer)
{
	struct buf *last;
	unsigned bit = 0;

	while (bit < ROLES - 1 && (1u << bit) != (unsigned)role)
		bit++;
	last = &t->offers[bit];
	if (span_is(buf_view(last), offer))
		return;
	buf_fini(last);
	buf_span(last, offer);
	t->changes++;
}

int
tools_offer(struct tools *t, enum ipc_role role, struct span offer, struct buf *skipped,
    struct err *err)
{
	struct mp_value all, one;
	struct mp_iter it;

	if (!mp_value(offer, &all) || all.class != MP_ARRAY)
		return err_set(err, ERR_INTERNAL, "a worker's list of tools is no array");
	for (size_t i = 0; i < policy_ntools; i++)
		if (t->entries[i].policy != NULL && t->entries[i].role == role)
			drop_entry(&t->entries[i]);
	drop_lists(t);
	note_offer(t, role, offer);
	it = mp_iter(&all);
	while (mp_next(&it, &one)) {
		struct span name = mp_get_str(&one, "name", SPAN_NONE);
		const struct policy_tool *p = policy_tool(name);
		struct tool_entry e = { .policy = p, .role = role };

		if (p != NULL && p->role == role && read_entry(t, &e, &one)) {
			drop_entry(&t->entries[p->order]);
			t->entries[p->order] = e;
			continue;
		}
		drop_entry(&e);
		if (skipped != NULL)
			buf_printf(skipped, "%s%.*s", skipped->len > 0 ? ", " : "", SPAN_FMT(name));
	}
	share_output(t);
	return 0;
}

/* The entry of p; NULL: no worker offers the tool, or it does not exist for callers with these scopes. */
static const struct tool_entry *
entry_for(const struct tools *t, const struct policy_tool *p, uint32_t scopes)
{
	if (p == NULL || t->entries[p->order].policy == NULL)
		return NULL;
	if (p->toolset == POLICY_TOOLSET_SURFACE || p->toolset == POLICY_TOOLSET_INNER ||
	    p->toolset == POLICY_TOOLSET_TEAM ||
	    (p->toolset == POLICY_TOOLSET_LOCAL && (scopes & POLICY_SCOPE_LOCAL) == 0))
		return NULL;
	return &t->entries[p->order];
}

const struct tool_entry *
tools_find(const struct tools *t, struct span name, uint32_t scopes)
{
	return entry_for(t, policy_tool(name), scopes);
}

const struct tool_entry *
tools_called(const struct tools *t, struct span name, uint32_t scopes)
{
	const struct tool_entry *team = tools_team_named(t, name);

	return team != NULL ? team : entry_for(t, tool_names_find(t->prefix, name), scopes);
}

void
tools_put_names(const struct tools *t, struct err *err)
{
	struct buf text = { 0 };

	if (has_own_names(t))
		return;
	tool_names_text(t->prefix, span_str(err->message), &text);
	err_set(err, err->code, "%s", buf_cstr(&text));
	buf_fini(&text);
}

const struct tool_entry *
tools_find_inner(const struct tools *t, struct span name)
{
	const struct policy_tool *p = policy_tool(name);

	if (p == NULL || t->entries[p->order].policy == NULL || p->askers == POLICY_ASKER_NONE)
		return NULL;
	return &t->entries[p->order];
}

const struct tool_entry *
tools_surface(const struct tools *t, const char *row)
{
	const struct policy_tool *p = policy_tool(span_str(row));

	if (p == NULL || p->toolset != POLICY_TOOLSET_SURFACE || t->entries[p->order].policy == NULL)
		return NULL;
	return &t->entries[p->order];
}

bool
tools_ready(struct tools *t, bool ready)
{
	if (t->ready == ready)
		return false;
	t->ready = ready;
	drop_lists(t);
	return true;
}

bool
tools_answers(const struct tools *t)
{
	for (size_t i = 0; i < policy_ntools; i++)
		if (t->entries[i].policy != NULL && t->entries[i].policy->toolset == POLICY_TOOLSET_ASK)
			return true;
	return false;
}

unsigned
tools_changes(const struct tools *t)
{
	return t->changes;
}

static void
put_annotations(struct buf *out, const struct tool_entry *e)
{
	bool reads = (e->hints & TOOL_READ_ONLY) != 0;

	json_put_object(out, "annotations");
	json_put_str(out, "title", e->title);
	json_put_bool(out, "readOnlyHint", reads);
	if (!reads)
		json_put_bool(out, "destructiveHint", (e->hints & TOOL_DESTRUCTIVE) != 0);
	if ((e->hints & (TOOL_IDEMPOTENT | TOOL_NOT_IDEMPOTENT)) != 0)
		json_put_bool(out, "idempotentHint", (e->hints & TOOL_IDEMPOTENT) != 0);
	json_put_bool(out, "openWorldHint", false);
	json_end_object(out);
}

static void
put_tool(struct buf *out, const struct tool_entry *e, enum tool_form form)
{
	json_put_object(out, NULL);
	json_put_str(out, "name", e->shown);
	if (form != TOOL_FORM_BASIC)
		json_put_str(out, "title", e->title);
	json_put_str(out, "description", e->description);
	json_put_key(out, "inputSchema");
	announce_input(&e->input, out);
	if (form != TOOL_FORM_BASIC && e->output.class == MP_MAP) {
		json_put_object(out, "outputSchema");
		json_put_cstr(out, "type", "object");
		json_put_list(out, "anyOf");
		announce_output(&e->output, out);
		/* Clients also validate the content of failed calls, which has one schema for all tools. */
		json_put_object(out, NULL);
		json_put_raw(out, "required", SPAN("[\"error\",\"request_id\"]"));
		json_end_object(out);
		json_end_list(out);
		json_end_object(out);
	}
	put_annotations(out, e);
	if (form != TOOL_FORM_BASIC && e->policy->toolset == POLICY_TOOLSET_ASK) {
		json_put_object(out, "_meta");
		json_put_object(out, "ui");
		json_put_cstr(out, "resourceUri", APP_URI);
		json_end_object(out);
		json_end_object(out);
	}
	json_end_object(out);
}

static struct blob *
make_list(const struct tools *t, const struct tool_caller *caller, enum tool_form form)
{
	struct buf out = { .max = 0 };
	struct blob *bytes;

	json_put_list(&out, "tools");
	for (size_t i = 0; i < policy_ntools; i++) {
		const struct tool_entry *e = &t->entries[i];

		if (e->policy == NULL || !policy_tool_listed(e->policy) || !tool_is_allowed(e, caller) ||
		    (e->policy->toolset == POLICY_TOOLSET_ASK && !t->ready))
			continue;
		put_tool(&out, e, form);
	}
	for (size_t i = 0; i < t->nteam; i++)
		if (tool_fault(&t->team[i]) == NULL && tool_is_allowed(&t->team[i], caller))
			put_tool(&out, &t->team[i], form);
	json_end_list(&out);
	if (form == TOOL_FORM_MODERN) { /* the list depends on the caller's scopes */
		json_put_uint(&out, "ttlMs", 60000);
		json_put_cstr(&out, "cacheScope", "private");
	}
	bytes = blob_new(buf_view(&out));
	buf_fini(&out);
	return bytes;
}

static bool
is_for(const struct tool_list *l, const struct tool_caller *caller, enum tool_form form)
{
	return l->bytes != NULL && l->scopes == caller->scopes && l->form == form &&
	    strcmp(l->tools == NULL ? "" : l->tools, caller->tools == NULL ? "" : caller->tools) == 0;
}

struct blob *
tools_list(struct tools *t, const struct tool_caller *caller, enum tool_form form)
{
	struct tool_list *l;

	for (size_t i = 0; i < LISTS_MAX; i++)
		if (is_for(&t->lists[i], caller, form))
			return t->lists[i].bytes;
	l = &t->lists[t->next_list++ % LISTS_MAX];
	blob_unref(l->bytes);
	free(l->tools);
	*l = (struct tool_list){ .scopes = caller->scopes, .form = form, .bytes = make_list(t, caller, form),
		.tools = caller->tools == NULL ? NULL : mem_text(span_str(caller->tools)) };
	return l->bytes;
}

/* The name under which a member of map is sent on: an alias is replaced by the real name. */
static struct span
renamed(const struct alias *a, const struct mp_value *map, struct span key)
{
	struct mp_value v;
	char to[sizeof(a->text)];

	if (!span_is(key, a->from))
		return key;
	memcpy(to, a->to.p, a->to.len);
	to[a->to.len] = '\0';
	return mp_get(map, to, &v) ? key : a->to;
}

/* Copy v to out and apply one alias from step on.  The recursion is bounded by the alias's path. */
static void
copy_renaming(struct buf *out, const struct alias *a, size_t step, const struct mp_value *v)
{
	struct mp_iter it = mp_iter(v);
	struct mp_value child;
	struct span key;

	if (step < a->npath && a->path[step].len == 0 && v->class == MP_ARRAY) {
		mp_put_array(out, v->n);
		while (mp_next(&it, &child))
			copy_renaming(out, a, step + 1, &child);
		return;
	}
	if (v->class != MP_MAP || (step < a->npath && a->path[step].len == 0)) {
		buf_span(out, v->raw);
		return;
	}
	mp_put_map(out, v->n);
	while (mp_next_pair(&it, &key, &child)) {
		if (step == a->npath) {
			mp_put_str(out, renamed(a, v, key));
			buf_span(out, child.raw);
			continue;
		}
		mp_put_str(out, key);
		if (span_is(key, a->path[step]))
			copy_renaming(out, a, step + 1, &child);
		else
			buf_span(out, child.raw);
	}
}

/* Apply all aliases, alternating between the halves of scratch. */
static void
apply_aliases(const struct tool_entry *tool, const struct mp_value *args, struct buf *scratch,
    struct mp_value *out)
{
	struct buf other = { .max = scratch->max };

	*out = *args;
	for (size_t i = 0; i < tool->naliases; i++) {
		struct buf swap = other;

		other = *scratch;
		*scratch = swap;
		buf_reset(scratch, SIZE_MAX);
		copy_renaming(scratch, &tool->aliases[i], 0, out);
		if (!mp_value(buf_view(scratch), out))
			out->class = MP_NIL;
	}
	buf_fini(&other);
}

bool
tools_check_args(const struct tool_entry *tool, const struct mp_value *args, struct buf *scratch,
    struct mp_value *out, struct schema_result *issues)
{
	*out = *args;
	if (tool->naliases > 0)
		apply_aliases(tool, args, scratch, out);
	else if (tool_is_team(tool)) {
		buf_reset(scratch, SIZE_MAX);
		team_arguments_copy(&tool->input, args, scratch);
		if (!mp_value(buf_view(scratch), out))
			out->class = MP_NIL;
	}
	return schema_check(&tool->input, out, issues);
}

void
tools_put_issues(const struct tool_entry *tool, const struct schema_result *issues,
    struct buf *details, struct buf *sentence)
{
	size_t n = issues->total < SCHEMA_ISSUES_MAX ? issues->total : SCHEMA_ISSUES_MAX;

	buf_printf(sentence, "The arguments do not fit %.*s:", SPAN_FMT(tool->shown));
	json_put_object(details, NULL);
	json_put_list(details, "issues");
	for (size_t i = 0; i < n; i++) {
		const struct schema_issue *issue = &issues->issues[i];

		json_put_object(details, NULL);
		json_put_cstr(details, "path", issue->path);
		json_put_cstr(details, "problem", issue->problem);
		json_put_cstr(details, "example", issue->example);
		json_end_object(details);
		buf_printf(sentence, "%s %s%s%s", i > 0 ? ";" : "", issue->path,
		    issue->path[0] != '\0' ? " " : "the arguments ", issue->problem);
		if (issue->example[0] != '\0')
			buf_printf(sentence, " (for example %s)", issue->example);
	}
	json_end_list(details);
	json_put_uint(details, "total", issues->total);
	json_end_object(details);
	if (issues->total > n)
		buf_printf(sentence, "; and %zu more", issues->total - n);
	buf_byte(sentence, '.');
}
