/*
 * passages.c - questions with the passage that answers each: how many carrel_search finds, by words alone and with
 * word vectors.
 *
 *	passages-ask PASSAGES QUESTIONS [VECTORS [LEAST]]
 *
 * Both files have a name and a text a line, with a tab between; a question's name is that of its passage.  With LEAST,
 * in per cent, it fails when words alone find fewer among the first five.  VECTORS may be "-": none.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/json/json_write.h"
#include "workers/search/passages/find.h"

#define ID	"00000000-0000-4000-8000-000000000001"
#define FIRST	5	/* as many as are given when nothing is asked for */
#define FAR	20

struct measured {
	unsigned	n, first, five, twenty;
	double		reciprocal;
};

static void
write_passages(const char *root, FILE *from)
{
	char path[256], *line = NULL;
	struct buf out = { 0 };
	size_t cap = 0;
	ssize_t len;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, ID);
	(void)mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/0000000000000001.jsonl", root, ID);
	if ((f = fopen(path, "w")) == NULL)
		exit(2);
	fputs("{\"carrel_document\":1,\"source_file\":\"passages\"}\n", f);
	while ((len = getline(&line, &cap, from)) > 0) {
		char *text = strchr(line, '\t');

		if (text == NULL)
			continue;
		*text++ = '\0';
		text[strcspn(text, "\n")] = '\0';
		out.len = 0;
		/* The name goes where it is not searched. */
		buf_str(&out, "{\"name\":");
		json_write_string(&out, span_str(line));
		buf_str(&out, ",\"text\":");
		json_write_string(&out, span_str(text));
		buf_str(&out, "}\n");
		fwrite(out.p, 1, out.len, f);
	}
	fclose(f);
	free(line);
	buf_fini(&out);
}

static bool
is_named(int dir, const struct chunk_found *found, const char *name)
{
	struct chunk_text text = { .index = 0 };
	struct mp_value map;
	bool is = chunks_text(dir, found, &text) && mp_value(buf_view(&text.value), &map) &&
	    span_is_str(mp_get_str(&map, "name", SPAN("")), name);

	buf_fini(&text.line);
	buf_fini(&text.value);
	return is;
}

/* The passage's place among what is found, from 1; 0: it is not there. */
static size_t
place_of(struct chunks *c, int dir, struct arena *a, const char *name, const char *question)
{
	const struct chunk_set *sets[1] = { c->sets[0] };
	const struct chunk_question asked = { .text = span_str(question) };
	struct chunk_found found[FAR];
	struct err err;
	size_t n;
	bool more;

	arena_reset(a);
	if (chunks_find(c, a, sets, 1, &asked, FAR, found, &n, &more, &err) != 0)
		exit(2);
	for (size_t i = 0; i < n; i++)
		if (is_named(dir, &found[i], name))
			return i + 1;
	return 0;
}

static struct measured
measure(int dir, const char *vectors, FILE *questions)
{
	struct arena *a = arena_new((size_t)8 << 20);
	struct measured m = { .n = 0 };
	struct chunks c;
	char *line = NULL;
	size_t cap = 0;

	chunks_init(&c);
	if (vectors != NULL)
		vectors_init(&c.vectors, open(vectors, O_RDONLY | O_CLOEXEC));
	chunks_check(&c, dir, false);
	do
		chunks_step(&c, dir, clock_ns() + CLOCK_SECOND);
	while (chunks_is_busy(&c));
	if (c.n != 1 || (vectors != NULL && c.sets[0]->nvectors == 0)) {
		fputs("nothing was read\n", stderr);
		exit(2);
	}
	rewind(questions);
	while (getline(&line, &cap, questions) > 0) {
		char *text = strchr(line, '\t');
		size_t place;

		if (text == NULL)
			continue;
		*text++ = '\0';
		text[strcspn(text, "\n")] = '\0';
		place = place_of(&c, dir, a, line, text);
		if (getenv("PASSAGES_VERBOSE") != NULL && (place == 0 || place > FIRST))
			printf("  %zu\t%s\t%s\n", place, line, text);
		m.n++;
		m.first += place == 1;
		m.five += place > 0 && place <= FIRST;
		m.twenty += place > 0;
		m.reciprocal += place > 0 ? 1.0 / (double)place : 0;
	}
	free(line);
	chunks_fini(&c);
	arena_free(a);
	return m;
}

static void
print_measured(const char *what, const struct measured *m)
{
	printf("%-22s %u questions: first %.3f  of five %.3f  of twenty %.3f  MRR %.3f\n", what, m->n,
	    (double)m->first / m->n, (double)m->five / m->n, (double)m->twenty / m->n, m->reciprocal / m->n);
}

int
main(int argc, char **argv)
{
	char root[] = "/tmp/carrel-passages-XXXXXX", command[64];
	const char *vectors = argc > 3 && strcmp(argv[3], "-") != 0 ? argv[3] : NULL;
	FILE *passages = argc > 2 ? fopen(argv[1], "r") : NULL, *questions = argc > 2 ? fopen(argv[2], "r") : NULL;
	struct measured words, both;
	int dir, result = 0;

	if (passages == NULL || questions == NULL || mkdtemp(root) == NULL ||
	    (dir = open(root, O_RDONLY | O_DIRECTORY)) == -1) {
		fputs("usage: passages-ask PASSAGES QUESTIONS [VECTORS [LEAST]]\n", stderr);
		return 2;
	}
	write_passages(root, passages);
	words = measure(dir, NULL, questions);
	print_measured("by words", &words);
	if (vectors != NULL) {
		both = measure(dir, vectors, questions);
		print_measured("by words and vectors", &both);
	}
	if (argc > 4 && words.five * 100 < words.n * strtoul(argv[4], NULL, 10))
		result = 1;
	close(dir);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command) != 0 || result != 0;
}
