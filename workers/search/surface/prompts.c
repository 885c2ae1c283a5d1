/* prompts.c - see prompts.h: analyze, explain_table and define_metric. */

#include "base/utf8.h"
#include "workers/search/library/resolve.h"
#include "workers/search/surface/prompts.h"
#include "workers/search/surface/resources.h"
#include "workers/search/answer/put.h"
#include "workers/shared/call.h"

#define NEAR_MAX	5u	/* existing measures that are mentioned */

static void
put_text_message(struct buf *out, struct buf *text)
{
	size_t map = mp_open_pairs(out, mp_maybe("role", SPAN("user")));

	mp_put_cstr(out, "content");
	mp_put_pairs(out, mp_maybe("type", SPAN("text")), mp_maybe("text", buf_view(text)));
	mp_end(out, map);
}

static void
put_resource_message(struct buf *out, struct span uri, const char *type, struct span text)
{
	size_t map = mp_open_pairs(out, mp_maybe("role", SPAN("user")));

	mp_put_cstr(out, "content");
	mp_put_map(out, 2);
	mp_pair_maybe(out, "type", SPAN("resource"));
	mp_put_cstr(out, "resource");
	resources_put_content(out, uri, type, text);
	mp_end(out, map);
}

/* Put a user's text as a quotation, separate from our own. */
static void
put_quoted(struct buf *text, struct span s)
{
	struct span line;

	while (span_line(&s, &line)) {
		buf_str(text, "> ");
		buf_span(text, line);
		buf_byte(text, '\n');
	}
}

/* The connection that an argument names, or the only one; otherwise *c is NULL. */
static int
find_connection(struct library *l, struct call *call, struct span id, struct connection **c, struct err *err)
{
	*c = l->nconnections == 1 ? &l->connections[0] : NULL;
	if (id.len == 0)
		return 0;
	if ((*c = library_connection(l, id)) == NULL)
		return library_no_connection(l, id, call_details(call), err);
	return 0;
}

static int
put_analyze(struct library *l, struct call *call, const struct prompt_given *given, struct buf *out,
    struct err *err)
{
	struct buf text = { 0 };
	struct connection *c;

	if (find_connection(l, call, given->v[1], &c, err) != 0)
		return -1;
	buf_str(&text, "Answer this question from the project's data:\n\n");
	put_quoted(&text, given->v[0]);
	buf_str(&text,
	    "\nGo about it in this order.\n\n"
	    "1. Call discover_data with the question's own nouns.\n"
	    "2. Open what it names, in one round of calls: pages with wiki_read, sources, measures and dimensions "
	    "with sl_read_source, tables and columns with entity_details. What a wiki page defines or excludes is "
	    "binding.\n"
	    "3. Look up names and statuses of the question with dictionary_search before filtering by them. It "
	    "knows a sample only: after a miss, look in the column itself.\n"
	    "4. Settle what one row is, the filters, the time window with its time zone, and the unit. Where two "
	    "readings give different numbers, ask, or take the likelier one and say so.\n"
	    "5. Use sl_query where a measure exists, since it agrees with everybody else's numbers; use "
	    "sql_execution for what it cannot express.\n"
	    "6. Check the result: its order of magnitude, whether parts add up to the whole, truncated, notes. "
	    "Confirm a surprising number in a second way.\n"
	    "7. Answer with the number, its window and unit, and the pages, measures and tables it rests on. Keep "
	    "with memory_ingest what the wiki did not know and the next question will need.\n");
	if (c != NULL)
		buf_printf(&text, "\nThe connection is \"%s\" (%s).\n", c->id, c->driver);
	else if (l->nconnections > 1)
		buf_str(&text,
		    "\nThere are several connections; connection_list names them. If the question does "
		    "not say which one is meant, ask.\n");
	put_text_message(out, &text);
	buf_fini(&text);
	return 1;
}

/* The only connection whose scan has the table. */
static struct connection *
guess_connection(struct library *l, struct call *call, struct span name)
{
	struct mp_value table = { .class = MP_STR, .s = name };
	struct connection *only = NULL;
	struct resolved found;

	for (size_t i = 0; i < l->nconnections; i++) {
		struct connection *c = &l->connections[i];

		if (c->scans.schema == NULL)
			continue;
		resolve_table(c->scans.schema, call_arena(call), &table, &found);
		if (found.n == 0)
			continue;
		if (only != NULL)
			return NULL;
		only = c;
	}
	return only;
}

static int
put_explain_table(struct library *l, struct call *call, const struct prompt_given *given, struct buf *out,
    struct err *err)
{
	struct buf text = { 0 }, uri = { 0 }, content = { 0 };
	const struct schema_table *t;
	struct connection *c;

