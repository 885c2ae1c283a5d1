/* packed - XML in a zip, the container of Office documents: its parts, and a parser that refuses entities. */
#pragma once

#include <expat.h>
#include <stdbool.h>
#include <stdint.h>
#include <zip.h>

#define PACKED_STEP	(64 * 1024)	/* bytes of XML at a time */

/*
 * A part may unpack to PACKED_RATIO times its packed size, or to PACKED_SMALL bytes if that is more: beyond it is a
 * decompression bomb.  Large sheets of real workbooks unpack to ten to fifty times their size.
 */
#define PACKED_RATIO	200
#define PACKED_SMALL	((uint64_t)64 << 20)

/* One file in the zip. */
struct packed_part {
	zip_file_t	*file;
	uint64_t	 size, read;	/* unpacked bytes: announced by the zip, and read so far */
	uint64_t	 max;		/* more is an error */
};

/* fd stays open, and is read from its start.  NULL: not a zip. */
zip_t *packed_open(int fd);

/* max: an absolute bound.  -1: no such part. */
int packed_part_open(zip_t *zip, const char *name, uint64_t max, struct packed_part *p);
void packed_part_close(struct packed_part *p);

/* Whether more than max bytes were announced, or read. */
bool packed_is_bomb(const struct packed_part *p);

/* At most PACKED_STEP bytes; 0: the end; -1: broken, or a bomb. */
zip_int64_t packed_part_read(struct packed_part *p, void *block);

/* A parser whose handlers get the parser itself; XML_GetUserData() returns arg.  Entities are refused. */
XML_Parser packed_parser(void *arg, XML_StartElementHandler start, XML_EndElementHandler end,
    XML_CharacterDataHandler text);

#define PACKED_BOMB	(-2)

/* Parse a whole part.  A missing part counts as empty.  0, -1 (damaged) or PACKED_BOMB. */
int packed_parse(zip_t *zip, const char *name, uint64_t max, void *arg, XML_StartElementHandler start,
    XML_EndElementHandler end, XML_CharacterDataHandler text);

/* Compares the local name, after the namespace prefix. */
bool packed_is_element(const XML_Char *name, const char *what);

/* NULL: the element has no such attribute. */
const char *packed_attribute(const XML_Char **attributes, const char *name);
