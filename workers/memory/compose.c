/* compose.c - see compose.h. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "project/files.h"
#include "project/source.h"
#include "project/yaml.h"
#include "workers/memory/compose.h"
#include "workers/memory/measure.h"
#include "workers/memory/page.h"

#define TEXT_MAX	((size_t)4 << 20)
#define KEYS_TRIED	20

struct compose {
	const struct memory	*m;
	struct run		*r;
	struct arena		*a;
	struct note		 note;
	struct note_origin	 origin;
	/* The page it goes to: text empty when it is to be made. */
	struct span		 key, text, contradicted;
	struct wiki_page	 page;
	bool			 exists, known;
	/* Why the semantic layer has no part in it, or which part. */
	struct span		 remark;
};

static struct span
say(struct compose *c, const char *text)
{
	return arena_span(c->a, span_str(text));
}

/* --- the page -------------------------------------------------------------------------- */

/* 1: read, 0: there is none, -1: there is one that cannot be read. */
static int
read_page(struct compose *c, int wiki, struct span key, struct span *text, struct wiki_page *page)
{
	char path[FILES_PATH_MAX];
	struct buf b = { 0 };
	enum files_fault fault;
	int r = -1;

	snprintf(path, sizeof(path), "global/%.*s.md", SPAN_FMT(key));
	fault = files_read(wiki, path, WIKI_BYTES_MAX, &b, NULL);
	if (fault == FILES_MISSING)
		r = 0;
	else if (fault == FILES_OK) {
		*text = arena_span(c->a, buf_view(&b));
		r = wiki_parse(c->a, *text, page, NULL) == 0 ? 1 : -1;
	}
	buf_fini(&b);
	return r;
}

static bool
settle(struct compose *c, int wiki, struct span key)
{
	struct wiki_page page;
	struct span text;

	if (!files_is_id(key) || read_page(c, wiki, key, &text, &page) != 1 ||
	    !note_same_subject(&c->note, key, &page) || text.len + c->note.body.len + 4096 > WIKI_BYTES_MAX)
		return false;
	c->exists = true;
	c->key = arena_span(c->a, key);
	c->text = text;
	c->page = page;
	return true;
}

/* A page about the same subject, of those that search named; else a key that is free. */
static int
find_page(struct compose *c, struct err *err)
{
	int wiki = memory_open_place(c->m, "wiki", err);
	struct wiki_page page;
	struct span text;
	bool found;

	if (wiki < 0)
		return -1;
	found = settle(c, wiki, c->note.key);
	for (size_t i = 0; !found && i < c->r->npages; i++)
		found = settle(c, wiki, c->r->pages[i]);
	c->key = found ? c->key : c->note.key;
	for (unsigned n = 2; !found && n < KEYS_TRIED && read_page(c, wiki, c->key, &text, &page) != 0; n++)
		c->key = span_str(arena_printf(c->a, "%.*s-%u", SPAN_FMT(c->note.key), n));
	close(wiki);
	if (found) {
		c->known = note_is_known(&c->note, &c->page);
		c->contradicted = note_contradicts(&c->note, &c->page);
	}
	return 0;
}

static const char *
wiki_reason(const struct compose *c)
{
	if (c->known)
		return "the page says it already";
	if (c->exists && c->contradicted.len > 0)
		return "the page is about the same subject and says otherwise; both statements stand there, marked";
	return c->exists ? "the page is about the same subject" : "no page is about this subject yet";
}

static int
change_page(struct compose *c, struct err *err)
{
	struct run_change *out = run_change(c->r, RUN_WIKI, c->known ? RUN_SKIPPED : c->exists ? RUN_UPDATED : RUN_CREATED);
	struct buf text = { 0 };
	int r = 0;

	out->path = span_str(arena_printf(c->a, "wiki/global/%.*s.md", SPAN_FMT(c->key)));
	out->name = c->key;
	out->summary = c->note.summary;
	out->reason = span_str(arena_printf(c->a, "%s%s%.*s", wiki_reason(c), c->remark.len > 0 ? "; " : "",
	    SPAN_FMT(c->remark)));
	if (c->known)
		return 0;
	if (c->exists)
		r = page_extend(c->a, c->text, &c->note, &c->origin, c->contradicted, &text, err);
	else
		page_new(&c->note, &c->origin, c->contradicted, &text);
	out->before = c->text;
	out->after = arena_span(c->a, buf_view(&text));
	if (r == 0 && out->after.len == 0)
		r = err_set(err, ERR_RESULT_TOO_LARGE, "the page would be too large");
	buf_fini(&text);
	return r;
}

/* --- the measure ------------------------------------------------------------------------- */

/* The connection's files as they are taken together, and the one that holds the source. */
struct layer {
	struct source_set	*set;
	struct measure		 measure;
	struct span		 file, text;	/* empty: only the scan knows the source */
};

