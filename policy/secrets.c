#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "policy/secrets.h"
#include "policy/token.h"

#define CUT_MIN		8u	/* characters of a secret that is cut off; fewer tell nothing */
#define DRAWN_CUT_MIN	33u	/* of a drawn one, which has no prefix; ids are shorter */
#define REFRESH		"crlrt_"
#define JWT		"eyJ"
#define JWT_HEADER_MIN	10u
#define BEARER_MIN	16u
#define BLANK		" \t\r\n\"'<>`"	/* what ends a URL in a text */

/* Bytes [from, to) of a text. */
struct cut {
	size_t	from, to;
};

static size_t
word_end(struct span text, size_t at)
{
	while (at < text.len && ascii_is_token(text.p[at]))
		at++;
	return at;
}

/* The digits of a connectivity token's secret that follow text.p[at], the "_" in front of an id.  0: none is there. */
static size_t
token_secret(struct span text, size_t at)
{
	size_t begin = at + 1 + POLICY_TOKEN_ID + 1, n = 0;

	if (at == 0 || !ascii_is_alnum(text.p[at - 1]) || begin > text.len || text.p[begin - 1] != '_')
		return 0;
	for (size_t i = at + 1; i < begin - 1; i++)
		if (!ascii_is_alnum(text.p[i]))
			return 0;
	while (begin + n < text.len && ascii_hex(text.p[begin + n]) >= 0)
		n++;
	return n >= POLICY_TOKEN_SECRET || (n >= CUT_MIN && begin + n == text.len) ? n : 0;
}

static bool
cut_token(struct span text, size_t at, size_t end, struct cut *c)
{
	for (size_t i = at; i < end; i++) {
		size_t n = text.p[i] == '_' ? token_secret(text, i) : 0;

		if (n == 0)
			continue;
		c->from = i + 1 + POLICY_TOKEN_ID + 1;
		c->to = c->from + n;
		return true;
	}
	return false;
}

/* crlrt_GRANT_NUMBER_MAC, or as much of it as is there. */
static bool
cut_refresh(struct span text, size_t at, size_t end, struct cut *c)
{
	const uint8_t *p = end - at < sizeof(REFRESH) - 1 + CUT_MIN ?
	    NULL :
	    memmem(text.p + at, end - at, REFRESH, sizeof(REFRESH) - 1);

	if (p == NULL)
		return false;
	*c = (struct cut){ (size_t)(p - text.p) + sizeof(REFRESH) - 1, end };
	return c->to - c->from >= CUT_MIN;
}

static bool
cut_jwt(struct span text, size_t at, size_t end, struct cut *c)
{
	if (end - at < JWT_HEADER_MIN || memcmp(text.p + at, JWT, sizeof(JWT) - 1) != 0 || end + 1 >= text.len ||
	    text.p[end] != '.' || !ascii_is_token(text.p[end + 1]))
		return false;
	*c = (struct cut){ at, end };
	while (c->to < text.len && (ascii_is_token(text.p[c->to]) || text.p[c->to] == '.'))
		c->to++;
	return true;
}

/* Random letters of both cases among digits change their kind all the time; words do not. */
static bool
is_drawn(const uint8_t *p, size_t n)
{
	size_t upper = 0, lower = 0, changes = 0;
	int before = 0;

	for (size_t i = 0; i < n; i++) {
		int kind = ascii_is_upper(p[i]) ? 1 : ascii_is_lower(p[i]) ? 2 : 3;

		upper += kind == 1;
		lower += kind == 2;
		changes += kind != before;
		before = kind;
	}
	return upper >= 4 && lower >= 4 && changes * 3 >= n;
}

static bool
cut_drawn(struct span text, size_t at, size_t end, struct cut *c)
{
	size_t n = end - at;

	if ((n != POLICY_SECRET_DRAWN && (end < text.len || n < DRAWN_CUT_MIN || n > POLICY_SECRET_DRAWN)) ||
	    !is_drawn(text.p + at, n))
		return false;
	*c = (struct cut){ at, end };
	return true;
}

/* scheme://user:password@host, where text.p[at] is the first ":". */
static bool
cut_url(struct span text, size_t at, struct cut *c)
{
	size_t from = at + 3, last = 0;
	bool port = true;

	if (at + 3 > text.len || memcmp(text.p + at, "://", 3) != 0)
		return false;
	while (from < text.len && text.p[from] != ':' && !ascii_is_any(text.p[from], "/?#@" BLANK))
		from++;
	if (from >= text.len || text.p[from] != ':')
		return false;
	from++;
	for (size_t i = from; i < text.len && !ascii_is_any(text.p[i], BLANK); i++) {
		/* host:port, and what follows is a path. */
		if (port && i > from && ascii_is_any(text.p[i], "/?#"))
			break;
		port = port && ascii_is_digit(text.p[i]);
		if (text.p[i] == '@')
			last = i;
	}
	*c = (struct cut){ from, last };
	return last > from;
}

