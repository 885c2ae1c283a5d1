/* yaml.c - libyaml's events into a tree, with our own stack and limits; see yaml.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/mp.h"
#include "base/table.h"
#include "base/utf8.h"
#include "project/format/yaml.h"

#define YAML_MERGED_MAX	2000		/* pairs of a mapping with merge keys */
#define LEAN_TEXTS	1024u
#define LEAN_TEXT_MAX	32u		/* bytes of a text that is kept once */
#define LEAN_SHAPES	64u
#define TAG_STR		"tag:yaml.org,2002:str"

struct yaml_level {
	enum yaml_kind	kind;
	unsigned	line;
	size_t		start;		/* its first entry in pending */
	size_t		nodes;		/* that were read before it */
	unsigned	height;		/* of the nodes in it */
	struct span	anchor;		/* its name; empty: none */
};

/* A node that has a name, complete. */
struct yaml_anchor {
	struct span		 name;
	struct yaml_node	 node;
	size_t			 nodes;		/* with all in it */
	unsigned		 height;	/* levels of nodes in it */
};

/* What was read lately and may come again, by its hash. */
struct yaml_lean {
	struct span			 texts[LEAN_TEXTS];
	struct {
		const struct yaml_node	*keys;
		size_t			 n;
	} shapes[LEAN_SHAPES];
};

struct yaml_reader {
	struct arena		*arena;
	struct err		*err;
	struct yaml_node	*pending;	/* entries of all open containers; a mapping's keys and values in turn */
	size_t			 npending, cap;
	struct yaml_level		 open[YAML_DEPTH_MAX];
	size_t			 depth;
	size_t			 nodes, added;	/* added: by aliases */
	unsigned		 documents;
	bool			 shared;	/* anchors are read */
	struct yaml_lean	*lean;		/* NULL: nothing is kept once */
	struct yaml_anchor	*anchors;
	size_t			 nanchors, anchors_cap;
	struct table		 names;		/* of anchors */
};

static int
yaml_refuse(struct yaml_reader *r, unsigned line, const char *why)
{
	return err_set(r->err, ERR_INVALID_ARGUMENTS, "line %u: %s", line, why);
}

static int
refuse_full(struct yaml_reader *r, unsigned line)
{
	return yaml_refuse(r, line, "the file holds more than can be read");
}

static unsigned
line_of(const yaml_event_t *ev)
{
	return (unsigned)ev->start_mark.line + 1;
}

static bool
is_null_word(struct span s)
{
	return s.len == 0 || span_is_str(s, "~") || span_is_str(s, "null") || span_is_str(s, "Null") ||
	    span_is_str(s, "NULL");
}

/* True where the next node is a key of the innermost mapping. */
static bool
at_key(const struct yaml_reader *r)
{
	const struct yaml_level *l;

	if (r->depth == 0)
		return false;
	l = &r->open[r->depth - 1];
	return l->kind == YAML_MAPPING && (r->npending - l->start) % 2 == 0;
}

static int
add_node(struct yaml_reader *r, struct yaml_node node)
{
	if (++r->nodes > YAML_NODES_MAX)
		return refuse_full(r, node.line);
	r->pending = mem_grow(r->pending, r->npending, &r->cap, sizeof(*r->pending));
	r->pending[r->npending++] = node;
	return 0;
}

/* A node of that height is in the innermost container. */
static void
note_height(struct yaml_reader *r, unsigned height)
{
	if (r->depth > 0 && r->open[r->depth - 1].height < height)
		r->open[r->depth - 1].height = height;
}

static struct yaml_anchor *
find_anchor(const struct yaml_reader *r, struct span name)
{
	uint64_t hash = hash_of(name);
	uint32_t row;

	for (size_t at = table_start(hash); (row = table_next(&r->names, hash, &at)) != TABLE_NONE;)
		if (span_is(r->anchors[row].name, name))
			return &r->anchors[row];
	return NULL;
}

