// libs: carrel_import
/* test_knowledge.c - readers of other tools' knowledge: what each text becomes, and what is refused and why. */
#include "tests/unit/harness.h"

#include <sys/mman.h>
#include <unistd.h>

#include "workers/import/knowledge/knowledge.h"

static struct buf out;

static int
file_of(struct span text)
{
	int fd = memfd_create("knowledge", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text.p, text.len), (ssize_t)text.len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

/* The model of one file, or of a manifest; "ERROR: " and the message if there is none. */
static const char *
read_named(const char *kind, const char *name, const char *yaml, const char *manifest)
{
	struct buf pack = { 0 };
	struct err err = { .code = ERR_NONE };
	int files, fd = manifest == NULL ? -1 : file_of(span_str(manifest));

	if (yaml != NULL)
		buf_printf(&pack, "%zu %s\n%s", strlen(yaml), name, yaml);
	files = file_of(pack.len > 0 ? buf_view(&pack) : SPAN(""));
	buf_reset(&out, SIZE_MAX);
	out.max = 0;
	if (knowledge_read(&(struct knowledge_job){ .pack = files, .manifest = fd, .kind = span_str(kind),
	        .text = SQLTEXT_BACKTICKS }, &out, &err) != 0) {
		buf_reset(&out, SIZE_MAX);
		buf_printf(&out, "ERROR: %s", err.message);
	}
	close(files);
	if (fd >= 0)
		close(fd);
	buf_fini(&pack);
	return buf_cstr(&out);
}

static const char *
read_kind(const char *kind, const char *yaml, const char *manifest)
{
	return read_named(kind, "a.yml", yaml, manifest);
}

#define MODEL										\
	"semantic_models:\n"								\
	"- name: s\n  model: ref('pkg', 't')\n  defaults: {agg_time_dimension: at}\n"	\
	"  entities: [{name: k, type: primary, expr: id}, {name: o, type: foreign, expr: 'a || b'}]\n" \
	"  dimensions: [{name: d}, {name: at, type: time, type_params: {time_granularity: day}}]\n"	\
	"  measures: [{name: m, agg: %s, expr: x%s}]\n"					\
	"- name: other\n  model: source('raw', 'o')\n"					\
	"  entities: [{name: o, type: unique}, {name: v, type: natural}]\n"		\
	"  dimensions: [{name: e, expr: 'lower(e2)'}]\n"				\
	"metrics:\n- {name: n, type: simple, type_params: {measure: m}%s}\n"

static const struct {
	const char	*what, *agg, *more, *metric;	/* of the measure; of the metric */
	const char	*holds;
} metrics[] = {
	{ "a sum", "sum", "", "", "\"expr\":\"sum(x)\"" },
	{ "the table of a package", "sum", "", "", "\"table\":\"t\"" },
	{ "a source's table", "sum", "", "", "\"name\":\"other\",\"table\":\"o\"" },
	{ "an average", "AVERAGE", "", "", "\"expr\":\"avg(x)\"" },
	{ "a count", "count", "", "", "\"expr\":\"count(x)\"" },
	{ "a count under a filter is NULL without rows", "count", "", ", filter: \"{{ Dimension('k__d') }} = 1\"",
	    "\"expr\":\"sum(case when x is not null then 1 else 0 end)\",\"filter\":\"({{s.d}} = 1)\"" },
	{ "so is a distinct one", "count_distinct", "", ", filter: \"{{ Entity('k') }} > 1\"",
	    "\"expr\":\"case when count(*) > 0 then count(distinct x) end\",\"filter\":\"({{s.id}} > 1)\"" },
	{ "another model's dimension", "sum", "", ", filter: [\"{{ Dimension('o__e') }} = 'a'\", 'x > 1 or y']",
	    "\"filter\":\"({{other.e}} = 'a') and (x > 1 or y)\"" },
	{ "an entity that is computed joins by a column of its own", "sum", "", "",
	    "{\"as\":\"entity\",\"name\":\"s.o\",\"to\":\"other\",\"on\":\"o = o\"}" },
	{ "which is computed", "sum", "", "", "{\"name\":\"o\",\"expr\":\"a || b\"}" },
	{ "a percentile", "percentile", ", agg_params: {percentile: 0.25}", "", "\"expr\":\"percentile(x, 0.25)\"" },
	{ "the metric's other date", "sum", ", agg_time_dimension: then", "", "\"said\":\"Its date is then.\"" },
	{ "no such aggregation", "variance", "", "", "its aggregation is not known" },
	{ "a template as an expression", "sum", "", ", filter: \"{{ env_var('HOME') }} = 1\"",
	    "its filter uses env_var()" },
	{ "a loop", "sum", "", ", filter: '{% for x in y %}1{% endfor %}'", "has a template that is not run" },
	{ "a comment", "sum", "", ", filter: '{# a #} x'", "has a template that is not run" },
	{ "arguments that are no text", "sum", "", ", filter: \"{{ Dimension(1) }}\"",
	    "has a template that is not run" },
	{ "a filter that goes on", "sum", "", ", filter: \"{{ Dimension('k__d').grain('day') }} > 1\"",
	    "has a template that is not run" },
	{ "several joins", "sum", "", ", filter: \"{{ Dimension('k__o__e') }} > 1\"",
	    "names k__o__e, which is not one join away" },
	{ "no such dimension", "sum", "", ", filter: \"{{ Dimension('k__z') }} > 1\"", "names k__z" },
	{ "a date", "sum", "", ", filter: \"{{ Dimension('k__at') }} > 1\"",
	    "compares the beginning of a period of at otherwise" },
	{ "a date from the first day of a period on", "sum", "",
	    ", filter: \"{{ TimeDimension('k__at', 'month') }} >= '2024-02-01' and {{ Dimension('k__at') }}"
	    "<'2025-01-05'\"",
	    "({{s.at}} >= '2024-02-01' and {{s.at}}<'2025-01-05')" },
	{ "from another day on", "sum", "", ", filter: \"{{ TimeDimension('k__at', 'month') }} >= '2024-02-02'\"",
	    "otherwise than by" },
	{ "a date that is compared otherwise", "sum", "", ", filter: \"{{ TimeDimension('k__at') }} <= '2024-02-01'\"",
	    "otherwise than by" },
	{ "weeks", "sum", "", ", filter: \"{{ TimeDimension('k__at', 'week') }} >= '2024-01-01'\"",
	    "otherwise than by" },
	{ "what is computed with the day", "sum", "",
	    ", filter: \"{{ TimeDimension('k__at', 'day') }} >= '2024-01-01' + 1\"", "otherwise than by" },
	{ "what is computed with the date", "sum", "",
	    ", filter: \"1 + {{ TimeDimension('k__at', 'day') }} >= '2024-01-01'\"", "otherwise than by" },
	{ "a metric that is off", "sum", "", ", config: {enabled: false}", "it is switched off" },
	{ "a filter of another form", "sum", "", ", filter: {where: 'x > 1'}", "its filter has a form" },
	{ "a condition of another form", "sum", "", ", filter: [{where: 'x > 1'}]", "its filter has a form" },
	{ "no filter", "sum", "", ", filter: {where_filters: []}", "\"expr\":\"sum(x)\"" },
	{ "a key that is misspelt", "sum", "", ", filters: 'x > 1'", "it says \\\"filters\\\", which is not known" },
	{ "a key that is off", "sum", "", ", tomorrow: false, x: [], y: {}, z: ", "\"expr\":\"sum(x)\"" },
	{ "a key of a measure", "sum", ", trim: 0.1", "", "it says \\\"trim\\\", which is not known" },
	{ "a key of an aggregation", "percentile", ", agg_params: {percentile: 0.5, weight: y}", "",
	    "it says \\\"weight\\\", which is not known" },
	{ "semi-additive", "sum", ", non_additive_dimension: {name: at}", "", "semi-additive over at" },
};

static void
metrics_are_measures_or_refused(void **state)
{
	char yaml[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		snprintf(yaml, sizeof(yaml), MODEL, metrics[i].agg, metrics[i].more, metrics[i].metric);
		if (strstr(read_kind("metricflow", yaml, NULL), metrics[i].holds) == NULL)
			fail_msg("%s: no %s in\n%s", metrics[i].what, metrics[i].holds, buf_cstr(&out));
	}
}

#define LATEST										\
	"models:\n- name: s\n  config: {alias: t}\n  description: Said.\n  semantic_model: {enabled: true}\n" \
	"  agg_time_dimension: at\n  columns:\n  - {name: id, entity: {type: primary, name: k}}\n" \
	"  - {name: o, entity: {type: foreign}}\n  - {name: d, dimension: categorical}\n"	\
	"  - {name: a, granularity: day, dimension: {type: time, name: at, label: When}}\n"	\
	"  derived_semantics: {dimensions: [{name: e, type: categorical, expr: lower(d)}]}\n"	\
	"  metrics:\n  - {name: m, type: simple, agg: sum, expr: x, label: M}\n"		\
	"  - {name: f, type: simple, agg: count, expr: '1', filter: \"{{ Dimension('k__d') }} = 1\"}\n" \
	"  - {name: p, type: simple, agg: percentile, expr: x, percentile: 0.5, percentile_type: continuous}\n" \
	"  - {name: q, type: simple, agg: percentile, expr: x, percentile: 0.5}\n"		\
	"  - {name: z, type: simple, agg: sum, expr: x, fill_nulls_with: 0}\n"			\
	"  - {name: odd, type: simple, agg: sum, expr: x, only: y}\n"				\
	"- {name: other, semantic_model: true, columns: [{name: o, entity: primary}]}\n"		\
	"- {name: off, semantic_model: false, columns: [{name: o, entity: primary}]}\n"		\
	"metrics:\n- {name: r, type: ratio, numerator: m, denominator: {name: f}}\n"		\
	"- {name: v, type: derived, expr: g - f, input_metrics: [{name: m, alias: g}, {name: f}]}\n" \
	"- {name: c, type: cumulative, input_metric: m}\n"

/* The latest form says the same as the one before. */
static void
latest_yaml_is_read(void **state)
{
	static const char *const holds[] = {
		"\"name\":\"s\",\"table\":\"t\"",
		"\"said\":\"Said.\",\"time\":\"at\",\"key\":\"id\"",
		"\"name\":\"at\",\"expr\":\"a\",\"label\":\"When\",\"type\":\"time\",\"grain\":\"day\"",
		"\"name\":\"e\",\"expr\":\"lower(d)\"", "\"to\":\"other\",\"on\":\"o = o\"",
		"\"name\":\"m\",\"expr\":\"sum(x)\",\"label\":\"M\"", "\"filter\":\"({{s.d}} = 1)\"",
		"\"expr\":\"percentile(x, 0.5)\"", "percentiles here are continuous", "it fills in NULL with a number",
		"it says \\\"only\\\"", "\"expr\":\"{{s:m}} / {{s:f}}\"", "\"expr\":\"{{s:m}} - {{s:f}}\"",
		"it is cumulative", "\"name\":\"other\",\"table\":\"other\"" };

	(void)state;
	read_kind("metricflow", LATEST, NULL);
	for (size_t i = 0; i < sizeof(holds) / sizeof(holds[0]); i++)
		if (strstr(buf_cstr(&out), holds[i]) == NULL)
			fail_msg("no %s in\n%s", holds[i], buf_cstr(&out));
	assert_null(strstr(buf_cstr(&out), "\"name\":\"off\""));
}

static void
derived_metrics_name_their_inputs(void **state)
{
	static const char metric[] =
	    "\n- {name: a, type: derived, type_params: {expr: 'p - p.q + coalesce(p, 0)', metrics: [{name: n, alias: "
	    "p}]}}"
	    "\n- {name: b, type: ratio, type_params: {numerator: {name: n, filter: \"{{ Dimension('k__d') }}\"}, "
	    "denominator: a}}"
	    "\n- {name: loop, type: derived, type_params: {expr: loop, metrics: [loop]}}"
	    "\n- {name: lag, type: derived, type_params: {expr: n, metrics: [{name: n, offset_window: 1 day}]}}"
	    "\n- {name: odd, type: derived, type_params: {expr: n, metrics: [{name: n, smooth: 3}]}}"
	    "\n- {name: filled, type: simple, type_params: {measure: m, fill_nulls_with: 0}}"
	    "\n- {name: none, type: ratio, type_params: {numerator: n}}\n";
	char yaml[4096];
	const char *text;

	(void)state;
	snprintf(yaml, sizeof(yaml), MODEL "%s", "sum", "", "", metric);
	text = read_kind("metricflow", yaml, NULL);
	assert_non_null(strstr(text, "\"expr\":\"{{s:n}} - p.q + coalesce({{s:n}}, 0)\""));
	assert_non_null(strstr(text, "\"expr\":\"(sum(case when ({{s.d}}) then x end)) / {{s:a}}\""));
	assert_non_null(strstr(text, "it needs the metric loop, which was skipped"));
	assert_non_null(strstr(text, "it is compared with another period"));
	assert_non_null(strstr(text, "it says \\\"smooth\\\", which is not known"));
	assert_non_null(strstr(text, "it fills in NULL with a number"));
	assert_non_null(strstr(text, "it has no denominator"));
}

#define OSI(metrics, more)								\
	"semantic_model:\n- name: m\n  ai_context: {instructions: Read me}\n  datasets:\n"	\
	"  - name: a\n    source: d.s.\"t a\"\n    primary_key: [x]\n    fields:\n"		\
	"    - {name: x, expression: {dialects: [{dialect: ANSI_SQL, expression: x}]}}\n"	\
	"    - {name: y, expression: b.z || 1, datatype: Date, ai_context: {synonyms: [why]}}\n" \
	"  - name: b\n    source: u\n    unique_keys: [[z]]\n    fields:\n"			\
	"    - {name: z, expression: Z}\n    - {name: q, expression: '(z)'" more "}\n"		\
	"  relationships:\n  - {name: r, from: a, to: b, from_columns: [x], to_columns: [z]}\n"	\
	"  - {name: s, from: a, to: b, from_columns: [y], to_columns: [z]}\n"			\
	"  - {name: odd, from: a, to: b, from_columns: [x], to_columns: [q]}\n  metrics:\n"	\
	"  - name: n\n    expression:\n      dialects:\n      - {dialect: MDX, expression: x}\n"	\
	"      - {dialect: ANSI_SQL, expression: " metrics "}\n"

#define OM(more)									\
	"{\"data\": [{\"name\": \"a.b\", \"fullyQualifiedName\": \"s.d.p.\\\"a.b\\\"\", "	\
	"\"owners\": [{\"name\": \"ada\"}], \"tags\": [{\"tagFQN\": \"T.x\"}, "			\
	"{\"tagFQN\": \"G.y\", \"source\": \"Glossary\"}], \"columns\": [{\"name\": \"c\", "	\
	"\"description\": \"C.\", \"constraint\": \"PRIMARY_KEY\", "				\
	"\"tags\": [{\"tagFQN\": \"PII.x\"}]}]" more "}]}"
#define OM_KEY(to)									\
	OM(", \"tableConstraints\": [{\"constraintType\": \"FOREIGN_KEY\", "			\
	   "\"columns\": [\"c\"], \"referredColumns\": [\"" to "\"]}]")

#define DH(aspect, text)								\
	"{\"entityUrn\": \"urn:li:dataset:(urn:li:dataPlatform:p,d.s.t,PROD)\", "		\
	"\"aspectName\": \"" aspect "\", \"aspect\": {\"json\": " text "}}"
#define DH_FIELDS	"{\"fields\": [{\"fieldPath\": \"[version=2.0].[type=int].c\", \"description\": \"found\"}]}"
#define DH_EDITED	"{\"editableSchemaFieldInfo\": [{\"fieldPath\": \"c\", \"description\": \"written\"}]}"

static const struct {
	const char	*what, *kind, *yaml, *manifest, *holds;
} texts[] = {
	{ "a table with dots", "openmetadata", NULL, OM(""), "\"schema\":\"p\",\"table\":\"a.b\"" },
	{ "owners and terms", "openmetadata", NULL, OM(""), "\"said\":\"Owners: ada.\\nTerms: G.y.\"" },
	{ "tags of a table", "openmetadata", NULL, OM(""), "\"tags\":[\"T.x\"]" },
	{ "tags of a column", "openmetadata", NULL, OM(""), "\"said\":\"C.\\nTags: PII.x.\"" },
	{ "a key", "openmetadata", NULL, OM(""), "\"key\":\"c\"" },
	{ "a key to a table that is not there", "openmetadata", NULL, OM_KEY("s.d.p.z.k"),
	    "that it leads to was not read" },
	{ "a key to its own table", "openmetadata", NULL, OM_KEY("s.d.p.a.b.c"), "\"on\":\"c = c\"" },
	{ "a deleted table", "openmetadata", NULL, OM(", \"deleted\": true"), "it is deleted" },
	{ "a term", "openmetadata", NULL,
	    "{\"data\": [{\"name\": \"t\", \"glossary\": {}, \"description\": \"D\", \"synonyms\": [\"u\", \"v\"]}]}",
	    "\"body\":\"D\\n\\nAlso called u, v.\"" },
	{ "what has no place", "openmetadata", NULL, "{\"data\": [{\"name\": \"t\"}]}", "there is no place for it" },
	{ "what a person wrote first", "datahub", NULL,
	    "[" DH("editableSchemaMetadata", DH_EDITED) ", " DH("schemaMetadata", DH_FIELDS) "]",
	    "\"said\":\"written\"" },
	{ "a broken object", "datahub", "[{\"a\": 1, \"a\": 2}, " DH("schemaMetadata", DH_FIELDS) "]", NULL,
	    "\"name\":\"number 1\",\"from\":\"a.yml\",\"reason\":\"it cannot be read: duplicate key\"" },
	{ "and the others", "datahub", "[{\"a\": 1, \"a\": 2}, " DH("schemaMetadata", DH_FIELDS) "]", NULL,
	    "\"as\":\"table\"" },
	{ "a key whose column has no end", "datahub",
	    "[" DH("schemaMetadata",
	        "{\"fields\": [], \"foreignKeys\": [{\"sourceFields\": [\"urn:li:schemaField:(x,\"], "
	        "\"foreignFields\": [\"urn:li:schemaField:(y,\"], \"foreignDataset\": \"z\"}]}") "]",
	    NULL, "\"as\":\"table\"" },
	{ "a file that ends too early", "datahub", "[" DH("schemaMetadata", DH_FIELDS) ", {", NULL,
	    "\"models\":[],\"pages\":[],\"remarks\":[{\"as\":\"file\"" },
	{ "what a person wrote last", "datahub", NULL,
	    "[" DH("schemaMetadata", DH_FIELDS) ", " DH("editableSchemaMetadata", DH_EDITED) "]",
	    "\"said\":\"written\"" },
	{ "a name of three parts", "datahub", NULL, "[" DH("schemaMetadata", DH_FIELDS) "]",
	    "\"schema\":\"s\",\"table\":\"t\"" },
	{ "owners", "datahub", NULL, "[" DH("ownership", "{\"owners\": [{\"owner\": \"urn:li:corpuser:ada\"}]}") "]",
	    "\"said\":\"Owners: ada.\"" },
	{ "an aspect in a text", "datahub", NULL,
	    "[{\"entityUrn\": \"urn:li:glossaryTerm:x\", \"aspectName\": \"glossaryTermInfo\", \"aspect\": {\"value\": "
	    "\"{\\\"definition\\\": \\\"D\\\"}\"}}]",
	    "\"title\":\"x\",\"body\":\"D\"" },
	{ "a snapshot", "datahub", NULL,
	    "[{\"proposedSnapshot\": {\"x.DatasetSnapshot\": {\"urn\": "
	    "\"urn:li:dataset:(urn:li:dataPlatform:p,t,PROD)\", \"aspects\": "
	    "[{\"x.DatasetProperties\": {\"description\": {\"string\": \"S\"}}}]}}}]",
	    "\"said\":\"S\"" },
	{ "no dataset", "datahub", NULL, "[{\"entityUrn\": \"urn:li:chart:(x)\"}]", "{\"as\":\"chart\"," },
	{ "a quoted table", "osi", OSI("sum(x)", ""), NULL, "\"schema\":\"s\",\"table\":\"t a\"" },
	{ "the day of the column of its name", "metricflow",
	    "semantic_models: [{name: s, model: ref('t'), dimensions: [{name: at, type: time, expr: CAST(at AS Date), "
	    "type_params: {time_granularity: day}}]}]", NULL, "{\"as\":\"dimension\",\"name\":\"at\",\"type\"" },
	{ "the month of it", "metricflow",
	    "semantic_models: [{name: s, model: ref('t'), dimensions: [{name: at, type: time, "
	    "expr: \"date_trunc('month', at)\", type_params: {time_granularity: month}}]}]", NULL,
	    "{\"as\":\"dimension\",\"name\":\"at\",\"type\"" },
	{ "a month where days are asked for", "metricflow",
	    "semantic_models: [{name: s, model: ref('t'), dimensions: [{name: at, type: time, "
	    "expr: \"date_trunc('month', at)\", type_params: {time_granularity: day}}]}]",
	    NULL, "\"expr\":\"date_trunc" },
	{ "a day where hours are asked for", "metricflow",
	    "semantic_models: [{name: s, model: ref('t'), dimensions: [{name: at, type: time, expr: date(at), "
	    "type_params: {time_granularity: hour}}]}]", NULL, "\"expr\":\"date(at)\"" },
	{ "the day of another column", "metricflow",
	    "semantic_models: [{name: s, model: ref('t'), dimensions: [{name: at, type: time, expr: date(then), "
	    "type_params: {time_granularity: day}}]}]", NULL, "\"expr\":\"date(then)\"" },
	{ "a computed field of another dataset", "osi", OSI("sum(x)", ""), NULL,
	    "\"expr\":\"{{b.z}} || 1\",\"type\":\"time\"" },
	{ "synonyms", "osi", OSI("sum(x)", ""), NULL, "\"also\":[\"why\"]" },
	{ "a column of the table", "osi", OSI("sum(x)", ""), NULL, "{\"as\":\"field\",\"name\":\"z\"," },
	{ "a key on both sides", "osi", OSI("sum(x)", ""), NULL, "\"to\":\"b\",\"on\":\"x = z\",\"single\":true" },
	{ "a second relationship", "osi", OSI("sum(x)", ""), NULL, "\"on\":\"y = z\",\"alias\":\"s\"" },
	{ "one that leads to no key", "osi", OSI("sum(x)", ""), NULL, "its to_columns are no key that b declares" },
	{ "a bare name", "osi", OSI("sum(x)", ""), NULL, "\"expr\":\"sum({{a.x}})\"" },
	{ "the home leads to the others", "osi", OSI("sum(case when b.z > 1 then a.x end)", ""), NULL,
	    "{\"as\":\"metric\",\"name\":\"n\",\"expr\":\"sum(case when {{b.z}} > 1 then {{a.x}} end)\"}]" },
	{ "a metric of itself", "osi", OSI("n + 1", ""), NULL, "it names no field of a dataset" },
	{ "rows of several datasets", "osi", OSI("count(*)", ""), NULL, "it names no field of a dataset" },
	{ "a template", "osi", OSI("'{{ x }}'", ""), NULL, "its expression is a template" },
	{ "an extension", "osi", OSI("sum(x)", ", custom_extensions: [{vendor_name: V, data: '{}'}]"), NULL,
	    "it is for V" },
	{ "the model's instructions", "osi", OSI("sum(x)", ""), NULL, "\"body\":\"Read me\"" },
	{ "an ontology", "osi", "ontology: []\n", NULL, "it has no semantic_model" },
	{ "a dataset over a query", "osi", "semantic_model: [{name: m, datasets: [{name: a, source: select 1}]}]", NULL,
	    "its source is not the name of a table" },
	{ "anchors", "dbt",
	    "x: &c {name: id, description: The key.}\ny: &t {columns: [*c]}\nmodels:\n- {name: a, <<: *t}\n- "
	    "<<: [*t, {name: zz}]\n  name: b\n  columns: [*c, {<<: *c, name: other}]\n", NULL,
	    "{\"as\":\"column\",\"name\":\"other\",\"said\":\"The key.\"}" },
	{ "what an alias is", "dbt",
	    "x: &c {name: id, description: The key.}\nmodels: [{name: a, columns: [*c]}]\n", NULL,
	    "\"columns\":[{\"as\":\"column\",\"name\":\"id\",\"said\":\"The key.\"}]" },
	{ "an alias bomb", "dbt",
	    "a: &a [x, x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n"
	    "c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\n"
	    "e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]\nf: [*e, *e, *e]\n", NULL,
	    "its aliases make it larger than can be read" },
	{ "an alias of itself", "dbt", "a: &a [*a]\n", NULL, "an alias is within its own anchor" },
	{ "several documents", "metricflow", "---\nmetric: {name: a}\n---\nmetric: {name: b}\n", NULL,
	    "\"name\":\"b\"" },
	{ "an include is no tag here", "dbt", "models: !include /etc/passwd\n", NULL, "tags are not supported" },
	{ "a template in a description says nothing", "dbt",
	    "models: [{name: m, description: '{{ var(\"x\") }}'}]", NULL,
	    "{\"as\":\"model\",\"name\":\"m\",\"table\":\"m\",\"from\":\"a.yml\",\"columns\"" },
	{ "a key of two columns", "dbt", "models: [{name: m, tests: [{dbt_utils.unique_combination_of_columns: "
	    "{combination_of_columns: [a, b]}}]}]", NULL, "\"key\":\"a,b\"" },
	{ "a relationship to what may be no key", "dbt",
	    "models: [{name: a, columns: [{name: x, tests: [{relationships: {to: ref('b'), field: y}}]}]}, {name: b}]",
	    NULL, "no test says that b.y is unique" },
	{ "two of one name", "dbt", "models: [{name: a}, {name: a}]", NULL, "\"name\":\"a-1\"" },
	{ "no JSON", "dbt", NULL, "nodes", "ERROR: the manifest is not the JSON" },
	{ "a manifest that ends", "dbt", NULL, "{\"nodes\": {\"a\": {", "ERROR: the manifest is not the JSON" },
	{ "an odd section is passed over", "dbt", NULL, "{\"x\": [1, {\"a\": \"]}\\\"\"}], \"nodes\": {\"model.p.a\": "
	    "{\"resource_type\": \"model\", \"name\": \"a\", \"alias\": \"b\"}}}", "\"table\":\"b\"" },
	{ "a duplicate key is that object's", "dbt", NULL, "{\"nodes\": {\"k\": {\"name\": 1, \"name\": 2}}}",
	    "it cannot be read: duplicate key" },
	{ "no such kind", "tableau", NULL, NULL, "ERROR: \"tableau\" is no kind of knowledge" },
};

static void
texts_are_read_or_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (strstr(read_kind(texts[i].kind, texts[i].yaml, texts[i].manifest), texts[i].holds) == NULL)
			fail_msg("%s: no %s in\n%s", texts[i].what, texts[i].holds, buf_cstr(&out));
}

