#include <stdlib.h>
#include <utf8proc.h>

#include "ask/text_question.h"

/* A letter, a mark, a digit, a currency sign or "%". */
static bool
is_word_character(utf8proc_int32_t c)
{
	utf8proc_category_t kind = utf8proc_category(c);

	return (kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_NO) || kind == UTF8PROC_CATEGORY_SC ||
	    c == '%';
}

static size_t
character_at(struct span text, size_t at, utf8proc_int32_t *c)
{
	utf8proc_ssize_t n = utf8proc_iterate(text.p + at, (utf8proc_ssize_t)(text.len - at), c);

	if (n > 0)
		return (size_t)n;
	*c = ' ';
	return 1;
}

static bool
is_digit_at(struct span text, size_t at)
{
	return at < text.len && ascii_is_digit(text.p[at]);
}

/* The end of the number at `at`: digits, with single separators between them, and an exponent: "1E6". */
static size_t
number_end(struct span text, size_t at)
{
	bool exponent = false;

	while (is_digit_at(text, at) ||
	    (at < text.len && memchr(".,/:-", text.p[at], 5) != NULL && is_digit_at(text, at + 1)) ||
	    (!exponent && at < text.len && (text.p[at] | 0x20) == 'e' && is_digit_at(text, at + 1))) {
		exponent |= (text.p[at] | 0x20) == 'e';
		at++;
	}
	return at;
}

/* "€", "%": a word of its own next to a number. */
static bool
is_sign(utf8proc_int32_t c)
{
	return c == '%' || utf8proc_category(c) == UTF8PROC_CATEGORY_SC;
}

/* The end of the word that begins at `at`. */
static size_t
word_end(struct span text, size_t at, bool humps)
{
	bool lower = false;
	size_t end = at;
	utf8proc_int32_t first;

	if (at < text.len) {
		size_t n = character_at(text, at, &first);

		if (is_sign(first) && is_digit_at(text, at + n))
			return at + n;
	}
	while (end < text.len) {
		utf8proc_int32_t c;
		size_t n = character_at(text, end, &c);
		bool upper = utf8proc_category(c) == UTF8PROC_CATEGORY_LU;

		if (!is_word_character(c) || (humps && upper && lower))
			break;
		lower = utf8proc_category(c) == UTF8PROC_CATEGORY_LL;
		end += n;
	}
	return end;
}

bool
ask_is_any(struct span word, const char *words)
{
	while (*words != '\0') {
		size_t n = strcspn(words, " ");

		if (word.len == n && memcmp(word.p, words, n) == 0)
			return true;
		words += n + (words[n] == ' ');
	}
	return false;
}

struct span
ask_text(struct arena *a, struct buf *b)
{
	struct span text = arena_span(a, buf_view(b));

	buf_fini(b);
	return text;
}

struct span
ask_folded(struct arena *a, struct span s)
{
	utf8proc_uint8_t *folded = NULL;
	struct span out;
	uint8_t *copy;
	size_t i = 0;

	while (i < s.len && s.p[i] < 0x80)
		i++;
	if (i == s.len) {
		copy = arena_alloc(a, s.len + 1);
		for (i = 0; copy != NULL && i < s.len; i++)
			copy[i] = ascii_lower(s.p[i]);
		return span_of(copy, copy == NULL ? 0 : s.len);
	}
	utf8proc_ssize_t n = utf8proc_map(s.p, (utf8proc_ssize_t)s.len, &folded,
	    (utf8proc_option_t)(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD |
		UTF8PROC_IGNORE));

	out = n < 0 ? arena_span(a, s) : arena_span(a, span_of(folded, (size_t)n));
	free(folded);
	return out;
}

static bool
ends_in_any(struct span s, const char *const *endings)
{
	while (*endings != NULL && !span_ends(s, *endings))
		endings++;
	return *endings != NULL;
}

