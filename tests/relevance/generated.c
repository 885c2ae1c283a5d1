/*
 * generated.c - every table, column, source, measure, dimension, page and
 * value of several projects, asked for as people may write it (mutate.h): how
 * high up it stands, by the way it was written.
 *
 * usage: generated-ask PROJECT…
 *
 * A name that several things have is asked for once, and any of them answers;
 * when it is said whose it is, that one has to.  What is made of one name and
 * is another's is not asked.
 *
 * GENERATED=all asks everything, otherwise a part of it, always the same;
 * GENERATED_MISSES=TITLE shows what of one way of writing is not found first;
 * GENERATED_PROJECTS=1 shows each project by itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/relevance/mutate.h"
#include "tests/relevance/project.h"
#include "words/lexicon.h"
#include "workers/search/answer/search.h"

#define DEPTH		10
#define CALL_ARENA	((size_t)8 << 20)
#define COMMON_FROM	5	/* tables with a column of one name make it a common one */
#define PART		12	/* one question of so many is asked, when not all are */
#define LINES_MAX	64
#define COMMENT_MOST	4	/* words of a comment that is a table's name as well */
#define VALUE_LEAST	4	/* bytes of a value that is asked for */

/* What has to be reached, all ways of writing together. */
#define MRR_LEAST	0.94
#define RECALL_LEAST	0.98

struct thing {
	uint32_t	part, doc, parent;	/* parent: number of a thing; itself */
	enum kind	kind;
	struct name	name;
	struct name	meaning;		/* its words spelled out, as the lexicon does; n 0: it is no other */
	char		*key, *id, *meant;	/* meant: key of what it means */
	bool		first;			/* the first of its name */
	unsigned	same;			/* how many have it */
};

struct line {
	const char	*title;
	bool		 common;
	unsigned	 n, first, ten;
	double		 reciprocal;
};

static struct library *library;
static const struct part *parts;
static size_t nthings, things_cap;
static struct thing *things;
static uint32_t *by_key;
static struct line total[LINES_MAX], here[LINES_MAX], nothing[LINES_MAX];
static bool all;
static const char *show;

/* --- what there is ------------------------------------------------------------------ */

static bool
is_short_for(struct span word, uint16_t row)
{
	const struct lexicon_word *as[8];
	size_t n = lexicon_exact(word, as, sizeof(as) / sizeof(as[0]));

	for (size_t i = 0; i < n; i++)
		if (as[i]->row == row && as[i]->class == LEXICON_SHORT)
			return true;
	return false;
}

static char *
text_of(const struct buf *b)
{
	char *s = mem_new(b->len + 1, 1);

	if (b->len > 0)
		memcpy(s, b->p, b->len);
	return s;
}

/* What the words of a name stand for: CUSTNO is customer number. */
static void
spell_out(struct thing *t)
{
	struct vocab *v = library->vocab;
	struct buf text = { 0 };
	bool other = false;

	for (size_t i = 0; i < t->name.n; i++) {
		uint32_t term = vocab_find(v, span_str(t->name.words[i].text));
		size_t n = 0;
		const uint32_t *pieces = term == VOCAB_NONE ? NULL : vocab_pieces(v, term, &n);

		for (size_t k = 0; k < (n == 0 ? 1 : n); k++) {
			uint32_t piece = n == 0 ? term : pieces[k];
			uint16_t row = piece == VOCAB_NONE ? LEXICON_NONE : lexicon_row_of(vocab_text(v, piece));
			struct span word = piece == VOCAB_NONE ? span_str(t->name.words[i].text) : vocab_text(v, piece);

			if (row != LEXICON_NONE && is_short_for(word, row)) {
				word = lexicon_head(row);
				other = true;
			}
			buf_byte(&text, ' ');
			buf_span(&text, word);
		}
	}
	if (!other || !name_read(&t->meaning, buf_view(&text)))
		t->meaning.n = 0;
	text.len = 0;
	name_key(t->meaning.n > 0 ? &t->meaning : &t->name, &text);
	t->meant = text_of(&text);
	buf_fini(&text);
}

