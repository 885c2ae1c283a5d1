/* chunks.c - see chunks.h: finds documents, and schedules reading and merging. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/system/clock.h"
#include "workers/search/passages/merge.h"
#include "workers/search/passages/reader.h"

#define LIST_ARENA	((size_t)64 << 20)
#define MANY_PIECES	16	/* of one set: they are merged before more is read */
#define NS		INT64_C(1000000000)
#define UNSETTLED_NS	(NS / 5)	/* changes within one tick of the file system's clock may be missed */

void
chunks_init(struct chunks *c)
{
	*c = (struct chunks){ .arena = arena_new(LIST_ARENA) };
	terms_init(&c->terms);
	vectors_init(&c->vectors, -1);
}

static void
set_free(struct chunk_set *set)
{
	chunk_merge_stop(set);
	for (size_t i = 0; i < set->npieces; i++)
		chunk_piece_fini(&set->pieces[i]);
	for (size_t i = 0; i < set->ndocuments; i++) {
		free(set->documents[i].name);
		free(set->documents[i].source_file);
		free(set->documents[i].column);
		free(set->documents[i].trouble);
	}
	names_fini(&set->names);
	free(set->latest);
	free(set->pieces);
	free(set->documents);
	free(set);
}

void
chunks_fini(struct chunks *c)
{
	chunk_reader_fini(c);
	for (size_t i = 0; i < c->n; i++)
		set_free(c->sets[i]);
	free(c->sets);
	terms_fini(&c->terms);
	vectors_fini(&c->vectors);
	free(c->model);
	arena_free(c->arena);
}

struct chunk_set *
chunks_set(const struct chunks *c, struct span id)
{
	for (size_t i = 0; i < c->n; i++)
		if (span_is_str(id, c->sets[i]->id))
			return c->sets[i];
	return NULL;
}

static struct chunk_set *
set_add(struct chunks *c, const char *id)
{
	struct chunk_set *set = mem_new(1, sizeof(*set));

	snprintf(set->id, sizeof(set->id), "%s", id);
	c->sets = array_grow(c->sets, c->n, &c->cap, sizeof(*c->sets));
	c->sets[c->n++] = set;
	return set;
}

static void
document_add(struct chunks *c, struct chunk_set *set, const char *name, const struct files_stamp *stamp,
    const struct files_stamp *vectors)
{
	uint32_t number = names_add(&set->names, span_str(name));

	if (number >= set->latest_cap) {
		size_t want = (size_t)number * 2 + 16;

		set->latest = array_extend(set->latest, set->latest_cap, want, sizeof(*set->latest));
		set->latest_cap = want;
	}
	set->latest[number] = (uint32_t)set->ndocuments;
	set->documents = array_grow(set->documents, set->ndocuments, &set->documents_cap, sizeof(*set->documents));
	set->documents[set->ndocuments++] = (struct chunk_document){ .name = mem_text(span_str(name)),
		.stamp = *stamp, .vectors = *vectors, .live = true, .seen = true, .waits = true };
	c->nwaiting++;
}

static void
document_end(struct chunks *c, struct chunk_set *set, uint32_t at)
{
	struct chunk_document *d = &set->documents[at];

	chunk_reader_stop(c, set, at);
	c->nwaiting -= d->waits;
	d->live = d->waits = false;
	set->nchunks -= d->nchunks;
	set->nvectors -= d->nvectors;
	c->total -= d->nchunks;
	c->news = true;
	for (size_t i = 0; i < set->npieces; i++) {
		struct chunk_piece *p = &set->pieces[i];

		for (uint32_t k = 0; d->nchunks > 0 && k < p->postings.nchunks; k++)
			p->ndead += p->chunks[k].document == at;
	}
}

static bool
is_document(const char *name)
{
	return span_ends(span_str(name), PASSAGES_ENDING);
}

static struct chunk_document *
document_named(struct chunk_set *set, const char *name)
{
	uint32_t number = names_find(&set->names, span_str(name));
	struct chunk_document *d = number == NAMES_NONE ? NULL : &set->documents[set->latest[number]];

	return d != NULL && d->live ? d : NULL;
}

