#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json/json_put.h"
#include "base/utf8.h"
#include "cli/arguments.h"
#include "cli/research/cmd_sl_new.h"
#include "cli/output.h"
#include "cli/show/answer_text.h"
#include "cli/show/draw.h"
#include "cli/show/page_html.h"
#include "cli/show/term.h"
#include "cli/args.h"
#include "cli/research/cmd_ask.h"
#include "cli/say.h"

#define ROWS_SHOWN     50u
#define EXAMPLES       10u
#define QUESTION_BYTES 8000u /* 2000 characters */

/* The list of ontologies as the resource gives it, in the arena. */
static int
read_ontologies(struct cli *cli, struct client *c, struct view *list, struct err *err)
{
	struct buf params = { 0 }, uri = { 0 }, text = { 0 };
	struct config cfg = { 0 };
	struct view result, contents;
	struct view_iter it;
	int r = -1;

	if (!cli_config(cli, false, &cfg))
		return err_set(err, ERR_INVALID_ARGUMENTS, "The configuration cannot be read.");
	buf_printf(&uri, "%s://ontologies", cfg.resource_scheme);
	mp_put_pairs(&params, mp_str("uri", buf_view(&uri)));
	if (client_call(c, "resources/read", buf_view(&params), NULL, NULL, &result, err) == 0) {
		it = view_iter(view_get(result, "contents"));
		if (view_next(&it, &contents))
			view_text(view_get(contents, "text"), &text);
		*list = view_of(arena_span(cli->arena, buf_view(&text)));
		if (list->kind == VIEW_OBJECT)
			*list = view_get(*list, "ontologies");
		r = 0;
	}
	buf_fini(&params);
	buf_fini(&uri);
	buf_fini(&text);
	return r;
}

static void
put_names(struct cli *cli, struct view list, struct buf *out)
{
	struct view_iter it = view_iter(list);
	struct view one;
	const char *comma = "";

	while (view_next(&it, &one)) {
		buf_printf(out, "%s%s", comma, view_cstr(cli->arena, view_get(one, "name"), "?"));
		comma = ", ";
	}
}

/* The asker's preferred ontology among several; NULL: none. */
static const char *
preferred_ontology(struct cli *cli, struct client *c)
{
	struct arguments m;
	struct view answer;
	const char *id = NULL;
	struct err err;

	arguments_begin(&m);
	if (client_tool(c, "preferences_get", arguments_end(&m), NULL, NULL, &answer, &err) == 0)
		id = view_cstr(cli->arena, view_get(view_get(answer, "preferences"), "defaultOntology"), NULL);
	buf_fini(&m.mp);
	return id;
}

/*
 * The id of the ontology that --ontology names, or of the only one, or the preferred; empty: the daemon decides.  NULL
 * after an error message.
 */
static const char *
find_ontology(struct cli *cli, struct client *c)
{
	const char *wanted = cli_option(cli, "ontology"), *id = NULL;
	const char *preferred = wanted == NULL ? preferred_ontology(cli, c) : NULL;
	struct view list = { VIEW_NONE, { NULL, 0 } }, one;
	struct buf names = { 0 };
	struct view_iter it;
	struct err err;

	if (read_ontologies(cli, c, &list, &err) != 0) {
		cli_fail(CLI_FAILED, "%s", err.message);
		return NULL;
	}
	if (wanted == NULL && view_count(list) > 1)
		wanted = preferred;
	it = view_iter(list);
	while (id == NULL && view_next(&it, &one)) {
		const char *its = view_cstr(cli->arena, view_get(one, "id"), ""),
			   *name = view_cstr(cli->arena, view_get(one, "name"), "");

		if (wanted == NULL ? view_count(list) == 1 : strcmp(wanted, its) == 0 || strcmp(wanted, name) == 0)
			id = its;
	}
	put_names(cli, list, &names);
	if (id == NULL && wanted == NULL && view_count(list) > 1)
		id = ""; /* the daemon knows whether all but one are of imported files */
	if (id == NULL && view_count(list) == 0)
		cli_fail(CLI_FAILED,
		    "There is nothing to ask about yet: no connection has a semantic layer; "
		    "`carrel scan` makes one");
	else if (id == NULL)
		cli_fail(CLI_FAILED, "There is no ontology \"%s\"; there are: %s", wanted, buf_cstr(&names));
	buf_fini(&names);
	return id;
}

