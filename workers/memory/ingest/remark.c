/* remark.c - see remark.h. */
#include <string.h>

#include "base/ascii.h"
#include "workers/memory/ingest/condition_column.h"
#include "workers/memory/ingest/formula.h"
#include "workers/memory/ingest/remark.h"
#include "workers/memory/ingest/subject.h"
#include "workers/memory/ingest/unit.h"
#include "workers/memory/ingest/wording.h"

/* Words about definitions and figures as such, none of which a row could be picked by. */
static const char *const neutral[] = {
	"the", "a", "an", "our", "your", "its", "their", "this", "that", "these", "those", "it", "they", "we", "you", "is", "are", "was",
	"be", "of", "to", "and", "by", "as", "how", "what", "which", "about", "here", "there", "below", "following", "follows", "follow", "also",
	"both", "use", "using", "used", "compute", "computes", "computed", "computing", "calculate", "calculates", "calculated", "calculating",
	"calculation", "calculations", "define", "defines", "defined", "defining", "definition", "definitions", "derived", "determined", "measured",
	"measure", "measures", "metric", "metrics", "kpi", "kpis", "indicator", "indicators", "figure", "figures", "number", "numbers", "formula", "formulas",
	"formulae", "expression", "name", "names", "named", "term", "terms", "meaning", "description", "key", "main", "important", "most", "very", 
	"official", "business", "company", "finance", "financial", "reporting", "report", "reports", "dashboard", "board", "analytics",
	"analysis", "controlling", "glossary", "dictionary", "data", "database", "warehouse", "model", "models", "semantic", "layer", "wiki", "note", "notes",
	"page", "handbook", "manual", "documentation", "docs", "handbuch", "remember", "please", "overview", "summary", "introduction", "basics", "general", "table", "tables", "column", "columns", "field",
	"fields", "value", "values", "amount", "amounts", "source", "sources", "sql", "query", "queries", "statement", "snippet", "example", "see", "detail", "details",
	"agree", "agreed", "agrees", "everybody", "everyone", "unit", "units", "total", "totals", "all", "every", "count", "counts", "row", "rows", "record",
	"records", "result", "results", "gives", "give", "returns", "shows", "show", "simply", "just", "so", "have", "has", 
	"sql_aggregate", "definition_table", "lookml", "dbt", "freshness", "gotcha", "calendar", "request",
	"der", "die", "das", "den", "dem", "des", "ein", "eine", "einer", "unser", "unsere", "unserer", "es", "sie", "wir", "man", "ist", "sind", "wird", "werden",
	"wie", "was", "und", "zu", "zur", "zum", "als", "hier", "so", "auch", "folgt", "folgende", "folgenden", "folgendes", "definiert", "definition", "definitionen",
	"berechnet", "berechnen", "berechnung", "ermittelt", "kennzahl", "kennzahlen", "kennziffer", "zahl", "zahlen", "formel", "formeln", "begriff", "begriffe",
	"bezeichnung", "wert", "werte", "wichtig", "wichtige", "wichtigste", "wichtigsten", "zentrale", "unternehmen", "finanzen", "bericht", "berichte",
	"glossar", "daten", "datenbank", "tabelle", "tabellen", "spalte", "spalten", "hinweis", "hinweise", "notiz", "notizen", "überblick", "zusammenfassung",
	"merke", "bitte", "alle", "jede", "zählt", "zählen", "siehe", NULL
};

