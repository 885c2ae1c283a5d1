#include <float.h>
#include <math.h>
#include <string.h>

#include "base/ascii.h"
#include "base/date.h"
#include "base/text/num.h"
#include "workers/import/value_text.h"

#define NUMBER_MAX	64	/* bytes of a number */
#define DAY_MINUTES	1440
#define EXACT_DIGITS	15	/* the decimal digits that a double represents exactly */

static const struct {
	const char	*word;
	bool		 value;
} flags[] = {
	{ "true", true }, { "false", false }, { "yes", true }, { "no", false }, { "ja", true }, { "nein", false },
	{ "wahr", true }, { "falsch", false }, { "t", true }, { "f", false }, { "y", true }, { "n", false },
	{ "1", true }, { "0", false },
};

static int
find_flag(struct span t)
{
	for (size_t i = 0; t.len <= 6 && i < sizeof(flags) / sizeof(flags[0]); i++)
		if (span_is_word(t, flags[i].word))
			return flags[i].value;
	return -1;
}

bool
value_flag(struct span t)
{
	return find_flag(t) == 1;
}

bool
value_is_nothing(struct span t)
{
	static const char *const words[] = { "null", "na", "n/a", "#n/a", "-", "--", "none", "nan", "\\n", "nil",
		NULL };

	return t.len == 0 || (t.len <= 4 && span_is_any_word(t, words));
}

/* The parts of a written number. */
struct number {
	bool	negative;
	size_t	whole, fraction;	/* digits before and after the decimal sign */
	size_t	significant;
	bool	exponent;
	uint8_t	sign;			/* the decimal sign; 0: none */
	uint8_t	groups;			/* the separator of groups of three; 0: none */
};

/* Parse t with that decimal sign and group separator (0: none). */
static bool
read_digits(struct span t, uint8_t sign, uint8_t groups, struct number *n)
{
	size_t i = 0, since_group = 0;
	bool leading = true;

	*n = (struct number){ .negative = t.len > 0 && t.p[0] == '-' };
	for (i = n->negative; i < t.len; i++) {
		if (groups != 0 && t.p[i] == groups) {
			if (n->groups == 0 ? n->whole == 0 || n->whole > 3 : since_group != 3)
				return false;
			n->groups = groups;
			since_group = 0;
			continue;
		}
		if (!ascii_is_digit(t.p[i]))
			break;
		leading = leading && t.p[i] == '0';
		n->significant += !leading;
		n->whole++;
		since_group++;
	}
	if (n->whole == 0 || (n->groups != 0 && since_group != 3))
		return false;
	if (n->whole > 1 && t.p[n->negative] == '0')
		return false;
	if (i < t.len && sign != 0 && t.p[i] == sign) {
		n->sign = sign;
		for (i++; i < t.len && ascii_is_digit(t.p[i]); i++) {
			leading = leading && t.p[i] == '0';
			n->significant += !leading;
			n->fraction++;
		}
		if (n->fraction == 0)
			return false;
	}
	if (i < t.len && (t.p[i] == 'e' || t.p[i] == 'E') && sign != 0 && n->groups == 0) {
		n->exponent = true;
		i++;
		i += i < t.len && (t.p[i] == '-' || t.p[i] == '+');
		if (i == t.len || t.len - i > 3)
			return false;
		while (i < t.len && ascii_is_digit(t.p[i]))
			i++;
	}
	return i == t.len;
}

static const struct style {
	unsigned	reading;
	uint8_t		sign, groups;
} styles[] = {
	{ VALUE_POINT, '.', 0 },
	{ VALUE_COMMA, ',', 0 },
	{ VALUE_POINT_GROUPED, '.', ',' },
	{ VALUE_COMMA_GROUPED, ',', '.' },
	{ VALUE_POINT_WHOLE, 0, ',' },
	{ VALUE_COMMA_WHOLE, 0, '.' },
};

#define STYLES	(sizeof(styles) / sizeof(styles[0]))

