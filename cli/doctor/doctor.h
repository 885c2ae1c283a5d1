/* doctor - what `carrel doctor` finds: one function a subject, each adding findings with their fixes. */
#pragma once

#include "base/buf.h"
#include "cli/cli.h"
#include "cli/daemon/daemon.h"

enum verdict { GOOD, REMARK, BAD };

struct findings {
	struct buf	 text, mp;
	size_t		 mark, n, bad;
};
