/* json_schema.c - see json_schema.h.  Recursion follows the schema, which mp_scan() holds to MP_DEPTH_MAX. */
#include <stdio.h>
#include <string.h>

#include "base/json/json_write.h"
#include "base/json/json_schema.h"
#include "base/json/json_schema_text.h"
#include "base/text/uuid.h"
#include "base/utf8.h"

#define REFS_MAX	32u	/* one within another; deeper ones are not followed */
#define REFS_ALL	100000u	/* in one check: a schema may be made to double at every step */

struct checker {
	const struct mp_value	*root;		/* what $ref refers to */
	unsigned		 refs;		/* $refs followed from the root to here */
	unsigned		*refs_left;	/* of those followed anywhere in this check */
	struct schema_result	*result;	/* NULL: only count */
	size_t			 total;
	const struct mp_value	*list, *items;	/* the array's schema around the value at hand, and its items' */
	char			 path[128];
	size_t			 path_len;
};

static void check_value(struct checker *c, const struct mp_value *schema, const struct mp_value *value);

enum keyword {
	TYPE, CONST, ENUM, MINIMUM, MAXIMUM, MIN_LENGTH, MAX_LENGTH, MIN_ITEMS, MAX_ITEMS, ITEMS, PROPERTIES, REQUIRED,
	ADDITIONAL, ANY_OF, ONE_OF, ALL_OF, REF, IF, THEN, ELSE, PATTERN, KEYWORDS
};

static const struct span keyword_names[KEYWORDS] = {
	[TYPE] = SPAN("type"), [CONST] = SPAN("const"), [ENUM] = SPAN("enum"), [MINIMUM] = SPAN("minimum"),
	[MAXIMUM] = SPAN("maximum"), [MIN_LENGTH] = SPAN("minLength"), [MAX_LENGTH] = SPAN("maxLength"),
	[MIN_ITEMS] = SPAN("minItems"), [MAX_ITEMS] = SPAN("maxItems"), [ITEMS] = SPAN("items"),
	[PROPERTIES] = SPAN("properties"), [REQUIRED] = SPAN("required"), [ADDITIONAL] = SPAN("additionalProperties"),
	[ANY_OF] = SPAN("anyOf"), [ONE_OF] = SPAN("oneOf"), [ALL_OF] = SPAN("allOf"), [REF] = SPAN("$ref"),
	[IF] = SPAN("if"), [THEN] = SPAN("then"), [ELSE] = SPAN("else"), [PATTERN] = SPAN("pattern"),
};

/* A schema and where its keywords are: found in one pass, because most schemas have few of those that are asked for. */
struct keywords {
	const struct mp_value	*schema;
	struct span		 at[KEYWORDS];	/* p NULL: the schema does not have the keyword */
};

static void
find_keywords(const struct mp_value *schema, struct keywords *k)
{
	struct mp_iter it = mp_iter(schema);
	struct mp_value v;
	struct span key;

	*k = (struct keywords){ .schema = schema };
	while (mp_next_pair(&it, &key, &v))
		for (unsigned i = 0; i < KEYWORDS; i++)
			if (span_is(key, keyword_names[i])) {
				if (k->at[i].p == NULL)
					k->at[i] = v.raw;
				break;
			}
}

static bool
has_keyword(const struct keywords *k, enum keyword keyword, struct mp_value *v)
{
	if (k->at[keyword].p != NULL)
		return mp_value(k->at[keyword], v);
	*v = (struct mp_value){ .class = MP_NIL };
	return false;
}

/* The length of a path before path_member() or path_index(), for restoring the path. */
static size_t
path_append(struct checker *c, const char *s, size_t len)
{
	size_t before = c->path_len, room = sizeof(c->path) - 1 - before;

	len = utf8_cut((const uint8_t *)s, len, room);
	memcpy(c->path + before, s, len);
	c->path_len += len;
	c->path[c->path_len] = '\0';
	return before;
}

