#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/json/json_read.h"
#include "base/text/num.h"
#include "project/config/preferences.h"

#define WORD_BYTES	100

enum kind { KIND_TEXT, KIND_WORDS, KIND_LIMIT, KIND_MONTH_DAY, KIND_ZONE, KIND_WEEKDAY, KIND_ORDER };

static const struct preference {
	const char	*name;
	enum kind	 kind;
	const char	*expected;
} preferences[] = {
	{ "defaultProvider", KIND_TEXT, "the configured model's name, or \"rules\"" },
	{ "defaultTimePeriod", KIND_TEXT, "a time period, as in \"last 30 days\"" },
	{ "thresholds", KIND_WORDS, "an object of 64 words at most and their conditions, as {\"large\": \"> 1000\"}" },
	{ "highValueThreshold", KIND_LIMIT, "a number, or a condition" },
	{ "defaultOntology", KIND_TEXT, "the id of an ontology" },
	{ "fiscalYearStart", KIND_MONTH_DAY, "a month and a day, as in \"04-01\"" },
	{ "weekStart", KIND_WEEKDAY, "\"monday\" or \"sunday\"" },
	{ "timeZone", KIND_ZONE, "the name of a time zone, as in \"Europe/Berlin\"" },
	{ "dateOrder", KIND_ORDER, "\"dmy\" or \"mdy\"" },
};

#define PREFERENCES	(sizeof(preferences) / sizeof(preferences[0]))

bool
preferences_is_month_day(struct span s)
{
	static const unsigned days[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	unsigned month, day;

	if (s.len != 5 || s.p[2] != '-' || !ascii_is_digit(s.p[0]) || !ascii_is_digit(s.p[1]) ||
	    !ascii_is_digit(s.p[3]) || !ascii_is_digit(s.p[4]))
		return false;
	month = (unsigned)(s.p[0] - '0') * 10 + (unsigned)(s.p[1] - '0');
	day = (unsigned)(s.p[3] - '0') * 10 + (unsigned)(s.p[4] - '0');
	return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1];
}

bool
preferences_is_zone(struct span s)
{
	if (s.len == 0 || s.len > 64 || !ascii_is_letter(s.p[0]))
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (!ascii_is_alnum(s.p[i]) && !ascii_is_any(s.p[i], "/_+-"))
			return false;
	return s.p[s.len - 1] != '/';
}

/* A line of text without control characters. */
static bool
is_line(struct span s, size_t most)
{
	if (s.len == 0 || s.len > most)
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] < ' ' || s.p[i] == 0x7f)
			return false;
	return true;
}

bool
preferences_is_word(struct span s)
{
	return is_line(s, WORD_BYTES);
}

bool
preferences_is_text(struct span s)
{
	return is_line(s, PREFERENCES_TEXT);
}

/* A number, or a text that has a digit or one of < > =. */
static bool
is_condition(const struct mp_value *v)
{
	bool compares = false;

	for (size_t i = 0; v->class == MP_STR && i < v->s.len; i++)
		compares |= ascii_is_any(v->s.p[i], "<>=0123456789");
	return mp_is_number(v) || (compares && preferences_is_text(v->s));
}

/* In a change, the value of a word may be null. */
static bool
are_words(const struct mp_value *v)
{
	struct mp_iter it = mp_iter(v);
	struct mp_value value;
	struct span key;

	if (v->class != MP_MAP || v->n > PREFERENCES_WORDS)
		return false;
	while (mp_next_pair(&it, &key, &value))
		if (!preferences_is_word(key) || (value.class != MP_NIL && !is_condition(&value)))
			return false;
	return true;
}

static bool
is_fine(const struct preference *p, const struct mp_value *v)
{
	if (p->kind == KIND_WORDS)
		return are_words(v);
	if (p->kind == KIND_LIMIT)
		return is_condition(v);
	if (v->class != MP_STR)
		return false;
	switch (p->kind) {
	case KIND_MONTH_DAY:
		return preferences_is_month_day(v->s);
	case KIND_ZONE:
		return preferences_is_zone(v->s);
	case KIND_WEEKDAY:
		return span_is(v->s, SPAN("monday")) || span_is(v->s, SPAN("sunday"));
	case KIND_ORDER:
		return span_is(v->s, SPAN("dmy")) || span_is(v->s, SPAN("mdy"));
	default:
		return preferences_is_text(v->s);
	}
}

static const struct preference *
preference_named(struct span name)
{
	for (size_t i = 0; i < PREFERENCES; i++)
		if (span_is_str(name, preferences[i].name))
			return &preferences[i];
	return NULL;
}

static int
complain_unknown(struct span name, struct err *err)
{
	struct buf all = BUF_MAX(512);

	for (size_t i = 0; i < PREFERENCES; i++)
		buf_printf(&all, "%s%s", i == 0 ? "" : ", ", preferences[i].name);
	err_set(err, ERR_INVALID_ARGUMENTS, "\"%.*s\" is no preference; there are %s",
	    (int)(name.len < 64 ? name.len : 64), (const char *)name.p, buf_cstr(&all));
	buf_fini(&all);
	return -1;
}

void
preferences_of_project(const struct config_preferences *cfg, struct buf *out)
{
	size_t mark = mp_open_map(out), n = 0;
	const struct {
		const char *name, *value;
	} texts[] = {
		{ "defaultTimePeriod", cfg->default_time_period },
		{ "fiscalYearStart", cfg->fiscal_year_start },
		{ "weekStart", cfg->week_start },
		{ "timeZone", cfg->time_zone },
		{ "dateOrder", cfg->date_order },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].value != NULL) {
			mp_pair_cstr(out, texts[i].name, texts[i].value);
			n++;
		}
	if (cfg->thresholds.n > 0) {
		mp_put_cstr(out, "thresholds");
		mp_put_map(out, cfg->thresholds.n);
		for (size_t i = 0; i < cfg->thresholds.n; i++)
			mp_pair_cstr(out, cfg->thresholds.v[i].key, cfg->thresholds.v[i].value);
		n++;
	}
	mp_close(out, mark, n);
}

