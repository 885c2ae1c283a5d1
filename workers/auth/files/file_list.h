/* file_list - the files that are known, in the order of what the store calls them. */
#pragma once

#include "workers/auth/files/file_parts.h"

/* The entry of a key, or of a name, which is made if make is set; else NULL if it is not known. */
struct file_entry *file_list_entry(struct files *f, const uint8_t key[FILE_DIGEST], bool make);
struct file_entry *file_list_named(struct files *f, const char *name, bool make);

/* Nothing is in its way any more; or it failed, for the reason given, and is tried again after so long. */
void file_list_fine(struct file_entry *e);
void file_list_fail(struct file_entry *e, uint64_t wait_ns, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
