#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "project/format/files.h"
#include "project/model/source.h"
#include "project/model/source_find.h"
#include "project/model/also.h"
#include "workers/memory/ingest/compose.h"
#include "workers/memory/ingest/compose_layer.h"
#include "workers/memory/read/layer_text.h"
#include "workers/memory/read/measure.h"
#include "workers/memory/read/mention.h"
#include "workers/memory/ingest/sources.h"
#include "workers/memory/worker.h"

#define TEXT_MAX	((size_t)4 << 20)

/* A connection's files, composed (borrowed), and the file of the source. */
struct layer {
	struct source_set	*set;
	struct measure		 measure;
	struct span		 file, text;	/* empty: only the scan knows the source */
	struct run_change	*pending;	/* an earlier change of this run to the same file */
};

static const char *
kind_name(const struct measure *m)
{
	return m->column ? "dimension" : "measure";
}

static void
ignore_change(void *arg, const struct source *before, const struct source *after)
{
	(void)arg;
	(void)before;
	(void)after;
}

/* The number of the source's entries with that name. */
static size_t
count_named(const struct source *s, const struct measure *m)
{
	size_t n = 0;

	for (size_t i = 0; s != NULL && m->column && i < s->ncolumns; i++)
		n += span_is_str(m->name, s->columns[i].name);
	for (size_t i = 0; s != NULL && !m->column && i < s->nmeasures; i++)
		n += span_is_str(m->name, s->measures[i].name);
	return n;
}

/* Composes the set with text in place of path. */
static int
compose_source(struct layer *l, const char *path, struct span text, struct err *err)
{
	if (path == NULL)
		return err_set(err, ERR_RESULT_TOO_LARGE, "there is no room for the file's name");
	if (source_set_put(l->set, path, text, err) != 0)
		return -1;
	source_set_compose(l->set, ignore_change, NULL);
	for (size_t i = 0; i < source_set_troubles(l->set); i++)
		if (strcmp(source_set_trouble(l->set, i).path, path) == 0)
			return err_set(err, ERR_INVALID_QUERY, "%s: %s", path, source_set_trouble(l->set, i).reason);
	return 0;
}

/* Whether the source, with text in place of path, still composes and has the measure. */
static int
try_file(struct layer *l, const char *path, struct span text, struct err *err)
{
	const struct source *s;

	s = source_set_get(l->set, l->measure.source);
	if (!l->measure.column && source_find_column(s, l->measure.name) != NULL)
		return err_set(err, ERR_INVALID_QUERY, "%s has a column of that name", s->name);
	if (compose_source(l, path, text, err) != 0)
		return -1;
	return count_named(source_set_get(l->set, l->measure.source), &l->measure) == 1 ?
	    0 :
	    err_set(err, ERR_INVALID_QUERY, "the source would not have it");
}

/* The file to write; a new overlay is named after its source. */
static struct span
file_for(struct compose *c, const struct layer *l)
{
	const struct span *s = &l->measure.source;

	if (l->file.len > 0)
		return l->file;
	for (size_t i = 0; i < s->len; i++)
		if (!(ascii_is_lower(s->p[i]) || (ascii_is_digit(s->p[i]) && i > 0) || s->p[i] == '_'))
			return SPAN_NONE;
	return s->len > 64 ? SPAN_NONE : span_str(arena_printf(c->a, "%.*s.yaml", SPAN_FMT(*s)));
}

static int
refuse_file_name(struct err *err)
{
	return err_set(err, ERR_INVALID_QUERY, "the source's name is no file name");
}

static struct span
layer_path(struct compose *c, struct span file)
{
	return file.len == 0 ?
	    SPAN_NONE :
	    span_str(arena_printf(c->a, "semantic-layer/%.*s/%.*s", SPAN_FMT(c->r->connection), SPAN_FMT(file)));
}

/* "orders.net_takings" */
static struct span
name_measure(struct compose *c, const struct measure *m)
{
	return span_str(arena_printf(c->a, "%.*s.%.*s", SPAN_FMT(m->source), SPAN_FMT(m->name)));
}

/* "sum(net_ct) where not is_test" */
static const char *
describe_formula(struct compose *c, const struct measure *m)
{
	return arena_printf(c->a, "%.*s%s%.*s", SPAN_FMT(m->expr), m->filter.len > 0 ? " where " : "",
	    SPAN_FMT(m->filter));
}