static void
take_file(struct compose *c, struct layer *l, const char *path, struct span text)
{
	const struct yaml_node *root;
	const char *stem = strrchr(path, '/'), *dot;
	struct span name;

	(void)source_set_put(l->set, path, text, NULL);
	if (source_is_shard(path) || (root = yaml_parse(c->a, text, NULL)) == NULL)
		return;
	stem = stem != NULL ? stem + 1 : path;
	dot = strrchr(stem, '.');
	name = span_of(stem, dot != NULL ? (size_t)(dot - stem) : strlen(stem));
	root = yaml_get(root, "name");
	if (root != NULL && root->kind == YAML_SCALAR)
		name = root->text;
	if (!span_is(name, l->measure.source))
		return;
	l->file = arena_span(c->a, span_str(path));
	l->text = arena_span(c->a, text);
}

static void
take_directory(struct compose *c, struct layer *l, int dir, const char *below, unsigned depth)
{
	struct files_list list;
	struct buf text = { 0 };
	int fd;

	if (files_open_dir(dir, below[0] == '\0' ? "." : below, &fd) != FILES_OK)
		return;
	if (files_list(fd, c->a, &list) != FILES_OK)
		list.n = 0;
	close(fd);
	for (size_t i = 0; i < list.n; i++) {
		const char *path = arena_printf(c->a, "%s%s%s", below, below[0] == '\0' ? "" : "/", list.entries[i].name);

		if (path == NULL || list.entries[i].is_link)
			continue;
		if (list.entries[i].is_dir) {
			if (depth > 0)
				take_directory(c, l, dir, path, depth - 1);
			continue;
		}
		buf_reset(&text, TEXT_MAX);
		if (source_is_file(path) && files_read(dir, path, TEXT_MAX, &text, NULL) == FILES_OK)
			take_file(c, l, path, buf_view(&text));
	}
	buf_fini(&text);
}

static void
ignore(void *arg, const struct source *before, const struct source *after)
{
	(void)arg;
	(void)before;
	(void)after;
}

/* With text in place of path the source still composes, and has the measure. */
static int
try_out(struct layer *l, const char *path, struct span text, struct err *err)
{
	const struct source *s;
	size_t n = 0;

	if ((s = source_set_get(l->set, l->measure.source)) != NULL)
		for (size_t i = 0; i < s->ncolumns; i++)
			if (span_is_str(l->measure.name, s->columns[i].name))
				return err_set(err, ERR_INVALID_QUERY, "%s has a column of that name", s->name);
	if (source_set_put(l->set, path, text, err) != 0)
		return -1;
	source_set_compose(l->set, ignore, NULL);
	for (size_t i = 0; i < source_set_troubles(l->set); i++)
		if (strcmp(source_set_trouble(l->set, i).path, path) == 0)
			return err_set(err, ERR_INVALID_QUERY, "%s: %s", path, source_set_trouble(l->set, i).reason);
	if ((s = source_set_get(l->set, l->measure.source)) != NULL)
		for (size_t i = 0; i < s->nmeasures; i++)
			n += span_is_str(l->measure.name, s->measures[i].name);
	return n == 1 ? 0 : err_set(err, ERR_INVALID_QUERY, "the source would not have the measure");
}

/* The file to write; for an overlay named after its source. */
static struct span
file_for(struct compose *c, const struct layer *l)
{
	const struct span *s = &l->measure.source;

	if (l->file.len > 0)
		return l->file;
	for (size_t i = 0; i < s->len; i++)
		if (!((s->p[i] >= 'a' && s->p[i] <= 'z') || (s->p[i] >= '0' && s->p[i] <= '9' && i > 0) || s->p[i] == '_'))
			return span_of(NULL, 0);
	return s->len > 64 ? span_of(NULL, 0) : span_str(arena_printf(c->a, "%.*s.yaml", SPAN_FMT(*s)));
}

/* Of the source's measure of that name with another meaning: said on both sides of the run, changed on none. */
static void
conflict(struct compose *c, const struct layer *l, struct span expr)
{
	struct run_change *out = run_change(c->r, RUN_SEMANTIC, RUN_SKIPPED);

	out->name = l->measure.source;
	out->path = span_str(arena_printf(c->a, "semantic-layer/%.*s/%.*s", SPAN_FMT(c->r->connection), SPAN_FMT(l->file)));
	out->summary = span_str(arena_printf(c->a, "measure %.*s", SPAN_FMT(l->measure.name)));
	out->reason = span_str(arena_printf(c->a, "%.*s.%.*s is defined there as %.*s, which contradicts %.*s; it was not "
	    "changed", SPAN_FMT(l->measure.source), SPAN_FMT(l->measure.name), SPAN_FMT(expr), SPAN_FMT(l->measure.expr)));
	if (c->contradicted.len == 0)
		c->contradicted = span_str(arena_printf(c->a, "The semantic layer defines `%.*s.%.*s` as `%.*s`.",
		    SPAN_FMT(l->measure.source), SPAN_FMT(l->measure.name), SPAN_FMT(expr)));
	c->remark = say(c, "the semantic layer has a measure of that name that says otherwise");
}