enum secret_place { FORM = 1, ANYWHERE, HEADER };

static enum secret_place
name_place(const uint8_t *p, size_t n)
{
	static const struct {
		const char *name;
		size_t n;
		enum secret_place place;
	} names[] = {
#define SECRET(name, place)	{ name, sizeof(name) - 1, place },
#include "policy/secrets.def"
#undef SECRET
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t k = 0;

		if (names[i].n != n)
			continue;
		while (k < n && (p[k] == '-' ? '_' : ascii_lower(p[k])) == (uint8_t)names[i].name[k])
			k++;
		if (k == n)
			return names[i].place;
	}
	return 0;
}

static size_t
past_blanks(struct span text, size_t at)
{
	while (at < text.len && (text.p[at] == ' ' || text.p[at] == '\t'))
		at++;
	return at;
}

static bool
is_quote(uint8_t c)
{
	return c == '"' || c == '\'';
}

/* The value at `from`: within quotes all of it, of an Authorization header the rest of the line, else a word. */
static bool
cut_value(struct span text, size_t from, bool line, struct cut *c)
{
	size_t to;
	uint8_t quote = 0;

	if (from < text.len && is_quote(text.p[from]))
		quote = text.p[from++];
	for (to = from; to < text.len; to++) {
		uint8_t b = text.p[to];

		if (quote != 0 ? b == quote :
				 b == '\r' || b == '\n' || is_quote(b) || (!line && ascii_is_any(b, "&#,; \t<>(){}")))
			break;
	}
	*c = (struct cut){ from, to };
	return to > from;
}

/* [at, end) is a word: does it name a secret that follows? */
static bool
cut_named(struct span text, size_t at, size_t end, struct cut *c)
{
	size_t i = past_blanks(text, end + (end < text.len && is_quote(text.p[end])));
	bool form = i == end && (at == 0 || ascii_is_any(text.p[at - 1], "?&#"));
	enum secret_place place;

	if (i >= text.len || (text.p[i] != '=' && text.p[i] != ':'))
		return false;
	/* "::" is a cast. */
	if (i + 1 < text.len && ascii_is_any(text.p[i + 1], ":>="))
		return false;
	place = name_place(text.p + at, end - at);
	if (place == FORM && (!form || text.p[i] == ':'))
		return false;
	return place != 0 && cut_value(text, past_blanks(text, i + 1), place == HEADER, c);
}

static bool
cut_bearer(struct span text, size_t at, size_t end, struct cut *c)
{
	size_t from = end + 1;

	if (end - at != 6 || from >= text.len || text.p[end] != ' ')
		return false;
	for (size_t i = 0; i < 6; i++)
		if (ascii_lower(text.p[at + i]) != (uint8_t) "bearer"[i])
			return false;
	*c = (struct cut){ from, from };
	while (c->to < text.len && (ascii_is_token(text.p[c->to]) || ascii_is_any(text.p[c->to], "._~+/=")))
		c->to++;
	return c->to - c->from >= BEARER_MIN;
}

static bool
cut_fixed(struct span text, size_t at, struct span fixed, struct cut *c)
{
	const uint8_t *p =
	    fixed.len < POLICY_SECRET_FIXED_MIN ? NULL : memmem(text.p + at, text.len - at, fixed.p, fixed.len);

	if (p == NULL)
		return false;
	*c = (struct cut){ (size_t)(p - text.p), (size_t)(p - text.p) + fixed.len };
	return true;
}

/* The first secret of the word [at, end), or that it names; of several that begin there the longest. */
static bool
cut_word(struct span text, size_t at, size_t end, struct cut *c)
{
	static bool (*const forms[])(struct span text, size_t at, size_t end, struct cut *c) = { cut_refresh, cut_token,
		cut_jwt, cut_drawn, cut_named, cut_bearer };
	bool found = false;
	struct cut one;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (forms[i](text, at, end, &one) &&
		    (!found || one.from < c->from || (one.from == c->from && one.to > c->to))) {
			*c = one;
			found = true;
		}
	return found;
}

/*
 * A secret that is known may stand before the one that was found by its form, in the same word or URL, or share bytes
 * with it: both are cut, and what is between them, for without it the form would not be found again.
 */
static void
cut_known(const struct cut *known, struct cut *c)
{
	if (known->from >= c->to)
		return;
	c->from = known->from < c->from ? known->from : c->from;
	c->to = known->to > c->to ? known->to : c->to;
}

