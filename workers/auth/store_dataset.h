/* store_dataset - what is kept of datasets: which tables are published, or were.  Functions return as store.h says. */
#ifndef WORKERS_AUTH_STORE_DATASET_H
#define WORKERS_AUTH_STORE_DATASET_H

#include "workers/auth/store.h"

#define STORE_DATASET_ID	36	/* a UUID, in small letters */
#define STORE_NAME_MAX		128	/* bytes of a name, a schema's or a table's */
#define STORE_ABOUT_MAX		1000	/* bytes of a description */

struct store_dataset {
	char		id[STORE_DATASET_ID + 1], type[8];	/* table, view or import */
	char		name[STORE_NAME_MAX + 1], connection[STORE_NAME_MAX + 1], db[STORE_NAME_MAX + 1],
			table[STORE_NAME_MAX + 1];
	char		description[STORE_ABOUT_MAX + 1];	/* empty: none */
	uint64_t	created_ms, since_ms;	/* since: it was published, for the last time of several; 0: unknown */
	bool		published;
};

/* The published one with that id, or that name; the one of that table, published or not.  1: there is one, 0, -1. */
int store_dataset(struct store *s, struct span meant, struct store_dataset *out, struct err *err);
int store_dataset_of(struct store *s, const struct store_dataset *table, struct store_dataset *out, struct err *err);

int store_dataset_add(struct store *s, const struct store_dataset *d, struct err *err);

/* Publish d->id again, with name, description and type of d; since_ms counts unless it is published already. */
int store_dataset_again(struct store *s, const struct store_dataset *d, struct err *err);

/* It is not published any more; forget: nor known. */
int store_dataset_end(struct store *s, const char *id, bool forget, struct err *err);

/* How many are published. */
int store_datasets_count(struct store *s, uint64_t *n, struct err *err);

/* Each published one, oldest first. */
int store_datasets(struct store *s, void (*fn)(void *arg, const struct store_dataset *d), void *arg, struct err *err);

#endif
