/* derive.c - see derive.h. */
#include <string.h>

#include "workers/search/derive.h"

#define LEAST	3	/* letters of a word that others are made from, */
#define REST_LEAST 2	/* and of what stands before the ending that changes */

/* --- irregular verbs ------------------------------------------------------------- */

/* Legend: other forms, then the plain one; not those that are other words as well (found, left, rose, saw). */
static const char *const irregular[][3] = {
	{ "began", "begun", "begin" }, { "bought", "", "buy" }, { "broke", "broken", "break" }, { "brought", "", "bring" },
	{ "built", "", "build" }, { "came", "", "come" }, { "caught", "", "catch" }, { "chose", "chosen", "choose" },
	{ "dealt", "", "deal" }, { "drank", "drunk", "drink" }, { "drew", "drawn", "draw" }, { "drove", "driven", "drive" },
	{ "ate", "eaten", "eat" }, { "fed", "", "feed" }, { "fell", "fallen", "fall" }, { "flew", "flown", "fly" },
	{ "forgot", "forgotten", "forget" }, { "froze", "frozen", "freeze" }, { "gave", "given", "give" },
	{ "grew", "grown", "grow" }, { "held", "", "hold" }, { "hid", "hidden", "hide" }, { "kept", "", "keep" },
	{ "laid", "", "lay" }, { "led", "", "lead" }, { "lent", "", "lend" }, { "lost", "", "lose" },
	{ "made", "", "make" }, { "met", "", "meet" }, { "paid", "", "pay" }, { "ran", "", "run" },
	{ "rode", "ridden", "ride" }, { "sent", "", "send" }, { "shipped", "", "ship" }, { "shot", "", "shoot" },
	{ "slept", "", "sleep" }, { "sold", "", "sell" }, { "sought", "", "seek" }, { "spent", "", "spend" },
	{ "spoke", "spoken", "speak" }, { "stole", "stolen", "steal" }, { "struck", "", "strike" }, { "swam", "", "swim" },
	{ "taught", "", "teach" }, { "threw", "thrown", "throw" }, { "told", "", "tell" }, { "took", "taken", "take" },
	{ "tore", "torn", "tear" }, { "withdrew", "withdrawn", "withdraw" }, { "won", "", "win" },
	{ "wore", "worn", "wear" }, { "wrote", "written", "write" },
};

struct span
derive_plain(struct span folded)
{
	for (size_t i = 0; i < sizeof(irregular) / sizeof(irregular[0]); i++)
		for (size_t k = 0; k < 2; k++)
			if (folded.len > 0 && span_is_str(folded, irregular[i][k]))
				return span_str(irregular[i][2]);
	return span_of(NULL, 0);
}

/* --- endings ----------------------------------------------------------------------- */

/* Legend: how a verb ends, and how the noun made from it does. */
static const struct {
	const char	*verb, *noun;
} endings[] = {
	{ "", "ment" }, { "er", "ery" }, { "ire", "iry" }, { "ister", "istration" }, { "mit", "mission" },
	{ "scribe", "scription" }, { "duce", "duction" }, { "ceive", "ception" }, { "ceive", "ceipt" },
	{ "sume", "sumption" }, { "solve", "solution" }, { "vert", "version" }, { "pend", "pension" },
	{ "spond", "sponse" }, { "tend", "tension" }, { "fy", "fication" }, { "ply", "plication" },
	{ "quire", "quisition" }, { "clude", "clusion" }, { "cide", "cision" }, { "vise", "vision" },
	{ "pose", "position" }, { "vene", "vention" }, { "tain", "tention" }, { "tain", "tenance" },
	{ "plain", "plaint" }, { "ceed", "cess" },
};

/* Legend: words of which one is made from the other like no other. */
static const char *const pairs[][2] = {
	{ "able", "ability" }, { "absent", "absence" }, { "available", "availability" }, { "break", "breakage" },
	{ "choose", "choice" }, { "close", "closure" }, { "cover", "coverage" }, { "dead", "death" }, { "deep", "depth" },
	{ "depart", "departure" }, { "expose", "exposure" }, { "fail", "failure" }, { "fly", "flight" },
	{ "give", "gift" }, { "grow", "growth" }, { "high", "height" }, { "hot", "heat" }, { "ill", "illness" },
	{ "late", "lateness" }, { "liable", "liability" }, { "long", "length" }, { "lose", "loss" }, { "loyal", "loyalty" },
	{ "marry", "marriage" }, { "pack", "package" }, { "percent", "percentage" }, { "present", "presence" },
	{ "prove", "proof" }, { "safe", "safety" }, { "satisfy", "satisfaction" }, { "sell", "sale" },
	{ "short", "shortage" }, { "sick", "sickness" }, { "store", "storage" }, { "try", "trial" }, { "use", "usage" },
	{ "valid", "validity" }, { "weigh", "weight" }, { "wide", "width" },
};

