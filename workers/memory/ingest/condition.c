/* condition.c - see condition.h. */
#include <string.h>

#include "base/ascii.h"
#include "workers/memory/ingest/condition.h"
#include "workers/memory/ingest/formula.h"
#include "workers/memory/ingest/signals.h"

#define WORDS_MAX	48

/* Openings of what is left out, and of what alone counts; longer ones before their beginnings. */
static const char *const leaving_out[] = {
	"not counting", "not including", "leaving out", "other than", "apart from", "aside from", "except for", "exclusive of",
	"excluding", "except", "without", "ignoring", "omitting", "excl", "ausgenommen", "exklusive", "exkl", "ohne", "außer",
	"à l'exclusion de", "sans", "hors", "sauf", "excluyendo", "excepto", "sin", "esclusi", "escluse", "senza", "excluindo",
	"exceto", "sem", NULL
};
static const char *const counting[] = {
	"but only for", "but only", "only counting", "only including", "counting only", "including only", "considering only",
	"only for", "only of", "for only", "only", "limited to", "restricted to", "for", "nur für", "nur", "ausschließlich für",
	"ausschließlich", "für", "seulement pour", "uniquement pour", "seulement", "uniquement", "solo para", "solo", NULL
};
static const char *const where_words[] = { "only where", "but only where", "for which", "provided that", "provided", "where", "wobei",
	"wo", "with", "filter where", "filtered by", "if", "when", NULL };

/* What may limit a formula when it stands in a sentence of its own. */
static const char *const limiting[] = {
	"without", "excluding", "exclude", "excludes", "excluded", "exclusive of", "except", "excepting", "excl", "only", "ignore",
	"ignores", "ignored", "ignoring", "omit", "omits", "omitted", "omitting", "leave out", "leaves out", "leaving out", "left out",
	"limit", "limited", "limits", "restrict", "restricted", "restricts", "filter", "filters", "filtered", "unless", "where", "other than",
	"apart from", "rather than", "instead of", "but", "dropped", "drop", "skip", "skipped", "remove", "removed", "discard", "discarded",
	"disregard", "disregarded", "since", "until", "before", "after", "during", "as of", "must",
	"should", "has to", "have to", "apply", "applies", "applied", "if", "when", "whenever", "whose", "those", "these are", "provided", "count",
	"counts", "counted", "counting", "consider", "considers", "considered", "include", "includes", "included", "including", "covers",
	"cover", "covering", "comprises", "concerns", "refers to", "relates to", "at least", "at most", "more than",
	"less than", "above", "below", "over", "under", "exceeding", "greater than", "net of", "subtract", "subtracted", "deduct", "deducted",
	"minus", "divided", "multiplied", "rounded", "valid", "starting", "beginning", "ending", "both of", "with status",
	"ohne", "außer", "ausgenommen", "ausgeschlossen", "ausschließlich", "exklusive", "exkl", "nur", "lediglich", "sofern", "falls", "wenn",
	"seit", "ab", "bis", "zählen", "zählt", "gezählt", "berücksichtigt", "enthalten", "enthält", "herausgerechnet", "abzüglich",
	"beschränkt", "gefiltert", "gilt", "gelten", "wobei", "mindestens", "höchstens", "inklusive",
	"sans", "hors", "sauf", "seulement", "uniquement", "excepté", "exclu", "exclus", "exclues", "depuis", "si",
	"sin", "excepto", "salvo", "solo", "sólo", "solamente", "únicamente", "excluye", "excluyendo", "desde", "cuenta", "cuentan",
	"senza", "escluso", "escluse", "esclusi", "tranne", "eccetto", "soltanto", "sem", "exceto", "apenas", "somente", "excluindo", NULL
};
static const char *const negations[] = { "not", "no", "none", "never", "neither", "nor", "don't", "doesn't", "isn't", "aren't", "won't", "cannot",
	"nicht", "kein", "keine", "keinen", "keiner", "nie", "pas", "jamais", "aucun", "aucune", "nunca", "ningún", "ninguna", "não", "non", NULL };
