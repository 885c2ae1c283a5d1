#include <string.h>

#include "base/mem.h"
#include "base/array.h"
#include "workers/search/library/pages.h"
#include "workers/search/ranking/ranking.h"
#include "workers/search/index/builder.h"

#define PAGE_ARENA	((size_t)32 << 20)	/* reading one page of at most WIKI_BYTES_MAX */

static void
shelf_name(const struct shelf *shelf, const struct segment *s, uint32_t doc, struct buf *out)
{
	buf_str(out, pages_of((const struct pages *)shelf, s, doc)->key);
}

static const struct shelf_ops ops = { .name = shelf_name, .id = shelf_name };

const struct page *
pages_of(const struct pages *p, const struct segment *s, uint32_t doc)
{
	return p->v[s->item[doc]];
}

void
pages_init(struct pages *p, struct vocab *v)
{
	*p = (struct pages){ .shelf.ops = &ops };
	tiers_init(&p->tiers, v);
}

void
pages_fini(struct pages *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->v[i]->key);
		free(p->v[i]->path);
		free(p->v[i]->trouble);
		free((void *)(uintptr_t)p->v[i]->good);
		free(p->v[i]);
	}
	free(p->v);
	free(p->sorted);
	tiers_fini(&p->tiers);
	*p = (struct pages){ 0 };
}

static int
order_of(const struct page *page, struct span key, enum page_scope scope)
{
	int order = span_cmp(span_str(page->key), key);

	return order != 0 ? order : (page->scope > scope) - (page->scope < scope);
}

