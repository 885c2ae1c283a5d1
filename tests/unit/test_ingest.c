// libs: carrel_test_support carrel_memory carrel_project carrel_ipc carrel_base
/* test_ingest.c - carrel-memory's ingest runs against a played front: what is kept, and what is never lost. */
#include <dirent.h>
#include <limits.h>
#include <string.h>

#include "base/utf8.h"
#include "tests/unit/definition_notes.h"
#include "tests/unit/memory_rig.h"
#include "workers/memory/read/layer_text.h"
#include "workers/memory/read/measure.h"
#include "workers/memory/ingest/page.h"
#include "workers/memory/ingest/shared_notes.h"
#include "workers/memory/read/propose.h"
#include "workers/memory/read/signals.h"

#define ORDERS	"semantic-layer/warehouse/orders.yaml"

static const char *refusal;	/* what the compiler says against a measure; NULL: nothing */
static const char *found;	/* what search finds, as the results of wiki_search */
static unsigned asked;		/* how often the compiler was asked */
static bool review;		/* memory.review: required */

static const char orders[] =
    "# kept by hand\n"
    "name: orders\n"
    "table: orders\n"
    "columns:\n"
    "  - {name: id, type: number}   # the key\n"
    "  - {name: net_ct, type: number}\n"
    "measures:\n"
    "  - name: n\n"
    "    expr: count(*)\n"
    "\n"
    "# at the end\n"
    "grain: [id]\n";

static const char revenue[] =
    "---\n"
    "summary: Revenue is net   # a remark\n"
    "sl_refs: [orders.n]\n"
    "---\n"
    "\n"
    "# Net revenue\n"
    "\n"
    "Net revenue equals gross minus refunds.\n";

static void
answer_sub(struct driver *d, void *arg, uint64_t id, const char *tool, const char *connection, const char *args)
{
	(void)arg;
	(void)connection;
	(void)args;
	if (strcmp(tool, "same_subject") == 0) {
		driver_sub_result(d, id, found);
		return;
	}
	assert_string_equal(tool, "sl_query");
	asked++;
	if (refusal != NULL)
		driver_sub_fail(d, id, ERR_INVALID_QUERY, refusal);
	else
		driver_sub_result(d, id, "{\"rows\":[]}");
}

static int
setup(void **state)
{
	(void)state;
	rig_make_project();
	make("semantic-layer/warehouse");
	put(ORDERS, orders);
	put("wiki/global/net-revenue.md", revenue);
	refusal = NULL;
	found = "{\"pages\":[]}";
	asked = 0;
	review = false;
	return 0;
}

static struct driver *
spawn(const char *faults)
{
	/* [{"id": "warehouse", "driver": "sqlite"}] */
	return rig_spawn((struct ipc_configure_memory){ .review = review, .same_subject = 600,
	    .connections = SPAN("\x91\x82\xa2id\xa9warehouse\xa6" "driver\xa6" "sqlite") },
	    &(struct peer_options){ .faults = faults });
}

static struct driver *
start(const char *faults)
{
	struct driver *d = spawn(faults);

	(void)driver_attach(d);
	driver_set_subcall(d, answer_sub, NULL);
	return d;
}

/* The text of a member "key":"text" of a flat answer. */
static const char *
member(const char *json, const char *key)
{
	static char value[128];
	char quoted[64];
	const char *p, *end;

	snprintf(quoted, sizeof(quoted), "\"%s\":\"", key);
	p = strstr(json, quoted);
	assert_non_null(p);
	p += strlen(quoted);
	end = strchr(p, '"');
	assert_non_null(end);
	snprintf(value, sizeof(value), "%.*s", (int)(end - p), p);
	return value;
}

static const char *
with_id(const char *id)
{
	static char args[160];

	snprintf(args, sizeof(args), "{\"runId\":\"%s\"}", id);
	return args;
}

static const char *
call(struct driver *d, const char *tool, const char *args)
{
	const struct driver_answer *a = driver_call(d, tool, "", args);

	if (a->kind != DRIVER_RESULT)
		fail_msg("%s: %s: %s\n%s", tool, a->code, a->message, driver_log(d));
	return a->result;
}

/* Wait for the run's end; its status. */
static const char *
await(struct driver *d, const char *id)
{
	char args[160];
	const char *status;

	snprintf(args, sizeof(args), "%s", with_id(id));
	for (unsigned i = 0; i < 5000; i++) {
		status = call(d, "memory_ingest_status", args);
		if (strstr(status, "\"status\":\"running\"") == NULL)
			return status;
		usleep(1000);
	}
	fail_msg("the run %s does not end", id);
	return NULL;
}

/* Ingest and wait; the status. */
static const char *
ingest(struct driver *d, const char *args)
{
	char id[128];

	snprintf(id, sizeof(id), "%s", member(call(d, "memory_ingest", args), "runId"));
	return await(d, id);
}

/* --- wiki ---------------------------------------------------------------------------------- */

#define GIFT	"{\"content\":\"# Gift cards\\n\\nGift cards expire after three years. Be careful.\"}"

static void
new_page_and_back(void **state)
{
	struct driver *d = start(NULL);
	const char *status = ingest(d, GIFT);
	char id[128];

	(void)state;
	assert_holds(status, "\"status\":\"done\"");
	assert_holds(status, "\"captured\":{\"wiki\":[\"gift-cards\"],\"sl\":[],\"xrefs\":[]}");
	assert_holds(status, "\"action\":\"created\"");
	assert_holds(status, "\"signalDetected\":true");
	assert_holds(slurp("wiki/global/gift-cards.md"),
	    "# Gift cards\n\nGift cards expire after three years. Be careful.\n");
	snprintf(id, sizeof(id), "%s", member(status, "runId"));
	assert_holds(slurp("wiki/global/gift-cards.md"), id);
	assert_holds(call(d, "memory_log", "{}"), id);
	assert_holds(call(d, "memory_show", with_id(id)), "\"signal\":\"gotcha\"");

	assert_holds(call(d, "memory_revert", with_id(id)), "\"reverted\":true");
	assert_null(slurp("wiki/global/gift-cards.md"));
	assert_int_equal(driver_call(d, "memory_revert", "", with_id(id))->kind, DRIVER_FAIL);
	stop(d);
}

/* Titles are read in lists and commits; what a note says below stays as it was said. */
static void
title_is_plain(void **state)
{
	struct driver *d = start(NULL);
	const char *status = ingest(d,
	    "{\"content\":\"# Gift\\u202e cards\\u009b31m\\n\\nGift cards\\u200b expire after three "
	    "years. Be careful.\"}");

	(void)state;
	assert_holds(status, "\"captured\":{\"wiki\":[\"gift-cards31m\"]");
	assert_holds(slurp("wiki/global/gift-cards31m.md"), "summary: Gift cards expire after three years\n");
	assert_holds(slurp("wiki/global/gift-cards31m.md"), "# Gift cards31m\n\nGift cards\xe2\x80\x8b expire");
	stop(d);
}

static void
same_content_is_the_same_run(void **state)
{
	struct driver *d = start(NULL);
	char first[128];

	(void)state;
	snprintf(first, sizeof(first), "%s", member(ingest(d, GIFT), "runId"));
	assert_string_equal(member(call(d, "memory_ingest", GIFT), "runId"), first);
	stop(d);
	d = start(NULL); /* and after a restart */
	assert_string_equal(member(call(d, "memory_ingest", GIFT), "runId"), first);
	stop(d);
}

static void
page_is_extended(void **state)
{
	struct driver *d = start(NULL);
	const char *status = ingest(d, "{\"content\":\"# Net revenue\\n\\nIt is in euros, without VAT.\"}");
	const char *page = slurp("wiki/global/net-revenue.md");

	(void)state;
	assert_holds(status, "\"action\":\"updated\"");
	assert_memory_equal(page, revenue, strlen(revenue));
	assert_holds(page + strlen(revenue), "It is in euros, without VAT.");

	status = ingest(d, "{\"content\":\"# Net revenue\\n\\nIt is in euros,\\nwithout VAT.\"}");
	assert_holds(status, "\"action\":\"skipped\"");
	assert_string_equal(slurp("wiki/global/net-revenue.md"), page);
	stop(d);
}

static void
search_finds_the_page(void **state)
{
	struct driver *d = start(NULL);

	(void)state;
	put("wiki/global/turnover.md", "# The gift card\n\nSold online.\n");
	found = "{\"pages\":[{\"key\":\"turnover\",\"near\":600}]}";
	assert_holds(ingest(d, GIFT), "\"path\":\"wiki/global/turnover.md\"");
	assert_null(slurp("wiki/global/gift-cards.md"));
	stop(d);
}

static void
contradiction_is_marked(void **state)
{
	struct driver *d = start(NULL);
	const char *status = ingest(d, "{\"content\":\"Net revenue means gross plus shipping.\"}");

	(void)state;
	assert_holds(status, "says otherwise");
	assert_holds(slurp("wiki/global/net-revenue.md"), "This contradicts");
	assert_holds(slurp("wiki/global/net-revenue.md"), "> Net revenue equals gross minus refunds.");
	assert_holds(slurp("wiki/global/net-revenue.md"), "Net revenue means gross plus shipping.");
	stop(d);
}