/* Warnings about how to work with something, which say nothing about its rows. */
static const char *const cautions[] = { "do not join", "don't join", "never join", "not join", "do not add", "do not sum", "do not confuse",
	"not to be confused", "do not compare", "not yet", "no longer", "not the same", "nicht verwechseln", NULL };
/* What stands in a name for a limit of it. */
static const char *const of_names[] = { "for", "without", "excluding", "excl", "except", "only", "where", "with", "since", "until", "before",
	"after", "during", "from", "if", "when", "unless", "above", "below", "over", "under", "within", "between", "limited", "restricted",
	"ohne", "nur", "für", "außer", "seit", "ab", "bis", "mit", "wenn", "sans", "hors", "pour", "sauf", "sin", "para", "senza", "sem", NULL };

/* What takes away in a sentence next to a formula, in which "them" are rows. */
static const char *const taking_away[] = { "out", "away", "off", "aside", "strip", "strips", "stripped", "stripping", "purge", "purges", "purged",
	"cut", "cuts", "clean", "cleans", "cleaned", "weed", "screen", "screens", "screened", "suppress", "suppresses", "suppressed", "void",
	"adjust", "adjusts", "adjusted", "correct", "corrects", "corrected", "convert", "converts", "converted", "cap", "caps", "capped",
	"deduplicate", "deduplicates", "deduplicated", "once", "twice", "half", "reduce", "reduces", "reduced", "take", "takes", "taken",
	"raus", "heraus", "weg", "abgezogen", "herausgenommen", "rausgenommen", "bereinigt", "umgerechnet", "weggelassen", "einmal",
	"wrong", "incorrect", "false", "broken", "bad", "obsolete", "outdated", "deprecated", "leave", "leaves", "per", "instead", "falsch",
	"veraltet", "abziehen", "retire", "enlève", "enlevé", "quitar", NULL };
static const char *const dividing[] = { "average", "avg", "mean", "per", "pro", "je", "durchschnittlich", "durchschnittliche", "durchschnittlicher",
	"durchschnittliches", "durchschnitt", "mittlere", "mittlerer", "moyen", "moyenne", "promedio", "quotient", NULL };
/* What makes a definition a question, a doubt or a memory. */
static const char *const doubting[] = { "whether", "if", "should", "shall", "could", "might", "would", "maybe", "perhaps", "possibly",
	"todo", "tbd", "fixme", "unclear", "unsure", "suppose", "assume", "assuming", "thinks", "claims", "believes", "wrongly",
	"incorrectly", "formerly", "previously", "used to", "originally", "no longer", "ob", "sollte", "sollten",
	"könnte", "vielleicht", "eventuell", "evtl", "früher", "ehemals", "bisher", "fälschlich", "fälschlicherweise", "angeblich",
	"peut-être", "autrefois", "quizás", NULL };

static const char *const units[] = { "euro", "euros", "eur", "€", "cent", "cents", "ct", "dollar", "dollars", "usd", "$", "gbp", "pound",
	"pounds", "chf", "franc", "francs", "franken", "jpy", "yen", "percent", "%", "percentage", "prozent", "ratio", "currency", "währung",
	"devise", "moneda", "céntimos", "centimes", "thousands", "millions", "tausend", "millionen", "number", "decimal", "integer", "fraction", "share",
	"days", "hours", "minutes", "seconds", "tagen", "stunden", NULL };
static const char *const scales[] = { "thousands", "millions", "tausend", "millionen", NULL };
static const char *const whole_units[] = { "euro", "euros", "eur", "€", "dollar", "dollars", "usd", "$", "gbp", "pound", "pounds", "chf", "franc",
	"francs", "franken", NULL };
static const char *const parts_of_units[] = { "cent", "cents", "ct", "céntimos", "centimes", NULL };
static const char *const beside_units[] = { "in", "as", "a", "an", "the", "is", "are", "it", "its", "of", "given", "measured", "expressed", "stated",
	"shown", "reported", "whole", "us", "amount", "amounts", "value", "unit", "units", "per", "cent", "angegeben", "als", "ganzen", "en", "pour", "each",
	"all", "and", "gerechnet", NULL };
