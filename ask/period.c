#include <stdio.h>
#include <string.h>

#include "ask/period.h"
#include "base/date.h"

/* State while a time phrase is read: the words, and today's date. */
struct reading_time {
	const struct ask_context *c;
	enum ask_language	 language;
	const struct ask_token	*t;
	size_t			 n;
	int32_t			 today;
	struct date		 now;
};

int32_t
ask_period_days(int64_t year, unsigned month, unsigned day)
{
	return (int32_t)date_days(year, month, day);
}

void
ask_period_day(int32_t day, char out[11])
{
	struct date d = date_of_days(day);

	(void)snprintf(out, 11, "%04u-%02u-%02u", (unsigned)d.year % 10000, d.month % 100, d.day % 100);
}

int32_t
ask_period_today(const struct ask_context *c)
{
	int64_t s = c->now + c->utc_offset;

	return (int32_t)((s >= 0 ? s : s - 86399) / 86400);
}

static int32_t
month_start(int64_t year, int month)
{
	int64_t n = year * 12 + month - 1;

	return ask_period_days(n / 12, (unsigned)(n % 12) + 1, 1);
}

/* The first day of the unit that lies `by` units from the current one. */
static int32_t
unit_start(const struct reading_time *r, enum ask_unit unit, int by)
{
	int weekday = (int)((r->today + 3) % 7); /* Monday: 0 */

	switch (unit) {
	case ASK_UNIT_WEEK:
		if (r->c->preferences.sunday)
			weekday = (weekday + 1) % 7;
		return r->today - weekday + 7 * by;
	case ASK_UNIT_MONTH:
		return month_start(r->now.year, (int)r->now.month + by);
	case ASK_UNIT_QUARTER:
		return month_start(r->now.year, ((int)r->now.month - 1) / 3 * 3 + 1 + 3 * by);
	case ASK_UNIT_YEAR:
		return month_start(r->now.year + by, 1);
	default:
		return r->today + by;
	}
}

static void
period_days(struct ask_period *out, int32_t start, int32_t end)
{
	*out = (struct ask_period){ .start = start, .end = end };
}

static void
period_months(struct ask_period *out, int64_t year, int month, int months)
{
	period_days(out, month_start(year, month), month_start(year, month + months));
}

/* The number of words of this kind at i; their arg in *arg.  0: none. */
static size_t
period_take(const struct reading_time *r, size_t i, enum ask_word_kind kind, int *arg)
{
	size_t len = 0;
	const struct ask_word_row *row = i < r->n ? ask_word(r->language, r->t + i, r->n - i, kind, &len) : NULL;

	if (row != NULL && arg != NULL)
		*arg = row->arg;
	return len;
}

/* Words between the parts of a date: "of", "in the". */
static size_t
skip_of(const struct reading_time *r, size_t i)
{
	return period_take(r, i, ASK_WORD_OF, NULL);
}

/* A whole number of at most four digits; -1: the word is anything else. */
static int
small_number(const struct ask_token *t)
{
	int v = 0;

	if (!t->number || t->text.len > 4)
		return -1;
	for (size_t i = 0; i < t->text.len; i++) {
		if (!ascii_is_digit(t->text.p[i]))
			return -1;
		v = v * 10 + (t->text.p[i] - '0');
	}
	return v;
}

static int
year_at(const struct reading_time *r, size_t i)
{
	int v = i < r->n ? small_number(&r->t[i]) : -1;

	return v >= 1900 && v < 2100 ? v : -1;
}

static int
count_at(const struct reading_time *r, size_t i)
{
	int v = i < r->n ? small_number(&r->t[i]) : -1;

	if (v < 0 && period_take(r, i, ASK_WORD_NUMBER, &v) != 1)
		return -1;
	return v;
}