/* The last entry of pending has the name, which meant another one before. */
static int
add_anchor(struct yaml_reader *r, struct span name, size_t nodes, unsigned height)
{
	struct yaml_anchor *of;

	if (name.len == 0)
		return 0;
	if ((of = find_anchor(r, name)) == NULL) {
		if (r->nanchors == YAML_ANCHORS_MAX)
			return refuse_full(r, r->pending[r->npending - 1].line);
		r->anchors = mem_grow(r->anchors, r->nanchors, &r->anchors_cap, sizeof(*r->anchors));
		table_add(&r->names, hash_of(name), (uint32_t)r->nanchors);
		of = &r->anchors[r->nanchors++];
	}
	*of = (struct yaml_anchor){ name, r->pending[r->npending - 1], nodes, height };
	return 0;
}

/* What aliases add to the tree. */
static int
add_shared(struct yaml_reader *r, unsigned line, size_t nodes)
{
	if ((r->added += nodes) > YAML_SHARED_MAX)
		return yaml_refuse(r, line, "its aliases make it larger than can be read");
	return 0;
}

/* The node of the name, which was defined last. */
static int
take_alias(struct yaml_reader *r, unsigned line, const char *name)
{
	const struct yaml_anchor *of = find_anchor(r, span_str(name));
	struct yaml_node node;

	if (!r->shared)
		return yaml_refuse(r, line, "aliases are not supported");
	for (size_t i = 0; i < r->depth; i++)
		if (span_is_str(r->open[i].anchor, name))
			return yaml_refuse(r, line, "an alias is within its own anchor");
	if (of == NULL)
		return yaml_refuse(r, line, "an alias means no anchor");
	if (at_key(r) && of->node.kind != YAML_SCALAR)
		return yaml_refuse(r, line, "a key must be plain text");
	if (r->depth + of->height > YAML_DEPTH_MAX)
		return yaml_refuse(r, line, "nested too deeply");
	if (add_shared(r, line, of->nodes) != 0)
		return -1;
	note_height(r, of->height);
	node = of->node;
	node.line = line;
	return add_node(r, node);
}

/* Tags are not needed by our formats, nor are anchors: both are where YAML surprises. */
static int
check_properties(struct yaml_reader *r, unsigned line, const void *anchor, const char *tag, bool scalar)
{
	if (anchor != NULL && !r->shared)
		return yaml_refuse(r, line, "anchors are not supported");
	if (tag != NULL && !(scalar && (strcmp(tag, TAG_STR) == 0 || strcmp(tag, "!") == 0)))
		return yaml_refuse(r, line, "tags are not supported");
	return 0;
}

/* The text in the arena, p NULL when that is full. */
static struct span
keep_text(struct yaml_reader *r, struct span text)
{
	struct span *known;

	if (r->lean == NULL || text.len == 0 || text.len > LEAN_TEXT_MAX)
		return arena_span(r->arena, text);
	known = &r->lean->texts[hash_of(text) % LEAN_TEXTS];
	if (!span_is(*known, text))
		*known = arena_span(r->arena, text);
	return *known;
}

static int
read_scalar(struct yaml_reader *r, const yaml_event_t *ev)
{
	struct yaml_node node = { .kind = YAML_SCALAR, .line = line_of(ev) };
	struct span text = span_of(ev->data.scalar.value, ev->data.scalar.length);
	bool key = at_key(r);
	struct span name;

	if (check_properties(r, node.line, ev->data.scalar.anchor, (const char *)ev->data.scalar.tag, true) != 0)
		return -1;
	node.quoted = ev->data.scalar.style != YAML_PLAIN_SCALAR_STYLE || ev->data.scalar.tag != NULL;
	name = span_str(ev->data.scalar.anchor == NULL ? "" : (const char *)ev->data.scalar.anchor);
	name = arena_span(r->arena, name);
	if (!utf8_valid(text.p, text.len))
		return yaml_refuse(r, node.line, "the text is not valid UTF-8");
	if (!key && !node.quoted && is_null_word(text)) {
		node.kind = YAML_NULL;
		return add_node(r, node) != 0 ? -1 : add_anchor(r, name, 1, 0);
	}
	if (key && !node.quoted && text.len == 0)
		return yaml_refuse(r, node.line, "a key is empty");
	/* `<<` has no meaning in YAML 1.2 core, but its author expects a merge: refuse it. */
	if (key && !node.quoted && span_is_str(text, "<<") && !r->shared)
		return yaml_refuse(r, node.line, "merge keys are not supported");
	node.text = keep_text(r, text);
	if (node.text.p == NULL)
		return refuse_full(r, node.line);
	return add_node(r, node) != 0 ? -1 : add_anchor(r, name, 1, 0);
}

