/* store_node - the nodes that share a store; errors as in store.h. */
#pragma once

#include "workers/auth/store/store.h"

#define STORE_NODE_ID	"node.id"	/* setting of the node's own store */
#define STORE_NODE	64	/* bytes of a node's name */
#define STORE_NAMES	256	/* bytes of several, a comma between; cut */
#define STORE_PROJECT	64	/* hexadecimal digits of a commit */

/*
 * Who has acted upon a change, of the nodes that had a lease when it was made.  away: their lease has
 * ended, so that they honour nothing that they were told before; waiting: neither.
 */
struct store_heard {
	unsigned	nodes, heard;	/* this one included; both 0: the store is this node's alone */
	char		away[STORE_NAMES], waiting[STORE_NAMES];
	bool		incomplete;	/* the server lost its list less than a lease ago: nodes may be missing */
	uint64_t	after_ms;	/* since the change */
};

/* The nodes that were there within a day or hold a note, by name; without one if the store is the node's alone. */
struct store_node {
	char		name[STORE_NODE + 1];
	bool		own;
	uint64_t	confirmed, revision;	/* what it acted upon, of this */
	uint64_t	lease_ms;		/* that is left; 0: it has ended */
	bool		drained, writes, behind;
	char		project[STORE_PROJECT + 1];	/* the revision that it has; empty: not known */
	int64_t		uncopied;		/* entries of its audit that are not copied yet; -1: unknown */
	uint64_t	holds;			/* notes that it began to write (store_note.h) */
	int64_t		missing;		/* files of the store that are not there yet; -1: unknown */
};

int store_nodes(struct store *s, void (*fn)(void *arg, const struct store_node *n), void *arg, struct err *err);

/* What is waited for: all that changed until now, on whichever node, as store_latest() gave it. */
struct store_change {
	uint64_t	revision, made_ms;
};
struct store_change store_latest(struct store *s);
int store_heard_of(struct store *s, const struct store_change *change, struct store_heard *out, struct err *err);

/* What the others are told of this node's audit: entries that are not copied yet. */
void store_uncopied(struct store *s, uint64_t entries);

/* What the others are told of its files: how many the store has and this node has not. */
void store_missing(struct store *s, uint64_t files);

/* This node's own number, 32 hexadecimal digits, which its own store keeps: 1; 0: it has none yet; -1. */
int store_node_id(struct store *own, struct buf *out, struct err *err);

/* The nodes that have a lease, with their numbers. */
int store_node_leased(struct store *s, void (*fn)(void *arg, const char *name, struct span id), void *arg,
    struct err *err);

/* What the server says of itself: its settings, as it names them. */
struct store_server {
	char		version[24], commit[16], standbys[128];
	int64_t		ahead_ms;	/* this machine's clock is ahead of the server's */
	uint64_t	round_trip_us;
};

int store_node_server(struct store *s, struct store_server *out, struct err *err);

/* Have the load balancer send nothing new to a node, or again.  Within a transaction. */
int store_node_drain(struct store *s, struct span node, bool drain, struct err *err);

/*
 * Which node writes the project's files, as the newest answer said.  Not drained and own: this one may.  there: the
 * named node has a lease and is not drained; without that, another one may take its place.
 */
struct store_writer {
	const char	*name;		/* borrowed; empty: no node did yet */
	bool		own, there, drained;	/* drained: this node */
	const char	*project;	/* borrowed; the revision that the writer has pushed; empty: not known */
};

struct store_writer store_writer(const struct store *s);

/* Say with the next question which revision of the project this node has, and whether that is behind the writer's. */
void store_node_say(struct store *s, const char *project, bool behind);

/* Take the place of a writer that is not there: 1; 0: another node was faster; -1. */
int store_writer_take(struct store *s, struct err *err);