static size_t
put_pair(struct buf *out, struct span key, const struct mp_value *v)
{
	mp_put_str(out, key);
	buf_span(out, v->raw);
	return 1;
}

/* Append the pairs of upper, then those of lower that upper does not have; nil removes.  How many it were. */
static size_t
overlay(const struct mp_value *upper, const struct mp_value *lower, struct buf *out)
{
	struct mp_value v, other;
	struct mp_iter it;
	struct span key;
	size_t n = 0;

	if (upper->class == MP_MAP)
		for (it = mp_iter(upper); mp_next_pair(&it, &key, &v);)
			if (v.class != MP_NIL)
				n += put_pair(out, key, &v);
	if (lower->class == MP_MAP)
		for (it = mp_iter(lower); mp_next_pair(&it, &key, &v);)
			if (!mp_member(upper, key, &other))
				n += put_pair(out, key, &v);
	return n;
}

static int
check_change(const struct mp_value *change, struct err *err)
{
	struct mp_iter it = mp_iter(change);
	const struct preference *p;
	struct mp_value v;
	struct span key;

	while (mp_next_pair(&it, &key, &v)) {
		if ((p = preference_named(key)) == NULL)
			return complain_unknown(key, err);
		if (v.class != MP_NIL && !is_fine(p, &v))
			return err_set(err, ERR_INVALID_ARGUMENTS, "%s is %s, or null for the project's", p->name,
			    p->expected);
	}
	return 0;
}

/* The words of both, which may be too many together. */
static int
change_words(const struct mp_value *own, const struct mp_value *change, struct buf *out, size_t *n, struct err *err)
{
	size_t mark, start = out->len, words;

	mp_put_cstr(out, "thresholds");
	mark = mp_open_map(out);
	words = overlay(change, own, out);
	mp_close(out, mark, words);
	if (words > PREFERENCES_WORDS)
		return err_set(err, ERR_INVALID_ARGUMENTS, "thresholds holds at most %d words; remove some with null",
		    PREFERENCES_WORDS);
	if (words == 0)
		out->len = start;
	*n += words > 0;
	return 0;
}

int
preferences_change(const struct mp_value *own, const struct mp_value *change, struct buf *out, struct err *err)
{
	size_t start = out->len, mark, n = 0;

	if (change->class != MP_MAP)
		return err_set(err, ERR_INVALID_ARGUMENTS, "preferences are an object");
	if (check_change(change, err) != 0)
		return -1;
	mark = mp_open_map(out);
	for (size_t i = 0; i < PREFERENCES; i++) {
		const struct span name = span_str(preferences[i].name);
		struct mp_value was = { .class = MP_NIL }, v;
		bool had = mp_member(own, name, &was);

		if (!had)
			was.class = MP_NIL;
		if (!mp_member(change, name, &v))
			n += had ? put_pair(out, name, &was) : 0;
		else if (v.class == MP_NIL)
			continue;
		else if (preferences[i].kind != KIND_WORDS)
			n += put_pair(out, name, &v);
		else if (change_words(&was, &v, out, &n, err) != 0) {
			out->len = start;
			return -1;
		}
	}
	mp_close(out, mark, n);
	return 0;
}

void
preferences_merge(const struct mp_value *project, const struct mp_value *own, struct buf *out)
{
	mp_put_map(out, PREFERENCES);
	for (size_t i = 0; i < PREFERENCES; i++) {
		const struct span name = span_str(preferences[i].name);
		struct mp_value mine = { .class = MP_NIL }, theirs = { .class = MP_NIL };
		bool has = mp_member(own, name, &mine), given = mp_member(project, name, &theirs);

		mp_put_str(out, name);
		if (preferences[i].kind == KIND_WORDS) {
			size_t mark = mp_open_map(out);

			if (!has)
				mine.class = MP_NIL;
			if (!given)
				theirs.class = MP_NIL;
			mp_close(out, mark, overlay(&mine, &theirs, out));
		} else if (has || given)
			buf_span(out, has ? mine.raw : theirs.raw);
		else
			mp_put_nil(out);
	}
}

/* A threshold that is a number stays one. */
static void
put_condition(struct span value, struct buf *out)
{
	double v;

	if (json_is_number(value) && num_read_double((const char *)value.p, value.len, &v))
		mp_put_double(out, v);
	else
		mp_put_str(out, value);
}

int
preferences_put_text(struct span key, struct span value, struct buf *out, struct err *err)
{
	static const char words[] = "thresholds.";
	struct span word = { NULL, 0 };
	const struct preference *p;

	if (span_begins(key, words)) {
		word = span_of(key.p + strlen(words), key.len - strlen(words));
		key = SPAN("thresholds");
	}
	if ((p = preference_named(key)) == NULL)
		return complain_unknown(key, err);
	if (p->kind == KIND_WORDS && word.len == 0 && value.len > 0)
		return err_set(err, ERR_INVALID_ARGUMENTS, "a threshold is set by its word: thresholds.large='> 1000'");
	mp_put_str(out, key);
	if (word.len > 0) {
		mp_put_map(out, 1);
		mp_put_str(out, word);
	}
	if (value.len == 0)
		mp_put_nil(out);
	else if (p->kind == KIND_WORDS || p->kind == KIND_LIMIT)
		put_condition(value, out);
	else
		mp_put_str(out, value);
	return 0;
}
