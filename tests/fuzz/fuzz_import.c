// libs: carrel_import
/*
 * fuzz_import.c - any bytes as a file of some format (the first byte says which), with some of what a user may say (the
 * second one): a table whose rows are those that were taken, or a refusal with a message.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/json/json_read.h"
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
		IMPORT_XLSX, IMPORT_PARQUET };
	int kept = 0;
	struct import job = {
		.database = ":memory:", .table = "t", .rejects_fd = -1, .kept = check_report, .arg = &kept
	};
	static const char *const encodings[] = { "utf-8", "utf-16le", "latin1", "SHIFT_JIS", "EUC-KR" };
	static const char *const types[] = { "a=decimal", "column_1=text" };
	static const uint8_t delimiters[] = { 0, 0, ';', ':' };
	struct encoding_choice encoding;
	struct err err = { .code = ERR_NONE };
	int result;

	if (size < 2)
		return 0;
	job.wishes = (struct rows_wishes){
		delimiters[data[1] & 3], (data[1] & 8) != 0 ? ',' : 0, (enum header_wish)((data[1] >> 4) % 3), NULL
	};
	job.types = &types[data[1] & 1];
	job.ntypes = data[1] >> 6 & 1;
	if (data[1] >= 128 && encoding_named(encodings[data[1] % 5], &encoding, &err) == 0)
		job.encoding = &encoding;
	job.format = formats[data[0] % (sizeof(formats) / sizeof(formats[0]))];
	job.strict = data[0] >= 128;
	job.fd = memfd_create("import", MFD_CLOEXEC);
	if (job.fd < 0 || write(job.fd, data + 2, size - 2) != (ssize_t)(size - 2))
		abort();
	(void)lseek(job.fd, 0, SEEK_SET);
	result = import_run(&job, &err);
	if (result == 0 ? !kept : kept || err.code == ERR_NONE || err.message[0] == '\0')
		abort();
	close(job.fd);
	return 0;
}
