/* follow.c - see follow.h: the queue, the checks and the sweep. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/mem.h"
#include "base/array.h"
#include "workers/search/index/near.h"
#include "workers/search/library/follow.h"
#include "workers/search/library/watch.h"
#include "workers/search/library/news.h"
#include "workers/search/library/scans.h"
#include "project/model/source_walk.h"

#define LIST_ARENA		((size_t)64 << 20)
#define CHECK_NS		CLOCK_SECOND
#define SWEEP_NS		(60 * CLOCK_SECOND)
#define NEW_SCAN_NS		(50 * CLOCK_MS)
#define TEXT_KEPT		((size_t)1 << 20)	/* bytes of the buffer that files are read into */
#define SWEEP_STATS		256	/* files compared between looks at the clock */

const char *const place_names[PLACES] = { "wiki", "semantic-layer", "raw-sources", PASSAGES_DIR };

static void
follow_push(struct follow *f, struct queued q)
{
	f->queue = array_grow(f->queue, f->nqueue, &f->queue_cap, sizeof(*f->queue));
	f->queue[f->nqueue++] = q;
}

void
follow_queue_page(struct library *l, enum page_scope scope, struct span key)
{
	struct follow *f = l->follow;
	uint32_t slot = pages_slot(&l->pages, scope, key, f->wiki[scope].path);

	if (l->pages.v[slot]->queued)
		return;
	l->pages.v[slot]->queued = true;
	follow_push(f, (struct queued){ .connection = NULL, .number = slot });
}

void
follow_queue_file(struct library *l, struct connection *c, const char *path)
{
	uint32_t file = models_file(&c->models, path);

	if (c->models.files[file].queued)
		return;
	c->models.files[file].queued = true;
	c->queued++;
	follow_push(l->follow, (struct queued){ .connection = c, .number = file });
}

static void
read_page(struct library *l, uint32_t slot)
{
	struct follow *f = l->follow;
	struct page *page = l->pages.v[slot];
	const struct wiki_page *before = news_page_before(l, span_str(page->key));
	char name[FILES_NAME_MAX + 8];
	struct files_stamp stamp = { 0 };
	enum files_fault fault;
	int dir = f->wiki[page->scope].fd;

	page->queued = false;
	f->text.len = 0;
	snprintf(name, sizeof(name), "%s.md", page->key);
	fault = dir == -1 ? FILES_MISSING : files_read(dir, name, WIKI_BYTES_MAX, &f->text, &stamp);
	switch (fault) {
	case FILES_OK:
		pages_put(&l->pages, slot, buf_view(&f->text), &stamp);
		break;
	case FILES_MISSING:
		pages_remove(&l->pages, slot);
		break;
	default:
		(void)files_stat(dir, name, &stamp, NULL);
		pages_fail(&l->pages, slot, files_fault_text(fault), &stamp);
		break;
	}
	news_page(l, span_str(page->key), before);
}

static void
read_model_file(struct library *l, struct connection *c, uint32_t file)
{
	struct follow *f = l->follow;
	struct span inside = names_text(&c->models.paths, file);
	char path[2 * FILES_PATH_MAX];
	struct files_stamp stamp = { 0 };
	enum files_fault fault = FILES_MISSING;

	c->models.files[file].queued = false;
	c->queued--;
	f->text.len = 0;
	snprintf(path, sizeof(path), "%s/%.*s", c->id, SPAN_FMT(inside));
	if (l->dirs[PLACE_SEMANTIC] != -1)
		fault = files_read(l->dirs[PLACE_SEMANTIC], path, YAML_BYTES_MAX, &f->text, &stamp);
	switch (fault) {
	case FILES_OK:
		models_put(&c->models, file, buf_view(&f->text), &stamp);
		/* The next one is a page of some kilobytes. */
		buf_reset(&f->text, TEXT_KEPT);
		break;
	case FILES_MISSING:
		models_remove(&c->models, file);
		break;
	default:
		(void)files_stat(l->dirs[PLACE_SEMANTIC], path, &stamp, NULL);
		models_fail(&c->models, file, files_fault_text(fault), &stamp);
		break;
	}
}