/* Every statement that is spoken against is marked, on every page, in every sentence. */
static void
every_contradiction_is_marked(void **state)
{
	struct driver *d = start(NULL);
	const char *status;

	(void)state;
	put("wiki/global/takings.md", "# Takings\n\nTurnover means all sales. Churn means leaving for good.\n");
	put("wiki/global/leaving.md", "# Leaving\n\nA customer is lost. Churn is defined as silence for a year.\n");
	found = "{\"pages\":[{\"key\":\"takings\",\"near\":100},{\"key\":\"leaving\",\"near\":100}]}";
	status = ingest(d, "{\"content\":\"# Terms\\n\\nTurnover means paid sales. Churn means cancelling.\"}");
	assert_holds(status, "\"path\":\"wiki/global/takings.md\"");
	assert_holds(status, "\"path\":\"wiki/global/leaving.md\"");
	/* The new page has all three, with what they say. */
	assert_holds(slurp("wiki/global/terms.md"),
	    "**This contradicts [[takings]]** and was not decided:\n\n> Turnover means all sales.");
	assert_holds(slurp("wiki/global/terms.md"), "> Churn means leaving for good.");
	assert_holds(slurp("wiki/global/terms.md"),
	    "**This contradicts [[leaving]]** and was not decided:\n\n> Churn is defined as silence for a year.");
	/* The others say what speaks against each of theirs. */
	assert_holds(slurp("wiki/global/takings.md"), "not decided: Turnover means paid sales.\n");
	assert_holds(slurp("wiki/global/takings.md"), "not decided: Churn means cancelling.\n");
	assert_holds(slurp("wiki/global/leaving.md"), "not decided: Churn means cancelling.\n");
	assert_null(strstr(slurp("wiki/global/leaving.md"), "Turnover"));
	stop(d);
}

/* What a page quotes, its own marks too, is no statement of it. */
static void
quotations_are_not_contradicted(void **state)
{
	struct driver *d = start(NULL);

	(void)state;
	put("wiki/global/churn.md", "# Churn\n\n> Churn means leaving for good.\n\nChurn means cancelling.\n");
	assert_null(strstr(ingest(d, "{\"content\":\"# Churn\\n\\nChurn means cancelling. Remember that.\"}"),
	    "otherwise"));
	stop(d);
}

static void
page_keeps_the_connection(void **state)
{
	static const char *const heads[][2] = {
		{ "connection: other\n", "connection: [other, warehouse]\n" },
		{ "connections: [other, third]\n", "connections: [other, third, warehouse]\n" },
		{ "connection: warehouse\n", "connection: warehouse\n" },
		{ "tags: [a]\n", "tags: [a]\n" },	/* about every connection, and stays so */
	};
	struct driver *d = start(NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		char page[256], args[256];

		snprintf(page, sizeof(page), "---\nsummary: s\n%s---\n\n# Gift cards\n\nThey expire.\n", heads[i][0]);
		put("wiki/global/gift-cards.md", page);
		snprintf(args, sizeof(args),
		    "{\"content\":\"# Gift cards\\n\\nRemember: fact %zu.\",\"connectionId\":\"warehouse\"}", i);
		assert_holds(ingest(d, args), "\"action\":\"updated\"");
		assert_holds(slurp("wiki/global/gift-cards.md"), heads[i][1]);
		assert_holds(slurp("wiki/global/gift-cards.md"), "), about the connection warehouse.*\n");
	}
	stop(d);
}

/* The nearness that search measures against the threshold of the configuration, 600 here. */
static void
threshold_decides_which_page(void **state)
{
	struct driver *d = start(NULL);

	(void)state;
	put("wiki/global/turnover.md", "# The gift card\n\nSold online.\n");
	found = "{\"pages\":[{\"key\":\"turnover\",\"near\":599}]}";
	assert_holds(ingest(d, GIFT), "\"path\":\"wiki/global/gift-cards.md\"");
	assert_string_equal(slurp("wiki/global/turnover.md"), "# The gift card\n\nSold online.\n");
	stop(d);
}

/* --- the semantic layer ----------------------------------------------------------------------- */

#define NET	"{\"content\":\"Net total is defined as `sum(orders.net_ct) / 100.0`.\",\"connectionId\":\"warehouse\"}"

static void
measure_is_added(void **state)
{
	struct driver *d = start(NULL);
	const char *status = ingest(d, NET), *file;
	char id[128];

	(void)state;
	assert_int_equal(asked, 1);
	assert_holds(status, "\"captured\":{\"wiki\":[\"net-total\"],\"sl\":[\"orders\"],\"xrefs\":[\"net-total\"]}");
	file = slurp(ORDERS);
	assert_memory_equal(file, orders, (size_t)(strstr(orders, "\n# at the end") - orders));
	assert_holds(file, "  - name: net_total\n    expr: sum(net_ct) / 100.0\n");
	assert_holds(file, "(wiki: net-total)");
	assert_holds(file, "\n# at the end\ngrain: [id]\n");
	assert_holds(slurp("wiki/global/net-total.md"), "sl_refs: [orders.net_total]\n");
	snprintf(id, sizeof(id), "%s", member(status, "runId"));
	(void)call(d, "memory_revert", with_id(id));
	assert_string_equal(slurp(ORDERS), orders);
	assert_null(slurp("wiki/global/net-total.md"));
	stop(d);
}

static void
refused_measure_goes_to_the_wiki(void **state)
{
	struct driver *d = start(NULL);

	(void)state;
	refusal = "orders has no column net_ct";
	assert_holds(ingest(d, NET), "not for the semantic layer: orders has no column net_ct");
	assert_string_equal(slurp(ORDERS), orders);
	assert_holds(slurp("wiki/global/net-total.md"), "sl_refs: []\n");
	stop(d);
}

static void
without_a_connection_it_is_wiki_only(void **state)
{
	struct driver *d = start(NULL);

	(void)state;
	assert_holds(ingest(d, "{\"content\":\"Net total is defined as `sum(orders.net_ct)`.\"}"),
	    "no connectionId was given");
	assert_int_equal(asked, 0);
	assert_string_equal(slurp(ORDERS), orders);
	stop(d);
}

#define OTHER_N	"{\"content\":\"n is defined as `sum(orders.id)`.\",\"connectionId\":\"warehouse\"}"

static void
other_measure_of_that_name_stays(void **state)
{
	struct driver *d = start(NULL);
	const char *status = ingest(d, OTHER_N);
	char id[128];

	(void)state;
	assert_holds(status,
	    "contradicts sum(id); it was not changed and takes its place with carrel memory approve mem-");
	snprintf(id, sizeof(id), "%s", member(status, "runId"));
	/* Both sides say so; the measure means what it meant. */
	assert_holds(slurp(ORDERS),
	    "  # contradicted on wiki page note-eb0c3431: sum(id)\n  - name: n\n    expr: count(*)\n");
	assert_int_equal(strlen(slurp(ORDERS)),
	    strlen(orders) + strlen("  # contradicted on wiki page note-eb0c3431: sum(id)\n"));
	/* Approved, the definition is the measure, on both sides. */
	assert_holds(call(d, "memory_approve", with_id(id)), "approved; it takes the place of count(*)");
	assert_holds(slurp(ORDERS), "  - name: n\n    expr: sum(id)\n    description:");
	assert_lacks(slurp(ORDERS), "contradicted");
	assert_holds(slurp("wiki/global/note-eb0c3431.md"),
	    "**This was approved** and took the place of:\n\n> The semantic layer defines `orders.n` as `count(*)`.");
	(void)call(d, "memory_revert", with_id(id));
	assert_string_equal(slurp(ORDERS), orders);
	stop(d);
}

/* The file in which the measure n has this filter. */
static const char *
with_filter(const char *filter)
{
	static const char expr[] = "    expr: count(*)\n";
	static char text[sizeof(orders) + 64];
	const char *rest = strstr(orders, expr) + strlen(expr);

	snprintf(text, sizeof(text), "%.*s    filter: %s\n%s", (int)(rest - orders), orders, filter, rest);
	return text;
}

/* An approval replaces the definition that the person was told of, and no other. */
static void
what_was_not_told_is_not_replaced(void **state)
{
	struct driver *d = start(NULL);
	char id[128], edited[2048];
	const char *status;

	(void)state;
	put(ORDERS, with_filter("net_ct > 0"));
	status = ingest(d, OTHER_N);
	assert_holds(status, "orders.n is defined there as count(*) where net_ct > 0, which contradicts sum(id);");
	assert_holds(slurp("wiki/global/note-eb0c3431.md"), "defines `orders.n` as `count(*) where net_ct > 0`.");
	snprintf(id, sizeof(id), "%s", member(status, "runId"));
	snprintf(edited, sizeof(edited), "%s", slurp(ORDERS));
	*strstr(strstr(edited, "filter: net_ct > 0"), "0") = '1';
	put(ORDERS, edited);
	assert_holds(call(d, "memory_approve", with_id(id)),
	    "orders.n is defined there as count(*) where net_ct > 1, which contradicts sum(id); it was not changed");
	assert_string_equal(slurp(ORDERS), edited);
	stop(d);
}

static void
a_filter_that_was_told_is_replaced(void **state)
{
	struct driver *d = start(NULL);
	char id[128];

	(void)state;
	put(ORDERS, with_filter("net_ct > 0"));
	snprintf(id, sizeof(id), "%s", member(ingest(d, OTHER_N), "runId"));
	assert_holds(call(d, "memory_approve", with_id(id)),
	    "approved; it takes the place of count(*) where net_ct > 0");
	assert_holds(slurp(ORDERS), "  - name: n\n    expr: sum(id)\n    description:");
	assert_lacks(slurp(ORDERS), "net_ct > 0");
	assert_holds(slurp("wiki/global/note-eb0c3431.md"),
	    "took the place of:\n\n> The semantic layer defines `orders.n` as `count(*) where net_ct > 0`.");
	stop(d);
}

