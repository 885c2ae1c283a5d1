#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/utf8.h"
#include "base/vector8.h"
#include "base/array.h"
#include "words/vectors.h"
#include "words/text.h"

#define READ_AT_ONCE	((size_t)128 << 10)
#define LINE_MAX_BYTES	((size_t)64 << 10)
#define SELDOM		1e-3	/* the frequency at which a word's weight is one half */
#define LEAST_LENGTH	1e-6f
#define LARGEST		1e6f	/* number of a vector: sums and products of them stay finite */

void
vectors_init(struct vectors *v, int fd)
{
	*v = (struct vectors){ .fd = fd };
}

static void
close_file(struct vectors *v)
{
	if (v->fd != -1)
		close(v->fd);
	v->fd = -1;
	buf_fini(&v->text);
}

void
vectors_fini(struct vectors *v)
{
	close_file(v);
	names_fini(&v->words);
	free(v->values);
	free(v->scales);
	free(v->mean);
	free(v->sum);
	free(v->trouble);
	*v = (struct vectors){ .fd = -1 };
}

size_t
vectors_bytes(const struct vectors *v)
{
	return v->cap * (v->dimensions + sizeof(*v->scales)) + names_bytes(&v->words);
}

/* Also of a file that breaks off: without it all words would be alike. */
static void
set_mean(struct vectors *v)
{
	for (unsigned i = 0; i < v->dimensions && v->words.n > 0; i++)
		v->mean[i] = (float)(v->sum[i] / (double)v->words.n);
}

static void
stop_reading(struct vectors *v, const char *why)
{
	set_mean(v);
	v->trouble = mem_printf("line %llu %s", (unsigned long long)v->line, why);
	close_file(v);
}

/* Read the numbers after a word, at most max; SIZE_MAX: something else is there. */
static size_t
read_numbers(const char *at, float *out, size_t max)
{
	size_t n = 0;

	for (;;) {
		char *end;
		float number;

		while (*at == ' ' || *at == '\t' || *at == '\r')
			at++;
		if (*at == '\0')
			return n;
		number = strtof(at, &end);
		if (end == at || n == max || !(fabsf(number) <= LARGEST))
			return SIZE_MAX;
		out[n++] = number;
		at = end;
	}
}

/* The first vector determines the dimensions. */
static void
set_dimensions(struct vectors *v, unsigned n)
{
	v->dimensions = n;
	v->sum = mem_new(n, sizeof(*v->sum));
	v->mean = mem_new(n, sizeof(*v->mean));
}

static void
keep_word(struct vectors *v, struct span word, const float *numbers)
{
	struct buf folded = { 0 };
	uint32_t known = (uint32_t)v->words.n, at;
	bool zero = true;

	for (unsigned i = 0; i < v->dimensions; i++)
		zero = zero && fpclassify(numbers[i]) == FP_ZERO;
	/* What says nothing, or is longer than the words of texts. */
	if (zero || word.len > TEXT_WORD_MAX)
		return;
	text_fold(word, &folded);
	at = names_add(&v->words, buf_view(&folded));
	buf_fini(&folded);
	if (at < known) /* a duplicate: the first one is the more frequent spelling */
		return;
	if (at >= v->cap) {
		v->cap = v->cap == 0 ? 4096 : v->cap * 2;
		v->values = array_resize(v->values, v->cap, v->dimensions);
		v->scales = array_resize(v->scales, v->cap, sizeof(*v->scales));
	}
	v->scales[at] = vector8_pack(numbers, v->dimensions, v->values + (size_t)at * v->dimensions);
	for (unsigned i = 0; i < v->dimensions; i++)
		v->sum[i] += (double)numbers[i];
}