/* Where a measure is missing, because none was written yet: how to write one. */
static void
note_first_measure(struct cli *cli, bool german)
{
	struct config cfg = { 0 };
	const char *table = NULL;

	if (!cli_config(cli, false, &cfg))
		return;
	for (size_t i = 0; table == NULL && i < cfg.nconnections; i++)
		table = sl_first_table(cli, cfg.project_dir, cfg.connections[i].id);
	if (table != NULL)
		cli_note(german ? "`carrel sl new %s` schreibt eine erste Datei mit Kennzahlen; docs/first-measure.md "
				  "sagt, wie es weitergeht" :
				  "`carrel sl new %s` writes a first file of measures, and docs/first-measure.md goes "
				  "on from there",
		    table);
}

static int
print_safe(struct span text)
{
	struct buf safe = { 0 };
	int code;

	table_safe(text, true, &safe);
	buf_byte(&safe, '\n');
	code = cli_write(buf_view(&safe));
	buf_fini(&safe);
	return code;
}

static void
put_piece(void *arg, struct span text, bool strong)
{
	bool bold = strong && text.len > 0 && term_colour(STDOUT_FILENO);
	struct buf *out = arg;

	if (bold)
		buf_str(out, TERM_BOLD);
	table_safe(text, true, out);
	if (bold)
		buf_str(out, TERM_PLAIN);
}

/* Without the marks of markdown, which the narrative has for those who show it. */
static int
print_narrative(struct span text)
{
	struct buf out = { 0 };
	struct span line;
	int code;

	while (span_line(&text, &line)) {
		page_pieces(line, put_piece, &out);
		buf_byte(&out, '\n');
	}
	code = cli_write(buf_view(&out));
	buf_fini(&out);
	return code;
}

static int
print_list(const char *lead, struct view list)
{
	struct view_iter it = view_iter(list);
	struct buf text = { 0 };
	struct view one;
	int code = CLI_OK;

	while (code == CLI_OK && view_next(&it, &one)) {
		buf_reset(&text, 4096);
		buf_str(&text, lead);
		view_text(one, &text);
		code = print_safe(buf_view(&text));
	}
	buf_fini(&text);
	return code;
}

static void
put_cell(struct text_table *t, const struct answer_look *look, struct view v, size_t column)
{
	static void (*const put[])(struct text_table *t, struct span text) = {
		[ANSWER_CELL_TEXT] = table_cell, [ANSWER_CELL_FIGURE] = table_cell_number,
		[ANSWER_CELL_NONE] = table_cell_faint
	};
	struct buf text = { 0 };
	enum answer_cell set = answer_put_cell(look, v, column, &text);

	put[set](t, buf_view(&text));
	buf_fini(&text);
}

static int
show_rows(struct cli *cli, struct view rows, const struct answer_look *look)
{
	static const char *const none[] = { NULL };
	struct text_table *t = table_new(cli->arena, none);
	struct view_iter it = view_iter(view_get(rows, "headers")), cells;
	struct buf header = { 0 };
	struct view row, cell;
	uint64_t n = 0;
	size_t at;
	int code;

	while (view_next(&it, &cell)) {
		header.len = 0;
		view_text(cell, &header);
		table_column(t, buf_view(&header));
	}
	buf_fini(&header);
	it = view_iter(view_get(rows, "data"));
	while (n < ROWS_SHOWN && view_next(&it, &row)) {
		table_row(t);
		at = 0;
		for (cells = view_iter(row); view_next(&cells, &cell); at++)
			put_cell(t, look, cell, at);
		n++;
	}
	code = cli_table(t);
	if (code == CLI_OK && view_uint(view_get(rows, "rowCount"), 0) > n)
		code = cli_print("%s %llu %s (--json)\n", answer_word(look, ANSWER_WORD_AND),
		    (unsigned long long)(view_uint(view_get(rows, "rowCount"), 0) - n),
		    answer_word(look, ANSWER_WORD_MORE));
	return code;
}