/* Where the page is in sorted, or belongs. */
static size_t
pages_search(const struct pages *p, struct span key, enum page_scope scope, bool *found)
{
	size_t low = 0, high = p->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (order_of(p->v[p->sorted[mid]], key, scope) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	*found = low < p->n && order_of(p->v[p->sorted[low]], key, scope) == 0;
	return low;
}

uint32_t
pages_slot(struct pages *p, enum page_scope scope, struct span key, const char *dir)
{
	bool found;
	size_t at = pages_search(p, key, scope, &found), had = p->cap;
	struct page *page;

	if (found)
		return p->sorted[at];
	p->v = array_grow(p->v, p->n, &p->cap, sizeof(struct page *));
	if (p->cap != had)
		p->sorted = array_extend(p->sorted, had, p->cap, sizeof(*p->sorted));
	memmove(p->sorted + at + 1, p->sorted + at, (p->n - at) * sizeof(*p->sorted));
	p->sorted[at] = (uint32_t)p->n;
	page = mem_new(1, sizeof(*page));
	page->scope = scope;
	page->key = mem_text(key);
	page->path = mem_printf("%s/%s.md", dir, page->key);
	p->v[p->n] = page;
	return (uint32_t)p->n++;
}

/* A block being filled with copies. */
struct packing {
	struct span	*strings;
	uint8_t		*bytes;
};

static size_t
bytes_of(const struct wiki_strings *s)
{
	size_t n = s->n * sizeof(struct span);

	for (size_t i = 0; i < s->n; i++)
		n += s->v[i].len;
	return n;
}

static size_t
size_of(const struct wiki_page *w)
{
	return sizeof(*w) + w->summary.len + w->body.len + w->author.len + w->at.len + w->run_id.len + w->status.len +
	    bytes_of(&w->tags) + bytes_of(&w->refs) + bytes_of(&w->sl_refs) + bytes_of(&w->connections);
}

static struct span
pages_pack(struct packing *k, struct span s)
{
	struct span copy = span_of(k->bytes, s.len);

	if (s.len > 0)
		memcpy(k->bytes, s.p, s.len);
	k->bytes += s.len;
	return copy;
}

static void
pack_strings(struct packing *k, struct wiki_strings *s)
{
	struct span *from = s->v;

	s->v = k->strings;
	k->strings += s->n;
	for (size_t i = 0; i < s->n; i++)
		s->v[i] = pages_pack(k, from[i]);
}

/* One block with everything in it. */
static struct wiki_page *
pages_keep(const struct wiki_page *w)
{
	struct wiki_page *kept = array_new(1, size_of(w));
	struct packing k;

	*kept = *w;
	k.strings = (struct span *)(void *)(kept + 1);
	k.bytes = (uint8_t *)(k.strings + w->tags.n + w->refs.n + w->sl_refs.n + w->connections.n);
	pack_strings(&k, &kept->tags);
	pack_strings(&k, &kept->refs);
	pack_strings(&k, &kept->sl_refs);
	pack_strings(&k, &kept->connections);
	kept->summary = pages_pack(&k, w->summary);
	kept->body = pages_pack(&k, w->body);
	kept->author = pages_pack(&k, w->author);
	kept->at = pages_pack(&k, w->at);
	kept->run_id = pages_pack(&k, w->run_id);
	kept->status = pages_pack(&k, w->status);
	return kept;
}

static void
set_good(struct pages *p, struct page *page, const struct wiki_page *good)
{
	if (page->good != NULL) {
		p->texts -= size_of(page->good);
		p->nlive--;
	}
	if (good != NULL) {
		p->texts += size_of(good);
		p->nlive++;
	}
	free((void *)(uintptr_t)page->good);
	page->good = good;
	p->nchanges++;
}

/* What its file is now; stamp NULL: gone, trouble NULL: usable. */
static void
set_file(struct page *page, const struct files_stamp *stamp, const char *trouble)
{
	page->exists = stamp != NULL;
	page->stamp = stamp != NULL ? *stamp : (struct files_stamp){ 0 };
	free(page->trouble);
	page->trouble = trouble == NULL ? NULL : mem_text(span_str(trouble));
}

/* The first heading is what people call the page. */
struct span
pages_title(const struct page *page)
{
	struct span rest = page->good != NULL ? page->good->body : (struct span){ 0 }, line = { 0 };
	size_t skip = 0;

	(void)span_line(&rest, &line);
	while (skip < line.len && line.p[skip] == '#')
		skip++;
	return skip > 0 && skip < line.len && line.p[skip] == ' ' ? span_of(line.p + skip, line.len - skip) :
								    (struct span){ 0 };
}

static void
index_page(struct pages *p, uint32_t slot)
{
	const struct page *page = p->v[slot];
	const struct wiki_page *w = page->good;
	struct builder *b = tiers_put(&p->tiers, slot);

	builder_doc(b, KIND_WIKI, VOCAB_NONE, slot);
	if (span_is(w->status, SPAN("proposed")))
		builder_scale(b, ranking.unreviewed);
	builder_text(b, FIELD_NAME, span_str(page->key));
	builder_text(b, FIELD_NAME, pages_title(page));
	for (size_t i = 0; i < w->tags.n; i++)
		builder_text(b, FIELD_NAME, w->tags.v[i]);
	builder_text(b, FIELD_DESCRIPTION, w->summary);
	builder_text(b, FIELD_BODY, w->body);
	builder_close(b);
}

void
pages_put(struct pages *p, uint32_t slot, struct span text, const struct files_stamp *stamp)
{
	struct page *page = p->v[slot];
	struct wiki_page parsed;
	struct arena *a;
	struct err err;

	/* Editors empty a file before they fill it: nothing is not a page. */
	if (text.len == 0) {
		pages_fail(p, slot, "the file is empty", stamp);
		return;
	}
	a = arena_new(PAGE_ARENA);
	if (wiki_parse(a, text, &parsed, &err) != 0)
		pages_fail(p, slot, err.message, stamp);
	else {
		set_file(page, stamp, NULL);
		set_good(p, page, pages_keep(&parsed));
		index_page(p, slot);
	}
	arena_free(a);
}

void
pages_fail(struct pages *p, uint32_t slot, const char *reason, const struct files_stamp *stamp)
{
	set_file(p->v[slot], stamp, reason);
}

void
pages_remove(struct pages *p, uint32_t slot)
{
	struct page *page = p->v[slot];

	set_file(page, NULL, NULL);
	if (page->good != NULL) {
		tiers_remove(&p->tiers, slot);
		set_good(p, page, NULL);
	}
}

const struct page *
pages_find(const struct pages *p, struct span key)
{
	for (int scope = PAGE_USER; scope >= PAGE_GLOBAL; scope--) {
		bool found;
		size_t at = pages_search(p, key, (enum page_scope)scope, &found);

		if (found && p->v[p->sorted[at]]->good != NULL)
			return p->v[p->sorted[at]];
	}
	return NULL;
}
