// libs: carrel_search carrel_base
/*
 * test_search_chunks.c - documents of datasets: read, followed, put together, and
 * found as the plain definition finds them.
 */
#include "tests/unit/harness.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/hash.h"
#include "base/json/json_write.h"
#include "base/mem.h"
#include "workers/search/passages/find.h"
#include "workers/search/passages/merge.h"

#define ROOT	"/tmp/carrel-chunks-XXXXXX"
#define ONE	"00000000-0000-4000-8000-000000000001"
#define TWO	"00000000-0000-4000-8000-000000000002"

static char root[] = ROOT;
static int dir = -1;
static struct chunks c;
static struct arena *a;

/* --- files --------------------------------------------------------------------------------------- */

static void
write_file(const char *set, const char *name, const char *text)
{
	char path[256], beside[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, set);
	(void)mkdir(path, 0700);
	snprintf(beside, sizeof(beside), "%s/%s/.tmp-%s", root, set, name);
	snprintf(path, sizeof(path), "%s/%s/%s", root, set, name);
	f = fopen(beside, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(rename(beside, path), 0);
}

static void
put_head(struct buf *out, const char *source)
{
	buf_printf(out,
	    "{\"carrel_document\":1,\"source_file\":\"%s\",\"pages\":null,\"chunks\":1,"
	    "\"added_at\":\"2026-01-31T12:00:00Z\"}\n",
	    source);
}

static void
put_chunk(struct buf *out, unsigned index, unsigned page, const char *text)
{
	buf_printf(out, "{\"chunk_index\":%u,\"page\":", index);
	if (page == 0)
		buf_str(out, "null");
	else
		buf_printf(out, "%u", page);
	buf_str(out, ",\"text\":");
	json_write_string(out, span_str(text));
	buf_str(out, "}\n");
}

/* A document of chunks, on pages 1, 2, ... */
static void
write_document(const char *set, const char *name, const char *source, const char *const *texts, size_t n)
{
	struct buf out = { 0 };

	put_head(&out, source);
	for (unsigned i = 0; i < n; i++)
		put_chunk(&out, i, i + 1, texts[i]);
	write_file(set, name, buf_cstr(&out));
	buf_fini(&out);
}

static void
remove_file(const char *set, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s/%s", root, set, name);
	assert_int_equal(unlink(path), 0);
}

static void
settle(void)
{
	chunks_check(&c, dir, true);
	do
		chunks_step(&c, dir, clock_ns() + CLOCK_MS);
	while (chunks_is_busy(&c));
}

/* --- asking -------------------------------------------------------------------------------------- */

static struct chunk_found found[50];
static size_t nfound;
static bool more;

static struct chunk_question question_asked; /* its vector is the test's */

static void
ask(const char *question, size_t max)
{
	const struct chunk_set *sets[8];
	struct err err;

	for (size_t i = 0; i < c.n; i++)
		sets[i] = c.sets[i];
	arena_reset(a);
	question_asked.text = span_str(question);
	assert_int_equal(chunks_find(&c, a, sets, c.n, &question_asked, max, found, &nfound, &more, &err), 0);
}

static void
check_text(size_t i, const char *text, unsigned page, unsigned index)
{
	struct chunk_text got = { .index = 0 };

	assert_true(i < nfound);
	assert_true(chunks_text(dir, &found[i], &got));
	assert_true(span_is_str(got.text, text));
	assert_int_equal(got.page, page);
	assert_int_equal(got.index, index);
	buf_fini(&got.line);
	buf_fini(&got.value);
}

static int
setup(void **state)
{
	(void)state;
	strcpy(root, ROOT);
	if (mkdtemp(root) == NULL || (dir = open(root, O_RDONLY | O_DIRECTORY)) == -1)
		return -1;
	a = arena_new((size_t)8 << 20);
	chunks_init(&c);
	return 0;
}

static int
teardown(void **state)
{
	char command[128];

	(void)state;
	chunks_fini(&c);
	arena_free(a);
	close(dir);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

/* --- what is found ------------------------------------------------------------------------------- */

static const char *const handbook[] = {
	"Rain gauges are calibrated twice a year, in April and in October.",
	"A station reports every ten minutes; wind is measured at a height of ten metres.",
	"Verträge mit Betreibern werden j\xc3\xa4hrlich gepr\xc3\xbc" "ft. Der Vertrag nennt die Fristen.",
	"The archive keeps readings of thirty years. Older ones are on paper.",
};

static void
a_passage_is_found_by_what_it_says(void **state)
{
	(void)state;
	write_document(ONE, "a.jsonl", "handbook.pdf", handbook, 4);
	settle();
	assert_int_equal(c.total, 4);
	ask("how often is a rain gauge calibrated?", 5);
	check_text(0, handbook[0], 1, 0);
	assert_string_equal(found[0].document->source_file, "handbook.pdf");
	assert_string_equal(found[0].set->id, ONE);
	assert_float_equal((double)found[0].score, 1, 1e-6);
	ask("calibrtaed", 5); /* misspelt */
	check_text(0, handbook[0], 1, 0);
	ask("Vertraege", 5);
	check_text(0, handbook[2], 3, 2);
	ask("THIRTY  Years", 5);
	check_text(0, handbook[3], 4, 3);
	ask("the", 5); /* nothing else was said */
	assert_true(nfound > 0);
	ask("zebra", 5);
	assert_int_equal(nfound, 0);
	assert_false(more);
	ask("?!", 5);
	assert_int_equal(nfound, 0);
	ask("ten station readings", 1);
	assert_int_equal(nfound, 1);
	assert_true(more);
}

static void
nothing_is_there(void **state)
{
	(void)state;
	settle();
	ask("anything", 5);
	assert_int_equal(nfound, 0);
	chunks_check(&c, -1, true);
	assert_false(chunks_is_busy(&c));
	assert_null(chunks_set(&c, SPAN(ONE)));
}

static void
files_are_followed(void **state)
{
	static const char *const first[] = { "about apples" }, *const second[] = { "about pears", "about plums" };

	(void)state;
	write_document(ONE, "a.jsonl", "a.txt", first, 1);
	write_document(TWO, "a.jsonl", "b.txt", first, 1);
	write_file(ONE, "not.txt", "no document");
	write_file("not-a-dataset", "a.jsonl", "no dataset");
	settle();
	assert_int_equal(c.n, 2);
	ask("apples", 9);
	assert_int_equal(nfound, 2);
	assert_string_equal(found[0].set->id, ONE); /* equal ones by dataset */

	/* Replaced: what was read before is not told any more, whether or not it was noticed yet. */
	write_document(ONE, "a.jsonl", "a.txt", second, 2);
	{
		struct chunk_text got = { .index = 0 };

		assert_false(chunks_text(dir, &found[0], &got));
		buf_fini(&got.line);
		buf_fini(&got.value);
	}
	chunks_check(&c, dir, false);
	while (chunks_is_busy(&c))
		chunks_step(&c, dir, clock_ns() + CLOCK_MS);
	ask("apples", 9);
	assert_int_equal(nfound, 1);
	ask("plums", 9);
	check_text(0, second[1], 2, 1);
	assert_int_equal(c.total, 3);

	remove_file(TWO, "a.jsonl");
	settle();
	ask("apples", 9);
	assert_int_equal(nfound, 0);
	assert_int_equal(chunks_set(&c, SPAN(TWO))->nchunks, 0);

	/* The whole directory of a dataset goes. */
	remove_file(ONE, "a.jsonl");
	remove_file(ONE, "not.txt");
	{
		char path[256];

		snprintf(path, sizeof(path), "%s/%s", root, ONE);
		assert_int_equal(rmdir(path), 0);
	}
	settle();
	assert_int_equal(c.total, 0);
	ask("plums", 9);
	assert_int_equal(nfound, 0);
	write_document(ONE, "a.jsonl", "a.txt", second, 2);
	settle();
	ask("plums", 9);
	assert_int_equal(nfound, 1);
}

static char troubles[2000];

static void
note_trouble(void *arg, const char *path, const char *reason)
{
	(void)arg;
	snprintf(troubles + strlen(troubles), sizeof(troubles) - strlen(troubles), "%s: %s\n", path, reason);
}

#define HEAD	"{\"carrel_document\":1,\"source_file\":\"x\"}"

static void
a_bad_file_says_where(void **state)
{
	static const struct {
		const char *text, *says;
		unsigned kept;
	} bad[] = {
		{ "", "line 1 is missing", 0 },
		{ "\n", "line 1 is no chunk", 0 },
		{ "{}\n", "line 1 does not say", 0 },
		{ "{\"carrel_document\":2,\"source_file\":\"x\"}\n", "line 1 does not say", 0 },
		{ "{\"carrel_document\":1,\"source_file\":\"\"}\n", "line 1 does not say", 0 },
		{ HEAD, "line 1 has no end", 0 },
		{ HEAD "\n{\"text\":\"one\"}\n{\"text\":7}\n", "line 3 has no text", 1 },
		{ HEAD "\n{\"text\":\"one\"}\n[1]\n", "line 3 is no chunk", 1 },
		{ HEAD "\n{\"text\":\"one\"}\n{\"text\":\"a\xff\"}\n", "line 3 is no chunk", 1 },
		{ HEAD "\n{\"text\":\"one\"}\n{\"text\":\"tw", "line 3 has no end", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		write_file(ONE, "bad.jsonl", bad[i].text);
		settle();
		troubles[0] = '\0';
		chunks_troubles(&c, note_trouble, NULL);
		if (strstr(troubles, bad[i].says) == NULL || c.total != bad[i].kept)
			fail_msg("%zu: %s (%u chunks)", i, troubles, c.total);
		assert_non_null(strstr(troubles, ".carrel/documents/" ONE "/bad.jsonl: "));
	}
}

static void
a_line_is_bounded(void **state)
{
	struct buf out = { 0 }, text = { 0 };

	(void)state;
	for (size_t i = 0; i < PASSAGES_CHARACTERS; i++)
		buf_str(&text, "\xc3\xa4");
	put_head(&out, "x");
	put_chunk(&out, 0, 0, buf_cstr(&text));
	buf_str(&text, "a");
	put_chunk(&out, 1, 0, buf_cstr(&text));
	write_file(ONE, "long.jsonl", buf_cstr(&out));
	settle();
	assert_int_equal(c.total, 1);
	troubles[0] = '\0';
	chunks_troubles(&c, note_trouble, NULL);
	assert_non_null(strstr(troubles, "line 3 is longer"));

	/* No end of a line at all. */
	out.len = 0;
	put_head(&out, "x");
	for (size_t i = 0; i < (size_t)1 << 20; i++)
		buf_byte(&out, 'a');
	write_file(ONE, "long.jsonl", buf_cstr(&out));
	settle();
	troubles[0] = '\0';
	chunks_troubles(&c, note_trouble, NULL);
	assert_non_null(strstr(troubles, "line 2 is longer"));
	buf_fini(&out);
	buf_fini(&text);
}

static void
links_are_no_documents(void **state)
{
	static const char *const texts[] = { "somewhere else" };
	char from[256], to[256];

	(void)state;
	write_document(ONE, "a.jsonl", "a.txt", texts, 1);
	snprintf(from, sizeof(from), "%s/%s/a.jsonl", root, ONE);
	snprintf(to, sizeof(to), "%s/%s/b.jsonl", root, ONE);
	assert_int_equal(symlink(from, to), 0);
	snprintf(from, sizeof(from), "%s/%s", root, ONE);
	snprintf(to, sizeof(to), "%s/%s", root, TWO);
	assert_int_equal(symlink(from, to), 0);
	settle();
	assert_int_equal(c.total, 1);
}

/* --- as the plain definition finds them ---------------------------------------------------------- */

#define CORPUS		3000
#define VOCABULARY	400

static char *corpus[CORPUS];
static bool gone[CORPUS / 30];
static uint64_t seed = 7;

static unsigned
draw(unsigned n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(seed >> 33) % n;
}

/* Words as numbers have no stems; small ones are frequent. */
static void
draw_corpus(void)
{
	for (size_t i = 0; i < CORPUS; i++) {
		struct buf text = { 0 };
		unsigned n = 5 + draw(60);

		for (unsigned k = 0; k < n; k++) {
			unsigned least = draw(VOCABULARY) + 1;

			buf_printf(&text, "%u ", draw(least));
		}
		free(corpus[i]);
		corpus[i] = mem_text(buf_view(&text));
		buf_fini(&text);
	}
}

static unsigned
count_in(const char *text, unsigned word, unsigned *length)
{
	unsigned n = 0;
	char *end;

	*length = 0;
	for (const char *p = text; *p != '\0'; p = end + 1, ++*length)
		n += strtoul(p, &end, 10) == word;
	return n;
}

/* The score of chunk i, by the formula and nothing else. */
static double
plain_score(size_t i, const unsigned *words, size_t nwords, const double *idf)
{
	double score = 0;

	for (size_t k = 0; k < nwords; k++) {
		unsigned length, tf = count_in(corpus[i], words[k], &length);
		double weight = tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / 200.0));

		score += tf == 0 ? 0 : idf[k] * weight;
	}
	return score;
}

static int
by_value(const void *x, const void *y)
{
	double d = *(const double *)y - *(const double *)x;

	return (d > 0) - (d < 0);
}

/* The best scores of all living chunks, best first. */
static size_t
plain_best(const unsigned *words, size_t nwords, const double *idf, double *out)
{
	size_t n = 0;

	for (size_t i = 0; i < CORPUS; i++) {
		double s = gone[i / 30] ? 0 : plain_score(i, words, nwords, idf);

		if (s > 0)
			out[n++] = s;
	}
	qsort(out, n, sizeof(*out), by_value);
	return n;
}

static void
check_against_plain(size_t nwords)
{
	static double best[CORPUS];
	unsigned words[8];
	double idf[8];
	struct buf question = { 0 };
	size_t n, living = 0;

	for (size_t i = 0; i < CORPUS / 30; i++)
		living += gone[i] ? 0 : 30;
	assert_int_equal(c.total, living);
	for (size_t k = 0; k < nwords; k++) {
		size_t df = 0;
		bool again = true;

		while (again) {
			words[k] = draw(VOCABULARY);
			again = false;
			for (size_t i = 0; i < k; i++)
				again = again || words[i] == words[k];
		}
		for (size_t i = 0; i < CORPUS; i++) {
			unsigned length;

			df += !gone[i / 30] && count_in(corpus[i], words[k], &length) > 0;
		}
		idf[k] = log(1 + ((double)living - (double)df + 0.5) / ((double)df + 0.5));
		buf_printf(&question, "%u ", words[k]);
	}
	n = plain_best(words, nwords, idf, best);
	ask(buf_cstr(&question), 20);
	assert_int_equal(nfound, n < 20 ? n : 20);
	assert_int_equal(more, n > 20);
	for (size_t i = 0; i < nfound; i++) {
		/* Which chunk of which document: its plain score is the i-th best, but for what is lost in a byte. */
		struct chunk_text got = { .index = 0 };
		unsigned document = (unsigned)strtoul(found[i].document->source_file, NULL, 10);
		double score;

		assert_true(chunks_text(dir, &found[i], &got));
		score = plain_score((size_t)document * 30 + (size_t)got.index, words, nwords, idf);
		if (fabs(score - best[i]) > 0.02 * best[i] + 0.02)
			fail_msg("%zu. for \"%s\": %g, and not %g", i + 1, buf_cstr(&question), score, best[i]);
		buf_fini(&got.line);
		buf_fini(&got.value);
	}
	buf_fini(&question);
}

static void
write_drawn(unsigned document)
{
	char name[32], source[32];

	snprintf(name, sizeof(name), "%016x.jsonl", document);
	snprintf(source, sizeof(source), "%u", document);
	write_document(ONE, name, source, (const char *const *)corpus + (size_t)document * 30, 30);
}

static void
the_best_are_the_best(void **state)
{
	(void)state;
	draw_corpus();
	for (unsigned d = 0; d < CORPUS / 30; d++) {
		write_drawn(d);
		if (d % 7 == 0)
			settle();
	}
	settle();
	for (size_t i = 0; i < 150; i++)
		check_against_plain(1 + draw(6));
	for (size_t i = 0; i < CORPUS; i++)
		free(corpus[i]);
	memset(corpus, 0, sizeof(corpus));
}

/* Most documents go, one after the other: their chunks are not found at once, and at last not kept. */
static void
what_goes_is_not_kept(void **state)
{
	uint32_t kept = 0;

	(void)state;
	draw_corpus();
	for (unsigned d = 0; d < CORPUS / 30; d++)
		write_drawn(d);
	settle();
	for (unsigned d = 0; d < CORPUS / 30; d++) {
		char name[32];

		if (d % 10 == 3)
			continue;
		snprintf(name, sizeof(name), "%016x.jsonl", d);
		remove_file(ONE, name);
		chunks_check(&c, dir, true);
		ask("1 2 3", 20);
		for (size_t i = 0; i < nfound; i++)
			assert_int_not_equal(strtoul(found[i].document->source_file, NULL, 10), d);
	}
	settle();
	for (size_t i = 0; i < c.sets[0]->npieces; i++)
		kept += c.sets[0]->pieces[i].postings.nchunks;
	assert_int_equal(c.total, 300);
	assert_true(kept <= 300 + 300 / 2);
	for (size_t i = 0; i < CORPUS; i++)
		free(corpus[i]);
	memset(corpus, 0, sizeof(corpus));
}

/* A document that goes while its pieces are put together, and while it is read. */
static void
what_goes_meanwhile(void **state)
{
	(void)state;
	draw_corpus();
	for (unsigned d = 0; d < CORPUS / 30; d++) {
		char name[32];

		write_drawn(d);
		chunks_check(&c, dir, true);
		for (int i = 0; i < 3; i++)
			chunks_step(&c, dir, 0);
		if (d % 3 != 0)
			continue;
		snprintf(name, sizeof(name), "%016x.jsonl", d);
		remove_file(ONE, name);
		chunks_check(&c, dir, true);
		chunks_step(&c, dir, 0);
	}
	settle();
	assert_int_equal(c.total, 66 * 30);
	ask("1 2 3 5 8", 50);
	assert_int_equal(nfound, 50);
	for (size_t i = 0; i < nfound; i++)
		assert_int_not_equal(strtoul(found[i].document->source_file, NULL, 10) % 3, 0);
	for (size_t i = 0; i < CORPUS; i++)
		free(corpus[i]);
	memset(corpus, 0, sizeof(corpus));
}

/* --- vectors ------------------------------------------------------------------------------------- */

static void
read_vectors(const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/words.vec", root);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	vectors_fini(&c.vectors);
	vectors_init(&c.vectors, open(path, O_RDONLY | O_CLOEXEC));
	while (vectors_step(&c.vectors, 0))
		;
}

static const char *const few_words =
    "8 4\n"
    "the 0.1 0.1 0.1 0.1\n"
    "car 1 0 0 0.1\n"
    "automobile 0.9 0.1 0 0.1\n"
    "banana 0 1 0 0\n"
    "fruit 0.1 0.9 0 0\n"
    "winter 0 0 1 0\n"
    "snow 0 0.1 0.9 0\n"
    "Berlin 0 0 0 1\n";

static void
words_that_mean_the_same(void **state)
{
	static const char *const texts[] = {
		"An automobile needs a garage.", "A banana, yellow.", "Snow lies deep.", "Nothing of this is known."
	};

	(void)state;
	read_vectors(few_words);
	assert_null(c.vectors.trouble);
	assert_true(vectors_ready(&c.vectors));
	write_document(ONE, "a.jsonl", "a.txt", texts, 4);
	settle();
	assert_int_equal(c.sets[0]->nvectors, 3);
	ask("car", 5); /* stands in no text */
	check_text(0, texts[0], 1, 0);
	assert_true(found[0].score > 0.3f);
	ask("fruit", 5);
	check_text(0, texts[1], 2, 1);
	ask("automobile", 5); /* by both */
	check_text(0, texts[0], 1, 0);
	assert_float_equal((double)found[0].score, 1, 1e-6);
	ask("yellow", 5); /* a word without a vector is found as ever */
	check_text(0, texts[1], 2, 1);
	ask("known", 5);
	check_text(0, texts[3], 4, 3);
}

/* Pieces with and without vectors are put together. */
static void
vectors_come_along(void **state)
{
	static const char *const known[] = { "winter winter" }, *const unknown[] = { "gibberish" };
	char name[32];

	(void)state;
	read_vectors(few_words);
	for (unsigned i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "%u.jsonl", i);
		write_document(ONE, name, "x", i % 5 == 0 ? known : unknown, 1);
		settle();
	}
	assert_true(c.sets[0]->npieces < 12);
	assert_int_equal(c.sets[0]->nvectors, 8);
	ask("snow", 50);
	assert_int_equal(nfound, 8);
	for (size_t i = 0; i < nfound; i++)
		check_text(i, known[0], 1, 0);
	ask("gibberish", 50);
	assert_int_equal(nfound, 32);
}

