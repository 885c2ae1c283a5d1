#include <string.h>

#include "base/ascii.h"
#include "base/text/safe_text.h"
#include "base/utf8.h"
#include "project/format/yaml_emit.h"
#include "project/letters.h"
#include "project/model/wiki.h"
#include "workers/memory/read/claim.h"
#include "workers/memory/read/definition.h"
#include "workers/memory/read/formula.h"
#include "workers/memory/ingest/page.h"
#include "workers/memory/read/propose.h"
#include "workers/memory/read/sentences.h"
#include "workers/memory/read/signals.h"
#include "workers/memory/read/subject.h"
#include "workers/memory/read/words_note.h"

/* The first heading's text; its line is removed from *body if it is the first line. */
static struct span
take_heading(struct span *body)
{
	struct span rest = *body, line, title = { NULL, 0 };
	bool fenced = false, first = true;

	while (span_line(&rest, &line)) {
		line = span_trim(line);
		if (line.len == 0)
			continue;
		if (wiki_is_fence(line))
			fenced = !fenced;
		if (!fenced && line.p[0] == '#') {
			title = line;
			while (title.len > 0 && title.p[0] == '#')
				title = span_of(title.p + 1, title.len - 1);
			title = span_trim(title);
			if (first && title.len > 0)
				*body = span_trim(rest);
			return title;
		}
		first = false;
	}
	return title;
}

/* The title of a text that is all code: the name of its model or measure. */
static struct span
code_title(struct arena *a, struct span body)
{
	struct proposals *list = arena_alloc(a, sizeof(*list));
	char *title = NULL;

	if (list != NULL) {
		propose(a, &(struct propose_text){ .content = body, .title = SPAN("note") }, NULL, NULL, list);
		if (list->model.len > 0)
			return list->model;
		for (size_t i = 0; i < list->n && title == NULL; i++)
			if (list->v[i].kind == PROPOSAL_MEASURE && list->v[i].refused.len == 0)
				title = arena_cstr(a, list->v[i].measure.name);
	}
	if (title == NULL)
		return SPAN("Note");
	for (char *p = title; *p != '\0'; p++)
		if (*p == '_')
			*p = ' ';
	return span_str(title);
}

/* The first sentence of prose; empty if none. */
static struct span
first_sentence(struct arena *a, struct span body)
{
	struct sentences s;

	for (size_t i = 0; sentences_read(a, SPAN_NONE, body, &s) == 0 && i < s.n; i++)
		if (s.v[i].kind == SENTENCE_PROSE && s.v[i].text.p[0] != '<' && claim_body(s.v[i].text).len > 2)
			return s.v[i].text;
	return SPAN_NONE;
}

/* A heading that says what the note is about; an interjection does not. */
static struct span
title_of(struct arena *a, struct span *body, struct span sentence)
{
	struct span title = take_heading(body);

	if (title.len > 0 && !claim_is_interjection(title))
		return claim_body(title);
	if (body->len == 0)
		return title;
	if (!span_begins_word(sentence, "select") && (title = claim_subject(sentence)).len > 0)
		return title;
	return code_title(a, *body);
}

static struct span
first_statement(struct arena *a, struct span line)
{
	while (line.len > 0 && line.p[line.len - 1] == '.')
		line.len--;
	return arena_span(a, span_of(line.p, utf8_cut(line.p, line.len, PAGE_SUMMARY_MAX)));
}

static struct span
title_key(struct arena *a, struct span title)
{
	struct buf b = { 0 };
	struct span key;
	uint32_t h = 2166136261u;

	wiki_suggest_key(letters_plain(a, title, NULL), &b);
	if (b.len > PAGE_KEY_MAX)
		b.len = PAGE_KEY_MAX;
	while (b.len > 0 && (b.p[b.len - 1] == '-' || b.p[b.len - 1] == '_'))
		b.len--;
	for (size_t i = 0; i < b.len; i++)
		b.p[i] = ascii_lower(b.p[i]);
	/* The title has no letters that keys allow: use a hash. */
	if (span_is_str(buf_view(&b), "page-key") || b.len < 2) {
		for (size_t i = 0; i < title.len; i++)
			h = (h ^ title.p[i]) * 16777619u;
		buf_reset(&b, SIZE_MAX);
		buf_printf(&b, "note-%08x", h);
	}
	key = arena_span(a, buf_view(&b));
	buf_fini(&b);
	return key;
}