/* A unit in the singular or plural: "months", "Monaten". */
static size_t
unit_at(const struct reading_time *r, size_t i, enum ask_unit *unit)
{
	struct ask_token one;
	size_t len;
	const struct ask_word_row *row;

	if (i >= r->n)
		return 0;
	one = r->t[i];
	row = ask_word(r->language, &one, 1, ASK_WORD_GRAIN, &len);
	if (row == NULL && one.plural) {
		one.folded = one.stem;
		row = ask_word(r->language, &one, 1, ASK_WORD_GRAIN, &len);
	}
	for (size_t cut = 1; row == NULL && r->language == ASK_GERMAN && cut <= 2 && r->t[i].folded.len > cut + 2;
	     cut++) {
		one.folded = span_of(r->t[i].folded.p, r->t[i].folded.len - cut);
		row = ask_word(r->language, &one, 1, ASK_WORD_GRAIN, &len);
	}
	if (row == NULL || row->arg >= ASK_GROUPS_BY_ITSELF || row->arg == ASK_UNIT_HOUR)
		return 0;
	*unit = (enum ask_unit)row->arg;
	return 1;
}

/* Up to three numbers with the same separator between them. */
static size_t
numbers_of(struct span text, int v[3], size_t digits[3], char *separator)
{
	size_t n = 0;

	*separator = '\0';
	for (size_t i = 0; i < text.len;) {
		if (n == 3)
			return 0;
		v[n] = 0;
		digits[n] = 0;
		while (i < text.len && ascii_is_digit(text.p[i]) && digits[n] < 5) {
			v[n] = v[n] * 10 + (text.p[i++] - '0');
			digits[n]++;
		}
		n++;
		if (i == text.len)
			break;
		if (ascii_is_digit(text.p[i]) || (*separator != '\0' && *separator != (char)text.p[i]))
			return 0;
		*separator = (char)text.p[i++];
	}
	return n;
}

static size_t
period_day_month(const struct reading_time *r, const int v[3], char separator, struct ask_period *out)
{
	bool dmy = date_exists(v[2], (unsigned)v[1], (unsigned)v[0]);
	bool mdy = separator == '/' && date_exists(v[2], (unsigned)v[0], (unsigned)v[1]);
	enum ask_date_order order = r->c->preferences.date_order;
	bool day_first = dmy && (!mdy || order == ASK_ORDER_DMY || v[0] == v[1]);
	int32_t day;

	if (!dmy && !mdy)
		return 0;
	day = day_first ? ask_period_days(v[2], (unsigned)v[1], (unsigned)v[0]) :
			  ask_period_days(v[2], (unsigned)v[0], (unsigned)v[1]);
	period_days(out, day, day + 1);
	out->day_or_month = dmy && mdy && v[0] != v[1] && order == ASK_ORDER_UNSAID;
	return 1;
}

/* 2025-03-31, 2025-03, 14.03.2025, 03/14/2025, 2023-2025, 2025. */
static size_t
period_numeric(const struct reading_time *r, size_t i, struct ask_period *out)
{
	int v[3];
	size_t digits[3], n;
	char separator;

	if (i >= r->n || !r->t[i].number || (n = numbers_of(r->t[i].text, v, digits, &separator)) == 0)
		return 0;
	if (n == 1 && digits[0] == 4 && v[0] >= 1900 && v[0] < 2100) {
		period_months(out, v[0], 1, 12);
		out->bare = true;
		return 1;
	}
	if (n == 2 && digits[0] == 4 && digits[1] == 4 && separator == '-' && v[0] < v[1] && v[0] >= 1900 &&
	    v[1] < 2100) {
		period_months(out, v[0], 1, 12 * (v[1] - v[0] + 1));
		return 1;
	}
	if (n == 2 && digits[0] == 4 && digits[1] == 2 && (separator == '-' || separator == '/') && v[1] >= 1 &&
	    v[1] <= 12) {
		period_months(out, v[0], v[1], 1);
		return 1;
	}
	if (n == 3 && digits[0] == 4 && separator == '-' && date_exists(v[0], (unsigned)v[1], (unsigned)v[2])) {
		int32_t day = ask_period_days(v[0], (unsigned)v[1], (unsigned)v[2]);

		period_days(out, day, day + 1);
		return 1;
	}
	if (n == 3 && digits[2] == 4 && digits[0] <= 2 && (separator == '.' || separator == '/' || separator == '-'))
		return period_day_month(r, v, separator == '-' ? '/' : separator, out);
	return 0;
}

/*
 * The year after a part of it: ", 2025", "of 2025".  Without one: the latest past year.  Returns the number of words.
 */