static int
open_container(struct yaml_reader *r, enum yaml_kind kind, unsigned line, const void *anchor, const char *tag)
{
	struct span name;

	if (check_properties(r, line, anchor, tag, false) != 0)
		return -1;
	if (at_key(r))
		return yaml_refuse(r, line, "a key must be plain text");
	if (r->depth == YAML_DEPTH_MAX)
		return yaml_refuse(r, line, "nested too deeply");
	name = arena_span(r->arena, span_str(anchor == NULL ? "" : (const char *)anchor));
	r->open[r->depth++] = (struct yaml_level){ .kind = kind, .line = line, .start = r->npending,
		.nodes = r->nodes + r->added, .anchor = name };
	return 0;
}

static int
by_text(const void *a, const void *b)
{
	const struct yaml_node *const *x = a, *const *y = b;
	int order = span_cmp((*x)->text, (*y)->text);

	/* Sort equal keys in file order, so that the later one is reported as the duplicate. */
	return order != 0 ? order : (*x > *y) - (*x < *y);
}

/* Sorting pointers keeps hostile files with many keys at n log n. */
static int
check_duplicates(struct yaml_reader *r, const struct yaml_node *keys, size_t n)
{
	const struct yaml_node **sorted;
	const struct yaml_node *twice = NULL;

	if (n < 2)
		return 0;
	sorted = mem_new(n, sizeof(*sorted));
	for (size_t i = 0; i < n; i++)
		sorted[i] = &keys[i];
	qsort(sorted, n, sizeof(*sorted), by_text);
	for (size_t i = 1; i < n; i++)
		if (span_is(sorted[i - 1]->text, sorted[i]->text) && (twice == NULL || sorted[i]->line < twice->line))
			twice = sorted[i];
	free(sorted);
	if (twice == NULL)
		return 0;
	return err_set(r->err, ERR_INVALID_ARGUMENTS, "line %u: the key \"%.*s\" appears twice", twice->line,
	    (int)utf8_cut(twice->text.p, twice->text.len, 100), (const char *)twice->text.p);
}

/* A mapping on its way to one without merge keys. */
struct yaml_merge {
	struct yaml_node	*keys, *items;
	size_t			 n, max;
};

/* Adds the pairs of a mapping whose keys are not there yet. */
static void
merge_pairs(struct yaml_merge *m, const struct yaml_node *of)
{
	for (size_t i = 0; i < of->n && m->n < m->max; i++) {
		bool there = false;

		for (size_t j = 0; j < m->n && !there; j++)
			there = span_is(m->keys[j].text, of->keys[i].text);
		if (there)
			continue;
		m->keys[m->n] = of->keys[i];
		m->items[m->n++] = of->items[i];
	}
}

static bool
is_merge_key(const struct yaml_node *key)
{
	return !key->quoted && span_is_str(key->text, "<<");
}

/* How many pairs the value of a merge key has; SIZE_MAX: it is no mapping, nor a list of them. */
static size_t
count_merged(const struct yaml_node *value)
{
	size_t n = 0;

	if (value->kind == YAML_MAPPING)
		return value->n;
	for (size_t i = 0; i < value->n && n != SIZE_MAX; i++)
		n = value->items[i].kind == YAML_MAPPING ? n + value->items[i].n : SIZE_MAX;
	return value->kind == YAML_SEQUENCE ? n : SIZE_MAX;
}

