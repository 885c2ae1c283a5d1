/*
 * models - the semantic sources of one connection: the composed model, and
 * its part of the index.
 */
#pragma once

#include "project/format/files.h"
#include "project/model/source.h"
#include "semantic/model.h"
#include "workers/search/index/shelf.h"
#include "words/names.h"
#include "workers/search/index/tiers.h"

struct model_file {
	struct files_stamp	stamp;		/* of what was last read, good or bad */
	bool			exists;
	bool			queued, seen;	/* working space of following files */
};

struct models {
	struct shelf		 shelf;		/* first: see shelf.h */
	struct tiers		 tiers;		/* units are numbers of names */
	struct source_set	*set;
	struct names		 names;		/* of sources */
	size_t			 sources_cap;
	const struct source	**sources;	/* by number; NULL: gone */
	struct names		 tables;	/* that scans made sources of, as these name them */
	size_t			 made_cap;
	uint32_t		*made;		/* the source's number by table's */
	struct names		 paths;		/* of files, below the connection's directory */
	size_t			 files_cap;
	struct model_file	*files;		/* by number of path */
	struct sem_model	*compiled;	/* of the sources as they are; NULL: not asked for since they changed */
	bool			 changed;	/* something was put since the last commit */
	uint64_t		 ncommits;	/* that changed something */
	size_t			 ndimensions, nmeasures;	/* of all sources */
};

void models_init(struct models *m, struct vocab *v, const char *connection);
void models_fini(struct models *m);

/* The number of the file path; a new path gets the next number. */
uint32_t models_file(struct models *m, const char *path);

/* The file holds text now; could not be read; is gone.  Effective with models_commit(). */
void models_put(struct models *m, uint32_t file, struct span text, const struct files_stamp *stamp);
void models_fail(struct models *m, uint32_t file, const char *reason, const struct files_stamp *stamp);
void models_remove(struct models *m, uint32_t file);

/* Compose and index what changed; told() sees each source as source_set_compose() tells it. */
void models_commit(struct models *m,
    void (*told)(void *arg, const struct source *before, const struct source *after), void *arg);

/* The sources as a join graph, for the compiler; valid until the next commit.  NULL: out of memory. */
const struct sem_model *models_compiled(struct models *m);

/* The source that a document of the index belongs to and, of measures and columns, which one it is. */
const struct source *models_of(const struct models *m, const struct segment *s, uint32_t doc, uint32_t *member);

/* The source that a scan made of the table with this name and that no file overlays.  NULL: none. */
const struct source *models_made_of(const struct models *m, struct span table);
