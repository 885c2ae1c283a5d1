#include "workers/auth/store/store_copy.h"

#include <string.h>

#include "workers/auth/store/store_copies.h"
#include "workers/auth/store/store_driver.h"

static const struct copied_table {
	const char		*name, *kinds;
	enum store_statement	 read, write, clear;
} tables[] = {
#define TABLE(NAME, n, table, columns, kinds, rows) \
	{ table, kinds, STORE_READ_##NAME, STORE_WRITE_##NAME, STORE_CLEAR_##NAME },
#include "workers/auth/store/store_tables.def"
#undef TABLE
};

#define TABLE(NAME, n, table, columns, kinds, rows) \
	_Static_assert(sizeof(kinds) - 1 == (n) && (n) <= STORE_COLUMNS_MAX, "one kind a column");
#include "workers/auth/store/store_tables.def"
#undef TABLE

static int
copy_row(const struct copied_table *t, struct store_query *q, struct store *to, struct err *err)
{
	struct store_value values[STORE_COLUMNS_MAX];
	int n = 0;

	for (; t->kinds[n] != '\0'; n++) {
		struct span bytes = t->kinds[n] == 'N' ? SPAN("") : store_column(q, n);

		if (t->kinds[n] == 'N')
			values[n] = STORE_N(store_column_raw(q, n));
		else if (t->kinds[n] == 'T')
			values[n] = STORE_S(bytes);
		else
			values[n] = STORE_B(bytes.len > 0 ? bytes.p : NULL, bytes.len);
	}
	return store_change(store_given(to, t->write, values, (size_t)n, err), NULL, err);
}

static int
check_empty(const struct copied_table *t, struct store *to, struct err *err)
{
	struct store_query *q = store_statement(to, t->read, err);
	int found = store_look(q, err);

	if (found != 1)
		return found;
	store_found(q);
	return err_set(err, ERR_INVALID_ARGUMENTS,
	    "the store that is to be written has rows already (in %s): name an empty one", t->name);
}

static int
copy_table(const struct copied_table *t, struct store *from, struct store *to, uint64_t *rows, struct err *err)
{
	struct store_query *q = store_statement(from, t->read, err);
	int found;

	for (; (found = store_look(q, err)) == 1; ++*rows)
		if (copy_row(t, q, to, err) != 0) {
			store_found(q);
			return -1;
		}
	return found;
}

int
store_copy(struct store *from, struct store *to, uint64_t *rows, struct err *err)
{
	*rows = 0;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (check_empty(&tables[i], to, err) != 0 || copy_table(&tables[i], from, to, rows, err) != 0)
			return -1;
	return store_copies_move(from, to, rows, err);
}

int
store_copy_clear(struct store *s, struct err *err)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (store_change(store_statement(s, tables[i].clear, err), NULL, err) != 0)
			return -1;
	return store_copies_clear(s, err);
}