static size_t
year_behind(const struct reading_time *r, size_t i, int *year)
{
	size_t of = skip_of(r, i);

	*year = year_at(r, i + of);
	return *year < 0 ? 0 : of + 1;
}

/* A period of `months` months from `month` on; without a year the latest that has begun. */
static size_t
period_of_year(const struct reading_time *r, size_t i, int month, int months, struct ask_period *out)
{
	enum ask_unit unit;
	int year;
	size_t len = year_behind(r, i, &year), of = skip_of(r, i), lead;

	for (unsigned back = 0; len == 0 && back < 2; back++) {
		lead = period_take(r, i + of, back ? ASK_WORD_LAST : ASK_WORD_THIS, NULL);
		if (lead > 0 && unit_at(r, i + of + lead, &unit) == 1 && unit == ASK_UNIT_YEAR) {
			period_months(out, r->now.year - back, month, months);
			return of + lead + 1;
		}
	}
	if (len == 0)
		year = (int)r->now.year - (month_start(r->now.year, month) > r->today);
	period_months(out, year, month, months);
	out->assumed_year = len == 0;
	return len;
}

static size_t
period_exact_day(const struct reading_time *r, size_t i, int month, int day, struct ask_period *out)
{
	int year;
	size_t len = year_behind(r, i, &year);
	int32_t at;

	if (len == 0)
		year = (int)r->now.year - (ask_period_days(r->now.year, (unsigned)month, (unsigned)day) > r->today);
	if (!date_exists(year, (unsigned)month, (unsigned)day))
		return SIZE_MAX;
	at = ask_period_days(year, (unsigned)month, (unsigned)day);
	period_days(out, at, at + 1);
	out->assumed_year = len == 0;
	return len;
}

/* "14", "14th"; -1: not a day. */
static int
day_at(const struct reading_time *r, size_t i)
{
	struct span s;
	int v = 0;
	size_t k = 0;

	if (i >= r->n)
		return -1;
	s = r->t[i].folded;
	for (; k < s.len && k < 2 && ascii_is_digit(s.p[k]); k++)
		v = v * 10 + (s.p[k] - '0');
	if (k == 0 || v < 1 || v > 31)
		return -1;
	s = span_of(s.p + k, s.len - k);
	return s.len == 0 || span_is_str(s, "th") || span_is_str(s, "st") || span_is_str(s, "nd") ||
		span_is_str(s, "rd") ?
	    v :
	    -1;
}

/* "March 2025", "March 14, 2025", "14 March 2025", "March". */
static size_t
period_month(const struct reading_time *r, size_t i, struct ask_period *out)
{
	int month, day;
	size_t of, len;

	if (period_take(r, i, ASK_WORD_MONTH, &month) == 1) {
		day = year_at(r, i + 1) < 0 ? day_at(r, i + 1) : -1;
		if (day > 0) {
			len = period_exact_day(r, i + 2, month, day, out);
			return len == SIZE_MAX ? 0 : 2 + len;
		}
		return 1 + period_of_year(r, i + 1, month, 1, out);
	}
	day = day_at(r, i);
	if (day < 0)
		return 0;
	of = skip_of(r, i + 1);
	if (period_take(r, i + 1 + of, ASK_WORD_MONTH, &month) != 1)
		return 0;
	len = period_exact_day(r, i + 2 + of, month, day, out);
	return len == SIZE_MAX ? 0 : 2 + of + len;
}

/* "q3", "h1"; 0: not such a part. */
static int
part_at(const struct reading_time *r, size_t i, char letter, int most)
{
	struct span s;

	if (i >= r->n)
		return 0;
	s = r->t[i].folded;
	return s.len == 2 && s.p[0] == (uint8_t)letter && s.p[1] > '0' && s.p[1] <= '0' + most ? s.p[1] - '0' : 0;
}

