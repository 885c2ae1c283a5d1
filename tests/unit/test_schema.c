// libs: carrel_base
/* test_schema.c - what fits, what does not, and what is said about it. */
#include <stdio.h>

#include "base/json/json_read.h"
#include "base/json/json_schema_self.h"
#include "tests/unit/harness.h"

/* A JSON text as a value; the buffer owns the bytes. */
static struct mp_value
value_of(struct buf *b, const char *json)
{
	struct mp_value v = { .class = MP_NIL };
	size_t at;

	b->len = 0;
	if (json_read(span_str(json), b, &at) != JSON_OK || !mp_value(buf_view(b), &v))
		fail_msg("%s is no JSON", json);
	return v;
}

static struct schema_result result;

static bool
fits(const char *schema, const char *value)
{
	struct buf sb = BUF_MAX(0), vb = BUF_MAX(0);
	struct mp_value s = value_of(&sb, schema), v = value_of(&vb, value);
	char why[128];
	bool ok;

	if (!schema_check_self(&s, why, sizeof(why)))
		fail_msg("%s: %s", schema, why);
	memset(&result, 'x', sizeof(result));
	ok = schema_check(&s, &v, &result);
	assert_int_equal(ok, result.total == 0);
	/* Each example that is given fits where the problem was: it is JSON at least. */
	for (size_t i = 0; i < result.total && i < SCHEMA_ISSUES_MAX; i++)
		if (result.issues[i].example[0] != '\0')
			(void)value_of(&vb, result.issues[i].example);
	buf_fini(&sb);
	buf_fini(&vb);
	return ok;
}

static void
assert_issue(size_t i, const char *path, const char *problem, const char *example)
{
	assert_true(i < result.total);
	assert_string_equal(result.issues[i].path, path);
	assert_string_equal(result.issues[i].problem, problem);
	assert_string_equal(result.issues[i].example, example);
}

static void
types(void **state)
{
	static const char *const names[] = { "string", "integer", "number", "boolean", "object", "array", "null" };
	static const struct {
		const char *value, *fit;
	} rows[] = {
		{ "\"\"", "1000000" },
		{ "7", "0110000" },
		{ "-7", "0110000" },
		{ "7.5", "0010000" },
		{ "7.0", "0110000" },
		{ "true", "0001000" },
		{ "{}", "0000100" },
		{ "[]", "0000010" },
		{ "null", "0000001" },
	};

	(void)state;
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++)
		for (size_t n = 0; n < 7; n++) {
			char schema[64];

			snprintf(schema, sizeof(schema), "{\"type\":\"%s\"}", names[n]);
			assert_int_equal(fits(schema, rows[r].value), rows[r].fit[n] == '1');
		}
	assert_true(fits("{\"type\":[\"string\",\"null\"]}", "null"));
	assert_false(fits("{\"type\":[\"string\",\"null\"]}", "1"));
	assert_issue(0, "", "must be a string or null", "\"text\"");
	assert_true(fits("{}", "{\"a\":1}"));
	assert_true(fits("true", "1"));
	assert_false(fits("false", "1"));
}

static void
numbers(void **state)
{
	(void)state;
	assert_true(fits("{\"minimum\":1,\"maximum\":50}", "1"));
	assert_true(fits("{\"minimum\":1,\"maximum\":50}", "50"));
	assert_false(fits("{\"type\":\"integer\",\"minimum\":1,\"maximum\":50}", "51"));
	assert_issue(0, "", "must be at most 50", "1");
	assert_false(fits("{\"type\":\"integer\",\"minimum\":1,\"default\":10}", "-3"));
	assert_issue(0, "", "must be at least 1", "10");
	assert_false(fits("{\"minimum\":0.5}", "0.25"));
	assert_true(fits("{\"minimum\":-5}", "-5.0"));
	assert_true(fits("{\"maximum\":18446744073709551615}", "18446744073709551615"));
	assert_false(fits("{\"maximum\":18446744073709551614}", "18446744073709551615"));
	assert_false(fits("{\"minimum\":0}", "-9223372036854775808"));
	assert_true(fits("{\"minimum\":5}", "\"not a number\""));
}

