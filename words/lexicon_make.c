/*
 * lexicon_make.c - run while Carrel is built: writes the tables of
 * lexicon_tables.h from the rows of the lexicon_*.def.
 *
 *	lexicon-make FILE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/array.h"
#include "words/lexicon_tables.h"
#include "words/text.h"
#include "words/words.h"
#include "words/lexicon_head.h"

static const struct row {
	const char *words[4];	/* by class */
} rows[] = {
#define ROW(head, brief, other, german) { { head, brief, other, german } },
#include "words/lexicon_words.def"
#include "words/lexicon_trades.def"
#include "words/lexicon_sap.def"
#include "words/lexicon_talk.def"
#include "words/lexicon_daily.def"
#undef ROW
};

#define NROWS	(sizeof(rows) / sizeof(rows[0]))

/* Where each table's rows end. */
enum {
#define ROW(head, brief, other, german) + 1
	WORDS_END = 0
#include "words/lexicon_words.def"
	,
	TRADES_END = WORDS_END
#include "words/lexicon_trades.def"
	,
	SAP_END = TRADES_END
#include "words/lexicon_sap.def"
	,
	TALK_END = SAP_END
#include "words/lexicon_talk.def"
#undef ROW
};

struct entries {
	size_t			 n, cap;
	struct lexicon_entry	*v;
};

static struct {
	struct buf		 pool, lines;		/* all texts; the same as C */
	size_t			 n, cap;
	struct lexicon_word	*words;
	size_t			 starts[NROWS + 1];
	struct entries		 by_text, by_stem, by_first;
	struct lexicon_set	 known, english, german;
} lex;

static _Noreturn void
lexicon_make_die(const char *what, struct span which)
{
	fprintf(stderr, "lexicon-make: %s: %.*s\n", what, SPAN_FMT(which));
	exit(1);
}

static struct span
text_at(uint32_t at, size_t len)
{
	return span_of(lex.pool.p + at, len);
}

/* What was added to the pool since `from` is a line of its own. */
static void
end_line(size_t from)
{
	struct span line = text_at((uint32_t)from, lex.pool.len - from);

	for (size_t i = 0; i < line.len; i++)
		if (line.p[i] < ' ' || line.p[i] == '"' || line.p[i] == '\\')
			lexicon_make_die("no text for a string of C", line);
	buf_printf(&lex.lines, "\t\"%.*s\"\n", SPAN_FMT(line));
}

/* Most stems are there already, as the beginning of their word. */
static uint32_t
find_or_add(struct span text)
{
	const uint8_t *there = memmem(lex.pool.p, lex.pool.len, text.p, text.len);
	size_t at = there != NULL ? (size_t)(there - lex.pool.p) : lex.pool.len;

	if (there == NULL) {
		buf_span(&lex.pool, text);
		end_line(at);
	}
	return (uint32_t)at;
}

static void
add_entry(struct entries *l, uint32_t at, size_t len, size_t of)
{
	l->v = array_grow(l->v, l->n, &l->cap, sizeof(*l->v));
	l->v[l->n++] = (struct lexicon_entry){ .at = at, .of = (uint16_t)of, .len = (uint8_t)len };
}

static void
add_beginning(struct lexicon_set *set, struct span text, size_t letters)
{
	uint32_t at = lexicon_beginning(text, letters);

	set->bits[at / 64] |= UINT64_C(1) << at % 64;
}

static void
add_word(size_t row, enum lexicon_class class, struct span text)
{
	struct lexicon_word w = { .at = (uint32_t)lex.pool.len,
		.row = (uint16_t)row,
		.len = (uint8_t)text.len,
		.class = (uint8_t) class };

	if (text.len > TEXT_WORD_MAX)
		lexicon_make_die("longer than words are", text);
	/* Entries are numbered from 1 on in sixteen bits. */
	if (lex.n == UINT16_MAX)
		lexicon_make_die("too many words", text);
	if (text.len >= 3)
		add_beginning(&lex.known, text, 3);
	buf_span(&lex.pool, text);
	add_entry(&lex.by_text, w.at, w.len, lex.n);
	lex.words = array_grow(lex.words, lex.n, &lex.cap, sizeof(*lex.words));
	lex.words[lex.n++] = w;
}

