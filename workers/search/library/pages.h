/* pages - the wiki pages: their contents and their documents in the index. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "project/format/files.h"
#include "project/model/wiki.h"
#include "workers/search/index/shelf.h"
#include "workers/search/index/tiers.h"

enum page_scope { PAGE_GLOBAL, PAGE_USER };

struct page {
	char			*key, *path;	/* "revenue", "wiki/global/revenue.md" */
	enum page_scope		 scope;
	bool			 exists;	/* the file is there, readable or not */
	bool			 queued, seen;	/* working space of following files */
	struct files_stamp	 stamp;		/* of what was last read, good or bad */
	char			*trouble;	/* why the file's present version cannot be used; NULL: it can */
	const struct wiki_page	*good;		/* the last usable version, one block; NULL: none */
};

struct pages {
	struct shelf	 shelf;			/* first: see shelf.h */
	struct tiers	 tiers;			/* units are indices into v */
	size_t		 n, cap;
	struct page	**v;			/* in the order they were met; deleted ones stay, empty */
	size_t		 nlive;
	size_t		 texts;			/* bytes of the good versions */
	uint64_t	 nchanges;		/* of pages, so far */
	uint32_t	*sorted;		/* all of v by key, then scope */
};

void pages_init(struct pages *p, struct vocab *v);
void pages_fini(struct pages *p);

/* The slot of a page, made when it is new. */
uint32_t pages_slot(struct pages *p, enum page_scope scope, struct span key, const char *dir);

/*
 * The file of slot holds text now.  A version that cannot be read leaves the
 * one before it in place and is kept as trouble.  Takes effect with
 * tiers_commit(&p->tiers).
 */
void pages_put(struct pages *p, uint32_t slot, struct span text, const struct files_stamp *stamp);

/* The file of slot cannot be read at all; otherwise as pages_put(). */
void pages_fail(struct pages *p, uint32_t slot, const char *reason, const struct files_stamp *stamp);

/* The file is gone. */
void pages_remove(struct pages *p, uint32_t slot);

/* The page an agent means by key: the user's own before the global one.  NULL: none. */
const struct page *pages_find(const struct pages *p, struct span key);

/* The title: the first heading.  Empty: the page begins with none. */
struct span pages_title(const struct page *page);

/* The page of a document of the index. */
const struct page *pages_of(const struct pages *p, const struct segment *s, uint32_t doc);
