// libs: carrel_import
/*
 * fuzz_document.c - any bytes as a document (the first byte says as which): passages that carrel_search takes, or a
 * refusal with a message.  As a document of Word they are the XML inside, or the zip.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/utf8.h"
#include "tests/fuzz/fuzz.h"
#include "workers/import/document_docx.h"
#include "workers/import/document_text.h"
#include "workers/import/packed.h"

enum { AS_TEXT, AS_MARKDOWN, AS_XML, AS_ZIP, WAYS };

static int
check_passage(void *arg, struct span text, uint32_t page)
{
	(void)arg, (void)page;
	if (text.len == 0 || !utf8_valid(text.p, text.len) || utf8_count(text) > CHUNKER_CHARACTERS)
		abort();
	for (size_t i = 0; i < text.len; i++)
		if (text.p[i] < ' ' && text.p[i] != '\n')
			abort();
	return 0;
}

static int
file_of(const uint8_t *data, size_t size)
{
	int fd = memfd_create("document", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	return fd;
}

/* A zip with data as word/document.xml. */
static int
zip_of(const uint8_t *data, size_t size)
{
	zip_source_t *made = zip_source_buffer_create(NULL, 0, 0, NULL);
	zip_t *zip = made == NULL ? NULL : zip_open_from_source(made, ZIP_TRUNCATE, NULL);
	zip_source_t *xml = zip == NULL ? NULL : zip_source_buffer(zip, data, size, 0);
	zip_stat_t st;
	uint8_t *bytes;
	int fd;

	if (xml == NULL || zip_file_add(zip, "word/document.xml", xml, ZIP_FL_ENC_UTF_8) < 0)
		abort();
	zip_source_keep(made);
	if (zip_close(zip) != 0 || zip_source_open(made) != 0 || zip_source_stat(made, &st) != 0)
		abort();
	bytes = malloc(st.size + 1);
	if (bytes == NULL || zip_source_read(made, bytes, st.size) != (zip_int64_t)st.size)
		abort();
	fd = file_of(bytes, st.size);
	free(bytes);
	zip_source_close(made);
	zip_source_free(made);
	return fd;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { .code = ERR_NONE };
	struct chunker *c;
	int how, fd, result;

	if (size < 2)
		return 0;
	how = data[0] % WAYS;
	fd = how == AS_XML ? zip_of(data + 1, size - 1) : file_of(data + 1, size - 1);
	c = chunker_new(check_passage, NULL);
	result = how >= AS_XML ? document_read_docx(fd, c, &err) : document_read_text(fd, how == AS_MARKDOWN, c, &err);
	if (result == 0 ? chunker_end(c) != 0 : err.message[0] == '\0')
		abort();
	chunker_free(c);
	close(fd);
	return 0;
}