/* The first secret at or behind `at`. */
static bool
cut_next(struct span text, size_t at, struct span fixed, struct cut *c)
{
	struct cut known = { text.len, text.len };
	bool found = cut_fixed(text, at, fixed, &known);

	while (at < known.from) {
		size_t end = word_end(text, at);

		if (end == at ? text.p[at] == ':' && cut_url(text, at, c) : cut_word(text, at, end, c)) {
			cut_known(&known, c);
			return true;
		}
		at = end == at ? at + 1 : end;
	}
	*c = known;
	return found;
}

/* raw[i]: where in raw_text byte i of the text comes from; NULL: they are the same. */
static bool
hide_in(struct span text, struct span raw_text, const uint32_t *raw, struct span fixed, struct buf *out)
{
	size_t at = 0, done = 0;
	struct cut c;

	while (cut_next(text, at, fixed, &c)) {
		size_t from = raw == NULL ? c.from : raw[c.from], to = raw == NULL ? c.to : raw[c.to];

		buf_append(out, raw_text.p + done, from - done);
		buf_str(out, "***");
		done = to;
		at = c.to;
	}
	if (at > 0)
		buf_append(out, raw_text.p + done, raw_text.len - done);
	return at > 0;
}

#define LAYERS	8u	/* of encoding; a client or server undoes two at most */

/* An escape: its beginning, then that many hexadecimal digits. */
static const struct escape {
	char	begins[3];
	size_t	digits;
} escapes[] = { { "%", 2 }, { "\\u", 4 }, { "\\x", 2 }, { "\\", 4 } };

/* The ASCII character that an escape at text.p[at] stands for, and in *took its length; -1 if none. */
static int
unescape_at(struct span text, size_t at, size_t *took)
{
	*took = 2;
	if (text.p[at] == '\\' && at + 1 < text.len && ascii_is_any(text.p[at + 1], "\\/\"'"))
		return text.p[at + 1];
	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
		size_t begin = strlen(escapes[i].begins), k = 0;
		unsigned value = 0;

		*took = begin + escapes[i].digits;
		if (text.len - at < *took || memcmp(text.p + at, escapes[i].begins, begin) != 0)
			continue;
		for (; k < escapes[i].digits && ascii_hex(text.p[at + begin + k]) >= 0; k++)
			value = value << 4 | (unsigned)ascii_hex(text.p[at + begin + k]);
		if (k == escapes[i].digits && value < 0x80)
			return (int)value;
	}
	return -1;
}

/* A text as decoded so far. */
struct decoded {
	uint8_t		*p;
	uint32_t	*raw;	/* where each byte comes from, and where the text ends */
	size_t		 n;
};

/* Undo one layer of encoding, in place.  False if none. */
static bool
decode_layer(struct decoded *d)
{
	size_t n = 0, took;
	bool any = false;

	for (size_t i = 0; i < d->n; i += took) {
		int byte = d->p[i] == '%' || d->p[i] == '\\' ? unescape_at(span_of(d->p, d->n), i, &took) : -1;

		any = any || byte >= 0;
		if (byte < 0) {
			took = 1;
			byte = d->p[i];
		}
		d->raw[n] = d->raw[i];
		d->p[n++] = (uint8_t)byte;
	}
	d->raw[n] = d->raw[d->n];
	d->n = n;
	return any;
}

/* Undo that many layers of text and hide what is found then, unless it has fewer. */
static void
hide_layer(unsigned layers, struct buf *text, struct span fixed)
{
	struct decoded d = { .n = text->len };
	struct buf hidden = { .max = 0 };
	bool more = true;

	d.p = mem_new(text->len + 1, 1);
	d.raw = mem_new(text->len + 1, sizeof(*d.raw));
	memcpy(d.p, text->p, text->len);
	for (size_t i = 0; i <= d.n; i++)
		d.raw[i] = (uint32_t)i;
	while (layers-- > 0 && more)
		more = decode_layer(&d);
	if (more && hide_in(span_of(d.p, d.n), buf_view(text), d.raw, fixed, &hidden)) {
		buf_reset(text, SIZE_MAX);
		buf_span(text, buf_view(&hidden));
	}
	buf_fini(&hidden);
	free(d.p);
	free(d.raw);
}

bool
policy_secrets_hide(struct span text, struct span fixed, struct buf *out)
{
	struct buf all = { .max = 0 };
	bool hidden;

	if (text.len == 0 || (memchr(text.p, '%', text.len) == NULL && memchr(text.p, '\\', text.len) == NULL))
		return hide_in(text, text, NULL, fixed, out);
	/* The innermost first: half decoded, a secret may look like the beginning of one. */
	buf_span(&all, text);
	for (unsigned layers = LAYERS + 1; layers-- > 0;)
		hide_layer(layers, &all, fixed);
	hidden = !span_is(buf_view(&all), text);
	if (hidden)
		buf_span(out, buf_view(&all));
	buf_fini(&all);
	return hidden;
}