static struct thing *
add_thing(uint32_t part, uint32_t doc)
{
	const struct part *p = &parts[part];
	struct buf text = { 0 };
	struct thing *t;

	things = mem_grow(things, nthings, &things_cap, sizeof(*things));
	t = &things[nthings];
	*t = (struct thing){
		.part = part, .doc = doc, .parent = (uint32_t)nthings, .kind = (enum kind)p->segment->kind[doc]
	};
	p->shelf->ops->name(p->shelf, p->segment, doc, &text);
	if (!name_read(&t->name, buf_view(&text)))
		t->name.n = 0;
	text.len = 0;
	name_key(&t->name, &text);
	t->key = text_of(&text);
	text.len = 0;
	p->shelf->ops->id(p->shelf, p->segment, doc, &text);
	t->id = text_of(&text);
	buf_fini(&text);
	spell_out(t);
	nthings++;
	return t;
}

static int
by_its_key(const void *a, const void *b)
{
	const struct thing *x = &things[*(const uint32_t *)a], *y = &things[*(const uint32_t *)b];
	int order = strcmp(x->key, y->key);

	return order != 0 ? order : strcmp(x->id, y->id);
}

static void
collect(size_t nparts)
{
	nthings = 0;
	for (uint32_t p = 0; p < nparts; p++) {
		const struct segment *s = parts[p].segment;
		uint32_t *number = mem_new(s->ndocs + 1, sizeof(*number));

		for (uint32_t doc = 0; doc < s->ndocs; doc++) {
			if (segment_is_dead(s, doc) || s->kind[doc] == KIND_FAMILY)
				continue;
			number[doc] = (uint32_t)nthings;
			add_thing(p, doc)->parent = number[s->parent[doc]];
		}
		free(number);
	}
	by_key = mem_new(nthings + 1, sizeof(*by_key));
	for (uint32_t i = 0; i < nthings; i++)
		by_key[i] = i;
	qsort(by_key, nthings, sizeof(*by_key), by_its_key);
	for (size_t i = 0, k; i < nthings; i = k) {
		for (k = i; k < nthings && strcmp(things[by_key[k]].key, things[by_key[i]].key) == 0; k++)
			;
		for (size_t j = i; j < k; j++) {
			things[by_key[j]].first = j == i;
			things[by_key[j]].same = (unsigned)(k - i);
		}
	}
}

static void
forget(void)
{
	for (size_t i = 0; i < nthings; i++) {
		free(things[i].key);
		free(things[i].id);
		free(things[i].meant);
	}
	free(by_key);
}

static bool
is_a_key(const char *key)
{
	size_t low = 0, high = nthings;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = strcmp(things[by_key[mid]].key, key);

		if (order == 0)
			return true;
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return false;
}

static const struct thing *
thing_at(const struct ranked *r)
{
	/* Things stand in the order of parts and documents. */
	size_t low = 0, high = nthings;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct thing *t = &things[mid];

		if (t->part < r->part || (t->part == r->part && t->doc < r->doc))
			low = mid + 1;
		else
			high = mid;
	}
	return &things[low];
}

/* --- asking --------------------------------------------------------------------------- */

/* What answers: a thing of the key; of the one and the other's, when it was said whose. */
struct wanted {
	const struct thing	*thing;
	bool			 qualified;
	bool			 meant;		/* or what means the same */
	const char		*value;		/* or a column that holds it */
};

static bool
holds_value(const struct thing *t, const char *value)
{
	const struct schema *s = (const struct schema *)parts[t->part].shelf;
	const struct schema_column *c;
	const schema_text *samples;
	size_t n;

	(void)schema_of(s, parts[t->part].segment, t->doc, &c);
	samples = schema_list(s, c->samples, &n);
	for (size_t i = 0; i < n; i++)
		if (text_is_same(schema_span(s, samples[i]), span_str(value)))
			return true;
	return false;
}

static bool
answers_value(const struct thing *t, const char *value)
{
	if (t->kind == KIND_COLUMN)
		return holds_value(t, value);
	for (size_t i = 0; t->kind == KIND_SL_DIMENSION && i < nthings; i++)
		if (things[i].kind == KIND_COLUMN && strcmp(things[i].key, t->key) == 0 &&
		    holds_value(&things[i], value))
			return true;
	return false;
}