/* Read a line, NUL-terminated. */
static void
take_line(struct vectors *v, char *line, size_t len)
{
	float numbers[VECTORS_DIMENSIONS_MAX];
	char *blank = memchr(line, ' ', len);
	size_t n;

	v->line++;
	if (blank == NULL)
		blank = memchr(line, '\t', len);
	if (blank == NULL || blank == line || memchr(line, '\0', len) != NULL ||
	    !utf8_valid((const uint8_t *)line, (size_t)(blank - line)))
		return;
	n = read_numbers(blank, numbers, VECTORS_DIMENSIONS_MAX);
	if (v->line == 1 && n == 1) /* the optional head: number of words, dimensions */
		return;
	if (n == SIZE_MAX || n < 2) {
		stop_reading(v, "is no word with its numbers");
		return;
	}
	if (v->dimensions == 0)
		set_dimensions(v, (unsigned)n);
	if (n != v->dimensions)
		stop_reading(v, "has more or fewer numbers than the ones before it");
	else
		keep_word(v, span_of(line, (size_t)(blank - line)), numbers);
}

static void
finish(struct vectors *v)
{
	set_mean(v);
	if (v->dimensions == 0)
		v->trouble = mem_printf("%s", "has no word with its numbers");
	close_file(v);
}

/* Read the complete lines; the rest stays. */
static void
take_lines(struct vectors *v, bool last)
{
	size_t at = 0;

	while (v->fd != -1 && at < v->text.len) {
		char *line = (char *)v->text.p + at;
		char *end = memchr(line, '\n', v->text.len - at);

		if (end == NULL && !last)
			break;
		if (end == NULL)
			end = line + (v->text.len - at);
		*end = '\0'; /* the buffer has room for it */
		at += (size_t)(end - line) + 1;
		take_line(v, line, (size_t)(end - line));
		if (v->words.n == VECTORS_WORDS_MAX) /* the rest are the rarest */
			finish(v);
	}
	if (v->fd != -1)
		buf_consume(&v->text, at < v->text.len ? at : v->text.len);
}

bool
vectors_step(struct vectors *v, uint64_t until_ns)
{
	while (v->fd != -1) {
		uint8_t *to = buf_reserve(&v->text, READ_AT_ONCE + 1);
		ssize_t n = read(v->fd, to, READ_AT_ONCE);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			stop_reading(v, "cannot be read");
			break;
		}
		v->text.len += (size_t)n;
		take_lines(v, n == 0);
		if (v->fd == -1)
			break;
		if (n == 0)
			finish(v);
		else if (v->text.len > LINE_MAX_BYTES)
			stop_reading(v, "is longer than a vector can be");
		if (clock_ns() >= until_ns)
			break;
	}
	return v->fd != -1;
}

/* A word's weight from its frequency, which Zipf's law estimates from its rank. */
static float
weight_of(const struct vectors *v, uint32_t word)
{
	double all = log((double)v->words.n + 1) + 0.58, often = 1 / (((double)word + 1) * all);

	return (float)(SELDOM / (SELDOM + often));
}

bool
vectors_of_text(const struct vectors *v, struct span text, float *out)
{
	struct text_reader r;
	struct text_word word;
	float length = 0, total = 0;

	memset(out, 0, v->dimensions * sizeof(*out));
	text_begin(&r, text);
	while (text_next(&r, &word)) {
		uint32_t at = names_find(&v->words, word.folded);
		const int8_t *values;
		float weight;

		if (at == NAMES_NONE)
			continue;
		values = v->values + (size_t)at * v->dimensions;
		weight = weight_of(v, at);
		total += weight;
		for (unsigned i = 0; i < v->dimensions; i++)
			out[i] += weight * (v->scales[at] * (float)values[i] - v->mean[i]);
	}
	for (unsigned i = 0; i < v->dimensions; i++)
		length += out[i] * out[i];
	length = sqrtf(length);
	if (total <= 0 || length < LEAST_LENGTH)
		return false;
	for (unsigned i = 0; i < v->dimensions; i++)
		out[i] /= length;
	return true;
}