static size_t
path_member(struct checker *c, struct span key)
{
	size_t before = c->path_len;

	if (before > 0)
		(void)path_append(c, ".", 1);
	(void)path_append(c, (const char *)key.p, key.len);
	return before;
}

static size_t
path_index(struct checker *c, size_t i)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "[%zu]", i);

	return path_append(c, text, (size_t)n);
}

static void
path_back(struct checker *c, size_t before)
{
	c->path_len = before;
	c->path[before] = '\0';
}

/* Copy what fits, whole characters. */
static void
copy_cut(char *out, size_t cap, const struct buf *text)
{
	size_t n = utf8_cut(text->p, text->len, cap - 1);

	if (n > 0)
		memcpy(out, text->p, n);
	out[n] = '\0';
}

/* Whether problems should be described in words. */
static bool
wanted(const struct checker *c)
{
	return c->result != NULL && c->result->total < SCHEMA_ISSUES_MAX;
}

/*
 * A JSON example that schema accepts: its own example, else one from the example of its list, else one made from its
 * keywords, which also replaces an example that is too long.
 */
static void
put_example(const struct checker *c, struct buf *out, const struct mp_value *schema)
{
	if (schema != c->items || !schema_put_item_example(out, c->list, schema))
		schema_put_example(out, schema);
	if (!out->full)
		return;
	buf_reset(out, SIZE_MAX);
	schema_put_made_example(out, schema);
	if (out->full)
		out->len = 0; /* a truncated example would be invalid */
}

/* Add an issue at the current path; *problem (may be NULL) is freed. */
static void
issue(struct checker *c, struct buf *problem, const struct mp_value *schema)
{
	struct buf example = BUF_MAX(sizeof(((struct schema_issue *)0)->example) - 1);

	c->total++;
	if (wanted(c)) {
		struct schema_issue *at = &c->result->issues[c->result->total];

		memcpy(at->path, c->path, sizeof(at->path));
		copy_cut(at->problem, sizeof(at->problem), problem);
		if (schema != NULL)
			put_example(c, &example, schema);
		copy_cut(at->example, sizeof(at->example), &example);
	}
	if (c->result != NULL)
		c->result->total++;
	buf_fini(&example);
	buf_fini(problem);
}

/* The same for a fixed text. */
static void
issue_text(struct checker *c, const char *text, const struct mp_value *schema)
{
	struct buf problem = BUF_MAX(0);

	if (wanted(c))
		buf_str(&problem, text);
	issue(c, &problem, schema);
}

/* "must be at most 50", "must have at least 2 items". */
static void
issue_bound(struct checker *c, const char *before, const struct mp_value *bound, const char *after,
    const struct mp_value *schema)
{
	struct buf problem = BUF_MAX(0);

	if (wanted(c)) {
		buf_str(&problem, before);
		json_write(&problem, bound);
		buf_str(&problem, after);
		if (*after != '\0' && !(bound->class == MP_UINT && bound->u == 1))
			buf_byte(&problem, 's');
	}
	issue(c, &problem, schema);
}

/* <0, 0, >0; both are numbers.  Integers compare exactly. */
static int
number_cmp(const struct mp_value *a, const struct mp_value *b)
{
	if (a->class == MP_FLOAT || b->class == MP_FLOAT) {
		double x = mp_number(a), y = mp_number(b);

		return (x > y) - (x < y);
	}
	if (a->class != b->class)
		return a->class == MP_INT ? -1 : 1;
	if (a->class == MP_INT)
		return (a->i > b->i) - (a->i < b->i);
	return (a->u > b->u) - (a->u < b->u);
}

static bool value_equal(const struct mp_value *a, const struct mp_value *b);

