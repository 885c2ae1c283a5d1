/* trees.c - YAML and JSON files of a project as trees. */
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/json/json_read.h"
#include "base/mp.h"
#include "workers/import/knowledge/trees.h"

struct span
tree_text(const struct yaml_node *n)
{
	return n != NULL && n->kind == YAML_SCALAR ? span_trim(n->text) : SPAN_NONE;
}

struct span
tree_get_text(const struct yaml_node *n, const char *key)
{
	return tree_text(yaml_get(n, key));
}

struct span
tree_get_any_text(const struct yaml_node *n, const char *key)
{
	const struct yaml_node *value = yaml_get(n, key);

	return tree_text(value).len > 0 ? tree_text(value) : tree_get_text(value, "string");
}

const uint8_t *
tree_find(struct span text, const char *what)
{
	return text.len == 0 ? NULL : memmem(text.p, text.len, what, strlen(what));
}

bool
tree_is_false(const struct yaml_node *n)
{
	bool is;

	return yaml_bool(n, &is) && !is;
}

bool
tree_is_said(const struct yaml_node *n)
{
	return n != NULL && n->kind != YAML_NULL && (n->kind == YAML_SCALAR || n->n > 0);
}

bool
tree_is_name(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!(ascii_is_alnum(s.p[i]) && (i > 0 || !ascii_is_digit(s.p[i]))) && s.p[i] != '_')
			return false;
	return s.len > 0;
}

const struct yaml_node *
tree_unknown_key(const struct yaml_node *n, const char *const *known)
{
	for (size_t i = 0; n != NULL && n->kind == YAML_MAPPING && i < n->n; i++)
		if (!span_is_any(n->keys[i].text, known) && tree_is_said(&n->items[i]) && !tree_is_false(&n->items[i]))
			return &n->keys[i];
	return NULL;
}

const struct yaml_node *
tree_get_any(const struct yaml_node *n, const char *const *keys)
{
	const struct yaml_node *found = NULL;

	for (; *keys != NULL && found == NULL; keys++)
		found = yaml_get(n, *keys);
	return found;
}

size_t
tree_texts(struct knowledge *k, const struct yaml_node *n, const struct span **out)
{
	size_t max = tree_text(n).len > 0 ? 1 : yaml_length(n), count = 0;
	struct span *v = knowledge_alloc(k, (max + 1) * sizeof(*v));

	for (size_t i = 0; i < max; i++) {
		struct span s = tree_text(yaml_length(n) > 0 ? &n->items[i] : n);

		if (s.len > 0)
			v[count++] = s;
	}
	*out = v;
	return count;
}

/* The next document of a file: up to a line of three dashes. */
static struct span
next_document(struct span *text)
{
	static const char mark[] = "\n---\n";
	const uint8_t *end = tree_find(*text, mark);
	struct span document = end == NULL ? *text : span_of(text->p, (size_t)(end + 1 - text->p));

	*text = end == NULL ? SPAN_NONE : span_of(end + 5, text->len - document.len - 4);
	return document;
}

void
tree_each_file(struct knowledge *k, const struct knowledge_input *in,
    void (*fn)(void *arg, const struct yaml_node *root, struct span path), void *arg)
{
	for (size_t i = 0; i < in->nfiles; i++) {
		const struct knowledge_file *f = &in->files[i];
		/* A line of dashes in front begins the first document. */
		struct span rest = f->text;

		if (!span_ends(f->path, ".yml") && !span_ends(f->path, ".yaml"))
			continue;
		while (rest.len > 0) {
			struct err err = { .code = ERR_NONE };
			const struct yaml_node *root = yaml_parse_shared(k->a, next_document(&rest), &err);

			if (root == NULL)
				knowledge_skip(k, "file", f->path, f->path, "it cannot be read: %s", err.message);
			else if (root->kind == YAML_MAPPING)
				fn(arg, root, f->path);
		}
	}
}

/* What makes manifests large, and says nothing here. */
static const char *const code_keys[] = { "raw_code", "compiled_code", "raw_sql", "compiled_sql", NULL };

void
tree_name_project(struct knowledge *k, const struct knowledge_input *in)
{
	for (size_t i = 0; i < in->nfiles; i++)
		if (span_ends(in->files[i].path, "dbt_project.yml") && k->project.len == 0)
			k->project = tree_get_text(yaml_parse(k->a, in->files[i].text, NULL), "name");
}

static struct yaml_node tree_of(struct knowledge *k, const struct mp_value *v);

