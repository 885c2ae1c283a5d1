/*
 * template - pages with places for values.  A value is escaped wherever it stands, as text and as an attribute in
 * double quotes: there is no way to put in markup.  Pure: no I/O.
 *
 *	{{name}}		the value
 *	{{#name}}…{{/name}}	if the value is not empty; of rows, once for each of them
 *	{{^name}}…{{/name}}	if it is empty
 *
 * Sections may be nested; in a row its values come before those of the page.
 */
#pragma once

#include <stddef.h>

#include "base/buf.h"
#include "base/span.h"

struct template_row;

struct template_value {
	const char		  *name;
	struct span		   text;
	const struct template_row *rows;	/* NULL: text is the value */
	size_t			   nrows;
};

struct template_row {
	const struct template_value *values;
	size_t			     n;
};

/* Append the page to out.  A name that is not among the values is empty. */
void template_put(struct buf *out, const char *page, const struct template_row *values);