/* "<<: *a" and "<<: [*a, *b]": the pairs of these mappings, of which a mapping's own come first, then earlier ones. */
static int
merge_keys(struct yaml_reader *r, struct yaml_node *node)
{
	struct yaml_merge m = { .max = node->n };
	size_t merges = 0, n;

	for (size_t i = 0; i < node->n; i++)
		if (is_merge_key(&node->keys[i])) {
			if ((n = count_merged(&node->items[i])) == SIZE_MAX)
				return yaml_refuse(r, node->keys[i].line, "a merge key has no mapping");
			m.max += n;
			merges++;
		}
	if (merges == 0)
		return 0;
	/* Each pair is compared with all before it. */
	if (m.max > YAML_MERGED_MAX || add_shared(r, node->line, m.max) != 0)
		return m.max > YAML_MERGED_MAX ? refuse_full(r, node->line) : -1;
	m.keys = arena_array(r->arena, m.max, sizeof(*m.keys));
	m.items = arena_array(r->arena, m.max, sizeof(*m.items));
	if (m.keys == NULL || m.items == NULL)
		return refuse_full(r, node->line);
	for (size_t i = 0; i < node->n; i++)
		if (!is_merge_key(&node->keys[i])) {
			m.keys[m.n] = node->keys[i];
			m.items[m.n++] = node->items[i];
		}
	for (size_t i = 0; i < node->n; i++) {
		const struct yaml_node *value = &node->items[i];

		if (!is_merge_key(&node->keys[i]))
			continue;
		if (value->kind == YAML_MAPPING)
			merge_pairs(&m, value);
		for (size_t j = 0; value->kind == YAML_SEQUENCE && j < value->n; j++)
			merge_pairs(&m, &value->items[j]);
	}
	*node = (struct yaml_node){ .kind = YAML_MAPPING, .line = node->line, .n = m.n, .items = m.items,
		.keys = m.keys };
	return 0;
}

/* Whether the n keys at every second place of from are these. */
static bool
has_keys(const struct yaml_node *from, size_t n, const struct yaml_node *keys)
{
	for (size_t i = 0; i < n; i++)
		if (keys[i].quoted != from[2 * i].quoted || !span_is(keys[i].text, from[2 * i].text))
			return false;
	return true;
}