/* A run has no room for every text of so large a file: what it has no room for is left out, not the file. */
static void
no_room_leaves_the_file(void **state)
{
	static const char remark[] = "# kept, whatever is decided of the measures above\n";
	struct driver *d = start(NULL);
	struct buf file = { 0 }, said = { 0 };
	const char *after;
	char id[128];

	(void)state;
	buf_str(&file, "name: orders\ntable: orders\ncolumns: [{name: id, type: number}]\nmeasures:\n");
	buf_str(&said, "{\"connectionId\":\"warehouse\",\"content\":\"");
	for (char name = 'a'; name <= 'l'; name++) {
		buf_printf(&file, "  - name: fee_%c\n    expr: count(*)\n", name);
		buf_printf(&said, "fee_%c is defined as `sum(orders.id)`.\\n\\n", name);
	}
	buf_str(&said, "\"}");
	buf_str(&file, "grain: [id]\n");
	while (file.len < 3500000)
		buf_str(&file, remark);
	put(ORDERS, buf_cstr(&file));
	snprintf(id, sizeof(id), "%s", member(ingest(d, buf_cstr(&said)), "runId"));
	assert_holds(call(d, "memory_approve", with_id(id)), "the file would be too large");
	after = slurp(ORDERS);
	assert_holds(after, "  - name: fee_a\n    expr: sum(id)\n");
	assert_holds(after, "  - name: fee_l\n    expr: count(*)\n");
	assert_true(strlen(after) > file.len);
	assert_string_equal(after + strlen(after) - strlen(remark), remark);
	buf_fini(&file);
	buf_fini(&said);
	stop(d);
}

/* The page says of every measure of the run what was decided. */
static void
every_replaced_measure_is_decided(void **state)
{
	struct driver *d = start(NULL);
	struct buf file = { 0 }, said = { 0 };
	const char *page;
	char id[128];

	(void)state;
	buf_str(&file, "name: orders\ntable: orders\ncolumns: [{name: id, type: number}]\nmeasures:\n");
	buf_str(&said, "{\"connectionId\":\"warehouse\",\"content\":\"# Fees\\n\\n");
	for (char name = 'a'; name <= 'l'; name++) {
		buf_printf(&file, "  - name: fee_%c\n    expr: count(*)\n", name);
		buf_printf(&said, "fee_%c is defined as `sum(orders.id)`.\\n\\n", name);
	}
	buf_str(&file, "grain: [id]\n");
	buf_str(&said, "\"}");
	put(ORDERS, buf_cstr(&file));
	snprintf(id, sizeof(id), "%s", member(ingest(d, buf_cstr(&said)), "runId"));
	assert_holds(slurp("wiki/global/fees.md"), "was not decided");
	assert_holds(call(d, "memory_approve", with_id(id)), "approved; it takes the place of count(*)");
	assert_lacks(slurp(ORDERS), "count(*)");
	page = slurp("wiki/global/fees.md");
	assert_lacks(page, "was not decided");
	assert_holds(page, "took the place of:\n\n> The semantic layer defines `orders.fee_l` as `count(*)`.");
	buf_fini(&file);
	buf_fini(&said);
	stop(d);
}

static const char *
with_content(const char *text)
{
	static char args[8192];
	struct buf b = { 0 };

	buf_str(&b, "{\"connectionId\":\"warehouse\",\"content\":\"");
	for (const char *p = text; *p != '\0'; p++)
		if (*p == '\n')
			buf_str(&b, "\\n");
		else {
			if (*p == '"' || *p == '\\')
				buf_byte(&b, '\\');
			buf_byte(&b, (uint8_t)*p);
		}
	buf_str(&b, "\"}");
	snprintf(args, sizeof(args), "%s", buf_cstr(&b));
	buf_fini(&b);
	return args;
}

/* Without memory.review, too, what contradicts a page is no measure before a person approves it. */
static void
contradicting_measure_waits(void **state)
{
	struct driver *d = start(NULL);
	const char *status = ingest(d,
	    "{\"content\":\"Net revenue is defined as `sum(orders.net_ct)`.\",\"connectionId\":\"warehouse\"}");
	char id[128];

	(void)state;
	assert_holds(status, "it contradicts what is known");
	assert_holds(status, "it waits for approval: carrel memory approve mem-");
	assert_string_equal(slurp(ORDERS), orders);
	assert_holds(slurp("wiki/global/net-revenue.md"), "This contradicts");
	snprintf(id, sizeof(id), "%s", member(status, "runId"));
	assert_holds(call(d, "memory_approve", with_id(id)), "\"review\":\"approved\"");
	assert_holds(slurp(ORDERS),
	    "  # contradicted on wiki page net-revenue\n  - name: net_revenue\n    expr: sum(net_ct)\n");
	(void)call(d, "memory_revert", with_id(id));
	assert_string_equal(slurp(ORDERS), orders);
	assert_string_equal(slurp("wiki/global/net-revenue.md"), revenue);
	stop(d);
}

/* A measure with the name of another one takes its questions: it waits, and its description declares no names. */
static void
rival_measure_waits(void **state)
{
	static const char named[] = "name: orders\ntable: orders\ngrain: [id]\ncolumns:\n  - {name: id, type: number}\n"
				    "  - {name: net_ct, type: number}\nmeasures:\n"
				    "  - {name: revenue, expr: sum(net_ct), synonyms: [turnover]}\n";
	struct driver *d = start(NULL);

	(void)state;
	put(ORDERS, named);
	assert_holds(ingest(d, with_content("Turnover is defined as `max(orders.net_ct)`.")),
	    "it contradicts orders.revenue, which is called so");
	assert_string_equal(slurp(ORDERS), named);
	assert_holds(ingest(d, with_content("Peak: `max(orders.net_ct)` (also called turnover).")),
	    "\"status\":\"done\"");
	assert_null(strstr(slurp(ORDERS) + strlen(named), "turnover"));
	stop(d);
}

#define TWO_MEASURES	"{\"content\":\"# Totals\\n\\n- Net total: `sum(orders.net_ct)`\\n- Highest net: `max(orders.net_ct)`\\n- VIP total: " \
    "`sum(orders.net_ct)` above 500 euros\",\"connectionId\":\"warehouse\"}"

/* What waits for approval is several measures: none is there before, all that can be are there after. */
static void
several_measures_are_approved(void **state)
{
	struct driver *d;
	const char *status;
	char id[128];

	(void)state;
	review = true;
	d = start(NULL);
	status = ingest(d, TWO_MEASURES);
	assert_holds(status, "measure net_total: sum(net_ct)");
	assert_holds(status, "measure highest_net: max(net_ct)");
	assert_holds(status, "above 500 euros");
	assert_int_equal(asked, 2);
	snprintf(id, sizeof(id), "%s", member(status, "runId"));
	assert_string_equal(slurp(ORDERS), orders);
	assert_holds(slurp("wiki/global/totals.md"), "status: proposed\n");
	assert_holds(slurp("wiki/global/totals.md"), "sl_refs: []\n");

	assert_holds(call(d, "memory_approve", with_id(id)), "\"review\":\"approved\"");
	assert_int_equal(asked, 4); /* tried once more */
	assert_holds(slurp(ORDERS), "  - name: net_total\n    expr: sum(net_ct)\n");
	assert_holds(slurp(ORDERS), "  - name: highest_net\n    expr: max(net_ct)\n");
	assert_null(strstr(slurp(ORDERS), "vip"));
	assert_holds(slurp("wiki/global/totals.md"), "status: approved\n");
	assert_holds(slurp("wiki/global/totals.md"), "sl_refs: [orders.net_total, orders.highest_net]\n");
	(void)call(d, "memory_revert", with_id(id));
	assert_string_equal(slurp(ORDERS), orders);
	assert_null(slurp("wiki/global/totals.md"));
	stop(d);
}

static const char flagged[] =
    "name: orders\n"
    "table: orders\n"
    "columns:\n"
    "  - {name: id, type: number}\n"
    "  - {name: a, type: number}\n"
    "  - {name: b, type: number}\n"
    "  - {name: price_ct, type: number}\n"
    "  - {name: amount_usd, type: number}\n"
    "  - {name: duration_min, type: number}\n"
    "  - {name: status, type: string}\n"
    "  - {name: country, type: string}\n"
    "  - {name: made_at, type: time}\n"
    "  - {name: is_test, type: boolean}\n"
    "  - {name: is_paid, type: boolean}\n"
    "  - {name: cancelled, type: boolean}\n"
    "  - {name: is_gift, type: boolean}\n"
    "  - {name: gift_flag, type: boolean}\n"
    "grain: [id]\n";

/* Every line of the note that is no heading or front matter stands on the page. */
static void
page_keeps(const char *page, const char *note)
{
	struct span rest = span_str(note), line;
	bool matter = strncmp(note, "---\n", 4) == 0;

	if (matter)
		rest = span_str(strstr(note + 4, "---\n") + 4);
	while (span_line(&rest, &line)) {
		line = span_trim(line);
		/* A heading may become the title, underlined or not. */
		if (line.len == 0 || line.p[0] == '#' || line.p[0] == '=' || line.p[0] == '-')
			continue;
		if (memmem(page, strlen(page), line.p, line.len) == NULL)
			fail_msg("%s\nis not on the page:\n%s", note, page);
	}
}

