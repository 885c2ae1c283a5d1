/* libpq_explain - why a connection could not be made. */
#pragma once

#include <libpq-fe.h>

#include "base/err.h"

/* One sentence without addresses in *err, with advice; the full text goes into the detail.  -1. */
int libpq_explain(const PGconn *conn, struct err *err);
