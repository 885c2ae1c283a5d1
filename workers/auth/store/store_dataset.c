#include "workers/auth/store/store_dataset.h"

#include <string.h>

#include "workers/auth/store/store_driver.h"

/* Reads STORE_DATASET_COLUMNS. */
static void
read_dataset(struct store_query *q, struct store_dataset *d)
{
	memset(d, 0, sizeof(*d));
	store_column_text(q, 0, d->id, sizeof(d->id));
	store_column_text(q, 1, d->name, sizeof(d->name));
	store_column_text(q, 2, d->connection, sizeof(d->connection));
	store_column_text(q, 3, d->db, sizeof(d->db));
	store_column_text(q, 4, d->table, sizeof(d->table));
	store_column_text(q, 5, d->description, sizeof(d->description));
	store_column_text(q, 6, d->type, sizeof(d->type));
	d->created_ms = store_column_uint(q, 7);
	d->published = store_column_uint(q, 8) != 0;
	d->since_ms = store_column_uint(q, 9);
}

static int
look_for_dataset(struct store_query *q, struct store_dataset *out, struct err *err)
{
	int found = store_look(q, err);

	if (found != 1)
		return found;
	read_dataset(q, out);
	return store_found(q);
}

int
store_dataset(struct store *s, struct span meant, struct store_dataset *out, struct err *err)
{
	return look_for_dataset(STORE_GIVEN(s, STORE_DATASET_MEANT, err, STORE_S(meant)), out, err);
}

int
store_dataset_of(struct store *s, const struct store_dataset *table, struct store_dataset *out, struct err *err)
{
	return look_for_dataset(STORE_GIVEN(s, STORE_DATASET_OF, err, STORE_T(table->connection), STORE_T(table->db),
				    STORE_T(table->table)),
	    out, err);
}

int
store_dataset_add(struct store *s, const struct store_dataset *d, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_DATASET_ADD, err, STORE_T(d->id), STORE_T(d->name),
				STORE_T(d->connection), STORE_T(d->db), STORE_T(d->table), STORE_T(d->description),
				STORE_T(d->type), STORE_N(d->created_ms), STORE_N(d->since_ms)),
	    NULL, err);
}

int
store_dataset_imported(struct store *s, const struct store_dataset *d, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_DATASET_IMPORTED, err, STORE_T(d->id), STORE_T(d->connection),
				STORE_T(d->table), STORE_T(d->type)),
	    NULL, err);
}

int
store_dataset_again(struct store *s, const struct store_dataset *d, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_DATASET_AGAIN, err, STORE_T(d->id), STORE_T(d->name),
				STORE_T(d->description), STORE_T(d->type), STORE_N(d->since_ms)),
	    NULL, err);
}

int
store_dataset_end(struct store *s, const char *id, bool forget, struct err *err)
{
	return store_change(STORE_GIVEN(s, forget ? STORE_DATASET_REMOVE : STORE_DATASET_UNPUBLISH, err, STORE_T(id)),
	    NULL, err);
}

int
store_datasets_count(struct store *s, uint64_t *n, struct err *err)
{
	return store_count(store_statement(s, STORE_DATASETS_COUNT, err), n, err);
}

int
store_datasets(struct store *s, void (*fn)(void *arg, const struct store_dataset *d), void *arg, struct err *err)
{
	struct store_query *q = store_statement(s, STORE_DATASETS, err);
	struct store_dataset d;
	int found = -1;

	while (q != NULL && (found = store_look(q, err)) == 1) {
		read_dataset(q, &d);
		fn(arg, &d);
	}
	return found;
}