static int
show_charts(struct cli *cli, struct view charts, bool german)
{
	unsigned width = term_width(STDOUT_FILENO);
	struct view_iter it = view_iter(charts);
	struct buf out = { 0 };
	struct view chart;
	int code;

	while (view_next(&it, &chart)) {
		buf_byte(&out, '\n');
		draw_chart(cli->arena, chart, german, width == 0 ? 80 : width, term_colour(STDOUT_FILENO), &out);
	}
	code = out.len > 0 ? cli_write(buf_view(&out)) : CLI_OK;
	buf_fini(&out);
	return code;
}

/* How the first question is answered, with its first suggestion. */
static void
note_how(struct view questions, const char *question, bool german)
{
	struct view_iter it = view_iter(questions), in;
	struct buf text = { 0 }, safe = { 0 };
	struct view q, s;

	if (view_next(&it, &q) && view_get(q, "topic").kind == VIEW_STRING) {
		in = view_iter(view_get(q, "suggestions"));
		buf_printf(&text, "%s [", question);
		view_text(view_get(q, "topic"), &text);
		buf_str(&text, ": ");
		if (view_next(&in, &s)) {
			view_text(s, &text);
			table_safe(buf_view(&text), true, &safe);
			cli_note(german ? "so geht es weiter: `carrel ask \"%s]\"`" : "to answer: `carrel ask \"%s]\"`",
			    buf_cstr(&safe));
		}
	}
	buf_fini(&text);
	buf_fini(&safe);
}

static int
show_questions(struct view questions, const char *question, bool german)
{
	struct view_iter it = view_iter(questions), in;
	struct view q, s;
	struct buf text = { 0 };
	int code = CLI_OK;

	while (code == CLI_OK && view_next(&it, &q)) {
		const char *comma = "  ";

		buf_reset(&text, 4096);
		view_text(view_get(q, "question"), &text);
		buf_byte(&text, '\n');
		for (in = view_iter(view_get(q, "suggestions")); view_next(&in, &s);) {
			buf_str(&text, comma);
			view_text(s, &text);
			comma = " | ";
		}
		code = print_safe(buf_view(&text));
	}
	buf_fini(&text);
	note_how(questions, question, german);
	return code;
}

static int
show_answer(struct cli *cli, const char *question, struct view answer)
{
	const char *status = view_cstr(cli->arena, view_get(answer, "status"), "");
	struct answer_look look = answer_look_of(cli->arena, answer);
	struct buf text = { 0 }, lead = { 0 };
	int code;

	if (strcmp(status, "clarification") == 0)
		return show_questions(view_get(answer, "questions"), question, look.german);
	if (strcmp(status, "answered") == 0) {
		view_text(view_get(answer, "narrative"), &text);
		code = print_narrative(buf_view(&text));
	} else {
		view_text(view_get(answer, "reason.message"), &text);
		code = print_safe(buf_view(&text));
	}
	buf_fini(&text);
	if (strcmp(status, "answered") != 0) {
		if (strcmp(view_cstr(cli->arena, view_get(answer, "reason.code"), ""), "no_measure") == 0)
			note_first_measure(cli, look.german);
		return code == CLI_OK ? print_list("  ", view_get(answer, "reason.closest")) : code;
	}
	if (code == CLI_OK && view_uint(view_get(answer, "rows.rowCount"), 0) > 0)
		code = show_rows(cli, view_get(answer, "rows"), &look);
	if (code == CLI_OK)
		code = show_charts(cli, view_get(answer, "charts"), look.german);
	if (code == CLI_OK)
		code = print_list("⚠ ", view_get(answer, "caveats"));
	buf_printf(&lead, "%s: ", answer_word(&look, ANSWER_WORD_ASSUMED));
	if (code == CLI_OK)
		code = print_list(buf_cstr(&lead), view_get(answer, "assumptions"));
	buf_fini(&lead);
	return code;
}

