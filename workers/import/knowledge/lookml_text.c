/* lookml_text.c - the grammar of LookML: keys with words, strings, SQL up to ";;", lists and blocks. */
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "workers/import/knowledge/lookml_text.h"

struct lookml_pair {
	struct yaml_node	key, value;
};

/* The pairs of all blocks that are open are in one stack. */
struct lookml {
	struct arena		*a;
	struct span		 text;
	size_t			 at, n, cap, nodes;
	struct lookml_pair	*pairs;
	const char		*fault;
};

/* Keys whose value is SQL, or another text, up to ";;"; all that begin with sql_ are, but this one. */
static const char *const block_keys[] = { "sql", "html", "expression", "expression_custom_filter", NULL };
static const char *const plain_keys[] = { "sql_case", NULL };

static bool
refuse_file(struct lookml *l, const char *fault)
{
	if (l->fault == NULL)
		l->fault = fault;
	return false;
}

/* The next byte; -1: the end. */
static int
peek_char(const struct lookml *l)
{
	return l->at < l->text.len ? l->text.p[l->at] : -1;
}

/* The next byte behind white space and comments. */
static int
peek_token(struct lookml *l)
{
	int c;

	while ((c = peek_char(l)) >= 0 && (ascii_is_space((uint8_t)c) || c == '#')) {
		if (c == '#')
			while ((c = peek_char(l)) >= 0 && c != '\n')
				l->at++;
		else
			l->at++;
	}
	return c;
}

static bool
is_word(int c)
{
	return c >= 0 && (ascii_is_alnum((uint8_t)c) || strchr("_.+-*/@%$", c) != NULL) && c != '\0';
}

static struct span
take_word(struct lookml *l)
{
	size_t from = l->at;

	while (is_word(peek_char(l)))
		l->at++;
	return span_of(l->text.p + from, l->at - from);
}

static struct yaml_node
scalar_of(struct span text, bool quoted)
{
	return (struct yaml_node){ .kind = YAML_SCALAR, .quoted = quoted, .text = text };
}

/* A string, whose quotes may be escaped. */
static bool
take_string(struct lookml *l, struct yaml_node *out)
{
	struct buf text = { 0 };
	int c;

	for (l->at++; (c = peek_char(l)) >= 0 && c != '"'; l->at++) {
		if (c == '\\' && l->at + 1 < l->text.len &&
		    (l->text.p[l->at + 1] == '"' || l->text.p[l->at + 1] == '\\'))
			l->at++;
		buf_byte(&text, l->text.p[l->at]);
	}
	*out = scalar_of(arena_span(l->a, buf_view(&text)), true);
	buf_fini(&text);
	if (c < 0)
		return refuse_file(l, "a string has no end");
	l->at++;
	return true;
}

/* Text up to ";;". */
static bool
take_sql(struct lookml *l, struct yaml_node *out)
{
	const uint8_t *from = l->text.p + l->at, *end = memmem(from, l->text.len - l->at, ";;", 2);

	if (end == NULL)
		return refuse_file(l, "\";;\" is missing behind SQL");
	*out = scalar_of(span_trim(span_of(from, (size_t)(end - from))), true);
	l->at += (size_t)(end - from) + 2;
	return true;
}

static bool
push_pair(struct lookml *l, struct span key, struct yaml_node value)
{
	if (++l->nodes > LOOKML_NODES_MAX)
		return refuse_file(l, "it has too many parts");
	l->pairs = mem_grow(l->pairs, l->n, &l->cap, sizeof(*l->pairs));
	l->pairs[l->n++] = (struct lookml_pair){ scalar_of(key, false), value };
	return true;
}

/* The pairs on the stack from there on, taken off it; without keys: a sequence. */
static bool
take_pairs(struct lookml *l, size_t from, bool keys, struct yaml_node *out)
{
	size_t n = l->n - from;
	struct yaml_node *k = keys ? arena_array(l->a, n + 1, sizeof(*k)) : NULL,
			 *v = arena_array(l->a, n + 1, sizeof(*v));

	if (v == NULL || (keys && k == NULL))
		return refuse_file(l, "it is too large");
	for (size_t i = 0; i < n; i++) {
		v[i] = l->pairs[from + i].value;
		if (keys)
			k[i] = l->pairs[from + i].key;
	}
	l->n = from;
	*out = (struct yaml_node){ .kind = keys ? YAML_MAPPING : YAML_SEQUENCE, .n = n, .items = v, .keys = k };
	return true;
}