/* A definition becomes a measure that was tried, with all that limits it, or none; the page keeps its words either way. */
static void
notes_become_measures_or_stay_words(void **state)
{
	struct driver *d = start(NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(definition_notes) / sizeof(definition_notes[0]); i++) {
		const struct definition_note *n = &definition_notes[i];
		char path[160], want[256], *each, *rest = want;
		const char *status, *file;

		put(ORDERS, flagged);
		asked = 0;
		status = ingest(d, with_content(n->text));
		assert_holds(status, "\"status\":\"done\"");
		snprintf(path, sizeof(path), "%.150s", strstr(status, "wiki/global/"));
		*strchr(path, '"') = '\0';
		page_keeps(slurp(path), n->text);
		assert_int_equal(unlinkat(root, path, 0), 0);
		file = slurp(ORDERS);
		if (n->want[0] == '\0') {
			if (strcmp(file, flagged) != 0)
				fail_msg("%s\nbecame a measure:\n%s", n->text, file);
			continue;
		}
		assert_true(asked > 0);
		snprintf(want, sizeof(want), "%s", n->want);
		while ((each = strsep(&rest, ";")) != NULL) {
			char *where = strstr(each, " where ");

			if (where != NULL)
				*where = '\0';
			assert_holds(file, strstr(each, " = ") + 3);
			if (where != NULL)
				assert_holds(file, where + strlen(" where "));
		}
	}
	stop(d);
}

static void
unknown_connection_and_run(void **state)
{
	struct driver *d = start(NULL);
	const struct driver_answer *a =
	    driver_call(d, "memory_ingest", "", "{\"content\":\"x is y\",\"connectionId\":\"no\"}");

	(void)state;
	assert_string_equal(a->code, "connection_not_found");
	assert_int_equal(driver_call(d, "memory_ingest_status", "", "{\"runId\":\"../../etc/passwd\"}")->kind,
	    DRIVER_FAIL);
	stop(d);
}

static void
many_runs_none_lost(void **state)
{
	struct driver *d = start(NULL);
	uint64_t ids[60];
	char args[128], id[128];

	(void)state;
	for (unsigned i = 0; i < 60; i++) {
		snprintf(args, sizeof(args), "{\"content\":\"# Net revenue\\n\\nRemember: Fact number %u of many.\"}",
		    i);
		ids[i] = driver_start(d, "memory_ingest", "", args);
	}
	for (unsigned i = 0; i < 60; i++) {
		const struct driver_answer *a = driver_wait(d, ids[i]);

		assert_int_equal(a->kind, DRIVER_RESULT);
		snprintf(id, sizeof(id), "%s", member(a->result, "runId"));
		assert_holds(await(d, id), "\"status\":\"done\"");
	}
	for (unsigned i = 0; i < 60; i++) {
		snprintf(args, sizeof(args), "Fact number %u of many.\n", i);
		assert_holds(slurp("wiki/global/net-revenue.md"), args);
	}
	stop(d);
}

/* --- crashes ------------------------------------------------------------------------------------ */

#ifdef CARREL_FAULT_POINTS
static unsigned
leftovers(const char *path)
{
	int fd = openat(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fdopendir(fd);
	struct dirent *e;
	unsigned n = 0;

	while ((e = readdir(dir)) != NULL)
		n += strncmp(e->d_name, ATOMIC_PREFIX, strlen(ATOMIC_PREFIX)) == 0;
	closedir(dir);
	return n;
}

static void
crash(const char *faults, const char *args, char id[128])
{
	struct driver *d = start(faults);
	const struct driver_answer *a = driver_call(d, "memory_ingest", "", args);

	id[0] = '\0';
	if (a->kind == DRIVER_RESULT)
		snprintf(id, 128, "%s", member(a->result, "runId"));
	(void)driver_exit_code(d);
	driver_free(d);
}

static void
crash_anywhere_ends_whole(void **state)
{
	static const char *const points[] = { "memory.write=kill@3", "memory.sync=kill@4", "memory.planned=kill",
		"memory.before_exchange=kill", "memory.after_exchange=kill", "memory.between_files=kill",
		"memory.before_exchange=kill@2", "memory.applied=kill", "memory.recorded=kill",
		"memory.write=kill@4", "memory.sync=kill@5", "memory.sync=kill@6" };
	char id[128];

	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		struct driver *d;

		setup(state);
		crash(points[i], NET, id);
		assert_true(id[0] != '\0');
		d = start(NULL);
		assert_holds(await(d, id), "\"status\":\"done\"");
		stop(d);
		assert_int_equal(leftovers("wiki/global") + leftovers("semantic-layer/warehouse") +
			leftovers(".carrel/memory/queue") + leftovers(".carrel/memory/runs"),
		    0);
		assert_holds(slurp("wiki/global/net-total.md"), "# Net total\n");
		/* Killed before its answer the measure may be untried: then it is in the wiki alone. */
		if (strstr(slurp("wiki/global/net-total.md"), "sl_refs: [orders.net_total]") != NULL)
			assert_holds(slurp(ORDERS), "net_total");
		else
			assert_string_equal(slurp(ORDERS), orders);
		teardown(state);
	}
	setup(state);
}

/* A worker that dies while its run is read, searched for or tried: the next one asks again, and nothing is kept untried. */
static void
crash_before_the_plan_asks_again(void **state)
{
	static const char *const points[] = { "memory.triage=kill", "memory.propose=kill", "memory.searched=kill",
		"memory.consulted=kill" };
	char id[128];

	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		struct driver *d;

		teardown(state);
		setup(state);
		crash(points[i], NET, id);
		assert_true(id[0] != '\0');
		assert_string_equal(slurp(ORDERS), orders);
		assert_null(slurp("wiki/global/net-total.md"));
		d = start(NULL);
		assert_holds(await(d, id), "\"sl\":[\"orders\"]");
		assert_true(asked > 0);
		stop(d);
		assert_holds(slurp(ORDERS), "  - name: net_total\n    expr: sum(net_ct) / 100.0\n");
		assert_holds(slurp("wiki/global/net-total.md"), "sl_refs: [orders.net_total]\n");
		/* And what the compiler refuses the second time is not kept. */
		teardown(state);
		setup(state);
		crash(points[i], NET, id);
		refusal = "orders has no column net_ct";
		d = start(NULL);
		assert_holds(await(d, id), "not for the semantic layer: orders has no column net_ct");
		stop(d);
		assert_string_equal(slurp(ORDERS), orders);
	}
}

/* Keep NET with a worker that lives, then let one die in a later step on that run, and another go on. */
static const char *
step_and_crash(const char *tool, const char *faults, char id[128])
{
	struct driver *d = start(NULL);
	const struct driver_answer *a;

	snprintf(id, 128, "%s", member(call(d, "memory_ingest", NET), "runId"));
	assert_holds(await(d, id), "\"status\":\"done\"");
	stop(d);
	d = start(faults);
	a = driver_call(d, tool, "", with_id(id));
	if (a->kind == DRIVER_FAIL)
		fail_msg("%s under %s: %s", tool, faults, a->message);
	if (a->kind == DRIVER_RESULT)
		stop(d);
	else {
		(void)driver_exit_code(d);
		driver_free(d);
	}
	d = start(NULL);
	assert_holds(await(d, id), "\"status\":\"done\"");
	{
		static char shown[16384];

		snprintf(shown, sizeof(shown), "%s", call(d, "memory_show", with_id(id)));
		stop(d);
		assert_int_equal(leftovers("wiki/global") + leftovers("semantic-layer/warehouse") +
			leftovers(".carrel/memory/queue") + leftovers(".carrel/memory/runs"),
		    0);
		return shown;
	}
}

static const char *const later_points[] = { "memory.sync=kill", "memory.write=kill", "memory.planned=kill",
	"memory.before_exchange=kill", "memory.after_exchange=kill", "memory.after_take_away=kill", "memory.between_files=kill",
	"memory.between_files=kill@2", "memory.applied=kill", "memory.recorded=kill", "memory.before_reply=kill" };

/* Before its journal is written a way back has not begun; from then on it is gone to the end. */
static void
crash_on_the_way_back_ends_whole(void **state)
{
	for (size_t i = 0; i < sizeof(later_points) / sizeof(later_points[0]); i++) {
		const char *shown;
		char id[128];

		teardown(state);
		setup(state);
		shown = step_and_crash("memory_revert", later_points[i], id);
		if (strstr(shown, "\"reverted\":true") != NULL) {
			assert_null(slurp("wiki/global/net-total.md"));
			assert_string_equal(slurp(ORDERS), orders);
		} else {
			assert_true(i < 2);
			assert_holds(slurp("wiki/global/net-total.md"), "# Net total\n");
			assert_holds(slurp(ORDERS), "net_total");
		}
	}
}

static void
crash_in_an_approval_ends_whole(void **state)
{
	for (size_t i = 0; i < sizeof(later_points) / sizeof(later_points[0]); i++) {
		const char *shown;
		struct driver *d;
		char id[128];

		teardown(state);
		setup(state);
		review = true;
		shown = step_and_crash("memory_approve", later_points[i], id);
		if (strstr(shown, "\"review\":\"approved\"") != NULL) {
			assert_holds(slurp("wiki/global/net-total.md"), "\nstatus: approved\n");
			assert_holds(slurp(ORDERS), "net_total");
		} else {
			assert_true(i < 2);
			assert_holds(slurp("wiki/global/net-total.md"), "\nstatus: proposed\n");
			assert_string_equal(slurp(ORDERS), orders);
		}
		/* Whatever came of it, the way back is to the byte. */
		d = start(NULL);
		assert_holds(call(d, "memory_revert", with_id(id)), "\"reverted\":true");
		stop(d);
		assert_null(slurp("wiki/global/net-total.md"));
		assert_string_equal(slurp(ORDERS), orders);
	}
}

static void
edit_after_the_plan_is_kept(void **state)
{
	struct driver *d;
	char id[128];
	const char *status;

	(void)state;
	crash("memory.between_files=kill",
	    "{\"content\":\"# Net revenue\\n\\nNet revenue amount is defined as `sum(orders.net_ct)`.\","
	    "\"connectionId\":\"warehouse\"}",
	    id);
	put("wiki/global/net-revenue.md", "# Net revenue\n\nMine.\n");
	d = start(NULL);
	status = await(d, id);
	assert_holds(status, "\"status\":\"error\"");
	assert_holds(status, "wiki/global/net-revenue.md was changed by somebody else");
	assert_string_equal(slurp("wiki/global/net-revenue.md"), "# Net revenue\n\nMine.\n");
	assert_string_equal(slurp(ORDERS), orders);
	stop(d);
}

