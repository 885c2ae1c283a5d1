/* file_seal - names, digests and contents of files as the store has them: it can read none, and change none unseen. */
#pragma once

#include "workers/auth/files/file_parts.h"

/* The key of a name; the digest of a piece of that file; and of the whole, of the digests of its pieces. */
void file_seal_name(const struct files *f, const char *name, uint8_t key[FILE_DIGEST]);
void file_seal_piece(const struct files *f, const uint8_t key[FILE_DIGEST], struct span piece,
    uint8_t digest[FILE_DIGEST]);
void file_seal_whole(const struct files *f, struct span digests, uint64_t size, uint8_t digest[FILE_DIGEST]);

/* Encrypt, append to out; and the reverse: false: these nodes did not make it. */
void file_seal_put(const struct files *f, struct span text, struct buf *out);
bool file_seal_open(const struct files *f, struct span sealed, struct buf *out);

/* The head of a revision: what binds its name, its number and its content. */
struct file_head {
	char		name[160];
	uint64_t	revision, size;
	bool		removed;
	uint8_t		digest[FILE_DIGEST];
};

void file_seal_put_head(const struct files *f, const struct file_head *h, struct buf *out);
bool file_seal_open_head(const struct files *f, struct span sealed, struct file_head *h);