/* What only looks as if it were made so. */
static const char *const chance[] = {
	"apartment", "department", "basement", "compartment", "statement", "document", "segment", "comment", "element",
	"moment", "cement", "garment", "parliament", "instrument", "argument", "increment", "complement", "compliment"
};

static bool
is_chance(struct span s)
{
	for (size_t i = 0; i < sizeof(chance) / sizeof(chance[0]); i++)
		if (span_is_str(s, chance[i]))
			return true;
	return false;
}

static bool
ends_in(struct span s, const char *ending)
{
	size_t n = strlen(ending);

	return s.len >= n && memcmp(s.p + s.len - n, ending, n) == 0;
}

static void
derive_add(struct derived *out, struct span head, const char *ending)
{
	size_t n = strlen(ending);

	if (out->n == DERIVE_MAX || head.len + n > TEXT_WORD_MAX)
		return;
	memcpy(out->v[out->n].text, head.p, head.len);
	memcpy(out->v[out->n].text + head.len, ending, n);
	out->v[out->n].len = head.len + n;
	if (!is_chance(span_of(out->v[out->n].text, out->v[out->n].len)))
		out->n++;
}

/* word with the ending `from` changed to `to`; enough of it must be left to be one. */
static void
change(struct span word, const char *from, const char *to, struct derived *out)
{
	size_t n = strlen(from);

	if (ends_in(word, from) && word.len >= n + (n == 0 ? LEAST : REST_LEAST))
		derive_add(out, span_of(word.p, word.len - n), to);
}

/* One plain form the word may be of: as a verb, and as a noun. */
static void
derive_from(struct span form, struct derived *out)
{
	if (form.len < LEAST)
		return;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		for (size_t k = 0; k < 2; k++)
			if (span_is_str(form, pairs[i][k]))
				derive_add(out, span_str(pairs[i][1 - k]), "");
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		change(form, endings[i].verb, endings[i].noun, out);
		if (!is_chance(form))
			change(form, endings[i].noun, endings[i].verb, out);
	}
}

/* Does it take es in place of s: pass, tax, finish? */
static bool
hisses(struct span s)
{
	return ends_in(s, "s") || ends_in(s, "x") || ends_in(s, "z") || ends_in(s, "ch") || ends_in(s, "sh");
}

/* The word without what verbs and nouns take on; text is for what is written anew. */
static size_t
plain_forms(struct span word, uint8_t text[TEXT_WORD_MAX], struct span forms[3])
{
	size_t cut = ends_in(word, "ing") ? 3 : ends_in(word, "ed") ? 2 : 0, n = 0;

	forms[n++] = word;
	if (cut == 0 && ends_in(word, "s") && !ends_in(word, "ss"))
		cut = ends_in(word, "es") && hisses(span_of(word.p, word.len - 2)) ? 2 : 1;
	if (cut == 0 || word.len < cut + LEAST)
		return n;
	word.len -= cut;
	forms[n++] = word;
	if (word.p[word.len - 1] == word.p[word.len - 2])
		forms[n++] = span_of(word.p, word.len - 1);
	else {
		memcpy(text, word.p, word.len);
		text[word.len] = 'e';
		forms[n++] = span_of(text, word.len + 1);
	}
	return n;
}

void
derive(struct span folded, struct derived *out)
{
	struct span forms[3], plain = derive_plain(folded);
	uint8_t text[TEXT_WORD_MAX];
	size_t n;

	out->n = 0;
	if (folded.len < LEAST || folded.len > TEXT_WORD_MAX)
		return;
	n = plain_forms(plain.len > 0 ? plain : folded, text, forms);
	if (plain.len > 0)
		derive_add(out, plain, "");
	for (size_t i = 0; i < n; i++)
		derive_from(forms[i], out);
}
