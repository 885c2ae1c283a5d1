#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "workers/import/sniff.h"
#include "workers/import/value_text.h"

#define RECORDS		500	/* examined */
#define PREAMBLE_MAX	30	/* records before the table */
#define SAMPLE		200	/* records compared with a header */

static const struct delimiter {
	uint8_t	byte;
	uint8_t	unproved;	/* fields of a table that needs no proof below other lines; 0: it does */
	bool	rare;		/* must split every record, the first into names */
} delimiters[] = {
	{ ',', 3, false },
	{ ';', 2, false },
	{ '\t', 2, false },
	{ '|', 2, false },
	{ ':', 0, true },
	{ '~', 0, true },
	{ '^', 0, true },
};

#define DELIMITERS	(sizeof(delimiters) / sizeof(delimiters[0]))

struct sniff_record {
	size_t		n;		/* fields */
	size_t		last;		/* fields without empty ones at the end */
	size_t		filled;
	size_t		at;		/* offset in the text */
	uint64_t	line;		/* from 0 */
	bool		apart;		/* a blank line comes before it */
};

/* The result of reading the beginning of the file with one delimiter and quote. */
struct sniff_trial {
	struct csv_dialect	dialect;
	struct span		text;
	bool			ends;
	size_t			records, alike, broken;
	size_t			splits, blanks;		/* delimiters, and those before a blank: prose */
	bool			single;			/* the quote encloses a whole field somewhere */
	double			typed;			/* the share of columns of numbers or times */
	struct sniff_record	v[RECORDS];
};

static void
note_record(struct sniff_trial *t, const struct csv_record *rec, struct sniff_record r)
{
	r.n = rec->n;
	for (size_t i = 0; i < rec->n; i++) {
		struct span field = rec->fields[i].text;

		if (span_trim(field).len > 0) {
			r.filled++;
			r.last = i + 1;
		}
		t->single |= rec->fields[i].kind == FIELD_QUOTED;
		t->splits += i > 0;
		t->blanks += i > 0 && field.len > 0 && field.p[0] == ' ';
	}
	t->v[t->records++] = r;
}

static void
read_records(struct sniff_trial *t)
{
	struct csv_record rec = { 0 };
	struct sniff_record r = { .at = t->dialect.start, .line = t->dialect.skipped };
	const char *reason;

	while (r.at < t->text.len && t->records < RECORDS) {
		struct span rest = span_of(t->text.p + r.at, t->text.len - r.at);
		enum csv_scan scan = csv_scan(&t->dialect, rest, t->ends, &rec, &reason);
		bool blank = scan == CSV_RECORD && csv_is_blank(&rec);

		if (scan == CSV_PART)
			break;
		if (scan == CSV_BROKEN)
			t->broken++;
		else if (!blank)
			note_record(t, &rec, r);
		r.apart = blank;
		r.at += scan == CSV_RECORD ? rec.used : csv_line(rest);
		r.line += scan == CSV_RECORD ? rec.lines : 1;
	}
	csv_record_free(&rec);
}

/* Whether the record has that many fields; more are allowed if they are empty. */
static bool
record_fits(const struct sniff_record *r, size_t columns)
{
	return r->n == columns || (r->n > columns && r->last <= columns);
}

/* How much speaks for a header: nothing; only that its texts do not occur again; that columns hold numbers or times. */
enum header { HEADER_NONE, HEADER_WEAK, HEADER_TYPED };

/* The texts of a column below the first record. */
struct below {
	unsigned	readings;
	size_t		texts, shaped;	/* shaped: of the first record's shape */
	bool		repeats;	/* the first record's text occurs again */
};

static bool
is_name(struct span t)
{
	t = span_trim(t);
	return t.len == 0 ||
	    (t.len <= ROWS_NAME_MAX && value_readings(t, VALUE_ALL & ~(unsigned)VALUE_FLAGS) == 0 &&
		(t.len < 4 || memmem(t.p, t.len, "://", 3) == NULL));
}