static void
a_bad_file_of_vectors(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "", "has no word" },
		{ "3 2\n", "has no word" },
		{ "a 1 2\nb 1 x\n", "line 2 is no word" },
		{ "a 1 2\nb 1 2 3\n", "line 2 has more or fewer" },
		{ "a 1 2\nb nan 2\n", "line 2 is no word" },
		{ "a 1 2\nb 1e99 2\n", "line 2 is no word" },
	};
	struct buf long_line = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		read_vectors(bad[i].text);
		if (c.vectors.trouble == NULL || strstr(c.vectors.trouble, bad[i].says) == NULL)
			fail_msg("%zu: %s", i, c.vectors.trouble);
		troubles[0] = '\0';
		chunks_troubles(&c, note_trouble, NULL);
		assert_non_null(strstr(troubles, "embeddings.vectors: "));
	}
	buf_str(&long_line, "a");
	for (size_t i = 0; i < 2000; i++)
		buf_str(&long_line, " 0.25");
	buf_str(&long_line, "\n");
	read_vectors(buf_cstr(&long_line));
	assert_non_null(c.vectors.trouble);
	long_line.len = 0;
	for (size_t i = 0; i < 3000000; i++)
		buf_byte(&long_line, 'a');
	read_vectors(buf_cstr(&long_line));
	assert_non_null(c.vectors.trouble);
	buf_fini(&long_line);
}