/* The n keys at every second place of from, n > 0: of an earlier mapping, or new ones.  NULL: refused. */
static const struct yaml_node *
take_keys(struct yaml_reader *r, const struct yaml_node *from, size_t n, unsigned line)
{
	struct yaml_node *keys;
	uint64_t hash = HASH_START;
	size_t at;

	for (size_t i = 0; r->lean != NULL && i < n; i++)
		hash = hash_more(hash, from[2 * i].text.p, from[2 * i].text.len);
	at = hash % LEAN_SHAPES;
	if (r->lean != NULL && r->lean->shapes[at].n == n && has_keys(from, n, r->lean->shapes[at].keys))
		return r->lean->shapes[at].keys;
	if ((keys = arena_array(r->arena, n, sizeof(*keys))) == NULL) {
		refuse_full(r, line);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		keys[i] = from[2 * i];
	if (check_duplicates(r, keys, n) != 0)
		return NULL;
	if (r->lean != NULL) {
		for (size_t i = 0; i < n; i++)
			keys[i].line = 0;
		r->lean->shapes[at].keys = keys;
		r->lean->shapes[at].n = n;
	}
	return keys;
}

/* The innermost container's entries leave `pending` and become arrays in the arena. */
static int
close_container(struct yaml_reader *r)
{
	const struct yaml_level l = r->open[--r->depth];
	const struct yaml_node *from = r->pending != NULL ? r->pending + l.start : NULL;
	size_t entries = r->npending - l.start;
	size_t n = l.kind == YAML_MAPPING ? entries / 2 : entries;
	struct yaml_node node = { .kind = l.kind, .line = l.line, .n = n };
	const struct yaml_node *keys = NULL;
	struct yaml_node *items = NULL;

	if (n > 0 && (items = arena_array(r->arena, n, sizeof(*items))) == NULL)
		return refuse_full(r, l.line);
	if (n > 0 && l.kind == YAML_MAPPING && (keys = take_keys(r, from, n, l.line)) == NULL)
		return -1;
	for (size_t i = 0; i < n; i++)
		items[i] = keys != NULL ? from[2 * i + 1] : from[i];
	node.items = items;
	node.keys = keys;
	if (r->shared && keys != NULL && merge_keys(r, &node) != 0)
		return -1;
	r->npending = l.start;
	note_height(r, l.height + 1);
	return add_node(r, node) != 0 ? -1 : add_anchor(r, l.anchor, r->nodes + r->added - l.nodes, l.height + 1);
}

static int
take_event(struct yaml_reader *r, const yaml_event_t *ev)
{
	switch (ev->type) {
	case YAML_DOCUMENT_START_EVENT:
		if (++r->documents > 1)
			return yaml_refuse(r, line_of(ev), "more than one document in the file");
		return 0;
	case YAML_ALIAS_EVENT:
		return take_alias(r, line_of(ev), (const char *)ev->data.alias.anchor);
	case YAML_SCALAR_EVENT:
		return read_scalar(r, ev);
	case YAML_SEQUENCE_START_EVENT:
		return open_container(r, YAML_SEQUENCE, line_of(ev), ev->data.sequence_start.anchor,
		    (const char *)ev->data.sequence_start.tag);
	case YAML_MAPPING_START_EVENT:
		return open_container(r, YAML_MAPPING, line_of(ev), ev->data.mapping_start.anchor,
		    (const char *)ev->data.mapping_start.tag);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		return close_container(r);
	default:
		return 0;
	}
}

/* libyaml gives its own reader's complaints an offset, but no line. */
static unsigned
line_at(struct span text, size_t offset)
{
	unsigned line = 1;

	for (size_t i = 0; i < offset && i < text.len; i++)
		line += text.p[i] == '\n';
	return line;
}

static int
refuse_syntax(struct yaml_reader *r, const yaml_parser_t *p, struct span text)
{
	const char *why = p->problem != NULL ? p->problem : "not valid YAML";

	if (p->error == YAML_MEMORY_ERROR)
		abort();
	if (p->error == YAML_READER_ERROR)
		return yaml_refuse(r, line_at(text, p->problem_offset),
		    utf8_valid(text.p, text.len) ? why : "the text is not valid UTF-8");
	if (p->context != NULL)
		return err_set(r->err, ERR_INVALID_ARGUMENTS, "line %zu: %s %s", p->problem_mark.line + 1, why,
		    p->context);
	return yaml_refuse(r, (unsigned)p->problem_mark.line + 1, why);
}

static int
read_events(struct yaml_reader *r, yaml_parser_t *p, struct span text)
{
	bool end = false;
	yaml_event_t ev;
	int result;

	while (!end) {
		if (!yaml_parser_parse(p, &ev))
			return refuse_syntax(r, p, text);
		end = ev.type == YAML_STREAM_END_EVENT;
		result = take_event(r, &ev);
		yaml_event_delete(&ev);
		if (result != 0)
			return -1;
	}
	return 0;
}

static const struct yaml_node *
parse_text(struct arena *a, struct span text, bool shared, struct yaml_lean *lean, struct err *err)
{
	struct yaml_reader r = { .arena = a, .err = err, .shared = shared, .lean = lean };
	struct yaml_node *root = NULL;
	yaml_parser_t p;

	if (text.len > YAML_BYTES_MAX) {
		err_set(err, ERR_INVALID_ARGUMENTS, "the file is larger than %u bytes", YAML_BYTES_MAX);
		return NULL;
	}
	if (!yaml_parser_initialize(&p))
		abort();
	/* The encoding is fixed; otherwise a byte-order mark would switch libyaml to UTF-16. */
	yaml_parser_set_encoding(&p, YAML_UTF8_ENCODING);
	if (text.len >= 3 && memcmp(text.p, "\xef\xbb\xbf", 3) == 0)
		text = span_of(text.p + 3, text.len - 3);
	yaml_parser_set_input_string(&p, text.len > 0 ? text.p : (const unsigned char *)"", text.len);
	if (read_events(&r, &p, text) != 0)
		goto out;
	if ((root = arena_alloc(a, sizeof(*root))) == NULL) {
		refuse_full(&r, 1);
		goto out;
	}
	if (r.npending > 0)
		*root = r.pending[0];
	else
		*root = (struct yaml_node){ .kind = YAML_NULL, .line = 1 };
out:
	yaml_parser_delete(&p);
	free(r.pending);
	free(r.anchors);
	table_free(&r.names);
	return root;
}

const struct yaml_node *
yaml_parse(struct arena *a, struct span text, struct err *err)
{
	return parse_text(a, text, false, NULL, err);
}

const struct yaml_node *
yaml_parse_shared(struct arena *a, struct span text, struct err *err)
{
	return parse_text(a, text, true, NULL, err);
}

const struct yaml_node *
yaml_parse_lean(struct arena *a, struct span text, struct err *err)
{
	struct yaml_lean *lean = mem_new(1, sizeof(*lean));
	const struct yaml_node *root = parse_text(a, text, false, lean, err);

	free(lean);
	return root;
}

size_t
yaml_length(const struct yaml_node *node)
{
	return node != NULL && node->kind == YAML_SEQUENCE ? node->n : 0;
}

const struct yaml_node *
yaml_get(const struct yaml_node *node, const char *key)
{
	if (node == NULL || node->kind != YAML_MAPPING)
		return NULL;
	for (size_t i = 0; i < node->n; i++)
		if (span_is_str(node->keys[i].text, key))
			return &node->items[i];
	return NULL;
}

static bool
is_plain(const struct yaml_node *node)
{
	return node != NULL && node->kind == YAML_SCALAR && !node->quoted;
}

bool
yaml_bool(const struct yaml_node *node, bool *out)
{
	static const char *const yes[] = { "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", NULL };
	static const char *const no[] = { "false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", NULL };

	if (!is_plain(node))
		return false;
	*out = span_is_any(node->text, yes);
	return *out || span_is_any(node->text, no);
}

/* Digits of base, all of s, no overflow. */
static bool
read_digits(struct span s, unsigned base, unsigned long long *out)
{
	unsigned long long v = 0;

	if (s.len == 0)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		unsigned digit = (unsigned)ascii_hex(s.p[i]); /* for none a number beyond every base */

		if (digit >= base || v > (UINT64_MAX - digit) / base)
			return false;
		v = v * base + digit;
	}
	*out = v;
	return true;
}

