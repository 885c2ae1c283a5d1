// libs: carrel_import
/*
 * fuzz_import.c - any bytes as a file of some format (the first byte says which):
 * a table whose rows are those that were taken, or a refusal with a message.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/json/json.h"
#include "tests/fuzz/fuzz.h"
#include "workers/import/import.h"

/* What is reported adds up and is JSON. */
static void
check_report(void *arg, struct span report)
{
	struct buf text = { 0 }, mp = { 0 };
	struct mp_value v, rows;
	size_t at;

	buf_byte(&text, '{');
	buf_span(&text, report);
	buf_byte(&text, '}');
	if (json_read(buf_view(&text), &mp, &at) != JSON_OK || !mp_value(buf_view(&mp), &v) ||
	    !mp_get(&v, "rows", &rows) ||
	    mp_get_uint(&rows, "read", 0) != mp_get_uint(&rows, "taken", 0) + mp_get_uint(&rows, "rejected", 0))
		abort();
	buf_fini(&text);
	buf_fini(&mp);
	*(int *)arg = 1;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum import_format formats[] = { IMPORT_GUESS, IMPORT_CSV, IMPORT_TSV, IMPORT_JSON, IMPORT_JSONL,
		IMPORT_XLSX };
	int kept = 0;
	struct import job = {
		.database = ":memory:", .table = "t", .rejects_fd = -1, .kept = check_report, .arg = &kept
	};
	struct err err = { .code = ERR_NONE };
	int result;

	if (size < 1)
		return 0;
	job.format = formats[data[0] % (sizeof(formats) / sizeof(formats[0]))];
	job.strict = data[0] >= 128;
	job.fd = memfd_create("import", MFD_CLOEXEC);
	if (job.fd < 0 || write(job.fd, data + 1, size - 1) != (ssize_t)(size - 1))
		abort();
	result = import_run(&job, &err);
	if (result == 0 ? !kept : kept || err.code == ERR_NONE || err.message[0] == '\0')
		abort();
	close(job.fd);
	return 0;
}