static bool
map_equal(const struct mp_value *a, const struct mp_value *b)
{
	struct mp_iter outer = mp_iter(a), inner;
	struct span key, other;
	struct mp_value x, y;

	while (mp_next_pair(&outer, &key, &x)) {
		bool found = false;

		for (inner = mp_iter(b); !found && mp_next_pair(&inner, &other, &y);)
			found = span_is(key, other) && value_equal(&x, &y);
		if (!found)
			return false;
	}
	return true;
}

static bool
value_equal(const struct mp_value *a, const struct mp_value *b)
{
	struct mp_iter ia, ib;
	struct mp_value x, y;

	if (mp_is_number(a) && mp_is_number(b))
		return number_cmp(a, b) == 0;
	if (a->class != b->class)
		return false;
	switch (a->class) {
	case MP_BOOL:
		return a->boolean == b->boolean;
	case MP_STR:
	case MP_BIN:
		return span_is(a->s, b->s);
	case MP_MAP:
		return a->n == b->n && map_equal(a, b);
	case MP_ARRAY:
		if (a->n != b->n)
			return false;
		for (ia = mp_iter(a), ib = mp_iter(b); mp_next(&ia, &x) && mp_next(&ib, &y);)
			if (!value_equal(&x, &y))
				return false;
		return true;
	default:
		return true;
	}
}

static bool
list_has(const struct mp_value *list, const struct mp_value *value)
{
	struct mp_iter it = mp_iter(list);
	struct mp_value v;

	while (mp_next(&it, &v))
		if (value_equal(&v, value))
			return true;
	return false;
}

static bool
type_allows(const struct mp_value *type, const struct mp_value *value)
{
	struct mp_iter it = mp_iter(type);
	struct mp_value v;

	if (type->class == MP_STR)
		return schema_type_fits(type->s, value);
	while (mp_next(&it, &v))
		if (v.class == MP_STR && schema_type_fits(v.s, value))
			return true;
	return false;
}

static void
check_number(struct checker *c, const struct keywords *k, const struct mp_value *value)
{
	struct mp_value bound;

	if (has_keyword(k, MINIMUM, &bound) && mp_is_number(&bound) && number_cmp(value, &bound) < 0)
		issue_bound(c, "must be at least ", &bound, "", k->schema);
	if (has_keyword(k, MAXIMUM, &bound) && mp_is_number(&bound) && number_cmp(value, &bound) > 0)
		issue_bound(c, "must be at most ", &bound, "", k->schema);
}

/* n of something whose number is bounded on both sides. */
static void
check_count(struct checker *c, const struct keywords *k, size_t n, enum keyword least,
    enum keyword most, const char *unit)
{
	struct mp_value bound;

	if (has_keyword(k, least, &bound) && bound.class == MP_UINT && n < bound.u) {
		if (bound.u == 1)
			issue_text(c, "must not be empty", k->schema);
		else
			issue_bound(c, "must have at least ", &bound, unit, k->schema);
	}
	if (has_keyword(k, most, &bound) && bound.class == MP_UINT && n > bound.u)
		issue_bound(c, "must have at most ", &bound, unit, k->schema);
}

static void
check_string(struct checker *c, const struct keywords *k, struct span text)
{
	char id[UUID_LENGTH + 1];
	struct mp_value pattern;

	check_count(c, k, utf8_count(text), MIN_LENGTH, MAX_LENGTH, " character");
	if (has_keyword(k, PATTERN, &pattern) && !uuid_read(text, id))
		issue_text(c, "must be a UUID", k->schema);
}

static void
check_items(struct checker *c, const struct keywords *k, const struct mp_value *value)
{
	const struct mp_value *outer_list = c->list, *outer_items = c->items;
	struct mp_iter it = mp_iter(value);
	struct mp_value items, v;

	check_count(c, k, value->n, MIN_ITEMS, MAX_ITEMS, " item");
	if (!has_keyword(k, ITEMS, &items))
		return;
	for (size_t i = 0; mp_next(&it, &v); i++) {
		size_t before = path_index(c, i);

		c->list = k->schema;
		c->items = &items;
		check_value(c, &items, &v);
		path_back(c, before);
	}
	c->list = outer_list;
	c->items = outer_items;
}