static bool
take_item(struct lookml *l, struct yaml_node *out)
{
	if (peek_token(l) == '"')
		return take_string(l, out);
	*out = scalar_of(take_word(l), false);
	return out->text.len > 0 || refuse_file(l, "a list has something else than words and strings");
}

/* [word, "string"], or [word: "string"]. */
static bool
take_list(struct lookml *l, struct yaml_node *out)
{
	struct yaml_node item, value;
	size_t from = l->n;
	bool keys = false;

	for (l->at++; peek_token(l) != ']'; l->at += peek_token(l) == ',') {
		if (!take_item(l, &item))
			return false;
		if (peek_token(l) == ':') {
			l->at++;
			if (!take_item(l, &value) || (!keys && l->n > from))
				return refuse_file(l, "a list has pairs and others");
			keys = true;
			if (!push_pair(l, item.text, value))
				return false;
		} else if (keys || !push_pair(l, SPAN_NONE, item))
			return refuse_file(l, "a list has pairs and others");
		if (peek_token(l) != ',' && peek_token(l) != ']')
			return refuse_file(l, "\",\" or \"]\" is missing in a list");
	}
	l->at++;
	return take_pairs(l, from, keys, out);
}

static bool take_block(struct lookml *l, unsigned depth, struct yaml_node *out);

static bool
take_value(struct lookml *l, struct span key, unsigned depth, struct yaml_node *out)
{
	struct span word;
	int c = peek_token(l);

	if (span_is_any(key, block_keys) || (span_begins(key, "sql_") && !span_is_any(key, plain_keys)))
		return take_sql(l, out);
	if (c == '"')
		return take_string(l, out);
	if (c == '[')
		return take_list(l, out);
	if (c == '{')
		return take_block(l, depth + 1, out);
	word = take_word(l);
	if (word.len == 0)
		return refuse_file(l, "a key has no value");
	*out = scalar_of(word, false);
	if (peek_token(l) == '{') {
		if (!take_block(l, depth + 1, out))
			return false;
		out->text = word;
	}
	return true;
}

/* The pairs of a block, or of the file. */
static bool
take_block(struct lookml *l, unsigned depth, struct yaml_node *out)
{
	struct yaml_node value;
	size_t from = l->n;
	struct span key;
	int c;

	if (depth > LOOKML_DEPTH_MAX)
		return refuse_file(l, "it is nested too deeply");
	l->at += depth > 0;
	while ((c = peek_token(l)) >= 0 && c != '}') {
		key = take_word(l);
		if (key.len == 0 || peek_token(l) != ':')
			return refuse_file(l, key.len == 0 ? "a key is expected" : "a colon is missing behind a key");
		l->at++;
		if (!take_value(l, key, depth, &value) || !push_pair(l, key, value))
			return false;
	}
	if ((c == '}') != (depth > 0))
		return refuse_file(l, depth > 0 ? "\"}\" is missing" : "\"}\" closes nothing");
	l->at += depth > 0;
	return take_pairs(l, from, true, out);
}

const struct yaml_node *
lookml_parse(struct arena *a, struct span text, struct err *err)
{
	struct lookml l = { .a = a, .text = text };
	struct yaml_node *root = arena_alloc(a, sizeof(*root));
	unsigned line = 1;

	if (span_begins(text, "\xef\xbb\xbf"))
		l.at = 3;
	if (root == NULL)
		refuse_file(&l, "it is too large");
	else if (text.len > 0 && (!utf8_valid(text.p, text.len) || memchr(text.p, '\0', text.len) != NULL))
		refuse_file(&l, "it is not UTF-8 text");
	else if (take_block(&l, 0, root)) {
		free(l.pairs);
		return root;
	}
	for (size_t i = 0; i < l.at && i < text.len; i++)
		line += text.p[i] == '\n';
	err_set(err, ERR_INVALID_ARGUMENTS, "line %u: %s", line, l.fault);
	free(l.pairs);
	return NULL;
}