static void
add_tag(struct note *note, struct span text)
{
	for (size_t i = 0; i < note->tags.n; i++)
		if (span_is(note->tags.v[i], text))
			return;
	if (note->tags.n < PAGE_TAGS_MAX && text.len > 0)
		note->tags.v[note->tags.n++] = text;
}

static int
take_tags(struct arena *a, unsigned signals, const struct wiki_strings *given, struct note *note)
{
	if ((note->tags.v = arena_array(a, PAGE_TAGS_MAX, sizeof(*note->tags.v))) == NULL)
		return -1;
	for (size_t i = 0; i < given->n; i++)
		add_tag(note, given->v[i]);
	for (unsigned i = 0; i < SIGNALS; i++)
		if ((signals & 1u << i) != 0)
			add_tag(note, span_str(signal_at(i)->name));
	return 0;
}

/* Titles and summaries are shown in lists, commits and terminals: characters that deceive there are removed. */
static struct span
plain_text(struct arena *a, struct span text)
{
	struct buf out = { 0 };
	struct span kept;

	safe_text_strip(&out, text, false);
	kept = arena_span(a, span_trim(buf_view(&out)));
	buf_fini(&out);
	return kept;
}

/* Lines of front matter about the whole page. */
static struct span
words_above(struct arena *a, const struct wiki_page *page)
{
	struct buf lines = { 0 };
	struct span out;

	buf_printf(&lines, "%.*s\n", SPAN_FMT(page->summary));
	for (size_t i = 0; i < page->tags.n; i++)
		buf_printf(&lines, "%.*s\n", SPAN_FMT(page->tags.v[i]));
	out = arena_span(a, buf_view(&lines));
	buf_fini(&lines);
	return out;
}

void
page_note_entitle(struct arena *a, struct note *note, struct span title)
{
	note->title = title;
	note->key = title_key(a, title);
}

int
page_note_read(struct arena *a, struct span content, unsigned signals, struct note *note)
{
	struct wiki_page page = { 0 };
	struct span sentence;

	*note = (struct note){ 0 };
	/* A text that is already a wiki page keeps its front matter. */
	if (wiki_parse(a, content, &page, NULL) != 0)
		page = (struct wiki_page){ .body = span_trim(content) };
	note->text = note->body = page.body;
	sentence = first_sentence(a, page.body);
	note->title = plain_text(a, title_of(a, &note->body, sentence));
	if (note->title.len == 0)
		return -1;
	if (note->body.len == 0)
		note->body = note->title;
	note->key = title_key(a, note->title);
	note->summary = page.summary.len > 0 ? page.summary : first_statement(a, claim_body(sentence));
	note->summary = plain_text(a, note->summary);
	if (note->summary.len == 0)
		note->summary = note->title;
	note->above = words_above(a, &page);
	note->refs = page.refs;
	note->sl_refs = page.sl_refs;
	return take_tags(a, signals, &page.tags, note);
}

#define WORDS_MAX	24

struct page_words {
	size_t	 n;
	char	 v[WORDS_MAX][24];
};

static void
split_words(struct span s, struct page_words *w)
{
	size_t n = 0, i;

	for (i = 0; i <= s.len; i++) {
		uint8_t c = i < s.len ? s.p[i] : ' ';
		bool word = ascii_is_alnum(c) || c >= 0x80;

		if (word && n < sizeof(w->v[0]) - 1 && w->n < WORDS_MAX) {
			w->v[w->n][n++] = (char)ascii_lower(c);
			continue;
		}
		if (word || n == 0 || w->n == WORDS_MAX)
			continue;
		if (n > 3 && w->v[w->n][n - 1] == 's') /* plurals */
			n--;
		w->v[w->n][n] = '\0';
		n = 0;
		w->n += !span_is_any_word(span_str(w->v[w->n]), words_idle_in_titles);
	}
}

/* The share of a's words that occur in b, in percent. */
static unsigned
share_words(const struct page_words *a, const struct page_words *b)
{
	unsigned hits = 0;

	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < b->n; k++)
			if (strcmp(a->v[i], b->v[k]) == 0) {
				hits++;
				break;
			}
	return a->n == 0 ? 0 : hits * 100 / (unsigned)a->n;
}

/* The next byte of s that is no white space, at or after *i; -1 at the end. */
static int
next_ink(struct span s, size_t *i)
{
	while (*i < s.len && strchr(" \t\r\n", s.p[*i]) != NULL)
		++*i;
	return *i < s.len ? s.p[(*i)++] : -1;
}