/* The word with a y for its last cut bytes. */
static struct span
ends_in_y(struct arena *a, struct span s, size_t cut)
{
	uint8_t *copy = arena_alloc(a, s.len);

	if (copy == NULL)
		return s;
	memcpy(copy, s.p, s.len - cut);
	copy[s.len - cut] = 'y';
	return span_of(copy, s.len - cut + 1);
}

/* countries: country; branches: branch; tickets: ticket; status, class, analysis stay. */
static struct span
stem_english(struct arena *a, struct span s)
{
	static const char *const keep[] = { "ss", "us", "is", NULL }, *const long_o[] = { "shoes", "canoes", NULL },
		*const hissing[] = { "sses", "xes", "zzes", "tzes", "ches", "shes", NULL };
	bool es;

	/* movie, movies: movy */
	if (span_ends(s, "ie") && s.len > 4)
		return ends_in_y(a, s, 2);
	if (!span_is_str(s, "ids") && (s.len < 4 || s.p[s.len - 1] != 's' || ends_in_any(s, keep)))
		return s;
	if (span_ends(s, "ies") && s.len > 4)
		return ends_in_y(a, s, 3);
	/* heroes, potatoes; statuses, bonuses; not houses, causes */
	es = ends_in_any(s, hissing) || (span_ends(s, "oes") && s.len > 5 && !ends_in_any(s, long_o)) ||
	    (span_ends(s, "uses") && s.len > 5 && s.p[s.len - 5] != 'o' && s.p[s.len - 5] != 'a');
	return span_of(s.p, s.len - (es ? 2 : 1));
}

/*
 * Länder, Ländern: land; Kunden, Kunde: kund; Rechnungen: rechnung.  Endings are removed until none is left, as the
 * rest of a plural may look like a plural itself: Stationen and Station: statio; Preise and Preis: prei.
 */
static struct span
stem_german(struct arena *a, struct span s)
{
	static const char *const endings[] = { "ern", "en", "er", "es", "em", "e", "n", "s", NULL };
	uint8_t *copy = arena_alloc(a, s.len + 1);
	size_t n = 0;

	if (copy == NULL)
		return s;
	for (size_t i = 0; i < s.len; i++) {
		uint8_t next = i + 1 < s.len && s.p[i] == 0xc3 ? s.p[i + 1] : 0;
		uint8_t plain = next == 0xa4 ? 'a' : next == 0xb6 ? 'o' : next == 0xbc ? 'u' : 0;

		/* "schueler" of a schema is "Schüler" */
		if (i + 1 < s.len && s.p[i + 1] == 'e' && ascii_is_any(s.p[i], "aou") &&
		    (i == 0 || !ascii_is_any(s.p[i - 1], "aeiouq")))
			plain = s.p[i];
		i += plain != 0;
		copy[n++] = plain != 0 ? plain : s.p[i];
	}
	s = span_of(copy, n);
	for (size_t i = 0; endings[i] != NULL;) {
		bool goes = span_ends(s, endings[i]) && s.len >= strlen(endings[i]) + 4;

		if (goes)
			s.len -= strlen(endings[i]);
		i = goes ? 0 : i + 1;
	}
	return s;
}

/* One word in names: avg_price, average_price, mean_price. */
static bool
is_average(struct span folded)
{
	return span_is_str(folded, "avg") || span_is_str(folded, "mean");
}

/* All ASCII capitals. */
static bool
is_upper(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] < 'A' || s.p[i] > 'Z')
			return false;
	return s.len > 0;
}

static int
token_make(struct arena *a, struct span text, bool number, struct ask_token *t)
{
	utf8proc_int32_t first;

	(void)character_at(text, 0, &first);
	*t = (struct ask_token){ .text = text, .number = number };
	t->capital = utf8proc_category(first) == UTF8PROC_CATEGORY_LU;
	t->upper = is_upper(text);
	t->folded = ask_folded(a, text);
	if (t->folded.p == NULL)
		return -1;
	t->stem = number ? t->folded : is_average(t->folded) ? SPAN("average") : stem_english(a, t->folded);
	t->german = number ? t->folded : stem_german(a, t->folded);
	t->plural = t->stem.len != t->folded.len && !is_average(t->folded);
	return 0;
}

