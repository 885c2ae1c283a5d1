// libs: carrel_sql_mysql carrel_sql carrel_base
/* fuzz_mysql_geometry.c - any bytes as a geometry that a server stored: no crash, and text of its own alphabet. */
#include "tests/fuzz/fuzz.h"
#include "workers/sql/mysql/mysql_geometry.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZe0123456789+-.,() ";
	struct buf out = BUF_MAX((size_t)1 << 20);

	if (mysql_geometry_text(&out, span_of(data, size)) && !out.full)
		for (size_t i = 0; i < out.len; i++)
			require(memchr(letters, out.p[i], sizeof(letters) - 1) != NULL);
	buf_fini(&out);
	return 0;
}