/* Forms of a remark; what follows may be anything that names no limit. */
static const char *const free_forms[] = {
	/* who has it */
	"is used by", "are used by", "used by", "is owned by", "owned by", "is maintained by", "maintained by", "is approved by", "approved by",
	"was agreed with", "is agreed with", "agreed with", "agreed by", "confirmed by", "is reported to", "owner", "contact", "author",
	"wird verwendet von", "wird genutzt von", "verantwortlich ist", "verantwortlich", "ansprechpartner",
	/* what else it is called */
	"is also called", "also called", "also known as", "is also known as", "aka", "synonym", "synonyms", "synonym for", "alias", "abbreviated as",
	"auch genannt", "heißt auch", "wird auch genannt", "synonyme",
	/* how fresh it is */
	"is updated", "are updated", "updated", "is refreshed", "are refreshed", "refreshed", "refreshes", "is loaded", "are loaded", "loaded", "loads",
	"lags", "lag", "is delayed", "are delayed", "is backfilled", "backfilled", "wird aktualisiert", "werden aktualisiert", "aktualisiert", "wird geladen",
	"werden geladen", "hinkt",
	/* clocks and calendars */
	"times are in", "timestamps are in", "time zone is", "fiscal year starts", "fiscal year begins", "geschäftsjahr beginnt", "zeitzone ist",
	/* what not to do with its table */
	"do not join", "don't join", "never join", "do not confuse", "don't confuse", "not to be confused", "not the same as", "do not compare", "nicht verwechseln",
	"nicht zu verwechseln", NULL
};
/* The same at the end of a sentence: "The finance team uses it." */
static const char *const free_ends[] = { "uses it", "use it", "uses this", "owns it", "own it", "reports it", "report it", "maintains it", "agreed on it",
	"approved it", "confirmed it", "double counts", "double-counts", "nutzt sie", "nutzt es", "verwendet sie", "verwendet es", "nächtlich aktualisiert",
	"täglich aktualisiert", "stündlich aktualisiert", NULL };

/* What a form's rest may not hold. */
static const char *const limits[] = { "for", "without", "excluding", "exclude", "excludes", "excluded", "excl", "except", "only", "where", "since", "until",
	"before", "after", "during", "if", "when", "unless", "above", "below", "limited", "but", "instead", "not", "no", "none", "never", "from", "minus", "less",
	"subtract", "deduct", "multiply", "divide", "filter", "filtered", "skip", "ignore", "drop", "remove", "leave", "out", "take", "wrong", "net of", "which", "whose",
	"who", "unpaid", "otherwise", "while", "whereas", "rather", "must", "should", "include", "includes", "including", "counts only",
	"ohne", "nur", "für", "außer", "seit", "ab", "bis", "wenn", "falls", "sofern", "soweit", "nicht", "kein", "keine", "abzüglich", "sondern", "aber", "statt",
	"aus", "im", "innerhalb", "sans", "hors", "pour", "sauf", "sin", "para", "solo", NULL };

/* "Be careful:" says nothing by itself. */
static const char *const warnings[] = { "be careful", "careful", "beware", "caveat", "gotcha", "watch out", "note that", "note", "attention", "vorsicht", "achtung",
	"remember that", "remember", "please remember", "remark", "hinweis", "merke", "recuerda", "recordar", "cuidado", "retiens", "souviens-toi", NULL };
/* What amounts hold, said as a warning: "Be careful: with VAT." */
static const char *const taxes[] = { "with", "including", "incl", "inclusive", "of", "mit", "inkl", "inklusive", "vat", "tax", "taxes", "gross", "net", "mwst", "ust",
	"steuer", "steuern", "brutto", "netto", "amounts", "amount", "are", "is", "it", NULL };

static bool
is_in_names(const struct span *names, size_t nnames, struct span word)
{
	for (size_t i = 0; i < nnames; i++) {
		struct wording w;

		wording_split(names[i], &w);
		for (size_t k = 0; k < w.n; k++)
			if (wording_is_alike(w.v[k], word))
				return true;
	}
	return false;
}

/* A column that the text names as code or by a name that is no word. */
static bool
is_column(const struct condition_of *of, struct span word)
{
	const struct source_column *c;

	if (word.len > 2 && word.p[0] == '`')
		word = span_of(word.p + 1, word.len - 2);
	else if (memchr(word.p, '_', word.len) == NULL)
		return false;
	return (c = condition_column(of, word)) != NULL && !condition_is_boolean(c);
}

/* A word that picks no rows. */
static bool
is_neutral(const struct condition_of *of, const struct span *names, size_t nnames, struct span word)
{
	return span_is_any_word(word, neutral) || condition_is_noun(of, word) || is_in_names(names, nnames, word) ||
	    condition_abbreviates(of, word);
}