static void
check_required(struct checker *c, const struct keywords *k, const struct mp_value *properties,
    const struct mp_value *value)
{
	struct mp_value required, name, v, property;
	struct mp_iter it;

	if (!has_keyword(k, REQUIRED, &required) || required.class != MP_ARRAY)
		return;
	for (it = mp_iter(&required); mp_next(&it, &name);) {
		size_t before;

		if (name.class != MP_STR || mp_member(value, name.s, &v))
			continue;
		before = path_member(c, name.s);
		issue_text(c, "is missing", mp_member(properties, name.s, &property) ? &property : NULL);
		path_back(c, before);
	}
}

static void
issue_unknown(struct checker *c, const struct mp_value *properties)
{
	struct mp_iter it = mp_iter(properties);
	struct buf problem = BUF_MAX(0);
	struct mp_value v;
	struct span key;

	if (wanted(c)) {
		buf_str(&problem, "is not known here");
		for (size_t i = 0; mp_next_pair(&it, &key, &v); i++) {
			buf_str(&problem, i == 0 ? "; known: " : ", ");
			buf_span(&problem, key);
		}
	}
	issue(c, &problem, NULL);
}

static void
check_members(struct checker *c, const struct keywords *k, const struct mp_value *value)
{
	struct mp_value properties, additional, property, v;
	bool more = has_keyword(k, ADDITIONAL, &additional);
	struct mp_iter it = mp_iter(value);
	struct span key;

	(void)has_keyword(k, PROPERTIES, &properties);
	check_required(c, k, &properties, value);
	while (mp_next_pair(&it, &key, &v)) {
		size_t before = path_member(c, key);

		if (mp_member(&properties, key, &property))
			check_value(c, &property, &v);
		else if (more && additional.class == MP_BOOL && !additional.boolean)
			issue_unknown(c, &properties);
		else if (more)
			check_value(c, &additional, &v);
		path_back(c, before);
	}
}

/* How badly value misses schema; 0: it fits. */
static size_t
misses(const struct checker *within, const struct mp_value *schema, const struct mp_value *value)
{
	struct checker c = { .root = within->root, .refs = within->refs, .refs_left = within->refs_left,
	    .result = NULL };
	struct mp_value type;

	check_value(&c, schema, value);
	/* Explain a branch of another type only as the last choice. */
	if (c.total > 0 && mp_get(schema, "type", &type) && !type_allows(&type, value))
		return SIZE_MAX;
	return c.total;
}

/* None of the branches is for a value of this type: name all types. */
static void
issue_branches(struct checker *c, const struct mp_value *branches, const struct mp_value *schema)
{
	struct mp_iter it = mp_iter(branches);
	struct buf problem = BUF_MAX(0);
	struct mp_value branch, type;

	if (wanted(c)) {
		buf_str(&problem, "must be ");
		for (size_t i = 0; mp_next(&it, &branch); i++) {
			if (i > 0)
				buf_str(&problem, " or ");
			if (mp_get(&branch, "type", &type))
				schema_put_types(&problem, &type);
		}
	}
	issue(c, &problem, schema);
}

static void
check_branches(struct checker *c, const struct keywords *k, enum keyword keyword,
    const struct mp_value *value)
{
	struct mp_value branches, branch, best = { .class = MP_NIL };
	size_t least = SIZE_MAX;
	struct mp_iter it;

	if (!has_keyword(k, keyword, &branches) || branches.class != MP_ARRAY)
		return;
	for (it = mp_iter(&branches); least > 0 && mp_next(&it, &branch);) {
		size_t n = misses(c, &branch, value);

		if (n < least) {
			least = n;
			best = branch;
		}
	}
	if (c->result == NULL)
		c->total +=
		    least == SIZE_MAX ? 1 : least; /* counted: a second walk at each level would be exponential */
	else if (least == SIZE_MAX)
		issue_branches(c, &branches, k->schema);
	else if (least > 0)
		check_value(c, &best, value);
}