static int
write_measure(struct compose *c, struct layer *l, struct err *err)
{
	struct span file = file_for(c, l), description = c->note.summary;
	struct buf text = { 0 };
	struct run_change *out;
	int r = -1;

	if (file.len == 0)
		return err_set(err, ERR_INVALID_QUERY, "the source's name is no file name");
	description = span_str(arena_printf(c->a, "%.*s (wiki: %.*s)", SPAN_FMT(description), SPAN_FMT(c->key)));
	if (measure_add(c->a, l->text, &l->measure, description, &text, err) == 0 &&
	    try_out(l, arena_cstr(c->a, file), buf_view(&text), err) == 0) {
		out = run_change(c->r, RUN_SEMANTIC, l->file.len > 0 ? RUN_UPDATED : RUN_CREATED);
		out->name = l->measure.source;
		out->path = span_str(arena_printf(c->a, "semantic-layer/%.*s/%.*s", SPAN_FMT(c->r->connection), SPAN_FMT(file)));
		out->summary = span_str(arena_printf(c->a, "measure %.*s: %.*s", SPAN_FMT(l->measure.name),
		    SPAN_FMT(l->measure.expr)));
		out->reason = say(c, "it defines a measure that compiles and runs");
		out->before = l->text;
		out->after = arena_span(c->a, buf_view(&text));
		r = out->after.len > 0 ? 0 : err_set(err, ERR_RESULT_TOO_LARGE, "the file would be too large");
	}
	buf_fini(&text);
	return r;
}

static void
link_measure(struct compose *c, const struct measure *m)
{
	struct wiki_strings *refs = &c->note.sl_refs;
	struct span *v = arena_array(c->a, refs->n + 1, sizeof(*v));

	if (v == NULL)
		return;
	if (refs->n > 0)
		memcpy(v, refs->v, refs->n * sizeof(*v));
	v[refs->n] = span_str(arena_printf(c->a, "%.*s.%.*s", SPAN_FMT(m->source), SPAN_FMT(m->name)));
	refs->v = v;
	refs->n++;
}

static int
place_measure(struct compose *c, struct layer *l, struct err *err)
{
	enum measure_fit fit = MEASURE_NEW;
	struct span expr = { NULL, 0 };
	char below[FILES_NAME_MAX + 1];
	int place, dir;

	if ((place = memory_open_place(c->m, "semantic-layer", err)) < 0)
		return -1;
	snprintf(below, sizeof(below), "%.*s", SPAN_FMT(c->r->connection));
	if (files_open_dir(place, below, &dir) == FILES_OK) {
		take_directory(c, l, dir, "", 4);
		close(dir);
	}
	close(place);
	source_set_compose(l->set, ignore, NULL);
	if (l->text.len > 0 && measure_fit(c->a, l->text, &l->measure, &fit, &expr, err) != 0)
		return -1;
	if (fit == MEASURE_OTHER) {
		conflict(c, l, expr);
		return 0;
	}
	if (fit == MEASURE_NEW && write_measure(c, l, err) != 0)
		return -1;
	if (fit == MEASURE_THERE)
		c->remark = say(c, "the semantic layer has this measure already");
	link_measure(c, &l->measure);
	return 0;
}

/* The semantic layer's part.  What keeps it out is a remark, not a failure. */
static void
change_measure(struct compose *c)
{
	struct layer l = { .set = NULL };
	struct err why = { .code = ERR_NONE };
	int r = measure_read(c->a, c->r->content, c->note.title, &l.measure, &why);

	if (r == 0)
		return;
	if (r > 0 && c->r->connection.len == 0)
		r = err_set(&why, ERR_INVALID_QUERY, "no connectionId was given");
	else if (r > 0 && !c->r->tried)
		r = err_set(&why, ERR_INVALID_QUERY, "it could not be tried against the database");
	else if (r > 0 && c->r->refused.len > 0)
		r = err_set(&why, ERR_INVALID_QUERY, "%.*s", SPAN_FMT(c->r->refused));
	if (r > 0) {
		l.set = source_set_new();
		r = place_measure(c, &l, &why);
		source_set_free(l.set);
	}
	if (r < 0)
		c->remark = span_str(arena_printf(c->a, "not for the semantic layer: %s", why.message));
}

int
compose_run(const struct memory *m, struct run *r, struct err *err)
{
	struct compose c = { .m = m, .r = r, .a = r->arena };
	struct run_change *none;
	char at[25];

	r->nchanges = 0;
	if (note_read(r->arena, r->content, &c.note) != 0 || c.note.body.len < 6) {
		none = run_change(r, RUN_WIKI, RUN_SKIPPED);
		none->reason = say(&c, "there is nothing in it to keep");
		return 0;
	}
	clock_iso8601(r->at_ms, at);
	c.origin = (struct note_origin){ r->principal, arena_span(r->arena, span_str(at)), span_str(r->id) };
	if (find_page(&c, err) != 0)
		return -1;
	change_measure(&c);
	return change_page(&c, err);
}
