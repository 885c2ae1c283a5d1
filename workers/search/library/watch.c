#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/system/log.h"
#include "base/mem.h"
#include "base/array.h"
#include "workers/search/library/follow.h"
#include "workers/search/library/watch.h"
#include "workers/search/library/scans.h"

/* More than a full queue (fs.inotify.max_queued_events, 16,384) of the longest names. */
#define PAGES_A_STEP	512

#define LIST_ARENA	((size_t)64 << 20)

/* A file counts when it is closed after writing or moved in, not while it grows. */
#define EVENTS	(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE | IN_DELETE_SELF | \
    IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK)

static void
add_to_epoll(int epoll, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN };

	if (fd != -1)
		(void)epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &ev);
}

/* Said once, until all directories are watched again. */
static void
note_unwatched(struct follow *f, const char *what, const char *why)
{
	if (f->unwatched[0] != '\0')
		return;
	snprintf(f->unwatched, sizeof(f->unwatched),
	    "changes below it are noticed once a second only, files "
	    "rewritten in place once a minute: %s",
	    why);
	if (f->told_unwatched)
		return;
	f->told_unwatched = f->news = true;
	log_warn("%s: %s", what, f->unwatched);
}

/* Every directory that is known by now. */
static void
watch_all(struct library *l)
{
	watch_add(l, WATCH_PROJECT, NULL, "");
	watch_add(l, WATCH_WIKI_ROOT, NULL, "wiki");
	watch_add(l, WATCH_WIKI_ROOT, NULL, "wiki/user");
	watch_add(l, WATCH_SOURCES_ROOT, NULL, "");
	watch_add(l, WATCH_RAW_ROOT, NULL, "");
	for (int scope = PAGE_GLOBAL; scope <= PAGE_USER; scope++)
		if (l->follow->wiki[scope].fd != -1)
			watch_add(l, WATCH_WIKI, NULL, l->follow->wiki[scope].path);
	for (size_t i = 0; i < l->nconnections; i++) {
		struct connection *c = &l->connections[i];

		for (size_t k = 0; k < c->ndirs; k++)
			watch_add(l, WATCH_SOURCES, c, c->dirs[k]);
		watch_scans(l, c);
	}
}

int
watch_open(struct library *l, struct err *err)
{
	struct follow *f = l->follow;

	f->epoll = epoll_create1(EPOLL_CLOEXEC);
	f->event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (f->epoll == -1 || f->event == -1)
		return err_set(err, ERR_INTERNAL, "no descriptors left: %s", strerror(errno));
	f->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (f->inotify == -1)
		note_unwatched(f, l->project_dir,
		    errno == EMFILE ? "the limit of inotify instances is reached (fs.inotify.max_user_instances)" :
				      strerror(errno));
	add_to_epoll(f->epoll, f->inotify);
	add_to_epoll(f->epoll, f->event);
	watch_all(l);
	return 0;
}

void
watch_close(struct follow *f)
{
	if (f->inotify != -1)
		close(f->inotify);
	if (f->event != -1)
		close(f->event);
	if (f->epoll != -1)
		close(f->epoll);
	for (size_t i = 0; i < f->nwatches; i++)
		free(f->watches[i].path);
	free(f->watches);
}

int
follow_fd(const struct library *l)
{
	return l->follow->epoll;
}

static struct watch *
watch_find(struct follow *f, int wd)
{
	for (size_t i = 0; i < f->nwatches; i++)
		if (f->watches[i].wd == wd)
			return &f->watches[i];
	return NULL;
}

static const char *
place_of(enum watch_kind kind)
{
	switch (kind) {
	case WATCH_SOURCES_ROOT:
	case WATCH_SOURCES:
		return "semantic-layer/";
	case WATCH_RAW_ROOT:
	case WATCH_SCANS:
		return "raw-sources/";
	default:
		return "";
	}
}

/* Once a minute: watches may have become free. */
void
watch_retry(struct library *l)
{
	struct follow *f = l->follow;

	if (f->unwatched[0] == '\0' || f->inotify == -1)
		return;
	f->unwatched[0] = '\0';
	watch_all(l);
	if (f->unwatched[0] == '\0') {
		log_info("all directories are watched again");
		f->told_unwatched = false;
		f->news = true;
	}
}

