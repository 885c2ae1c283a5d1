/* store_dataset - the tables that are or were published as datasets.  Functions return as in store.h. */
#pragma once

#include "workers/auth/store/store.h"

#define STORE_DATASET_ID	36	/* a UUID in lower case */
#define STORE_NAME_MAX		128	/* bytes of the name of a dataset, schema or table */
#define STORE_ABOUT_MAX		1000	/* bytes of a description */

struct store_dataset {
	char		id[STORE_DATASET_ID + 1];
	char		type[8];	/* table, view, or of an imported file its format (import: unknown) */
	char		name[STORE_NAME_MAX + 1], connection[STORE_NAME_MAX + 1], db[STORE_NAME_MAX + 1],
			table[STORE_NAME_MAX + 1];
	char		description[STORE_ABOUT_MAX + 1];	/* empty: none */
	uint64_t	created_ms, since_ms;	/* since: the last publication; 0: unknown */
	bool		published;
};

/* The published dataset with this id or name; the dataset of this table, published or not.  1: found, 0: none, -1. */
int store_dataset(struct store *s, struct span meant, struct store_dataset *out, struct err *err);
int store_dataset_of(struct store *s, const struct store_dataset *table, struct store_dataset *out, struct err *err);

int store_dataset_add(struct store *s, const struct store_dataset *d, struct err *err);

/* Note the format d->type of the file that the table d->table of d->connection is from; a new row is unpublished. */
int store_dataset_imported(struct store *s, const struct store_dataset *d, struct err *err);

/* Publish d->id again, with name, description and type of d; since_ms changes only if it was not published. */
int store_dataset_again(struct store *s, const struct store_dataset *d, struct err *err);

/* Unpublish; forget: remove the row as well. */
int store_dataset_end(struct store *s, const char *id, bool forget, struct err *err);

/* The number of published datasets. */
int store_datasets_count(struct store *s, uint64_t *n, struct err *err);

/* Call fn for each published dataset, oldest first. */
int store_datasets(struct store *s, void (*fn)(void *arg, const struct store_dataset *d), void *arg, struct err *err);
