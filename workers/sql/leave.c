#include "workers/sql/leave.h"

#include "base/err.h"
#include "workers/shared/child.h"

void
leave_process(const char *reason)
{
	struct err err;

	err_set(&err, ERR_DATABASE_UNAVAILABLE, "%s", reason);
	child_unable(EXIT_DATABASE_CHANGED, &err);
}
