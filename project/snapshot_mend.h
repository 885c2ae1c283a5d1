/*
 * snapshot_mend - what a strict reader refuses a whole artifact for, cut down
 * to the value it stands in; private to project/.
 *
 * Other programs' scans write what their databases hold: NULs and lone
 * surrogates in text, bytes that are no UTF-8, NaN.
 */
#ifndef PROJECT_SNAPSHOT_MEND_H
#define PROJECT_SNAPSHOT_MEND_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

#define SNAPSHOT_MENDED	"\xef\xbf\xbd"	/* U+FFFD, in the place of what cannot stand in a text */

/*
 * Append json to out with SNAPSHOT_MENDED for characters that no text may
 * hold and null for numbers that do not fit.  False when there was nothing to
 * mend, or out is full: then it is as it was.
 */
bool snapshot_mend(struct span json, struct buf *out);

#endif
