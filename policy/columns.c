#include "policy/columns.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/mp.h"

/* One part of a pattern.  A literal star is replaced by a byte that no name contains. */
#define LITERAL_STAR	0x01

struct rule {
	enum columns_action	 action;
	uint32_t		 scopes;	/* 0: everybody */
	struct buf		 pattern;	/* as the configuration spells it */
	struct buf		 part[3];	/* empty: matches any name */
	struct buf		 like[3];
};

struct columns {
	size_t		 n;
	uint32_t	 scopes;	/* the scopes of all rules */
	struct rule	*rules;
};

static const char *const names[] = { "clear", "hash", "mask", "hide" };

static int
bad(struct span pattern, const char *why, struct err *err)
{
	return err_set(err, ERR_INVALID_ARGUMENTS,
	    "the column pattern \"%.*s\" %s; write column, table.column or "
	    "schema.table.column, with * for any characters",
	    pattern.len > 80 ? 80 : (int)pattern.len, (const char *)pattern.p, why);
}

/* Reads one part at *at up to its end.  Returns NULL, or what is wrong with it. */
static const char *
read_part(struct span s, size_t *at, struct buf *out)
{
	bool quoted = *at < s.len && s.p[*at] == '"';

	for (*at += quoted; *at < s.len; ++*at) {
		uint8_t c = s.p[*at];

		if (c < 0x20)
			return "has a control character";
		if (quoted && c == '"') {
			if (*at + 1 == s.len || s.p[*at + 1] != '"')
				break;
			++*at;
		} else if (!quoted && c == '.')
			break;
		else if (!quoted && c == '"')
			return "has a quote inside a name";
		buf_byte(out, quoted && c == '*' ? LITERAL_STAR : c);
	}
	if (quoted && *at == s.len)
		return "has a quote without an end";
	*at += quoted;
	if (out->len == 0)
		return "has an empty part";
	return *at < s.len && s.p[*at] != '.' ? "has something behind a quoted name" : NULL;
}

/* Reads the parts from the left into part[0], part[1], …  Returns their number, or 0 with *why. */
static unsigned
read_parts(struct span s, struct buf part[3], const char **why)
{
	unsigned n = 0;
	size_t at = 0;

	*why = s.len == 0 ? "is empty" : s.len > COLUMNS_PATTERN_MAX ? "is too long" : NULL;
	while (*why == NULL) {
		if (n == 3) {
			*why = "has more than three parts";
			break;
		}
		*why = read_part(s, &at, &part[n++]);
		if (*why != NULL || at == s.len)
			break;
		at++;
	}
	return *why == NULL ? n : 0;
}

static void
spell_like(struct rule *r, unsigned i)
{
	for (size_t k = 0; k < r->part[i].len; k++) {
		uint8_t c = r->part[i].p[k];

		if (c == '%' || c == '_' || c == '\\')
			buf_byte(&r->like[i], '\\');
		buf_byte(&r->like[i], c == '*' ? '%' : c == LITERAL_STAR ? '*' : c);
	}
	buf_byte(&r->like[i], '\0');
}

static int
read_rule(struct rule *r, const struct mp_value *v, struct err *err)
{
	struct span action = mp_get_str(v, "action", span_of("", 0));
	struct span pattern = mp_get_str(v, "pattern", span_of("", 0));
	const char *why;
	unsigned n;

	for (r->action = COLUMNS_HIDE; r->action > COLUMNS_CLEAR; r->action--)
		if (span_is_str(action, names[r->action]))
			break;
	if (r->action == COLUMNS_CLEAR)
		return err_set(err, ERR_INVALID_ARGUMENTS, "a column rule is neither hide, mask nor hash");
	r->scopes = (uint32_t)mp_get_uint(v, "scopes", 0);
	buf_span(&r->pattern, pattern);
	if ((n = read_parts(pattern, r->part, &why)) == 0)
		return bad(pattern, why, err);
	/* The parts were read from the left, but belong to the right: the last one is the column. */
	for (unsigned i = 3; i-- > 3 - n;) {
		struct buf moved = r->part[i - (3 - n)];

		r->part[i - (3 - n)] = (struct buf){ 0 };
		r->part[i] = moved;
	}
	for (unsigned i = 0; i < 3; i++)
		spell_like(r, i);
	return 0;
}

