// libs: carrel_import
/* test_views.c - readers of LookML and Cube: what each text becomes, and what is refused and why. */
#include "tests/unit/harness.h"

#include <sys/mman.h>
#include <unistd.h>

#include "workers/import/knowledge/knowledge.h"
#include "workers/import/knowledge/looker_filters.h"
#include "workers/import/knowledge/lookml_text.h"

static struct buf out;

/* The model of one file; "ERROR: " and the message if there is none. */
static const char *
read_kind(const char *kind, const char *text)
{
	int fd = memfd_create("knowledge", MFD_CLOEXEC);
	struct err err = { .code = ERR_NONE };
	struct buf pack = { 0 };

	buf_printf(&pack, "%zu a.%s\n%s", strlen(text), strcmp(kind, "lookml") == 0 ? "lkml" : "yml", text);
	assert_int_equal(write(fd, pack.p, pack.len), (ssize_t)pack.len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	buf_reset(&out, SIZE_MAX);
	out.max = 0;
	if (knowledge_read(&(struct knowledge_job){ .pack = fd, .manifest = -1, .kind = span_str(kind),
	        .text = SQLTEXT_BACKTICKS }, &out, &err) != 0) {
		buf_reset(&out, SIZE_MAX);
		buf_printf(&out, "ERROR: %s", err.message);
	}
	close(fd);
	buf_fini(&pack);
	return buf_cstr(&out);
}

/* The views that each of these texts is a part of: a table with a time, a table that it leads to, and an explore. */
#define VIEWS											\
	"view: o {\n  sql_table_name: shop.orders ;;\n"						\
	"  dimension: id { primary_key: yes type: number }\n"					\
	"  dimension: u { type: number sql: ${TABLE}.user_id ;; }\n"				\
	"  dimension: st { label: \"State\" }\n"						\
	"  dimension: big { type: yesno sql: ${x} > 5 ;; }\n"					\
	"  dimension: x { type: number sql: ${TABLE}.\"the x\" ;; }\n"				\
	"  dimension_group: at { type: time timeframes: [raw, date] sql: ${TABLE}.at_ts ;; }\n"	\
	"  measure: n { type: count }\n"							\
	"  %s\n}\n"										\
	"view: p { dimension: id { primary_key: yes } dimension: c {} measure: n { type: count } }\n"	\
	"explore: o { join: p { sql_on: ${o.u} = ${p.id} ;; } %s }\n"

static const struct {
	const char	*what, *field, *explore, *holds;
} lookml[] = {
	{ "a table, its schema and "
	    "key", "", "", "\"name\":\"o\",\"schema\":\"shop\",\"table\":\"orders\",\"from\":\"a.lkml\","
	    "\"key\":\"id\"" },
	{ "a column by its name", "", "", "{\"as\":\"dimension\",\"name\":\"st\",\"label\":\"State\"}" },
	{ "a column by another one", "", "", "{\"as\":\"dimension\",\"name\":\"u\",\"expr\":\"user_id\"}" },
	{ "a name in quotes", "", "", "\"name\":\"x\",\"expr\":\"\\\"the x\\\"\"" },
	{ "a field of fields", "", "", "\"name\":\"big\",\"expr\":\"\\\"the x\\\" > 5\"" },
	{ "a time", "", "", "{\"as\":\"dimension group\",\"name\":\"at\",\"expr\":\"at_ts\",\"type\":\"time\"}" },
	{ "a join", "", "", "{\"as\":\"join\",\"name\":\"o.p\",\"to\":\"p\",\"on\":\"user_id = id\"}" },
	{ "a count", "", "", "{\"as\":\"measure\",\"name\":\"n\",\"expr\":\"count(*)\"}" },
	{ "a sum is 0 of nothing", "measure: m { type: sum sql: ${x} / 100 ;; }", "",
	    "\"expr\":\"coalesce(sum(\\\"the x\\\" / 100), 0)\",\"adds\":true" },
	{ "an average", "measure: m { type: average sql: ${x};; }", "", "\"expr\":\"avg(\\\"the x\\\")\"" },
	{ "the other view's field", "measure: m { type: max sql: ${p.c} ;; }", "", "\"expr\":\"max({{p.c}})\"" },
	{ "the other table's name", "measure: m { type: max sql: p.c2 ;; }", "", "\"expr\":\"max({{p.c2}})\"" },
	{ "its own", "measure: m { type: max sql: o.c2 ;; }", "", "\"expr\":\"max(c2)\"" },
	{ "a ratio", "measure: m { type: number sql: 1.0 * ${n} / ${n} ;; }", "",
	    "\"expr\":\"1.0 * {{o:n}} / {{o:n}}\"" },
	{ "of two tables", "measure: m { type: number sql: ${n} / ${p.n} ;; }", "",
	    "it is made of measures of several tables" },
	{ "a sum of a measure", "measure: m { type: sum sql: ${n} ;; }", "", "it aggregates a measure" },
	{ "a plain time", "measure: m { type: string sql: max(${at_raw}) ;; }", "", "\"expr\":\"max(at_ts)\"" },
	{ "a time's day", "measure: m { type: count_distinct sql: ${at_date} ;; }", "",
	    "\"expr\":\"count(distinct {{o.at@date}})\"" },
	{ "its month, in a field of fields", "dimension: ym { sql: ${at_month} || ${st} ;; }", "",
	    "\"name\":\"ym\",\"expr\":\"{{o.at@month}} || st\"" },
	{ "another table's year", "measure: m { type: max sql: ${p.born_year} ;; }", 
	    "} view: +p { dimension_group: born { type: time } ", "\"expr\":\"max({{p.born@year}})\"" },
	{ "its time", "dimension: late { type: yesno sql: ${at_time} IS NOT NULL ;; }", "",
	    "\"name\":\"late\",\"expr\":\"at_ts IS NOT NULL\"" },
	{ "a number of no aggregate", "measure: m { type: number sql: ${x} / 2 ;; }", "", "its SQL aggregates nothing" },
	{ "a type that is not known", "measure: m { type: mean sql: ${x} ;; }", "", "its type \\\"mean\\\" is not known" },
	{ "a day that is a field of its own", "dimension: at_date { sql: ${TABLE}.d ;; } measure: m { type: max sql: "
	    "${at_date} ;; }", "",
	    "\"expr\":\"max(d)\"" },
	{ "a time that is cut off otherwise", "measure: m { type: string sql: max(${at_hour_of_day}) ;; }", "",
	    "it uses at_hour_of_day, and no expression here cuts a time off that way" },
	{ "a day is no column to join", "", "} explore: q { from: o join: p { sql_on: ${q.at_date} = ${p.id} ;; } ",
	    "it uses at_date, and no expression here cuts" },
	{ "a comment", "measure: m { type: max sql: ${x} -- cents\n + 1 ;; }", "",
	    "\"expr\":\"max(\\\"the x\\\"  \\n + 1)\"" },
	{ "a field of the name of its column",
	    "dimension: c { type: number sql: coalesce(${TABLE}.C, 0) ;; } measure: m { type: sum sql: ${c} * 2 ;; "
	        "}", "",
	    "\"expr\":\"coalesce(sum((coalesce(C, 0)) * 2), 0)\"" },
	{ "and its column by itself", "dimension: c { sql: f(${d}) + ${TABLE}.c ;; } dimension: d { sql: f(${c}) + d "
	    ";; }", "",
	    "which is made of too many others" },
	{ "is no column to join", "dimension: c { sql: lower(${TABLE}.c) ;; }",
	    "} explore: q { from: o join: p { sql_on: ${q.c} = ${p.id} ;; } ",
	        "its condition is more than equal columns" },
	{ "Liquid", "measure: m { type: max sql: {% if a %}1{% endif %} ;; }", "",
	    "it has a template, which is not run" },
	{ "Liquid that is constant", "measure: m { type: max sql: {% comment %}${gone}{% endcomment %}{{ '${x}' }} "
	    ";; }", "",
	    "\"expr\":\"max(\\\"the x\\\")\"" },
	{ "a constant that is not there", "measure: m { type: max sql: @{c} ;; }", "",
	    "it has a constant that no file" },
	{ "a reference within a text", "measure: m { type: max sql: '${x}' ;; }", "",
	    "it has a reference within a text" },
	{ "all of a row", "measure: m { type: max sql: f(${TABLE}) ;; }", "", "it uses the rows of o as a whole" },
	{ "no such field", "measure: m { type: max sql: ${gone} ;; }", "", "it names gone of o, which was not read" },
	{ "no such view", "measure: m { type: max sql: ${gone.x} ;; }", "",
	    "it names gone, which is no view that was read" },
	{ "a field that is skipped", "dimension: t { type: tier tiers: [1, 2] } measure: m { type: max sql: ${t} ;; "
	    "}", "",
	    "it needs t of o, which was skipped" },
	{ "a key that is not known", "measure: m { type: sum sql: ${x} ;; trim: 0.1 }", "",
	    "it says \\\"trim\\\", which is" },
	{ "an access grant", "measure: m { type: sum sql: ${x} ;; required_access_grants: [a] }", "",
	    "who may see it is limited" },
	{ "keys of others", "measure: m { type: sum_distinct sql: ${x} ;; sql_distinct_key: ${u} ;; }", "",
	    "it counts each key of another table once" },
	{ "a running total", "measure: m { type: running_total sql: ${n} ;; }", "", "it adds up rows of a result" },
	{ "a name twice", "measure: id { type: count }", "", "another member has its name" },
	{ "cases", "dimension: k { case: { when: { sql: ${x} > 1 ;; label: \"it's\" } else: \"no\" } }", "",
	    "\"expr\":\"case when \\\"the x\\\" > 1 then 'it''s' else 'no' end\"" },
	{ "filters", "measure: m { type: count filters: [st: \"a,b\", big: \"no\", at_date: \"after 2024-02-01\"] "
	    "}", "",
	    "\"filter\":\"(st = 'a' or st = 'b') and (({{o.big}} is null or not ({{o.big}}))) and (at_ts >= "
	        "'2024-02-01')\"" },
	{ "filters as they were", "measure: m { type: count filters: { field: p.c value: \"-a\" } }", "",
	    "\"filter\":\"(({{p.c}} is null or not ({{p.c}} = 'a')))\"" },
	{ "a filter by today", "measure: m { type: count filters: [at_date: \"7 days\"] }", "",
	    "its filter by at_date, \\\"7 days\\\", is relative to today" },
	{ "a filter by a month", "measure: m { type: count filters: [at_month: \"2024-03\"] }", "",
	    "\"filter\":\"(at_ts >= '2024-03-01' and at_ts < '2024-04-01')\"" },
	{ "a filter by a part of it", "measure: m { type: count filters: [at_month: \"2024-03-09\"] }", "",
	    "names a part of the period" },
	{ "a filter by a week", "measure: m { type: count filters: [at_week: \"2024\"] }", "",
	    "it filters by at_week, which is no" },
	{ "filters of no aggregate", "measure: m { type: number sql: ${n} ;; filters: [st: \"a\"] }", "",
	    "it has filters, which act on no aggregate" },
	{ "an explore that limits its rows", "", "sql_always_where: ${st} <> 'x' AND ${p.c} = 1 ;;",
	    "\"expr\":\"count(*)\",\"filter\":\"(st <> 'x' AND {{p.c}} = 1)\"" },
	{ "is a segment", "", "sql_always_where: ${st} <> 'x' ;;",
	    "\"segments\":[{\"as\":\"explore\",\"name\":\"o\",\"expr\":\"(st <> 'x')\"}]" },
	{ "and limits what it joins", "", "sql_always_where: ${st} <> 'x' ;;",
	    "\"name\":\"p.n\",\"from\":\"a.lkml\",\"reason\":\"the explore o, which limits its rows, is the only way "
	        "to it\"" },
	{ "unless another does not", "", "sql_always_where: ${st} <> 'x' ;; } explore: all { from: o ",
	    "{\"as\":\"measure\",\"name\":\"n\",\"expr\":\"count(*)\"}" },
	{ "a filter at first", "", "always_filter: { filters: [o.st: \"x\"] }", "\"expr\":\"(st = 'x')\"" },
	{ "rows by who asks", "", "access_filter: { field: o.st user_attribute: s }",
	    "\"reason\":\"the explore o limits its rows in a way that cannot be said: shows each user rows of their "
	        "own\"" },
	{ "a role", "", "} explore: q { from: o join: r { from: p sql_on: ${q.x} = ${r.id} ;; } ",
	    "\"on\":\"user_id = id\"}" },
	{ "that is another way", "", "} explore: q { from: o join: r { from: p sql_on: ${q.st} = ${r.id} ;; } ",
	    "\"to\":\"p\",\"on\":\"st = id\",\"alias\":\"r\"}" },
	{ "and names no rows by itself", "", "} explore: q { from: o join: r { from: p sql_on: ${q.st} = ${r.id} ;; } "
	    "sql_always_where: ${r.c} = 1 ;; ", "it names r, one of several roles of p" },
	{ "many rows of it", "", "} explore: p { join: o { relationship: one_to_many sql_on: ${o.u} = ${p.id} ;; } ",
	    "{\"as\":\"join\"}" },
	{ "many of both", "", "} explore: q { from: o join: p { relationship: many_to_many sql_on: ${q.u} = ${p.id} "
	    ";; } ",
	    "rows of both sides meet several" },
	{ "the opposite", "", "} explore: p { join: o { sql_on: ${o.u} = ${p.id} ;; } ",
	    "it says that one row of o meets, and does not compare all of its key" },
	{ "a condition of another form", "", "} explore: q { from: o join: p { sql_on: ${q.u} = ${p.id} AND ${p.c} > "
	    "1 ;; } ",
	    "its condition is more than equal columns" },
	{ "a foreign key", "", "} explore: q { from: o join: p { foreign_key: u } ", "{\"as\":\"join\"}" },
	{ "all rows with all", "", "} explore: q { from: o join: p { type: cross } ", "it joins all rows with all" },
	{ "rows of others", "", "} explore: q { from: o join: p { sql_on: ${q.u} = ${p.id} ;; sql_where: ${p.c} = 1 "
	    ";; } ",
	    "its sql_where limits the rows of others" },
	{ "what it extends", "", "} view: e { extends: [o] dimension: st { label: \"S\" } ",
	    "\"name\":\"e\",\"schema\":\"shop\",\"table\":\"orders\"" },
	{ "with its own words", "", "} view: e { extends: [o] dimension: st { label: \"S\" } ",
	    "{\"as\":\"dimension\",\"name\":\"st\",\"label\":\"S\"}" },
	{ "a refinement", "", "} view: +o { measure: n { label: \"N\" } ",
	    "\"name\":\"n\",\"expr\":\"count(*)\",\"label\":\"N\"" },
	{ "of nothing", "", "} view: +gone { ", "what it refines was not read" },
	{ "filters of both", "measure: f { type: count filters: [st: \"a\"] }",
	    "} view: +o { measure: f { filters: [st: \"b\"] } ", "it says \\\"filters of what it extends\\\"" },
	{ "a circle", "", "} view: e { extends: [f] } view: f { extends: [e] ", "it extends itself" },
	{ "what is not there", "", "} view: e { extends: [gone] ", "it extends gone, which was not read" },
	{ "a query", "", "} view: e { derived_table: { sql: select a, b from b; ;; persist_for: \"1 hour\" } "
	    "dimension: a { primary_key: yes } ",
	    "\"name\":\"e\",\"from\":\"a.lkml\",\"sql\":\"select a, b from b\",\"key\":\"a\"" },
	{ "and its fields", "", "} view: e { derived_table: { sql: select a from b ;; } measure: m { type: sum sql: "
	    "${TABLE}.a ;; } ", "\"expr\":\"coalesce(sum(a), 0)\"" },
	{ "a query that is no SELECT", "", "} view: e { derived_table: { sql: DELETE FROM b RETURNING a ;; } ",
	    "\"sql\":\"DELETE FROM b RETURNING a\"" },
	{ "a query of a view's table", "", "} view: e { derived_table: { sql: select o.x from ${o.SQL_TABLE_NAME} o -- "
	    "all\n where o.x = 1 ;; } ", "\"sql\":\"select o.x from {{o.*}} o  \\n where o.x = 1\"" },
	{ "a query of a query", "", "} view: f { derived_table: { sql: select a from ${e.SQL_TABLE_NAME} e ;; } } "
	    "view: e { derived_table: { sql: select a from b ;; } ", "\"sql\":\"select a from (select a from b) e\"" },
	{ "a query of itself", "", "} view: e { derived_table: { sql: select a from ${e.SQL_TABLE_NAME} ;; } ",
	    "it needs e: its query is made of itself" },
	{ "a query of a view that is not there", "", "} view: e { derived_table: { sql: select a from "
	    "${gone.SQL_TABLE_NAME} ;; } ", "it names gone, which is no view that was read" },
	{ "a query with a field", "", "} view: e { derived_table: { sql: select ${o.x} from o ;; } ",
	    "its query uses o.x, which is no table" },
	{ "a query with Liquid", "", "} view: e { derived_table: { sql: select a from b where {% condition c %} a {% "
	    "endcondition %} ;; } ", "its query has a template, which is not run" },
	{ "a query that ends too early", "", "} view: e { derived_table: { sql: select 'a from b ;; } ",
	    "its query ends within a text" },
	{ "a query with a reference in a text", "",
	    "} view: e { derived_table: { sql: select '${o.SQL_TABLE_NAME}' ;; } ",
	    "its query has a reference within a text" },
	{ "a native one", "", "} view: e { derived_table: { explore_source: o { column: a {} } } ",
	    "it is a native derived table: Looker makes its query, from the explore o" },
	{ "one that writes", "", "} view: e { derived_table: { create_process: { sql_step: create table x ;; } } ",
	    "it is made by statements that write" },
	{ "a join to a query", "", "} view: e { derived_table: { sql: select a from b ;; } dimension: a { "
	    "primary_key: yes } } explore: q { from: o join: e { sql_on: ${q.u} = ${e.a} ;; } ",
	    "\"to\":\"e\",\"on\":\"user_id = a\"}" },
	{ "a query for all of a table", "", "} view: e { derived_table: { sql: SELECT * FROM `a-b.c`.d; ;; } ",
	    "\"schema\":\"c\",\"table\":\"d\"" },
	{ "a table by a template", "", "} view: e { sql_table_name: {{ x }} ;; ",
	    "its table is not named by a plain name" },
	{ "a project by its constant", "", "} constant: t { value: \"a.b\" } view: e { sql_table_name: @{t} ;; ",
	    "\"schema\":\"a\",\"table\":\"b\"" },
	{ "a constant without a value at the end", "", "} constant: t { } view: e { sql_table_name: a.b@{t} ;; ",
	    "\"schema\":\"a\",\"table\":\"b\"" },
	{ "an include of others", "", "} include: \"../../etc/*\" datagroup: d { ", "it is of another project" },
	{ "what has no place", "", "} datagroup: d { ", "\"as\":\"datagroup\",\"name\":\"d\"" },
};

static void
lookml_is_taken_or_refused(void **state)
{
	char text[8192];

	(void)state;
	for (size_t i = 0; i < sizeof(lookml) / sizeof(lookml[0]); i++) {
		snprintf(text, sizeof(text), VIEWS, lookml[i].field, lookml[i].explore);
		if (strstr(read_kind("lookml", text), lookml[i].holds) == NULL)
			fail_msg("%s: no %s in\n%s", lookml[i].what, lookml[i].holds, buf_cstr(&out));
	}
}

static const struct {
	const char		*expression;
	enum looker_type	 type;
	const char		*condition;	/* of x; "-": it is refused */
} filters[] = {
	{ "", LOOKER_STRING, "" },
	{ "FOO", LOOKER_STRING, "(x = 'FOO')" },
	{ " it's , b ", LOOKER_STRING, "(x = 'it''s' or x = 'b')" },
	{ "\"a, b\"", LOOKER_STRING, "(x = 'a, b')" },
	{ "a^,b^_c^%", LOOKER_STRING, "(x = 'a,b_c%')" },
	{ "-FOO", LOOKER_STRING, "((x is null or not (x = 'FOO')))" },
	{ "-FOO,-BAR", LOOKER_STRING, "((x is null or not (x = 'FOO')) and (x is null or not (x = 'BAR')))" },
	{ "FOO%,-FOOD", LOOKER_STRING,
	    "(length(x) >= 3 and substr(x, 1, 3) = 'FOO') and ((x is null or not (x = 'FOOD')))" },
	{ "^-5", LOOKER_STRING, "(x = '-5')" },
	{ "%FOO", LOOKER_STRING, "(length(x) >= 3 and substr(x, length(x) - 2, 3) = 'FOO')" },
	{ "F%OD", LOOKER_STRING,
	    "(length(x) >= 3 and substr(x, 1, 1) = 'F' and substr(x, length(x) - 1, 2) = 'OD')" },
	{ "%FOO%", LOOKER_STRING, "(length(replace(x, 'FOO', '')) < length(x))" },
	{ "_UF", LOOKER_STRING, "(length(x) = 3 and substr(x, 2, 2) = 'UF')" },
	{ "in_progress", LOOKER_STRING,
	    "(length(x) = 11 and substr(x, 1, 2) = 'in' and substr(x, 4, 8) = 'progress')" },
	{ "\xc3\xa4_\xc3\xa4", LOOKER_STRING,
	    "(length(x) = 3 and substr(x, 1, 1) = '\xc3\xa4' and substr(x, 3, 1) = '\xc3\xa4')" },
	{ "%", LOOKER_STRING, "(length(x) >= 0)" },
	{ "NULL", LOOKER_STRING, "(x is null)" },
	{ "-NULL", LOOKER_STRING, "(not (x is null))" },
	{ "EMPTY", LOOKER_STRING, "(x is null or length(x) = 0)" },
	{ "-EMPTY,-a", LOOKER_STRING, "(not (x is null or length(x) = 0) and (x is null or not (x = 'a')))" },
	{ "nullable", LOOKER_STRING, "(x = 'nullable')" },
	{ "a%b%c", LOOKER_STRING, "-" },
	{ "%a%b%", LOOKER_STRING, "-" },
	{ "a,,b", LOOKER_STRING, "-" },
	{ "a,", LOOKER_STRING, "-" },
	{ "\"a", LOOKER_STRING, "-" },
	{ "a\\,b", LOOKER_STRING, "-" },
	{ "{{ _user_attributes['x'] }}", LOOKER_STRING, "-" },
	{ "5", LOOKER_NUMBER, "(x = 5)" },
	{ "1, 3.5 , -7", LOOKER_NUMBER, "(x = 1 or x = 3.5 or x = -7)" },
	{ "NOT 5", LOOKER_NUMBER, "((x is null or not (x = 5)))" },
	{ "<>5", LOOKER_NUMBER, "((x is null or not (x = 5)))" },
	{ "NOT 66, 99", LOOKER_NUMBER, "((x is null or not (x = 66)) and (x is null or not (x = 99)))" },
	{ "5, NOT 6, NOT 7", LOOKER_NUMBER,
	    "(x = 5) and ((x is null or not (x = 6)) and (x is null or not (x = 7)))" },
	{ ">10", LOOKER_NUMBER, "(x > 10)" },
	{ ">=5.5 AND <=10", LOOKER_NUMBER, "(x >= 5.5 and x <= 10)" },
	{ "<1 OR >9", LOOKER_NUMBER, "(x < 1 or x > 9)" },
	{ ">1 AND <100, NOT 2", LOOKER_NUMBER, "(x > 1 and x < 100) and ((x is null or not (x = 2)))" },
	{ "[1, 5)", LOOKER_NUMBER, "(x >= 1 and x < 5)" },
	{ "(-inf, 5]", LOOKER_NUMBER, "(x <= 5)" },
	{ "(5, inf)", LOOKER_NUMBER, "(x > 5)" },
	{ "NOT (3, 12)", LOOKER_NUMBER, "((x is null or not (x > 3 and x < 12)))" },
	{ "1 to 5", LOOKER_NUMBER, "(x >= 1 and x <= 5)" },
	{ "NULL", LOOKER_NUMBER, "(x is null)" },
	{ "NOT NULL", LOOKER_NUMBER, "(not (x is null))" },
	{ "5, NOT 6, 7", LOOKER_NUMBER, "-" },
	{ "5,", LOOKER_NUMBER, "-" },
	{ "(,)", LOOKER_NUMBER, "-" },
	{ "five", LOOKER_NUMBER, "-" },
	{ "1; drop", LOOKER_NUMBER, "-" },
	{ "yes", LOOKER_YESNO, "(x)" },
	{ "No", LOOKER_YESNO, "((x is null or not (x)))" },
	{ "maybe", LOOKER_YESNO, "-" },
	{ "2024", LOOKER_TIME, "(x >= '2024-01-01' and x < '2025-01-01')" },
	{ "2024-12", LOOKER_TIME, "(x >= '2024-12-01' and x < '2025-01-01')" },
	{ "2024/02/29", LOOKER_TIME, "(x >= '2024-02-29' and x < '2024-03-01')" },
	{ "2024-12-31", LOOKER_TIME, "(x >= '2024-12-31' and x < '2025-01-01')" },
	{ "before 2024-03", LOOKER_TIME, "(x < '2024-03-01')" },
	{ "after 2024-03-09", LOOKER_TIME, "(x >= '2024-03-09')" },
	{ "2024-01-05 to 2024-02-01", LOOKER_TIME, "(x >= '2024-01-05' and x < '2024-02-01')" },
	{ "NULL", LOOKER_TIME, "(x is null)" },
	{ "NOT NULL", LOOKER_TIME, "(not (x is null))" },
	{ "7 days", LOOKER_TIME, "-" },
	{ "last month", LOOKER_TIME, "-" },
	{ "2023-02-29", LOOKER_TIME, "-" },
	{ "2024-01-05 for 3 days", LOOKER_TIME, "-" },
	{ "after 2024-13", LOOKER_TIME, "-" },
	{ "not 2024", LOOKER_TIME, "-" },
	{ "2024-01-01 12:00", LOOKER_TIME, "-" },
	{ "2024-03", LOOKER_MONTH, "(x >= '2024-03-01' and x < '2024-04-01')" },
	{ "2024", LOOKER_MONTH, "(x >= '2024-01-01' and x < '2025-01-01')" },
	{ "before 2024-04", LOOKER_QUARTER, "(x < '2024-04-01')" },
	{ "2024-04 to 2024-07", LOOKER_QUARTER, "(x >= '2024-04-01' and x < '2024-07-01')" },
	{ "after 2024", LOOKER_YEAR, "(x >= '2024-01-01')" },
	{ "NULL", LOOKER_YEAR, "(x is null)" },
	{ "2024-03-09", LOOKER_MONTH, "-" },
	{ "2024-04", LOOKER_QUARTER, "-" },
	{ "2024-01 to 2024-03", LOOKER_QUARTER, "-" },
	{ "2024-04", LOOKER_YEAR, "-" },
	{ "last 7 days", LOOKER_TIME, "-" },
};

static void
filter_expressions_are_conditions(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		struct buf b = { 0 };
		const char *why = looker_filter(filters[i].type, span_str(filters[i].expression), SPAN("x"), &b);

		if ((why != NULL) != (strcmp(filters[i].condition, "-") == 0) ||
		    (why == NULL && strcmp(buf_cstr(&b), filters[i].condition) != 0))
			fail_msg("%s: %s", filters[i].expression, why != NULL ? why : buf_cstr(&b));
		buf_fini(&b);
	}
}

