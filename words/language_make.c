/*
 * language_make.c - run while Carrel is built: writes the tables of
 * language_tables.h from zxcvbn's frequency lists, WordNet's files and
 * OpenThesaurus.
 *
 *	language-make FILE [FREQUENCY_LISTS WORDNET_DIRECTORY [THESAURUS]]
 *
 * Taken are single words of three letters and more that people use: those that
 * some list has, or that WordNet's own texts have.  Of a word's first senses
 * each counts by how often it is meant, by WordNet's counts.  Of German words
 * those that mean the same as one of the lexicon's are taken, which says what
 * they are in English; how often a sense is meant, OpenThesaurus does not say.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/array.h"
#include "words/language.h"
#include "words/language_tables.h"
#include "words/names.h"

#define SENSES		3	/* senses of a word in one part of speech that are read */
#define FIRST_SENSE	3	/* weight of a first sense over its count in WordNet's texts */
#define LETTERS_LEAST	3
#define LETTERS_MOST	20
#define SAME		80	/* percent of likeness: words of one synset, */
#define MADE		85	/* words made from another, */
#define KIND		45	/* and what it is a kind of; */
#define PLAIN		100	/* what it is a form of */
#define KINDS_TAKEN	2	/* words of the synset above, which says what a word is a kind of */
#define PERCENT_LEAST	12

struct link {
	uint32_t	word;
	unsigned	percent;
	enum language_link link;
};

struct word {
	uint32_t	rank;		/* 0: not among the common ones */
	bool		used;		/* people use it: a frequency list or WordNet's texts have it */
	bool		german;		/* and no English word */
	size_t		n, cap;
	struct link	*links;
};

/* A line of a data file: words, and pointers to others. */
struct synset {
	size_t		nwords;
	uint32_t	words[64];
	size_t		npointers;
	struct pointer {
		char		symbol, part;
		unsigned long	offset;
		unsigned	from, to;	/* words of either, from 1; 0: all */
	}		pointers[512];
};

static struct names names;
static struct word *words;
static size_t words_cap;
static struct {
	char	*text;
	size_t	 len;
	char	 letter;
} data[4] = { { .letter = 'n' }, { .letter = 'v' }, { .letter = 'a' }, { .letter = 'r' } };

static const char *const parts[4] = { "noun", "verb", "adj", "adv" };

static _Noreturn void
language_make_die(const char *what, const char *which)
{
	fprintf(stderr, "language-make: %s: %s\n", what, which);
	exit(1);
}

static char *
read_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "re");
	struct buf b = { 0 };
	char piece[1 << 16], *text;
	size_t n;

	if (f == NULL)
		language_make_die("cannot be read", path);
	while ((n = fread(piece, 1, sizeof(piece), f)) > 0)
		buf_append(&b, piece, n);
	fclose(f);
	*len = b.len;
	text = mem_text(buf_view(&b));
	buf_fini(&b);
	return text;
}

static char *
read_wordnet(const char *dir, const char *name, const char *part, size_t *len)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s%s", dir, name, part);
	return read_file(path, len);
}

static bool
is_taken(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] < 'a' || s.p[i] > 'z')
			return false;
	return s.len > 0 && s.len <= LETTERS_MOST;
}

static struct word *
word_of(struct span text)
{
	uint32_t i = names_add(&names, text);

	if (i >= words_cap) {
		size_t want = (size_t)i + i / 2 + 4096;

		words = array_extend(words, words_cap, want, sizeof(*words));
		words_cap = want;
	}
	return &words[i];
}

/* One line of the lists: "name": "word,word,…".  Names of people and passwords say that a word is used, not how much. */
static void
read_list(char *line)
{
	bool counts =
	    strncmp(line, "    \"english_wikipedia\"", 23) == 0 || strncmp(line, "    \"us_tv_and_film\"", 20) == 0;
	char *at = strchr(line, ':'), *one;
	uint32_t rank = 0;

	if (at == NULL || (at = strchr(at, '"')) == NULL)
		return;
	at[1 + strcspn(at + 1, "\"")] = '\0';
	for (at++; (one = strsep(&at, ",")) != NULL;) {
		struct word *w;

		rank++;
		if (!is_taken(span_str(one)))
			continue;
		w = word_of(span_str(one));
		w->used = true;
		if (counts && rank <= LANGUAGE_COMMON && (w->rank == 0 || w->rank > rank))
			w->rank = rank;
	}
}

