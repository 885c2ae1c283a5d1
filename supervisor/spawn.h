/* spawn - one fresh process of one binary: see process.h. */
#pragma once

#include "supervisor/process.h"

/* Sets pid, pidfd, control, log and watch of *p, none of which is open before. */
int spawn_process(const char *dir, const char *name, struct process *p, struct err *err);

/* Close and unmap these. */
void spawn_close(struct process *p);

/* Between fork and exec: every signal does what it does to a fresh program. */
void process_plain_signals(void);
