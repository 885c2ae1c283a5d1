#include <sodium.h>
#include <string.h>

#include "base/text/b64.h"
#include "cli/show/answer_text.h"
#include "cli/show/page_html.h"
#include "cli/show/svg.h"

static const char page_style[] =
    ":root{color-scheme:light dark}\n"
    "body{margin:0;padding:1rem;background:#faf8f4;color:#1c1b19;font:1rem/1.5 system-ui,sans-serif}\n"
    "main{max-width:52rem;margin:auto;overflow-wrap:anywhere}\n"
    "h1{font-size:1.4rem;line-height:1.25}h2{font-size:1.05rem;margin-top:2rem}\n"
    "table{border-collapse:collapse;font-size:.875rem}\n"
    "th,td{padding:.25rem .75rem .25rem 0;border-bottom:1px solid #d8d3ca;text-align:left;vertical-align:top}\n"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}\n"
    ".scroll{overflow-x:auto}\n"
    "pre{padding:.75rem;border:1px solid #d8d3ca;overflow-x:auto;font-size:.8125rem}\n"
    ".fine,.none{color:#5f5b55;font-size:.875rem}\n"
    "@media (prefers-color-scheme:dark){body{background:#171614;color:#ece8e1}\n"
    "th,td,pre{border-color:#45413a}.fine,.none{color:#aaa499}}\n";

static void
put_escaped(struct buf *out, struct view v)
{
	struct buf text = { 0 };

	view_text(v, &text);
	svg_escape(out, buf_view(&text));
	buf_fini(&text);
}

void
page_pieces(struct span line, void (*put)(void *arg, struct span text, bool strong), void *arg)
{
	struct buf plain = { 0 };
	bool strong = false;

	for (size_t i = 0; i < line.len; i++) {
		bool stars = line.p[i] == '*' && i + 1 < line.len && line.p[i + 1] == '*';

		if (line.p[i] == '\\' && i + 1 < line.len)
			buf_byte(&plain, line.p[++i]);
		else if (!stars)
			buf_byte(&plain, line.p[i]);
		else {
			put(arg, buf_view(&plain), strong);
			plain.len = 0;
			strong = !strong;
			i++;
		}
	}
	put(arg, buf_view(&plain), strong);
	buf_fini(&plain);
}

static void
put_piece(void *arg, struct span text, bool strong)
{
	struct buf *out = arg;

	if (strong)
		buf_str(out, "<strong>");
	svg_escape(out, text);
	if (strong)
		buf_str(out, "</strong>");
}

static void
put_narrative(struct buf *out, struct view narrative)
{
	struct buf text = { 0 };
	const uint8_t *p, *end;
	bool list = false;

	view_text(narrative, &text);
	p = text.p;
	end = text.p + text.len;
	while (p != NULL && p < end) {
		const uint8_t *stop = memchr(p, '\n', (size_t)(end - p));
		struct span line = span_of(p, (size_t)((stop == NULL ? end : stop) - p));
		bool item = line.len > 2 && line.p[0] == '-' && line.p[1] == ' ';

		if (item != list)
			buf_str(out, item ? "<ul>\n" : "</ul>\n");
		list = item;
		if (line.len > 0) {
			buf_str(out, item ? "<li>" : "<p>");
			page_pieces(item ? span_of(line.p + 2, line.len - 2) : line, put_piece, out);
			buf_str(out, item ? "</li>\n" : "</p>\n");
		}
		p = stop == NULL ? end : stop + 1;
	}
	if (list)
		buf_str(out, "</ul>\n");
	buf_fini(&text);
}