bool
page_note_is_known(const struct note *note, const struct wiki_page *page)
{
	for (size_t at = 0; at < page->body.len; at++) {
		size_t i = 0, k = at;
		int a, b;

		if (at > 0 && page->body.p[at - 1] != '\n')
			continue;
		do {
			a = next_ink(note->body, &i);
			b = next_ink(page->body, &k);
		} while (a == b && a != -1);
		if (a == -1)
			return true;
	}
	return false;
}

#define STATED_MAX	64

/* The definitions of a text, each with its sentence. */
struct stated {
	size_t	n;
	struct {
		struct page_words	subject, meaning;
		struct span	whole;
	} v[STATED_MAX];
};

/* NULL: out of memory. */
static struct stated *
read_stated(struct arena *a, struct span text)
{
	struct stated *out = arena_alloc(a, sizeof(*out));
	struct definition d[DEFINITIONS_MAX];
	struct sentences s;

	if (out == NULL || sentences_read(a, SPAN_NONE, text, &s) != 0)
		return NULL;
	out->n = 0;
	for (size_t i = 0; i < s.n; i++) {
		/* Quotations, and remarks on contradictions, are not statements of the page. */
		size_t n = s.v[i].kind == SENTENCE_PROSE && !s.v[i].quoted ? definition_read(s.v[i].text, d) : 0;

		for (size_t k = 0; k < n && out->n < STATED_MAX; k++) {
			struct page_words *subject = &out->v[out->n].subject, *meaning = &out->v[out->n].meaning;

			subject->n = meaning->n = 0;
			split_words(d[k].subject, subject);
			split_words(d[k].meaning, meaning);
			out->v[out->n].whole = s.v[i].text;
			out->n += subject->n > 0 && subject_fault(d[k].subject) == NULL;
		}
	}
	return out;
}

void
page_note_dispute_add(struct note_disputes *list, struct span says, struct span where, struct span ours)
{
	for (size_t i = 0; i < list->n; i++)
		if (span_is(list->v[i].says, says) && span_is(list->v[i].where, where))
			return;
	if (list->n < NOTE_DISPUTES_MAX)
		list->v[list->n++] = (struct note_dispute){ says, where, ours };
}

static bool
same_words(const struct page_words *a, const struct page_words *b)
{
	return share_words(a, b) == 100 && share_words(b, a) == 100;
}

/* "freight", orders.freight and `freight` are the same; orders.freight and lines.freight are not. */
static bool
same_name(struct span a, struct span b)
{
	struct span name, owner[2], last[2];

	(void)claim_is_name(a, &name);
	(void)formula_dotted(name, &owner[0], &last[0]);
	(void)claim_is_name(b, &name);
	(void)formula_dotted(name, &owner[1], &last[1]);
	return span_is_folded(last[0], last[1]) &&
	    (owner[0].len == 0 || owner[1].len == 0 || span_is_folded(owner[0], owner[1]));
}

bool
page_note_may_share(const struct note *note, const struct wiki_page *page)
{
	struct span body = page->body, called = take_heading(&body), name;
	struct page_words ours = { .n = 0 }, theirs = { .n = 0 };

	if (called.len == 0)
		return true;
	if (claim_is_name(note->title, &name) || claim_is_name(called, &name))
		return same_name(note->title, called);
	split_words(note->title, &ours);
	split_words(called, &theirs);
	return (ours.n > 1 && theirs.n > 1) || same_words(&ours, &theirs);
}

void
page_note_contradictions(struct arena *a, const struct note *note, const struct wiki_page *page, struct span where,
    struct note_disputes *out)
{
	const struct stated *ours = read_stated(a, note->body), *theirs = read_stated(a, page->body);

	for (size_t i = 0; ours != NULL && theirs != NULL && i < ours->n; i++)
		for (size_t k = 0; k < theirs->n; k++)
			if (same_words(&ours->v[i].subject, &theirs->v[k].subject) &&
			    !same_words(&ours->v[i].meaning, &theirs->v[k].meaning))
				page_note_dispute_add(out, theirs->v[k].whole, where, ours->v[i].whole);
}

static void
put_scalar(struct buf *out, const char *key, struct span text)
{
	struct yaml_node node = { .kind = YAML_SCALAR, .quoted = true, .text = text };

	buf_printf(out, "%s: ", key);
	yaml_emit(&node, out);
}