static void
read_frequencies(const char *path)
{
	size_t len;
	char *text = read_file(path, &len), *rest = text, *line;

	while ((line = strsep(&rest, "\n")) != NULL)
		read_list(line);
	free(text);
}

/* How often a lemma's sense is meant: cntlist.rev by "lemma%part number". */
static struct names senses;
static unsigned *sense_counts;
static size_t senses_cap;

static void
read_counts(const char *dir)
{
	size_t len;
	char *text = read_wordnet(dir, "cntlist.rev", "", &len), *rest = text, *line;

	while ((line = strsep(&rest, "\n")) != NULL) {
		char lemma[128], key[160];
		unsigned part, number, count;
		uint32_t i;

		if (sscanf(line, "%127[^%%]%%%u:%*s %u %u", lemma, &part, &number, &count) != 4 || part == 0)
			continue;
		snprintf(key, sizeof(key), "%s%%%c%u", lemma, "nvara"[part - 1], number);
		i = names_add(&senses, span_str(key));
		if (i >= senses_cap) {
			size_t want = (size_t)i + i / 2 + 4096;

			sense_counts = array_extend(sense_counts, senses_cap, want, sizeof(*sense_counts));
			senses_cap = want;
		}
		sense_counts[i] = count;
		if (is_taken(span_str(lemma)))
			word_of(span_str(lemma))->used = true;
	}
	free(text);
}

static unsigned
count_of(const char *lemma, char part, unsigned number)
{
	char key[160];
	uint32_t i;

	snprintf(key, sizeof(key), "%s%%%c%u", lemma, part, number);
	i = names_find(&senses, span_str(key));
	return (i == NAMES_NONE ? 0 : sense_counts[i]) + (number == 1 ? FIRST_SENSE : 0);
}

static uint32_t
lemma_word(char *text)
{
	text[strcspn(text, "(")] = '\0';
	for (char *p = text; *p != '\0'; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)(*p - 'A' + 'a');
	return is_taken(span_str(text)) ? (uint32_t)(word_of(span_str(text)) - words) : NAMES_NONE;
}

/* offset lex_filenum ss_type w_cnt word lex_id… p_cnt [symbol offset pos source/target]… */
static bool
read_synset(char part, unsigned long offset, struct synset *s)
{
	size_t d = 0, n;
	char line[16384], *rest = line, *field;

	while (d < 4 && data[d].letter != part)
		d++;
	if (d == 4 || offset >= data[d].len)
		return false;
	n = strcspn(data[d].text + offset, "|\n");
	if (n >= sizeof(line))
		return false;
	memcpy(line, data[d].text + offset, n);
	line[n] = '\0';
	for (int i = 0; i < 3; i++)
		(void)strsep(&rest, " ");
	field = strsep(&rest, " ");
	n = field == NULL ? 0 : strtoul(field, NULL, 16);
	for (s->nwords = 0; s->nwords < n && s->nwords < 64 && (field = strsep(&rest, " ")) != NULL; s->nwords++) {
		s->words[s->nwords] = lemma_word(field);
		(void)strsep(&rest, " ");
	}
	field = strsep(&rest, " ");
	n = field == NULL ? 0 : strtoul(field, NULL, 10);
	for (s->npointers = 0; s->npointers < n && s->npointers < 512; s->npointers++) {
		char *symbol = strsep(&rest, " "), *at = strsep(&rest, " "), *of = strsep(&rest, " "),
		     *which = strsep(&rest, " ");
		unsigned long both;

		if (which == NULL)
			return false;
		both = strtoul(which, NULL, 16);
		s->pointers[s->npointers] = (struct pointer){
			symbol[0], of[0] == 's' ? 'a' : of[0], strtoul(at, NULL, 10), (unsigned)(both >> 8),
			(unsigned)(both & 0xff)
		};
	}
	return true;
}