/* Stat the file of the document's vectors, if an endpoint's model is used. */
static void
stat_vectors(const struct chunks *c, int dir, const char *name, struct files_stamp *out)
{
	char path[FILES_PATH_MAX];

	snprintf(path, sizeof(path), "%s" PASSAGES_VECTORS, name);
	if (c->model == NULL || files_stat(dir, path, out, NULL) != FILES_OK)
		*out = (struct files_stamp){ .size = 0 };
}

static void
compare_file(struct chunks *c, struct chunk_set *set, int dir, const char *name)
{
	struct chunk_document *known = document_named(set, name);
	struct files_stamp stamp, vectors;

	if (files_stat(dir, name, &stamp, NULL) != FILES_OK)
		return;
	stat_vectors(c, dir, name, &vectors);
	if (known != NULL && files_stamp_is(&known->stamp, &stamp) && files_stamp_is(&known->vectors, &vectors)) {
		known->seen = true;
		return;
	}
	if (known != NULL)
		document_end(c, set, (uint32_t)(known - set->documents));
	document_add(c, set, name, &stamp, &vectors);
}

static void
compare_files(struct chunks *c, struct chunk_set *set, int dir)
{
	struct files_list list = { .n = 0 };

	for (size_t i = 0; i < set->ndocuments; i++)
		set->documents[i].seen = false;
	arena_reset(c->arena);
	if (dir != -1)
		(void)files_list(dir, c->arena, &list);
	for (size_t i = 0; i < list.n; i++)
		if (!list.entries[i].is_dir && !list.entries[i].is_link && is_document(list.entries[i].name))
			compare_file(c, set, dir, list.entries[i].name);
	for (uint32_t i = 0; i < set->ndocuments; i++)
		if (set->documents[i].live && !set->documents[i].seen)
			document_end(c, set, i);
}

static bool
changed_just_now(int64_t mtime_ns)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * NS + now.tv_nsec - mtime_ns < UNSETTLED_NS;
}

static void
compare_set(struct chunks *c, struct chunk_set *set, int dir, bool all)
{
	struct files_stamp stamp;
	bool is_dir;
	int fd = -1;

	set->seen = true;
	if (files_stat(dir, set->id, &stamp, &is_dir) != FILES_OK || !is_dir)
		return;
	if (!all && !set->unsettled && stamp.mtime_ns == set->mtime_ns)
		return;
	set->mtime_ns = stamp.mtime_ns;
	set->unsettled = changed_just_now(stamp.mtime_ns);
	if (files_open_dir(dir, set->id, &fd) != FILES_OK)
		fd = -1;
	compare_files(c, set, fd);
	if (fd != -1)
		close(fd);
}

void
chunks_check(struct chunks *c, int dir, bool all)
{
	struct files_list list = { .n = 0 };
	char(*ids)[UUID_LENGTH + 1];
	size_t n = 0;

	if (dir == -1)
		return;
	for (size_t i = 0; i < c->n; i++)
		c->sets[i]->seen = false;
	arena_reset(c->arena);
	(void)files_list(dir, c->arena, &list);
	ids = mem_new(list.n + 1, sizeof(*ids));
	for (size_t i = 0; i < list.n; i++)
		if (list.entries[i].is_dir && uuid_is_kept(span_str(list.entries[i].name)))
			memcpy(ids[n++], list.entries[i].name, sizeof(*ids));
	for (size_t i = 0; i < n; i++) {
		struct chunk_set *set = chunks_set(c, span_str(ids[i]));

		compare_set(c, set != NULL ? set : set_add(c, ids[i]), dir, all);
	}
	free(ids);
	for (size_t i = 0; i < c->n; i++)
		if (!c->sets[i]->seen) {
			c->sets[i]->mtime_ns = 0;
			compare_files(c, c->sets[i], -1);
		}
}

static void
begin_next(struct chunks *c, int dir)
{
	for (size_t i = 0; i < c->n; i++) {
		struct chunk_set *set = c->sets[i];

		while (set->first_waiting < set->ndocuments && !set->documents[set->first_waiting].waits)
			set->first_waiting++;
		if (set->first_waiting < set->ndocuments) {
			chunk_reader_begin(c, set, set->first_waiting, dir);
			return;
		}
	}
}