#define JOIN(a, b)	"\"to\":\"" a "\",\"on\":\"" b "\",\"keyed\":true"

/* What a statement tells; each is read three times, since a filter stands when three statements have it. */
static const struct {
	const char	*what, *sql, *holds;	/* holds NULL: not one of tells[] */
} statements[] = {
	{ "a join", "select 1 from A join b on a.x = B.y", JOIN("b", "x = y") },
	{ "the join from the other side", "select 1 from a join b on a.x = b.y", JOIN("a", "y = x") },
	{ "aliases, and names in quotes", "select 1 from \"A\" as p, `b` q where p.x = q.`y`", JOIN("b", "x = y") },
	{ "two columns are one join", "select 1 from a join b on a.k = b.k and b.l = a.m",
	    JOIN("b", "k = k AND m = l") },
	{ "USING", "select 1 from a left join b using (k, l)", JOIN("b", "k = k AND l = l") },
	{ "a join of a query inside", "select * from (select 1 from a join b on a.x = b.y) z", JOIN("b", "x = y") },
	{ "one with the query around it", "select 1 from a where exists (select 1 from b where b.y = a.x)",
	    JOIN("b", "x = y") },
	{ "joins in brackets", "select 1 from a left join (b join c on b.k = c.k) on a.x = b.y", JOIN("b", "x = y") },
	{ "functions that are called as joins", "select 1 from a join b on left(a.x, 2) = b.y and a.x = b.y",
	    JOIN("b", "x = y") },
	{ "FROM within a function", "select extract(day from a.d) from a join b on a.x = b.y", JOIN("b", "x = y") },
	{ "IS DISTINCT FROM", "select a.k is distinct from 1 from a join b on a.x = b.y", JOIN("b", "x = y") },
	{ "the schema", "select 1 from s.a join b on a.x = b.y", "\"schema\":\"s\",\"table\":\"a\"" },
	{ "each part of a union", "select 1 from c union all (select 1 from a join b on a.x = b.y)",
	    JOIN("b", "x = y") },
	{ "the calls", "select 1 from a join b on a.x = b.y", "{{a.x}} = {{b.y}}: 3 statements, 3 calls" },
	{ "tables together", "select 1 from a, b", "{{a.*}}, {{b.*}}: 3 statements" },
	{ "a filter", "select 1 from a where x = 'SECRET' and y > 77", "{{a.x}} `=`: all 3 statements" },
	{ "its other operators",
	    "select 1 from a where x between 77 and 78 and not in_use and y is not null and z not in (77)",
	    "{{a.z}} `NOT IN`" },
	{ "a cast value", "select 1 from a where x >= '2024-01-01'::date - interval '1 day'", "{{a.x}} `>=`" },
	{ "a parameter", "select 1 from a where x = $1 or y = 1", NULL },
	{ "a filter that an OR makes optional", "select 1 from a where (x = 77 or y = 77)", NULL },
	{ "an equality within CASE", "select 1 from a, b where case when a.x = b.y then 1 end = 1", NULL },
	{ "a longer operator", "select 1 from a where x <@ 'SECRET'", NULL },
	{ "another column", "select 1 from a where x > y", NULL },
	{ "a name that could be of either table", "select 1 from a, b where x = y", NULL },
	{ "WITH is no table", "with a as (select 1 from c) select 1 from a join b on a.x = b.y", NULL },
	{ "a column that a query computes", "select 1 from (select 1 as x) a join b on a.x = b.y", NULL },
	{ "a table of itself", "select 1 from a p join a q on p.x = q.y", "{{a.x}} = {{a.y}}" },
	{ "what ends in a quote", "select 1 from a where x = 'SECRET", "do not fit" },
	{ "brackets that do not end", "select 1 from a where (x = 77", "ERROR: there is no query" },
	{ "half of a WITH", "with a as select 1 from a", "ERROR: there is no query" },
	{ "what writes", "delete from a where x = 77", "ERROR: there is no query" },
};

