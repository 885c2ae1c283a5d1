#include <string.h>

#include "base/ascii.h"
#include "workers/sql/catalog.h"
#include "workers/sql/reach.h"
#include "workers/sql/value.h"

#define NAMED	8	/* schemas named in a sentence */

void
reach_add_other(struct sql_reach *r, struct arena *a, const char *schema)
{
	const char *name = value_clean(a, schema);

	r->nother_tables++;
	if (r->nothers > 0 && r->others[r->nothers - 1] != NULL && name != NULL &&
	    strcmp(r->others[r->nothers - 1], name) == 0)
		return;
	if (r->nothers == SQL_REACH_SCHEMAS) {
		r->more_others = true;
		return;
	}
	if (name != NULL)
		r->others[r->nothers++] = name;
}

void
reach_put_others(const struct sql_reach *r, const char *connection, struct buf *out)
{
	if (r->nother_tables == 0)
		return;
	buf_printf(out, "%zu %s in ", r->nother_tables, r->nother_tables == 1 ? "table" : "tables");
	for (size_t i = 0; i < r->nothers && i < NAMED; i++)
		buf_printf(out, "%s%s", i > 0 ? ", " : "", r->others[i]);
	if (r->nothers > NAMED || r->more_others)
		buf_str(out, ", …");
	buf_printf(out,
	    " %s not served: `carrel scan %s --all-schemas` takes them, "
	    "`carrel connection edit %s --schemas A,B` some",
	    r->nother_tables == 1 ? "is" : "are", connection, connection);
}

/* Whether the name needs no quotes on a command line. */
static bool
is_plain(const char *name)
{
	if (name == NULL || *name == '\0' || *name == '-')
		return false;
	for (; *name != '\0'; name++)
		if (!ascii_is_alnum((uint8_t)*name) && *name != '_' && *name != '-')
			return false;
	return true;
}

void
reach_put_refused(const struct sql_reach *r, const char *connection, struct buf *out)
{
	if (r->nreadable == r->ntables)
		return;
	buf_printf(out, "the account can read %zu of %zu tables and views", r->nreadable, r->ntables);
	for (size_t i = 0; r->nreadable > 0 && i < r->nrefused; i++)
		buf_printf(out, "%s%s", i > 0 ? ", " : ": it has no SELECT on ", r->refused[i]);
	if (r->nreadable > 0 && r->ntables - r->nreadable > r->nrefused)
		buf_str(out, ", …");
	buf_printf(out, "; `carrel connection grants %s --to %s` prints the script that lets it", connection,
	    is_plain(r->account) ? r->account : "ROLE");
}

int
reach_judge(const struct sql_reach *r, const char *connection, struct catalog *cat, struct err *err)
{
	struct buf others = { 0 }, refused = { 0 };
	int rc = 0;

	reach_put_others(r, connection, &others);
	reach_put_refused(r, connection, &refused);
	if (r->ntables == 0 && others.len > 0)
		rc = err_set(err, ERR_DATABASE_ERROR, "the schemas that are served hold no tables; %s",
		    buf_cstr(&others));
	else if (r->ntables > 0 && r->nreadable == 0)
		rc = err_set(err, ERR_DATABASE_ERROR, "%s", buf_cstr(&refused));
	if (rc == 0 && r->ntables == 0)
		catalog_warn(cat, "no_tables", NULL, "the database has no tables");
	if (rc == 0 && refused.len > 0)
		catalog_warn(cat, "table_unreadable", NULL, "%s", buf_cstr(&refused));
	if (rc == 0 && others.len > 0)
		catalog_warn(cat, "schemas_left_out", NULL, "%s", buf_cstr(&others));
	buf_fini(&others);
	buf_fini(&refused);
	return rc;
}