static bool
is_answer(const struct wanted *w, const struct ranked *r)
{
	const struct thing *t = thing_at(r);

	if (w->value != NULL)
		return answers_value(t, w->value);
	if (t == w->thing)
		return true;
	if (strcmp(w->meant ? t->meant : t->key, w->meant ? w->thing->meant : w->thing->key) != 0)
		return false;
	return !w->qualified || strcmp(things[t->parent].key, things[w->thing->parent].key) == 0;
}

static void
count(struct line *lines, const char *title, bool common, unsigned rank)
{
	struct line *l = lines;

	while (l->title != NULL && (strcmp(l->title, title) != 0 || l->common != common))
		if (++l == lines + LINES_MAX - 1)
			abort();
	l->title = title;
	l->common = common;
	l->n++;
	l->first += rank == 1;
	l->ten += rank > 0;
	l->reciprocal += rank > 0 ? 1.0 / rank : 0;
}

static void
ask(const char *title, bool common, struct span question, const struct wanted *w)
{
	struct arena *a = arena_new(CALL_ARENA);
	struct answers answers;
	unsigned rank = 0;
	struct err err;

	if (search_ask(library, a, question, NULL, KINDS_ALL, DEPTH, &answers, &err) != 0)
		abort();
	for (size_t i = 0; i < answers.n && rank == 0; i++)
		if (is_answer(w, &answers.v[i]))
			rank = (unsigned)i + 1;
	count(total, title, common, rank);
	count(here, title, common, rank);
	if (rank != 1 && show != NULL && strcmp(show, title) == 0)
		printf("  %2u %-40.*s  wants %s, got %s\n", rank, SPAN_FMT(question),
		    w->value != NULL ? w->value : w->thing->id,
		    answers.n > 0 ? thing_at(&answers.v[0])->id : "nothing");
	arena_free(a);
}

static uint64_t
seed_of(const char *a, const char *b)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (; *a != '\0'; a++)
		h = (h ^ (uint8_t)*a) * UINT64_C(1099511628211);
	for (; *b != '\0'; b++)
		h = (h ^ (uint8_t)*b) * UINT64_C(1099511628211);
	return h ^ h >> 29;
}

/* Some other word or name is made: asking for it is no question about this one. */
static bool
is_another(const struct mutation *m, const struct thing *t, struct span question)
{
	struct name asked;
	struct buf key = { 0 };
	bool other = false;
	char *text;

	if (m->qualifies || !name_read(&asked, question))
		return false;
	for (size_t i = 0; m->spells && i < asked.n && !other; i++) {
		uint32_t term = vocab_find(library->vocab, span_str(asked.words[i].text));
		bool mine = false;

		for (size_t k = 0; k < t->name.n; k++)
			mine = mine || strcmp(t->name.words[k].text, asked.words[i].text) == 0;
		other = !mine && term != VOCAB_NONE && vocab_documents(library->vocab, term) > 0;
	}
	name_key(&asked, &key);
	text = text_of(&key);
	other = other || (strcmp(text, t->key) != 0 && is_a_key(text));
	free(text);
	buf_fini(&key);
	return other;
}

static void
ask_mutation(const struct mutation *m, const struct thing *t)
{
	const struct thing *above = &things[t->parent];
	uint64_t seed = seed_of(t->id, m->title);
	struct wanted w = { .thing = t, .qualified = m->qualifies };
	struct buf question = { 0 };

	if ((m->qualifies ? above == t : !t->first) || (!all && (seed >> 40) % PART != 0))
		return;
	if (m->make(&t->name, above == t ? NULL : &above->name, seed, &question) &&
	    !is_another(m, t, buf_view(&question)))
		ask(m->title, m->qualifies && t->same >= COMMON_FROM, buf_view(&question), &w);
	buf_fini(&question);
}