/* Read up to items of the queue, then make all of it searchable. */
static void
read_queue(struct library *l, size_t items)
{
	struct follow *f = l->follow;
	size_t n = f->nqueue < items ? f->nqueue : items;

	if (n == 0)
		return;
	for (size_t i = 0; i < n; i++)
		if (f->queue[i].connection == NULL)
			read_page(l, f->queue[i].number);
		else
			read_model_file(l, f->queue[i].connection, f->queue[i].number);
	memmove(f->queue, f->queue + n, (f->nqueue - n) * sizeof(*f->queue));
	f->nqueue -= n;
	tiers_commit(&l->pages.tiers);
	for (size_t i = 0; i < l->nconnections; i++)
		models_commit(&l->connections[i].models, news_source, &(struct news_of){ l, &l->connections[i] });
	f->news = true;
}

/* The key of the page in a file of the wiki; false: the file is not a page. */
bool
follow_page_key(const char *name, struct span *key)
{
	*key = span_str(name);
	if (!span_ends(*key, ".md"))
		return false;
	key->len -= strlen(".md");
	return files_is_id(*key);
}

/* Open the directory of a scope when it is not open, or was replaced by another one.  True: it is a new one. */
static bool
open_wiki(struct library *l, enum page_scope scope)
{
	struct wiki_dir *w = &l->follow->wiki[scope];
	const char *inside = strchr(w->path, '/') + 1;
	struct files_stamp stamp, open = files_stamp_of(w->fd);
	bool there = l->dirs[PLACE_WIKI] != -1 && files_stat(l->dirs[PLACE_WIKI], inside, &stamp, NULL) == FILES_OK;

	if (there && w->fd != -1 && stamp.inode == open.inode && stamp.device == open.device)
		return false;
	if (w->fd != -1)
		close(w->fd);
	if (!there || files_open_dir(l->dirs[PLACE_WIKI], inside, &w->fd) != FILES_OK)
		w->fd = -1;
	if (!there)
		return false;
	watch_add(l, WATCH_WIKI, NULL, w->path);
	return true;
}

/*
 * Compare the pages with the directory.  all: also the stamps of pages that are
 * known; otherwise only which there are.
 */
static void
compare_wiki(struct library *l, enum page_scope scope, bool all)
{
	struct wiki_dir *w = &l->follow->wiki[scope];
	struct arena *a = arena_new(LIST_ARENA);
	struct files_list list = { 0 };

	/* In another directory a page of the same name is another file. */
	all = open_wiki(l, scope) || all;
	w->mtime_ns = files_stamp_of(w->fd).mtime_ns;
	if (w->fd != -1)
		(void)files_list(w->fd, a, &list);
	for (size_t i = 0; i < l->pages.n; i++)
		l->pages.v[i]->seen = l->pages.v[i]->scope != scope;
	for (size_t i = 0; i < list.n; i++) {
		struct files_stamp stamp;
		struct page *page;
		struct span key;
		uint32_t slot;

		if (list.entries[i].is_dir || !follow_page_key(list.entries[i].name, &key))
			continue;
		slot = pages_slot(&l->pages, scope, key, w->path);
		page = l->pages.v[slot];
		page->seen = true;
		if (!page->exists ||
		    (all &&
			(files_stat(w->fd, list.entries[i].name, &stamp, NULL) != FILES_OK ||
			    !files_stamp_is(&stamp, &page->stamp))))
			follow_queue_page(l, scope, key);
	}
	for (size_t i = 0; i < l->pages.n; i++)
		if (!l->pages.v[i]->seen && l->pages.v[i]->exists)
			follow_queue_page(l, scope, span_str(l->pages.v[i]->key));
	arena_free(a);
}

/* A connection whose directory, dir, is compared with what is known of it. */
struct sources_comparison {
	struct library		*l;
	struct connection	*c;
	int			 dir;
};