/* The class of the character at *at, which is moved past the run of its class. */
static uint8_t
take_shape(struct span t, size_t *at)
{
	uint8_t c = t.p[(*at)++];

	if (ascii_is_digit(c)) {
		while (*at < t.len && ascii_is_digit(t.p[*at]))
			++*at;
		return '9';
	}
	if (!ascii_is_letter(c) && c < 0x80)
		return c;
	while (*at < t.len && (ascii_is_letter(t.p[*at]) || t.p[*at] >= 0x80))
		++*at;
	return 'a';
}

/* Whether both are the same but for digits and letters, with a digit in them: 10:30 and 9:45. */
static bool
is_same_shape(struct span a, struct span b)
{
	size_t i = 0, k = 0;
	bool digits = false;

	while (i < a.len && k < b.len) {
		uint8_t c = take_shape(a, &i);

		if (take_shape(b, &k) != c)
			return false;
		digits = digits || c == '9';
	}
	return digits && i == a.len && k == b.len;
}

/* Compare the first record with those that text continues with. */
static void
compare_below(const struct sniff_trial *t, struct span text, const struct csv_record *first, struct below *below)
{
	struct csv_record rec = { 0 };
	const char *reason;

	for (size_t n = 0;
	     n < SAMPLE && text.len > 0 && csv_scan(&t->dialect, text, t->ends, &rec, &reason) == CSV_RECORD; n++) {
		for (size_t i = 0; i < rec.n && i < first->n; i++) {
			struct span field = span_trim(rec.fields[i].text), name = span_trim(first->fields[i].text);

			if (value_is_nothing(field))
				continue;
			below[i].texts++;
			below[i].readings &= value_readings(field, below[i].readings);
			below[i].repeats |= span_is(field, name);
			below[i].shaped += is_same_shape(field, name);
		}
		text = span_of(text.p + rec.used, text.len - rec.used);
	}
	csv_record_free(&rec);
}

/*
 * What speaks for record i as a header: none of its fields is a number, a time or an address, at least half of them are
 * filled, and either some column has numbers or times, or no text occurs again and none is of the shape of all below.
 */
static enum header
judge_header(const struct sniff_trial *t, size_t i, double *typed)
{
	struct span text = span_of(t->text.p + t->v[i].at, t->text.len - t->v[i].at);
	bool names = t->v[i].filled * 2 >= t->v[i].n, repeats = false, shaped = false;
	struct csv_record first = { 0 };
	struct below *below;
	const char *reason;
	size_t ntyped = 0;

	if (csv_scan(&t->dialect, text, t->ends, &first, &reason) != CSV_RECORD) {
		csv_record_free(&first);
		return HEADER_NONE;
	}
	below = mem_new(first.n, sizeof(*below));
	for (size_t k = 0; k < first.n; k++)
		below[k].readings = VALUE_ALL & ~(unsigned)VALUE_FLAGS;
	compare_below(t, span_of(text.p + first.used, text.len - first.used), &first, below);
	for (size_t k = 0; k < first.n; k++) {
		names = names && is_name(first.fields[k].text);
		ntyped += below[k].texts > 0 && below[k].readings != 0;
		repeats |= below[k].repeats && below[k].readings == 0;
		shaped |= below[k].texts > 0 && below[k].shaped == below[k].texts;
	}
	*typed = first.n == 0 ? 0 : (double)ntyped / (double)first.n;
	free(below);
	csv_record_free(&first);
	return !names ? HEADER_NONE : ntyped > 0 ? HEADER_TYPED : repeats || shaped ? HEADER_NONE : HEADER_WEAK;
}

