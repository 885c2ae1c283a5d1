// libs: carrel_base
/* fuzz_schema.c - arguments against a schema, both as JSON; a NUL stands between them. */
#include "base/json/json_read.h"
#include "base/json/json_schema_self.h"
#include "base/utf8.h"
#include "tests/fuzz/fuzz.h"

static void
check_issue(const struct schema_issue *issue)
{
	struct buf mp = BUF_MAX(0);
	size_t at;

	require(strlen(issue->path) < sizeof(issue->path) && strlen(issue->problem) < sizeof(issue->problem));
	require(utf8_valid((const uint8_t *)issue->path, strlen(issue->path)));
	require(utf8_valid((const uint8_t *)issue->problem, strlen(issue->problem)));
	if (issue->example[0] != '\0')
		require(json_read(span_str(issue->example), &mp, &at) == JSON_OK ||
		    strstr(issue->example, "base64") != NULL);
	buf_fini(&mp);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size > 0 ? memchr(data, '\0', size) : NULL;
	struct buf sb = BUF_MAX(0), vb = BUF_MAX(0);
	struct schema_result result;
	struct mp_value schema, value;
	char why[64];
	size_t at;

	if (nul == NULL)
		return 0;
	if (json_read(span_of(data, (size_t)(nul - data)), &sb, &at) == JSON_OK &&
	    json_read(span_of(nul + 1, size - (size_t)(nul - data) - 1), &vb, &at) == JSON_OK &&
	    mp_value(buf_view(&sb), &schema) && mp_value(buf_view(&vb), &value)) {
		bool fits = schema_check(&schema, &value, &result);

		require(fits == (result.total == 0));
		for (size_t i = 0; i < result.total && i < SCHEMA_ISSUES_MAX; i++)
			check_issue(&result.issues[i]);
		(void)schema_check_self(&schema, why, sizeof(why));
		require(strlen(why) < sizeof(why));
	}
	buf_fini(&sb);
	buf_fini(&vb);
	return 0;
}