/* --- vectors by an endpoint ---------------------------------------------------------------------- */

#define MODEL	"two-numbers"

/* The file of vectors of name, of two numbers each; texts: for which they were made. */
static void
write_vectors(const char *set, const char *name, const char *model, const char *const *texts, const int8_t (*v)[2],
    size_t n)
{
	const struct passages_head head = { span_str(model), 2, n };
	char path[64], all[256], beside[256];
	struct buf out = { 0 };
	FILE *f;

	passages_put_head(&out, &head);
	for (size_t i = 0; i < n; i++)
		passages_put_vector(&out,
		    &(struct passages_vector){ hash_of(span_str(texts[i])), texts[i][0] == '-' ? 0 : 1.0f / 127, v[i] },
		    2);
	snprintf(path, sizeof(path), "%s" PASSAGES_VECTORS, name);
	snprintf(beside, sizeof(beside), "%s/%s/.tmp-%s", root, set, path);
	snprintf(all, sizeof(all), "%s/%s/%s", root, set, path);
	f = fopen(beside, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(out.p, 1, out.len, f), out.len);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(rename(beside, all), 0);
	buf_fini(&out);
}

static const int8_t east[] = { 127, 0 }, north[] = { 0, 127 };

static void
ask_towards(const char *question, const int8_t *vector, size_t max)
{
	question_asked = (struct chunk_question){ .dimensions = 2, .scale = 1.0f / 127, .vector = vector };
	ask(question, max);
	question_asked = (struct chunk_question){ .dimensions = 0 };
}