/* The worker dies after the file is written and before that is on record; then somebody edits it. */
static void
edit_after_the_write_is_kept(void **state)
{
	struct driver *d;
	char id[128], page[4096];

	(void)state;
	crash("memory.applied=kill", NET, id);
	assert_holds(slurp("wiki/global/net-total.md"), "# Net total\n");
	snprintf(page, sizeof(page), "%s\nMine.\n", slurp("wiki/global/net-total.md"));
	put("wiki/global/net-total.md", page);
	snprintf(page, sizeof(page), "# mine\n%s", slurp(ORDERS));
	put(ORDERS, page);
	d = start(NULL);
	assert_holds(await(d, id), "\"status\":\"done\"");
	assert_holds(slurp("wiki/global/net-total.md"), "# Net total\n");
	assert_holds(slurp("wiki/global/net-total.md"), "\nMine.\n");
	assert_holds(slurp(ORDERS), "# mine\n");
	assert_holds(slurp(ORDERS), "name: net_total\n");
	stop(d);
}

/* What lies there for another file, as when a run of several was cut off, is put back into none of the others. */
static void
leftovers_of_other_files_stay_away(void **state)
{
	struct driver *d;
	char id[128];

	(void)state;
	crash("memory.after_exchange=kill", "{\"content\":\"# Net revenue\\n\\nRemember: it is monthly.\"}", id);
	put("wiki/global/" ATOMIC_PREFIX "1-1-0123456789abcdef", "# Another\n");
	d = start(NULL);
	assert_holds(await(d, id), "\"status\":\"done\"");
	assert_holds(slurp("wiki/global/net-revenue.md"), "it is monthly");
	assert_int_equal(leftovers("wiki/global"), 0);
	stop(d);
}