/* The artifact of every phase, one after the other. */
static int
show_trace(struct view trace)
{
	struct view_iter it = view_iter(trace);
	struct view one;
	int code = CLI_OK;

	while (code == CLI_OK && view_next(&it, &one)) {
		struct buf text = { 0 };

		view_text(view_get(one, "phase"), &text);
		buf_str(&text, ": ");
		buf_span(&text, view_get(one, "artifact").raw);
		code = print_safe(buf_view(&text));
		buf_fini(&text);
	}
	return code;
}

/* To the file, or to standard output. */
static int
write_out(const char *path, struct span text)
{
	int code = strcmp(path, "-") == 0 ? cli_write(text) : output_write(path, text);

	if (code == CLI_OK && strcmp(path, "-") != 0)
		cli_note("%s was written", path);
	return code;
}

/* The exit code for what became of the question. */
static int
ask_outcome(struct cli *cli, struct view answer)
{
	const char *status = view_cstr(cli->arena, view_get(answer, "status"), "");

	return strcmp(status, "answered") == 0   ? CLI_OK :
	    strcmp(status, "clarification") == 0 ? CLI_ASKED_BACK :
						   CLI_NOT_ANSWERED;
}

/* The reason for a missing answer. */
static const char *
why_not(struct cli *cli, struct view answer)
{
	struct view_iter it = view_iter(view_get(answer, "questions"));
	struct view question;

	return view_next(&it, &question) ?
	    view_cstr(cli->arena, view_get(question, "question"), "") :
	    view_cstr(cli->arena, view_get(answer, "reason.message"), "it was asked back");
}

/* Writes the files of --html and --svg; without an answer none, and the code says what there is instead. */
static int
write_files(struct cli *cli, const char *question, struct view answer)
{
	const char *html = cli_option(cli, "html"), *svg = cli_option(cli, "svg");
	struct buf text = { 0 };
	int code = ask_outcome(cli, answer);

	if (html == NULL && svg == NULL)
		return code;
	if (code != CLI_OK)
		return cli_fail(code, "no file was written, there is no answer: %s", why_not(cli, answer));
	if (html != NULL) {
		page_put(cli->arena, &text, span_str(question), answer);
		code = write_out(html, buf_view(&text));
	}
	buf_reset(&text, SIZE_MAX);
	if (code == CLI_OK && svg != NULL)
		code = page_put_svg(cli->arena, &text, answer) ?
		    write_out(svg, buf_view(&text)) :
		    cli_fail(CLI_FAILED, "%s was not written: this answer has no chart; --html has its figures", svg);
	buf_fini(&text);
	return code;
}

/* Standard output is the file's. */
static bool
is_piped(struct cli *cli)
{
	const char *html = cli_option(cli, "html"), *svg = cli_option(cli, "svg");

	return (html != NULL && strcmp(html, "-") == 0) || (svg != NULL && strcmp(svg, "-") == 0);
}

static void
show_progress(void *arg, double fraction, const char *message)
{
	(void)arg;
	term_progress(fraction, message);
}

static int
put_question(struct client *c, const char *tool, const char *ontology, const char *question, struct view *answer,
    struct err *err)
{
	struct arguments m;
	int r;

	arguments_begin(&m);
	if (ontology[0] != '\0')
		mp_put_cstr(arguments_key(&m, "ontologyId"), ontology);
	if (question != NULL)
		mp_put_cstr(arguments_key(&m, "question"), question);
	r = client_tool(c, tool, arguments_end(&m), show_progress, NULL, answer, err);
	term_progress_end();
	buf_fini(&m.mp);
	return r;
}

