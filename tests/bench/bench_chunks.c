/*
 * bench_chunks.c - carrel_search over a million chunks: what it takes to read them, and to answer.
 *
 *	bench-chunks [CHUNKS] [DIMENSIONS]
 *
 * Words are drawn as Zipf's law has them, of 500,000, of which 20,000 are English; a chunk has 200.  Questions are of
 * two to eight words drawn the same way, so that most have frequent ones.  With dimensions there are vectors for the
 * first 50,000 words too.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "workers/search/passages/find.h"

#define WORDS		500000u
#define WITH_VECTORS	50000u
#define LENGTH		200
#define QUESTIONS	2000
#define ID		"00000000-0000-4000-8000-000000000001"

static uint64_t seed = 42;

static double
draw(void)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(seed >> 11) / 9007199254740992.0;
}

/* A word by Zipf's law: its rank, by the inverse of the harmonic numbers' logarithm. */
static unsigned
draw_word(void)
{
	return (unsigned)(exp(draw() * log(WORDS)) - 1);
}

/* Words of English, most frequent first. */
static char *english[20000];
static unsigned nenglish;

/* What WordNet has counted; its lines are in no order of how often. */
static void
read_english(void)
{
	FILE *f = fopen("/usr/share/wordnet/cntlist.rev", "r");
	char line[256];

	while (f != NULL && nenglish < sizeof(english) / sizeof(english[0]) && fgets(line, sizeof(line), f) != NULL) {
		size_t n = strcspn(line, "%");

		line[n] = '\0';
		if (strspn(line, "abcdefghijklmnopqrstuvwxyz") == n && n > 2)
			english[nenglish++] = mem_text(span_of(line, n));
	}
	if (f != NULL)
		fclose(f);
}

/* What the word of a rank looks like: English as far as there is any, then syllables. */
static void
put_word(struct buf *out, unsigned rank)
{
	static const char *const syllables[] = { "ba", "ko", "mi", "tu", "re", "la", "so", "ne", "fi", "gu", "da", "po",
		"vi", "zu", "ha", "je" };

	if (rank < nenglish) {
		/* Spread, so that frequent words are of all letters. */
		buf_str(out, english[rank * UINT64_C(7919) % nenglish]);
		return;
	}

	for (unsigned n = rank + 17; n > 0; n /= 16)
		buf_str(out, syllables[n % 16]);
	buf_byte(out, 'x'); /* no ending that a stem would be without */
}

static void
write_chunks(const char *root, unsigned n)
{
	char path[256];
	struct buf out = { 0 };
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, ID);
	(void)mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/0000000000000001.jsonl", root, ID);
	if ((f = fopen(path, "w")) == NULL)
		exit(1);
	fputs("{\"carrel_document\":1,\"source_file\":\"drawn.txt\",\"pages\":null,\"chunks\":1,"
	      "\"added_at\":\"2026-01-31T12:00:00Z\"}\n",
	    f);
	for (unsigned i = 0; i < n; i++) {
		out.len = 0;
		buf_printf(&out, "{\"chunk_index\":%u,\"page\":null,\"text\":\"", i);
		for (unsigned k = 0; k < LENGTH; k++) {
			put_word(&out, draw_word());
			buf_byte(&out, ' ');
		}
		buf_str(&out, "\"}\n");
		fwrite(out.p, 1, out.len, f);
	}
	fclose(f);
	buf_fini(&out);
}

static int
write_vectors(const char *root, unsigned dimensions)
{
	char path[256];
	struct buf word = { 0 };
	FILE *f;

	snprintf(path, sizeof(path), "%s/words.vec", root);
	if ((f = fopen(path, "w")) == NULL)
		exit(1);
	for (unsigned i = 0; i < WITH_VECTORS; i++) {
		word.len = 0;
		put_word(&word, i);
		fputs(buf_cstr(&word), f);
		for (unsigned d = 0; d < dimensions; d++)
			fprintf(f, " %.4f", draw() - 0.5);
		fputc('\n', f);
	}
	fclose(f);
	buf_fini(&word);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Processor time: other programs are not counted. */
static uint64_t
spent_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * CLOCK_SECOND + (uint64_t)t.tv_nsec;
}

static int
by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void
ask(struct chunks *c, int dir, const char *what)
{
	static uint64_t took[QUESTIONS];
	struct arena *a = arena_new((size_t)8 << 20);
	struct buf question = { 0 };
	const struct chunk_set *sets[1] = { c->sets[0] };
	size_t answered = 0;

	for (size_t q = 0; q < QUESTIONS; q++) {
		struct chunk_question asked;
		struct chunk_found found[5];
		struct chunk_text text = { .index = 0 };
		unsigned words = 2 + (unsigned)(draw() * 7);
		struct err err;
		bool more;
		size_t n;

		question.len = 0;
		for (unsigned k = 0; k < words; k++) {
			put_word(&question, draw_word());
			buf_byte(&question, ' ');
		}
		arena_reset(a);
		took[q] = spent_ns();
		asked = (struct chunk_question){ .text = buf_view(&question) };
		if (chunks_find(c, a, sets, 1, &asked, 5, found, &n, &more, &err) != 0)
			exit(1);
		for (size_t i = 0; i < n; i++)
			(void)chunks_text(dir, &found[i], &text);
		took[q] = spent_ns() - took[q];
		answered += n > 0;
		buf_fini(&text.line);
		buf_fini(&text.value);
	}
	qsort(took, QUESTIONS, sizeof(*took), by_size);
	printf("%-22s p50 %6.2f ms  p99 %6.2f ms  longest %6.2f ms  answered %zu of %d\n", what,
	    (double)took[QUESTIONS / 2] / 1e6, (double)took[QUESTIONS * 99 / 100] / 1e6,
	    (double)took[QUESTIONS - 1] / 1e6, answered, QUESTIONS);
	arena_free(a);
	buf_fini(&question);
}

int
main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : PASSAGES_CHUNKS_MAX;
	unsigned dimensions = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	char root[] = "/tmp/carrel-bench-chunks-XXXXXX", command[64];
	uint64_t began, longest = 0;
	struct chunks c;
	int dir;

	read_english();
	if (mkdtemp(root) == NULL || (dir = open(root, O_RDONLY | O_DIRECTORY)) == -1)
		return 1;
	write_chunks(root, n);
	chunks_init(&c);
	if (dimensions > 0)
		vectors_init(&c.vectors, write_vectors(root, dimensions));
	began = clock_ns();
	chunks_check(&c, dir, false);
	do {
		uint64_t step = clock_ns();

		chunks_step(&c, dir, step + 5 * CLOCK_MS);
		step = clock_ns() - step;
		longest = step > longest ? step : longest;
	} while (chunks_is_busy(&c));
	began = clock_ns() - began;
	printf("%u chunks read in %.1f s (%.0f a second), longest step %.0f ms, %zu pieces, %.0f MB\n", c.total,
	    (double)began / 1e9, c.total / ((double)began / 1e9), (double)longest / 1e6, c.sets[0]->npieces,
	    (double)chunks_bytes(&c) / 1e6);
	ask(&c, dir, dimensions > 0 ? "by words and vectors" : "by words");
	chunks_fini(&c);
	for (unsigned i = 0; i < nenglish; i++)
		free(english[i]);
	close(dir);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}