/* An edit that came between the last look and the exchange lies under a temporary name when the worker dies. */
static void
edit_in_the_exchange_is_put_back(void **state)
{
	static const char mine[] = "# Net revenue\n\nMine alone.\n";
	struct driver *d;
	struct dirent *e;
	char id[128];
	DIR *dir;

	(void)state;
	crash("memory.after_exchange=kill", "{\"content\":\"# Net revenue\\n\\nRemember: it is monthly.\"}", id);
	assert_int_equal(leftovers("wiki/global"), 1);
	dir = fdopendir(openat(root, "wiki/global", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	while ((e = readdir(dir)) != NULL)
		if (strncmp(e->d_name, ATOMIC_PREFIX, strlen(ATOMIC_PREFIX)) == 0) {
			int fd = openat(dirfd(dir), e->d_name, O_WRONLY | O_TRUNC | O_CLOEXEC);

			assert_int_equal(write(fd, mine, sizeof(mine) - 1), sizeof(mine) - 1);
			close(fd);
		}
	closedir(dir);
	d = start(NULL);
	assert_holds(await(d, id), "wiki/global/net-revenue.md was changed by somebody else");
	assert_string_equal(slurp("wiki/global/net-revenue.md"), mine);
	assert_int_equal(leftovers("wiki/global"), 0);
	stop(d);
}

static void
a_run_that_kills_its_worker_ends(void **state)
{
	struct driver *d;
	char id[128], again[128];

	(void)state;
	crash("memory.planned=kill", GIFT, id);
	for (unsigned i = 0; i < 4; i++) {
		d = spawn("memory.planned=kill");
		(void)driver_exit_code(d);
		driver_free(d);
	}
	d = start(NULL);
	snprintf(again, sizeof(again), "%s", await(d, id));
	assert_holds(call(d, "memory_ingest_status", with_id(id)), "\"status\":\"error\"");
	assert_null(slurp("wiki/global/gift-cards.md"));
	stop(d);
}

static void
what_it_had_written_is_taken_back(void **state)
{
	struct driver *d;
	char id[128];

	(void)state;
	crash("memory.applied=kill", NET, id);
	assert_holds(slurp(ORDERS), "net_total");
	for (unsigned i = 0; i < 4; i++) {
		d = spawn("memory.applied=kill");
		(void)driver_exit_code(d);
		driver_free(d);
	}
	d = start(NULL);
	assert_holds(await(d, id), "it was taken back");
	assert_string_equal(slurp(ORDERS), orders);
	assert_null(slurp("wiki/global/net-total.md"));
	stop(d);
}
#endif

static void
revert_spares_later_edits(void **state)
{
	struct driver *d = start(NULL);
	char id[128];

	(void)state;
	snprintf(id, sizeof(id), "%s", member(ingest(d, GIFT), "runId"));
	put("wiki/global/gift-cards.md", "mine\n");
	assert_holds(driver_call(d, "memory_revert", "", with_id(id))->message, "was changed by somebody else");
	assert_string_equal(slurp("wiki/global/gift-cards.md"), "mine\n");
	stop(d);
}

/* --- the pieces ------------------------------------------------------------------------------------ */

static void
signals_of_many_texts(void **state)
{
	static const struct {
		const char *text, *name;
	} cases[] = {
		{ "select sum(x) from t", "sql_aggregate" },
		{ "SELECT a\nFROM b", "sql" },
		{ "margin = revenue - cost", "formula" },
		{ "ARR stands for annual revenue", "definition" },
		{ "Umsatz ist definiert als netto", "definition" },
		{ "Le CA signifie chiffre d'affaires", "definition" },
		{ "| a | b |\n| --- | --- |\n| 1 | 2 |", "definition_table" },
		{ "  dimension: id {", "lookml" },
		{ "select * from {{ ref('orders') }}", "dbt" },
		{ "metrics:\n  - name: x\n    sql: a\n", "dbt" },
		{ "models:\n- name: o\n  metrics:\n  - {name: x, agg: sum, expr: a}", "dbt" },
		{ "calculation_method: sum", "dbt" },
		{ "amounts are in cents", "units" },
		{ "the table is refreshed at night", "freshness" },
		{ "Do not join it to items", "gotcha" },
		{ "Vorsicht, doppelt", "gotcha" },
		{ "all times are UTC", "calendar" },
		{ "Please remember this", "request" },
	};
	struct arena *a = arena_new(32 << 20);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if ((signals_read(a, span_str(cases[i].text), NULL, NULL) & signal_called(span_str(cases[i].name))) ==
		    0)
			fail_msg("no signal %s in: %s", cases[i].name, cases[i].text);
	assert_int_equal(signals_read(a, SPAN("The summary of assumptions."), NULL, NULL), 0);
	arena_free(a);
}

/* One source, o, with a flag of each kind. */
static struct source_column columns[] = {
	{ .name = "id", .type = "number" }, { .name = "a", .type = "number" }, { .name = "b", .type = "number" },
	{ .name = "status", .type = "string" }, { .name = "is_test", .type = "boolean" }, { .name = "is_paid", .type = "boolean" },
	{ .name = "cancelled", .type = "boolean" }, { .name = "is_gift", .type = "boolean" }, { .name = "gift_flag", .type = "boolean" },
	{ .name = "made_at", .type = "time" }, { .name = "is_secret", .type = "boolean", .visibility = SOURCE_HIDDEN },
};
static const struct source source_of_orders = { .name = "orders", .ncolumns = sizeof(columns) / sizeof(columns[0]), .columns = columns };

static const struct source *
known_source(void *arg, struct span name)
{
	(void)arg;
	return span_is_str(name, "orders") || span_is_str(name, "o") ? &source_of_orders : NULL;
}

static const struct proposals *
proposed(struct arena *a, const char *text)
{
	struct proposals *out = arena_alloc(a, sizeof(*out));

	propose(a, &(struct propose_text){ .content = span_str(text), .title = SPAN("t") }, known_source, NULL, out);
	return out;
}

static void
measures_of_many_texts(void **state)
{
	static const struct {
		const char *text, *name, *expr, *filter;
	} cases[] = {
		{ "Net is defined as sum(o.a) - sum(o.b).", "net", "sum(a) - sum(b)", "" },
		{ "Paid orders = count(o.id) where o.status = 'paid'", "paid_orders", "count(id)", "status = 'paid'" },
		{ "select x, sum(a) as total from main.o where not test group by 1", "total", "sum(a)", "not test" },
		{ "select sum(z.a) as total from o as z", "total", "sum(a)", "" },
		{ "Quote equals sum(o.a) where o.status = 'it''s'", "quote", "sum(a)", "status = 'it''s'" },
		{ "- **Net**: `sum(o.a)`", "net", "sum(a)", "" },
		{ "Net is defined as:\n\n```\nsum(o.a)\n```", "net", "sum(a)", "" },
		/* Units are no conditions, nor is all of the source. */
		{ "Net is defined as `sum(o.a) / 100.0`, in euros.", "net", "sum(a) / 100.0", "" },
		{ "Net is defined as `sum(o.price_ct) / 100.0`, in euros.", "net", "sum(price_ct) / 100.0", "" },
		{ "Net is defined as `sum(o.price_ct)`, in euro cents.", "net", "sum(price_ct)", "" },
		{ "Average net per order = sum(o.a) / count(o.id)", "average_net_per_order", "sum(a) / count(id)", "" },
		{ "Definition: net = sum(o.a)", "net", "sum(a)", "" },
		{ "Key metrics:\nnet: sum(o.a)", "net", "sum(a)", "" },
		{ "# Net\n\nNet = sum(o.a). The finance team uses it.", "net", "sum(a)", "" },
		{ "Net (N) is defined as `sum(o.a)` (in EUR).", "net", "sum(a)", "" },
		{ "Net is defined as `sum(o.a) / sum(o.b)`, as a percentage", "net", "sum(a) / sum(b)", "" },
		{ "Wert wird berechnet als `sum(o.a) / 100.0`, Währung Euro.", "wert", "sum(a) / 100.0", "" },
		{ "Net is defined as `sum(orders.a)` for all orders.", "net", "sum(a)", "" },
		{ "Net is defined as `sum(o.a)`. It lags by a day.", "net", "sum(a)", "" },
		/* Conditions in SQL, in and out of code. */
		{ "Net is defined as `sum(o.a)` where `status = 'paid'`.", "net", "sum(a)", "status = 'paid'" },
		{ "Net is defined as `sum(o.a)` where status in ('paid', 'sent') and a >= 10, in euros.", "net",
		    "sum(a)", "status in ('paid', 'sent') and a >= 10" },
		{ "Net is defined as `sum(o.a) where a > 1` without test orders.", NULL, NULL, NULL },
		{ "Net is defined as `sum(orders.a) where a > 1 or b > 1` without test orders.", "net", "sum(a)",
		    "(a > 1 or b > 1) and is_test is not true" },
		{ "Net is defined as sum(orders.a) filter (where status = 'paid')", "net", "sum(a)",
		    "status = 'paid'" },
		/* Words for which there is exactly one flag. */
		{ "Net is defined as `sum(orders.a) / 100.0`, in euros, without test orders.", "net", "sum(a) / 100.0",
		    "is_test is not true" },
		{ "Net is defined as `sum(orders.a)` (excluding test orders).", "net", "sum(a)",
		    "is_test is not true" },
		{ "Net is defined as `sum(orders.a)` - test orders excluded.", "net", "sum(a)", "is_test is not true" },
		{ "Net is defined as `sum(orders.a)` for paid orders only.", "net", "sum(a)", "is_paid" },
		{ "Net is defined as `sum(orders.a)`\nwithout test and cancelled orders.", "net", "sum(a)",
		    "is_test is not true and cancelled is not true" },
		{ "For paid orders, net is defined as `sum(orders.a)`.", "net", "sum(a)", "is_paid" },
		{ "Net, excluding test orders, is defined as `sum(orders.a)`.", "net", "sum(a)",
		    "is_test is not true" },
		{ "Net for paid orders is defined as `sum(orders.a)`.", "net_for_paid_orders", "sum(a)", "is_paid" },
		{ "Net is defined as `sum(orders.a)`. Test orders do not count.", "net", "sum(a)",
		    "is_test is not true" },
		{ "Net is defined as `sum(orders.a)`. It excludes cancelled orders.", "net", "sum(a)",
		    "cancelled is not true" },
		{ "Net is defined as `sum(orders.a)`:\n- without test orders\n- only paid orders", "net", "sum(a)",
		    "is_test is not true and is_paid" },
		{ "Netto ist definiert als `sum(orders.a)` ohne Test.", "netto", "sum(a)", "is_test is not true" },
		{ "| name | formula | rows |\n| --- | --- | --- |\n| Net | `sum(orders.a)` | without test orders |",
		    "net", "sum(a)", "is_test is not true" },
	};
	static const char *const none[] = { "Revenue means money.", "select a from o", "plain" };
	static const char *const wrong[] = { "A equals sum(a)", "A equals sum(o.a) / sum(p.b)",
		"A equals sum(o.a) over (partition by o.b)", "A equals sum(o.a", "A equals sum(o.a); drop table x",
		"select sum(a) as t from o join p on o.x = p.x", "A equals sum(o.a) where o.b in (select 1)",
		"select sum(a) as t from o having sum(a) > 5", "select sum(a) as t from o union select sum(b) from o",
		"select sum(a) -- paid\n as t from o",
		/* What is said beside a formula and not understood. */
		"VIP is defined as `sum(orders.a)` but only for orders above 500 euros.",
		"Net is defined as `sum(orders.a)` for paid orders since 2024.",
		"Net is defined as `sum(orders.a)` since 2024.",
		"Net is defined as `sum(orders.a)` without gift orders.",
		"Net is defined as `sum(orders.a)` without secret orders.",
		"Net is defined as `sum(orders.a)` for paid and cancelled orders.",
		"Net is defined as `sum(orders.a)` where the order is paid.",
		"Net is defined as `sum(orders.a)` where status = paid.", "Net is defined as `sum(orders.a)` / 100.",
		"Net is defined as `sum(orders.a)` minus `sum(orders.b)`.",
		"Net is defined as 100 times `sum(orders.a)`.", "Net is defined as `sum(orders.a)` per customer.",
		"Net is defined as `sum(orders.a)`, rounded.",
		"Netto ist definiert als `sum(orders.a)` ohne Testbestellungen.",
		"Netto ist definiert als `sum(orders.a)`, nur bezahlte.",
		"Le net est défini comme `sum(orders.a)` hors taxes.",
		"El neto se define como `sum(orders.a)` sin pruebas.", "Net is defined as `sum(orders.a)` (EU only).",
		"Net without VAT is defined as `sum(orders.a)`.", "Since 2024, net is defined as `sum(orders.a)`.",
		"In our shop, net is defined as `sum(orders.a)`.",
		"Net is defined as `sum(orders.a)`. Orders below 5 euros are left out.",
		"Net is defined as `sum(orders.a)`. Only orders of 2024 count.",
		"Net is defined as `sum(orders.a)`.\n\nGutscheine zählen nicht.",
		"# Net (2024)\n\nNet is defined as `sum(orders.a)`.",
		"Net is defined as `sum(orders.a)`. This covers paid orders.",
		"Net is defined as `sum(orders.a)`; returns are out, where possible.",
		"Emergency visits are those with kind = emergency. Total emergency charge is defined as "
		"`sum(orders.a)`.",
		"Active customer means an order in the last 180 days.\n\nActive revenue is defined as `sum(orders.a)`.",
		/* Limits before the name, above it, beside its paragraph or its code. */
		"Ohne Stornos: Netto = sum(orders.a)", "In the EU: net = sum(orders.a)", "EU: net = sum(orders.a)",
		"EU - net = sum(orders.a)", "Only EU net = sum(orders.a)", "Net = sum(orders.a), EU",
		"Net (EU) = sum(orders.a)", "2024 net = sum(orders.a)",
		"All of these are for shipped parcels:\n- net: sum(orders.a)",
		"Numbers for Germany\n\n| Metric | Formula |\n|---|---|\n| Net | sum(orders.a) |",
		"# KPIs for Germany\n\nNet = sum(orders.a)",
		"Net = sum(orders.a). Mind the resellers: we take them out.",
		"Our team strips pickups. Net = sum(orders.a).", "Net = sum(orders.a)*\n\n* paid",
		"For shipped parcels:\n```sql\nselect sum(a) as net from orders\n```",
		"```sql\nselect sum(a) as net from orders\n```\nTake them per customer.",
		"```sql\n-- the paid ones\nselect sum(a) as net from orders\n```",
		/* What is no definition, and what its own formula cannot give. */
		"Should net = sum(orders.a)?", "Is it so: net = sum(orders.a)?", "TODO: whether net = sum(orders.a)",
		"Perhaps net = sum(orders.a)", "Average net per order = sum(orders.a)",
		"Net is defined as `sum(orders.a)`, in thousands of euros.",
		"Net is defined as `sum(o.price_ct)`, in euros.", "Use `sum(orders.a)` for revenue.",
		"| a | b | c |\n|---|---|---|\n| Net | `sum(orders.a)` | big ones |" };
	struct arena *a = arena_new(32 << 20);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct proposals *p = proposed(a, cases[i].text);

		if (cases[i].name == NULL)
			continue;
		if (p->n != 1 || p->v[0].kind != PROPOSAL_MEASURE || p->v[0].refused.len > 0)
			fail_msg("%s: %zu, %.*s", cases[i].text, p->n, SPAN_FMT(p->v[0].refused));
		if (!span_is_str(p->v[0].measure.name, cases[i].name) ||
		    !span_is_str(p->v[0].measure.expr, cases[i].expr) ||
		    !span_is_str(p->v[0].measure.filter, cases[i].filter))
			fail_msg("%s: %.*s = %.*s where %.*s", cases[i].text, SPAN_FMT(p->v[0].measure.name),
			    SPAN_FMT(p->v[0].measure.expr), SPAN_FMT(p->v[0].measure.filter));
		arena_reset(a);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		const struct proposals *p = proposed(a, none[i]);

		for (size_t k = 0; k < p->n; k++)
			assert_int_equal(p->v[k].kind, PROPOSAL_WORDS);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const struct proposals *p = proposed(a, wrong[i]);
		size_t formulas = 0;

		for (size_t k = 0; k < p->n; k++) {
			formulas += p->v[k].kind == PROPOSAL_MEASURE;
			if (p->v[k].kind == PROPOSAL_MEASURE && p->v[k].refused.len == 0)
				fail_msg("taken for a measure: %s: %.*s where %.*s", wrong[i],
				    SPAN_FMT(p->v[k].measure.expr), SPAN_FMT(p->v[k].measure.filter));
		}
		if (formulas == 0)
			fail_msg("no outcome for: %s", wrong[i]);
		arena_reset(a);
	}
	arena_free(a);
}

static void
every_formula_is_a_proposal(void **state)
{
	static const struct {
		const char *text, *names;
	} cases[] = {
		{ "Net is defined as `sum(o.a)`. Gross is defined as `sum(o.b)`.", "net gross " },
		{ "Net is defined as `sum(o.a)` and gross is defined as `sum(o.b)`, in euros.", "net gross " },
		{ "Net is defined as `sum(o.a)`; gross equals `sum(o.b)`.", "net gross " },
		/* A condition at the end may belong to both. */
		{ "Net is defined as `sum(orders.a)` and gross is defined as `sum(orders.b)`, without test orders.",
		    "! ! " },
		{ "Net is defined as `sum(orders.a)`. Gross is defined as `sum(orders.b)`. Test orders do not count.",
		    "! ! " },
		{ "Net is defined as `sum(orders.a)` without test orders. Gross is defined as `sum(orders.b)`.",
		    "net gross " },
		{ "- Net: `sum(o.a)`\n- Gross: `sum(o.b)`\n- VIP: `sum(o.a)` above 500 euros\n", "net gross ! " },
		{ "```sql\nselect sum(a) as x, count(*) as n from o\n```", "x n " },
		{ "Net means what is left. Gross is defined as `sum(o.b)`.", "- gross " },
		{ "view: o {\n measure: total { type: sum sql: ${TABLE}.a ;; }\n measure: n { type: count }\n"
		  " measure: paid { type: count filters: [status: \"paid\"] }\n measure: odd { type: running_total "
		  "sql: ${n} ;; }\n"
		  " dimension: half { type: number sql: ${TABLE}.a / 2 ;; }\n}",
		    "total n paid ! half " },
		/* Every view; what an explore filters is in none of them. */
		{ "view: o {\n measure: total { type: sum sql: ${TABLE}.a ;; }\n}\nview: p {\n measure: n { type: "
		  "count }\n}\nexplore: o { label: \"O\" }",
		    "total n " },
		{ "explore: o { conditionally_filter: { filters: [status: \"paid\"] } }\nview: o {\n measure: total { "
		  "type: sum sql: ${TABLE}.a ;; }\n}",
		    "! " },
		{ "view: o {\n sql_preamble: x ;;\n measure: total { type: sum sql: ${TABLE}.a ;; }\n}", "! " },
		{ "semantic_models:\n  - name: x\n    model: ref('o')\n    measures:\n      - {name: total, agg: sum, "
		  "expr: a}\n      - {name: off, agg: sum, expr: a, config: {enabled: false}}\n"
		  "metrics:\n  - {name: same, type: simple, type_params: {measure: total}}\n  - name: week\n    type: "
		  "cumulative\n    type_params: {measure: total, window: 7 days}\n"
		  "  - name: later\n    type: simple\n    type_params:\n      measure: {name: total, offset_window: 1 "
		  "month}\n",
		    "total ! same ! ! " },
		/* Before dbt 1.6, and in a model's own list. */
		{ "version: 2\nmetrics:\n  - name: total\n    model: ref('o')\n    calculation_method: sum\n    "
		  "expression: a\n    timestamp: made_at\n    time_grains: [day]\n"
		  "    filters:\n      - {field: status, operator: '=', value: \"'paid'\"}\n  - {name: n, model: "
		  "ref('o'), type: count, sql: '*'}\n"
		  "  - {name: late, model: ref('o'), calculation_method: sum, expression: a, window: {count: 7, "
		  "period: day}}\n"
		  "  - {name: mid, model: ref('o'), calculation_method: median, expression: a}\n"
		  "  - {name: rate, calculation_method: derived, expression: \"{{metric('total')}} / "
		  "{{metric('n')}}\"}\n",
		    "total n ! ! ! " },
		{ "models:\n  - name: o\n    metrics:\n      - {name: total, agg: sum, expr: a}\n      - name: odd\n   "
		  "     agg: sum\n        expr: a\n"
		  "        filters: [{field: status, operator: resembles, value: x}]\n"
		  "      - {name: wide, agg: sum, expr: a, filters: [{field: b, operator: '=', value: 1 or 1 = 1}]}\n",
		    "total ! ! " },
		{ "```yaml\nsemantic_models:\n  - name: x\n    model: ref('o')\n    measures:\n      - name: total\n   "
		  "     agg: sum\n        expr: a\n"
		  "      - name: med\n        agg: median\n    dimensions:\n      - {name: status, type: "
		  "categorical}\n```",
		    "total ! status " },
	};
	struct arena *a = arena_new(32 << 20);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct proposals *p = proposed(a, cases[i].text);
		struct buf names = { 0 };

		for (size_t k = 0; k < p->n; k++)
			if (p->v[k].kind == PROPOSAL_WORDS)
				buf_str(&names, "- ");
			else if (p->v[k].refused.len > 0)
				buf_str(&names, "! ");
			else
				buf_printf(&names, "%.*s ", SPAN_FMT(p->v[k].measure.name));
		if (strcmp(buf_cstr(&names), cases[i].names) != 0)
			fail_msg("%s: %s, not %s", cases[i].text, buf_cstr(&names), cases[i].names);
		buf_fini(&names);
		arena_reset(a);
	}
	arena_free(a);
}

