/* sniff.c - detects the dialect of a file of delimited records; see csv.h. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "workers/import/csv.h"
#include "workers/import/value_text.h"

#define RECORDS		500	/* examined */
#define PREAMBLE_MAX	30	/* lines before the table */

/* The result of reading the beginning of the file with one delimiter and quote. */
struct sniff_trial {
	struct csv_dialect	dialect;
	size_t		records, alike;	/* alike: records with the usual number of fields */
	size_t		usual;		/* fields of most records */
	size_t		broken;
	bool		single;		/* the quote encloses a whole field somewhere */
	size_t		fields[RECORDS];	/* number in each record */
	uint64_t	lines[RECORDS];		/* first line of each record */
};

static bool
has_blank_fields_only(const struct csv_record *rec)
{
	for (size_t i = 0; i < rec->n; i++)
		if (span_trim(rec->fields[i].text).len > 0)
			return false;
	return true;
}

static void
try_dialect(struct sniff_trial *t, struct span text, bool ends)
{
	struct csv_record rec = { 0 };
	const char *reason;
	uint64_t line = 0;

	while (text.len > 0 && t->records < RECORDS) {
		enum csv_scan scan = csv_scan(&t->dialect, text, ends, &rec, &reason);
		const uint8_t *newline = memchr(text.p, '\n', text.len);
		size_t used = scan == CSV_RECORD ? rec.used :
		    newline != NULL              ? (size_t)(newline - text.p) + 1 :
						   text.len;

		if (scan == CSV_PART)
			break;
		if (scan == CSV_BROKEN)
			t->broken++;
		else if (!has_blank_fields_only(&rec)) {
			t->fields[t->records] = rec.n;
			t->lines[t->records++] = line;
			for (size_t i = 0; i < rec.n; i++)
				t->single |= rec.fields[i].kind == FIELD_QUOTED;
		}
		line += scan == CSV_RECORD ? rec.lines : 1;
		text = span_of(text.p + used, text.len - used);
	}
	csv_record_free(&rec);
	t->usual = rows_usual_width(t->fields, t->records);
	for (size_t i = 0; i < t->records; i++)
		t->alike += t->fields[i] == t->usual;
}

/*
 * How well the dialect explains the file: the share of records with the same number of fields, more than one.  On a
 * tie the dialect with more fields wins.
 */
static double
merit(const struct sniff_trial *t)
{
	double share;

	if (t->records == 0)
		return -1;
	share = (double)t->alike / (double)(t->records + t->broken);
	/* A delimiter that splits nothing is the last resort. */
	if (t->usual < 2)
		return 0.01 * share;
	return share * share + 0.002 * (double)(t->usual < 50 ? t->usual : 50);
}

/* The number of lines before the first record of the usual width; 0 if there is no such record. */
static uint64_t
find_preamble(const struct sniff_trial *t)
{
	for (size_t i = 0; i < t->records && i < PREAMBLE_MAX; i++)
		if (t->fields[i] == t->usual)
			return t->lines[i];
	return 0;
}

/* --- the header -------------------------------------------------------------------------- */

#define SAMPLE	200	/* records compared with the first one */

/* How the texts of a column can be read, without the first record. */
struct below {
	unsigned	readings;
	size_t		texts;
	bool		repeats;	/* the first record's text occurs again */
};

static bool
is_name(struct span t)
{
	t = span_trim(t);
	return t.len == 0 || (t.len <= ROWS_NAME_MAX && value_readings(t, VALUE_ALL & ~(unsigned)VALUE_FLAG) == 0);
}

static void
compare_below(const struct csv_dialect *d, struct span text, bool ends, const struct csv_record *first,
    struct below *below)
{
	struct csv_record rec = { 0 };
	const char *reason;

	for (size_t n = 0; n < SAMPLE && text.len > 0 && csv_scan(d, text, ends, &rec, &reason) == CSV_RECORD; n++) {
		for (size_t i = 0; i < rec.n && i < first->n; i++) {
			struct span t = span_trim(rec.fields[i].text);

			if (value_is_nothing(t))
				continue;
			below[i].texts++;
			below[i].readings &= value_readings(t, below[i].readings);
			below[i].repeats |= span_is(t, span_trim(first->fields[i].text));
		}
		text = span_of(text.p + rec.used, text.len - rec.used);
	}
	csv_record_free(&rec);
}

/*
 * Whether the first record names the columns: none of its fields is a number or a date, and either some column has
 * numbers or dates, or none of the names occurs again.
 */
static bool
has_header(const struct csv_dialect *d, struct span text, bool ends)
{
	struct csv_record first = { 0 };
	struct below *below;
	const char *reason;
	bool names = true, typed = false, repeats = false;
	size_t filled = 0;

	if (csv_scan(d, text, ends, &first, &reason) != CSV_RECORD || first.used == text.len) {
		/* A single record is data. */
		csv_record_free(&first);
		return false;
	}
	for (size_t i = 0; i < first.n; i++) {
		names = names && is_name(first.fields[i].text);
		filled += span_trim(first.fields[i].text).len > 0;
	}
	below = mem_new(first.n, sizeof(*below));
	for (size_t i = 0; i < first.n; i++)
		below[i].readings = VALUE_ALL & ~(unsigned)VALUE_FLAG;
	compare_below(d, span_of(text.p + first.used, text.len - first.used), ends, &first, below);
	for (size_t i = 0; i < first.n; i++) {
		typed = typed || (below[i].texts > 0 && below[i].readings != 0);
		repeats = repeats || (below[i].repeats && below[i].readings == 0);
	}
	free(below);
	csv_record_free(&first);
	return names && filled * 2 >= first.n && (typed || !repeats);
}

/* --- all --------------------------------------------------------------------------------------- */

static struct span
behind_lines(struct span text, uint64_t lines)
{
	for (; lines > 0; lines--) {
		const uint8_t *newline = text.len == 0 ? NULL : memchr(text.p, '\n', text.len);

		if (newline == NULL)
			break;
		text = span_of(newline + 1, text.len - (size_t)(newline + 1 - text.p));
	}
	return text;
}

void
csv_sniff(struct span text, bool ends, uint8_t delimiter, struct csv_dialect *d)
{
	static const uint8_t delimiters[] = { ',', ';', '\t', '|', ':', '~', '^' };
	struct sniff_trial *best = NULL;

	*d = (struct csv_dialect){ 0 };
	if (text.len == 0)
		return;
	for (size_t i = 0; i < sizeof(delimiters); i++)
		for (unsigned way = 0; way < 3; way++) {
			struct sniff_trial *t;

			if (delimiter != 0 && delimiters[i] != delimiter)
				continue;
			t = mem_new(1, sizeof(*t));
			t->dialect = (struct csv_dialect){
				.delimiter = delimiters[i], .quote = way == 2 ? '\'' : '"', .backslash = way == 1
			};
			try_dialect(t, text, ends);
			/* Prefer another quote, or a backslash, only if it explains more. */
			if (best == NULL || (way != 2 || t->single ? merit(t) > merit(best) + 1e-9 : false)) {
				free(best);
				best = t;
			} else
				free(t);
		}
	*d = best->dialect;
	d->columns = best->usual;
	d->skipped = find_preamble(best);
	d->header = has_header(d, behind_lines(text, d->skipped), ends);
	free(best);
}