/* What an abbreviated name stands for, alone and with what its table's does. */
static void
ask_meaning(const struct thing *t)
{
	const struct thing *above = &things[t->parent];
	struct wanted w = { .thing = t, .meant = true };
	struct buf question = { 0 };
	size_t own;

	if (t->meaning.n == 0 || (!all && (seed_of(t->id, "meaning") >> 40) % PART != 0))
		return;
	name_write(&t->meaning, " ", &question);
	if (t->first)
		ask("spelled out", false, buf_view(&question), &w);
	if (above != t) {
		const struct name *theirs = above->meaning.n > 0 ? &above->meaning : &above->name;

		w.qualified = true;
		own = question.len;
		buf_str(&question, " of the ");
		name_write(theirs, " ", &question);
		ask("spelled out of", t->same >= COMMON_FROM, buf_view(&question), &w);
		question.len = own;
		buf_byte(&question, ' ');
		name_write(theirs, " ", &question);
		ask("spelled out before", t->same >= COMMON_FROM, buf_view(&question), &w);
	}
	buf_fini(&question);
}

/* The comment of a table, when it is short enough to be what people call it. */
static bool
read_comment(const struct thing *t, struct name *comment)
{
	const struct schema_column *c;
	const struct schema_table *table;
	const struct schema *s = (const struct schema *)parts[t->part].shelf;

	if (t->kind != KIND_TABLE)
		return false;
	table = schema_of(s, parts[t->part].segment, t->doc, &c);
	return table->comment != 0 && name_read(comment, schema_span(s, table->comment)) && comment->n <= COMMENT_MOST;
}

/* By what the table's comment calls it. */
static void
ask_comment(const struct thing *t)
{
	struct wanted w = { .thing = t, .qualified = true };
	struct name comment;
	struct buf question = { 0 };

	if ((!all && (seed_of(t->id, "comment") >> 40) % PART != 0) || !read_comment(&things[t->parent], &comment))
		return;
	if (&things[t->parent] != t) {
		name_write(t->meaning.n > 0 ? &t->meaning : &t->name, " ", &question);
		buf_str(&question, " of ");
	}
	name_write(&comment, " ", &question);
	ask(&things[t->parent] == t ? "comment" : "name of comment", t->same >= COMMON_FROM, buf_view(&question), &w);
	buf_fini(&question);
}

/* Another word of the class that means the same as this one; NULL p: there is none, or it says nothing. */
static struct span
other_word(struct span word, enum lexicon_class class, uint64_t seed)
{
	uint16_t row = lexicon_row_of(word);
	struct span found = { 0 };
	size_t n, m = 0;
	const struct lexicon_word *w = row == LEXICON_NONE ? NULL : lexicon_row(row, &n);

	for (size_t i = 0; w != NULL && i < n; i++) {
		struct span text = lexicon_text(&w[i]);

		if (w[i].class == class && memchr(text.p, ' ', text.len) == NULL &&
		    memchr(text.p, '_', text.len) == NULL)
			m += seed % (m + 1) == 0 ? found = text, 1u : 1u;
	}
	return found;
}

static bool
ends(struct span word, const char *with)
{
	size_t n = strlen(with);

	return word.len >= n && memcmp(word.p + word.len - n, with, n) == 0;
}

/* What German puts between two words written in one. */
static const char *
link_of(struct span word)
{
	static const char *const with_s[] = { "ung", "heit", "keit", "schaft", "ion", "trag", "tum", "ling" };

	for (size_t i = 0; i < sizeof(with_s) / sizeof(with_s[0]); i++)
		if (ends(word, with_s[i]))
			return "s";
	return ends(word, "e") ? "n" : "";
}

