#include <math.h>

#include "base/ascii.h"
#include "base/text/locale_text.h"

#define EXACT_BELOW 9007199254740992.0 /* 2^53 */
#define ZEROS_MOST  8u		   /* before the first digit; smaller numbers have an exponent */

/* The zeros before the first other digit, the one before the point included. */
static unsigned
leading_zeros(const struct decimal *d)
{
	char digits[DECIMAL_DIGITS_MAX];
	size_t n = decimal_digits(d, digits);
	unsigned zeros = 0;

	while (zeros < n && digits[zeros] == '0')
		zeros++;
	return zeros;
}

/* fill: the fraction gets zeros up to this number of digits. */
static void
put_grouped(struct buf *out, const struct decimal *d, unsigned fill, bool german)
{
	char digits[DECIMAL_DIGITS_MAX];
	size_t n = decimal_digits(d, digits), whole = n - d->scale;

	buf_str(out, d->units < 0 ? "-" : "");
	for (size_t i = 0; i < whole; i++) {
		if (i > 0 && (whole - i) % 3 == 0)
			buf_byte(out, german ? '.' : ',');
		buf_byte(out, (uint8_t)digits[i]);
	}
	if (d->scale > 0 || fill > 0)
		buf_byte(out, german ? ',' : '.');
	buf_append(out, digits + whole, d->scale);
	for (unsigned i = d->scale; i < fill; i++)
		buf_byte(out, '0');
}

void
locale_put_decimal(struct buf *out, const struct decimal *d, unsigned decimals, bool german)
{
	unsigned zeros = d->units == 0 ? 0 : leading_zeros(d);
	bool tiny = zeros > decimals;
	struct decimal shown = decimal_round(d, tiny ? zeros + 1 : decimals);

	if (zeros > ZEROS_MOST) {
		buf_printf(out, "%.2g", decimal_double(d));
		return;
	}
	put_grouped(out, &shown, d->scale > 0 && !tiny ? decimals : 0, german);
}

void
locale_put_fractional(struct buf *out, const struct decimal *d, unsigned decimals, bool german)
{
	if (d->scale > 0)
		locale_put_decimal(out, d, decimals, german);
	else
		put_grouped(out, d, decimals, german);
}

void
locale_put_double(struct buf *out, double v, unsigned decimals, bool german)
{
	struct decimal d;

	if (fabs(v) < EXACT_BELOW && decimal_of_double(v, &d))
		locale_put_decimal(out, &d, decimals, german);
	else if (isfinite(v))
		buf_printf(out, "%.6g", v);
	else
		buf_str(out, "–");
}

struct span
locale_plural(struct arena *a, struct span noun)
{
	static const char *const hissing[] = { "ss", "us", "x", "z", "ch", "sh", "ero" };
	static const char *const same[] = { "children", "crew", "data", "equipment", "info", "information", "media",
		"men", "people", "staff", "women" };
	size_t cut = 0;
	const char *ending = span_ends(noun, "s") ? "" : "s";

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		if (span_ends(noun, same[i]))
			ending = "";
	for (size_t i = 0; i < sizeof(hissing) / sizeof(hissing[0]); i++)
		if (span_ends(noun, hissing[i]))
			ending = "es";
	if (noun.len > 1 && span_ends(noun, "y") && !ascii_is_any(noun.p[noun.len - 2], "aeiou")) {
		ending = "ies";
		cut = 1;
	}
	return noun.len == 0 ? noun :
			       span_str(arena_printf(a, "%.*s%s", (int)(noun.len - cut), (const char *)noun.p, ending));
}

struct span
locale_fill(struct arena *a, const char *text, const struct span *args)
{
	struct buf filled = { 0 };
	struct span out;

	for (const char *p = text; *p != '\0'; p++)
		if (p[0] == '{' && p[1] >= '1' && p[1] <= '9' && p[2] == '}') {
			buf_span(&filled, args[p[1] - '1']);
			p += 2;
		} else
			buf_byte(&filled, (uint8_t)*p);
	out = arena_span(a, buf_view(&filled));
	buf_fini(&filled);
	return out;
}

/* Units that models and questions name in English. */
static const struct {
	const char *name, *english, *german;
} units[] = { { "percent", "%", "%" }, { "seconds", "seconds", "Sekunden" }, { "minutes", "minutes", "Minuten" },
	{ "hours", "hours", "Stunden" }, { "days", "days", "Tage" }, { "weeks", "weeks", "Wochen" },
	{ "months", "months", "Monate" }, { "years", "years", "Jahre" }, { "pieces", "pieces", "Stück" },
	{ "cents", "cents", "Cent" }, { "euros (EUR)", "euros (EUR)", "Euro (EUR)" },
	{ "US dollars (USD)", "US dollars (USD)", "US-Dollar (USD)" },
	{ "pounds (GBP)", "pounds (GBP)", "Pfund (GBP)" }, { "kilometres", "kilometres", "Kilometer" },
	{ "metres", "metres", "Meter" }, { "kilograms", "kilograms", "Kilogramm" },
	{ "no unit", "no unit", "keiner Einheit" } };