/* Labels of LookML and dbt, also as JSON, of measures and of columns. */
static void
labels_of_other_models(void **state)
{
	static const struct {
		const char *text, *names; /* "name=label" of each proposal */
	} cases[] = {
		{ "view: o { measure: total { label: \"All of it\" type: sum sql: ${TABLE}.a ;; }\n"
		  "dimension: status { label: \"State\" } dimension: b { label: \"B\" sql: ${TABLE}.a + 1 ;; } }",
		    "total=All of it status=State b=B " },
		{ "semantic_models:\n  - name: x\n    model: ref('o')\n    measures:\n      - {name: total, label: "
		  "All, agg: "
		  "sum, expr: a}\n      - {name: n, agg: count, expr: a}\n    dimensions:\n      - {name: status, "
		  "label: "
		  "State, type: categorical}\nmetrics:\n  - {name: n, label: Number, type: simple, type_params: "
		  "{measure: n}}\n  - {name: same, label: Same, type: simple, type_params: {measure: total}}\n",
		    "total=All n=Number status=State same=Same " },
		{ "metrics:\n  - {name: total, label: All, model: ref('o'), calculation_method: sum, expression: a}\n",
		    "total=All " },
		{ "{\"metrics\": [{\"name\": \"total\", \"label\": \"All\", \"model\": \"ref('o')\", "
		  "\"calculation_method\": \"sum\", \"expression\":\"a\"}]}",
		    "total=All " },
		{ "```json\n{\"models\": [{\"name\": \"o\", \"columns\": [{\"name\": \"a\", \"description\": "
		  "\"d\"}]}]}\n```",
		    "a= " },
	};
	struct arena *a = arena_new(32 << 20);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct proposals *p = proposed(a, cases[i].text);
		struct buf names = { 0 };

		assert_int_not_equal(signals_read(a, span_str(cases[i].text), NULL, NULL), 0);
		for (size_t k = 0; k < p->n; k++)
			buf_printf(&names, "%.*s=%.*s ", SPAN_FMT(p->v[k].measure.name),
			    SPAN_FMT(p->v[k].measure.label));
		assert_string_equal(buf_cstr(&names), cases[i].names);
		buf_fini(&names);
		arena_reset(a);
	}
	arena_free(a);
}

static void
measures_in_files_of_many_shapes(void **state)
{
	static const struct {
		const char *before, *after;
	} cases[] = {
		{ "name: o\n", "name: o\nmeasures:\n  - name: t\n    expr: sum(a)\n" },
		{ "name: o", "name: o\nmeasures:\n  - name: t\n    expr: sum(a)\n" },
		{ "measures: []  # none\nname: o\n", NULL },
		{ "measures: []\nname: o\n", "measures:\n  - name: t\n    expr: sum(a)\nname: o\n" },
		{ "measures:\n- name: x\n  expr: sum(b)\n# c\nname: o\n",
		    "measures:\n- name: x\n  expr: sum(b)\n- name: t\n  expr: sum(a)\n# c\nname: o\n" },
		{ "name: o\r\nmeasures:\r\n    - name: x\r\n      expr: y\r\n",
		    "name: o\r\nmeasures:\r\n    - name: x\r\n      expr: y\r\n    - name: t\r\n      expr: "
		    "sum(a)\r\n" },
		{ "measures: [{name: x, expr: y}]\n", NULL },
		{ "{name: o, measures: []}\n", NULL },
		{ "", "name: o\nmeasures:\n  - name: t\n    expr: sum(a)\n" },
	};
	const struct measure m = { .source = SPAN("o"), .name = SPAN("t"), .expr = SPAN("sum(a)") };
	struct arena *a = arena_new(1 << 20);
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf out = { 0 };
		int r = measure_add(a, span_str(cases[i].before), &m, SPAN(""), &out, &err);

		assert_int_equal(r, cases[i].after == NULL ? -1 : 0);
		if (r == 0)
			assert_string_equal(buf_cstr(&out), cases[i].after);
		buf_fini(&out);
	}
	arena_free(a);
}

