#include "workers/sql/postgres/postgres_columns_lists.h"

#include "base/text/sqltext.h"
#include "workers/sql/postgres/postgres_columns.h"

#define HIDDEN_VALUE	"NULL::pg_catalog.txid_snapshot"

static void
put_mask(struct buf *out, const char *column)
{
	buf_str(out, "CASE WHEN ");
	sqltext_put_name(out, span_str(column));
	buf_str(out, " IS NOT NULL THEN '" COLUMNS_MASKED "'::pg_catalog.refcursor END");
}

/* Arrays of options or settings stay arrays. */
static void
put_mask_in_list(struct buf *out, const char *column)
{
	buf_str(out, "CASE WHEN ");
	sqltext_put_name(out, span_str(column));
	buf_str(out, " IS NOT NULL THEN ARRAY['" COLUMNS_MASKED "'::pg_catalog.text] END");
}

/* The key is a setting of the session, so that no plan and no log shows it. */
static void
put_digest(struct buf *out, const char *column)
{
	static const char key[] = "pg_catalog.current_setting('" PG_COLUMNS_KEY_SETTING "')";

	buf_printf(out,
	    "pg_catalog.\"left\"(pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(%s ||"
	    " pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(%s || (",
	    key, key);
	sqltext_put_name(out, span_str(column));
	buf_str(out, ")::pg_catalog.text, 'UTF8')), 'hex'), 'UTF8')), 'hex'), 32)::pg_catalog.uuid");
}

/* A column that the account may not read is shown without being read. */
static void
put_unread(struct buf *out)
{
	buf_str(out, "'" COLUMNS_MASKED "'::pg_catalog.refcursor");
}

/* type: the type that the column has in a view; 0 for a table. */
static void
put_column(struct buf *out, const struct pg_relation *r, const struct pg_column *c, Oid type, bool inner)
{
	enum columns_action action = c->action;

	if (type == PG_COLUMNS_HIDDEN_TYPE)
		action = COLUMNS_HIDE;
	else if (type == PG_COLUMNS_MASK_TYPE && action < COLUMNS_HIDE)
		action = COLUMNS_CLEAR; /* already masked */
	else if (type == PG_COLUMNS_DIGEST_TYPE && action == COLUMNS_HASH && !c->uuid)
		action = COLUMNS_CLEAR; /* already a digest */
	if (action == COLUMNS_HIDE && !inner)
		return;
	if (out->len > 0)
		buf_str(out, ", ");
	switch (action) {
	case COLUMNS_CLEAR:
		sqltext_put_name(out, span_str(c->name));
		return;
	case COLUMNS_MASK:
		r->server                    ? put_mask_in_list(out, c->name) :
		    type != 0 || c->readable ? put_mask(out, c->name) :
					       put_unread(out);
		break;
	case COLUMNS_HASH:
		type != 0 || c->readable ? put_digest(out, c->name) : put_unread(out);
		break;
	case COLUMNS_HIDE:
		buf_str(out, HIDDEN_VALUE);
		break;
	}
	buf_str(out, " AS ");
	sqltext_put_name(out, span_str(c->name));
}

/* A column in a traced definition: only its type matters. */
static void
put_traced(struct buf *out, const struct pg_column *c)
{
	static const char *const value[] = {
		[COLUMNS_MASK] = "NULL::pg_catalog.refcursor AS ",
		[COLUMNS_HASH] = "NULL::pg_catalog.gtsvector AS ",
		[COLUMNS_HIDE] = HIDDEN_VALUE " AS ",
	};

	if (out->len > 0)
		buf_str(out, ", ");
	if (c->action != COLUMNS_CLEAR)
		buf_str(out, value[c->action]);
	sqltext_put_name(out, span_str(c->name));
}

/* Raises the action of a column by its type as described, for queries of it and for views upon it. */
static void
raise_action(struct pg_column *c, Oid type)
{
	enum columns_action action = type == PG_COLUMNS_HIDDEN_TYPE ? COLUMNS_HIDE :
	    type == PG_COLUMNS_MASK_TYPE                            ? COLUMNS_MASK :
	    type == PG_COLUMNS_TRACED_TYPE                          ? COLUMNS_HASH :
								      COLUMNS_CLEAR;

	if (action > c->action)
		c->action = action;
}

void
pg_columns_put_lists(struct pg_columns_db *d, struct pg_relation *r, const PGresult *described)
{
	for (size_t i = 0; i < r->n; i++) {
		struct pg_column *c = &d->columns[r->first + i];
		Oid type = described == NULL ? 0 : PQftype(described, (int)i);

		put_column(&r->outer, r, c, type, false);
		put_column(&r->inner, r, c, type, true);
		if (described == NULL)
			put_traced(&r->traced, c);
		else
			raise_action(c, type);
	}
	buf_byte(&r->outer, '\0');
	buf_byte(&r->inner, '\0');
	buf_byte(&r->traced, '\0');
}

void
pg_columns_put_table(struct pg_columns_db *d, struct pg_relation *r)
{
	sqltext_put_name(&r->source, span_str(r->schema));
	buf_byte(&r->source, '.');
	sqltext_put_name(&r->source, span_str(r->name));
	buf_byte(&r->source, '\0');
	pg_columns_put_lists(d, r, NULL);
	r->state = PG_RELATION_DONE;
}

void
pg_columns_put_copy(struct pg_columns_db *d, struct pg_relation *r, const PGresult *described)
{
	for (size_t i = 0; i < r->n; i++)
		raise_action(&d->columns[r->first + i], PQftype(described, (int)i));
	pg_columns_put_table(d, r);
}
