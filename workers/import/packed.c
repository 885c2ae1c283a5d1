#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "workers/import/packed.h"

zip_t *
packed_open(int fd)
{
	zip_error_t error;
	zip_source_t *source;
	zip_t *zip;
	FILE *f;
	int own = dup(fd);

	zip_error_init(&error);
	if (lseek(fd, 0, SEEK_SET) != 0 || own < 0 || (f = fdopen(own, "rb")) == NULL)
		return NULL;
	source = zip_source_filep_create(f, 0, -1, &error);
	zip = source == NULL ? NULL : zip_open_from_source(source, ZIP_RDONLY, &error);
	if (zip == NULL && source != NULL)
		zip_source_free(source);
	zip_error_fini(&error);
	return zip;
}

int
packed_part_open(zip_t *zip, const char *name, uint64_t max, struct packed_part *p)
{
	zip_stat_t st;

	*p = (struct packed_part){ .max = max };
	if (zip_stat(zip, name, 0, &st) != 0)
		return -1;
	p->size = (st.valid & ZIP_STAT_SIZE) != 0 ? st.size : 0;
	if ((st.valid & ZIP_STAT_COMP_SIZE) != 0 && st.comp_size < max / PACKED_RATIO)
		p->max = st.comp_size * PACKED_RATIO > PACKED_SMALL ? st.comp_size * PACKED_RATIO : PACKED_SMALL;
	if (p->max > max)
		p->max = max;
	p->file = zip_fopen(zip, name, 0);
	return p->file == NULL ? -1 : 0;
}

void
packed_part_close(struct packed_part *p)
{
	if (p->file != NULL)
		zip_fclose(p->file);
	p->file = NULL;
}

bool
packed_is_bomb(const struct packed_part *p)
{
	return p->size > p->max || p->read > p->max;
}

zip_int64_t
packed_part_read(struct packed_part *p, void *block)
{
	zip_int64_t n = packed_is_bomb(p) ? -1 : zip_fread(p->file, block, PACKED_STEP);

	if (n > 0)
		p->read += (uint64_t)n;
	return packed_is_bomb(p) ? -1 : n;
}

/* Office documents declare no entities; refuse them, as entity expansion can exhaust memory. */
static void
refuse_doctype(void *arg, const XML_Char *name, const XML_Char *system, const XML_Char *public, int subset)
{
	(void)name, (void)system, (void)public, (void)subset;
	XML_StopParser(arg, XML_FALSE);
}

XML_Parser
packed_parser(void *arg, XML_StartElementHandler start, XML_EndElementHandler end, XML_CharacterDataHandler text)
{
	XML_Parser parser = mem_must(XML_ParserCreate(NULL));

	XML_SetUserData(parser, arg);
	XML_SetElementHandler(parser, start, end);
	XML_SetCharacterDataHandler(parser, text);
	XML_SetStartDoctypeDeclHandler(parser, refuse_doctype);
	XML_UseParserAsHandlerArg(parser);
	XML_SetUserData(parser, arg);
	return parser;
}

int
packed_parse(zip_t *zip, const char *name, uint64_t max, void *arg, XML_StartElementHandler start,
    XML_EndElementHandler end, XML_CharacterDataHandler text)
{
	struct packed_part p;
	XML_Parser parser;
	char *block;
	zip_int64_t n;
	int result = 0;

	if (packed_part_open(zip, name, max, &p) != 0)
		return 0;
	block = mem_alloc(PACKED_STEP);
	parser = packed_parser(arg, start, end, text);
	do {
		n = packed_part_read(&p, block);
		if (n < 0 || XML_Parse(parser, block, (int)n, n == 0) != XML_STATUS_OK)
			result = -1;
	} while (result == 0 && n > 0);
	if (packed_is_bomb(&p))
		result = PACKED_BOMB;
	XML_ParserFree(parser);
	free(block);
	packed_part_close(&p);
	return result;
}

bool
packed_is_element(const XML_Char *name, const char *what)
{
	const char *colon = strrchr(name, ':');

	return strcmp(colon != NULL ? colon + 1 : name, what) == 0;
}

const char *
packed_attribute(const XML_Char **attributes, const char *name)
{
	for (; *attributes != NULL; attributes += 2)
		if (packed_is_element(attributes[0], name))
			return attributes[1];
	return NULL;
}