/* A description is put into an entry in whichever way it is written, or the file is left alone. */
static void
descriptions_in_files_of_many_shapes(void **state)
{
	static const struct {
		const char *list, *before, *after;
	} cases[] = {
		{ "measures", "measures:\n  - name: x\n    expr: y\nname: o\n",
		    "measures:\n  - name: x\n    expr: y\n    description: \"d: e\"\nname: o\n" },
		{ "measures", "measures:\n- name: x\n  description: >\n    long\n    text\n  expr: y\n",
		    "measures:\n- name: x\n  description: \"d: e\"\n  expr: y\n" },
		{ "measures", "measures:\n  - {name: w, expr: y}\n  - {name: x, expr: \"}\"} # c\n",
		    "measures:\n  - {name: w, expr: y}\n  - {name: x, expr: \"}\", description: \"d: e\"} # c\n" },
		{ "measures", "measures: [{name: x, expr: y}]\n",
		    "measures: [{name: x, expr: y, description: \"d: e\"}]\n" },
		{ "measures", "measures: [{name: w, expr: y}, {name: x, expr: y}]\n",
		    "measures: [{name: w, expr: y}, {name: x, expr: y, description: \"d: e\"}]\n" },
		{ "columns", "columns: [{name: w, descriptions: {db: z}}, {name: x}, {name: v}]\n",
		    "columns: [{name: w, descriptions: {db: z}}, {name: x, descriptions: {user: \"d: e\"}}, {name: "
		    "v}]\n" },
		{ "measures", "measures:\n  - {name: x, description: z}\n", NULL },
		{ "measures", "measures:\n  - {name: x,\n     expr: y}\n", NULL },
		{ "measures", "{measures: [{name: x}]}\n", NULL },
		{ "columns", "columns:\n  - {name: x, type: number}\n",
		    "columns:\n  - {name: x, type: number, descriptions: {user: \"d: e\"}}\n" },
		{ "columns", "columns:\r\n  - name: x\r\n    type: number\r\n",
		    "columns:\r\n  - name: x\r\n    type: number\r\n    descriptions:\r\n      user: \"d: e\"\r\n" },
		{ "columns", "columns:\n  - name: x\n    descriptions:\n      db: z\n",
		    "columns:\n  - name: x\n    descriptions:\n      user: \"d: e\"\n      db: z\n" },
		{ "columns", "columns:\n  - name: x\n    descriptions:\n      user: z\n      db: z\n",
		    "columns:\n  - name: x\n    descriptions:\n      user: \"d: e\"\n      db: z\n" },
		{ "columns", "columns:\n  - name: x\n    descriptions: {db: z}\n", NULL },
		{ "columns", "columns:\n  - name: w\n", NULL },
		{ "columns", "columns:\n  - name: x",
		    "columns:\n  - name: x\n    descriptions:\n      user: \"d: e\"\n" },
		{ "columns", "", NULL },
	};
	struct arena *a = arena_new(1 << 20);
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf out = { 0 };
		int r =
		    layer_describe(a, span_str(cases[i].before), cases[i].list, SPAN("x"), SPAN("d: e"), &out, &err);

		if (r != (cases[i].after == NULL ? -1 : 0) || (r == 0 && strcmp(buf_cstr(&out), cases[i].after) != 0))
			fail_msg("%d %s, not %s", r, buf_cstr(&out), cases[i].after);
		buf_fini(&out);
	}
	{
		struct buf out = { 0 };

		assert_int_equal(layer_describe(a, SPAN("columns:\n  - {name: x}\n"), "columns", SPAN("x"),
				     SPAN("one, [two]"), &out, &err),
		    0);
		assert_string_equal(buf_cstr(&out), "columns:\n  - {name: x, descriptions: {user: \"one, [two]\"}}\n");
		buf_fini(&out);
	}
	arena_free(a);
}

static void
titles_and_keys(void **state)
{
	static const struct {
		const char *text, *title, *key;
	} cases[] = {
		{ "# Net Revenue\n\nx is y", "Net Revenue", "net-revenue" },
		{ "Remember that churn means leaving.", "churn", "churn" },
		{ "The warehouse is loaded at night. Twice.", "warehouse", "warehouse" },
		{ "# Heads up\n\nTickets are in UTC.", "Tickets", "tickets" },
		{ "---\nsummary: s\n---\n# A b\nc", "A b", "a-b" },
		{ "# Ums\xc3\xa4tze (Stra\xc3\x9f"
		  "e)\n\nx",
		    "Ums\xc3\xa4tze (Stra\xc3\x9f"
		    "e)",
		    "umsaetze-strasse" },
		{ "# Cr\xc3\xa9"
		  "ances \xc5\x81\xc3\xb3"
		  "dz\n\nx",
		    "Cr\xc3\xa9"
		    "ances \xc5\x81\xc3\xb3"
		    "dz",
		    "creances-lodz" },
		{ "# Cre\xcc\x81"
		  "ances\n\nx",
		    "Cre\xcc\x81"
		    "ances",
		    "creances" },
		{ "# \xe5\xa3\xb2\xe4\xb8\x8a\n\nx", "\xe5\xa3\xb2\xe4\xb8\x8a", NULL },
	};
	struct arena *a = arena_new(1 << 20);
	struct note note;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(page_note_read(a, span_str(cases[i].text), 0, &note), 0);
		assert_true(span_is_str(note.title, cases[i].title));
		if (cases[i].key != NULL)
			assert_true(span_is_str(note.key, cases[i].key));
		else
			assert_memory_equal(note.key.p, "note-", 5);
	}
	assert_int_equal(page_note_read(a, SPAN(" \n "), 0, &note), -1);
	arena_free(a);
}

static void
measures_named_in_any_language(void **state)
{
	static const struct {
		const char *name, *measure;
	} cases[] = {
		{ "Net Revenue", "net_revenue" },
		{ "\xc3\x9c"
		  "bersch\xc3\xbcsse (brutto)",
		    "ueberschuesse_brutto" },
		{ "Ef\xef\xac\x81"
		  "cacit\xc3\xa9",
		    "efficacite" }, /* a ligature */
		{ "\xd0\x94\xd0\xbe\xd1\x85\xd0\xbe\xd0\xb4",
		    "\xd0\xb4\xd0\xbe\xd1\x85\xd0\xbe\xd0\xb4" }, /* Cyrillic, small */
		{ "\xe5\xa3\xb2\xe4\xb8\x8a 2", "\xe5\xa3\xb2\xe4\xb8\x8a_2" },
		{ "r\xd0\xb5"
		  "venue",
		    "" }, /* a Cyrillic letter among Latin ones */
		{ "a_\xd0\xb5", "a_\xd0\xb5" },
		{ "2024", "" },
		{ "\xff\xfe", "" },
		{ "\xe2\x82\xac", "" },
	};
	struct arena *a = arena_new(1 << 20);
	struct formula_scope scope;
	struct measure m;
	struct err err;
	char long_name[512];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		scope = (struct formula_scope){ .source = SPAN("orders") };
		assert_int_equal(measure_make(a, span_str(cases[i].name), SPAN("sum(orders.a)"), SPAN(""), &scope, &m,
				     &err),
		    cases[i].measure[0] == '\0' ? -1 : 0);
		if (!span_is_str(m.name, cases[i].measure))
			fail_msg("%s: %.*s", cases[i].name, SPAN_FMT(m.name));
	}
	for (size_t i = 0; i + 3 <= sizeof(long_name); i += 3)
		memcpy(long_name + i, "\xe5\xa3\xb2", 3);
	scope = (struct formula_scope){ .source = SPAN("orders") };
	assert_int_equal(measure_make(a, span_of(long_name, 510), SPAN("sum(orders.a)"), SPAN(""), &scope, &m, &err),
	    0);
	assert_true(m.name.len == 63 && utf8_valid(m.name.p, m.name.len));
	arena_free(a);
}

#define T(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)

/* A row of the store can be put back by who administers the database: a note is applied within a day or not at all. */
static void
notes_of_the_store_age(void **state)
{
	static const struct {
		uint64_t at_ms, now_ms;
		bool old;
	} cases[] = {
		{ 1000, 1000, false },
		{ 1000, 1000 + SHARED_NOTES_OLD_MS, false },
		{ 1000, 1001 + SHARED_NOTES_OLD_MS, true },
		{ 6000, 1000, false }, /* another node's clock is ahead */
		{ 1000 + SHARED_NOTES_OLD_MS, 1000, false },
		{ 1001 + SHARED_NOTES_OLD_MS, 1000, true },
		{ UINT64_MAX, 1000, true },
		{ 0, UINT64_MAX, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (shared_notes_are_old(cases[i].at_ms, cases[i].now_ms) != cases[i].old)
			fail_msg("case %zu", i);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signals_of_many_texts), cmocka_unit_test(measures_of_many_texts),
		cmocka_unit_test(measures_named_in_any_language),
		cmocka_unit_test(every_formula_is_a_proposal),
		cmocka_unit_test(labels_of_other_models),
		cmocka_unit_test(measures_in_files_of_many_shapes),
		cmocka_unit_test(descriptions_in_files_of_many_shapes), cmocka_unit_test(titles_and_keys),
		T(new_page_and_back), T(title_is_plain), T(same_content_is_the_same_run), T(page_is_extended), T(search_finds_the_page),
		T(contradiction_is_marked), T(every_contradiction_is_marked), T(quotations_are_not_contradicted),
		T(page_keeps_the_connection), T(threshold_decides_which_page), T(several_measures_are_approved),
		T(contradicting_measure_waits), T(rival_measure_waits),
		T(measure_is_added), T(refused_measure_goes_to_the_wiki),
		T(without_a_connection_it_is_wiki_only), T(other_measure_of_that_name_stays),
		T(what_was_not_told_is_not_replaced), T(a_filter_that_was_told_is_replaced), T(no_room_leaves_the_file),
		T(every_replaced_measure_is_decided), T(notes_of_the_store_age), T(notes_become_measures_or_stay_words),
		T(unknown_connection_and_run),
		T(many_runs_none_lost), T(revert_spares_later_edits),
#ifdef CARREL_FAULT_POINTS
		T(crash_anywhere_ends_whole), T(crash_before_the_plan_asks_again), T(crash_on_the_way_back_ends_whole),
		T(crash_in_an_approval_ends_whole), T(edit_after_the_plan_is_kept), T(edit_after_the_write_is_kept),
		T(edit_in_the_exchange_is_put_back), T(leftovers_of_other_files_stay_away), T(a_run_that_kills_its_worker_ends), T(what_it_had_written_is_taken_back),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
