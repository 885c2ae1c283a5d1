#include <stdbool.h>

#include "base/mp.h"
#include "workers/sql/sqlite/sqlite_values.h"
#include "workers/sql/value.h"

bool
sqlite_put_value(struct buf *out, sqlite3_stmt *stmt, int i)
{
	/* An unprotected value: safe to read, because the library is single-threaded. */
	sqlite3_value *v = sqlite3_column_value(stmt, i);
	const void *p;

	switch (sqlite3_value_type(v)) {
	case SQLITE_INTEGER:
		return value_int(out, sqlite3_value_int64(v));
	case SQLITE_FLOAT:
		return value_double(out, sqlite3_value_double(v));
	case SQLITE_TEXT:
		/* Fetch the pointer first: asking for the length first may convert the value. */
		p = sqlite3_value_text(v);
		value_text(out, span_of(p, (size_t)sqlite3_value_bytes(v)));
		break;
	case SQLITE_BLOB:
		p = sqlite3_value_blob(v);
		value_bytes(out, span_of(p, (size_t)sqlite3_value_bytes(v)));
		break;
	default:
		mp_put_nil(out);
		break;
	}
	return false;
}

/* If a column is an expression, it has no declared type, and the list of types is left out. */
static bool
has_types(sqlite3_stmt *stmt, int n)
{
	for (int i = 0; i < n; i++)
		if (sqlite3_column_decltype(stmt, i) == NULL)
			return false;
	return n > 0;
}

void
sqlite_put_names(struct buf *out, sqlite3_stmt *stmt)
{
	int n = sqlite3_column_count(stmt);

	for (int i = 0; i < n; i++)
		value_label(out, sqlite3_column_name(stmt, i));
}

void
sqlite_put_head(struct buf *out, sqlite3_stmt *stmt)
{
	int n = sqlite3_column_count(stmt);
	bool types = has_types(stmt, n);

	mp_put_map(out, types ? 2 : 1);
	mp_pair_array(out, "headers", (size_t)n);
	sqlite_put_names(out, stmt);
	if (!types)
		return;
	mp_pair_array(out, "headerTypes", (size_t)n);
	for (int i = 0; i < n; i++)
		value_label(out, sqlite3_column_decltype(stmt, i));
}