/* "measure net_takings: sum(net_ct) where not is_test" */
static struct span
describe_measure(struct compose *c, const struct measure *m)
{
	return span_str(arena_printf(c->a, "%s %.*s: %s", kind_name(m), SPAN_FMT(m->name), describe_formula(c, m)));
}

/* The run's copy of the source file's new text; -1: the run has no room for it. */
static int
keep_file_text(struct compose *c, const struct buf *text, struct span *after, struct err *err)
{
	*after = arena_span(c->a, buf_view(text));
	return after->len > 0 ? 0 : err_set(err, ERR_RESULT_TOO_LARGE, "the file would be too large");
}

/* Records the new text of the source's file; out is the outcome of one of its proposals. */
static void
write_file_text(const struct layer *l, struct run_change *out, struct span after)
{
	if (l->pending != NULL) {
		l->pending->after = after;
		out->joined = true;
		return;
	}
	out->before = l->text;
	out->after = after;
}

/* "refunds.amount is defined there as sum(x), which contradicts sum(y)" */
static struct span
describe_conflict(struct compose *c, const struct layer *l, const struct measure *there)
{
	return span_str(arena_printf(c->a, "%.*s is defined there as %s, which contradicts %s",
	    SPAN_FMT(name_measure(c, &l->measure)), describe_formula(c, there), describe_formula(c, &l->measure)));
}

/* Whether the run told of this conflict, and no longer one, before it was approved: report_conflict(). */
static bool
is_told(const struct compose *c, struct span conflict)
{
	for (size_t i = 0; i < c->r->changes.n; i++) {
		struct span reason = c->r->changes.v[i].reason;

		if (conflict.len > 0 && reason.len > conflict.len && reason.p[conflict.len] == ';' &&
		    span_is(span_of(reason.p, conflict.len), conflict))
			return true;
	}
	return false;
}

static const char *
conflict_mark(struct compose *c, const struct layer *l)
{
	return arena_printf(c->a, "# contradicted on wiki page %.*s: %.*s", SPAN_FMT(c->key),
	    SPAN_FMT(l->measure.expr));
}

/*
 * The source has a different measure of that name: both places get a remark, neither is changed before a person
 * approves the run.
 */
static void
report_conflict(struct compose *c, struct layer *l, const struct measure *there)
{
	struct run_change *out =
	    compose_change(c, RUN_SEMANTIC, RUN_SKIPPED, layer_path(c, l->file), l->measure.source);
	struct buf text = { 0 };
	bool waits = !c->approve && !l->measure.column;
	struct span after;

	out->summary = describe_measure(c, &l->measure);
	out->reason =
	    span_str(arena_printf(c->a, "%.*s; it was not changed%s%s", SPAN_FMT(describe_conflict(c, l, there)),
		waits ? " and takes its place with carrel memory approve " : "", waits ? c->r->id : ""));
	if (waits)
		c->r->review = RUN_PROPOSED;
	if (!c->propose && !c->silent &&
	    layer_mark(c->a, l->text, measure_list(&l->measure), l->measure.name, conflict_mark(c, l), &text, NULL) ==
		1 &&
	    keep_file_text(c, &text, &after, NULL) == 0) {
		out->action = RUN_UPDATED;
		write_file_text(l, out, after);
	}
	page_note_dispute_add(&c->disputes,
	    span_str(arena_printf(c->a, "The semantic layer defines `%.*s` as `%s`.",
		SPAN_FMT(name_measure(c, &l->measure)), describe_formula(c, there))),
	    SPAN("the semantic layer"), l->measure.expr);
	buf_fini(&text);
}

/* The description for a reader of the source: the note's sentence, or the origin of a fragment. */
static struct span
description_of(struct compose *c, const struct proposal *p)
{
	struct span said = p->said.len > 0 && (p->said.len <= PAGE_SUMMARY_MAX || p->kind == PROPOSAL_DESCRIPTION) ?
	    p->said :
	    c->note.summary;
	struct buf text = { 0 };

	if (p->fragment && p->said.len == 0)
		return SPAN_NONE;
	/* "Also called ..." in a description makes synonyms, which a person approves. */
	if (c->approve)
		buf_span(&text, said);
	else
		also_without(said, &text);
	while (text.len > 0 && ascii_is_any(text.p[text.len - 1], ". "))
		text.len--;
	if (!p->fragment)
		buf_printf(&text, " (wiki: %.*s)", SPAN_FMT(c->key));
	said = arena_span(c->a, buf_view(&text));
	buf_fini(&text);
	return said;
}