static void
check_type(struct checker *c, const struct mp_value *schema, const struct mp_value *type)
{
	struct buf problem = BUF_MAX(0);

	if (wanted(c)) {
		buf_str(&problem, "must be ");
		schema_put_types(&problem, type);
	}
	issue(c, &problem, schema);
}

/* const and enum; false when one of them refuses. */
static bool
check_choice(struct checker *c, const struct keywords *k, const struct mp_value *value)
{
	struct buf problem = BUF_MAX(0);
	struct mp_value kw;

	if (has_keyword(k, CONST, &kw) && !value_equal(&kw, value)) {
		issue_bound(c, "must be ", &kw, "", k->schema);
		return false;
	}
	if (has_keyword(k, ENUM, &kw) && !list_has(&kw, value)) {
		if (wanted(c)) {
			buf_str(&problem, "must be one of ");
			schema_put_list(&problem, &kw);
		}
		issue(c, &problem, k->schema);
		return false;
	}
	return true;
}

/* A schema that refers to itself without going down into the value is given up, as one that nothing fits. */
static void
check_ref(struct checker *c, const struct keywords *k, const struct mp_value *value)
{
	struct mp_value ref, target;

	if (!has_keyword(k, REF, &ref))
		return;
	if (c->refs == REFS_MAX || *c->refs_left == 0 || ref.class != MP_STR ||
	    !schema_find_ref(c->root, ref.s, &target)) {
		issue_text(c, "cannot be checked", NULL);
		return;
	}
	c->refs++;
	--*c->refs_left;
	check_value(c, &target, value);
	c->refs--;
}

static void
check_all(struct checker *c, const struct keywords *k, const struct mp_value *value)
{
	struct mp_value all, one;
	struct mp_iter it;

	if (!has_keyword(k, ALL_OF, &all) || all.class != MP_ARRAY)
		return;
	it = mp_iter(&all);
	while (mp_next(&it, &one))
		check_value(c, &one, value);
}

static void
check_condition(struct checker *c, const struct keywords *k, const struct mp_value *value)
{
	struct mp_value condition, branch;

	if (has_keyword(k, IF, &condition) && has_keyword(k, misses(c, &condition, value) == 0 ? THEN : ELSE, &branch))
		check_value(c, &branch, value);
}

static void
check_value(struct checker *c, const struct mp_value *schema, const struct mp_value *value)
{
	struct keywords k;
	struct mp_value type;

	if (schema->class == MP_BOOL && !schema->boolean)
		issue_text(c, "is not allowed here", NULL);
	if (schema->class != MP_MAP)
		return;
	find_keywords(schema, &k);
	if (has_keyword(&k, TYPE, &type) && !type_allows(&type, value)) {
		check_type(c, schema, &type);
		return;
	}
	if (!check_choice(c, &k, value))
		return;
	if (mp_is_number(value))
		check_number(c, &k, value);
	else if (value->class == MP_STR)
		check_string(c, &k, value->s);
	else if (value->class == MP_ARRAY)
		check_items(c, &k, value);
	else if (value->class == MP_MAP)
		check_members(c, &k, value);
	check_branches(c, &k, ANY_OF, value);
	check_branches(c, &k, ONE_OF, value);
	check_ref(c, &k, value);
	check_all(c, &k, value);
	check_condition(c, &k, value);
}

bool
schema_check(const struct mp_value *schema, const struct mp_value *value, struct schema_result *result)
{
	unsigned refs = REFS_ALL;
	struct checker c = { .root = schema, .refs_left = &refs, .result = result };

	result->total = 0;
	check_value(&c, schema, value);
	return c.total == 0;
}