int
columns_new(struct columns **out, struct span rules, struct err *err)
{
	struct columns *p = mem_new(1, sizeof(*p));
	struct mp_value array, item;
	struct mp_iter it;

	*out = p;
	if (rules.len == 0)
		return 0;
	if (!mp_value(rules, &array) || array.class != MP_ARRAY || array.n > COLUMNS_RULES_MAX)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the column policy is not a list of rules");
	p->rules = mem_new(array.n, sizeof(*p->rules));
	for (it = mp_iter(&array); mp_next(&it, &item);) {
		if (read_rule(&p->rules[p->n++], &item, err) == -1)
			return -1;
		p->scopes |= p->rules[p->n - 1].scopes;
	}
	return 0;
}

void
columns_free(struct columns *p)
{
	if (p == NULL)
		return;
	for (size_t i = 0; i < p->n; i++) {
		buf_fini(&p->rules[i].pattern);
		for (size_t k = 0; k < 3; k++) {
			buf_fini(&p->rules[i].part[k]);
			buf_fini(&p->rules[i].like[k]);
		}
	}
	free(p->rules);
	free(p);
}

static bool
is_same(uint8_t pattern, uint8_t c)
{
	return ascii_lower(pattern == LITERAL_STAR ? '*' : pattern) == ascii_lower(c);
}

/* Backtracks to the last star only: the text matched by earlier stars never has to grow. */
static bool
pattern_fits(const struct buf *pattern, struct span s)
{
	size_t p = 0, i = 0, star = SIZE_MAX, resume = 0;

	while (i < s.len)
		if (p < pattern->len && pattern->p[p] == '*') {
			star = p++;
			resume = i;
		} else if (p < pattern->len && is_same(pattern->p[p], s.p[i])) {
			p++;
			i++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			i = ++resume;
		} else
			return false;
	while (p < pattern->len && pattern->p[p] == '*')
		p++;
	return p == pattern->len;
}

/* Whether the rule's first n parts fit. */
static bool
parts_fit(const struct rule *r, const struct span *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (r->part[i].len > 0 && !pattern_fits(&r->part[i], name[i]))
			return false;
	return true;
}

static bool
is_seen(const struct rule *r, uint32_t view)
{
	return r->scopes == 0 || (r->scopes & view) != 0;
}

bool
columns_fits(const struct columns *p, size_t rule, struct span schema, struct span table, struct span column)
{
	return parts_fit(&p->rules[rule], (const struct span[]){ schema, table, column }, 3);
}

bool
columns_binds(const struct columns *p, uint32_t view, struct span schema, struct span table)
{
	for (size_t i = 0; p != NULL && i < p->n; i++)
		if (is_seen(&p->rules[i], view) && parts_fit(&p->rules[i], (const struct span[]){ schema, table }, 2))
			return true;
	return false;
}

enum columns_action
columns_decide(const struct columns *p, uint32_t view, struct span schema, struct span table, struct span column)
{
	enum columns_action worst = COLUMNS_CLEAR;

	for (size_t i = 0; p != NULL && i < p->n; i++) {
		const struct rule *r = &p->rules[i];

		if (r->action > worst && is_seen(r, view) && columns_fits(p, i, schema, table, column))
			worst = r->action;
	}
	return worst;
}

bool
columns_is_empty(const struct columns *p)
{
	return p == NULL || p->n == 0;
}

bool
columns_has(const struct columns *p, enum columns_action action)
{
	for (size_t i = 0; p != NULL && i < p->n; i++)
		if (p->rules[i].action == action)
			return true;
	return false;
}

uint32_t
columns_view(const struct columns *p, uint32_t scopes)
{
	return p == NULL ? 0 : scopes & p->scopes;
}

size_t
columns_count(const struct columns *p)
{
	return p == NULL ? 0 : p->n;
}

struct span
columns_pattern(const struct columns *p, size_t rule)
{
	return buf_view(&p->rules[rule].pattern);
}

const char *
columns_like(const struct columns *p, size_t rule, unsigned part)
{
	const struct rule *r = &p->rules[rule];

	return r->part[part].len == 0 ? NULL : (const char *)r->like[part].p;
}

void
columns_digest(const struct columns *p, char out[COLUMNS_DIGEST_TEXT])
{
	uint64_t h = HASH_START;

	out[0] = '\0';
	if (columns_is_empty(p))
		return;
	for (size_t i = 0; i < p->n; i++) {
		const struct rule *r = &p->rules[i];
		const uint64_t parts[] = { r->action, r->scopes, r->pattern.len };

		for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++)
			h = hash_step(h, parts[k]);
		h = hash_more(h, r->pattern.p, r->pattern.len);
	}
	snprintf(out, COLUMNS_DIGEST_TEXT, "1-%016llx", (unsigned long long)h);
}