static const char *
troubles_now(void)
{
	troubles[0] = '\0';
	chunks_troubles(&c, note_trouble, NULL);
	return troubles;
}

static void
vectors_of_a_model(void **state)
{
	static const char *const texts[] = { "An automobile needs a garage.", "A banana, yellow.", "Of nothing." };
	static const char *const others[] = { "An automobile needs a garage.", "Another text.", "Of nothing." };
	static const int8_t v[][2] = { { 127, 0 }, { 0, 127 }, { -127, 0 } };

	(void)state;
	c.model = mem_text(SPAN(MODEL));
	write_document(ONE, "a.jsonl", "a.txt", texts, 3);
	settle();
	assert_int_equal(c.sets[0]->nvectors, 0);
	assert_non_null(strstr(troubles_now(), "3 of its 3 passages have no vectors; `carrel dataset document " ONE));
	ask_towards("qqq", east, 5); /* no chunk has one: by words */
	assert_int_equal(nfound, 0);

	/* They come later. */
	write_vectors(ONE, "a.jsonl", MODEL, texts, v, 3);
	settle();
	assert_int_equal(c.sets[0]->nvectors, 3);
	assert_string_equal(troubles_now(), "");
	ask_towards("qqq", east, 5);
	assert_int_equal(nfound, 1); /* what points elsewhere is no answer */
	check_text(0, texts[0], 1, 0);
	ask_towards("yellow", east, 5);
	assert_int_equal(nfound, 2);
	ask_towards("yellow", north, 5); /* by both */
	check_text(0, texts[1], 2, 1);
	assert_float_equal((double)found[0].score, 1, 1e-6);
	ask("yellow", 5); /* the endpoint did not answer */
	assert_int_equal(nfound, 1);
	assert_float_equal((double)found[0].score, 1, 1e-6);

	/* Of an older document: only what was made of the same text is used. */
	write_vectors(ONE, "a.jsonl", MODEL, others, v, 3);
	settle();
	assert_int_equal(c.sets[0]->nvectors, 2);
	assert_non_null(strstr(troubles_now(), "1 of its 3 passages have no vectors"));
	ask_towards("xyzzy", north, 5);
	assert_int_equal(nfound, 0);

	/* One that ends too early. */
	write_vectors(ONE, "a.jsonl", MODEL, texts, v, 1);
	settle();
	assert_int_equal(c.sets[0]->nvectors, 1);
	write_vectors(ONE, "a.jsonl", "another", texts, v, 3);
	settle();
	assert_int_equal(c.sets[0]->nvectors, 0);
	assert_non_null(strstr(troubles_now(), "of the model \"another\", not of embeddings.name \"" MODEL "\""));
	remove_file(ONE, "a.jsonl" PASSAGES_VECTORS);
	settle();
	assert_null(strstr(troubles_now(), "another"));
}

