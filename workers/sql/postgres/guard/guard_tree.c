#include "base/hash.h"
#include "base/json/json_text.h"
#include "base/mem.h"
#include "workers/sql/postgres/guard/guard_tree.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	struct span	name;
	uint16_t	 key;
} keys[] = {
#define KIND(name)			{ SPAN(#name), GUARD_##name },
#define REFUSED(name, it, instead)	{ SPAN(#name), GUARD_##name },
#define FIELD(name)			{ SPAN(#name), GUARD_##name },
#define BARE(name, of)			{ SPAN(#name), GUARD_##name },
#include "workers/sql/postgres/guard/guard_nodes.def"
#undef KIND
#undef REFUSED
#undef FIELD
#undef BARE
};

#define NKEYS	(sizeof(keys) / sizeof(keys[0]))

static void
fill_names(struct table *names)
{
	table_reserve(names, NKEYS);
	for (uint32_t i = 0; i < NKEYS; i++)
		table_add(names, hash_of(keys[i].name), i);
}

static uint16_t
find_key(struct guard_tree *t, const char *s, size_t len)
{
	uint64_t hash = hash_of(span_of(s, len));
	uint32_t row;

	for (size_t at = table_start(hash); (row = table_next(&t->names, hash, &at)) != TABLE_NONE;) {
		struct span name = keys[row].name;

		if (name.len == len && bytes_are(name.p, (const uint8_t *)s, len))
			return keys[row].key;
	}
	/* Kinds begin with a capital letter, fields do not. */
	if (len == 0 || s[0] < 'A' || s[0] > 'Z')
		return GUARD_OTHER_FIELD;
	if (t->unknown[0] == '\0' && len < sizeof(t->unknown))
		memcpy(t->unknown, s, len);
	return GUARD_OTHER_KIND;
}

struct guard_reader {
	struct guard_tree	*t;
	char			*p;
	uint32_t		 open[GUARD_TREE_DEPTH_MAX];	/* the open containers */
	uint32_t		 last[GUARD_TREE_DEPTH_MAX];	/* the latest child of each */
	size_t			 depth;
};

/* Reads an escape after its backslash, and moves r->p after it.  libpg_query writes only ASCII as \u. */
static bool
read_escape(struct guard_reader *r, char *out)
{
	const uint8_t *p = (const uint8_t *)r->p;
	int32_t c = json_escape_letter(*p);
	size_t len = 0;

	if (*p == 'u' && ((c = json_escape_unicode(p + 1, p + 5, &len)) < 0 || c > 0x7F))
		return false;
	*out = (char)c;
	r->p += 1 + len;
	return c != 0;
}

/* Reads a string behind its opening quote. */
static bool
read_string(struct guard_reader *r, struct span *out)
{
	char *start = r->p, *end;

	while (*r->p != '"' && *r->p != '\\' && *r->p != '\0')
		r->p++;
	for (end = r->p; *r->p != '"';) {
		if (*r->p == '\0')
			return false;
		if (*r->p != '\\') {
			*end++ = *r->p++;
			continue;
		}
		r->p++;
		if (!read_escape(r, end))
			return false;
		end++;
	}
	r->p++;
	*out = span_of(start, (size_t)(end - start));
	return true;
}

static bool
read_number(struct guard_reader *r, int64_t *out)
{
	bool minus = *r->p == '-';
	uint64_t n = 0;

	r->p += minus;
	if (*r->p < '0' || *r->p > '9')
		return false;
	for (; *r->p >= '0' && *r->p <= '9'; r->p++) {
		if (n > UINT32_MAX)
			return false;
		n = n * 10 + (uint64_t)(*r->p - '0');
	}
	*out = minus ? -(int64_t)n : (int64_t)n;
	return true;
}

static bool
read_word(struct guard_reader *r, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(r->p, word, n) != 0)
		return false;
	r->p += n;
	return true;
}

/* A new value, linked as the last child of the open container. */
static struct guard_value *
add_value(struct guard_reader *r, uint16_t key)
{
	struct guard_tree *t = r->t;
	struct guard_value *v;
	uint32_t at = (uint32_t)t->n;

	t->values = mem_grow(t->values, t->n, &t->cap, sizeof(*t->values));
	v = &t->values[t->n++];
	*v = (struct guard_value){ .key = key, .next = GUARD_NIL };
	if (r->depth > 0) {
		uint32_t *last = &r->last[r->depth - 1];

		if (*last == GUARD_NIL)
			t->values[r->open[r->depth - 1]].child = at;
		else
			t->values[*last].next = at;
		*last = at;
	}
	return v;
}