static struct yaml_node
tree_of_container(struct knowledge *k, const struct mp_value *v)
{
	struct yaml_node out = { .kind = v->class == MP_MAP ? YAML_MAPPING : YAML_SEQUENCE, .n = v->n };
	struct yaml_node *items = knowledge_alloc(k, (v->n + 1) * sizeof(*items)), *keys = NULL;
	struct mp_iter it = mp_iter(v);
	struct mp_value each;
	struct span key;

	if (v->class == MP_MAP) {
		keys = knowledge_alloc(k, (v->n + 1) * sizeof(*keys));
		out.n = 0;
		while (mp_next_pair(&it, &key, &each))
			if (!span_is_any(key, code_keys)) {
				keys[out.n] = (struct yaml_node){ .kind = YAML_SCALAR, .text = knowledge_copy(k, key) };
				items[out.n++] = tree_of(k, &each);
			}
	} else
		for (size_t i = 0; mp_next(&it, &each); i++)
			items[i] = tree_of(k, &each);
	out.items = items;
	out.keys = keys;
	return out;
}

/* json_read() has bounded the depth. */
static struct yaml_node
tree_of(struct knowledge *k, const struct mp_value *v)
{
	if (v->class == MP_MAP || v->class == MP_ARRAY)
		return tree_of_container(k, v);
	if (v->class == MP_STR || v->class == MP_BIN)
		return (struct yaml_node){ .kind = YAML_SCALAR, .quoted = v->class == MP_STR,
			.text = knowledge_copy(k, v->s) };
	if (v->class == MP_BOOL)
		return (struct yaml_node){ .kind = YAML_SCALAR, .text = v->boolean ? SPAN("true") : SPAN("false") };
	return (struct yaml_node){ .kind = YAML_NULL };
}

const struct yaml_node *
tree_json(struct knowledge *k, struct span text, const char **fault)
{
	struct buf mp = BUF_MAX(8 * KNOWLEDGE_ENTRY_MAX);
	enum json_fault f = JSON_TOO_LARGE;
	struct yaml_node *tree = NULL;
	struct mp_value v;
	size_t at;

	if (text.len <= KNOWLEDGE_ENTRY_MAX && (f = json_read_digits(text, &mp, &at)) == JSON_OK &&
	    mp_value(buf_view(&mp), &v)) {
		tree = knowledge_alloc(k, sizeof(*tree));
		*tree = tree_of(k, &v);
	} else
		*fault = json_fault_text(f);
	buf_fini(&mp);
	return tree;
}

struct stream {
	int		 fd;		/* -1: the rest of text */
	struct span	 text;
	uint8_t		 block[1 << 16];
	size_t		 at, len;
	uint64_t	 read;
	bool		 ended;
};

/* Fill the block; 0 or less: there is no more. */
static ssize_t
read_block(struct stream *s)
{
	size_t n = s->text.len < sizeof(s->block) ? s->text.len : sizeof(s->block);

	if (s->fd >= 0)
		return read(s->fd, s->block, sizeof(s->block));
	if (n > 0)
		memcpy(s->block, s->text.p, n);
	s->text = span_of(s->text.p + n, s->text.len - n);
	return (ssize_t)n;
}

/* The next byte, which stays; -1: the end, or more than the bound. */
static int
peek_byte(struct stream *s)
{
	ssize_t n;

	if (s->at < s->len)
		return s->block[s->at];
	if (s->ended || s->read > KNOWLEDGE_MANIFEST_MAX || (n = read_block(s)) <= 0) {
		s->ended = true;
		return -1;
	}
	s->read += (uint64_t)n;
	s->at = 0;
	s->len = (size_t)n;
	return s->block[0];
}

static int
next_byte(struct stream *s)
{
	int c = peek_byte(s);

	s->at += c >= 0;
	return c;
}

static int
peek_token(struct stream *s)
{
	int c;

	while ((c = peek_byte(s)) >= 0 && ascii_is_space((uint8_t)c))
		s->at++;
	return c;
}

/* Take the token; false: there is another one. */
static bool
take_token(struct stream *s, int c)
{
	if (peek_token(s) != c)
		return false;
	s->at++;
	return true;
}

static void
keep_byte(struct buf *out, int c)
{
	if (out != NULL)
		buf_byte(out, (uint8_t)c);
}

/* Pass over a string whose quote is the next byte, its text and quotes to out (may be NULL). */
static bool
pass_string(struct stream *s, struct buf *out)
{
	int c;

	keep_byte(out, next_byte(s));
	while ((c = next_byte(s)) >= 0) {
		keep_byte(out, c);
		if (c == '\\') {
			if ((c = next_byte(s)) < 0)
				return false;
			keep_byte(out, c);
		} else if (c == '"')
			return true;
	}
	return false;
}

