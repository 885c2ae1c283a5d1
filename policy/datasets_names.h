/* datasets_names - the names that published tables have in SQL, and no other table has: carrel_sql. */
#pragma once

#include <stdbool.h>

#include "base/span.h"

#define DATASETS_ID	36u	/* characters of an id: a UUID */
#define DATASETS_NAME	(sizeof("dataset_") + DATASETS_ID)	/* bytes of a name with its NUL */

/* "dataset_" and the id, with _ for -; dashes: as it is, for names in quotes.  A longer id is cut. */
void datasets_name(struct span id, bool dashes, char out[DATASETS_NAME]);

/* Whether text, without case, has the form of such a name from byte `at` on.  *id: as it is written there. */
bool datasets_is_named_at(struct span text, size_t at, struct span *id);

/* Whether both are the same id: without case, _ and - alike. */
bool datasets_is_id(struct span a, struct span b);