static void
add_row(size_t row)
{
	size_t from = lex.pool.len;

	lex.starts[row] = lex.n;
	add_word(row, LEXICON_HEAD, span_str(rows[row].words[LEXICON_HEAD]));
	for (unsigned class = LEXICON_SHORT; class <= LEXICON_GERMAN; class ++)
		for (const char *p = rows[row].words[class]; *p != '\0';) {
			size_t n = strcspn(p, " ");

			if (n > 0)
				add_word(row, (enum lexicon_class) class, span_of(p, n));
			p += n + (p[n] == ' ');
		}
	end_line(from);
}

static void
add_stem(size_t word)
{
	const struct lexicon_word *w = &lex.words[word];
	struct span folded = text_at(w->at, w->len);
	uint8_t stem[TEXT_WORD_MAX];
	size_t len;

	if (w->class == LEXICON_SHORT)
		return;
	len = w->class == LEXICON_GERMAN ? text_german_stem(folded, stem) : text_stem(folded, stem);
	add_beginning(w->class == LEXICON_GERMAN ? &lex.german : &lex.english, folded,
	    len > LEXICON_SHORT_STEM ? 4 : 3);
	add_entry(&lex.by_stem, find_or_add(span_of(stem, len)), len, word);
}

/* Under the stem of the first word that counts. */
static void
add_first(size_t row)
{
	struct span head = span_str(rows[row].words[LEXICON_HEAD]);
	bool strict = lexicon_is_strict(head);
	uint8_t stem[TEXT_WORD_MAX];
	struct text_reader r;
	struct text_word w;
	size_t len;

	if (memchr(head.p, ' ', head.len) == NULL)
		return;
	text_begin(&r, head);
	do
		if (!text_next(&r, &w))
			lexicon_make_die("no word that counts", head);
	while (!strict && words_has(WORDS_FUNCTION, w.folded));
	len = text_stem(w.folded, stem);
	add_entry(&lex.by_first, find_or_add(span_of(stem, len)), len, row);
}

static struct span
entry_text(const struct lexicon_entry *e)
{
	return text_at(e->at, e->len);
}

static int
by_text(const void *a, const void *b)
{
	const struct lexicon_entry *x = a, *y = b;
	int order = span_cmp(entry_text(x), entry_text(y));

	return order != 0 ? order : (x->of > y->of) - (x->of < y->of);
}

static void
lexicon_make_sort(struct entries *l)
{
	qsort(l->v, l->n, sizeof(*l->v), by_text);
	for (size_t i = l->n; i-- > 1;) {
		if (!span_is(entry_text(&l->v[i - 1]), entry_text(&l->v[i])))
			continue;
		if (l->v[i].more == UINT8_MAX)
			lexicon_make_die("too many of one text", entry_text(&l->v[i]));
		l->v[i - 1].more = (uint8_t)(l->v[i].more + 1);
	}
}

static void
write_entries(const struct entries *l, const char *name, FILE *f)
{
	size_t nplaces = 2;
	struct lexicon_place *places;

	while (nplaces < 2 * l->n)
		nplaces *= 2;
	places = array_new(nplaces, sizeof(*places));
	for (size_t i = 0; i < l->n; i += l->v[i].more + (size_t)1) {
		uint64_t hash = text_hash(entry_text(&l->v[i]));
		size_t at = hash & (nplaces - 1);

		while (places[at].entry != 0)
			at = (at + 1) & (nplaces - 1);
		places[at] = (struct lexicon_place){ .mark = lexicon_mark(hash), .entry = (uint16_t)(i + 1) };
	}
	fprintf(f, "\nstatic const struct lexicon_entry %s_entries[] = {\n", name);
	for (size_t i = 0; i < l->n; i++)
		fprintf(f, "\t{ %u, %u, %u, %u },\n", l->v[i].at, l->v[i].of, l->v[i].len, l->v[i].more);
	fprintf(f, "};\n\nstatic const struct lexicon_place %s_places[%zu] = {\n", name, nplaces);
	for (size_t i = 0; i < nplaces; i++)
		if (places[i].entry != 0)
			fprintf(f, "\t[%zu] = { %u, %u },\n", i, places[i].mark, places[i].entry);
	fprintf(f, "};\n\nconst struct lexicon_list lexicon_%s = { %s_entries, %s_places, %zu, %zu };\n", name, name,
	    name, l->n, nplaces);
	free(places);
}