	if (find_connection(l, call, given->v[1], &c, err) != 0)
		return -1;
	if (c == NULL && l->nconnections > 1)
		c = guess_connection(l, call, given->v[0]);
	if (c == NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "Not one connection but none, or several, has a table "
		    "%.*s; name the connection too.",
		    (int)utf8_cut(given->v[0].p, given->v[0].len, 120), (const char *)given->v[0].p);
	if ((t = resources_find_table(call, c, given->v[0], err)) == NULL)
		return -1;
	buf_str(&text, "Explain the table ");
	schema_display(c->scans.schema, t, &text);
	buf_printf(&text,
	    " of connection \"%s\" to somebody who is going to query it; its description from the latest "
	    "scan follows.\n\nSay what one row stands for, which columns identify it, which of them carry the meaning, "
	    "the time and the amounts (with their units), and which tables it joins to. Look for what else is known "
	    "first: discover_data for wiki pages and semantic-layer sources about it, then wiki_read and "
	    "sl_read_source. Look at a few rows with sql_execution where a name does not explain itself. Name the "
	    "traps: rows to leave out, duplicates, columns that are not what they seem. Say what you know from where, "
	    "and what is only a guess.\n",
	    c->id);
	resources_put_table(l, c, t, &uri, &content);
	put_text_message(out, &text);
	put_resource_message(out, buf_view(&uri), "application/json", buf_view(&content));
	buf_fini(&text);
	buf_fini(&uri);
	buf_fini(&content);
	return 2;
}

static void
put_near_measures(struct library *l, struct call *call, struct span metric, const struct connection *c,
    struct buf *text)
{
	struct answers a;
	size_t n = search_suggest(l, call_arena(call), metric, c, KIND_SL_MEASURE, NEAR_MAX, &a);

	for (size_t i = 0; i < n; i++)
		buf_printf(text, "%s%.*s", i == 0 ? "\nMeasures of similar names exist already: " : ", ",
		    SPAN_FMT(a.v[i].id));
	if (n > 0)
		buf_str(text, ". If one of them is it, use it and define nothing.\n");
}

static int
put_define_metric(struct library *l, struct call *call, const struct prompt_given *given, struct buf *out,
    struct err *err)
{
	struct buf text = { 0 };
	struct connection *c;

	if (find_connection(l, call, given->v[1], &c, err) != 0)
		return -1;
	buf_str(&text, "Define this metric, so that everybody gets the same number from it:\n\n");
	put_quoted(&text, given->v[0]);
	if (given->v[2].len > 0) {
		buf_str(&text, "\nIn words:\n\n");
		put_quoted(&text, given->v[2]);
	}
	put_near_measures(l, call, given->v[0], c, &text);
	buf_str(&text,
	    "\n1. Find out whether it exists: discover_data with its name and with other names people may use. "
	    "Read the wiki pages and sources it names.\n"
	    "2. Settle with the user what is counted or added up, of which rows (statuses, tests, duplicates, "
	    "refunds), at which time, in which unit, and what the name does not mean.\n"
	    "3. Write it as an aggregate over the columns of one source, such as sum(orders.amount). Check the "
	    "columns with sl_read_source and entity_details.\n"
	    "4. Try it: sl_query with {expr, name} as a measure, for a period whose number is known. Compare it "
	    "with a second way.\n"
	    "5. When the user agrees, keep it with memory_ingest: a heading with its name, full sentences, and "
	    "one of the form \"X is defined as sum(source.column)\"");
	if (c != NULL)
		buf_printf(&text, ", with connectionId \"%s\"", c->id);
	else
		buf_str(&text, ", with the connectionId it belongs to");
	buf_str(&text, ". Follow the run with memory_ingest_status and report which files changed.\n");
	put_text_message(out, &text);
	buf_fini(&text);
	return 1;
}

#define CONNECTION(about)	{ "connection", "Connection", about, false, VALUES_CONNECTIONS }

static const struct prompt prompts[] = {
	{
		.name = "analyze", .title = "Analyze a question",
		.description = "Answer a question about the data: find what is known, read it, query it, check it, and keep "
		    "what was learnt.",
		.arguments = {
			{ "question", "Question", "What is to be found out, in words.", true, VALUES_NONE },
			CONNECTION("Which database it is about; may be left out."),
		},
		.put = put_analyze,
	},
	{
		.name = "explain_table", .title = "Explain a table",
		.description = "Explain what a table or view holds and how to query it, from its scanned description, the "
		    "wiki and the semantic layer.",
		.arguments = {
			{ "table", "Table", "The table, as entity_details displays it.", true, VALUES_TABLES },
			CONNECTION("Whose table; may be left out when only one connection has it."),
		},
		.put = put_explain_table,
	},
	{
		.name = "define_metric", .title = "Define a metric",
		.description = "Turn the name of a metric into a definition that everybody shares: settled, tried out and "
		    "kept in the wiki and the semantic layer.",
		.arguments = {
			{ "metric", "Metric", "What it is called.", true, VALUES_NONE },
			CONNECTION("Which database it is measured in; may be left out."),
			{ "meaning", "Meaning", "What it means, as far as that is known; may be left out.", false, VALUES_NONE },
		},
		.put = put_define_metric,
	},
};

#define NPROMPTS	(sizeof(prompts) / sizeof(prompts[0]))