/* What the measure contradicts: a statement of a page, or another measure that is called so.  Empty: nothing. */
static struct span
contradicted_by(struct compose *c, const struct layer *l, const struct proposal *p)
{
	const struct source *s;
	const struct source_measure *other =
	    mention_measure(l->set, l->measure.source, l->measure.name, p->subject, &s);

	if (other == NULL && l->measure.label.len > 0)
		other = mention_measure(l->set, l->measure.source, l->measure.name, l->measure.label, &s);
	for (size_t i = 0; i < 2 && other == NULL; i++)
		other = mention_within(l->set, l->measure.source, l->measure.name,
		    i == 0 ? l->measure.name : l->measure.label, &s);
	if (other != NULL)
		return span_str(arena_printf(c->a, "%s.%s, which is called so", s->name, other->name));
	for (size_t i = 0; i < c->disputes.n; i++) {
		const struct note_dispute *d = &c->disputes.v[i];

		if (p->formula.len > 0 && memmem(d->ours.p, d->ours.len, p->formula.p, p->formula.len) != NULL)
			return span_str(arena_printf(c->a, "%.*s: \"%.*s\"", SPAN_FMT(d->where),
			    (int)(d->says.len < 160 ? d->says.len : 160), (const char *)d->says.p));
	}
	return SPAN_NONE;
}

/* A measure that contradicts what is there waits for a person, whether or not others do. */
static void
hold_measure(struct compose *c, const struct layer *l, struct span contradicted)
{
	struct run_change *out = compose_change(c, RUN_SEMANTIC, RUN_SKIPPED, SPAN_NONE, l->measure.source);

	out->summary = describe_measure(c, &l->measure);
	out->reason = span_str(arena_printf(c->a,
	    "it contradicts %.*s; it waits for approval: carrel memory approve %s", SPAN_FMT(contradicted), c->r->id));
	c->r->review = RUN_PROPOSED;
}

/* Marks the measure that was just added to text. */
static int
mark_contradiction(struct compose *c, const struct layer *l, struct buf *text, struct err *err)
{
	const char *mark = arena_printf(c->a, "# contradicted on wiki page %.*s", SPAN_FMT(c->key));
	struct span before = arena_span(c->a, buf_view(text));

	text->len = 0;
	return layer_mark(c->a, before, measure_list(&l->measure), l->measure.name, mark, text, err) == 1 ? 0 : -1;
}

static int
write_measure(struct compose *c, struct layer *l, const struct proposal *p, struct span contradicted, struct err *err)
{
	struct span file = file_for(c, l), after;
	struct buf text = { 0 };
	struct run_change *out;
	int r = -1;

	if (file.len == 0)
		return refuse_file_name(err);
	if (measure_add(c->a, l->text, &l->measure, description_of(c, p), &text, err) == 0 &&
	    (contradicted.len == 0 || mark_contradiction(c, l, &text, err) == 0) &&
	    try_file(l, arena_cstr(c->a, file), buf_view(&text), err) == 0 &&
	    keep_file_text(c, &text, &after, err) == 0) {
		out = compose_change(c, RUN_SEMANTIC,
		    c->propose          ? RUN_SKIPPED :
			l->file.len > 0 ? RUN_UPDATED :
					  RUN_CREATED,
		    layer_path(c, file), l->measure.source);
		out->summary = describe_measure(c, &l->measure);
		out->reason = span_str(arena_printf(c->a, "it defines a %s that compiles and runs%s",
		    kind_name(&l->measure), c->propose ? ", and waits for approval" : ""));
		if (!c->propose)
			write_file_text(l, out, after);
		r = 0;
	}
	/* The set of files now has the tried text, which may not be written in the end. */
	sources_forget(c->m->sources, c->r->connection, arena_cstr(c->a, file));
	buf_fini(&text);
	return r;
}

/* The approved definition takes the place of the one that the source has. */
static int
replace_measure(struct compose *c, struct layer *l, const struct proposal *p, const struct measure *there,
    struct err *err)
{
	struct span said = description_of(c, p), unmarked = layer_unmark(c->a, l->text, conflict_mark(c, l)), after;
	struct run_change *out;
	struct buf text = { 0 };
	int r = -1;