static void
add_link(uint32_t from, uint32_t to, unsigned percent, enum language_link link)
{
	struct word *w = &words[from];

	if (to == NAMES_NONE || to == from || percent < PERCENT_LEAST || !words[to].used ||
	    names_text(&names, to).len < LETTERS_LEAST)
		return;
	for (size_t i = 0; i < w->n; i++)
		if (w->links[i].word == to) {
			if (w->links[i].percent < percent)
				w->links[i] = (struct link){ to, percent, link };
			return;
		}
	w->links = array_grow(w->links, w->n, &w->cap, sizeof(*w->links));
	w->links[w->n++] = (struct link){ to, percent, link };
}

/* share: of a thousand, how often the word is meant so. */
static void
add_sense(uint32_t word, char part, unsigned long offset, double share)
{
	static struct synset s, other;

	if (!read_synset(part, offset, &s))
		return;
	for (size_t i = 0; i < s.nwords; i++)
		add_link(word, s.words[i], (unsigned)(SAME * share), LANGUAGE_SAME);
	for (size_t i = 0; i < s.npointers; i++) {
		const struct pointer *p = &s.pointers[i];

		if (p->symbol == '@' && read_synset(p->part, p->offset, &other))
			for (size_t k = 0; k < other.nwords && k < KINDS_TAKEN; k++)
				add_link(word, other.words[k], (unsigned)(KIND * share), LANGUAGE_KIND);
		if (p->symbol == '+' && p->from > 0 && p->from <= s.nwords && s.words[p->from - 1] == word &&
		    read_synset(p->part, p->offset, &other) && p->to > 0 && p->to <= other.nwords)
			add_link(word, other.words[p->to - 1], (unsigned)(MADE * share), LANGUAGE_MADE);
	}
}

static double
square_root(double x)
{
	double r = x > 1 ? x : 1;

	for (int i = 0; i < 40; i++)
		r = (r + x / r) / 2;
	return r;
}

/* All of a lemma's senses in one part of speech: lemma pos n p_cnt symbol… n tagsense offset…; total over all parts. */
static void
add_senses(char *line, double total)
{
	char *rest = line, *lemma = strsep(&rest, " "), *part = strsep(&rest, " "), *count = strsep(&rest, " ");
	unsigned n, skip;
	uint32_t word;

	if (rest == NULL || *lemma == '\0' || !is_taken(span_str(lemma)))
		return;
	word = (uint32_t)(word_of(span_str(lemma)) - words);
	n = (unsigned)strtoul(count, NULL, 10);
	skip = (unsigned)strtoul(strsep(&rest, " "), NULL, 10) + 2;
	while (skip-- > 0)
		(void)strsep(&rest, " ");
	for (unsigned i = 1; i <= n && i <= SENSES && rest != NULL; i++)
		add_sense(word, part[0], strtoul(strsep(&rest, " "), NULL, 10),
		    square_root(total > 0 ? count_of(lemma, part[0], i) / total : 0));
}

/* What all senses of a lemma count together, over the parts of speech. */
static struct names lemmas;
static double *totals;
static size_t totals_cap;

static void
each_line(const char *dir, bool adding)
{
	for (size_t p = 0; p < 3; p++) { /* adverbs name nothing */
		size_t len;
		char *text = read_wordnet(dir, "index.", parts[p], &len), *rest = text, *line;

		while ((line = strsep(&rest, "\n")) != NULL) {
			size_t n = strcspn(line, " ");
			uint32_t i;

			if (n == 0 || !is_taken(span_of(line, n)))
				continue;
			i = names_add(&lemmas, span_of(line, n));
			if (i >= totals_cap) {
				size_t want = (size_t)i + i / 2 + 4096;

				totals = array_extend(totals, totals_cap, want, sizeof(*totals));
				totals_cap = want;
			}
			if (adding) {
				add_senses(line, totals[i]);
				continue;
			}
			line[n] = '\0';
			for (unsigned k = 1, of = (unsigned)strtoul(line + n + 3, NULL, 10); k <= of; k++)
				totals[i] += count_of(line, data[p].letter, k);
		}
		free(text);
	}
}