/* "Q3 2025", "2025 Q3", "third quarter of 2025", "H1 2025", "first half of 2025". */
static size_t
period_part(const struct reading_time *r, size_t i, struct ask_period *out)
{
	int year = year_at(r, i), quarter = part_at(r, i + (year > 0), 'q', 4),
	    half = part_at(r, i + (year > 0), 'h', 2), ordinal;
	enum ask_unit unit;
	size_t len;

	if (year > 0 && (quarter > 0 || half > 0)) {
		period_months(out, year, quarter > 0 ? 3 * quarter - 2 : 6 * half - 5, quarter > 0 ? 3 : 6);
		return 2;
	}
	if (year > 0)
		return 0;
	if (quarter > 0)
		return 1 + period_of_year(r, i + 1, 3 * quarter - 2, 3, out);
	if (half > 0)
		return 1 + period_of_year(r, i + 1, 6 * half - 5, 6, out);
	if (i < r->n && r->t[i].number && (ordinal = small_number(&r->t[i])) >= 1 && ordinal <= 4 &&
	    r->language == ASK_GERMAN)
		len = 1;
	else if ((len = period_take(r, i, ASK_WORD_ORDINAL, &ordinal)) == 0)
		return 0;
	if (unit_at(r, i + len, &unit) == 1 && unit == ASK_UNIT_QUARTER)
		return len + 1 + period_of_year(r, i + len + 1, 3 * ordinal - 2, 3, out);
	if (ordinal <= 2 && period_take(r, i + len, ASK_WORD_HALF, NULL) > 0) {
		size_t words = period_take(r, i + len, ASK_WORD_HALF, NULL);

		return len + words + period_of_year(r, i + len + words, 6 * ordinal - 5, 6, out);
	}
	return 0;
}

static void
period_fiscal_year(const struct reading_time *r, int64_t year, struct ask_period *out)
{
	const struct ask_preferences *p = &r->c->preferences;
	/* Fiscal years are named by their last day; one that begins on January 1 is the calendar year. */
	bool calendar = p->fiscal_month == 1 && p->fiscal_day == 1;
	int64_t first = calendar ? year : year - 1;

	if (p->fiscal_month == 0) {
		period_days(out, 0, 1);
		out->fiscal_unsaid = true;
		return;
	}
	period_days(out, ask_period_days(first, p->fiscal_month, p->fiscal_day),
	    ask_period_days(first + 1, p->fiscal_month, p->fiscal_day));
	out->fiscal = true;
}

/* The fiscal year that contains today. */
static int64_t
fiscal_now(const struct reading_time *r)
{
	struct ask_period period;

	period_fiscal_year(r, r->now.year, &period);
	return r->c->preferences.fiscal_month == 0 || r->today < period.end ? r->now.year : r->now.year + 1;
}

static size_t
period_fiscal(const struct reading_time *r, size_t i, struct ask_period *out)
{
	size_t last = period_take(r, i, ASK_WORD_LAST, NULL), this = period_take(r, i, ASK_WORD_THIS, NULL);
	size_t lead = last + this, words, len;
	enum ask_unit unit;
	struct span s;
	int year;

	words = period_take(r, i + lead, ASK_WORD_FISCAL, NULL);
	if (words == 0 && lead == 0 && i < r->n && r->t[i].folded.len == 6 && memcmp(r->t[i].folded.p, "fy", 2) == 0) {
		s = span_of(r->t[i].folded.p + 2, 4);
		year = 0;
		for (size_t k = 0; k < 4; k++)
			year = ascii_is_digit(s.p[k]) && year >= 0 ? year * 10 + (s.p[k] - '0') : -1;
		period_fiscal_year(r, year < 1900 || year > 2099 ? r->now.year : year, out);
		return year < 1900 || year > 2099 ? 0 : 1;
	}
	if (words == 0)
		return 0;
	len = lead + words;
	if (unit_at(r, i + len, &unit) == 1) {
		len++;
		if (unit != ASK_UNIT_YEAR) {
			period_days(out, 0, 1);
			out->fiscal_unsaid = true;
			return len;
		}
	}
	words = lead == 0 ? year_behind(r, i + len, &year) : 0;
	period_fiscal_year(r, words > 0 ? year : fiscal_now(r) - (last > 0), out);
	return len + words;
}