	if (measure_replace(c->a, unmarked, &l->measure, said, &text, err) == 0 &&
	    try_file(l, arena_cstr(c->a, l->file), buf_view(&text), err) == 0 &&
	    keep_file_text(c, &text, &after, err) == 0) {
		out = compose_change(c, RUN_SEMANTIC, RUN_UPDATED, layer_path(c, l->file), l->measure.source);
		out->summary = describe_measure(c, &l->measure);
		out->reason =
		    span_str(arena_printf(c->a, "approved; it takes the place of %s", describe_formula(c, there)));
		write_file_text(l, out, after);
		c->taken[c->ntaken++] = name_measure(c, &l->measure);
		r = 0;
	}
	sources_forget(c->m->sources, c->r->connection, arena_cstr(c->a, l->file));
	buf_fini(&text);
	return r;
}

static void
link_measure(struct compose *c, const struct measure *m)
{
	compose_add_ref(c, &c->note.sl_refs, name_measure(c, m));
}

/* This run's change of the file at path; NULL if absent. */
static struct run_change *
find_pending(struct compose *c, struct span path)
{
	for (size_t i = 0; i < c->out->n; i++)
		if (run_writes(&c->out->v[i]) && span_is(c->out->v[i].path, path))
			return &c->out->v[i];
	return NULL;
}

/* Reads the current files below dir; dir -1: there are none. */
static int
read_layer(struct compose *c, struct layer *l, int dir, struct err *err)
{
	enum files_fault fault;
	struct buf text = { 0 };
	const char *file;

	l->set = sources_read(c->m->sources, c->r->connection, dir);
	file = sources_file(c->m->sources, c->r->connection, l->measure.source);
	l->pending = find_pending(c, layer_path(c, file != NULL ? span_str(file) : file_for(c, l)));
	if (l->pending != NULL) {
		l->file = file != NULL ? arena_span(c->a, span_str(file)) : file_for(c, l);
		l->text = l->pending->after;
		return 0;
	}
	if (file == NULL)
		return 0;
	fault = files_read(dir, file, TEXT_MAX, &text, NULL);
	l->file = arena_span(c->a, span_str(file));
	l->text = arena_span(c->a, buf_view(&text));
	if (fault == FILES_OK && l->text.len < text.len)
		fault = FILES_TOO_LARGE;
	buf_fini(&text);
	return fault == FILES_OK ?
	    0 :
	    err_set(err, ERR_INVALID_QUERY, "%.*s %s", SPAN_FMT(layer_path(c, l->file)), files_fault_text(fault));
}

/* Whether the scan found the column, even if no file has it. */
static bool
is_scanned(const struct layer *l)
{
	const struct source *s = source_set_get(l->set, l->measure.source);

	for (size_t i = 0; s != NULL && l->measure.column && i < s->ncolumns; i++)
		if (span_is_str(l->measure.name, s->columns[i].name) && s->columns[i].expr == NULL)
			return true;
	return false;
}

/* Opens the connection's files and reads the current ones. */
static int
open_layer(struct compose *c, struct layer *l, struct err *err)
{
	char below[FILES_NAME_MAX + 1];
	int place, dir, r;

	if ((place = memory_open_place(c->m, "semantic-layer", err)) < 0)
		return -1;
	snprintf(below, sizeof(below), "%.*s", SPAN_FMT(c->r->connection));
	if (files_open_dir(place, below, &dir) != FILES_OK)
		dir = -1;
	r = read_layer(c, l, dir, err);
	if (dir != -1)
		close(dir);
	close(place);
	return r;
}

/* "Net revenue: sum(net_ct)", "description of orders.net_ct: ..." */
static struct span
name_proposal(struct compose *c, const struct proposal *p)
{
	int n = (int)(p->formula.len < 160 ? p->formula.len : 160);

	if (p->kind == PROPOSAL_DESCRIPTION)
		return span_str(arena_printf(c->a, "%s of %.*s%s%.*s: %.*s", p->said.len > 0 ? "description" : "label",
		    SPAN_FMT(p->measure.source), p->measure.name.len > 0 ? "." : "", SPAN_FMT(p->measure.name), n,
		    (const char *)p->formula.p));
	return span_str(arena_printf(c->a, "%.*s%s%.*s", SPAN_FMT(p->subject), p->subject.len > 0 && n > 0 ? ": " : "",
	    n, (const char *)p->formula.p));
}

