/* published.c - see fixture.h: one published dataset, for clients of the REST interface. */
#include <string.h>

#include "base/mp.h"
#include "tests/conformance/fixture.h"

#define ID	"5f3b6c1e-8a54-4f0b-9a52-0d9e4b7c2f11"
#define FAIL	"fail "		/* a statement that begins so fails with the code that follows */

static int
check_id(const struct mp_value *args, struct err *err)
{
	struct span id = mp_get_str(args, "dataset_id", SPAN(ID));

	return span_is_str(id, ID) ? 0 :
				     err_set(err, ERR_DATASET_NOT_FOUND, "There is no such dataset; list them first.");
}

int
carrel_list_datasets(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)args, (void)err;
	return fixture_object(c,
	    "{\"datasets\":[{\"id\":\"" ID
	    "\",\"name\":\"Stations\",\"description\":null,\"type\":\"table\",\"row_count\":2,"
	    "\"column_count\":2,\"created_at\":\"2026-01-31T12:00:00Z\",\"has_vectors\":false}],\"count\":1}");
}

int
carrel_get_schema(struct call *c, const struct mp_value *args, struct err *err)
{
	if (check_id(args, err) != 0)
		return -1;
	return fixture_object(c,
	    "{\"dataset_id\":\"" ID
	    "\",\"table_name\":\"dataset_5f3b6c1e_8a54_4f0b_9a52_0d9e4b7c2f11\",\"row_count\":2,"
	    "\"columns\":[{\"name\":\"city\",\"type\":\"text\",\"nullable\":true,\"description\":null,"
	    "\"sample_values\":[\"Ghent\"]},{\"name\":\"n\",\"type\":\"integer\",\"nullable\":false,\"description\":"
	    "\"how many\","
	    "\"sample_values\":[1,2]}]}");
}

int
carrel_search(struct call *c, const struct mp_value *args, struct err *err)
{
	if (check_id(args, err) != 0)
		return -1;
	return fixture_object(c,
	    "{\"matches\":[{\"id\":\"a/1\",\"score\":0.5,\"text\":\"Rain "
	    "gauges.\",\"metadata\":{\"source_file\":\"a.md\","
	    "\"dataset_id\":\"" ID "\",\"dataset_name\":\"Stations\",\"page\":null,\"chunk_index\":0}}],\"count\":1,"
	    "\"truncated\":false,\"request_id\":\"r-00000001-1\"}");
}

int
carrel_sql(struct call *c, const struct mp_value *args, struct err *err)
{
	struct span sql = mp_get_str(args, "sql", SPAN(""));
	char code[64];

	if (check_id(args, err) != 0)
		return -1;
	if (span_begins(sql, FAIL) && sql.len < sizeof(code)) {
		memcpy(code, sql.p + strlen(FAIL), sql.len - strlen(FAIL));
		code[sql.len - strlen(FAIL)] = '\0';
		return err_set(err, err_from_name(code), "It failed on purpose.");
	}
	return fixture_object(c,
	    "{\"columns\":[\"city\",\"n\"],\"rows\":[[\"Ghent\",1],[null,2]],\"row_count\":2,\"truncated\":false,"
	    "\"execution_ms\":3,\"limits_applied\":{\"max_rows\":500,\"max_runtime_ms\":10000,\"max_memory_mb\":256},"
	    "\"request_id\":\"r-00000001-2\"}");
}