/* Pass over one value, which goes to out.  Brackets are counted, not matched: json_read() judges what is kept. */
static bool
pass_value(struct stream *s, struct buf *out)
{
	size_t depth = 0;
	int c;

	for (bool begun = false; (c = begun ? peek_byte(s) : peek_token(s)) >= 0; begun = true) {
		if (c == '"') {
			if (!pass_string(s, out))
				return false;
		} else if (begun && depth == 0 && (c == ',' || c == '}' || c == ']' || ascii_is_space((uint8_t)c)))
			return true;
		else {
			depth += c == '{' || c == '[';
			depth -= depth > 0 && (c == '}' || c == ']');
			keep_byte(out, next_byte(s));
			if (depth > 0 || (c != '}' && c != ']'))
				continue;
		}
		if (depth == 0)
			return true;
	}
	return false;
}

/* A member's key, without escapes as a manifest writes them, and its colon. */
static bool
take_key(struct stream *s, struct buf *key)
{
	key->len = 0;
	if (peek_token(s) != '"' || !pass_string(s, key) || key->full || !take_token(s, ':'))
		return false;
	key->len -= 2;
	memmove(key->p, key->p + 1, key->len);
	return true;
}

struct streaming {
	struct knowledge	*k;
	struct stream		 s;
	struct buf		 section, key, text;
	void			(*fn)(void *arg, const struct manifest_entry *e);
	void			*arg;
};

/* One object, to the reader of the kind. */
static bool
pass_entry(struct streaming *m, struct span key)
{
	struct manifest_entry e = { .section = knowledge_copy(m->k, buf_view(&m->section)),
		.key = knowledge_copy(m->k, key), .fault = json_fault_text(JSON_TOO_LARGE) };

	m->text.full = false;
	m->text.len = 0;
	if (!pass_value(&m->s, m->fn == NULL ? NULL : &m->text))
		return false;
	if (m->fn == NULL)
		return true;
	if (!m->text.full)
		e.tree = tree_json(m->k, buf_view(&m->text), &e.fault);
	m->fn(m->arg, &e);
	return true;
}

/* The members of an object, or the elements of a list: each is an entry. */
static bool
pass_section(struct streaming *m)
{
	bool list = peek_token(&m->s) == '[';
	int end = list ? ']' : '}';

	if (!list && peek_token(&m->s) != '{')
		return pass_value(&m->s, NULL);
	next_byte(&m->s);
	if (take_token(&m->s, end))
		return true;
	do
		if ((!list && !take_key(&m->s, &m->key)) || !pass_entry(m, list ? SPAN_NONE : buf_view(&m->key)))
			return false;
	while (take_token(&m->s, ','));
	return take_token(&m->s, end);
}

static bool
pass_manifest(struct streaming *m, const char *const *sections)
{
	if (peek_token(&m->s) == '[' && span_is_any(SPAN(""), sections))
		return pass_section(m);
	if (!take_token(&m->s, '{'))
		return false;
	do {
		if (!take_key(&m->s, &m->section))
			return false;
		if (span_is_str(buf_view(&m->section), "metadata")   ? !pass_entry(m, SPAN_NONE) :
			span_is_any(buf_view(&m->section), sections) ? !pass_section(m) :
								       !pass_value(&m->s, NULL))
			return false;
	} while (take_token(&m->s, ','));
	return take_token(&m->s, '}');
}

static bool
stream_manifest(struct streaming *m, const char *const *sections)
{
	bool whole;

	m->section = BUF_MAX(256);
	m->key = BUF_MAX(1024);
	m->text = BUF_MAX(KNOWLEDGE_ENTRY_MAX);
	whole = pass_manifest(m, sections);
	buf_fini(&m->section);
	buf_fini(&m->key);
	buf_fini(&m->text);
	return whole;
}

bool
manifest_each_of(struct knowledge *k, struct span text, const char *const *sections,
    void (*fn)(void *arg, const struct manifest_entry *e), void *arg)
{
	struct streaming *m = knowledge_alloc(k, sizeof(*m));

	/* First without the reader: nothing is taken of what ends too early. */
	*m = (struct streaming){ .k = k, .s = { .fd = -1, .text = text } };
	if (!stream_manifest(m, sections) || peek_token(&m->s) >= 0)
		return false;
	*m = (struct streaming){ .k = k, .s = { .fd = -1, .text = text }, .fn = fn, .arg = arg };
	return stream_manifest(m, sections);
}

int
manifest_each(struct knowledge *k, int fd, const char *const *sections,
    void (*fn)(void *arg, const struct manifest_entry *e), void *arg, struct err *err)
{
	struct streaming *m = knowledge_alloc(k, sizeof(*m));

	*m = (struct streaming){ .k = k, .s = { .fd = fd }, .fn = fn, .arg = arg };
	if (stream_manifest(m, sections))
		return 0;
	if (m->s.read > KNOWLEDGE_MANIFEST_MAX)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the manifest is larger than %u MB",
		    (unsigned)(KNOWLEDGE_MANIFEST_MAX >> 20));
	return err_set(err, ERR_INVALID_ARGUMENTS,
	    "the manifest is not the JSON that its tool writes, or it ends too early");
}