/* The description that the member has now; NULL: there is no such member. */
static const struct span *
find_description(const struct layer *l)
{
	const struct source *s = source_set_get(l->set, l->measure.source);

	for (size_t i = 0; s != NULL && l->measure.column && i < s->ncolumns; i++)
		if (span_is_str(l->measure.name, s->columns[i].name))
			return &s->columns[i].description;
	for (size_t i = 0; s != NULL && !l->measure.column && i < s->nmeasures; i++)
		if (span_is_str(l->measure.name, s->measures[i].name))
			return &s->measures[i].description;
	return s != NULL && l->measure.name.len == 0 ? &s->description : NULL;
}

/* The list of the file that describes the member: a scanned column has an override. */
static const char *
list_describing(const struct layer *l, const struct yaml_node *file)
{
	const struct source *s = source_set_get(l->set, l->measure.source);

	if (!l->measure.column || s->flavour == SOURCE_STANDALONE ||
	    layer_entry(file, "columns", l->measure.name) != NULL)
		return measure_list(&l->measure);
	return "column_overrides";
}

/* The text of the file with the member's description; with label, its label instead. */
static int
describe_member(struct compose *c, const struct layer *l, struct span file, bool label, struct span said,
    struct buf *out, struct err *err)
{
	struct buf head = { 0 }, entry = { 0 };
	const struct yaml_node *root;
	const char *list;
	int r = -1;

	if (file.len == 0) {
		layer_put_line(&head, 0, "name", l->measure.source);
		file = arena_span(c->a, buf_view(&head));
	}
	if ((root = yaml_parse(c->a, file, err)) != NULL) {
		bool there;

		list = list_describing(l, root);
		there = strcmp(list, "column_overrides") != 0 || layer_entry(root, list, l->measure.name) != NULL;
		if (l->measure.name.len == 0)
			r = layer_describe_all(c->a, file, said, out, err);
		else if (there && label)
			r = layer_set(c->a, file, list, l->measure.name, "label", said, out, err);
		else if (there)
			r = layer_describe(c->a, file, list, l->measure.name, said, out, err);
		else {
			layer_put_line(&entry, 0, "name", l->measure.name);
			buf_str(&entry, label ? "" : "descriptions:\n");
			layer_put_line(&entry, label ? 0 : 2, label ? "label" : "user", said);
			r = layer_add(c->a, file, list, buf_view(&entry), out, err);
		}
	}
	buf_fini(&head);
	buf_fini(&entry);
	return r;
}

static struct span
refuse_for_layer(struct compose *c, const struct err *why)
{
	return span_str(arena_printf(c->a, "not for the semantic layer: %s", why->message));
}

/* What the member has been described as, and what the note says. */
static struct span
join_descriptions(struct compose *c, struct span now, struct span said)
{
	struct buf text = { 0 };
	struct span out;

	while (now.len > 0 && ascii_is_any(now.p[now.len - 1], ". "))
		now.len--;
	if (now.len > 0)
		buf_printf(&text, "%.*s. ", SPAN_FMT(now));
	buf_span(&text, said);
	out = arena_span(c->a, buf_view(&text));
	buf_fini(&text);
	return out;
}

/* Whether there is what the proposal describes. */
static int
has_described(struct compose *c, const struct proposal *p, struct err *err)
{
	struct layer l = { .measure = p->measure };

	if (open_layer(c, &l, err) != 0)
		return -1;
	if (find_description(&l) != NULL)
		return 0;
	return p->measure.name.len > 0 && source_set_get(l.set, p->measure.source) != NULL ?
	    err_set(err, ERR_INVALID_QUERY, "%.*s has no %.*s", SPAN_FMT(p->measure.source),
		SPAN_FMT(p->measure.name)) :
	    err_set(err, ERR_INVALID_QUERY, "there is no source %.*s", SPAN_FMT(p->measure.source));
}

/* What the member is called now; NULL: there is no such member, or nothing calls it so. */
static const struct source_words *
find_words(const struct layer *l)
{
	const struct source *s = source_set_get(l->set, l->measure.source);

	for (size_t i = 0; s != NULL && l->measure.column && i < s->ncolumns; i++)
		if (span_is_str(l->measure.name, s->columns[i].name))
			return &s->columns[i].words;
	for (size_t i = 0; s != NULL && !l->measure.column && i < s->nmeasures; i++)
		if (span_is_str(l->measure.name, s->measures[i].name))
			return &s->measures[i].words;
	return NULL;
}