static void
put_item(struct buf *out, struct span text)
{
	/* In a flow sequence, commas and brackets end a plain scalar. */
	if (yaml_is_plain_text(text) && memchr(text.p, ',', text.len) == NULL &&
	    memchr(text.p, ']', text.len) == NULL && memchr(text.p, '[', text.len) == NULL &&
	    memchr(text.p, '{', text.len) == NULL && memchr(text.p, '}', text.len) == NULL) {
		buf_span(out, text);
		return;
	}
	yaml_put_quoted(text, out);
}

static void
put_list(struct buf *out, const char *key, const struct wiki_strings *list)
{
	buf_printf(out, "%s: [", key);
	for (size_t i = 0; i < list->n; i++) {
		if (i > 0)
			buf_str(out, ", ");
		put_item(out, list->v[i]);
	}
	buf_str(out, "]\n");
}

/* A statement as one line of a quotation. */
static void
put_quoted(struct buf *out, struct span text)
{
	for (size_t i = 0; i < text.len; i++)
		buf_byte(out, text.p[i] == '\n' || text.p[i] == '\r' ? ' ' : text.p[i]);
}

static void
put_disputes(struct buf *out, const struct note_disputes *list)
{
	for (size_t i = 0; i < list->n; i++) {
		buf_printf(out, "**This contradicts %.*s** and was not decided:\n\n> ", SPAN_FMT(list->v[i].where));
		put_quoted(out, list->v[i].says);
		buf_str(out, "\n\n");
	}
}

struct span
page_decide(struct arena *a, struct span text, const struct span *measures, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *says = arena_printf(a, "> The semantic layer defines `%.*s` as", SPAN_FMT(measures[i])),
			   *open = "**This contradicts the semantic layer** and was not decided:\n\n";
		const char *whole = arena_printf(a, "%s%s", open, says);
		const uint8_t *at = memmem(text.p, text.len, whole, strlen(whole));
		struct buf out = { 0 };

		if (at == NULL)
			continue;
		buf_append(&out, text.p, (size_t)(at - text.p));
		buf_str(&out, "**This was approved** and took the place of:\n\n");
		buf_append(&out, at + strlen(open), text.len - (size_t)(at - text.p) - strlen(open));
		text = arena_span(a, buf_view(&out));
		buf_fini(&out);
	}
	return text;
}

void
page_new(const struct note *note, const struct note_origin *origin, const struct note_disputes *disputes,
    struct buf *out)
{
	buf_str(out, "---\n");
	put_scalar(out, "summary", note->summary);
	put_list(out, "tags", &note->tags);
	put_list(out, "refs", &note->refs);
	put_list(out, "sl_refs", &note->sl_refs);
	if (note->connection.len > 0)
		put_scalar(out, "connection", note->connection);
	buf_str(out, "usage_mode: auto\n");
	put_scalar(out, "author", origin->author);
	put_scalar(out, "at", origin->at);
	put_scalar(out, "run_id", origin->run_id);
	if (origin->proposed)
		buf_str(out, "status: proposed\n");
	buf_str(out, "---\n\n# ");
	buf_span(out, note->title);
	buf_str(out, "\n\n");
	put_disputes(out, disputes);
	buf_span(out, note->body);
	buf_byte(out, '\n');
}

/* Finds the front matter's lines: from *start to *end, the closing dashes; false if absent. */
static bool
find_matter(struct span text, size_t *start, size_t *end)
{
	struct span rest = text, line;

	if (!span_line(&rest, &line) || !span_is_str(span_trim(line), "---"))
		return false;
	*start = text.len - rest.len;
	do
		*end = text.len - rest.len;
	while (span_line(&rest, &line) && !span_begins(line, "---"));
	return span_begins(line, "---");
}

/* The line of a top-level key in text[start, end); false: none. */
static bool
find_key(struct span text, size_t start, size_t end, const char *key, size_t *at, size_t *len)
{
	struct span rest = span_of(text.p + start, end - start), line;
	size_t n = strlen(key);

	while (span_line(&rest, &line))
		if (span_begins(line, key) && line.len > n && line.p[n] == ':') {
			*at = (size_t)(line.p - text.p);
			*len = line.len;
			return true;
		}
	return false;
}