static const char *const idle[] = { "and", "but", "und", "aber", "also", "et", "y", "e", "i.e", "so", "then", NULL };
static const char *const articles[] = { "the", "all", "any", "every", "each", "our", "of", "der", "die", "das", "den", "dem", "des", "alle", "allen", "aller",
	"les", "des", "las", "los", NULL };

/* --- words ------------------------------------------------------------------------------ */

struct words {
	size_t		 n;
	bool		 cut;		/* there were more */
	struct span	 v[WORDS_MAX];	/* code with its backticks, everything else bare of punctuation */
};

static bool
is_one_of(uint8_t c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

/* The length of the code at the start of s, its backticks included; 1: it does not end. */
static size_t
code_length(struct span s)
{
	const uint8_t *end = s.len > 1 ? memchr(s.p + 1, '`', s.len - 1) : NULL;

	return end == NULL ? 1 : (size_t)(end + 1 - s.p);
}

static struct span
bare(struct span w)
{
	while (w.len > 0 && is_one_of(w.p[0], "*_\"'([,;:.!?"))
		w = formula_from(w, 1);
	while (w.len > 0 && is_one_of(w.p[w.len - 1], "*_\"')],;:.!?"))
		w.len--;
	return w;
}

static void
split(struct span s, struct words *out)
{
	size_t n;

	out->n = 0;
	out->cut = false;
	for (size_t i = 0; i < s.len; i += n) {
		struct span w;

		n = 1;
		if (ascii_is_space(s.p[i]))
			continue;
		if (s.p[i] == '`') {
			n = code_length(formula_from(s, i));
			w = span_of(s.p + i, n);
		} else {
			while (i + n < s.len && !ascii_is_space(s.p[i + n]) && s.p[i + n] != '`')
				n++;
			w = bare(span_of(s.p + i, n));
		}
		if (w.len == 0)
			continue;
		if (out->n == WORDS_MAX) {
			out->cut = true;
			return;
		}
		out->v[out->n++] = w;
	}
}

/* How many words of w, from at on, the phrase takes; 0: it is not there. */
static size_t
phrase_at(const struct words *w, size_t at, const char *phrase)
{
	size_t n = 0;

	while (*phrase != '\0') {
		size_t len = strcspn(phrase, " ");

		if (at + n >= w->n || !span_is_folded(w->v[at + n], span_of(phrase, len)))
			return 0;
		n++;
		phrase += len;
		phrase += strspn(phrase, " ");
	}
	return n;
}

static size_t
any_at(const struct words *w, size_t at, const char *const *phrases)
{
	size_t n = 0;

	for (; *phrases != NULL && n == 0; phrases++)
		n = phrase_at(w, at, *phrases);
	return n;
}

static bool
is_year(struct span word)
{
	return word.len == 4 && (memcmp(word.p, "19", 2) == 0 || memcmp(word.p, "20", 2) == 0) && ascii_is_digit(word.p[2]) &&
	    ascii_is_digit(word.p[3]);
}

/* Phrases as whole words, within words rather than within code. */
static bool
any_in(const struct words *w, const char *const *phrases)
{
	for (size_t i = 0; i < w->n; i++)
		if (any_at(w, i, phrases) > 0)
			return true;
	return false;
}

/* Equal but for the case of letters and a plural's s. */
static bool
alike(struct span a, struct span b)
{
	if (a.len > 3 && ascii_lower(a.p[a.len - 1]) == 's')
		a.len--;
	if (b.len > 3 && ascii_lower(b.p[b.len - 1]) == 's')
		b.len--;
	return span_is_folded(a, b);
}

/* --- columns ------------------------------------------------------------------------------ */

static bool
is_noun(const struct condition_of *of, struct span word)
{
	return alike(word, of->name) || alike(word, SPAN("row")) || alike(word, SPAN("record"));
}

static const struct source_column *
column(const struct condition_of *of, struct span name)
{
	for (size_t i = 0; of->source != NULL && i < of->source->ncolumns; i++)
		if (span_is_str(name, of->source->columns[i].name))
			return &of->source->columns[i];
	return NULL;
}

static bool
is_boolean(const struct source_column *c)
{
	return c->type != NULL && (span_is_word(span_str(c->type), "boolean") || span_is_word(span_str(c->type), "bool")) &&
	    c->visibility != SOURCE_HIDDEN && !c->withheld;
}

/* Whether the column is called after these words: is_test and has_test_order after "test" of orders. */
static bool
is_called(const struct condition_of *of, const char *name, const struct span *words, size_t n)
{
	struct span rest = span_str(name);
	size_t k = 0;
	bool first = true;

	while (rest.len > 0) {
		const uint8_t *end = memchr(rest.p, '_', rest.len);
		struct span part = span_of(rest.p, end == NULL ? rest.len : (size_t)(end - rest.p));
		bool opening = first && end != NULL && (span_is_word(part, "is") || span_is_word(part, "has") || span_is_word(part, "was"));
		bool closing = end == NULL && k > 0 && (span_is_word(part, "flag") || is_noun(of, part));

		rest = end == NULL ? span_of(NULL, 0) : formula_from(rest, part.len + 1);
		first = false;
		if (opening || closing)
			continue;
		if (k == n || !alike(part, words[k++]))
			return false;
	}
	return k == n && n > 0;
}

/* The only boolean column called so; NULL: none, or several. */
static const struct source_column *
flag(const struct condition_of *of, const struct span *words, size_t n)
{
	const struct source_column *found = NULL;

	for (size_t i = 0; of->source != NULL && i < of->source->ncolumns; i++) {
		const struct source_column *c = &of->source->columns[i];

		if (!is_boolean(c) || !is_called(of, c->name, words, n))
			continue;
		if (found != NULL)
			return NULL;
		found = c;
	}
	return found;
}

/* --- SQL ------------------------------------------------------------------------------------- */

struct reader {
	const struct condition_of	*of;
	struct span			 s;
	size_t				 at;
	unsigned			 depth;
};

static void
skip_blanks(struct reader *r)
{
	while (r->at < r->s.len && ascii_is_space(r->s.p[r->at]))
		r->at++;
}

static bool
keyword(struct reader *r, const char *word)
{
	size_t n = strlen(word);

	skip_blanks(r);
	if (!span_begins_word(formula_from(r->s, r->at), word) || (r->at + n < r->s.len && formula_is_name(r->s.p[r->at + n])))
		return false;
	r->at += n;
	return true;
}

static bool
symbol(struct reader *r, const char *text)
{
	size_t n = strlen(text);

	skip_blanks(r);
	if (r->s.len - r->at < n || memcmp(r->s.p + r->at, text, n) != 0)
		return false;
	r->at += n;
	return true;
}

static bool
literal(struct reader *r)
{
	struct span rest;
	size_t n = 0;

	if (keyword(r, "true") || keyword(r, "false"))
		return true;
	skip_blanks(r);
	rest = formula_from(r->s, r->at);
	if (rest.len > 0 && rest.p[0] == '\'')
		n = formula_quoted(rest);
	else {
		n = rest.len > 0 && rest.p[0] == '-';
		if (n >= rest.len || !ascii_is_digit(rest.p[n]))
			return false;
		while (n < rest.len && (ascii_is_digit(rest.p[n]) || (rest.p[n] == '.' && n + 1 < rest.len && ascii_is_digit(rest.p[n + 1]))))
			n++;
		/* "500 euros", "2nd" */
		if (n < rest.len && (formula_is_name(rest.p[n]) || rest.p[n] >= 0x80 || rest.p[n] == '%'))
			return false;
	}
	r->at += n;
	return n > 0;
}

/* A column of the source, with or without its name; *found NULL: no such column is known. */
static bool
name(struct reader *r, const struct source_column **found)
{
	struct span owner, last;

	skip_blanks(r);
	if (r->at == r->s.len || !formula_is_letter(r->s.p[r->at]))
		return false;
	r->at += formula_dotted(formula_from(r->s, r->at), &owner, &last);
	if (owner.len > 0 && !span_is(owner, r->of->name))
		return false;
	*found = column(r->of, last);
	return *found != NULL;
}

static bool
list(struct reader *r)
{
	if (!symbol(r, "("))
		return false;
	do
		if (!literal(r))
			return false;
	while (symbol(r, ","));
	return symbol(r, ")");
}

static bool any_of(struct reader *r);

static bool
primary(struct reader *r)
{
	static const char *const operators[] = { "<>", "<=", ">=", "!=", "=", "<", ">" };
	const struct source_column *c;
	size_t mark;

	if (symbol(r, "("))
		return any_of(r) && symbol(r, ")");
	if (!name(r, &c))
		return false;
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (symbol(r, operators[i]))
			return literal(r);
	mark = r->at;
	if (keyword(r, "is")) {
		(void)keyword(r, "not");
		return keyword(r, "null") || (is_boolean(c) && (keyword(r, "true") || keyword(r, "false")));
	}
	if (keyword(r, "between"))
		return literal(r) && keyword(r, "and") && literal(r);
	(void)keyword(r, "not");
	if (keyword(r, "in"))
		return list(r);
	if (keyword(r, "like"))
		return literal(r);
	r->at = mark;
	return is_boolean(c);
}

static bool
negated(struct reader *r)
{
	while (keyword(r, "not"))
		;
	return primary(r);
}

static bool
any_of(struct reader *r)
{
	bool good;

	if (++r->depth > 16)
		return false;
	do
		good = negated(r);
	while (good && (keyword(r, "and") || keyword(r, "or")));
	r->depth--;
	return good;
}

/* How much of the start of s is a condition on columns of the source; 0: none. */
static size_t
sql_length(const struct condition_of *of, struct span s)
{
	struct reader r = { .of = of, .s = s };

	return of->source != NULL && any_of(&r) ? r.at : 0;
}

/* --- filters ------------------------------------------------------------------------------------ */

static void
add(struct buf *filter, const char *before, struct span condition)
{
	bool joined = signals_find(condition, "or") != NULL || (before[0] != '\0' && signals_find(condition, "and") != NULL) ||
	    (before[0] != '\0' && memchr(condition.p, ' ', condition.len) != NULL);

	if (filter->len > 0)
		buf_str(filter, " and ");
	buf_str(filter, before);
	buf_str(filter, joined ? "(" : "");
	buf_span(filter, condition);
	buf_str(filter, joined ? ")" : "");
}

/* What stands between backticks, as a condition. */
static enum condition
take_code(const struct condition_of *of, struct span code, bool negated_, struct buf *filter)
{
	struct span text = span_trim(span_of(code.p + 1, code.len < 2 ? 0 : code.len - 2));
	struct span rest;

	if (span_begins_word(text, "where "))
		text = span_trim(formula_from(text, 6));
	rest = text;
	if (text.len == 0 || formula_aggregates(text) || sql_length(of, text) != text.len) {
		/* What the reader does not know may still be one: the compiler says.  A lone name must be a known column. */
		bool compares = false;

		for (size_t i = 0; i < rest.len; i++)
			compares = compares || is_one_of(rest.p[i], "=<>") || rest.p[i] == ' ';
		if (text.len == 0 || formula_aggregates(text) || !compares)
			return CONDITION_UNKNOWN;
	}
	add(filter, negated_ ? "not " : "", text);
	return CONDITION_TAKEN;
}

/* The things that are left out, or alone count. */
static enum condition
take_things(const struct condition_of *of, const struct span *v, size_t n, bool out, struct buf *filter)
{
	const struct source_column *c;
	char text[300];

	while (n > 0 && span_is_any_word(v[0], articles)) {
		v++;
		n--;
	}
	if (n == 1 && v[0].p[0] == '`')
		return take_code(of, v[0], out, filter);
	if (n > 0 && is_noun(of, v[n - 1]))
		n--;
	if (n == 0)
		return out ? CONDITION_UNKNOWN : CONDITION_NONE;
	if ((c = flag(of, v, n)) == NULL || strlen(c->name) >= sizeof(text))
		return CONDITION_UNKNOWN;
	add(filter, out ? "not " : "", span_str(c->name));
	return CONDITION_TAKEN;
}

/* Several, "test and cancelled orders", of what is left out; "paid and shipped orders" may be either. */
static enum condition
take_all(const struct condition_of *of, const struct span *v, size_t n, bool out, struct buf *filter)
{
	static const char *const joins[] = { "and", "or", "und", "oder", "et", "ou", "y", "o", "e", NULL };
	enum condition r = CONDITION_NONE, each;
	size_t start = 0;

	for (size_t i = 0; i <= n; i++) {
		if (i < n && !span_is_any_word(v[i], joins))
			continue;
		if ((i < n && !out) || i == start)
			return CONDITION_UNKNOWN;
		if ((each = take_things(of, v + start, i - start, out, filter)) == CONDITION_UNKNOWN)
			return each;
		r = each == CONDITION_TAKEN ? each : r;
		start = i + 1;
	}
	return r;
}

static bool
is_unit(const struct words *w, size_t from)
{
	bool unit = false;

	for (size_t i = from; i < w->n; i++)
		if (span_is_any_word(w->v[i], units))
			unit = true;
		else if (!span_is_any_word(w->v[i], beside_units))
			return false;
	/* "per cent" is one; "per day" is none, for it divides. */
	for (size_t i = from; i < w->n; i++)
		if (span_is_word(w->v[i], "per") && (i + 1 == w->n || !span_is_word(w->v[i + 1], "cent")))
			return false;
	return unit || (w->n == from + 2 && phrase_at(w, from, "per cent") == 2) ||
	    (w->n == from + 3 && phrase_at(w, from, "in per cent") == 3);
}

/* Thousands of what the formula does not divide, and euros of a column that counts cents, are another number. */
static bool
fits_unit(const struct condition_of *of, const struct words *w)
{
	if (of->unscaled && any_in(w, scales))
		return false;
	return !of->cents || !any_in(w, whole_units) || any_in(w, parts_of_units);
}

/* "(NR)" of net revenue; "(EU)" of it limits. */
static bool
is_abbreviation(const struct condition_of *of, const struct words *w)
{
	size_t at = 0;

	if (w->n != 1 || w->v[0].len > 8 || of->subject.len == 0 || ascii_lower(of->subject.p[0]) != ascii_lower(w->v[0].p[0]))
		return false;
	for (size_t i = 0; i < w->v[0].len; i++, at++) {
		if (!ascii_is_upper(w->v[0].p[i]) && !ascii_is_digit(w->v[0].p[i]))
			return false;
		while (at < of->subject.len && ascii_lower(of->subject.p[at]) != ascii_lower(w->v[0].p[i]))
			at++;
		if (at == of->subject.len)
			return false;
	}
	return true;
}

static enum condition
take_piece(const struct condition_of *of, struct span text, struct buf *filter)
{
	struct words w;
	size_t at = 0, n;

	split(text, &w);
	if (w.cut)
		return CONDITION_UNKNOWN;
	while (at < w.n && span_is_any_word(w.v[at], idle) && !span_is_word(w.v[at], "so"))
		at++;
	if (at < w.n && is_unit(&w, at))
		return fits_unit(of, &w) ? CONDITION_NONE : CONDITION_UNKNOWN;
	if (at == w.n || is_abbreviation(of, &w))
		return CONDITION_NONE;
	/* "but only for" is one opening. */
	if (at > 0 && span_is_word(w.v[at - 1], "but") && (n = any_at(&w, at - 1, counting)) > 1)
		at--;
	if ((n = any_at(&w, at, where_words)) > 0)
		return at + n + 1 == w.n && w.v[w.n - 1].p[0] == '`' ? take_code(of, w.v[w.n - 1], false, filter) :
		    CONDITION_UNKNOWN;
	if ((n = any_at(&w, at, leaving_out)) > 0)
		return at + n == w.n ? CONDITION_UNKNOWN : take_all(of, w.v + at + n, w.n - at - n, true, filter);
	if ((n = any_at(&w, at, counting)) > 0) {
		size_t end = w.n;

		if (end > at + n && (span_is_word(w.v[end - 1], "only") || span_is_word(w.v[end - 1], "alone")))
			end--;
		return at + n == end ? CONDITION_UNKNOWN : take_all(of, w.v + at + n, end - at - n, false, filter);
	}
	/* "test orders excluded", "paid orders only" */
	if (w.n - at >= 2 && (span_is_word(w.v[w.n - 1], "excluded") || span_is_word(w.v[w.n - 1], "ausgenommen")))
		return take_all(of, w.v + at, w.n - at - 1, true, filter);
	if (w.n - at >= 2 && span_is_word(w.v[w.n - 1], "only"))
		return take_all(of, w.v + at, w.n - at - 1, false, filter);
	return CONDITION_UNKNOWN;
}

/* Where the next piece of text ends: at punctuation, but not within code. */
static size_t
piece_length(struct span s)
{
	size_t n;

	for (size_t i = 0; i < s.len; i += n) {
		n = s.p[i] == '`' ? code_length(formula_from(s, i)) : 1;
		if (is_one_of(s.p[i], ",;:()[]"))
			return i;
		if (s.len - i >= 3 && s.p[i] == 0xe2 && s.p[i + 1] == 0x80 && (s.p[i + 2] == 0x93 || s.p[i + 2] == 0x94))
			return i;
		if (i > 0 && s.p[i] == '-' && ascii_is_space(s.p[i - 1]) && i + 1 < s.len && ascii_is_space(s.p[i + 1]))
			return i;
	}
	return s.len;
}

/* Without the punctuation before a piece. */
static struct span
skip_marks(struct span s)
{
	for (;;) {
		if (s.len > 0 && (is_one_of(s.p[0], ",;:()[].!*_-") || ascii_is_space(s.p[0])))
			s = formula_from(s, 1);
		else if (s.len >= 3 && s.p[0] == 0xe2 && s.p[1] == 0x80 && (s.p[2] == 0x93 || s.p[2] == 0x94))
			s = formula_from(s, 3);
		else
			return s;
	}
}

/* "where status = 'paid'" at the start of s; what it takes of s, 0: nothing. */
static size_t
take_where(const struct condition_of *of, struct span s, struct buf *filter)
{
	static const char *const openings[] = { "filter (where ", "and where ", "but only where ", "only where ", "where ", NULL };
	size_t n;

	for (const char *const *o = openings; *o != NULL; o++) {
		size_t skip = strlen(*o), end;

		if (!span_begins_word(s, *o) || (n = sql_length(of, formula_from(s, skip))) == 0)
			continue;
		end = skip + n;
		/* Nothing but punctuation may follow: "where status = 'paid' or the like" is no condition in SQL. */
		if (end < s.len && !is_one_of(s.p[end], ",;:.)"))
			return 0;
		add(filter, "", span_trim(span_of(s.p + skip, n)));
		return end;
	}
	return 0;
}

enum condition
condition_part(const struct condition_of *of, struct span text, struct buf *filter, struct span *what)
{
	enum condition r = CONDITION_NONE, each;

	for (text = skip_marks(text); text.len > 0; text = skip_marks(text)) {
		size_t n = take_where(of, text, filter);

		each = n > 0 ? CONDITION_TAKEN : CONDITION_NONE;
		if (n == 0) {
			n = piece_length(text);
			each = take_piece(of, span_of(text.p, n), filter);
		}
		if (each == CONDITION_UNKNOWN) {
			*what = span_trim(text);
			return each;
		}
		r = each == CONDITION_TAKEN ? each : r;
		text = formula_from(text, n);
	}
	return r;
}

/* --- sentences ---------------------------------------------------------------------------------- */

bool
condition_suspected(struct span sentence)
{
	struct words w;

	split(sentence, &w);
	if (w.cut || any_in(&w, limiting))
		return true;
	for (size_t i = 0; i < w.n; i++) {
		if (w.v[i].p[0] == '`')
			for (size_t k = 0; k < w.v[i].len; k++)
				if (is_one_of(w.v[i].p[k], "=<>"))
					return true;
		/* A year, and a sign between two words, may be a limit. */
		if (is_year(w.v[i]))
			return true;
		if (w.v[i].len <= 2 && is_one_of(w.v[i].p[0], "=<>"))
			return true;
	}
	return any_in(&w, negations) && !any_in(&w, cautions);
}

bool
condition_takes_away(struct span sentence)
{
	struct words w;

	split(sentence, &w);
	return w.cut || any_in(&w, taking_away);
}

bool
condition_doubts(struct span name_)
{
	struct words w;

	split(name_, &w);
	return w.cut || any_in(&w, doubting) || (w.n > 0 && any_at(&w, w.n - 1, negations) > 0);
}

bool
condition_divides(struct span name_)
{
	struct words w;

	split(name_, &w);
	return any_in(&w, dividing);
}

bool
condition_mentions(const struct condition_of *of, struct span sentence)
{
	struct words w;

	split(sentence, &w);
	for (size_t i = 0; i < w.n; i++)
		if (alike(w.v[i], of->name))
			return true;
	return false;
}

enum condition
condition_sentence(const struct condition_of *of, struct span text, struct buf *filter)
{
	static const char *const subjects[] = { "it", "this", "that", "the measure", "they", "es", NULL };
	static const char *const leaves[] = { "excludes", "exclude", "ignores", "does not count", "does not include", "leaves out", "omits", NULL };
	static const char *const takes[] = { "counts only", "includes only", "only counts", "only includes", "is only for", "is for", NULL };
	static const char *const ends_out[] = { "are excluded", "is excluded", "are not counted", "are not included", "do not count",
		"don't count", "are left out", "are ignored", "are omitted", "sind ausgenommen", "zählen nicht", "werden nicht gezählt", NULL };
	static const char *const ends_in[] = { "count", "are counted", "are included", "zählen", "werden gezählt", NULL };
	struct span what;
	struct words w;
	size_t at, n;

	split(text, &w);
	if (w.cut)
		return CONDITION_UNKNOWN;
	at = any_at(&w, 0, subjects);
	if ((n = any_at(&w, at, leaves)) > 0 && at + n < w.n)
		return take_all(of, w.v + at + n, w.n - at - n, true, filter);
	if (at > 0 && (n = any_at(&w, at, takes)) > 0 && at + n < w.n)
		return take_all(of, w.v + at + n, w.n - at - n, false, filter);
	for (size_t i = 1; i < w.n; i++) {
		if ((n = any_at(&w, i, ends_out)) > 0 && i + n == w.n)
			return take_all(of, w.v, i, true, filter);
		if ((n = any_at(&w, i, ends_in)) > 0 && i + n == w.n && (span_is_word(w.v[0], "only") || span_is_word(w.v[0], "nur")))
			return i < 2 ? CONDITION_UNKNOWN : take_all(of, w.v + 1, i - 1, false, filter);
	}
	return condition_part(of, text, filter, &what);
}

size_t
condition_starts(struct span name_)
{
	size_t n;

	for (size_t i = 0; i < name_.len; i += n) {
		struct span word;

		for (n = 0; i + n < name_.len && !ascii_is_space(name_.p[i + n]); n++)
			;
		word = bare(span_of(name_.p + i, n));
		/* "in 2024", "2024 revenue", "Ohne Stornos Versandkosten" */
		if (span_is_any_word(word, of_names) || is_year(word))
			return i;
		n += n == 0;
	}
	return name_.len;
}
