/* file_state - what is to be done with a file, and what this node remembers of it. */
#pragma once

#include "workers/auth/files/file_parts.h"

/* From what the store says, what is remembered and what is here. */
enum file_work file_state_work(const struct file_entry *e);

/* Whether the file here is possibly not what is remembered. */
bool file_state_is_changed(const struct file_entry *e);

/* Whether what is here may take the place of what the store has: it came from it, or replaces nothing. */
bool file_state_follows(const struct file_entry *e);

/*
 * Read what is remembered, at the first sight of a file; remember that what is here is that revision, that
 * it looks like this now, or nothing.
 */
int file_state_recall(struct files *f, struct file_entry *e, struct err *err);
int file_state_keep(struct files *f, struct file_entry *e, uint64_t revision, const uint8_t digest[FILE_DIGEST],
    const struct file_stamp *now, struct err *err);
int file_state_move(struct files *f, struct file_entry *e, const struct file_stamp *now, struct err *err);
int file_state_forget(struct files *f, struct file_entry *e, struct err *err);