static void
strings(void **state)
{
	(void)state;
	assert_false(fits("{\"type\":\"string\",\"minLength\":1}", "\"\""));
	assert_issue(0, "", "must not be empty", "\"text\"");
	assert_false(fits("{\"minLength\":3}", "\"\xc3\xa9\xc3\xa9\""));
	assert_string_equal(result.issues[0].problem, "must have at least 3 characters");
	assert_true(fits("{\"maxLength\":2}", "\"\xf0\x9f\x93\x96\xc3\xa9\""));
	assert_false(fits("{\"maxLength\":2}", "\"abc\""));
	assert_string_equal(result.issues[0].problem, "must have at most 2 characters");
	assert_false(fits("{\"maxLength\":1}", "\"abc\""));
	assert_string_equal(result.issues[0].problem, "must have at most 1 character");
}

static void
choices(void **state)
{
	(void)state;
	assert_true(fits("{\"enum\":[\"a\",\"b\",null,1,[1,2],{\"x\":1,\"y\":2}]}", "{\"y\":2,\"x\":1}"));
	assert_true(fits("{\"enum\":[\"a\",\"b\",null,1]}", "1.0"));
	assert_true(fits("{\"enum\":[[1,2]]}", "[1,2]"));
	assert_false(fits("{\"enum\":[[1,2]]}", "[1,3]"));
	assert_false(fits("{\"enum\":[{\"x\":1}]}", "{\"x\":1,\"y\":2}"));
	assert_false(fits("{\"enum\":[{\"x\":1,\"z\":2}]}", "{\"x\":1,\"y\":2}"));
	assert_false(fits("{\"enum\":[\"asc\",\"desc\"]}", "\"up\""));
	assert_issue(0, "", "must be one of \"asc\", \"desc\"", "\"asc\"");
	assert_false(fits("{\"const\":\"x\"}", "\"y\""));
	assert_issue(0, "", "must be \"x\"", "\"x\"");
	assert_true(fits("{\"const\":true}", "true"));
	assert_false(fits("{\"const\":true}", "false"));
}

static void
arrays(void **state)
{
	(void)state;
	assert_true(fits("{\"items\":{\"type\":\"string\"}}", "[\"a\",\"b\"]"));
	assert_false(fits("{\"items\":{\"type\":\"string\"}}", "[\"a\",2,\"c\",null]"));
	assert_int_equal(result.total, 2);
	assert_issue(0, "[1]", "must be a string", "\"text\"");
	assert_issue(1, "[3]", "must be a string", "\"text\"");
	assert_false(fits("{\"type\":\"array\",\"minItems\":1,\"items\":{\"type\":\"integer\"}}", "[]"));
	assert_issue(0, "", "must not be empty", "[1]");
	assert_false(fits("{\"maxItems\":2}", "[1,2,3]"));
	assert_string_equal(result.issues[0].problem, "must have at most 2 items");
}

static const char query[] =
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"connectionId\",\"sql\"],\"properties\":{"
    "\"connectionId\":{\"type\":\"string\",\"minLength\":1,\"examples\":[\"shop\"]},"
    "\"sql\":{\"type\":\"string\",\"minLength\":1,\"examples\":[\"select 1\"]},"
    "\"maxRows\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":10000,\"default\":1000},"
    "\"entities\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"table\"],"
    "\"properties\":{\"table\":{\"type\":\"string\"}}}}}}";

