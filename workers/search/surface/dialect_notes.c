/* dialect_notes.c - see dialect_notes.h; what a driver says of its SQL is in its folder of workers/sql. */
#include "project/config/drivers.h"
#include "workers/search/surface/dialect_notes.h"

bool
dialect_notes_any(const struct connection *c)
{
	return drivers_served(span_str(c->driver)) != NULL;
}

void
dialect_notes_put(const struct connection *c, struct buf *out)
{
	const struct db_driver *d = drivers_served(span_str(c->driver));

	buf_printf(out, "# SQL of %s\n\n", c->id);
	if (c->semantic_only)
		buf_str(out,
		    "- **No SQL is taken here** (query_policy: semantic-layer-only): ask sl_query for measures of "
		    "the model. What follows is for its filters.\n");
	for (const char *const *note = d != NULL ? d->notes : NULL; note != NULL && *note != NULL; note++)
		buf_printf(out, "- %s\n", *note);
	if (c->nschemas > 0) {
		buf_str(out, "- Schemas that were scanned: ");
		for (size_t i = 0; i < c->nschemas; i++)
			buf_printf(out, "%s%s", i > 0 ? ", " : "", c->schemas[i]);
		buf_str(out, ".\n");
	}
	if (c->policy != NULL && !columns_is_empty(c->policy))
		buf_str(out,
		    "- Some columns are hidden, masked or hashed by the owner's policy: hidden ones cannot be named, "
		    "masked ones can be selected and counted, not compared.\n");
}