/* Whether the model's label is new to a member without one, and nothing else is called so. */
static bool
labels_member(const struct compose *c, const struct layer *l)
{
	const struct source_words *words = l->measure.label.len > 0 ? find_words(l) : NULL;
	const struct source *s;

	return words != NULL && words->label.len == 0 &&
	    (c->approve ||
		(!mention_is_known(l->set, l->measure.label, true) &&
		    mention_within(l->set, l->measure.source, l->measure.name, l->measure.label, &s) == NULL));
}

/* Why what is said of the member is not added to its description; NULL: it is. */
static const char *
stays_undescribed(const struct layer *l, const struct proposal *p, struct span now)
{
	if (p->said.len == 0)
		return "it has a label, or something else is called so";
	if (now.len > 0 && memmem(now.p, now.len, p->said.p, p->said.len) != NULL)
		return "its description says so already";
	if (p->fragment && now.len > 0 && source_set_get(l->set, l->measure.source)->flavour == SOURCE_STANDALONE)
		return "the source says something of its own, which stays";
	return NULL;
}

/* The text of the file with what is said of the member, and its label; either may be empty. */
static int
tell_member(struct compose *c, const struct layer *l, struct span said, struct span label, struct buf *out,
    struct err *err)
{
	struct buf first = { 0 };
	int r = said.len == 0 ? 0 : describe_member(c, l, l->text, false, said, label.len > 0 ? &first : out, err);

	if (r == 0 && label.len > 0)
		r = describe_member(c, l, said.len > 0 ? arena_span(c->a, buf_view(&first)) : l->text, true, label, out,
		    err);
	buf_fini(&first);
	return r;
}

static int
place_description(struct compose *c, struct layer *l, const struct proposal *p, struct err *err)
{
	struct span said = description_of(c, p), file, all = SPAN_NONE, label = SPAN_NONE, after;
	const char *stays;
	const struct span *now;
	struct run_change *out;
	struct buf text = { 0 };
	int r = -1;

	if (open_layer(c, l, err) != 0 || (now = find_description(l)) == NULL)
		return -1;
	out = compose_change(c, RUN_SEMANTIC, RUN_SKIPPED, layer_path(c, file = file_for(c, l)), l->measure.source);
	out->summary = name_proposal(c, p);
	stays = stays_undescribed(l, p, *now);
	if (labels_member(c, l))
		label = l->measure.label;
	if (stays != NULL && label.len == 0)
		out->reason = compose_text(c, stays);
	else if (c->propose)
		out->reason = compose_text(c, "it is said of this alone; it waits for approval");
	else {
		if (stays == NULL)
			all = join_descriptions(c, *now, said);
		if (file.len == 0)
			refuse_file_name(err);
		else if (tell_member(c, l, all, label, &text, err) == 0)
			r = compose_source(l, arena_cstr(c->a, file), buf_view(&text), err);
		if (r == 0 && ((now = find_description(l)) == NULL || (all.len > 0 && !span_is(*now, all))))
			r = err_set(err, ERR_INVALID_QUERY, "the source would not have the description");
		if (r == 0 && (r = keep_file_text(c, &text, &after, err)) == 0) {
			out->action = l->file.len > 0 ? RUN_UPDATED : RUN_CREATED;
			out->reason = compose_text(c, "it is said of this alone");
			write_file_text(l, out, after);
		} else
			out->reason = refuse_for_layer(c, err);
		sources_forget(c->m->sources, c->r->connection, arena_cstr(c->a, file));
	}
	buf_fini(&text);
	return 0;
}

/* Whether a model says something of a measure that is there, or calls it something, and the layer does not. */
static bool
says_more(const struct compose *c, const struct layer *l, const struct proposal *p)
{
	const struct span *now = find_description(l);

	return p->fragment && now != NULL && ((p->said.len > 0 && now->len == 0) || labels_member(c, l));
}