/* Every word in German, in one or apart; or the one that has another word said by that. */
static void
ask_in_other_words(const struct thing *t)
{
	const struct name *name = t->meaning.n > 0 ? &t->meaning : &t->name;
	uint64_t seed = seed_of(t->id, "other words");
	struct wanted w = { .thing = t, .meant = true };
	struct buf compound = { 0 }, german = { 0 }, other = { 0 };
	bool all_german = name->n > 1, changed = false;

	if (!t->first || (!all && (seed >> 40) % PART != 0))
		return;
	for (size_t i = 0; i < name->n; i++) {
		struct span word = span_str(name->words[i].text), g = other_word(word, LEXICON_GERMAN, seed);
		struct span o = changed ? (struct span){ 0 } : other_word(word, LEXICON_OTHER, seed);

		all_german = all_german && g.len > 0;
		buf_printf(&german, "%s%.*s", i > 0 ? " " : "", SPAN_FMT(g));
		buf_printf(&compound, "%.*s%s", SPAN_FMT(g), i + 1 < name->n ? link_of(g) : "");
		buf_printf(&other, "%s%.*s", i > 0 ? " " : "", SPAN_FMT(o.len > 0 ? o : word));
		changed = changed || o.len > 0;
	}
	if (all_german) {
		ask("German words", false, buf_view(&german), &w);
		ask("German compound", false, buf_view(&compound), &w);
	}
	if (changed && !is_another(&mutations[0], t, buf_view(&other)))
		ask("other words", false, buf_view(&other), &w);
	buf_fini(&compound);
	buf_fini(&german);
	buf_fini(&other);
}

static bool
is_worth_asking(struct span value)
{
	size_t letters = 0;

	for (size_t i = 0; i < value.len; i++)
		letters += (value.p[i] | 0x20) >= 'a' && (value.p[i] | 0x20) <= 'z';
	return value.len >= VALUE_LEAST && value.len <= 60 && letters * 2 > value.len;
}

static void
ask_values(const struct thing *t)
{
	const struct schema *s = (const struct schema *)parts[t->part].shelf;
	const struct schema_column *c;
	const schema_text *samples;
	size_t n;

	if (t->kind != KIND_COLUMN)
		return;
	(void)schema_of(s, parts[t->part].segment, t->doc, &c);
	samples = schema_list(s, c->samples, &n);
	for (size_t i = 0; i < n; i++) {
		struct buf value = { 0 }, quoted = { 0 };
		struct wanted w = { 0 };
		char *text;

		buf_span(&value, schema_span(s, samples[i]));
		text = text_of(&value);
		buf_printf(&quoted, "'%s'", text);
		w.value = text;
		if (is_worth_asking(buf_view(&value)) && (all || (seed_of(t->id, text) >> 40) % PART == 0)) {
			ask("value", false, buf_view(&value), &w);
			ask("'value'", false, buf_view(&quoted), &w);
			quoted.len = 0;
			buf_printf(&quoted, "which rows have %s", text);
			ask("value in a question", false, buf_view(&quoted), &w);
		}
		free(text);
		buf_fini(&value);
		buf_fini(&quoted);
	}
}

static void
ask_title(const struct thing *t)
{
	const struct page *page;
	struct wanted w = { .thing = t, .qualified = true };
	struct span title;

	if (t->kind != KIND_WIKI)
		return;
	page = pages_of((const struct pages *)parts[t->part].shelf, parts[t->part].segment, t->doc);
	if ((title = pages_title(page)).len > 0)
		ask("title of a page", false, title, &w);
}

/* --- what nothing answers ------------------------------------------------------------- */

/* Of topics alone, and of topics in words that every database has some of. */
static const char *const nowhere[] = {
	"guitar chords", "penguin habitats", "chess openings", "knitting patterns", "sourdough starter", "Roman emperors",
	"yoga exercises", "lunar eclipse", "jazz albums", "crossword puzzles", "vegetarian lasagna", "dinosaur fossils",
	"orchids", "stand-up comedy", "Greek mythology", "volcano", "kangaroo", "violin", "origami", "haiku",
	"Gitarrenakkorde", "Mondfinsternis", "Vogelstimmen", "Strickmuster", "Zaubertricks", "Dinosaurier", "Märchen",
	"Vulkanausbruch", "Schachtheorie", "Minnesang",
};
static const char *const nearly_nowhere[] = {
	"history of the piano", "speed of light", "number of planets", "names of the moons of Jupiter",
	"winner of the chess championship", "capital of Mongolia", "distance to the sun", "size of a football pitch",
	"age of the universe", "who wrote Hamlet", "melting point of iron", "first man on the moon", "rules of badminton",
	"type of a dinosaur", "date of the battle of Hastings", "length of the Nile", "Anzahl der Planeten",
	"Name des Sultans", "Höhe des Mont Blanc", "Geschichte der Pyramiden",
};

