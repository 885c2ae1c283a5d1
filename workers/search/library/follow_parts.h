/* follow_parts - what follow.c and watch.c share; private to them. */
#ifndef WORKERS_SEARCH_LIBRARY_FOLLOW_PARTS_H
#define WORKERS_SEARCH_LIBRARY_FOLLOW_PARTS_H

#include "workers/search/library/follow.h"

/* A page (connection NULL) or a connection's model file that waits to be read. */
struct queued {
	struct connection	*connection;
	uint32_t		 number;
};

struct wiki_dir {
	char	*path;		/* "wiki/global"; NULL: this scope is not read */
	int	 fd;		/* -1: it does not exist */
	int64_t	 mtime_ns;	/* when it was compared last */
};

enum watch_kind {
	WATCH_WIKI_ROOT, WATCH_WIKI, WATCH_SOURCES_ROOT, WATCH_SOURCES, WATCH_RAW_ROOT, WATCH_SCANS
};

struct watch {
	int			 wd;		/* -1: free */
	enum watch_kind		 kind;
	struct connection	*connection;	/* SOURCES, SCANS */
	char			*path;		/* below its place: "warehouse/_schema" */
};

struct follow {
	int			 inotify, epoll, event;	/* -1: not available */
	bool			 awake;			/* event is readable */
	size_t			 nwatches, watches_cap;
	struct watch		*watches;
	unsigned		 checks;		/* bits of enum watch_kind whose owners must be looked at */
	bool			 overflow;		/* events were lost */
	struct wiki_dir		 wiki[2];		/* by scope */
	size_t			 nqueue, queue_cap;
	struct queued		*queue;
	struct buf		 text;			/* of the file in work */
	uint64_t		 checked_ns, swept_ns;
	bool			 sweeping;
	size_t			 sweep_connection, sweep_next;
	uint64_t		 sweep_digest;
	struct arena		*sweep_arena;
	struct files_list	 sweep_files;
	bool			 news;
	bool			 told_unwatched;
	char			 unwatched[240];	/* why some directory is not watched; empty: all are */
};

void follow_queue_page(struct library *l, enum page_scope scope, struct span key);
void follow_queue_file(struct library *l, struct connection *c, const char *path);
bool follow_page_key(const char *name, struct span *key);

/* Queue what differs from the directories: of pages that are there already, only with all. */
void follow_compare_pages(struct library *l, bool all);
void follow_compare_sources(struct library *l, struct connection *c);

int watch_open(struct library *l, struct err *err);
void watch_close(struct follow *f);

/* Watch the directory path: "wiki/…" for the wiki, below its place for the others.  Twice is once. */
void watch_add(struct library *l, enum watch_kind kind, struct connection *c, const char *path);

/* Watch the directories of the connection's scan in use and of newer ones, and no older ones. */
void watch_scans(struct library *l, struct connection *c);

/* Try again to watch what could not be watched. */
void watch_retry(struct library *l);

/* Read all events there are; queue files, note what must be looked at. */
void watch_read(struct library *l);

/* Look at what events said about directories. */
void watch_check(struct library *l);

/* Make the descriptor readable, so that the next step comes at once. */
void watch_keep_awake(struct library *l, bool awake);

#endif