static const struct {
	const char	*text, *fault;	/* NULL: it is read */
} grammar[] = {
	{ "", NULL },
	{ "\xef\xbb\xbf# a comment\nlabel: \"a \\\"b\\\"\" x: [a, \"b\",] y: [a: \"b\", c.d: e] z: w { }", NULL },
	{ "a: b\n{", "line 2: \"}\" is missing" },
	{ "a: {}}", "line 1: \"}\" closes nothing" },
	{ "a", "line 1: a colon is missing behind a key" },
	{ "\n\"a\": b", "line 2: a key is expected" },
	{ "a:", "line 1: a key has no value" },
	{ "sql: x", "line 1: \";;\" is missing behind SQL" },
	{ "a: \"x", "line 1: a string has no end" },
	{ "a: [b: c, d]", "line 1: a list has pairs and others" },
	{ "a: [b c]", "line 1: \",\" or \"]\" is missing in a list" },
	{ "a: [b", "line 1: \",\" or \"]\" is missing in a list" },
	{ "a: \"\xff\"", "line 1: it is not UTF-8 text" },
};

static void
lookml_has_a_strict_grammar(void **state)
{
	struct arena *a = arena_new(1 << 24);
	struct buf deep = { 0 };

	(void)state;
	for (size_t i = 0; i <= sizeof(grammar) / sizeof(grammar[0]); i++) {
		struct err err = { .code = ERR_NONE };
		bool last = i == sizeof(grammar) / sizeof(grammar[0]);
		const char *text = last ? buf_cstr(&deep) : grammar[i].text,
			   *fault = last ? "line 1: it is nested too deeply" : grammar[i].fault;
		const struct yaml_node *root = lookml_parse(a, span_str(text), &err);

		if ((root == NULL) != (fault != NULL) || (root == NULL && strcmp(err.message, fault) != 0))
			fail_msg("%s: %s", text, root != NULL ? "read" : err.message);
		for (unsigned k = 0; i + 1 == sizeof(grammar) / sizeof(grammar[0]) && k <= LOOKML_DEPTH_MAX; k++)
			buf_str(&deep, "a: {");
	}
	buf_fini(&deep);
	arena_free(a);
}

