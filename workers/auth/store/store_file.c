#include "workers/auth/store/store_file.h"

#include "workers/auth/store/store_driver.h"

int
store_file_list(struct store *s, uint64_t after, void (*fn)(void *arg, const struct store_file *f), void *arg,
    struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, STORE_FILES, err, STORE_N(after));
	struct store_file f;
	int found;

	for (; (found = store_look(q, err)) == 1; fn(arg, &f))
		f = (struct store_file){ .name = store_column(q, 0), .revision = store_column_uint(q, 1),
			.size = store_column_uint(q, 2), .removed = store_column_uint(q, 3) != 0,
			.head = store_column(q, 4), .doubted = store_column_uint(q, 5) != 0,
			.at_ms = store_column_uint(q, 6) };
	return found;
}

uint64_t
store_file_newest(const struct store *s)
{
	return s->files_newest;
}

uint64_t
store_file_doubts(const struct store *s)
{
	return s->files_doubted;
}

static int
append_column(struct store_query *q, struct buf *out, struct err *err)
{
	int found = store_look(q, err);

	if (found != 1)
		return found;
	buf_span(out, store_column(q, 0));
	return store_found(q);
}

int
store_file_digests(struct store *s, struct span name, uint64_t revision, struct buf *out, struct err *err)
{
	return append_column(STORE_GIVEN(s, STORE_FILE_DIGESTS, err, STORE_B(name.p, name.len), STORE_N(revision)), out,
	    err);
}

int
store_file_piece(struct store *s, struct span name, struct span digest, struct buf *sealed, struct err *err)
{
	return append_column(STORE_GIVEN(s, STORE_FILE_PIECE, err, STORE_B(name.p, name.len),
				 STORE_B(digest.p, digest.len)),
	    sealed, err);
}

int
store_file_keep_piece(struct store *s, struct span name, struct span digest, struct span sealed, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_FILE_KEEP_PIECE, err, STORE_B(name.p, name.len),
				STORE_B(digest.p, digest.len), STORE_B(sealed.p, sealed.len)),
	    NULL, err);
}

int
store_file_publish(struct store *s, const struct store_file *f, uint64_t base, uint64_t most, struct err *err)
{
	static const uint8_t none[1];
	uint64_t result;

	if (store_count(STORE_GIVEN(s, STORE_FILE_PUBLISH, err, STORE_B(f->name.p, f->name.len), STORE_N(base),
			    STORE_N(f->revision), STORE_N(f->size), STORE_N(f->removed),
			    STORE_B(f->head.p, f->head.len),
			    STORE_B(f->digests.len > 0 ? f->digests.p : none, f->digests.len), STORE_N(most)),
		&result, err) != 0)
		return -1;
	if (result == STORE_FILE_PUBLISHED && s->files_newest < f->revision)
		s->files_newest = f->revision;
	return result <= STORE_FILE_LACKING ? (int)result : STORE_FILE_LACKING;
}

int
store_file_doubt(struct store *s, struct span name, uint64_t revision, struct err *err)
{
	uint64_t said;

	return store_count(STORE_GIVEN(s, STORE_FILE_DOUBT, err, STORE_B(name.p, name.len), STORE_N(revision)), &said,
	    err);
}