/* Merge sets with at least `least` pieces. */
static bool
merge_next(struct chunks *c, size_t least, uint64_t until_ns)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->sets[i]->npieces >= least)
			chunk_merge_plan(c->sets[i], chunks_dimensions(c));
		if (c->sets[i]->merge != NULL) {
			chunk_merge_step(c->sets[i], until_ns);
			return true;
		}
	}
	return false;
}

void
chunks_step(struct chunks *c, int dir, uint64_t until_ns)
{
	do {
		if (c->vectors.fd != -1) {
			c->news |= !vectors_step(&c->vectors, until_ns);
		} else if (merge_next(c, MANY_PIECES, until_ns)) {
			continue;
		} else if (c->reader != NULL) {
			chunk_reader_step(c, until_ns);
		} else if (c->nwaiting > 0) {
			begin_next(c, dir);
		} else {
			chunk_reader_close_piece(c);
			if (!merge_next(c, 1, until_ns))
				return;
		}
	} while (clock_ns() < until_ns);
}

bool
chunks_is_busy(const struct chunks *c)
{
	if (c->vectors.fd != -1 || c->reader != NULL || c->open != NULL || c->nwaiting > 0)
		return true;
	for (size_t i = 0; i < c->n; i++)
		if (c->sets[i]->merge != NULL)
			return true;
	return false;
}

size_t
chunks_bytes(const struct chunks *c)
{
	size_t n = terms_bytes(&c->terms) + vectors_bytes(&c->vectors);

	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < c->sets[i]->npieces; k++) {
			const struct chunk_piece *p = &c->sets[i]->pieces[k];
			size_t each = sizeof(*p->chunks);

			each += p->vectors == NULL ? 0 : chunks_dimensions(c) + sizeof(*p->scales);
			n += postings_bytes(&p->postings) + p->postings.nchunks * each;
		}
	return n;
}

void
chunks_troubles(const struct chunks *c, void (*fn)(void *arg, const char *path, const char *reason), void *arg)
{
	char path[FILES_PATH_MAX];

	if (c->vectors.trouble != NULL)
		fn(arg, "embeddings.vectors", c->vectors.trouble);
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < c->sets[i]->ndocuments; k++) {
			const struct chunk_document *d = &c->sets[i]->documents[k];

			if (!d->live || d->trouble == NULL)
				continue;
			snprintf(path, sizeof(path), PASSAGES_DIR "/%s/%s", c->sets[i]->id, d->name);
			fn(arg, path, d->trouble);
		}
}

static bool
read_line(int fd, const struct chunk *at, struct buf *line)
{
	size_t got = 0;

	line->len = 0;
	while (got < at->length) {
		uint8_t *to = buf_reserve(line, at->length - got);
		ssize_t n = pread(fd, to, at->length - got, (off_t)(at->at + got));

		if (n <= 0)
			return false;
		got += (size_t)n;
		line->len = got;
	}
	return true;
}

bool
chunks_text(int dir, const struct chunk_found *found, struct chunk_text *out)
{
	char path[FILES_PATH_MAX];
	struct files_stamp stamp;
	struct mp_value map, v;
	bool ok;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", found->set->id, found->document->name);
	if (files_open(dir, path, &fd, &stamp) != FILES_OK)
		return false;
	ok = files_stamp_is(&stamp, &found->document->stamp) && read_line(fd, &found->chunk, &out->line) &&
	    chunk_line(buf_view(&out->line), &out->value, &map);
	close(fd);
	if (!ok)
		return false;
	out->text = mp_get_str(&map, "text", SPAN(""));
	out->index = mp_get(&map, "chunk_index", &v) && v.class == MP_UINT ? v.u : 0;
	out->page = mp_get(&map, "page", &v) && v.class == MP_UINT ? v.u : 0;
	out->row_number = mp_get(&map, "row_number", &v) && v.class == MP_UINT ? v.u : 0;
	out->row = mp_get(&map, "row", &v) && v.class == MP_MAP ? v.raw : SPAN("");
	return true;
}
