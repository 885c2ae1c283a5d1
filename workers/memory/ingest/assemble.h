/* assemble - an import that is larger than the arguments of a call comes in several; they are put together here. */
#pragma once

#include "base/err.h"
#include "base/mp.h"
#include "workers/memory/memory.h"

#define ASSEMBLE_MAX	((size_t)24 << 20)	/* bytes of an import, as carrel-import writes it */
#define ASSEMBLE_ROOM	100			/* bytes of memory that each of them needs at most: measured, some 80 */

/*
 * Adds the part that the arguments have: "knowledge", "offset", how many bytes came before, and "more".  A part with
 * the offset 0 begins another import, and what was not whole is forgotten.  True when the import is whole: *content is
 * what its parts say, until they are forgotten.  False with *content: so much came, and more will; or with *err: the
 * part does not fit behind those that came, or the import is too large.
 */
bool assemble_part(struct call *c, const struct mp_value *args, struct span *content, struct err *err);

void assemble_forget(struct memory *m);