static void
note_directory(void *arg, const char *inside, int fd)
{
	const struct sources_comparison *k = arg;
	struct connection *c = k->c;
	char *path = mem_printf("%s%s%s", c->id, inside[0] != '\0' ? "/" : "", inside);
	struct files_stamp stamp = files_stamp_of(fd);

	c->dirs_digest += scans_digest(path, &stamp);
	c->dirs = array_grow(c->dirs, c->ndirs, &c->dirs_cap, sizeof(char *));
	c->dirs[c->ndirs++] = path;
	watch_add(k->l, WATCH_SOURCES, c, path);
}

/* A link is read as well, to be told as a trouble. */
static bool
compare_file(void *arg, const char *path, bool is_link)
{
	const struct sources_comparison *k = arg;
	uint32_t number = models_file(&k->c->models, path);
	struct model_file *file = &k->c->models.files[number];
	struct files_stamp stamp;

	(void)is_link;
	file->seen = true;
	if (!file->exists || files_stat(k->dir, path, &stamp, NULL) != FILES_OK ||
	    !files_stamp_is(&stamp, &file->stamp))
		follow_queue_file(k->l, k->c, path);
	return true;
}

void
follow_compare_sources(struct library *l, struct connection *c)
{
	struct sources_comparison k = { .l = l, .c = c };
	char path[FILES_PATH_MAX + 1];

	for (size_t i = 0; i < c->ndirs; i++)
		free(c->dirs[i]);
	c->ndirs = 0;
	c->dirs_digest = 0;
	for (size_t i = 0; i < c->models.paths.n; i++)
		c->models.files[i].seen = false;
	if (l->dirs[PLACE_SEMANTIC] != -1 && files_open_dir(l->dirs[PLACE_SEMANTIC], c->id, &k.dir) == FILES_OK) {
		source_walk(k.dir, &(struct source_visitor){ &k, note_directory, compare_file });
		close(k.dir);
	}
	for (uint32_t i = 0; i < c->models.paths.n; i++)
		if (!c->models.files[i].seen && c->models.files[i].exists) {
			struct span s = names_text(&c->models.paths, i);

			snprintf(path, sizeof(path), "%.*s", SPAN_FMT(s));
			follow_queue_file(l, c, path);
		}
}

void
follow_compare_pages(struct library *l, bool all)
{
	for (int scope = PAGE_GLOBAL; scope <= PAGE_USER; scope++)
		if (l->follow->wiki[scope].path != NULL)
			compare_wiki(l, (enum page_scope)scope, all);
}

static bool
wiki_changed(const struct library *l, enum page_scope scope)
{
	const struct wiki_dir *w = &l->follow->wiki[scope];
	const char *inside = strchr(w->path, '/') + 1;
	struct files_stamp stamp;
	bool there = l->dirs[PLACE_WIKI] != -1 && files_stat(l->dirs[PLACE_WIKI], inside, &stamp, NULL) == FILES_OK;

	return there ? w->fd == -1 || stamp.mtime_ns != w->mtime_ns : w->fd != -1;
}

static bool
sources_changed(const struct library *l, const struct connection *c)
{
	struct files_stamp stamp;
	uint64_t digest = 0;

	if (l->dirs[PLACE_SEMANTIC] == -1)
		return c->ndirs > 0;
	if (c->ndirs == 0)
		return files_stat(l->dirs[PLACE_SEMANTIC], c->id, &stamp, NULL) == FILES_OK;
	for (size_t i = 0; i < c->ndirs; i++)
		if (files_stat(l->dirs[PLACE_SEMANTIC], c->dirs[i], &stamp, NULL) == FILES_OK)
			digest += scans_digest(c->dirs[i], &stamp);
	return digest != c->dirs_digest;
}

/*
 * A place that was missing and is there now, or is another directory than the
 * one opened, lies outside what this process was confined to.  One that was
 * moved away could be read on through its descriptor, and is no part of the
 * project any more.
 */