struct span
locale_unit(struct span unit, bool german)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (span_is_folded(unit, span_str(units[i].name)))
			return span_str(german ? units[i].german : units[i].english);
	return unit;
}

static const char *const months[2][12] = {
	{ "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
	    "December" },
	{ "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
	    "Dezember" },
};

static const char *const brief_months[2][12] = {
	{ "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" },
	{ "Jan", "Feb", "Mär", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez" },
};

static const struct {
	const char *name, *german;
} granularities[] = { { "hour", "Stunde" }, { "day", "Tag" }, { "week", "Woche" }, { "month", "Monat" },
	{ "quarter", "Quartal" }, { "year", "Jahr" } };

const char *
locale_granularity(struct span granularity, bool german)
{
	for (size_t i = 0; i < sizeof(granularities) / sizeof(granularities[0]); i++)
		if (span_is_str(granularity, granularities[i].name))
			return german ? granularities[i].german : granularities[i].name;
	return "";
}

const char *
locale_month(unsigned month, bool german)
{
	return months[german][month % 12];
}

/* "2025-01-06[ 14:00[:00[.0]]][zone]" in parts. */
struct locale_moment {
	unsigned year, month, day;	/* month and day from 1 */
	struct span clock, zone;	/* "14:00", "+02"; empty if absent */
	bool midnight;
};

static bool
read_digits(struct span s, size_t at, size_t n, unsigned *out)
{
	*out = 0;
	for (size_t i = at; i < at + n; i++) {
		if (i >= s.len || !ascii_is_digit(s.p[i]))
			return false;
		*out = 10 * *out + (unsigned)(s.p[i] - '0');
	}
	return true;
}

static bool
read_moment(struct span s, struct locale_moment *m)
{
	unsigned hour, minute;
	size_t end = 16;

	*m = (struct locale_moment){ .midnight = true };
	if (!read_digits(s, 0, 4, &m->year) || !read_digits(s, 5, 2, &m->month) || !read_digits(s, 8, 2, &m->day) ||
	    s.p[4] != '-' || s.p[7] != '-' || m->month < 1 || m->month > 12 || m->day < 1 || m->day > 31)
		return false;
	if (s.len == 10)
		return true;
	if ((s.p[10] != ' ' && s.p[10] != 'T') || !read_digits(s, 11, 2, &hour) || !read_digits(s, 14, 2, &minute) ||
	    s.p[13] != ':')
		return false;
	m->clock = span_of(s.p + 11, 5);
	m->midnight = hour == 0 && minute == 0;
	for (; end < s.len && ascii_is_any(s.p[end], ":.0123456789"); end++)
		if (ascii_is_digit(s.p[end]) && s.p[end] != '0') {
			m->clock = span_of(s.p + 11, s.len < 19 ? s.len - 11 : 8);
			m->midnight = false;
		}
	m->zone = span_of(s.p + end, s.len - end);
	for (size_t i = end; i < s.len; i++)
		if (!ascii_is_any(s.p[i], i == end ? "+-Z" : ":0123456789"))
			return false;
	return true;
}

static void
put_day(struct buf *out, const struct locale_moment *m, bool german, bool brief)
{
	buf_printf(out, "%u%s %s %u", m->day, german ? "." : "", (brief ? brief_months : months)[german][m->month - 1],
	    m->year);
}

void
locale_put_period(struct buf *out, struct span begin, struct span granularity, bool german, bool brief)
{
	struct locale_moment m;

	if (!read_moment(begin, &m))
		buf_span(out, begin);
	else if (span_is_str(granularity, "year") && m.midnight && m.month == 1 && m.day == 1)
		buf_printf(out, "%u", m.year);
	else if (span_is_str(granularity, "quarter") && m.midnight && m.month % 3 == 1 && m.day == 1)
		buf_printf(out, "Q%u %u", m.month / 3 + 1, m.year);
	else if (span_is_str(granularity, "month") && m.midnight && m.day == 1)
		buf_printf(out, "%s %u", (brief ? brief_months : months)[german][m.month - 1], m.year);
	else {
		if (span_is_str(granularity, "week") && !brief)
			buf_str(out, german ? "Woche vom " : "week of ");
		put_day(out, &m, german, brief);
		if (!m.midnight || span_is_str(granularity, "hour"))
			buf_printf(out, ", %.*s%s%.*s", SPAN_FMT(m.clock), m.zone.len > 0 ? " " : "", SPAN_FMT(m.zone));
	}
}