/* "this month", "last quarter", "the last 30 days", "next year". */
static size_t
period_relative(const struct reading_time *r, size_t i, struct ask_period *out)
{
	size_t last = period_take(r, i, ASK_WORD_LAST, NULL),
	       this = last > 0 ? 0 : period_take(r, i, ASK_WORD_THIS, NULL);
	size_t next = last + this > 0 ? 0 : period_take(r, i, ASK_WORD_NEXT, NULL), lead = last + this + next;
	enum ask_unit unit;
	int count, by;

	if (lead == 0)
		return 0;
	count = this > 0 ? -1 : count_at(r, i + lead);
	if (count > 0 && count <= 1000 && unit_at(r, i + lead + 1, &unit) == 1) {
		period_days(out, unit_start(r, unit, last > 0 ? -count : 1),
		    unit_start(r, unit, last > 0 ? 0 : 1 + count));
		out->future = next > 0;
		return lead + 2;
	}
	if (period_take(r, i + lead, ASK_WORD_HALF, NULL) > 0 && this + last > 0) {
		int first = ((int)r->now.month - 1) / 6 * 6 + 1 - (last > 0 ? 6 : 0);

		period_months(out, r->now.year, first, 6);
		return lead + period_take(r, i + lead, ASK_WORD_HALF, NULL);
	}
	if (unit_at(r, i + lead, &unit) != 1 || (last > 0 && r->t[i + lead].plural))
		return 0;
	by = last > 0 ? -1 : next > 0 ? 1 : 0;
	period_days(out, unit_start(r, unit, by), unit_start(r, unit, by + 1));
	out->future = next > 0;
	return lead + 1;
}

static size_t
period_near_today(const struct reading_time *r, size_t i, struct ask_period *out)
{
	int arg;
	size_t len = period_take(r, i, ASK_WORD_TO_DATE, &arg), day = period_take(r, i, ASK_WORD_DAY, NULL);

	if (len > 0 && len >= day) {
		period_days(out, unit_start(r, (enum ask_unit)arg, 0), r->today + 1);
		return len;
	}
	if (day == 0)
		return 0;
	(void)period_take(r, i, ASK_WORD_DAY, &arg);
	period_days(out, r->today + arg, r->today + arg + 1);
	return day;
}

/* The longest single period at i. */
static size_t
period_single(const struct reading_time *r, size_t i, struct ask_period *out)
{
	static size_t (*const readers[])(const struct reading_time *, size_t, struct ask_period *) = {
		period_near_today,
		period_fiscal, period_relative, period_part, period_month, period_numeric };
	size_t best = 0, of = i < r->n && r->n - i > 1 && period_take(r, i, ASK_WORD_OF, NULL) == 1 ? 1 : 0;

	for (size_t k = 0; k < sizeof(readers) / sizeof(readers[0]); k++) {
		struct ask_period p = { 0 };
		size_t len = readers[k](r, i, &p);

		if (len == 0 && of > 0 && (len = readers[k](r, i + of, &p)) > 0)
			len += of;
		if (len <= best)
			continue;
		best = len;
		*out = p;
	}
	if (best > 0) {
		out->parts[0].start = out->start;
		out->parts[0].end = out->end;
	}
	return best;
}

static struct span
text_between(const struct reading_time *r, size_t from, size_t n)
{
	return ask_from_to(r->t[from].text, r->t[from + n - 1].text);
}

/* "from March to May 2025": a month without a year takes the other end's. */
static void
share_year(struct ask_period *first, const struct ask_period *second)
{
	struct date a, b, e;
	int months;

	if (!first->assumed_year || second->assumed_year)
		return;
	a = date_of_days(first->start);
	b = date_of_days(second->start);
	e = date_of_days(first->end);
	months = (int)(e.year - a.year) * 12 + (int)e.month - (int)a.month;
	if (first->end - first->start > 1) {
		first->start = month_start(b.year, (int)a.month);
		first->end = month_start(b.year, (int)a.month + months);
	} else {
		first->start = ask_period_days(b.year, a.month, a.day);
		first->end = first->start + 1;
	}
}

/* The range from the first day of one to the last day of the other.  False: they are in the wrong order. */
static bool
span_days(struct ask_period *out, const struct ask_period *first, const struct ask_period *last)
{
	if (last->start < first->start)
		return false;
	*out = (struct ask_period){ .start = first->start, .end = last->end, .range = true };
	out->assumed_year = last->assumed_year;
	out->parts[0].start = first->start;
	out->parts[0].end = first->end;
	out->parts[1].start = last->start;
	out->parts[1].end = last->end;
	return true;
}