#define CUBES										\
	"cubes:\n- name: o\n  sql_table: shop.orders\n"				\
	"  joins: [{name: p, relationship: many_to_one, sql: '{CUBE}.user_id = {p.id}'}%s]\n"	\
	"  dimensions: [{name: id, sql: id, type: number, primary_key: true}, "		\
	"{name: st, sql: '{CUBE}.status', type: string}, {name: at, sql: at, type: time}%s]\n"	\
	"  measures: [{name: n, type: count}%s]\n"					\
	"  segments: [{name: done, sql: \"{CUBE}.status = 'done'\"}]\n"			\
	"- {name: p, sql: SELECT * FROM people, measures: [{name: n, type: count}], "	\
	"dimensions: [{name: id, sql: id, type: number, primary_key: true}, "		\
	"{name: c, sql: upper(c), type: string}]}\n%s"

static const struct {
	const char	*what, *join, *dimension, *measure, *more, *holds;
} cubes[] = {
	{ "a table", "", "", "", "", "\"name\":\"o\",\"schema\":\"shop\",\"table\":\"orders\"" },
	{ "a query for all of a table", "", "", "", "", "\"name\":\"p\",\"table\":\"people\"" },
	{ "a join", "", "", "", "", "\"to\":\"p\",\"on\":\"user_id = id\"}" },
	{ "a segment", "", "", "", "", "\"name\":\"done\",\"expr\":\"status = 'done'\"" },
	{ "a sum", "", "", ", {name: m, type: sum, sql: '{CUBE}.x'}", "", "\"expr\":\"sum(x)\"}" },
	{ "with filters", "", "", ", {name: m, type: sum, sql: x, filters: [{sql: \"{st} = 'a'\"}, {sql: '{p.c} = "
	    "1'}]}", "",
	    "\"filter\":\"(status = 'a') and ({{p.c}} = 1)\"" },
	{ "a distinct count", "", "", ", {name: m, type: countDistinct, sql: '${CUBE}.x'}", "",
	    "\"expr\":\"count(distinct x)\"" },
	{ "a count of something", "", "", ", {name: m, type: count, sql: x}", "", "\"expr\":\"count(x)\"" },
	{ "a ratio", "", "", ", {name: m, type: number, sql: '100.0 * {n} / {CUBE.n}'}", "",
	    "\"expr\":\"100.0 * {{o:n}} / {{o:n}}\"" },
	{ "of two cubes", "", "", ", {name: m, type: number, sql: '{n} / {p.n}'}", "",
	    "it is made of measures of several tables" },
	{ "another cube's column", "", ", {name: d, sql: '{p}.c2', type: string}", "", "", "\"expr\":\"{{p.c2}}\"" },
	{ "a measure as a dimension", "", ", {name: d, sql: '{p.n}', type: number, sub_query: true}", "", "",
	    "it is a query for each row" },
	{ "a rolling window", "", "", ", {name: m, type: sum, sql: x, rolling_window: {trailing: unbounded}}", "",
	    "it has a rolling window" },
	{ "an approximate count", "", "", ", {name: m, type: count_distinct_approx, sql: x}", "",
	    "it counts approximately" },
	{ "Jinja", "", "", ", {name: m, type: sum, sql: '{{ x }}'}", "", "it has a template, which is not run" },
	{ "who asks", "", "", ", {name: m, type: sum, sql: '{SECURITY_CONTEXT.x.filter(1)}'}", "",
	    "which is no member" },
	{ "braces that are no name", "", "", ", {name: m, type: sum, sql: \"x - '{a}'\"}", "",
	    "it has a reference within a text" },
	{ "cases", "", ", {name: d, type: string, case: {when: [{sql: '{CUBE}.x = 1', label: a}], else: {label: "
	    "b}}}", "", "",
	    "\"expr\":\"case when x = 1 then 'a' else 'b' end\"" },
	{ "many rows", ", {name: q, relationship: one_to_many, sql: '{CUBE}.id = {q}.o_id'}", "", "",
	    "- {name: q, sql_table: "
	        "q}\n", "\"name\":\"q\",\"table\":\"q\",\"from\":\"a.yml\",\"columns\":[],\"joins\":[{\"as\":\"join\","
	    "\"name\":\"o.q\",\"to\":\"o\",\"on\":\"o_id = id\"}]" },
	{ "a role of a table", ", {name: q, relationship: belongsTo, sql: '{CUBE}.boss = {q}.id'}", "", "",
	    "- {name: q, sql_table: people}\n", "\"to\":\"q\",\"on\":\"boss = id\",\"alias\":\"q\"" },
	{ "what it extends", "", "", "", "- {name: q, extends: '{o}', sql_table: other, measures: [{name: n, type: "
	    "max, sql: y}]}\n",
	    "\"table\":\"other\",\"from\":\"a.yml\",\"key\":\"id\"" },
	{ "with its own measure", "", "", "", "- {name: q, extends: o, measures: [{name: n, type: max, sql: y}]}\n",
	    "\"measures\":[{\"as\":\"measure\",\"name\":\"n\",\"expr\":\"max(y)\"}]" },
	{ "a circle", "", "", "", "- {name: q, extends: q}\n", "it extends itself" },
	{ "rows by who asks", "", "", "", "- {name: q, sql_table: q, access_policy: [{role: x}]}\n",
	    "its access policy limits" },
	{ "a query", "", "", "", "- {name: q, sql: 'select a from b;'}\n",
	    "\"name\":\"q\",\"from\":\"a.yml\",\"sql\":\"select a from b\"" },
	{ "a query of a cube's table", "", "", "", "- {name: q, sql: 'select a from {o.sql()} where x'}\n",
	    "\"sql\":\"select a from (SELECT * FROM {{o.*}}) where x\"" },
	{ "a query by who asks", "", "", "",
	    "- {name: q, sql: 'select a from b where {SECURITY_CONTEXT.x.filter(1)}'}\n",
	    "its query uses SECURITY_CONTEXT.x.filter(1), which is no table" },
	{ "a view", "", "", "", "views: [{name: v, cubes: [{join_path: o, includes: '*'}]}]\n", "{\"as\":\"view\"}" },
	{ "an odd name", "", "", "", "- {name: '../x', sql_table: q}\n", "its name has more than letters" },
};