/* The 's of "what's", and its apostrophe. */
static bool
is_possessive(struct span text, size_t apostrophe_end)
{
	utf8proc_int32_t c;

	if (apostrophe_end >= text.len || ascii_lower(text.p[apostrophe_end]) != 's')
		return false;
	if (apostrophe_end + 1 == text.len)
		return true;
	(void)character_at(text, apostrophe_end + 1, &c);
	return !is_word_character(c);
}

static bool
is_quote(utf8proc_int32_t c)
{
	return c == '"' || c == 0x201c || c == 0x201d || c == 0x201e || c == 0xab || c == 0xbb;
}

/* Whether the number that ends there is a whole word: "500", "500€", but not "3rd". */
static bool
is_number_whole(struct span text, size_t end)
{
	utf8proc_int32_t c;

	if (end == text.len)
		return true;
	(void)character_at(text, end, &c);
	return is_sign(c) || !is_word_character(c);
}

/* The end of the comparison sign at `at`: "<", ">=", "=", "!=", "≥"; `at` itself: there is none. */
static size_t
sign_end(struct span text, size_t at)
{
	size_t end = at;

	if (at + 1 < text.len && text.p[at] == '!' && text.p[at + 1] != '=')
		return at;
	while (end < text.len) {
		utf8proc_int32_t c;
		size_t n = character_at(text, end, &c);

		if (c != '<' && c != '>' && c != '=' && c != 0x2264 && c != 0x2265 && c != 0x2260 &&
		    !(c == '!' && end == at && at + 1 < text.len))
			break;
		end += n;
	}
	return end;
}

struct ask_token *
ask_tokens(struct arena *a, struct span text, bool humps, size_t max, size_t *n)
{
	size_t at = 0, room = text.len / 2 + 2;
	struct ask_token *tokens = arena_array(a, room < max + 1 ? room : max + 1, sizeof(*tokens));
	bool comma = false, quoted = false, joined = false, lower = false;

	*n = 0;
	while (tokens != NULL && at < text.len && *n <= max) {
		utf8proc_int32_t c;
		size_t step = character_at(text, at, &c), end;
		bool number;

		if ((end = sign_end(text, at)) == at && !is_word_character(c)) {
			comma |= c == ',' || c == ';' || c == '.' || c == '?' || c == '!';
			quoted ^= is_quote(c);
			joined = (c == '\'' || c == 0x2019) && *n > 0 &&
			    tokens[*n - 1].text.p + tokens[*n - 1].text.len == text.p + at;
			at += step;
			if (joined && is_possessive(text, at))
				at++;
			continue;
		}
		number = end == at && is_digit_at(text, at);
		if (number) {
			end = number_end(text, at);
			number = is_number_whole(text, end);
			end = number ? end : at;
		}
		if (end == at)
			end = word_end(text, at, humps);
		if (end == at || token_make(a, span_of(text.p + at, end - at), number, &tokens[*n]) != 0)
			return NULL;
		tokens[*n].comma = comma;
		tokens[*n].quoted = quoted;
		tokens[*n].contracted = joined && tokens[*n].text.p == text.p + at;
		lower |= !tokens[*n].upper && !tokens[*n].capital && !number;
		comma = joined = false;
		++*n;
		at = end;
	}
	for (size_t i = 0; tokens != NULL && i < *n && i < max; i++)
		tokens[i].upper &= lower;
	return tokens;
}

struct ask_words
ask_words_of(struct arena *a, struct span name, bool humps)
{
	struct ask_words words;

	words.t = ask_tokens(a, name, humps, ASK_NAME_WORDS_MAX, &words.n);
	if (words.t == NULL || words.n > ASK_NAME_WORDS_MAX)
		words.n = 0;
	return words;
}