static int
ask_one(struct cli *cli, struct client *c, const char *ontology, const char *question)
{
	bool trace = cli_flag(cli, "trace");
	struct view result, answer;
	struct err err;
	int code = CLI_OK;

	if (put_question(c, trace ? "ask_trace" : "ask_question", ontology, question, &result, &err) != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	answer = trace ? view_get(result, "answer") : result;
	if (is_piped(cli))
		return write_files(cli, question, answer);
	if (cli->json)
		code = cli_json(result.raw);
	else {
		if (trace)
			code = show_trace(view_get(result, "trace"));
		if (code == CLI_OK)
			code = show_answer(cli, question, answer);
	}
	return code == CLI_OK ? write_files(cli, question, answer) : code;
}

/* A question with its answer in words, without what follows the empty line: how it was found. */
static int
show_example(const char *question, struct view answer)
{
	struct buf text = { 0 };
	const uint8_t *end;
	int code = cli_print("%s%s%s\n", cli_colour(TERM_BOLD), question, cli_colour(TERM_PLAIN));

	view_text(view_get(answer, "narrative"), &text);
	end = memmem(text.p, text.len, "\n\n", 2);
	if (code == CLI_OK)
		code = print_narrative(span_of(text.p, end != NULL ? (size_t)(end - text.p) : text.len));
	buf_fini(&text);
	return code == CLI_OK ? cli_print("\n") : code;
}

/*
 * Questions that the project's own model can answer, each with its answer: the first EXAMPLES of those proposed
 * that have one.  As JSON the questions alone.
 */
static int
ask_examples(struct cli *cli, struct client *c, const char *ontology)
{
	struct buf json = { 0 };
	struct view examples, one, answer;
	struct view_iter it;
	struct err err;
	int code = CLI_OK;
	size_t n = 0;

	if (put_question(c, "ask_examples", ontology, NULL, &examples, &err) != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	json_put_object(&json, NULL);
	json_put_list(&json, "questions");
	it = view_iter(view_get(view_of(arena_span(cli->arena, examples.raw)), "questions"));
	while (code == CLI_OK && n < EXAMPLES && view_next(&it, &one)) {
		const char *question = view_cstr(cli->arena, one, "");

		if (put_question(c, "ask_question", ontology, question, &answer, &err) != 0)
			code = cli_fail(CLI_FAILED, "%s", err.message);
		else if (ask_outcome(cli, answer) == CLI_OK && view_uint(view_get(answer, "rows.rowCount"), 0) > 0) {
			n++;
			json_put_raw(&json, NULL, one.raw);
			code = cli->json ? CLI_OK : show_example(question, answer);
		}
	}
	json_end_list(&json);
	json_end_object(&json);
	if (code == CLI_OK && cli->json)
		code = cli_json(buf_view(&json));
	else if (code == CLI_OK && n == 0)
		code = cli_print("No question was found that this semantic layer answers; it has no measures yet.\n"),
		note_first_measure(cli, false);
	buf_fini(&json);
	return code;
}

int
cmd_ask(struct cli *cli)
{
	bool examples = cli_flag(cli, "examples");
	const char *question = cli_operand(cli, 0), *html = cli_option(cli, "html"), *svg = cli_option(cli, "svg"),
		   *ontology;
	struct client c;
	int code = CLI_FAILED;

	for (size_t i = 1; i < cli->noperands; i++)
		question = arena_printf(cli->arena, "%s %s", question, cli->operands[i]);
	if (examples == (question != NULL))
		return cli_fail(CLI_USAGE,
		    examples ? "--examples asks questions of its own; leave yours out" :
			       "ask a question: carrel ask \"orders last month by country\", or --examples for some");
	if (examples && (html != NULL || svg != NULL))
		return cli_fail(CLI_USAGE, "--html and --svg are of one question; give it instead of --examples");
	if (html != NULL && svg != NULL && strcmp(html, svg) == 0)
		return cli_fail(CLI_USAGE, "--html and --svg cannot both be %s", html);
	if (question != NULL &&
	    (!utf8_valid((const uint8_t *)question, strlen(question)) || strlen(question) > QUESTION_BYTES))
		return cli_fail(CLI_USAGE, "the question must be text of at most 2000 characters");
	if (client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		return CLI_FAILED;
	client_cancellable(&c);
	if ((ontology = find_ontology(cli, &c)) != NULL)
		code = examples ? ask_examples(cli, &c, ontology) : ask_one(cli, &c, ontology, question);
	client_close(&c);
	return code;
}