/* The integers of YAML 1.2 core, without their sign: 12, 0o14, 0xc.  012 is twelve. */
static bool
read_uint(struct span s, unsigned long long *out)
{
	if (s.len > 2 && s.p[0] == '0' && s.p[1] == 'x')
		return read_digits(span_of(s.p + 2, s.len - 2), 16, out);
	if (s.len > 2 && s.p[0] == '0' && s.p[1] == 'o')
		return read_digits(span_of(s.p + 2, s.len - 2), 8, out);
	return read_digits(s, 10, out);
}

bool
yaml_uint(const struct yaml_node *node, unsigned long long *out)
{
	struct span s;

	if (!is_plain(node))
		return false;
	s = node->text;
	if (s.len > 1 && s.p[0] == '+' && s.p[1] >= '0' && s.p[1] <= '9')
		return read_digits(span_of(s.p + 1, s.len - 1), 10, out);
	return read_uint(s, out);
}

const char *
yaml_cstr(struct arena *a, const struct yaml_node *node)
{
	if (node == NULL || node->kind != YAML_SCALAR)
		return NULL;
	return arena_cstr(a, node->text);
}

static size_t
count_digits(struct span s, size_t at)
{
	size_t n = 0;

	while (at + n < s.len && s.p[at + n] >= '0' && s.p[at + n] <= '9')
		n++;
	return n;
}