/* Where vectors would be more than may be, further chunks are found by words, and it is said. */
static void
vectors_are_bounded(void **state)
{
	static const char *const texts[] = { "An automobile needs a garage.", "A banana, yellow.", "Of nothing." };
	static const int8_t v[][2] = { { 127, 0 }, { 0, 127 }, { -127, 0 } };

	(void)state;
	c.model = mem_text(SPAN(MODEL));
	c.vectors_max = 5;
	write_document(ONE, "a.jsonl", "a.txt", texts, 3);
	write_vectors(ONE, "a.jsonl", MODEL, texts, v, 3);
	settle();
	assert_int_equal(c.sets[0]->nvectors, 2);
	assert_non_null(strstr(troubles_now(),
	    "1 of its 3 passages have no vectors: a quarter of limits.search_memory_mb"));
	ask_towards("nothing", east, 5);
	assert_int_equal(nfound, 2);
	/* In one piece with others, and behind what has none. */
	for (unsigned i = 0; i < 200; i++) {
		char name[32];

		snprintf(name, sizeof(name), "%u.jsonl", i);
		write_document(ONE, name, name, texts, 3);
		write_vectors(ONE, name, MODEL, texts, v, 3);
	}
	c.vectors_max = 300;
	settle();
	assert_int_equal(c.sets[0]->nvectors, 149); /* 150 but the one that was refused */
	ask_towards("xyzzy", north, 50);
	for (size_t i = 0; i < nfound; i++)
		check_text(i, texts[1], 2, 1);
	assert_true(nfound >= 49);
	remove_file(ONE, "a.jsonl");
	settle();
	c.vectors_max = 0;
}

