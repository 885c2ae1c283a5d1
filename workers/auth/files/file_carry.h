/* file_carry - sends and brings a file, a piece in a step, and puts it in its place.  One is on its way at a time. */
#pragma once

#include "workers/auth/files/file_parts.h"

/* Begin what e->work says; it may have ended at once. */
void file_carry_begin(struct files *f, struct file_entry *e, uint64_t now_ns);

/* Go on with the one that is on its way. */
void file_carry_step(struct files *f, uint64_t now_ns);

/* Leave it: what was written is removed. */
void file_carry_stop(struct files *f);

/* Publish that the file is removed, and remove it: 0; 1: the store has something newer; -1: *err. */
int file_carry_removal(struct files *f, struct file_entry *e, struct err *err);