static bool
places_are_ours(const struct library *l)
{
	for (int i = 0; i < PLACES; i++) {
		char path[FILES_PATH_MAX * 2];
		struct stat now, open;

		snprintf(path, sizeof(path), "%s/%s", l->project_dir, place_names[i]);
		if (fstatat(AT_FDCWD, path, &now, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(now.st_mode)) {
			if (l->dirs[i] != -1)
				return false;
			continue;
		}
		if (l->dirs[i] == -1 && l->dir_troubles[i] != NULL)
			continue;
		if (l->dirs[i] == -1 || fstat(l->dirs[i], &open) != 0 || open.st_ino != now.st_ino ||
		    open.st_dev != now.st_dev)
			return false;
	}
	return true;
}

static bool
follow_check(struct library *l)
{
	for (int scope = PAGE_GLOBAL; scope <= PAGE_USER; scope++)
		if (l->follow->wiki[scope].path != NULL && wiki_changed(l, (enum page_scope)scope))
			compare_wiki(l, (enum page_scope)scope, true); /* another file may have taken a page's name */
	for (size_t i = 0; i < l->nconnections; i++) {
		struct connection *c = &l->connections[i];

		if (sources_changed(l, c))
			follow_compare_sources(l, c);
		scans_check(c, l->dirs[PLACE_RAW], false);
	}
	chunks_check(&l->chunks, l->dirs[PLACE_DOCUMENTS], false);
	return places_are_ours(l);
}

/* Compare the size and time of pages and sources, and read again what has changed. */
static void
compare_all(struct library *l)
{
	l->follow->swept_ns = clock_ns();
	watch_retry(l);
	follow_compare_pages(l, true);
	chunks_check(&l->chunks, l->dirs[PLACE_DOCUMENTS], true);
	for (size_t i = 0; i < l->nconnections; i++)
		follow_compare_sources(l, &l->connections[i]);
}

static void
begin_sweep(struct library *l)
{
	struct follow *f = l->follow;

	f->sweeping = true;
	f->sweep_connection = 0;
	f->sweep_next = 0;
	compare_all(l);
}

/* Compare the files of the scan in use, a few at a time. */
static bool
sweep_tables(struct library *l, struct connection *c, uint64_t until)
{
	struct follow *f = l->follow;
	char path[FILES_PATH_MAX];
	struct files_stamp stamp;
	int fd;

	if (c->scans.tables_path == NULL || l->dirs[PLACE_RAW] == -1)
		return true;
	snprintf(path, sizeof(path), "%s/live-database/%s", c->id, c->scans.tables_path);
	if (files_open_dir(l->dirs[PLACE_RAW], path, &fd) != FILES_OK)
		return true;
	if (f->sweep_next == 0) {
		arena_reset(f->sweep_arena);
		f->sweep_digest = 0;
		if (files_list(fd, f->sweep_arena, &f->sweep_files) != FILES_OK)
			f->sweep_files.n = 0;
	}
	for (; f->sweep_next < f->sweep_files.n; f->sweep_next++) {
		const struct files_entry *e = &f->sweep_files.entries[f->sweep_next];

		if (f->sweep_next % SWEEP_STATS == SWEEP_STATS - 1 && clock_ns() >= until) {
			f->sweep_next++;
			close(fd);
			return false;
		}
		if (!e->is_dir && files_stat(fd, e->name, &stamp, NULL) == FILES_OK)
			f->sweep_digest += scans_digest(e->name, &stamp);
	}
	close(fd);
	f->sweep_next = 0;
	if (c->scans.load == NULL && f->sweep_digest != c->scans.files_digest)
		scans_check(c, l->dirs[PLACE_RAW], true);
	return true;
}

static void
sweep(struct library *l, uint64_t until)
{
	struct follow *f = l->follow;

	while (f->sweep_connection < l->nconnections) {
		if (!sweep_tables(l, &l->connections[f->sweep_connection], until))
			return;
		f->sweep_connection++;
	}
	f->sweeping = false;
}

static void
open_places(struct library *l)
{
	int project = open(l->project_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

	for (int i = 0; i < PLACES && project != -1; i++) {
		enum files_fault fault = files_open_dir(project, place_names[i], &l->dirs[i]);

		if (fault == FILES_OK)
			continue;
		l->dirs[i] = -1;
		if (fault != FILES_MISSING)
			l->dir_troubles[i] = files_fault_text(fault);
	}
	if (project != -1)
		close(project);
}

int
follow_open(struct library *l, struct err *err)
{
	struct follow *f = mem_new(1, sizeof(*f));

	l->follow = f;
	f->inotify = f->epoll = f->event = -1;
	f->wiki[PAGE_GLOBAL].fd = f->wiki[PAGE_USER].fd = -1;
	f->sweep_arena = arena_new(LIST_ARENA);
	f->wiki[PAGE_GLOBAL].path = mem_text(SPAN("wiki/global"));
	if (*l->wiki_user != '\0' && files_is_id(span_str(l->wiki_user)))
		f->wiki[PAGE_USER].path = mem_printf("wiki/user/%s", l->wiki_user);
	open_places(l);
	if (watch_open(l, err) != 0)
		return -1;
	/* Scans are about to be read: there is nothing to sweep yet. */
	compare_all(l);
	for (size_t i = 0; i < l->nconnections; i++)
		scans_check(&l->connections[i], l->dirs[PLACE_RAW], false);
	f->checked_ns = clock_ns();
	return 0;
}

void
follow_free(struct follow *f)
{
	if (f == NULL)
		return;
	watch_close(f);
	for (int i = PAGE_GLOBAL; i <= PAGE_USER; i++) {
		if (f->wiki[i].fd != -1)
			close(f->wiki[i].fd);
		free(f->wiki[i].path);
	}
	free(f->queue);
	buf_fini(&f->text);
	arena_free(f->sweep_arena);
	free(f);
}

static bool
is_loading(const struct library *l)
{
	for (size_t i = 0; i < l->nconnections; i++)
		if (l->connections[i].scans.load != NULL)
			return true;
	return false;
}

bool
follow_is_busy(const struct library *l)
{
	return l->follow->nqueue > 0 || l->follow->sweeping || is_loading(l);
}

/* Continue reading new scans.  The first step of a scan may take longer, so that a small scan is in use at once. */
static void
read_scans(struct library *l, uint64_t until, bool new)
{
	for (size_t i = 0; i < l->nconnections; i++) {
		uint64_t now = clock_ns();

		if (new)
			until = now + NEW_SCAN_NS > until ? now + NEW_SCAN_NS : until;
		if (l->connections[i].scans.load == NULL)
			continue;
		new = false;
		if (scans_step(&l->connections[i], l->dirs[PLACE_RAW], l->vocab, now < until ? until - now : 0,
			news_scan, &(struct news_of){ l, &l->connections[i] })) {
			watch_scans(l, &l->connections[i]);
			/* What came before it was watched. */
			scans_check(&l->connections[i], l->dirs[PLACE_RAW], false);
			l->follow->news = true;
		}
		if (clock_ns() >= until)
			break;
	}
}

const char *
follow_unwatched(const struct library *l)
{
	return l->follow == NULL || l->follow->unwatched[0] == '\0' ? NULL : l->follow->unwatched;
}

bool
follow_take_news(struct library *l)
{
	bool news = l->follow->news;

	l->follow->news = false;
	return news;
}

bool
follow_step(struct library *l, const struct follow_budget *budget)
{
	struct follow *f = l->follow;
	uint64_t now = clock_ns(), until = now + budget->ns;
	bool ours = true, busy = is_loading(l), comparing;

	watch_read(l);
	if (f->checks != 0)
		watch_check(l);
	if (now - f->checked_ns >= CHECK_NS) {
		f->checked_ns = now;
		ours = follow_check(l);
	}
	if (f->overflow || (!f->sweeping && now - f->swept_ns >= SWEEP_NS)) {
		f->overflow = false;
		begin_sweep(l);
	}
	read_queue(l, budget->items);
	read_scans(l, until, !busy);
	if (f->sweeping)
		sweep(l, until);
	chunks_step(&l->chunks, l->dirs[PLACE_DOCUMENTS], until);
	comparing = near_step(vocab_near(l->vocab), l->vocab, until);
	f->news = f->news || l->chunks.news;
	l->chunks.news = false;
	watch_keep_awake(l, comparing || follow_is_busy(l) || chunks_is_busy(&l->chunks));
	return ours;
}
