// libs: carrel_search carrel_base
/*
 * fuzz_vectors.c - a file of word vectors of any bytes, whose words are also those of an index: what is like another
 * one is like it to a degree, best first, and is among them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "workers/search/index/near.h"
#include "workers/search/index/guess.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define WORDS_MAX	256

static void
add_words(struct vocab *v, const uint8_t *data, size_t size)
{
	struct text_reader r;
	struct text_word w;

	text_begin(&r, span_of(data, size));
	while (vocab_count(v) < WORDS_MAX && text_next(&r, &w))
		vocab_count_documents(v, vocab_add(v, w.folded), 1);
}

static void
compare(struct vocab *v, struct span word)
{
	struct vocab_guess out[NEAR_MAX];
	size_t n = near_find(vocab_near(v), v, word, 0.2f, out);

	for (size_t i = 0; i < n; i++)
		if (!(out[i].likeness >= 0.2f && out[i].likeness < 1.1f) || out[i].term >= vocab_count(v) ||
		    (i > 0 && out[i].likeness > out[i - 1].likeness))
			abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("vectors", MFD_CLOEXEC);
	struct vectors vectors;
	struct vocab *v = vocab_new();

	if (fd == -1 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0)
		abort();
	add_words(v, data, size);
	vectors_init(&vectors, fd);
	vocab_near(v)->vectors = &vectors;
	while (vectors_step(&vectors, 0))
		(void)near_step(vocab_near(v), v, 0);
	if (near_step(vocab_near(v), v, UINT64_MAX) || (vectors.trouble != NULL && vectors.fd != -1))
		abort();
	for (uint32_t i = 0; i < vocab_count(v); i++)
		compare(v, vocab_text(v, i));
	vocab_free(v);
	vectors_fini(&vectors);
	return 0;
}