/* Reads one value; of a container only the opening bracket. */
static enum guard_tree_fault
read_value(struct guard_reader *r, uint16_t key)
{
	struct guard_value *v;

	if (r->t->n >= GUARD_TREE_VALUES_MAX)
		return GUARD_TREE_TOO_LARGE;
	v = add_value(r, key);
	switch (*r->p) {
	case '{':
	case '[':
		if (r->depth == GUARD_TREE_DEPTH_MAX)
			return GUARD_TREE_TOO_DEEP;
		v->type = *r->p++ == '{' ? GUARD_VALUE_OBJECT : GUARD_VALUE_ARRAY;
		v->child = GUARD_NIL;
		r->open[r->depth] = (uint32_t)(r->t->n - 1);
		r->last[r->depth++] = GUARD_NIL;
		return GUARD_TREE_OK;
	case '"':
		r->p++;
		v->type = GUARD_VALUE_STRING;
		return read_string(r, &v->text) ? GUARD_TREE_OK : GUARD_TREE_BROKEN;
	case 't':
		v->type = GUARD_VALUE_TRUE;
		return read_word(r, "true") ? GUARD_TREE_OK : GUARD_TREE_BROKEN;
	case 'f':
		v->type = GUARD_VALUE_FALSE;
		return read_word(r, "false") ? GUARD_TREE_OK : GUARD_TREE_BROKEN;
	case 'n':
		v->type = GUARD_VALUE_NULL;
		return read_word(r, "null") ? GUARD_TREE_OK : GUARD_TREE_BROKEN;
	default:
		v->type = GUARD_VALUE_NUMBER;
		return read_number(r, &v->number) ? GUARD_TREE_OK : GUARD_TREE_BROKEN;
	}
}

/* Reads the key of a member and its colon; nothing in an array. */
static bool
read_key(struct guard_reader *r, uint16_t *key)
{
	struct span name;

	*key = GUARD_OTHER_FIELD;
	if (r->t->values[r->open[r->depth - 1]].type == GUARD_VALUE_ARRAY)
		return true;
	if (*r->p++ != '"' || !read_string(r, &name) || *r->p++ != ':')
		return false;
	*key = find_key(r->t, (const char *)name.p, name.len);
	return true;
}

/* Leaves the innermost container if it ends here, and returns true. */
static bool
guard_tree_leave(struct guard_reader *r)
{
	const struct guard_value *v = &r->t->values[r->open[r->depth - 1]];

	if (*r->p != (v->type == GUARD_VALUE_OBJECT ? '}' : ']'))
		return false;
	r->p++;
	r->depth--;
	return true;
}

enum guard_tree_fault
guard_tree_read(struct guard_tree *t, char *json)
{
	struct guard_reader r = { .t = t, .p = json };
	enum guard_tree_fault fault;
	uint16_t key;

	t->n = 0;
	t->known = NULL;
	memset(t->unknown, 0, sizeof(t->unknown));
	if (t->names.n == 0)
		fill_names(&t->names);
	if (*r.p != '{')
		return GUARD_TREE_BROKEN;
	fault = read_value(&r, GUARD_OTHER_FIELD);
	while (fault == GUARD_TREE_OK && r.depth > 0) {
		if (guard_tree_leave(&r))
			continue;
		if (r.last[r.depth - 1] != GUARD_NIL && *r.p++ != ',')
			return GUARD_TREE_BROKEN;
		if (!read_key(&r, &key))
			return GUARD_TREE_BROKEN;
		fault = read_value(&r, key);
	}
	if (fault == GUARD_TREE_OK && *r.p != '\0')
		fault = GUARD_TREE_BROKEN;
	return fault;
}

void
guard_tree_fini(struct guard_tree *t)
{
	free(t->values);
	table_free(&t->names);
	memset(t, 0, sizeof(*t));
}

uint32_t
guard_tree_get(const struct guard_tree *t, uint32_t v, enum guard_key key)
{
	if (v == GUARD_NIL || t->values[v].type != GUARD_VALUE_OBJECT)
		return GUARD_NIL;
	for (v = t->values[v].child; v != GUARD_NIL && t->values[v].key != key; v = t->values[v].next)
		;
	return v;
}

enum guard_key
guard_tree_kind(const struct guard_tree *t, uint32_t v, uint32_t *body)
{
	*body = v != GUARD_NIL && t->values[v].type == GUARD_VALUE_OBJECT ? t->values[v].child : GUARD_NIL;
	return *body == GUARD_NIL || t->values[*body].key >= GUARD_KINDS ? GUARD_OTHER_FIELD :
									   (enum guard_key)t->values[*body].key;
}

struct span
guard_tree_string(const struct guard_tree *t, uint32_t v, enum guard_key key)
{
	v = guard_tree_get(t, v, key);
	return v == GUARD_NIL || t->values[v].type != GUARD_VALUE_STRING ? span_of("", 0) : t->values[v].text;
}

int64_t
guard_tree_number(const struct guard_tree *t, uint32_t v, enum guard_key key)
{
	v = guard_tree_get(t, v, key);
	return v == GUARD_NIL || t->values[v].type != GUARD_VALUE_NUMBER ? 0 : t->values[v].number;
}

uint32_t
guard_tree_first(const struct guard_tree *t, uint32_t v, enum guard_key key)
{
	v = guard_tree_get(t, v, key);
	return v == GUARD_NIL || t->values[v].type != GUARD_VALUE_ARRAY ? GUARD_NIL : t->values[v].child;
}
