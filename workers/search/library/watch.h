/* watch - inotify: which directories are watched and what an event means. */
#pragma once

#include "workers/search/library/follow_parts.h"

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

/* A descriptor that is readable when there is something to follow or to go on with. */
int follow_fd(const struct library *l);