/* No literal is told, whatever the statement. */
static void
statements_are_evidence(void **state)
{
	static const char *const tells[] = { "keyed", "`:" };
	char sql[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
		const char *s = statements[i].sql;

		snprintf(sql, sizeof(sql), "%s; -- one\n%s;;\n/* 77 */ %s", s, s, s);
		read_named("queries", "a.sql", sql, NULL);
		if (statements[i].holds != NULL && strstr(buf_cstr(&out), statements[i].holds) == NULL)
			fail_msg("%s: no %s in\n%s", statements[i].what, statements[i].holds, buf_cstr(&out));
		for (size_t t = 0; statements[i].holds == NULL && t < 2; t++)
			if (strstr(buf_cstr(&out), tells[t]) != NULL)
				fail_msg("%s: %s in\n%s", statements[i].what, tells[t], buf_cstr(&out));
		if (strstr(buf_cstr(&out), "SECRET") != NULL || strstr(buf_cstr(&out), "77") != NULL)
			fail_msg("%s: a literal in\n%s", statements[i].what, buf_cstr(&out));
	}
}

/* A log as PostgreSQL and MariaDB count it; what is broken is counted, and the rest is read. */
static void
logs_are_counted(void **state)
{
	struct buf deep = { 0 };
	const char *text;

	(void)state;
	text = read_named("queries", "a.csv",
	    "userid,query,calls\r\n10,\"select 1 from a join b on a.x = b.y\nwhere a.z = $1\",40\n"
	    "10,\"select 1 from a, b where a.x = b.y and a.z = $1\",2\n10,\"select a.\"\"z\"\" from a where a.z = "
	    "$1\",\n"
	    "10,select (,9\n10,commit,9\n",
	    NULL);
	assert_non_null(strstr(text, "{{a.x}} = {{b.y}}: 2 statements, 42 calls"));
	assert_non_null(strstr(text, "{{a.z}} `=`: all 3 statements, 43 calls"));
	assert_non_null(strstr(text, "{\"as\":\"statement\",\"n\":3}"));
	assert_non_null(strstr(text, "\"reason\":\"its brackets, quotes or clauses do not fit\""));
	assert_non_null(strstr(text, "\"reason\":\"it reads no rows"));
	assert_non_null(strstr(text, "\"proposed\":true"));
	text = read_named("queries", "a.csv", "a,b\n1,2\n", NULL);
	assert_non_null(strstr(text, "ERROR: there is no query"));
	buf_str(&deep, "select 1 from a;");
	for (unsigned i = 0; i < 100; i++)
		buf_str(&deep, "select (");
	for (unsigned i = 0; i < 100; i++)
		buf_str(&deep, "1) from a");
	buf_str(&deep, ";select '");
	for (unsigned i = 0; i < 70000; i++)
		buf_byte(&deep, 'x');
	buf_str(&deep, "'");
	text = read_named("queries", "a.sql", buf_cstr(&deep), NULL);
	assert_non_null(strstr(text, "do not fit"));
	assert_non_null(strstr(text, "it has more than 64 KB"));
	buf_fini(&deep);
}

