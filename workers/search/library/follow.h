/*
 * follow - keep the library equal to the files.
 *
 * Three nets, one behind the other: inotify events, read without waiting
 * before every call; a comparison of directories and latest scans once a
 * second; a comparison of every file once a minute and after lost events.
 * What changed is queued and read a few at a time.
 */
#pragma once

#include "workers/search/library/library.h"

/* How much may be done before the next look at the channels. */
struct follow_budget {
	size_t		items;		/* pages and sources */
	uint64_t	ns;		/* scans and sweeps */
};

/* Open the places, begin to watch, queue everything there is. */
int follow_open(struct library *l, struct err *err);
void follow_free(struct follow *f);

/*
 * Take in what changed and work on it within the budget.  False: a place of the
 * project appeared or was replaced, and only a new process may read it.
 */
bool follow_step(struct library *l, const struct follow_budget *budget);

/* True while something is queued or in work. */
bool follow_is_busy(const struct library *l);

/* Why changes of some directories are noticed late; NULL: they are not. */
const char *follow_unwatched(const struct library *l);

/* True once after the index changed: time for a new report. */
bool follow_take_news(struct library *l);

void follow_queue_page(struct library *l, enum page_scope scope, struct span key);
void follow_queue_file(struct library *l, struct connection *c, const char *path);
bool follow_page_key(const char *name, struct span *key);

/* Queue what differs from the directories: of pages that are there already, only with all. */
void follow_compare_pages(struct library *l, bool all);
void follow_compare_sources(struct library *l, struct connection *c);