static int
place_measure(struct compose *c, struct layer *l, const struct proposal *p, struct err *err)
{
	enum measure_fit fit = MEASURE_NEW;
	struct measure there = { 0 };
	struct span contradicted;
	struct run_change *out;

	if (open_layer(c, l, err) != 0)
		return -1;
	if (l->text.len > 0 && measure_fit(c->a, l->text, &l->measure, &fit, &there, err) != 0)
		return -1;
	if (fit == MEASURE_NEW && is_scanned(l)) {
		fit = span_is(l->measure.name, l->measure.expr) ? MEASURE_THERE : MEASURE_OTHER;
		if (fit == MEASURE_OTHER)
			return err_set(err, ERR_INVALID_QUERY, "%.*s has a column of that name",
			    SPAN_FMT(l->measure.source));
	}
	if (fit == MEASURE_OTHER && c->approve && !l->measure.column && is_told(c, describe_conflict(c, l, &there)))
		return replace_measure(c, l, p, &there, err);
	if (fit == MEASURE_OTHER) {
		report_conflict(c, l, &there);
		return 0;
	}
	contradicted = fit == MEASURE_NEW ? contradicted_by(c, l, p) : SPAN_NONE;
	if (contradicted.len > 0 && !c->approve) {
		hold_measure(c, l, contradicted);
		return 0;
	}
	if (fit == MEASURE_NEW && write_measure(c, l, p, contradicted, err) != 0)
		return -1;
	if (fit == MEASURE_THERE && says_more(c, l, p)) {
		if (place_description(c, l, p, err) != 0)
			return -1;
	} else if (fit == MEASURE_THERE) {
		out = compose_change(c, RUN_SEMANTIC, RUN_SKIPPED, layer_path(c, l->file), l->measure.source);
		out->summary = describe_measure(c, &l->measure);
		out->reason =
		    span_str(arena_printf(c->a, "the semantic layer has this %s already", kind_name(&l->measure)));
	}
	/* A measure that waits for approval must not be referred to. */
	if (!l->measure.column && (fit == MEASURE_THERE || !c->propose))
		link_measure(c, &l->measure);
	return 0;
}

int
compose_is_sound(struct compose *c, const struct proposal *p, struct err *err)
{
	const struct memory_connection *to;
	const struct run_trial *trial;

	if (p->refused.len > 0)
		return err_set(err, ERR_INVALID_QUERY, "%.*s", SPAN_FMT(p->refused));
	if (c->r->connection.len == 0)
		return err_set(err, ERR_INVALID_QUERY, "no connectionId was given");
	if (p->kind == PROPOSAL_DESCRIPTION)
		return has_described(c, p, err);
	/*
	 * A formula of a caller would become a measure that anybody may query, which the policy
	 * forbids unless the owner reviews it.
	 */
	if (!c->m->review && !c->approve && (to = memory_connection(c->m, c->r->connection)) != NULL &&
	    to->semantic_only)
		return err_set(err, ERR_INVALID_QUERY,
		    "%s answers only through measures that its owner made "
		    "(query_policy: semantic-layer-only), and what is kept is not reviewed (memory.review: required)",
		    to->id);
	if ((trial = consult_trial(c->r, p)) == NULL)
		return err_set(err, ERR_INVALID_QUERY, "it could not be tried against the database%s%.*s",
		    c->r->unasked.len > 0 ? ": " : "", SPAN_FMT(c->r->unasked));
	return trial->refused.len == 0 ? 0 : err_set(err, ERR_INVALID_QUERY, "%.*s", SPAN_FMT(trial->refused));
}

/* The outcome of a formula.  A reason to refuse it is reported, not returned as an error. */
static void
change_formula(struct compose *c, const struct proposal *p)
{
	struct layer l = { .measure = p->measure };
	struct err why = { .code = ERR_NONE };
	struct run_change *out;

	if (compose_is_sound(c, p, &why) == 0 &&
	    (p->kind == PROPOSAL_DESCRIPTION ? place_description(c, &l, p, &why) : place_measure(c, &l, p, &why)) == 0)
		return;
	out = compose_change(c, RUN_SEMANTIC, RUN_SKIPPED, SPAN_NONE, SPAN_NONE);
	out->summary = name_proposal(c, p);
	out->reason = refuse_for_layer(c, &why);
}

void
compose_formulas(struct compose *c)
{
	struct run_change *out;

	for (size_t i = 0; i < c->list->n; i++)
		if (c->list->v[i].kind != PROPOSAL_WORDS)
			change_formula(c, &c->list->v[i]);
	if (c->list->more == 0)
		return;
	out = compose_change(c, RUN_SEMANTIC, RUN_SKIPPED, SPAN_NONE, SPAN_NONE);
	out->reason = span_str(arena_printf(c->a,
	    "%zu more formulas and definitions were not looked at; hand them in as a text of "
	    "their own",
	    c->list->more));
}