const struct prompt *
prompt_find(struct span name)
{
	for (size_t i = 0; i < NPROMPTS; i++)
		if (span_is_str(name, prompts[i].name))
			return &prompts[i];
	return NULL;
}

int
prompt_unknown(struct span name, struct err *err)
{
	struct buf known = { 0 };

	for (size_t i = 0; i < NPROMPTS; i++)
		buf_printf(&known, "%s%s", i > 0 ? ", " : "", prompts[i].name);
	err_set(err, ERR_INVALID_ARGUMENTS, "There is no prompt \"%.*s\"; there are %s.",
	    (int)utf8_cut(name.p, name.len, 100), (const char *)name.p, buf_cstr(&known));
	buf_fini(&known);
	return -1;
}

static void
put_prompt(struct buf *out, const struct prompt *p, bool basic)
{
	size_t n = 0;

	while (n < PROMPT_ARGUMENTS_MAX && p->arguments[n].name != NULL)
		n++;
	mp_put_map(out, basic ? 3 : 4);
	mp_pair_maybe(out, "name", span_str(p->name));
	if (!basic)
		mp_pair_maybe(out, "title", span_str(p->title));
	mp_pair_maybe(out, "description", span_str(p->description));
	mp_pair_array(out, "arguments", n);
	for (size_t i = 0; i < n; i++) {
		mp_put_map(out, basic ? 3 : 4);
		mp_pair_maybe(out, "name", span_str(p->arguments[i].name));
		if (!basic)
			mp_pair_maybe(out, "title", span_str(p->arguments[i].title));
		mp_pair_maybe(out, "description", span_str(p->arguments[i].description));
		mp_pair_bool(out, "required", p->arguments[i].required);
	}
}

int
surface_prompts_list(struct call *c, const struct mp_value *args, struct err *err)
{
	struct buf out = { 0 };

	mp_put_map(&out, 1);
	mp_pair_array(&out, "prompts", NPROMPTS);
	for (size_t i = 0; i < NPROMPTS; i++)
		put_prompt(&out, &prompts[i], mp_get_bool(args, "basic", false));
	return search_finish(c, &out, err);
}

static int
wrong_argument(const struct prompt *p, struct span name, struct err *err)
{
	struct buf known = { 0 };

	for (size_t i = 0; i < PROMPT_ARGUMENTS_MAX && p->arguments[i].name != NULL; i++)
		buf_printf(&known, "%s%s", i > 0 ? ", " : "", p->arguments[i].name);
	err_set(err, ERR_INVALID_ARGUMENTS, "The prompt %s has no argument \"%.*s\"; it takes %s.", p->name,
	    (int)utf8_cut(name.p, name.len, 100), (const char *)name.p, buf_cstr(&known));
	buf_fini(&known);
	return -1;
}

static int
take_arguments(const struct prompt *p, const struct mp_value *arguments, struct prompt_given *given, struct err *err)
{
	struct mp_iter it = mp_iter(arguments);
	struct mp_value v;
	struct span key;

	*given = (struct prompt_given){ 0 };
	while (mp_next_pair(&it, &key, &v)) {
		size_t i = 0;

		while (i < PROMPT_ARGUMENTS_MAX && p->arguments[i].name != NULL &&
		    !span_is_str(key, p->arguments[i].name))
			i++;
		if (i == PROMPT_ARGUMENTS_MAX || p->arguments[i].name == NULL || v.class != MP_STR)
			return wrong_argument(p, key, err);
		if (v.s.len > PROMPT_TEXT_MAX)
			return err_set(err, ERR_INVALID_ARGUMENTS, "The argument %s is longer than %u bytes.",
			    p->arguments[i].name, PROMPT_TEXT_MAX);
		given->v[i] = v.s;
	}
	for (size_t i = 0; i < PROMPT_ARGUMENTS_MAX && p->arguments[i].name != NULL; i++)
		if (p->arguments[i].required && given->v[i].len == 0)
			return err_set(err, ERR_INVALID_ARGUMENTS, "The prompt %s needs the argument \"%s\": %s",
			    p->name, p->arguments[i].name, p->arguments[i].description);
	return 0;
}

int
surface_prompt_get(struct call *c, const struct mp_value *args, struct err *err)
{
	struct span name = mp_get_str(args, "name", (struct span){ 0 });
	const struct prompt *p = prompt_find(name);
	struct buf out = { 0 };
	struct prompt_given given;
	struct mp_value arguments;
	size_t mark, map;
	int n;

	if (p == NULL)
		return prompt_unknown(name, err);
	mp_get(args, "arguments", &arguments);
	if (take_arguments(p, &arguments, &given, err) != 0)
		return -1;
	map = mp_open_pairs(&out, mp_maybe("description", span_str(p->description)));
	mark = mp_pair_open_array(&out, "messages");
	if ((n = p->put(call_state(c), c, &given, &out, err)) < 0) {
		buf_fini(&out);
		return -1;
	}
	mp_close(&out, mark, (size_t)n);
	mp_end(&out, map);
	return search_finish(c, &out, err);
}