/* A pack whose heads do not fit its bytes is none. */
static void
packs_are_bounded(void **state)
{
	static const char *const packs[] = { "5 a.yml\nabc", "x a.yml\n", "99999999999999999999 a\n", "3 a", "3\nabc" };
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(packs) / sizeof(packs[0]); i++) {
		int fd = file_of(span_str(packs[i]));

		buf_reset(&out, SIZE_MAX);
		struct knowledge_job job = { .pack = fd, .manifest = -1, .kind = SPAN("dbt") };

		if (knowledge_read(&job, &out, &err) == 0)
			fail_msg("%s is read", packs[i]);
		close(fd);
	}
}

/* What is too large for carrel-memory is refused as a whole, and an object that is too large by name. */
static void
sizes_are_bounded(void **state)
{
	struct buf yaml = { 0 }, manifest = { 0 };

	(void)state;
	buf_str(&yaml, "models:\n");
	for (unsigned i = 0; i < 160000; i++)
		buf_printf(&yaml,
		    "- {name: m%u, description: A description of a table that is not very short at all}\n", i);
	assert_non_null(strstr(read_kind("dbt", buf_cstr(&yaml), NULL), "ERROR: what is to be imported is larger"));
	buf_str(&manifest, "{\"nodes\": {\"big\": {\"x\": \"");
	for (size_t i = 0; i < KNOWLEDGE_ENTRY_MAX; i++)
		buf_byte(&manifest, 'x');
	buf_str(&manifest, "\"}, \"model.p.a\": {\"resource_type\": \"model\", \"name\": \"a\"}}}");
	read_kind("dbt", NULL, buf_cstr(&manifest));
	assert_non_null(strstr(buf_cstr(&out), "\"name\":\"big\",\"reason\":\"it cannot be read"));
	assert_non_null(strstr(buf_cstr(&out), "\"table\":\"a\""));
	buf_fini(&yaml);
	buf_fini(&manifest);
	buf_fini(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metrics_are_measures_or_refused),
		cmocka_unit_test(latest_yaml_is_read),
		cmocka_unit_test(derived_metrics_name_their_inputs),
		cmocka_unit_test(texts_are_read_or_refused),
		cmocka_unit_test(statements_are_evidence),
		cmocka_unit_test(logs_are_counted),
		cmocka_unit_test(packs_are_bounded),
		cmocka_unit_test(sizes_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