/* Whether every field of record i is filled, and is one word of letters, digits, '_' and '-' that a letter begins. */
static bool
has_plain_names(const struct sniff_trial *t, size_t i)
{
	struct span text = span_of(t->text.p + t->v[i].at, t->text.len - t->v[i].at);
	struct csv_record rec = { 0 };
	const char *reason;
	bool plain = csv_scan(&t->dialect, text, t->ends, &rec, &reason) == CSV_RECORD;

	for (size_t k = 0; plain && k < rec.n; k++) {
		struct span name = rec.fields[k].text;

		plain = name.len > 0 && !ascii_is_digit(name.p[0]);
		for (size_t c = 0; plain && c < name.len; c++)
			plain = ascii_is_alnum(name.p[c]) || name.p[c] >= 0x80 || ascii_is_any(name.p[c], "_-");
	}
	csv_record_free(&rec);
	return plain;
}

static bool
is_prose(const struct sniff_trial *t)
{
	return t->splits > 0 && t->blanks * 10 > t->splits * 9;
}

/*
 * Where records end with one delimiter more than the header does, the last field is no column: 1,2,3, below a,b,c.
 * Returns the number of columns.
 */
static size_t
without_last(const struct sniff_trial *t, size_t columns)
{
	size_t last = 0;

	for (size_t i = 0; i < t->records; i++)
		if (t->v[i].n == columns && t->v[i].last > last)
			last = t->v[i].last;
	for (size_t i = 0; last > 0 && last < columns && i < t->records && t->v[i].n != columns; i++)
		if (t->v[i].n == last)
			return last;
	return columns;
}

/* A title that is filled up with delimiters: the table begins at the first full record, if that is a header. */
static size_t
behind_title(const struct sniff_trial *t, size_t first)
{
	size_t i = first;
	double typed;

	while (i < t->records && i < first + PREAMBLE_MAX && t->v[i].filled * 2 <= t->dialect.columns)
		i++;
	return i > first && i < t->records && t->v[i].filled == t->dialect.columns &&
		judge_header(t, i, &typed) == HEADER_TYPED ?
	    i :
	    first;
}

/* Whether record `first` has a name less than there are columns: the first column has the names of rows. */
static bool
lacks_first_name(const struct sniff_trial *t, size_t above)
{
	size_t names = t->dialect.columns - 1;
	double typed;

	return t->v[above].n == names && t->v[above].filled == names && !t->v[above + 1].apart &&
	    judge_header(t, above, &typed) != HEADER_NONE && judge_header(t, above + 1, &typed) != HEADER_TYPED &&
	    (names > 1 || (t->single && !is_prose(t)));
}

/* Find the first record of the table and its header.  False: the records before it are not proved to be above one. */
static bool
find_table(struct sniff_trial *t, const struct rows_wishes *wishes)
{
	struct csv_dialect *d = &t->dialect;
	size_t first = 0, start;
	enum header header;
	bool proved;

	while (first < t->records && first < PREAMBLE_MAX && !record_fits(&t->v[first], d->columns))
		first++;
	if (first == t->records || first == PREAMBLE_MAX)
		first = 0;
	start = wishes->header == HEADER_NO ? first : behind_title(t, first);
	if (start == first && first > 0 && wishes->header != HEADER_NO && lacks_first_name(t, first - 1)) {
		start = first - 1;
		d->unnamed = true;
		t->typed = 0;
		header = HEADER_TYPED;
	} else
		header = judge_header(t, start, &t->typed);
	proved = start == 0 || header == HEADER_TYPED || t->v[start].apart;
	for (size_t i = 0; !proved && i < DELIMITERS; i++)
		proved = d->delimiter == delimiters[i].byte && delimiters[i].unproved > 0 &&
		    d->columns >= delimiters[i].unproved && !is_prose(t);
	d->start = t->v[start].at;
	d->skipped = t->v[start].line;
	d->header = wishes->header == HEADER_GUESS ? header != HEADER_NONE : wishes->header == HEADER_YES;
	return proved;
}

