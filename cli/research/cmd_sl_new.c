#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "project/model/source_find.h"
#include "base/ascii.h"
#include "base/json/json_write.h"
#include "base/system/io.h"
#include "base/text/locale_text.h"
#include "cli/research/cmd_sl.h"
#include "cli/research/cmd_sl_new.h"
#include "project/letters.h"
#include "project/paths.h"
#include "cli/args.h"
#include "cli/say.h"

#define PROPOSED_MAX	8u	/* measures of one file */

enum sl_word { AMOUNT = 1, QUANTITY = 2, HUNDREDTHS = 4, SINGLE = 8, MOMENT = 16, LATER = 32, CURRENCY = 64 };

static unsigned
word_kind(struct span word)
{
	static const struct {
		const char *word;
		enum sl_word kind;
	} words[] = {
#define SL_WORD(word, kind)	{ word, kind },
#include "cli/research/sl_words.def"
#undef SL_WORD
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (span_is_str(word, words[i].word))
			return words[i].kind;
	return 0;
}

/* Bytes of other scripts and of letters with accents are letters. */
static bool
is_letter(char c)
{
	return ascii_is_letter((uint8_t)c) || (uint8_t)c >= 0x80;
}

/* The next word of the name at *at, in small letters: "unit", then "price", of UnitPrice.  False after the last. */
static bool
next_name_word(const char **at, char *word, size_t size)
{
	size_t n = 0;

	while (**at != '\0' && !is_letter(**at))
		(*at)++;
	for (const char *p = *at; is_letter(*p); p++, (*at)++) {
		if (n > 0 && ascii_is_upper((uint8_t)*p) && !ascii_is_upper((uint8_t)p[-1]))
			break;
		if (n + 1 < size)
			word[n++] = (char)ascii_lower((uint8_t)*p);
	}
	if (n + 1 == size) /* cut: not within a character */
		while (n > 1 && (uint8_t)word[n - 1] >= 0x80)
			n--;
	word[n] = '\0';
	return n > 0;
}

/* What the words of a name, in plain letters, say, as a set of enum sl_word. */
static unsigned
name_says(struct cli *cli, const char *name)
{
	struct span plain = letters_plain(cli->arena, span_str(name), NULL);
	const char *rest = arena_printf(cli->arena, "%.*s", SPAN_FMT(plain));
	unsigned says = 0;
	char word[64];

	while (next_name_word(&rest, word, sizeof(word)))
		says |= word_kind(span_str(word));
	return says;
}

/* "unit price" of unit_price_eur and UnitPrice, without words of the kinds; the name itself where nothing is left. */
static const char *
spoken(struct cli *cli, const char *name, unsigned without)
{
	const char *text = "", *rest = name;
	char word[64];

	while (next_name_word(&rest, word, sizeof(word)))
		if ((word_kind(span_str(word)) & without) == 0)
			text = arena_printf(cli->arena, "%s%s%s", text, *text == '\0' ? "" : " ", word);
	return *text != '\0' ? text : name;
}

/* "EUR" for total_eur; NULL: the name has no currency. */
static const char *
currency_of(struct cli *cli, const char *name)
{
	const char *rest = name;
	char word[64];

	while (next_name_word(&rest, word, sizeof(word)))
		if (word_kind(span_str(word)) == CURRENCY) {
			for (char *p = word; *p != '\0'; p++)
				*p -= 'a' - 'A';
			return arena_printf(cli->arena, "%s", word);
		}
	return NULL;
}

static bool
is_typed(const struct source_column *c, const char *type)
{
	return c->type != NULL && strcmp(c->type, type) == 0 && c->visibility == SOURCE_PUBLIC;
}

/* Whether sums of the column mean something. */
static bool
adds_up(struct cli *cli, const struct source_column *c)
{
	unsigned says = name_says(cli, c->name);

	return is_typed(c, "number") && (says & (AMOUNT | QUANTITY)) != 0 && (says & SINGLE) == 0;
}

/* The column that most likely says when a row happened; NULL: none is a time. */
static const struct source_column *
moment_of(struct cli *cli, const struct source *s)
{
	const struct source_column *best = NULL;
	int best_score = 0;

	for (size_t i = 0; i < s->ncolumns; i++) {
		unsigned says = name_says(cli, s->columns[i].name);
		int score = 3 + ((says & MOMENT) != 0) - 2 * ((says & LATER) != 0);

		if (is_typed(&s->columns[i], "time") && score > best_score) {
			best = &s->columns[i];
			best_score = score;
		}
	}
	return best;
}

static const struct source_column *
amount_of(struct cli *cli, const struct source *s)
{
	for (size_t i = 0; i < s->ncolumns; i++)
		if (adds_up(cli, &s->columns[i]) && (name_says(cli, s->columns[i].name) & AMOUNT) != 0)
			return &s->columns[i];
	return NULL;
}

const char *
sl_first_table(struct cli *cli, const char *project, const char *connection)
{
	struct source_set *set = sl_load(cli, project, connection);
	const char *best = NULL;
	int best_score = -1;

	for (size_t i = 0; set != NULL && i < source_set_count(set); i++) {
		const struct source *s = source_set_at(set, i);
		int score = 2 * (amount_of(cli, s) != NULL) + (moment_of(cli, s) != NULL);

		if (s->nmeasures > 0) {
			best = NULL;
			break;
		}
		if (s->flavour == SOURCE_MANIFEST && score > best_score) {
			best = arena_cstr(cli->arena, span_str(s->name));
			best_score = score;
		}
	}
	if (set != NULL)
		source_set_free(set);
	return best;
}

static bool
is_plain_name(const char *text)
{
	for (const char *p = text; *p != '\0'; p++)
		if (!ascii_is_lower((uint8_t)*p) && *p != '_' && (p == text || !ascii_is_digit((uint8_t)*p)))
			return false;
	return *text != '\0';
}

/* A scalar of YAML. A word without a quote could be one that YAML reads as something else, such as no. */
static void
put_scalar(struct buf *out, const char *text)
{
	if (is_plain_name(text) && strchr(text, '_') != NULL)
		buf_str(out, text);
	else
		json_write_string(out, span_str(text));
}

/* "sum(total)", "sum(\"Total\") / 100.0", as a scalar. */
static void
put_sum(struct cli *cli, struct buf *out, const struct source_column *c)
{
	struct buf expr = { 0 };

	buf_str(&expr, "sum(");
	if (is_plain_name(c->name))
		buf_str(&expr, c->name);
	else
		buf_quoted(&expr, span_str(c->name), '"');
	buf_str(&expr, (name_says(cli, c->name) & HUNDREDTHS) != 0 ? ") / 100.0" : ")");
	if (is_plain_name(c->name))
		buf_span(out, buf_view(&expr));
	else
		json_write_string(out, buf_view(&expr));
	buf_fini(&expr);
}

/* "invoice_total" for Invoice_Total. */
static char *
plain_name(struct cli *cli, const char *text)
{
	struct span plain = letters_plain(cli->arena, span_str(text), NULL);
	char *name = arena_printf(cli->arena, "%.*s", SPAN_FMT(plain));

	for (char *p = name; *p != '\0'; p++)
		*p = ascii_is_alnum((uint8_t)*p) ? (char)ascii_lower((uint8_t)*p) : '_';
	return name;
}

struct sl_draft {
	struct cli		*cli;
	const struct source	*s;
	struct buf		 text;
	size_t			 n;
	const char		*measures[PROPOSED_MAX + 1];
	const char		*word;		/* what a question would call the first of them */
	const char		*group;		/* the first column of text; NULL: none */
};

/* A name that no measure of the draft and no column has: of two words, "invoice" and "count". */
static const char *
measure_name(const struct sl_draft *d, const char *first, const char *second)
{
	const char *plain = plain_name(d->cli, arena_printf(d->cli->arena, "%s_%s", first, second)), *name = plain;
	bool taken = true;

	for (unsigned n = 2; taken; n++) {
		taken = source_find_column(d->s, span_str(name)) != NULL;
		for (size_t i = 0; i < d->n; i++)
			taken |= strcmp(name, d->measures[i]) == 0;
		if (taken)
			name = arena_printf(d->cli->arena, "%s_%u", plain, n);
	}
	return name;
}

static void
put_measure(struct sl_draft *d, const char *name, const char *label)
{
	d->measures[d->n++] = name;
	if (d->word == NULL)
		d->word = label;
	buf_printf(&d->text, "  - name: %s\n    expr: ", name);
}

/* Whether more words of the column names are German than English, of those that tell. */
static bool
is_german(struct cli *cli, const struct source *s)
{
	static const char *const german[] = { "alter", "anzahl", "art", "bezeichnung", "beginn", "betrag", "datum",
		"ende", "erloes", "gehalt", "geschlecht", "gewicht", "groesse", "jahr", "kosten", "kunde", "laenge",
		"land", "menge", "nachname", "nr", "nummer", "ort", "plz", "preis", "stadt", "strasse", "stueck",
		"titel", "umsatz", "vorname", "wohnort", NULL },
		*const english[] = { "age", "amount", "city", "code", "cost", "country", "customer", "date", "first",
		"last", "length", "number", "order", "price", "quantity", "state", "street", "title", "type", "weight",
		"year", NULL };
	int more = 0;

	for (size_t i = 0; i < s->ncolumns; i++) {
		struct span plain = letters_plain(cli->arena, span_str(s->columns[i].name), NULL);
		const char *rest = arena_printf(cli->arena, "%.*s", SPAN_FMT(plain));
		char word[64];

		while (next_name_word(&rest, word, sizeof(word)))
			more += span_is_any(span_str(word), german) - span_is_any(span_str(word), english);
	}
	return more > 0;
}

static void
put_measures(struct sl_draft *d)
{
	const struct source *s = d->s;
	const char *of = spoken(d->cli, s->name, 0), *label, *unit;

	buf_str(&d->text,
	    "\n# A measure is an aggregate over the rows of this table. `label` and `synonyms` are the words of "
	    "questions,\n"
	    "# in any language; without `filter` every row counts.\nmeasures:\n");
	for (size_t i = 0; i < s->ncolumns && d->n < PROPOSED_MAX; i++) {
		const struct source_column *c = &s->columns[i];
		bool whole;

		if (!adds_up(d->cli, c))
			continue;
		/* "total" alone is a word that questions have for other things; "invoice total" says whose. */
		label = spoken(d->cli, c->name, CURRENCY | HUNDREDTHS);
		whole = strncmp(label, of, strlen(of)) == 0 && label[strlen(of)] == ' ';
		label = whole ? label : arena_printf(d->cli->arena, "%s %s", of, label);
		put_measure(d, whole ? measure_name(d, c->name, "sum") : measure_name(d, s->name, c->name), label);
		put_sum(d->cli, &d->text, c);
		buf_str(&d->text, "\n    label: ");
		json_write_string(&d->text, span_str(label));
		buf_str(&d->text, "\n    # synonyms: [revenue, turnover]\n");
		if ((name_says(d->cli, c->name) & AMOUNT) != 0) {
			unit = currency_of(d->cli, c->name);
			buf_printf(&d->text, "    %sunit: %s\n", unit == NULL ? "# " : "", unit == NULL ? "EUR" : unit);
		}
	}
	label = is_german(d->cli, s) ?
	    arena_printf(d->cli->arena, "Anzahl %s", of) :
	    arena_printf(d->cli->arena, "number of %.*s", SPAN_FMT(locale_plural(d->cli->arena, span_str(of))));
	put_measure(d, measure_name(d, s->name, "count"), label);
	buf_str(&d->text, "count(*)\n    label: ");
	json_write_string(&d->text, span_str(label));
	buf_byte(&d->text, '\n');
	if (d->group != NULL && is_plain_name(d->group))
		buf_printf(&d->text, "    # filter: \"%s <> 'a value that does not count'\"\n", d->group);
}

static void
put_time(struct sl_draft *d)
{
	const struct source_column *moment = moment_of(d->cli, d->s);
	const char *comma = "";

	if (moment == NULL) {
		buf_str(&d->text, "\n# The scan found no date here; a period is that of what the rows belong to.\n");
		return;
	}
	/* A proposal only: with it, every question about these rows has to say a period. */
	buf_str(&d->text,
	    "\n# If each row is something that happened: the date that counts when a question says \"last year\".\n"
	    "# Questions that say no period are then asked for one.");
	for (size_t i = 0; i < d->s->ncolumns; i++)
		if (is_typed(&d->s->columns[i], "time") && &d->s->columns[i] != moment) {
			buf_str(&d->text, *comma == '\0' ? " Other dates are: " : comma);
			json_write_string(&d->text, span_str(d->s->columns[i].name));
			comma = ", ";
		}
	buf_str(&d->text, "\n# default_time_dimension: ");
	put_scalar(&d->text, moment->name);
	buf_byte(&d->text, '\n');
}

static void
put_columns(struct sl_draft *d)
{
	if (d->group == NULL)
		return;
	buf_str(&d->text,
	    "\n# What people call the columns, by which measures are broken down:\n# column_overrides:\n#   - {name: ");
	put_scalar(&d->text, d->group);
	buf_str(&d->text, ", label: what answers say, synonyms: [what, people, ask]}\n");
}

/* The joins of the scan hold without being written; an example where there are none. */
static void
put_joins(struct sl_draft *d)
{
	const struct source *s = d->s;

	buf_str(&d->text,
	    s->njoins > 0 ?
		"\n# Joins that the scan found, which need not be written here:\n" :
		"\n# The scan found no foreign key of this table. A join is written so:\n# joins:\n"
		"#   - {to: customer, \"on\": orders.customer_id = customer.id, relationship: many_to_one}\n");
	for (size_t i = 0; i < s->njoins; i++) {
		/* Names of the database stay within the comment. */
		buf_str(&d->text, "#   to ");
		table_safe(span_str(s->joins[i].to), false, &d->text);
		buf_str(&d->text, ", on ");
		table_safe(span_str(s->joins[i].on != NULL ? s->joins[i].on : "an unknown condition"), false, &d->text);
		buf_byte(&d->text, '\n');
	}
}

static void
draft_source(struct sl_draft *d)
{
	buf_str(&d->text,
	    "# The scanned table with what people ask of it. Nothing here changes the database. How to go on:\n"
	    "# docs/first-measure.md; every key: docs/semantic-layer.md. `carrel sl validate` checks this file.\n"
	    "name: ");
	put_scalar(&d->text, d->s->name);
	buf_str(&d->text, "\n# descriptions: {user: \"What one row is, and which rows there are.\"}\n");
	for (size_t i = d->s->ncolumns; i-- > 0;)
		if (is_typed(&d->s->columns[i], "string"))
			d->group = d->s->columns[i].name;
	put_time(d);
	put_measures(d);
	put_columns(d);
	put_joins(d);
}

static int
write_new(const char *project, const char *dir, const char *path, struct span text)
{
	int top = open(project, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd = -1, error = 0;

	if (top < 0 || paths_make(top, dir, 0755) != 0 ||
	    (fd = paths_open(top, path, O_WRONLY | O_CREAT | O_EXCL, 0640)) < 0)
		error = errno;
	else if (io_write(fd, text) != 0)
		error = errno;
	if (fd >= 0 && close(fd) != 0 && error == 0)
		error = errno;
	if (top >= 0)
		close(top);
	if (error == EEXIST)
		return cli_fail(CLI_FAILED, "%s exists already and was not changed", path);
	return error == 0 ? CLI_OK : cli_fail(CLI_FAILED, "cannot write %s: %s", path, strerror(error));
}

static int
show_written(struct sl_draft *d, const char *connection, const char *path)
{
	struct buf mp = { 0 };
	int code;
	size_t map;

	if (!d->cli->json)
		return cli_print("%s was written, with %zu measure%s proposed. Read it, and correct it. Next:\n"
				 "  carrel sl validate\n  carrel ask \"%s\"\n",
		    path, d->n, d->n == 1 ? "" : "s", d->word);
	map = mp_open_pairs(&mp, mp_cstr("connectionId", connection), mp_cstr("sourceName", d->s->name),
	    mp_cstr("path", path));
	mp_pair_array(&mp, "measures", (uint32_t)d->n);
	for (size_t i = 0; i < d->n; i++)
		mp_put_cstr(&mp, d->measures[i]);
	mp_end(&mp, map);
	code = cli_json_mp(buf_view(&mp));
	buf_fini(&mp);
	return code;
}

static int
new_source(struct cli *cli, const char *project, const char *connection, const struct source *s)
{
	const char *dir = arena_printf(cli->arena, "semantic-layer/%s", connection),
		   *path = arena_printf(cli->arena, "%s/%s.yaml", dir,
		       paths_is_id(span_str(s->name)) ?
			   s->name :
			   plain_name(cli, arena_printf(cli->arena, "%s_source", s->name)));
	struct sl_draft d = { .cli = cli, .s = s };
	int code;

	if (s->flavour != SOURCE_MANIFEST)
		return cli_fail(CLI_FAILED, "%s/%s defines %s already: write its measures there", dir, s->path,
		    s->name);
	draft_source(&d);
	if ((code = write_new(project, dir, path, buf_view(&d.text))) == CLI_OK)
		code = show_written(&d, connection, path);
	buf_fini(&d.text);
	return code;
}

int
cmd_sl_new(struct cli *cli)
{
	const char *name = cli_operand(cli, 0);
	const struct config_connection *c;
	struct config cfg = { 0 };
	struct source_set *set;
	const struct source *s;
	int code;

	if (!cli_config(cli, false, &cfg) || (c = cli_connection(&cfg, cli_option(cli, "connection"))) == NULL)
		return CLI_FAILED;
	set = sl_load(cli, cfg.project_dir, c->id);
	s = set == NULL ? NULL : source_set_get(set, span_str(name));
	if (s == NULL)
		code = cli_fail(CLI_FAILED,
		    "the scan of %s has no table \"%s\"; `carrel sl list` shows those there are, `carrel scan` looks "
		    "again",
		    c->id, name);
	else
		code = new_source(cli, cfg.project_dir, c->id, s);
	if (set != NULL)
		source_set_free(set);
	return code;
}
