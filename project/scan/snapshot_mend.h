/*
 * snapshot_mend - repairs single values because of which the strict reader would refuse a whole
 * artifact; private to project/. Scans of other programs copy what databases hold: NULs and lone
 * surrogates in text, invalid UTF-8, NaN.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

#define SNAPSHOT_MENDED	"\xef\xbf\xbd"	/* U+FFFD, replaces characters that are invalid in text */

/*
 * Append json to out, with SNAPSHOT_MENDED for invalid characters and null for numbers out of range.
 * False when nothing needed repair or out is full; out is then unchanged.
 */
bool snapshot_mend(struct span json, struct buf *out);