/* The content security policy allows only this style, by its digest, and no fetches. */
static void
put_head(struct buf *out, const struct answer_look *look, struct span question)
{
	uint8_t digest[crypto_hash_sha256_BYTES];
	struct buf style = { 0 };

	buf_printf(&style, "%s%s", page_style, svg_style);
	crypto_hash_sha256(digest, style.p, style.len);
	buf_str(out, look->german ? "<!DOCTYPE html>\n<html lang=\"de\">\n" : "<!DOCTYPE html>\n<html lang=\"en\">\n");
	buf_str(out,
	    "<head>\n<meta charset=\"utf-8\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
	    "form-action 'none'; style-src 'sha256-");
	b64_encode(out, span_of(digest, sizeof(digest)));
	buf_str(out, "'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
	svg_escape(out, question);
	buf_str(out, "</title>\n<style>");
	buf_span(out, buf_view(&style));
	buf_str(out, "</style>\n</head>\n<body>\n<main>\n<h1>");
	svg_escape(out, question);
	buf_str(out, "</h1>\n");
	buf_fini(&style);
}

static void
put_cell(struct buf *out, const struct answer_look *look, struct view v, size_t column)
{
	static const char *const opening[] = {
		[ANSWER_CELL_TEXT] = "<td>", [ANSWER_CELL_FIGURE] = "<td class=\"n\">",
		[ANSWER_CELL_NONE] = "<td class=\"none\">"
	};
	struct buf text = { 0 };

	buf_str(out, opening[answer_put_cell(look, v, column, &text)]);
	svg_escape(out, buf_view(&text));
	buf_str(out, "</td>");
	buf_fini(&text);
}

static void
put_rows(struct buf *out, const struct answer_look *look, struct view rows)
{
	struct view_iter it = view_iter(view_get(rows, "headers")), cells;
	struct view row, cell;

	if (view_count(view_get(rows, "data")) == 0)
		return;
	buf_printf(out, "<h2>%s</h2>\n", answer_word(look, ANSWER_WORD_ROWS));
	buf_str(out, "<div class=\"scroll\"><table>\n<thead><tr>");
	while (view_next(&it, &cell)) {
		buf_str(out, "<th scope=\"col\">");
		put_escaped(out, cell);
		buf_str(out, "</th>");
	}
	buf_str(out, "</tr></thead>\n<tbody>\n");
	for (it = view_iter(view_get(rows, "data")); view_next(&it, &row);) {
		buf_str(out, "<tr>");
		cells = view_iter(row);
		for (size_t i = 0; view_next(&cells, &cell); i++)
			put_cell(out, look, cell, i);
		buf_str(out, "</tr>\n");
	}
	buf_str(out, "</tbody>\n</table></div>\n");
	if (view_true(view_get(rows, "truncated")))
		buf_printf(out, "<p>%s</p>\n", answer_word(look, ANSWER_WORD_MORE_ROWS));
}

static void
put_items(struct buf *out, const char *heading, struct view list)
{
	struct view_iter it = view_iter(list);
	struct view one;

	if (view_count(list) == 0)
		return;
	buf_printf(out, "<h2>%s</h2>\n<ul>\n", heading);
	while (view_next(&it, &one)) {
		buf_str(out, "<li>");
		put_escaped(out, one);
		buf_str(out, "</li>\n");
	}
	buf_str(out, "</ul>\n");
}

static void
put_charts(struct arena *a, struct buf *out, const struct answer_look *look, struct view charts)
{
	struct view_iter it = view_iter(charts);
	struct picture p;
	struct view chart;

	while (view_next(&it, &chart))
		if (picture_read(&p, a, chart, look->german)) {
			buf_str(out, "<figure class=\"scroll\">\n");
			svg_put(out, &p, false);
			buf_str(out, "</figure>\n");
		}
}

static void
put_outcome(struct buf *out, const struct answer_look *look, struct view outcome)
{
	struct buf text = { 0 };

	view_text(outcome, &text);
	svg_escape(out, answer_outcome(look, buf_view(&text)));
	buf_fini(&text);
}

static void
put_lineage(struct buf *out, const struct answer_look *look, struct view answer)
{
	struct view sql = view_get(answer, "lineage.sql"), checks = view_get(answer, "checks"), one;
	struct view_iter it = view_iter(checks);

	if (view_get(answer, "lineage").kind != VIEW_OBJECT)
		return;
	buf_printf(out, "<h2>%s</h2>\n", answer_word(look, ANSWER_WORD_COMPUTED));
	if (sql.kind == VIEW_STRING && sql.raw.len > 2) {
		buf_str(out, "<pre>");
		put_escaped(out, sql);
		buf_str(out, "</pre>\n");
	}
	buf_printf(out, "<p class=\"fine\">%s ", answer_word(look, ANSWER_WORD_CONNECTION));
	put_escaped(out, view_get(answer, "lineage.connectionId"));
	if (view_get(answer, "lineage.snapshot").kind == VIEW_STRING) {
		buf_printf(out, ", %s ", answer_word(look, ANSWER_WORD_READ));
		put_escaped(out, view_get(answer, "lineage.snapshot"));
	}
	buf_printf(out, ". %s:", answer_word(look, ANSWER_WORD_CHECKS));
	while (view_next(&it, &one)) {
		buf_byte(out, ' ');
		put_escaped(out, view_get(one, "id"));
		buf_byte(out, ' ');
		put_outcome(out, look, view_get(one, "outcome"));
		buf_byte(out, ';');
	}
	if (view_count(checks) > 0)
		out->p[out->len - 1] = '.';
	buf_str(out, "</p>\n");
}

void
page_put(struct arena *a, struct buf *out, struct span question, struct view answer)
{
	struct answer_look look = answer_look_of(a, answer);

	put_head(out, &look, question);
	put_narrative(out, view_get(answer, "narrative"));
	put_charts(a, out, &look, view_get(answer, "charts"));
	put_items(out, answer_word(&look, ANSWER_WORD_CAREFUL), view_get(answer, "caveats"));
	put_items(out, answer_word(&look, ANSWER_WORD_ASSUMED), view_get(answer, "assumptions"));
	put_rows(out, &look, view_get(answer, "rows"));
	put_lineage(out, &look, answer);
	buf_str(out, "</main>\n</body>\n</html>\n");
}

bool
page_put_svg(struct arena *a, struct buf *out, struct view answer)
{
	struct answer_look look = answer_look_of(a, answer);
	struct view_iter it = view_iter(view_get(answer, "charts"));
	struct picture p;
	struct view chart;

	while (view_next(&it, &chart))
		if (picture_read(&p, a, chart, look.german)) {
			svg_put(out, &p, true);
			return true;
		}
	return false;
}
