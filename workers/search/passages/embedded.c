#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "project/format/files.h"
#include "project/passages.h"
#include "workers/search/passages/embedded.h"

#define READ_AT_ONCE	((size_t)64 << 10)

/* Make n unused bytes available.  False: the file ends before. */
static bool
read_bytes(struct embedded *e, size_t n)
{
	if (e->text.len - e->at < n) {
		buf_consume(&e->text, e->at);
		e->at = 0;
	}
	while (e->text.len - e->at < n) {
		ssize_t got = read(e->fd, buf_reserve(&e->text, READ_AT_ONCE), READ_AT_ONCE);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		e->text.len += (size_t)got;
	}
	return true;
}

/* Check the first line. */
static void
check_head(struct embedded *e, struct span line, const char *model, size_t *dimensions, char **trouble)
{
	struct buf value = { 0 };
	struct passages_head head;

	if (!passages_read_head(line, &value, &head))
		*trouble = mem_printf("its vectors file is invalid");
	else if (!span_is_str(head.model, model))
		*trouble = mem_printf("its vectors are of the model \"%.*s\", not of embeddings.name \"%s\"",
		    (int)(head.model.len < 200 ? head.model.len : 200), (const char *)head.model.p, model);
	else if (*dimensions != 0 && *dimensions != head.dimensions)
		*trouble = mem_printf("its vectors have %zu dimensions, not %zu", head.dimensions, *dimensions);
	else
		*dimensions = e->dimensions = head.dimensions;
	buf_fini(&value);
}

void
embedded_open(struct embedded *e, int dir, const char *path, const char *model, size_t *dimensions, char **trouble)
{
	char name[FILES_PATH_MAX];
	const uint8_t *end = NULL;
	enum files_fault fault;

	*e = (struct embedded){ .fd = -1 };
	*trouble = NULL;
	snprintf(name, sizeof(name), "%s" PASSAGES_VECTORS, path);
	fault = files_open(dir, name, &e->fd, NULL);
	if (fault != FILES_OK) {
		e->fd = -1;
		if (fault != FILES_MISSING)
			*trouble = mem_printf("its file of vectors: %s", files_fault_text(fault));
		return;
	}
	while (end == NULL && e->text.len <= PASSAGES_HEAD_MAX && read_bytes(e, e->text.len + 1))
		end = memchr(e->text.p, '\n', e->text.len);
	if (end == NULL)
		*trouble = mem_printf("its vectors file is invalid");
	else
		check_head(e, span_of(e->text.p, (size_t)(end - e->text.p)), model, dimensions, trouble);
	if (*trouble == NULL)
		e->at = (size_t)(end - e->text.p) + 1;
	else
		embedded_close(e);
}

void
embedded_close(struct embedded *e)
{
	if (e->fd != -1)
		close(e->fd);
	buf_fini(&e->text);
	*e = (struct embedded){ .fd = -1 };
}

bool
embedded_next(struct embedded *e, struct span text, int8_t *bytes, float *scale)
{
	size_t n = PASSAGES_RECORD + e->dimensions;
	struct passages_vector v;
	bool good;

	if (e->fd == -1 || !read_bytes(e, n))
		return false;
	good = passages_read_vector(e->text.p + e->at, &v) && v.scale > 0 && v.digest == hash_of(text);
	if (good) {
		memcpy(bytes, v.bytes, e->dimensions);
		*scale = v.scale;
	}
	e->at += n;
	return good;
}
