// libs: carrel_import
/*
 * fuzz_knowledge.c - any bytes as a pack of files, or as a manifest (the first byte says which, the second of what kind
 * and dialect): a model that is JSON and has no template but references, or a refusal with a message.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/json/json_read.h"
#include "base/mp.h"
#include "tests/fuzz/fuzz.h"
#include "workers/import/knowledge/knowledge.h"

static int
file_of(const uint8_t *data, size_t size)
{
	int fd = memfd_create("knowledge", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0)
		abort();
	return fd;
}

/* Nothing in double braces but references. */
static void
check_text(struct span s)
{
	const uint8_t *at;

	while ((at = memmem(s.p, s.len, "{{", 2)) != NULL) {
		const uint8_t *end = memmem(at, s.len - (size_t)(at - s.p), "}}", 2);

		if (end == NULL ||
		    (memchr(at, '.', (size_t)(end - at)) == NULL && memchr(at, ':', (size_t)(end - at)) == NULL))
			abort();
		s = span_of(end + 2, s.len - (size_t)(end + 2 - s.p));
	}
}

static void
check_model(struct span json)
{
	static const char *const lists[] = { "columns", "joins", "measures", "segments" };
	struct buf mp = { 0 };
	struct mp_value v, models, list, m, e;
	size_t at;

	if (json_read(json, &mp, &at) != JSON_OK || !mp_value(buf_view(&mp), &v) || !mp_get(&v, "models", &models))
		abort();
	for (struct mp_iter it = mp_iter(&models); mp_next(&it, &m);)
		for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
			if (!mp_get(&m, lists[i], &list))
				abort();
			for (struct mp_iter each = mp_iter(&list); mp_next(&each, &e);) {
				check_text(mp_get_str(&e, "expr", SPAN("")));
				check_text(mp_get_str(&e, "filter", SPAN("")));
			}
		}
	buf_fini(&mp);
}

static const char *const kinds[] = {
#define KNOWLEDGE_KIND(name, reader)	name,
#include "workers/import/knowledge/kinds.def"
};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { .code = ERR_NONE };
	struct buf out = { 0 }, pack = { 0 };
	const char *kind;
	int files, manifest = -1, r;

	if (size < 2)
		return 0;
	kind = kinds[data[1] % (sizeof(kinds) / sizeof(kinds[0]))];
	/* One file with a head that fits, the bytes as a whole pack, or a manifest. */
	if ((data[0] & 6) == 0)
		buf_printf(&pack, "%zu a.%s\n", size - 2,
		    (data[0] & 8) != 0              ? "csv" :
			strcmp(kind, "lookml") == 0 ? "lkml" :
						      "yml");
	if ((data[0] & 6) != 4)
		buf_append(&pack, data + 2, size - 2);
	else
		manifest = file_of(data + 2, size - 2);
	files = file_of(pack.p != NULL ? pack.p : data, pack.len);
	r = knowledge_read(&(struct knowledge_job){ .pack = files, .manifest = manifest, .kind = span_str(kind),
	    .text = (enum sqltext_dialect)(data[1] >> 3 << 5), .place = SPAN("place") }, &out, &err);
	if (r == 0)
		check_model(buf_view(&out));
	else if (err.code == ERR_NONE || err.message[0] == '\0')
		abort();
	close(files);
	if (manifest >= 0)
		close(manifest);
	buf_fini(&out);
	buf_fini(&pack);
	return 0;
}