/* Chunks that were read before any vector was seen stand beside others in one set. */
static void
dimensions_come_late(void **state)
{
	static const char *const one[] = { "winter winter" }, *const other[] = { "gibberish" };
	static const int8_t v[][2] = { { 127, 0 } };
	char name[32];

	(void)state;
	c.model = mem_text(SPAN(MODEL));
	for (unsigned i = 0; i < 60; i++) {
		snprintf(name, sizeof(name), "%u.jsonl", i);
		if (i % 7 == 5)
			write_vectors(ONE, name, MODEL, one, v, 1);
		write_document(ONE, name, "x", i % 7 == 5 ? one : other, 1);
		if (i % 11 == 0)
			settle();
	}
	settle();
	assert_int_equal(c.sets[0]->nvectors, 8);
	ask_towards("snow", east, 50);
	assert_int_equal(nfound, 8);
	for (size_t i = 0; i < nfound; i++)
		check_text(i, one[0], 1, 0);
}

static void
a_bad_file_of_a_models_vectors(void **state)
{
	static const char *const bad[] = { "", "\n", "{}\n", "{\"carrel_vectors\":1}\n",
		"{\"carrel_vectors\":2,\"model\":\"" MODEL "\",\"dimensions\":2}\n",
		"{\"carrel_vectors\":1,\"model\":\"" MODEL "\",\"dimensions\":0}\n",
		"{\"carrel_vectors\":1,\"model\":\"" MODEL "\",\"dimensions\":4097}\n",
		"{\"carrel_vectors\":1,\"model\":\"" MODEL "\",\"dimensions\":2}" };
	static const char *const texts[] = { "An automobile needs a garage." };

	(void)state;
	c.model = mem_text(SPAN(MODEL));
	write_document(ONE, "a.jsonl", "a.txt", texts, 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		write_file(ONE, "a.jsonl" PASSAGES_VECTORS, bad[i]);
		settle();
		assert_int_equal(c.sets[0]->nvectors, 0);
		if (strstr(troubles_now(), "its vectors file is invalid") == NULL)
			fail_msg("%s: %s", bad[i], troubles);
		ask("garage", 5);
		assert_int_equal(nfound, 1);
	}
}

int
main(void)
{
#define T(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_passage_is_found_by_what_it_says),
		T(nothing_is_there),
		T(files_are_followed),
		T(a_bad_file_says_where),
		T(a_line_is_bounded),
		T(links_are_no_documents),
		T(the_best_are_the_best),
		T(what_goes_is_not_kept),
		T(what_goes_meanwhile),
		T(words_that_mean_the_same),
		T(vectors_come_along),
		T(a_bad_file_of_vectors),
		T(vectors_of_a_model),
		T(vectors_are_bounded),
		T(dimensions_come_late),
		T(a_bad_file_of_a_models_vectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
