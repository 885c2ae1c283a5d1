#include <string.h>
#include <strings.h>

#include "workers/import/document_docx.h"
#include "workers/import/packed.h"

#define UNPACKED_MAX	((uint64_t)512 << 20)	/* bytes of one part */

struct docx {
	struct chunker	*chunker;
	unsigned	 left_out;	/* depth within elements that are left out */
	bool		 inside;	/* within a run's text */
	bool		 heading;	/* the paragraph is a heading */
};

static bool
is_left_out(const XML_Char *name)
{
	static const char *const names[] = { "del", "moveFrom", "instrText", "Fallback" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (packed_is_element(name, names[i]))
			return true;
	return false;
}

/* Style names depend on the language of the author's program: English, German and French are known. */
static bool
is_heading(const char *style)
{
	static const char *const begins[] = { "heading", "title", "subtitle", "berschrift", "titre", "titel" };

	for (size_t i = 0; style != NULL && i < sizeof(begins) / sizeof(begins[0]); i++)
		if (strncasecmp(style, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

static void
start_docx(void *parser, const XML_Char *name, const XML_Char **attributes)
{
	struct docx *d = XML_GetUserData((XML_Parser)parser);

	if (is_left_out(name))
		d->left_out++;
	if (d->left_out > 0)
		return;
	if (packed_is_element(name, "t"))
		d->inside = true;
	else if (packed_is_element(name, "p")) {
		chunker_paragraph(d->chunker, false); /* ends the outer paragraph, which contains a text box */
		d->heading = false;
	} else if (packed_is_element(name, "pStyle"))
		d->heading = d->heading || is_heading(packed_attribute(attributes, "val"));
	else if (packed_is_element(name, "outlineLvl"))
		d->heading = true;
	else if (packed_is_element(name, "tab") || packed_is_element(name, "br") || packed_is_element(name, "cr"))
		chunker_text(d->chunker, SPAN(" "));
	else if (packed_is_element(name, "noBreakHyphen"))
		chunker_text(d->chunker, SPAN("-"));
}

static void
end_docx(void *parser, const XML_Char *name)
{
	struct docx *d = XML_GetUserData((XML_Parser)parser);

	if (is_left_out(name)) {
		d->left_out--;
		return;
	}
	if (packed_is_element(name, "t"))
		d->inside = false;
	else if (d->left_out == 0 && packed_is_element(name, "p")) {
		chunker_paragraph(d->chunker, d->heading);
		d->heading = false;
	}
	if (chunker_is_over(d->chunker))
		XML_StopParser(parser, XML_FALSE);
}

static void
text_docx(void *parser, const XML_Char *text, int len)
{
	struct docx *d = XML_GetUserData((XML_Parser)parser);

	if (d->inside && d->left_out == 0)
		chunker_text(d->chunker, span_of(text, (size_t)len));
}

int
document_read_docx(int fd, struct chunker *c, struct err *err)
{
	static const char *const parts[] = { "word/document.xml", "word/footnotes.xml", "word/endnotes.xml" };
	zip_t *zip = packed_open(fd);
	int result = 0;

	if (zip == NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS, "it is packed, and damaged");
	if (zip_name_locate(zip, parts[0], 0) < 0)
		result = err_set(err, ERR_INVALID_ARGUMENTS,
		    "it is packed, and no document of Word (DOCX); save it as text");
	for (size_t i = 0; result == 0 && i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct docx d = { .chunker = c };

		if (packed_parse(zip, parts[i], UNPACKED_MAX, &d, start_docx, end_docx, text_docx) != 0 &&
		    !chunker_is_over(c))
			result = err_set(err, ERR_INVALID_ARGUMENTS,
			    "its %s is damaged, larger than 512 MiB or a decompression bomb", parts[i]);
	}
	zip_discard(zip);
	return result;
}