void
watch_add(struct library *l, enum watch_kind kind, struct connection *c, const char *path)
{
	struct follow *f = l->follow;
	struct watch *w;
	char *whole;
	int wd;

	if (f->inotify == -1)
		return;
	whole = mem_printf("%s/%s%s", l->project_dir, place_of(kind), path);
	wd = inotify_add_watch(f->inotify, whole, EVENTS);
	if (wd == -1 && (errno == ENOSPC || errno == ENOMEM))
		note_unwatched(f, whole,
		    errno == ENOSPC ? "the limit of inotify watches is reached (fs.inotify.max_user_watches)" :
				      strerror(errno));
	free(whole);
	if (wd == -1)
		return;
	if ((w = watch_find(f, wd)) == NULL) {
		f->watches = array_grow(f->watches, f->nwatches, &f->watches_cap, sizeof(*f->watches));
		w = &f->watches[f->nwatches++];
	} else
		free(w->path);
	*w = (struct watch){ .wd = wd, .kind = kind, .connection = c, .path = mem_text(span_str(path)) };
}

static void
watch_forget(struct follow *f, struct watch *w)
{
	free(w->path);
	*w = f->watches[--f->nwatches];
}

/* The sync directory a watch of scans is in, "" for those above. */
static const char *
sync_of(const struct watch *w)
{
	const char *live = strstr(w->path, "/live-database/");

	return live == NULL ? "" : live + strlen("/live-database/");
}

/* Directories older than the scan in use need no watching. */
static void
drop_older(struct follow *f, const struct connection *c, const char *sync)
{
	for (size_t i = f->nwatches; i-- > 0;) {
		struct watch *w = &f->watches[i];

		if (w->kind != WATCH_SCANS || w->connection != c || *sync_of(w) == '\0' ||
		    strcmp(sync_of(w), sync) >= 0)
			continue;
		(void)inotify_rm_watch(f->inotify, w->wd);
		watch_forget(f, w);
	}
}

/* A directory of the connection's scans: of one of them, with `inside` below it, or (sync "") of all. */
static void
watch_scan(struct library *l, struct connection *c, const char *sync, const char *inside)
{
	char path[FILES_PATH_MAX];

	snprintf(path, sizeof(path), "%s/live-database%s%s%s", c->id, *sync != '\0' ? "/" : "", sync, inside);
	watch_add(l, WATCH_SCANS, c, path);
}