/* The file of irregular forms: form plain.  What is meant otherwise as well (found, saw) is left out. */
static void
read_irregular(const char *dir, const char *name)
{
	size_t len;
	char *text = read_wordnet(dir, name, ".exc", &len), *rest = text, *line;

	while ((line = strsep(&rest, "\n")) != NULL) {
		char *form = strsep(&line, " "), *plain = strsep(&line, " ");
		uint32_t of;

		if (plain == NULL || !is_taken(span_str(form)) || !is_taken(span_str(plain)) ||
		    count_of(form, 'n', 1) + count_of(form, 'v', 1) > 2 * FIRST_SENSE)
			continue;
		of = (uint32_t)(word_of(span_str(plain)) - words);
		word_of(span_str(form))->used = true;
		words[of].used = true;
		add_link((uint32_t)(word_of(span_str(form)) - words), of, PLAIN, LANGUAGE_PLAIN);
	}
	free(text);
}

static const char *const lexicon_german[] = {
#define ROW(head, brief, other, german) german,
#include "words/lexicon_words.def"
#include "words/lexicon_trades.def"
#include "words/lexicon_talk.def"
#include "words/lexicon_daily.def"
#undef ROW
};

/* Single German words of the lexicon. */
static struct names known;

static void
read_known(void)
{
	for (size_t i = 0; i < sizeof(lexicon_german) / sizeof(lexicon_german[0]); i++)
		for (const char *at = lexicon_german[i]; *at != '\0';) {
			size_t n = strcspn(at, " ");

			if (n > 0 && memchr(at, '_', n) == NULL)
				(void)names_add(&known, span_of(at, n));
			at += n + (at[n] == ' ');
		}
}

/* A single word of German letters, folded as names are, into out; false if it is no such word. */
static bool
fold_german(const char *text, size_t len, struct buf *out)
{
	out->len = 0;
	for (size_t i = 0; i < len; i++) {
		uint8_t c = (uint8_t)text[i], next = i + 1 < len ? (uint8_t)text[i + 1] : 0;

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
			buf_byte(out, (uint8_t)(c | 0x20));
		} else if (c == 0xc3 && next == 0x9f) {
			buf_str(out, "ss");
			i++;
		} else if (c == 0xc3 && next != 0 && strchr("\xa4\xb6\xbc\x84\x96\x9c", next) != NULL) {
			/* ä, ö or ü, small or capital. */
			buf_byte(out, c);
			buf_byte(out, next | 0x20);
			i++;
		} else
			return false;
	}
	return out->len >= LETTERS_LEAST && out->len <= LETTERS_MOST;
}

/* One meaning of the word: "-|one|another (ugs.)|what it is a kind of (Oberbegriff)|…". */
static void
read_meaning(struct span word, char *line, double share, struct buf *other)
{
	for (char *one; (one = strsep(&line, "|")) != NULL;) {
		size_t n = strcspn(one, "(");
		bool above = strstr(one + n, "Oberbegriff") != NULL;
		uint32_t from, to;

		while (n > 0 && one[n - 1] == ' ')
			n--;
		if (!fold_german(one, n, other) || span_is(buf_view(other), word) ||
		    strstr(one, "Unterbegriff") != NULL || names_find(&known, buf_view(other)) == NAMES_NONE)
			continue;
		from = (uint32_t)(word_of(word) - words);
		to = (uint32_t)(word_of(buf_view(other)) - words);
		words[from].german = words[from].german || !words[from].used;
		words[to].german = words[to].german || !words[to].used;
		words[from].used = words[to].used = true;
		add_link(from, to, (unsigned)((above ? KIND : SAME) * share), above ? LANGUAGE_KIND : LANGUAGE_SAME);
	}
}

/* "word|number of meanings", then a line for each.  A word that is English as well, or the lexicon's, is left out. */
static void
read_thesaurus(const char *path)
{
	size_t len;
	char *text = read_file(path, &len), *rest = text, *line;
	struct buf word = { 0 }, other = { 0 };

	read_known();
	while ((line = strsep(&rest, "\n")) != NULL) {
		size_t n = strcspn(line, "|");
		unsigned long meanings = line[n] == '|' ? strtoul(line + n + 1, NULL, 10) : 0;
		bool taken = fold_german(line, n, &word) && names_find(&known, buf_view(&word)) == NAMES_NONE &&
		    (names_find(&names, buf_view(&word)) == NAMES_NONE || !word_of(buf_view(&word))->used);

		for (unsigned long i = 0; i < meanings && (line = strsep(&rest, "\n")) != NULL; i++)
			if (taken)
				read_meaning(buf_view(&word), line, 1 / square_root((double)meanings), &other);
	}
	buf_fini(&word);
	buf_fini(&other);
	free(text);
}