/* 0: the dialect is not believed. */
static double
judge_trial(struct sniff_trial *t, const struct delimiter *delimiter, const struct rows_wishes *wishes)
{
	size_t *widths = mem_new(t->records + 1, sizeof(*widths));
	struct csv_dialect *d = &t->dialect;
	size_t usual;
	bool proved;
	double share;

	for (size_t i = 0; i < t->records; i++)
		widths[i] = t->v[i].n;
	usual = rows_usual_width(widths, t->records);
	free(widths);
	if (t->records == 0)
		return 0;
	d->columns = without_last(t, usual);
	for (size_t i = 0; i < t->records; i++)
		t->alike += record_fits(&t->v[i], d->columns);
	share = (double)t->alike / (double)(t->records + t->broken);
	proved = find_table(t, wishes);
	if (delimiter == NULL)
		return share;
	/* Of texts in one column the last sign may be a part. */
	if (!proved || usual < 2 || (d->columns < 2 && (delimiter->rare || t->typed == 0)) ||
	    share < (is_prose(t) ? 0.95 : 0.5))
		return 0;
	if (delimiter->rare && (share < 1 || d->skipped > 0 || !d->header || !has_plain_names(t, 0)))
		return 0;
	return (delimiter->rare ? 0 : 2) + share * share + 0.002 * (double)(d->columns < 50 ? d->columns : 50) +
	    0.05 * t->typed;
}

/* Read with one delimiter (NULL: the one that is given, or none) and each way of quoting; the best is kept in *best. */
static void
try_delimiter(struct sniff_trial **best, double *merit, const struct sniff_trial *begin,
    const struct delimiter *delimiter, uint8_t byte, const struct rows_wishes *wishes)
{
	for (unsigned way = 0; way < 3; way++) {
		struct sniff_trial *t = mem_new(1, sizeof(*t));
		double m;

		*t = *begin;
		t->dialect.delimiter = byte;
		t->dialect.quote = way == 2 ? '\'' : '"';
		t->dialect.backslash = way == 1;
		read_records(t);
		m = judge_trial(t, delimiter, wishes);
		/* Prefer another quote, or a backslash, only if it explains more. */
		if (m > *merit + 1e-9 && (way != 2 || t->single)) {
			free(*best);
			*best = t;
			*merit = m;
		} else
			free(t);
	}
}

/* Excel's first line, which names the delimiter: sep=; */
static void
take_sep_line(struct sniff_trial *t, uint8_t *delimiter)
{
	size_t len = csv_line(t->text);
	struct span line = span_trim(span_of(t->text.p, len));

	if (line.len > 2 && line.p[0] == '"' && line.p[line.len - 1] == '"')
		line = span_of(line.p + 1, line.len - 2);
	/* A tab is white space. */
	if (span_is_word(line, "sep=") && len > 5 && t->text.p[4] == '\t')
		*delimiter = '\t';
	else if (line.len == 5 && span_begins_word(line, "sep=") && !ascii_is_alnum(line.p[4]) && line.p[4] < 0x80)
		*delimiter = line.p[4];
	else
		return;
	t->dialect.start = len;
	t->dialect.skipped = 1;
}

void
csv_sniff(struct span text, bool ends, const struct rows_wishes *wishes, struct csv_dialect *d)
{
	struct sniff_trial *begin = mem_new(1, sizeof(*begin)), *best = NULL;
	uint8_t given = wishes->delimiter, named = 0;
	double merit = 0;

	begin->text = text;
	begin->ends = ends;
	if (text.len > 0)
		take_sep_line(begin, &named);
	if (given == 0)
		given = named;
	for (size_t i = 0; given == 0 && i < DELIMITERS; i++)
		if (delimiters[i].byte != wishes->decimal)
			try_delimiter(&best, &merit, begin, &delimiters[i], delimiters[i].byte, wishes);
	if (best == NULL)
		try_delimiter(&best, &merit, begin, NULL, given != 0 ? given : CSV_NO_DELIMITER, wishes);
	*d = best != NULL ? best->dialect : (struct csv_dialect){ 0 };
	free(best);
	free(begin);
}