/* "3-17 March 2025", "March 3-17, 2025": two days of one month in one word. */
static size_t
period_days_joined(const struct reading_time *r, size_t i, struct ask_period *out)
{
	int v[3], month;
	size_t digits[3], before = period_take(r, i, ASK_WORD_MONTH, &month), len;
	struct ask_period first = { 0 }, last = { 0 };
	char separator;

	if (i + before >= r->n || !r->t[i + before].number ||
	    numbers_of(r->t[i + before].text, v, digits, &separator) != 2 || separator != '-' || digits[0] > 2 ||
	    digits[1] > 2)
		return 0;
	len = before + 1;
	if (before == 0) {
		size_t of = skip_of(r, i + 1), word = period_take(r, i + 1 + of, ASK_WORD_MONTH, &month);

		if (word == 0)
			return 0;
		len += of + word;
	}
	before = period_exact_day(r, i + len, month, v[1], &last);
	if (before == SIZE_MAX || period_exact_day(r, i + len, month, v[0], &first) == SIZE_MAX ||
	    !span_days(out, &first, &last))
		return 0;
	out->parts[0].text = out->parts[1].text = text_between(r, i, len);
	return len + before;
}

/* "from 3 to 17 March 2025", "vom 3. bis 17.  März": a day without a month takes the other end's. */
static size_t
period_days_apart(const struct reading_time *r, size_t i, struct ask_period *out)
{
	size_t lead = period_take(r, i, ASK_WORD_BETWEEN, NULL), at, to, len, second, of;
	struct ask_period first = { 0 }, last = { 0 };
	int month, day;

	if (lead == 0)
		lead = period_take(r, i, ASK_WORD_FROM, NULL);
	at = i + lead;
	at += skip_of(r, at);
	if ((day = day_at(r, at)) > 0 && (to = period_take(r, at + 1, ASK_WORD_TO, NULL)) > 0) {
		second = at + 1 + to;
		second += skip_of(r, second);
		of = skip_of(r, second + 1);
		if (day_at(r, second) < 0 || period_take(r, second + 1 + of, ASK_WORD_MONTH, &month) != 1 ||
		    (len = period_month(r, second, &last)) == 0 ||
		    period_exact_day(r, second + 2 + of, month, day, &first) == SIZE_MAX)
			return 0;
		at = second + len;
	} else if (lead > 0 && period_take(r, at, ASK_WORD_MONTH, &month) == 1 && (day = day_at(r, at + 1)) > 0 &&
	    (to = period_take(r, at + 2, ASK_WORD_TO, NULL)) > 0 && year_at(r, at + 2 + to) < 0 &&
	    day_at(r, at + 2 + to) > 0) {
		second = at + 2 + to;
		len = period_exact_day(r, second + 1, month, day_at(r, second), &last);
		if (len == SIZE_MAX || period_exact_day(r, second + 1, month, day, &first) == SIZE_MAX)
			return 0;
		at = second + 1 + len;
	} else
		return 0;
	if (!span_days(out, &first, &last))
		return 0;
	out->parts[0].text = out->parts[1].text = text_between(r, i, at - i);
	return at - i;
}

static size_t
period_range(const struct reading_time *r, size_t i, struct ask_period *out)
{
	size_t lead = period_take(r, i, ASK_WORD_BETWEEN, NULL), first, to, second;
	struct ask_period a = { 0 }, b = { 0 };

	if (lead == 0)
		lead = period_take(r, i, ASK_WORD_FROM, NULL);
	if (lead == 0 || (first = period_single(r, i + lead, &a)) == 0 ||
	    (to = period_take(r, i + lead + first, ASK_WORD_TO, NULL)) == 0 ||
	    (second = period_single(r, i + lead + first + to, &b)) == 0)
		return 0;
	share_year(&a, &b);
	if (b.end <= a.start)
		return 0;
	*out = (struct ask_period){ .start = a.start, .end = b.end, .range = true };
	out->fiscal = a.fiscal || b.fiscal;
	out->fiscal_unsaid = a.fiscal_unsaid || b.fiscal_unsaid;
	out->day_or_month = a.day_or_month || b.day_or_month;
	out->future = a.future || b.future;
	out->parts[0].start = a.start;
	out->parts[0].end = a.end;
	out->parts[0].text = text_between(r, i + lead, first);
	out->parts[1].start = b.start;
	out->parts[1].end = b.end;
	out->parts[1].text = text_between(r, i + lead + first + to, second);
	return lead + first + to + second;
}