static int
by_text(const void *a, const void *b)
{
	return span_cmp(names_text(&names, *(const uint32_t *)a), names_text(&names, *(const uint32_t *)b));
}

static int
by_percent(const void *a, const void *b)
{
	const struct link *x = a, *y = b;

	return x->percent != y->percent ? (x->percent < y->percent) - (x->percent > y->percent) :
					  span_cmp(names_text(&names, x->word), names_text(&names, y->word));
}

/* Words that anything is said of, or that something is related to. */
static uint32_t *
language_make_choose(size_t *n)
{
	uint32_t *order = array_new(names.n, sizeof(*order));
	bool *needed = array_new(names.n, sizeof(*needed));

	for (uint32_t i = 0; i < names.n; i++) {
		if (!words[i].used)
			words[i].n = 0;
		if (words[i].n > 0)
			qsort(words[i].links, words[i].n, sizeof(*words[i].links), by_percent);
		if (words[i].n > LANGUAGE_RELATED_MAX)
			words[i].n = LANGUAGE_RELATED_MAX;
		for (size_t k = 0; k < words[i].n; k++)
			needed[words[i].links[k].word] = true;
	}
	*n = 0;
	for (uint32_t i = 0; i < names.n; i++)
		if (needed[i] || words[i].n > 0 || words[i].rank > 0)
			order[(*n)++] = i;
	free(needed);
	qsort(order, *n, sizeof(*order), by_text);
	return order;
}

static void
write_tables(FILE *f)
{
	size_t n, at = 0, links = 0;
	uint32_t *order = language_make_choose(&n), *place = array_new(names.n, sizeof(*place));

	if (n > UINT16_MAX)
		language_make_die("too many words for their numbers", "language_edge.word");
	fputs("#include \"words/language_tables.h\"\n\nconst char language_pool[] =\n", f);
	for (size_t i = 0; i < n; i++) {
		place[order[i]] = (uint32_t)i;
		fprintf(f, "\"%.*s\"%s", SPAN_FMT(names_text(&names, order[i])), i % 8 == 7 ? "\n" : "");
	}
	fputs("\"\";\nconst struct language_entry language_entries[] = {\n", f);
	for (size_t i = 0; i < n; i++) {
		const struct word *w = &words[order[i]];
		size_t len = names_text(&names, order[i]).len;

		fprintf(f, "{%zu,%zu,%u,%zu,%d},\n", at, links, w->rank, len, w->german);
		at += len;
		links += w->n;
	}
	fprintf(f, "{%zu,%zu,0,0,0}\n};\nconst struct language_edge language_edges[] = {\n", at, links);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < words[order[i]].n; k++) {
			const struct link *l = &words[order[i]].links[k];

			fprintf(f, "{%u,%u,%u},\n", place[l->word], l->percent, (unsigned)l->link);
		}
	fputs("{0,0,0}\n};\nconst uint16_t language_starts[LANGUAGE_PAIRS + 1] = {\n", f);
	for (size_t pair = 0, i = 0; pair <= LANGUAGE_PAIRS; pair++) {
		while (i < n && language_pair(names_text(&names, order[i])) < pair)
			i++;
		fprintf(f, "%zu,\n", i);
	}
	fputs("};\n", f);
	free(order);
	free(place);
}

int
main(int argc, char **argv)
{
	FILE *f = argc == 2 || argc == 4 || argc == 5 ? fopen(argv[1], "we") : NULL;

	if (f == NULL)
		language_make_die("usage", "language-make FILE [FREQUENCY_LISTS WORDNET_DIRECTORY [THESAURUS]]");
	if (argc >= 4) {
		read_frequencies(argv[2]);
		read_counts(argv[3]);
		for (size_t i = 0; i < 4; i++)
			data[i].text = read_wordnet(argv[3], "data.", parts[i], &data[i].len);
		each_line(argv[3], false);
		each_line(argv[3], true);
		read_irregular(argv[3], "verb");
		read_irregular(argv[3], "noun");
		if (argc == 5)
			read_thesaurus(argv[4]);
	}
	write_tables(f);
	return fclose(f) == 0 ? 0 : 1;
}