/* The floats of YAML 1.2 core: [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? */
static bool
is_float(struct span s)
{
	size_t at = 0, whole, part = 0, exponent;

	if (at < s.len && (s.p[at] == '-' || s.p[at] == '+'))
		at++;
	whole = count_digits(s, at);
	at += whole;
	if (at < s.len && s.p[at] == '.') {
		part = count_digits(s, at + 1);
		at += 1 + part;
	}
	if (whole + part == 0)
		return false;
	if (at < s.len && (s.p[at] == 'e' || s.p[at] == 'E')) {
		at++;
		if (at < s.len && (s.p[at] == '-' || s.p[at] == '+'))
			at++;
		if ((exponent = count_digits(s, at)) == 0)
			return false;
		at += exponent;
	}
	return at == s.len;
}

static bool
put_infinite(struct span s, struct buf *out)
{
	static const char *const inf[] = { ".inf", ".Inf", ".INF", NULL };
	static const char *const nan[] = { ".nan", ".NaN", ".NAN", NULL };
	bool minus = s.len > 0 && s.p[0] == '-';

	if (span_is_any(s, nan)) {
		mp_put_double(out, __builtin_nan(""));
		return true;
	}
	if (minus || (s.len > 0 && s.p[0] == '+'))
		s = span_of(s.p + 1, s.len - 1);
	if (!span_is_any(s, inf))
		return false;
	mp_put_double(out, minus ? -__builtin_inf() : __builtin_inf());
	return true;
}

static bool
put_number(struct span s, struct buf *out)
{
	char text[128];
	unsigned long long u;
	bool minus = s.len > 0 && s.p[0] == '-';
	bool sign = minus || (s.len > 0 && s.p[0] == '+');

	if (sign ? read_digits(span_of(s.p + 1, s.len - 1), 10, &u) : read_uint(s, &u)) {
		if (!minus) {
			mp_put_uint(out, u);
			return true;
		}
		if (u <= (unsigned long long)INT64_MAX) {
			mp_put_int(out, -(int64_t)u);
			return true;
		}
	}
	if (put_infinite(s, out))
		return true;
	if (!is_float(s) || s.len >= sizeof(text))
		return false;
	memcpy(text, s.p, s.len);
	text[s.len] = '\0';
	mp_put_double(out, strtod(text, NULL));
	return true;
}

static void
put_plain(struct span s, struct buf *out)
{
	static const char *const yes[] = { "true", "True", "TRUE", NULL };
	static const char *const no[] = { "false", "False", "FALSE", NULL };

	if (span_is_any(s, yes))
		mp_put_bool(out, true);
	else if (span_is_any(s, no))
		mp_put_bool(out, false);
	else if (!put_number(s, out))
		mp_put_str(out, s);
}

/* Recursion is bounded: yaml_parse() lets nothing deeper than YAML_DEPTH_MAX through. */
void
yaml_to_mp(const struct yaml_node *node, struct buf *out)
{
	switch (node->kind) {
	case YAML_NULL:
		mp_put_nil(out);
		break;
	case YAML_SCALAR:
		if (node->quoted)
			mp_put_str(out, node->text);
		else
			put_plain(node->text, out);
		break;
	case YAML_SEQUENCE:
		mp_put_array(out, node->n);
		for (size_t i = 0; i < node->n; i++)
			yaml_to_mp(&node->items[i], out);
		break;
	case YAML_MAPPING:
		mp_put_map(out, node->n);
		for (size_t i = 0; i < node->n; i++) {
			mp_put_str(out, node->keys[i].text);
			yaml_to_mp(&node->items[i], out);
		}
		break;
	}
}
