/*
 * source_set - the internals of a set of source files; private to source.c, which keeps files and names, and
 * source_compose.c, which composes sources.
 */
#pragma once

#include "base/table.h"
#include "project/model/source.h"

#define NAME_ARENA	((size_t)64 << 20)

/* A name that a file defines. */
struct source_definition {
	struct name		*name;
	const struct yaml_node	*node;
	struct source		*plain;		/* standalone or of a manifest: needs no overlay */
	bool			 overlay;
};

struct file {
	char			*path;
	char			*trouble;	/* NULL: its last version was read completely */
	char			*partial;	/* the parts that were left out of the good version */
	struct span		 text;		/* the good version; malloc'ed */
	struct arena		*arena;		/* its trees and definitions; NULL: never was good */
	size_t			 ndefs;
	struct source_definition	*defs;
	bool			 shard;
};

struct use {
	struct file		*file;
	struct source_definition	*def;
};

struct name {
	char			*text;
	size_t			 nuses, cap;
	struct use		*uses;		/* shards first, then by path */
	const struct source	*now;		/* composed; NULL: none */
	struct arena		*arena;		/* of now, when it is not a definition's own */
	char			*trouble, *trouble_path;
	bool			 dirty;
	bool			 inherits;
};

/* Memory of an old version, which a compose pass may still pass as `before`. */
struct retired {
	struct arena	*arena;
	uint8_t		*text;
};

struct source_set {
	size_t		 nfiles, files_cap;
	struct file	**files;		/* shards first, then by path */
	size_t		 nnames, names_cap;
	struct name	**names;		/* as they came up */
	struct table	 by_text;		/* of names */
	size_t		 ndirty, dirty_cap;
	struct name	**dirty;
	size_t		 nretired, retired_cap;
	struct retired	*retired;
	size_t		 nlive;
	struct name	**live;			/* names with a source, ordered */
	size_t		 ntroubles;
	struct source_trouble *troubles;
	bool		 shards_changed;
	bool		(*is_hidden)(void *arg, const char *table, const char *column);	/* NULL: none is */
	void		*hidden_arg;
};