/* Parse digits with an optional minus, within 64 bits; separators of groups are passed over. */
static bool
read_integer(struct span t, int64_t *out)
{
	bool negative = t.len > 0 && t.p[0] == '-';
	int64_t v = 0;

	for (size_t i = negative; i < t.len; i++)
		if (ascii_is_digit(t.p[i]) &&
		    (__builtin_mul_overflow(v, 10, &v) || __builtin_sub_overflow(v, t.p[i] - '0', &v)))
			return false;
	if (!negative && __builtin_sub_overflow(0, v, &v))
		return false;
	*out = v;
	return true;
}

/* Without separators of groups, with a decimal point.  False: not finite. */
static bool
read_double(struct span t, uint8_t groups, double *v)
{
	char text[NUMBER_MAX];
	size_t n = 0;

	for (size_t i = 0; i < t.len && n < sizeof(text); i++)
		if (t.p[i] != groups)
			text[n++] = t.p[i] == ',' ? '.' : (char)t.p[i];
	return num_read_double(text, n, v);
}

/* The digits of a number without its zeros in front and behind. */
static size_t
significant_digits(const uint8_t *s, size_t len, uint8_t out[NUMBER_MAX])
{
	size_t n = 0, last = 0;

	for (size_t i = 0; i < len && n < NUMBER_MAX && s[i] != 'e' && s[i] != 'E'; i++) {
		if (!ascii_is_digit(s[i]) || (n == 0 && s[i] == '0'))
			continue;
		out[n++] = s[i];
		if (s[i] != '0')
			last = n;
	}
	return last;
}

/* Whether a double keeps the number: it is in its range, and prints the same digits. */
static bool
is_kept(struct span t, uint8_t groups, const struct number *n)
{
	uint8_t ours[NUMBER_MAX], theirs[NUMBER_MAX];
	char printed[40];
	size_t len;
	double v;

	if (n->significant <= EXACT_DIGITS && !n->exponent)
		return true;
	if (!read_double(t, groups, &v) || (n->significant > 0 && fabs(v) < DBL_MIN))
		return false;
	len = significant_digits(t.p, t.len, ours);
	return n->significant <= EXACT_DIGITS ||
	    span_is(span_of(ours, len),
		span_of(theirs, significant_digits((const uint8_t *)printed, num_print_double(v, printed), theirs)));
}

static unsigned
number_readings(struct span t, unsigned among)
{
	unsigned found = 0;
	struct number n;
	int64_t v;

	if (t.len == 0 || t.len > NUMBER_MAX || (!ascii_is_digit(t.p[0]) && t.p[0] != '-'))
		return 0;
	if (read_digits(t, 0, 0, &n)) {
		if (!read_integer(t, &v))
			return 0;
		/* A whole number fits every style, unless a double would round it. */
		return among & (n.significant <= EXACT_DIGITS ? VALUE_NUMBERS : VALUE_WHOLES);
	}
	for (const struct style *s = styles; s < styles + STYLES; s++)
		if ((among & s->reading) != 0 && read_digits(t, s->sign, s->groups, &n) &&
		    ((s->reading & VALUE_WHOLES) != 0 ? read_integer(t, &v) : is_kept(t, s->groups, &n)))
			found |= s->reading;
	return found;
}

static bool
is_written_as_number(struct span t)
{
	struct number n;

	if (read_digits(t, 0, 0, &n))
		return true;
	for (const struct style *s = styles; s < styles + STYLES; s++)
		if (read_digits(t, s->sign, s->groups, &n))
			return true;
	return false;
}

const char *
value_number_fault(struct span t)
{
	bool plus = t.len > 1 && t.p[0] == '+', zero = false;

	if (plus)
		t = span_of(t.p + 1, t.len - 1);
	while (t.len > 1 && t.p[0] == '0' && ascii_is_digit(t.p[1])) {
		t = span_of(t.p + 1, t.len - 1);
		zero = true;
	}
	if (!is_written_as_number(t))
		return NULL;
	return plus                            ? "it begins with +" :
	    zero                               ? "it begins with 0" :
	    number_readings(t, VALUE_ALL) == 0 ? "a number would not keep its digits" :
						 NULL;
}

int64_t
value_integer(struct span t)
{
	int64_t v = 0;

	(void)read_integer(t, &v);
	return v;
}

double
value_number(struct span t, unsigned as)
{
	double v = 0;

	(void)read_double(t, as == VALUE_POINT_GROUPED ? ',' : as == VALUE_COMMA_GROUPED ? '.' : 0, &v);
	return v;
}

