/* follow_parts - what follow.c and watch.c share; private to them. */
#pragma once

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
	WATCH_PROJECT, WATCH_WIKI_ROOT, WATCH_WIKI, WATCH_SOURCES_ROOT, WATCH_SOURCES, WATCH_RAW_ROOT, WATCH_SCANS
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