static void
objects(void **state)
{
	(void)state;
	assert_true(fits(query, "{\"connectionId\":\"shop\",\"sql\":\"select 1\",\"maxRows\":5}"));
	assert_false(fits(query, "{}"));
	assert_int_equal(result.total, 2);
	assert_issue(0, "connectionId", "is missing", "\"shop\"");
	assert_issue(1, "sql", "is missing", "\"select 1\"");
	assert_false(fits(query, "{\"connectionId\":\"s\",\"sql\":\"x\",\"limit\":5}"));
	assert_issue(0, "limit", "is not known here; known: connectionId, sql, maxRows, entities", "");
	assert_false(fits(query,
	    "{\"connectionId\":\"s\",\"sql\":\"x\",\"entities\":[{\"table\":\"t\"},{\"table\":7},{}]}"));
	assert_int_equal(result.total, 2);
	assert_issue(0, "entities[1].table", "must be a string", "\"text\"");
	assert_issue(1, "entities[2].table", "is missing", "\"text\"");
	assert_false(fits(query, "[]"));
	assert_issue(0, "", "must be an object", "{\"connectionId\":\"shop\",\"sql\":\"select 1\"}");
}

static void
additional(void **state)
{
	(void)state;
	assert_true(fits("{\"additionalProperties\":true}", "{\"a\":1}"));
	assert_true(
	    fits("{\"properties\":{\"a\":{\"type\":\"string\"}},\"additionalProperties\":{\"type\":\"integer\"}}",
		"{\"a\":\"x\",\"b\":2}"));
	assert_false(fits("{\"additionalProperties\":{\"type\":\"integer\"}}", "{\"b\":\"x\"}"));
	assert_issue(0, "b", "must be an integer", "1");
}

static void
branches(void **state)
{
	static const char schema[] =
	    "{\"anyOf\":[{\"type\":\"string\"},"
	    "{\"type\":\"object\",\"required\":[\"a\",\"b\"]},"
	    "{\"type\":\"object\",\"required\":[\"a\",\"c\",\"d\"],\"properties\":{\"c\":{\"type\":\"integer\"}}}]}";

	(void)state;
	assert_true(fits(schema, "\"x\""));
	assert_true(fits(schema, "{\"a\":1,\"b\":2}"));
	assert_true(fits(schema, "{\"a\":1,\"c\":2,\"d\":3}"));
	/* The branch that is nearest is explained. */
	assert_false(fits(schema, "{\"a\":1}"));
	assert_int_equal(result.total, 1);
	assert_issue(0, "b", "is missing", "");
	assert_false(fits(schema, "7"));
	assert_int_equal(result.total, 1);
	assert_string_equal(result.issues[0].problem, "must be a string or an object or an object");
	assert_true(fits("{\"oneOf\":[{\"minimum\":5},{\"type\":\"null\"}]}", "null"));
	assert_false(fits("{\"oneOf\":[{\"type\":\"integer\",\"minimum\":5},{\"type\":\"null\"}]}", "3"));
	assert_issue(0, "", "must be at least 5", "5");
}

/* Branches inside branches: the work must not double at each level. */
static void
nested_branches(void **state)
{
	struct buf schema = BUF_MAX(0);

	(void)state;
	for (int i = 0; i < 15; i++)
		buf_str(&schema, "{\"anyOf\":[");
	buf_str(&schema, "{\"type\":\"string\"}");
	for (int i = 0; i < 15; i++)
		buf_str(&schema, "]}");
	assert_true(fits(buf_cstr(&schema), "\"x\""));
	assert_false(fits(buf_cstr(&schema), "1"));
	assert_int_equal(result.total, 1);
	buf_fini(&schema);
}