/* Adds item to the list key, if it is written [a, b] on one line; otherwise the text is unchanged. */
static void
add_item(struct span text, const char *key, struct span item, struct buf *out)
{
	size_t start, end, at, len, close;
	const uint8_t *open;

	if (!find_matter(text, &start, &end)) {
		buf_span(out, text);
	} else if (!find_key(text, start, end, key, &at, &len)) {
		buf_append(out, text.p, end);
		buf_printf(out, "%s: [", key);
		put_item(out, item);
		buf_str(out, "]\n");
		buf_append(out, text.p + end, text.len - end);
	} else {
		close = len;
		while (close > 0 && strchr(" \t\r", text.p[at + close - 1]) != NULL)
			close--;
		open = memchr(text.p + at, '[', len);
		if (open == NULL || text.p[at + close - 1] != ']') {
			buf_span(out, text);
			return;
		}
		buf_append(out, text.p, at + close - 1);
		if (span_trim(span_of(open + 1, (size_t)(text.p + at + close - 2 - open))).len > 0)
			buf_str(out, ", ");
		put_item(out, item);
		buf_append(out, text.p + at + close - 1, text.len - (at + close - 1));
	}
}

static void
set_line(struct span text, const char *key, struct span value, struct buf *out)
{
	size_t start, end, at, len;

	if (!find_matter(text, &start, &end) || !find_key(text, start, end, key, &at, &len)) {
		buf_span(out, text);
		return;
	}
	buf_append(out, text.p, at);
	put_scalar(out, key, value);
	out->len--; /* keep the line's own end */
	if (len > 0 && text.p[at + len - 1] == '\r')
		len--;
	buf_append(out, text.p + at + len, text.len - at - len);
}

static bool
has_string(const struct wiki_strings *list, struct span s)
{
	for (size_t i = 0; i < list->n; i++)
		if (span_is(list->v[i], s))
			return true;
	return false;
}

/* The text in b if it is a page that otherwise equals page; else text. */
static struct span
if_sound(struct arena *a, struct span text, const struct wiki_page *page, const struct buf *b)
{
	struct wiki_page check;
	struct span next = arena_span(a, buf_view(b));

	return next.len > 0 && wiki_parse(a, next, &check, NULL) == 0 && span_is(check.body, page->body) &&
		span_is(check.summary, page->summary) ?
	    next :
	    text;
}

/* Adds these to the page's sl_refs, one by one, unless the page would no longer parse. */
static struct span
add_refs(struct arena *a, struct span text, const struct wiki_page *page, const struct wiki_strings *sl_refs)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < sl_refs->n; i++) {
		if (has_string(&page->sl_refs, sl_refs->v[i]))
			continue;
		buf_reset(&b, SIZE_MAX);
		add_item(text, "sl_refs", sl_refs->v[i], &b);
		text = if_sound(a, text, page, &b);
	}
	buf_fini(&b);
	return text;
}

static struct span
change_line(struct arena *a, struct span text, const struct wiki_page *page, const char *key, struct span value)
{
	struct buf b = { 0 };

	set_line(text, key, value, &b);
	text = if_sound(a, text, page, &b);
	buf_fini(&b);
	return text;
}

/*
 * Adds the connection to a page about other connections.  A page that names none is about all of them, and stays so.
 */
static struct span
add_connection(struct arena *a, struct span text, const struct wiki_page *page, struct span connection)
{
	static const char *const keys[] = { "connections", "connection", "connection_ids", "connection_id",
		"connectionIds", "connectionId" };
	size_t start, end, at, len;
	struct buf b = { 0 };

	if (page->connections.n == 0 || connection.len == 0 || has_string(&page->connections, connection) ||
	    !find_matter(text, &start, &end))
		return text;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (!find_key(text, start, end, keys[i], &at, &len))
			continue;
		if (memchr(text.p + at, '[', len) != NULL)
			add_item(text, keys[i], connection, &b);
		else if (page->connections.n == 1) {
			buf_append(&b, text.p, at);
			buf_printf(&b, "%s: [", keys[i]);
			put_item(&b, page->connections.v[0]);
			buf_str(&b, ", ");
			put_item(&b, connection);
			buf_byte(&b, ']');
			if (len > 0 && text.p[at + len - 1] == '\r')
				len--;
			buf_append(&b, text.p + at + len, text.len - at - len);
		}
		break;
	}
	text = if_sound(a, text, page, &b);
	buf_fini(&b);
	return text;
}

/* The page with its front matter brought up to date. */
static struct span
refresh_matter(struct arena *a, struct span text, const struct wiki_page *page, const struct note *note,
    const struct note_origin *origin)
{
	text = add_connection(a, add_refs(a, text, page, &note->sl_refs), page, note->connection);
	if (!page->has_provenance)
		return text;
	text = change_line(a, text, page, "at", origin->at);
	return change_line(a, text, page, "run_id", origin->run_id);
}