bool
ask_words_have(struct ask_words words, struct span stem)
{
	for (size_t i = 0; i < words.n; i++)
		if (span_is(words.t[i].stem, stem))
			return true;
	return false;
}

struct span
ask_key(struct arena *a, const struct ask_token *t, size_t n, bool german)
{
	size_t len = 0, at = 0;
	uint8_t *p;

	for (size_t i = 0; i < n; i++)
		len += 1 + (german ? t[i].german : t[i].stem).len;
	if ((p = arena_alloc(a, len + 1)) == NULL)
		return SPAN_NONE;
	for (size_t i = 0; i < n; i++) {
		struct span word = german ? t[i].german : t[i].stem;

		if (i > 0)
			p[at++] = ' ';
		memcpy(p + at, word.p, word.len);
		at += word.len;
	}
	return span_of(p, at);
}

struct span
ask_joined(struct arena *a, const struct ask_token *t, size_t n)
{
	size_t len = 0, at = 0;
	uint8_t *p;

	for (size_t i = 0; i < n; i++)
		len += i + 1 < n ? t[i].folded.len : t[i].stem.len;
	if ((p = arena_alloc(a, len + 1)) == NULL)
		return SPAN_NONE;
	for (size_t i = 0; i < n; i++) {
		struct span word = i + 1 < n ? t[i].folded : t[i].stem;

		memcpy(p + at, word.p, word.len);
		at += word.len;
	}
	return span_of(p, at);
}

/* How many different letters the word has that the other one has not; each of them is at least one change. */
static unsigned
other_letters(struct span word, struct span other)
{
	uint32_t mine = 0, its = 0;

	for (size_t i = 0; i < word.len; i++)
		mine |= 1u << (word.p[i] & 31);
	for (size_t i = 0; i < other.len; i++)
		its |= 1u << (other.p[i] & 31);
	return (unsigned)__builtin_popcount(mine & ~its);
}

unsigned
ask_distance(struct span a, struct span b, unsigned limit)
{
	unsigned rows[3][65], *before = rows[0], *last = rows[1], *now = rows[2];

	if (a.len > 64 || b.len > 64 || (a.len > b.len ? a.len - b.len : b.len - a.len) > limit ||
	    other_letters(a, b) > limit || other_letters(b, a) > limit)
		return limit + 1;
	for (unsigned j = 0; j <= b.len; j++)
		last[j] = j;
	for (size_t i = 1; i <= a.len; i++) {
		unsigned *swap = before, best = now[0] = (unsigned)i;

		for (size_t j = 1; j <= b.len; j++) {
			unsigned d = last[j - 1] + (a.p[i - 1] != b.p[j - 1]);

			d = last[j] + 1 < d ? last[j] + 1 : d;
			d = now[j - 1] + 1 < d ? now[j - 1] + 1 : d;
			if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1] &&
			    before[j - 2] + 1 < d)
				d = before[j - 2] + 1;
			now[j] = d;
			best = d < best ? d : best;
		}
		if (best > limit)
			return limit + 1;
		before = last;
		last = now;
		now = swap;
	}
	return last[b.len];
}

struct ask_probe
ask_probe_of(struct arena *a, struct span source, struct span column, struct span text)
{
	struct ask_probe p = { .source = source, .column = column, .text = text };
	struct buf filter = { 0 };

	p.field = span_str(arena_printf(a, "%.*s.%.*s", SPAN_FMT(source), SPAN_FMT(column)));
	/* in any spelling, as the known values are */
	buf_printf(&filter, "lower(trim(%.*s || '')) = lower(", SPAN_FMT(p.field));
	buf_quoted(&filter, text, '\'');
	buf_str(&filter, ")");
	p.filter = ask_text(a, &filter);
	return p;
}