static void
write_words(FILE *f)
{
	fprintf(f, "const struct lexicon_word lexicon_words[] = {\n");
	for (size_t i = 0; i < lex.n; i++)
		fprintf(f, "\t{ %u, %u, %u, %u },\n", lex.words[i].at, lex.words[i].row, lex.words[i].len,
		    lex.words[i].class);
	fprintf(f, "};\n\nconst uint16_t lexicon_starts[] = {\n");
	for (size_t i = 0; i <= NROWS; i++)
		fprintf(f, "\t%zu,\n", lex.starts[i]);
	fprintf(f, "};\n\nconst uint32_t lexicon_nwords = %zu, lexicon_nrows = %zu;\n", lex.n, NROWS);
}

/* Where the entries of each first byte begin. */
static void
write_starts(const struct entries *l, const char *name, FILE *f)
{
	size_t starts[257] = { 0 };

	for (size_t i = 0; i < l->n; i++)
		starts[entry_text(&l->v[i]).p[0] + 1]++;
	fprintf(f, "\nconst uint16_t lexicon_%s_starts[257] = {\n", name);
	for (size_t i = 0; i < 257; i++) {
		starts[i] += i > 0 ? starts[i - 1] : 0;
		fprintf(f, "\t%zu,\n", starts[i]);
	}
	fprintf(f, "};\n");
}

static void
write_initials(FILE *f)
{
	fprintf(f, "\nconst uint16_t lexicon_initials[] = {\n");
	for (unsigned initial = 0; initial < 256; initial++)
		for (size_t i = 0; i < lex.n; i++)
			if (lex.pool.p[lex.words[i].at] == initial)
				fprintf(f, "\t%zu,\n", i);
	fprintf(f, "};\n");
	write_starts(&lex.by_text, "initial", f);
	write_starts(&lex.by_stem, "stem", f);
}

static void
write_set(const struct lexicon_set *set, const char *name, FILE *f)
{
	fprintf(f, "\nconst struct lexicon_set lexicon_%s = { {\n", name);
	for (size_t i = 0; i < LEXICON_BEGINNINGS / 64; i++)
		fprintf(f, "\tUINT64_C(0x%016llx),\n", (unsigned long long)set->bits[i]);
	fprintf(f, "} };\n");
}

static void
write_file(FILE *f)
{
	fprintf(f,
	    "/* Written by lexicon_make.c; see lexicon_tables.h. */\n"
	    "#include \"words/lexicon_tables.h\"\n\n"
	    "const char lexicon_pool[] =\n%s;\n\n",
	    buf_cstr(&lex.lines));
	write_words(f);
	fprintf(f, "\nconst uint16_t lexicon_ends[LEXICON_TABLES] = { %d, %d, %d, %d, %zu };\n", WORDS_END, TRADES_END,
	    SAP_END, TALK_END, NROWS);
	write_initials(f);
	write_set(&lex.known, "known", f);
	write_set(&lex.english, "english", f);
	write_set(&lex.german, "german", f);
	write_entries(&lex.by_text, "by_text", f);
	write_entries(&lex.by_stem, "by_stem", f);
	write_entries(&lex.by_first, "by_first", f);
}

static void
lexicon_make_make(void)
{
	for (size_t row = 0; row < NROWS; row++)
		add_row(row);
	lex.starts[NROWS] = lex.n;
	for (size_t word = 0; word < lex.n; word++)
		add_stem(word);
	for (size_t row = 0; row < NROWS; row++)
		add_first(row);
	lexicon_make_sort(&lex.by_text);
	lexicon_make_sort(&lex.by_stem);
	lexicon_make_sort(&lex.by_first);
}

int
main(int argc, char **argv)
{
	FILE *f;
	bool failed;

	if (argc != 2) {
		fprintf(stderr, "usage: lexicon-make FILE\n");
		return 2;
	}
	lexicon_make_make();
	if ((f = fopen(argv[1], "w")) == NULL) {
		perror(argv[1]);
		return 1;
	}
	write_file(f);
	failed = ferror(f) != 0;
	if (fclose(f) != 0 || failed) {
		perror(argv[1]);
		remove(argv[1]);
		return 1;
	}
	free(lex.words);
	free(lex.by_text.v);
	free(lex.by_stem.v);
	free(lex.by_first.v);
	buf_fini(&lex.pool);
	buf_fini(&lex.lines);
	return 0;
}