/* "finance orders": what stands before the rows' name may say which of them. */
static bool
picks(const struct condition_of *of, const struct span *words, size_t at)
{
	static const char *const before[] = { "the", "our", "all", "every", "of", "to", "and", "is", "are", "table", "source", "der", "die", "das", "den",
		"alle", "tabelle", NULL };

	return at > 0 && condition_is_noun(of, words[at]) && !span_is_any_word(words[at - 1], before);
}

static bool
all_neutral(const struct condition_of *of, const struct span *names, size_t nnames, const struct wording *w, size_t from)
{
	for (size_t i = from; i < w->n; i++)
		if (!is_neutral(of, names, nnames, w->v[i]) || picks(of, w->v, i))
			return false;
	return !w->cut;
}

bool
remark_is_neutral(const struct condition_of *of, const struct span *names, size_t nnames, struct span text)
{
	struct wording w;

	wording_split(text, &w);
	return all_neutral(of, names, nnames, &w, 0);
}

/* Words about a unit that the formula has: "price_ct is in cents". */
static bool
is_unit(const struct condition_of *of, const struct span *names, size_t nnames, const struct wording *w, size_t from)
{
	static const char *const beside[] = { "in", "holds", "hold", "contains", "en", "whole", NULL };

	for (size_t i = from; i < w->n; i++) {
		struct wording one = { .n = 1, .v = { w->v[i] } };

		if (!is_neutral(of, names, nnames, w->v[i]) && !unit_within(&one) && !is_column(of, w->v[i]) &&
		    !span_is_any_word(w->v[i], beside))
			return false;
	}
	return unit_within(w) && unit_fits(&of->unit, w);
}

/* Whether nothing from `from` on may be a limit. */
static bool
is_free(const struct wording *w, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (wording_any_at(w, i, limits) > 0 || w->v[i].p[0] == '`')
			return false;
	return true;
}

static bool
has_form(const struct condition_of *of, const struct span *names, size_t nnames, const struct wording *w, size_t from)
{
	size_t n;

	for (size_t i = from; i < w->n; i++) {
		if ((n = wording_any_at(w, i, free_forms)) > 0)
			return is_free(w, i + n, w->n);
		if (!is_neutral(of, names, nnames, w->v[i]) && !is_column(of, w->v[i]))
			break;
	}
	for (size_t i = from + 1; i < w->n; i++)
		if ((n = wording_any_at(w, i, free_ends)) > 0 && i + n == w->n)
			return i - from <= 8 && is_free(w, from, i);
	return false;
}

static bool
is_about_taxes(const struct wording *w, size_t from)
{
	for (size_t i = from; i < w->n; i++)
		if (!span_is_any_word(w->v[i], taxes))
			return false;
	return from < w->n;
}

bool
remark_is_idle(const struct condition_of *of, const struct span *names, size_t nnames, struct span sentence)
{
	struct wording w;
	size_t from;

	wording_split(sentence, &w);
	if (w.cut)
		return false;
	from = wording_any_at(&w, 0, warnings);
	return all_neutral(of, names, nnames, &w, from) || is_unit(of, names, nnames, &w, from) ||
	    has_form(of, names, nnames, &w, from) || (from > 0 && is_about_taxes(&w, from));
}

bool
remark_refers(const struct condition_of *of, const struct span *names, size_t nnames, struct span sentence)
{
	static const char *const figures[] = { "above", "here", "figures", "figure", "numbers", "number", "metric", "metrics", "measure", "measures", "kpi",
		"kpis", "values", "totals", "sums", "everything", "scope", "always", "kennzahl", "kennzahlen", "zahlen", "werte", "immer", NULL };
	struct wording w;

	wording_split(sentence, &w);
	for (size_t i = 0; i < w.n; i++)
		if (subject_is_pronoun(w.v[i]) || span_is_any_word(w.v[i], figures) || condition_is_noun(of, w.v[i]) ||
		    is_in_names(names, nnames, w.v[i]))
			return true;
	/* "Region: Germany" */
	for (size_t i = 0, words = 0; i < sentence.len && words < 4; i++) {
		if (sentence.p[i] == ':' || sentence.p[i] == '=')
			return true;
		words += ascii_is_space(sentence.p[i]);
	}
	return w.cut;
}