/* A newer scan may be on its way, its report still missing or not yet right. */
static void
watch_newer(struct library *l, struct connection *c, const char *sync)
{
	struct arena *a = arena_new(LIST_ARENA);
	struct files_list list = { 0 };
	char path[FILES_PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/live-database", c->id);
	if (l->dirs[PLACE_RAW] != -1 && files_open_dir(l->dirs[PLACE_RAW], path, &fd) == FILES_OK) {
		(void)files_list(fd, a, &list);
		close(fd);
	}
	for (size_t i = 0; i < list.n; i++) {
		if (!list.entries[i].is_dir || strcmp(list.entries[i].name, sync) <= 0)
			continue;
		watch_scan(l, c, list.entries[i].name, "");
		watch_scan(l, c, list.entries[i].name, "/enrichment");
	}
	arena_free(a);
}

void
watch_scans(struct library *l, struct connection *c)
{
	char sync[FILES_NAME_MAX + 1] = "";
	const char *tables = c->scans.tables_path;

	if (tables != NULL)
		snprintf(sync, sizeof(sync), "%.*s", (int)(strchr(tables, '/') - tables), tables);
	drop_older(l->follow, c, sync);
	watch_add(l, WATCH_SCANS, c, c->id);
	watch_scan(l, c, "", "");
	if (tables != NULL) {
		watch_scan(l, c, sync, "");
		watch_scan(l, c, sync, "/tables");
		watch_scan(l, c, sync, "/enrichment");
	}
	watch_newer(l, c, sync);
}

/* A directory came, went or moved: what is below it has to be compared. */
static void
note_check(struct follow *f, const struct watch *w)
{
	f->checks |= 1u << w->kind;
	if (w->connection == NULL)
		return;
	if (w->kind == WATCH_SOURCES)
		w->connection->check_sources = true;
	else
		w->connection->check_scans = true;
}

static void
take_file(struct library *l, const struct watch *w, const char *name)
{
	const char *user = l->follow->wiki[PAGE_USER].path, *inside;
	char path[FILES_PATH_MAX];
	struct span key;

	switch (w->kind) {
	case WATCH_WIKI:
		if (follow_page_key(name, &key))
			follow_queue_page(l, user != NULL && strcmp(w->path, user) == 0 ? PAGE_USER : PAGE_GLOBAL, key);
		break;
	case WATCH_SOURCES:
		/* path begins with the connection's id. */
		inside = w->path + strlen(w->connection->id);
		if (snprintf(path, sizeof(path), "%s%s%s", inside[0] == '/' ? inside + 1 : "",
			inside[0] == '/' ? "/" : "", name) < (int)sizeof(path) &&
		    source_is_file(path) && name[0] != '.')
			follow_queue_file(l, w->connection, path);
		break;
	default:
		note_check(l->follow, w);
		/* A table rewritten in place does not show in its directory. */
		if (w->connection != NULL && span_ends(span_str(w->path), "/tables"))
			w->connection->force_scans = true;
		break;
	}
}

/*
 * A directory that appears among the scans is watched from its first moment,
 * for the report that completes it; but not where thousands of files are put.
 */
static void
watch_new(struct library *l, const struct watch *w, const char *name)
{
	struct connection *c = w->connection;
	char path[FILES_PATH_MAX];

	if (w->kind == WATCH_SCANS && strcmp(name, "tables") != 0 && name[0] != '.' &&
	    snprintf(path, sizeof(path), "%s/%s", w->path, name) < (int)sizeof(path))
		watch_add(l, WATCH_SCANS, c, path);
}

static void
take_event(struct library *l, const struct inotify_event *ev)
{
	struct follow *f = l->follow;
	struct watch *w;

	if (ev->mask & IN_Q_OVERFLOW) {
		log_warn("file events were lost: comparing all files");
		f->overflow = true;
		return;
	}
	if ((w = watch_find(f, ev->wd)) == NULL)
		return;
	if (ev->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_ISDIR | IN_IGNORED))
		note_check(f, w);
	else if (w->kind != WATCH_PROJECT && ev->len > 0 && (ev->mask & IN_CREATE) == 0)
		take_file(l, w, ev->name);
	if ((ev->mask & IN_ISDIR) && (ev->mask & (IN_CREATE | IN_MOVED_TO)) && ev->len > 0) {
		watch_new(l, w, ev->name);
		return;
	}
	if (ev->mask & (IN_IGNORED | IN_MOVE_SELF)) {
		if (ev->mask & IN_MOVE_SELF)
			(void)inotify_rm_watch(f->inotify, w->wd);
		watch_forget(f, w);
	}
}

void
watch_read(struct library *l)
{
	_Alignas(struct inotify_event) char page[16384];
	ssize_t n;

	if (l->follow->inotify == -1)
		return;
	/* Who writes without end does not keep us here: what comes later waits for the next step. */
	for (unsigned i = 0; i < PAGES_A_STEP && (n = read(l->follow->inotify, page, sizeof(page))) > 0; i++)
		for (ssize_t at = 0; at < n;) {
			const struct inotify_event *ev = (const struct inotify_event *)(const void *)(page + at);

			take_event(l, ev);
			at += (ssize_t)(sizeof(*ev) + ev->len);
		}
}

void
watch_check(struct library *l)
{
	struct follow *f = l->follow;
	unsigned checks = f->checks;

	f->checks = 0;
	/* A directory of the project came or went: it may be one of the places. */
	if (checks & 1u << WATCH_PROJECT)
		f->checked_ns = 0;
	if (checks & (1u << WATCH_WIKI_ROOT | 1u << WATCH_WIKI)) {
		watch_add(l, WATCH_WIKI_ROOT, NULL, "wiki/user");
		follow_compare_pages(l, false);
	}
	for (size_t i = 0; i < l->nconnections; i++) {
		struct connection *c = &l->connections[i];

		if (c->check_sources || (checks & 1u << WATCH_SOURCES_ROOT))
			follow_compare_sources(l, c);
		if (c->check_scans || (checks & 1u << WATCH_RAW_ROOT)) {
			watch_add(l, WATCH_SCANS, c, c->id);
			scans_check(c, l->dirs[PLACE_RAW], c->force_scans);
		}
		c->check_sources = c->check_scans = c->force_scans = false;
	}
}

void
watch_keep_awake(struct library *l, bool awake)
{
	struct follow *f = l->follow;
	uint64_t n = 1;

	if (awake == f->awake)
		return;
	if (awake)
		f->awake = write(f->event, &n, sizeof(n)) == (ssize_t)sizeof(n);
	else {
		(void)!read(f->event, &n, sizeof(n));
		f->awake = false;
	}
}