static void
references(void **state)
{
	static const char tree[] =
	    "{\"$defs\":{\"node\":{\"type\":\"object\",\"additionalProperties\":false,"
	    "\"properties\":{\"next\":{\"$ref\":\"#/$defs/node\"},\"n\":{\"type\":\"integer\"}}}},"
	    "\"$ref\":\"#/$defs/node\"}";

	(void)state;
	assert_true(fits(tree, "{\"next\":{\"next\":{\"n\":3}}}"));
	assert_false(fits(tree, "{\"next\":{\"next\":{\"n\":\"x\"}}}"));
	assert_issue(0, "next.next.n", "must be an integer", "1");
	assert_false(fits(tree, "{\"other\":1}"));
	/* One that only refers to itself ends, and nothing fits it. */
	assert_false(fits("{\"$defs\":{\"a\":{\"$ref\":\"#/$defs/a\"}},\"$ref\":\"#/$defs/a\"}", "1"));
	assert_false(fits("{\"$defs\":{\"a\":{\"anyOf\":[{\"$ref\":\"#/$defs/a\"}]}},\"$ref\":\"#/$defs/a\"}", "1"));
	/* Nor does one that doubles at every step take for ever. */
	assert_false(fits("{\"$defs\":{\"a\":{\"allOf\":[{\"$ref\":\"#/$defs/a\"},{\"$ref\":\"#/$defs/a\"}]}},"
			  "\"$ref\":\"#/$defs/a\"}",
	    "1"));
}

static void
combinations(void **state)
{
	static const char contact[] =
	    "{\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},{\"required\":[\"email\"]}]}],"
	    "\"if\":{\"required\":[\"by\"],\"properties\":{\"by\":{\"const\":\"phone\"}}},"
	    "\"then\":{\"required\":[\"phone\"]},\"else\":{\"required\":[\"email\"]}}";

	(void)state;
	assert_true(fits(contact, "{\"by\":\"phone\",\"phone\":\"1\"}"));
	assert_true(fits(contact, "{\"email\":\"e\"}"));
	assert_false(fits(contact, "{\"by\":\"phone\",\"email\":\"e\"}"));
	assert_issue(0, "phone", "is missing", "");
	assert_false(fits(contact, "{\"phone\":\"1\"}"));
	assert_false(fits(contact, "{}"));
	assert_true(fits("{\"if\":{\"type\":\"string\"},\"then\":{\"minLength\":2}}", "1"));
}

static void
many_issues(void **state)
{
	(void)state;
	assert_false(fits("{\"items\":{\"type\":\"null\"}}", "[1,2,3,4,5,6,7,8,9,10,11]"));
	assert_int_equal(result.total, 11);
	assert_issue(7, "[7]", "must be null", "null");
}

/* Long keys and lists are cut between characters. */
static void
cuts(void **state)
{
	struct buf value = BUF_MAX(0);

	(void)state;
	buf_str(&value, "{\"x");
	for (int i = 0; i < 100; i++)
		buf_str(&value, "\xe2\x82\xac");
	buf_str(&value, "\":1}");
	assert_false(fits("{\"additionalProperties\":false}", buf_cstr(&value)));
	assert_int_equal(strlen(result.issues[0].path), 127);
	assert_string_equal(result.issues[0].problem, "is not known here");
	buf_fini(&value);
	assert_false(fits("{\"const\":\"0123456789012345678901234567890123456789012345678901234567890123456789"
			  "01234567890123456789012345678901234567890123456789\"}",
	    "1"));
	assert_string_equal(result.issues[0].example, "");
}

