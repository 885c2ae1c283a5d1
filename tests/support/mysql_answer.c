#include "tests/support/mysql_answer.h"

static void
put_fields(struct buf *out, MYSQL_RES *result)
{
	for (unsigned i = 0; i < mysql_num_fields(result); i++) {
		const MYSQL_FIELD *f = mysql_fetch_field_direct(result, i);

		buf_printf(out, "%s %d %lu %u %u %u|", f->name, (int)f->type, f->length, f->flags, f->decimals,
		    f->charsetnr);
	}
	buf_str(out, "\n|");
}

static void
put_row(struct buf *out, MYSQL_RES *result, MYSQL_ROW row)
{
	const unsigned long *lengths = mysql_fetch_lengths(result);

	for (unsigned i = 0; i < mysql_num_fields(result); i++) {
		buf_append(out, row[i] == NULL ? "NULL" : row[i], row[i] == NULL ? 4 : lengths[i]);
		buf_byte(out, '|');
	}
	buf_str(out, "\n|");
}

bool
mysql_answer(MYSQL *server, struct span sql, struct buf *out)
{
	MYSQL_RES *result = NULL;
	MYSQL_ROW row;

	out->len = 0;
	if (mysql_real_query(server, (const char *)sql.p, sql.len) != 0 ||
	    (result = mysql_store_result(server)) == NULL) {
		buf_printf(out, "error %u", mysql_errno(server));
		return false;
	}
	put_fields(out, result);
	while ((row = mysql_fetch_row(result)) != NULL)
		put_row(out, result, row);
	mysql_free_result(result);
	return true;
}