struct moment {
	unsigned	year, month, day, hour, minute, second;
	struct span	fraction;	/* digits after the decimal point of the seconds */
	bool		clock, zone;
	int		offset;		/* minutes east of UTC */
};

static const char months[] = "janfebmaraprmayjunjulaugsepoctnovdec";

/* Read `least` to `most` digits at *at; false: there are fewer. */
static bool
take_digits(struct span t, size_t *at, size_t least, size_t most, unsigned *out)
{
	size_t n = 0;

	for (*out = 0; n < most && *at < t.len && ascii_is_digit(t.p[*at]); n++, ++*at)
		*out = *out * 10 + (unsigned)(t.p[*at] - '0');
	return n >= least;
}

static bool
take_sign(struct span t, size_t *at, uint8_t sign)
{
	return *at < t.len && t.p[*at] == sign && ++*at;
}

static bool
is_day(const struct moment *m)
{
	return m->year >= 1 && date_exists(m->year, m->month, m->day);
}

static bool
take_month_name(struct span t, size_t *at, unsigned *month)
{
	for (unsigned i = 0; t.len - *at >= 3 && i < 12; i++)
		if (span_is_folded(span_of(t.p + *at, 3), span_of(months + (size_t)i * 3, 3))) {
			*at += 3;
			*month = i + 1;
			return true;
		}
	return false;
}

static bool
take_day(struct span t, size_t *at, unsigned as, struct moment *m)
{
	uint8_t sign;

	if (as == VALUE_YMD) {
		if (!take_digits(t, at, 4, 4, &m->year) || *at == t.len)
			return false;
		sign = t.p[*at];
		return (sign == '-' || sign == '/' || sign == '.') && take_sign(t, at, sign) &&
		    take_digits(t, at, 1, 2, &m->month) && take_sign(t, at, sign) &&
		    take_digits(t, at, 1, 2, &m->day) && is_day(m);
	}
	if (!take_digits(t, at, 1, 2, as == VALUE_MDY ? &m->month : &m->day) || *at == t.len)
		return false;
	sign = t.p[*at];
	if (as == VALUE_DAY_NAMED)
		return (sign == '-' || sign == ' ') && take_sign(t, at, sign) && take_month_name(t, at, &m->month) &&
		    take_sign(t, at, sign) && take_digits(t, at, 4, 4, &m->year) && is_day(m);
	if (as == VALUE_DMY_POINT ? sign != '.' : sign != '/' && sign != '-')
		return false;
	return take_sign(t, at, sign) && take_digits(t, at, 1, 2, as == VALUE_MDY ? &m->day : &m->month) &&
	    take_sign(t, at, sign) && take_digits(t, at, 4, 4, &m->year) && is_day(m);
}

static bool
take_zone(struct span t, size_t *at, struct moment *m)
{
	unsigned hours, minutes = 0;
	bool west;

	while (*at < t.len && t.p[*at] == ' ')
		++*at;
	m->zone = true;
	if (take_sign(t, at, 'Z') || take_sign(t, at, 'z'))
		return true;
	if (t.len - *at >= 3 &&
	    (span_is_word(span_of(t.p + *at, 3), "utc") || span_is_word(span_of(t.p + *at, 3), "gmt"))) {
		*at += 3;
		return true;
	}
	west = *at < t.len && t.p[*at] == '-';
	if (!take_sign(t, at, west ? '-' : '+') || !take_digits(t, at, 2, 2, &hours))
		return false;
	if (*at < t.len) {
		(void)take_sign(t, at, ':');
		if (!take_digits(t, at, 2, 2, &minutes))
			return false;
	}
	m->offset = (int)(hours * 60 + minutes) * (west ? -1 : 1);
	return hours <= 14 && minutes < 60;
}