/* "since 2024", "before March 2025", "until yesterday". */
static size_t
period_open(const struct reading_time *r, size_t i, struct ask_period *out)
{
	static const enum ask_word_kind kinds[] = { ASK_WORD_SINCE, ASK_WORD_BEFORE, ASK_WORD_AFTER, ASK_WORD_UNTIL };

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		size_t lead = period_take(r, i, kinds[k], NULL), len;

		if (lead == 0 || (len = period_single(r, i + lead, out)) == 0)
			continue;
		if (kinds[k] == ASK_WORD_BEFORE)
			out->end = out->start;
		if (kinds[k] == ASK_WORD_AFTER)
			out->start = out->end;
		if (kinds[k] == ASK_WORD_BEFORE || kinds[k] == ASK_WORD_UNTIL)
			out->start = ASK_OPEN;
		else
			out->end = r->today + 1;
		out->bare = out->assumed_year = false;
		if (out->start != ASK_OPEN && out->start >= out->end)
			out->future = true;
		return lead + len;
	}
	return 0;
}

/* "2014 or later", "2003 or before" */
static size_t
period_or_later(const struct reading_time *r, size_t i, struct ask_period *out)
{
	static const char *const or[] = { "or", "and", "oder", "und", NULL },
		*const later[] = { "later", "after", "afterwards", "onwards", "später", "danach", NULL },
		*const earlier[] = { "earlier", "before", "früher", "davor", NULL };
	size_t len = period_single(r, i, out), at = i + len;

	if (len == 0 || at + 1 >= r->n || !span_is_any(r->t[at].folded, or) ||
	    !(span_is_any(r->t[at + 1].folded, later) || span_is_any(r->t[at + 1].folded, earlier)) ||
	    (at + 2 < r->n && period_single(r, at + 2, &(struct ask_period){ 0 }) > 0))
		return 0;
	if (span_is_any(r->t[at + 1].folded, earlier))
		out->start = ASK_OPEN;
	else
		out->end = r->today + 1;
	out->bare = out->assumed_year = false;
	out->future |= out->start != ASK_OPEN && out->start >= out->end;
	return len + 2;
}

size_t
ask_period_at(const struct ask_context *c, enum ask_language language, const struct ask_token *t, size_t n,
    struct ask_period *out)
{
	static size_t (*const longer[])(const struct reading_time *, size_t, struct ask_period *) = { period_range,
		period_days_apart, period_days_joined, period_open, period_or_later };
	struct reading_time r = { .c = c, .language = language, .t = t, .n = n, .today = ask_period_today(c) };
	struct ask_period p = { 0 };
	size_t best, len;

	r.now = date_of_days(r.today);
	best = period_take(&r, 0, ASK_WORD_OF, NULL) > 0 ? 0 : period_single(&r, 0, out);
	for (size_t i = 0; i < sizeof(longer) / sizeof(longer[0]); i++)
		if ((len = longer[i](&r, 0, &p)) > best) {
			best = len;
			*out = p;
		}
	/* "may" is a month only with a year, a preposition or a capital. */
	if (best == 1 && span_is_str(t[0].folded, "may") && out->assumed_year && !t[0].capital)
		return 0;
	return best;
}

static bool
period_is_clear(const struct ask_period *p)
{
	return !p->fiscal_unsaid && !p->day_or_month && !p->future && !p->range;
}

bool
ask_period_join(struct ask_period *first, const struct ask_period *second)
{
	if (!period_is_clear(first) || !period_is_clear(second) || first->end == ASK_OPEN ||
	    first->end != second->start)
		return false;
	first->end = second->end;
	first->assumed_year |= second->assumed_year;
	return true;
}