/* An item borrows from the list's example, and a long example gives way to a short one. */
static void
examples(void **state)
{
	char long_one[256];

	(void)state;
	assert_false(fits("{\"properties\":{\"m\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},"
			  "\"examples\":[[\"orders.revenue\"]]}}}",
	    "{\"m\":[7]}"));
	assert_issue(0, "m[0]", "must be a string", "\"orders.revenue\"");
	assert_false(fits("{\"type\":\"array\",\"items\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"object\"}]},"
			  "\"examples\":[[{\"a\":1}]]}",
	    "[7]"));
	assert_issue(0, "[0]", "must be a string or an object", "{\"a\":1}");
	/* its own stands before the list's, and what is inside an item has nothing of the list */
	assert_false(fits("{\"type\":\"array\",\"items\":{\"enum\":[\"a\"]},\"examples\":[[\"b\"]]}", "[7]"));
	assert_issue(0, "[0]", "must be one of \"a\"", "\"a\"");
	assert_false(fits("{\"type\":\"array\",\"items\":{\"properties\":{\"x\":{\"type\":\"integer\"}}},"
			  "\"examples\":[[{\"x\":5}]]}",
	    "[{\"x\":\"y\"}]"));
	assert_issue(0, "[0].x", "must be an integer", "1");
	/* no example in the list's example */
	assert_false(fits("{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"examples\":[[]]}", "[7]"));
	assert_issue(0, "[0]", "must be a string", "\"text\"");
	snprintf(long_one, sizeof(long_one), "{\"type\":\"string\",\"examples\":[\"%0120d\"]}", 7);
	assert_false(fits(long_one, "7"));
	assert_issue(0, "", "must be a string", "\"text\"");
}

static void
self(void **state)
{
	static const struct {
		const char *schema, *why;
	} rows[] = {
		{ "{\"pattern\":\"x\"}", "pattern: only that of a UUID is enforced" },
		{ "{\"properties\":{\"a\":{\"format\":\"uuid\"}}}", "format: this keyword is not enforced" },
		{ "{\"items\":{\"anyOf\":[{\"uniqueItems\":true}]}}", "uniqueItems: this keyword is not enforced" },
		{ "{\"additionalProperties\":{\"$ref\":\"#\"}}",
		    "$ref: must be \"#/$defs/<name>\" of one that is there" },
		{ "{\"type\":\"text\"}", "type: must name known types" },
		{ "{\"type\":[]}", "type: must name known types" },
		{ "{\"type\":[\"string\",1]}", "type: must name known types" },
		{ "{\"required\":[1]}", "required: must be an array of strings" },
		{ "{\"required\":\"a\"}", "required: must be an array of strings" },
		{ "{\"minLength\":-1}", "minLength: must be an integer, zero or more" },
		{ "{\"maxItems\":1.5}", "maxItems: must be an integer, zero or more" },
		{ "{\"minimum\":\"1\"}", "minimum: must be a number" },
		{ "{\"enum\":[]}", "enum: must be an array that is not empty" },
		{ "{\"anyOf\":{}}", "anyOf: must be an array of schemas" },
		{ "{\"oneOf\":[]}", "oneOf: must be an array of schemas" },
		{ "{\"properties\":[]}", "properties: must be an object of schemas" },
		{ "{\"items\":7}", "schema: must be an object, true or false" },
		{ "[]", "schema: must be an object, true or false" },
	};
	struct buf b = BUF_MAX(0);
	struct mp_value v;
	char why[128];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		v = value_of(&b, rows[i].schema);
		assert_false(schema_check_self(&v, why, sizeof(why)));
		assert_string_equal(why, rows[i].why);
	}
	v = value_of(&b, "{\"pattern\":\"" SCHEMA_UUID "\"}");
	assert_true(schema_check_self(&v, why, sizeof(why)));
	v = value_of(&b, query);
	assert_true(schema_check_self(&v, why, sizeof(why)));
	v = value_of(&b,
	    "{\"$schema\":\"x\",\"title\":\"t\",\"description\":\"d\",\"default\":1,\"examples\":[1],\"const\":1}");
	assert_true(schema_check_self(&v, why, sizeof(why)));
	buf_fini(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types),
		cmocka_unit_test(numbers),
		cmocka_unit_test(strings),
		cmocka_unit_test(choices),
		cmocka_unit_test(arrays),
		cmocka_unit_test(objects),
		cmocka_unit_test(additional),
		cmocka_unit_test(branches),
		cmocka_unit_test(nested_branches),
		cmocka_unit_test(references),
		cmocka_unit_test(combinations),
		cmocka_unit_test(many_issues),
		cmocka_unit_test(cuts),
		cmocka_unit_test(examples),
		cmocka_unit_test(self),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