static void
cubes_are_taken_or_refused(void **state)
{
	char text[8192];

	(void)state;
	for (size_t i = 0; i < sizeof(cubes) / sizeof(cubes[0]); i++) {
		snprintf(text, sizeof(text), CUBES, cubes[i].join, cubes[i].dimension, cubes[i].measure, cubes[i].more);
		if (strstr(read_kind("cube", text), cubes[i].holds) == NULL)
			fail_msg("%s: no %s in\n%s", cubes[i].what, cubes[i].holds, buf_cstr(&out));
	}
}

/* Views that extend each other, and each the one before: what would have to be merged is bounded. */
static void
extensions_are_bounded(void **state)
{
	struct buf text = { 0 };

	(void)state;
	buf_str(&text, "view: v0 {");
	for (unsigned i = 0; i < 1500; i++)
		buf_printf(&text, " dimension: d%u {}", i);
	buf_str(&text, "}\n");
	for (unsigned i = 1; i < 40; i++)
		buf_printf(&text, "view: v%u { extends: [v%u] }\n", i, i - 1);
	for (unsigned i = 40; i < 3000; i++)
		buf_printf(&text, "view: v%u { extends: [v0, v1, v2, v3, v4] }\n", i);
	assert_non_null(strstr(read_kind("lookml", buf_cstr(&text)), "there is too much to merge"));
	text.len = 0;
	for (unsigned i = 0; i < 40; i++)
		buf_printf(&text, "view: v%u { extends: [v%u] }\n", i, i + 1);
	assert_non_null(strstr(read_kind("lookml", buf_cstr(&text)), "it extends others too deeply"));
	buf_fini(&text);
	buf_fini(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lookml_is_taken_or_refused),
		cmocka_unit_test(lookml_has_a_strict_grammar),
		cmocka_unit_test(filter_expressions_are_conditions),
		cmocka_unit_test(cubes_are_taken_or_refused),
		cmocka_unit_test(extensions_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