static void
ask_nowhere(const char *title, const char *const *topics, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct arena *a = arena_new(CALL_ARENA);
		struct answers answers;
		struct err err;

		if (search_ask(library, a, span_str(topics[i]), NULL, KINDS_ALL, DEPTH, &answers, &err) != 0)
			abort();
		count(nothing, title, false, answers.n == 0 || !answers.confident);
		if (answers.n > 0 && show != NULL && strcmp(show, title) == 0)
			printf("  %2zu %-40s got %s: %s\n", answers.n, topics[i], thing_at(&answers.v[0])->id,
			    things[thing_at(&answers.v[0])->parent].id);
		arena_free(a);
	}
}

/* --- telling ---------------------------------------------------------------------------- */

/* Returns the sum. */
static struct line
report(const char *what, const struct line *lines)
{
	struct line sum = { .title = "all" };

	printf("%-20s questions   MRR  first    @10\n", what);
	for (const struct line *l = lines; l->title != NULL; l++) {
		printf("%-20s%9u  %.3f  %.3f  %.3f%s\n", l->title, l->n, l->reciprocal / l->n, (double)l->first / l->n,
		    (double)l->ten / l->n, l->common ? "  of many" : "");
		sum.n += l->n;
		sum.first += l->first;
		sum.ten += l->ten;
		sum.reciprocal += l->reciprocal;
	}
	if (sum.n > 0)
		printf("%-20s%9u  %.3f  %.3f  %.3f\n", sum.title, sum.n, sum.reciprocal / sum.n,
		    (double)sum.first / sum.n, (double)sum.ten / sum.n);
	return sum;
}

static void
ask_project(char **argv)
{
	size_t n;

	library = project_open(argv[0], NULL);
	parts = library_parts(library, NULL, &n);
	memset(here, 0, sizeof(here));
	collect(n);
	for (size_t k = 0; k < mutations_n; k++)
		for (size_t i = 0; i < nthings; i++)
			if (things[i].name.n > 0 && strlen(things[i].key) > 1)
				ask_mutation(&mutations[k], &things[i]);
	for (size_t i = 0; i < nthings; i++)
		ask_values(&things[i]);
	for (size_t i = 0; i < nthings; i++)
		ask_meaning(&things[i]);
	for (size_t i = 0; i < nthings; i++)
		if (things[i].name.n > 0)
			ask_in_other_words(&things[i]);
	for (size_t i = 0; i < nthings; i++)
		ask_comment(&things[i]);
	for (size_t i = 0; i < nthings; i++)
		ask_title(&things[i]);
	ask_nowhere("nowhere", nowhere, sizeof(nowhere) / sizeof(nowhere[0]));
	ask_nowhere("nearly nowhere", nearly_nowhere, sizeof(nearly_nowhere) / sizeof(nearly_nowhere[0]));
	if (getenv("GENERATED_PROJECTS") != NULL)
		(void)report(argv[0], here);
	forget();
	library_free(library);
}

int
main(int argc, char **argv)
{
	const char *how_much = getenv("GENERATED");
	struct line sum;

	all = how_much != NULL && strcmp(how_much, "all") == 0;
	show = getenv("GENERATED_MISSES");
	if (argc < 2) {
		fprintf(stderr, "usage: generated-ask PROJECT…\n");
		return 2;
	}
	for (int i = 1; i < argc; i++)
		ask_project(argv + i);
	sum = report("asked as", total);
	free(things);
	for (const struct line *l = nothing; l->title != NULL; l++)
		printf("%-20s%9u  left unanswered, or called a guess, %.3f\n", l->title, l->n, (double)l->first / l->n);
	printf("at least %.2f in the mean, and %.2f among the first %d\n", MRR_LEAST, RECALL_LEAST, DEPTH);
	return sum.n > 0 && sum.reciprocal / sum.n >= MRR_LEAST && (double)sum.ten / sum.n >= RECALL_LEAST ? 0 : 1;
}