/* Read an optional clock, [T ]13:05[:06[.789]] with an optional zone. */
static bool
take_clock(struct span t, size_t *at, struct moment *m)
{
	size_t from;

	if (*at == t.len)
		return true;
	if (t.p[*at] != ' ' && t.p[*at] != 'T' && t.p[*at] != 't')
		return false;
	++*at;
	m->clock = true;
	if (!take_digits(t, at, 1, 2, &m->hour) || !take_sign(t, at, ':') || !take_digits(t, at, 2, 2, &m->minute))
		return false;
	if (take_sign(t, at, ':')) {
		if (!take_digits(t, at, 2, 2, &m->second))
			return false;
		if (take_sign(t, at, '.') || take_sign(t, at, ',')) {
			from = *at;
			while (*at < t.len && ascii_is_digit(t.p[*at]))
				++*at;
			m->fraction = span_of(t.p + from, *at - from);
			if (m->fraction.len == 0 || m->fraction.len > 9)
				return false;
		}
	}
	if (m->hour > 23 || m->minute > 59 || m->second > 59)
		return false;
	return *at == t.len || (take_zone(t, at, m) && *at == t.len);
}

static bool
read_moment(struct span t, unsigned as, struct moment *m)
{
	size_t at = 0;

	*m = (struct moment){ 0 };
	return take_day(t, &at, as, m) && take_clock(t, &at, m);
}

static unsigned
time_readings(struct span t, unsigned among)
{
	unsigned days = 0, clock = 0;
	struct moment m;

	if (t.len < 8 || t.len > 40 || !ascii_is_digit(t.p[0]))
		return 0;
	for (unsigned as = VALUE_YMD; as <= VALUE_DAY_NAMED; as <<= 1)
		if ((among & as) != 0 && read_moment(t, as, &m)) {
			days |= as;
			clock = m.zone ? VALUE_ZONED : m.clock ? VALUE_TIMED : VALUE_TIMED | VALUE_DAY_ONLY;
		}
	return (clock & among) != 0 ? days | clock : 0;
}

/* Add minutes, across midnight if needed. */
static void
add_minutes(struct moment *m, int minutes)
{
	int total = (int)(m->hour * 60 + m->minute) + minutes;
	int days = total >= 0 ? total / DAY_MINUTES : -((DAY_MINUTES - 1 - total) / DAY_MINUTES);
	struct date d = date_of_days(date_days(m->year, m->month, m->day) + days);

	total -= days * DAY_MINUTES;
	m->year = (unsigned)d.year;
	m->month = d.month;
	m->day = d.day;
	m->hour = (unsigned)total / 60;
	m->minute = (unsigned)total % 60;
}

/* Write v with n digits to out; returns the position after them. */
static char *
put_digits(char *out, unsigned v, unsigned n)
{
	for (unsigned i = n; i > 0; i--, v /= 10)
		out[i - 1] = (char)('0' + v % 10);
	return out + n;
}

/* Without printf(), which would take longer than parsing the text. */
size_t
value_time(struct span t, unsigned as, char out[VALUE_TIME_MAX])
{
	struct moment m;
	char *p = out;

	if (!read_moment(t, as & VALUE_DAYS, &m))
		return 0;
	if (m.zone)
		add_minutes(&m, -m.offset);
	p = put_digits(p, m.year, 4);
	*p++ = '-';
	p = put_digits(p, m.month, 2);
	*p++ = '-';
	p = put_digits(p, m.day, 2);
	if (!m.clock && (as & VALUE_TIMED) == 0)
		return (size_t)(p - out);
	*p++ = ' ';
	p = put_digits(p, m.hour, 2);
	*p++ = ':';
	p = put_digits(p, m.minute, 2);
	*p++ = ':';
	p = put_digits(p, m.second, 2);
	if (m.fraction.len > 0) {
		*p++ = '.';
		memcpy(p, m.fraction.p, m.fraction.len);
		p += m.fraction.len;
	}
	if (m.zone)
		*p++ = 'Z';
	return (size_t)(p - out);
}

unsigned
value_readings(struct span t, unsigned among)
{
	unsigned found = 0;

	if ((among & VALUE_FLAGS) != 0 && find_flag(t) >= 0)
		found |= ascii_is_digit(t.p[0]) ? VALUE_BIT : VALUE_FLAGS;
	if ((among & VALUE_NUMBERS) != 0)
		found |= number_readings(t, among);
	if ((among & VALUE_DAYS) != 0)
		found |= time_readings(t, among);
	return found & among;
}