/* Appends text with the line ends of the page. */
static void
put_lines(struct buf *out, struct span text, bool crlf)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.p[i] == '\n' && crlf && (i == 0 || text.p[i - 1] != '\r'))
			buf_byte(out, '\r');
		buf_byte(out, text.p[i]);
	}
}

int
page_extend(struct arena *a, struct span text, const struct note *note, const struct note_origin *origin,
    const struct note_disputes *disputes, struct buf *out, struct err *err)
{
	struct wiki_page page, check;
	struct buf section = { 0 };
	bool crlf;
	int r = 0;

	if (wiki_parse(a, text, &page, err) != 0)
		return -1;
	crlf = memmem(text.p, text.len, "\r\n", 2) != NULL;
	buf_span(out, refresh_matter(a, text, &page, note, origin));
	buf_printf(&section, "%s\n## %.*s\n\n" WIKI_ADDITION "%.*s by %.*s (run %.*s)%s%.*s.*\n",
	    text.len > 0 && text.p[text.len - 1] == '\n' ? "" : "\n", SPAN_FMT(note->title),
	    (int)(origin->at.len < 10 ? origin->at.len : 10), (const char *)origin->at.p, SPAN_FMT(origin->author),
	    SPAN_FMT(origin->run_id), note->connection.len > 0 ? ", about the connection " : "",
	    SPAN_FMT(note->connection));
	buf_byte(&section, '\n');
	put_disputes(&section, disputes);
	buf_span(&section, note->body);
	buf_byte(&section, '\n');
	put_lines(out, buf_view(&section), crlf);
	buf_fini(&section);
	if (out->len > WIKI_BYTES_MAX)
		r = err_set(err, ERR_RESULT_TOO_LARGE, PAGE_TOO_LARGE);
	else
		r = wiki_parse(a, buf_view(out), &check, err);
	return r;
}

int
page_approve(struct arena *a, struct span text, const struct wiki_strings *sl_refs, struct buf *out, struct err *err)
{
	struct wiki_page page, check;

	if (wiki_parse(a, text, &page, err) != 0)
		return -1;
	if (!span_is_str(page.status, "proposed"))
		return err_set(err, ERR_BUSY, "the page no longer says that it is proposed; somebody has changed it");
	text = change_line(a, add_refs(a, text, &page, sl_refs), &page, "status", SPAN("approved"));
	buf_span(out, text);
	if (wiki_parse(a, text, &check, err) != 0)
		return -1;
	return span_is_str(check.status, "approved") ?
	    0 :
	    err_set(err, ERR_BUSY,
		"the page's front matter has a form that is not edited automatically; remove \"status: proposed\" "
		"by hand");
}

/* Whether the page has the remark on this statement already. */
static bool
has_remark(struct span text, struct span told, struct span statement)
{
	struct span line;

	while (span_line(&text, &line))
		if (memmem(line.p, line.len, told.p, told.len) != NULL &&
		    memmem(line.p, line.len, statement.p, statement.len) != NULL)
			return true;
	return false;
}

int
page_remark(struct arena *a, struct span text, const struct note_dispute *dispute, struct span key,
    const struct note_origin *origin, struct buf *out, struct err *err)
{
	struct span told = span_str(arena_printf(a, "**Contradicted on [[%.*s]]**", SPAN_FMT(key))), ours;
	struct buf remark = { 0 };
	struct wiki_page check;
	int r = 1;

	put_quoted(&remark, dispute->ours);
	ours = arena_span(a, buf_view(&remark));
	remark.len = 0;
	if (!has_remark(text, told, ours)) {
		buf_printf(&remark, "%s\n> %.*s (%.*s, run %.*s), not decided: %.*s\n",
		    text.len > 0 && text.p[text.len - 1] == '\n' ? "" : "\n", SPAN_FMT(told),
		    (int)(origin->at.len < 10 ? origin->at.len : 10), (const char *)origin->at.p,
		    SPAN_FMT(origin->run_id), SPAN_FMT(ours));
		buf_span(out, text);
		put_lines(out, buf_view(&remark), memmem(text.p, text.len, "\r\n", 2) != NULL);
		if (out->len > WIKI_BYTES_MAX)
			r = err_set(err, ERR_RESULT_TOO_LARGE, PAGE_TOO_LARGE);
		else
			r = wiki_parse(a, buf_view(out), &check, err) == 0 ? 1 : -1;
	} else
		r = 0;
	buf_fini(&remark);
	return r;
}
