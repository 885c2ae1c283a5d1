#include <string.h>

#include "base/mp.h"
#include "base/text/safe_text.h"
#include "project/format/yaml_emit.h"

#define INDENT	2

static void emit_node(const struct yaml_node *node, unsigned indent, bool after_dash, struct buf *out);

static bool
is_word(struct span s)
{
	/* Texts that YAML 1.1 reads as booleans or nulls, in any letter case. */
	static const char *const words[] = {
		"y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", "nan", "inf", NULL
	};

	return span_is_any_word(s, words);
}

bool
yaml_is_plain_text(struct span s)
{
	if (s.len == 0 || is_word(s) || s.p[s.len - 1] == ' ')
		return false;
	/* Numbers, dates and times of either version begin with a digit, a sign or a dot. */
	if (strchr("0123456789+.-?:,[]{}#&*!|>'\"%@`=<~ ", s.p[0]) != NULL)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		uint8_t c = s.p[i];
		uint32_t hidden;

		if (c < ' ' || c == 0x7f)
			return false;
		if (c == ':' && (i + 1 == s.len || s.p[i + 1] == ' '))
			return false;
		if (c == '#' && s.p[i - 1] == ' ')
			return false;
		/* Some of it ends lines for YAML 1.1. */
		if (safe_text_hidden_in(s, i, &hidden) != 0)
			return false;
	}
	return true;
}

static void
put_escape(uint32_t c, struct buf *out)
{
	if (c < 0x100)
		buf_printf(out, "\\x%02x", (unsigned)c);
	else
		buf_printf(out, c < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)c);
}

void
yaml_put_quoted(struct span s, struct buf *out)
{
	uint32_t hidden;

	buf_byte(out, '"');
	for (size_t i = 0, n; i < s.len; i += n) {
		uint8_t c = s.p[i];

		n = 1;
		if (c == '"' || c == '\\') {
			buf_byte(out, '\\');
			buf_byte(out, c);
		} else if (c == '\n')
			buf_str(out, "\\n");
		else if (c == '\t')
			buf_str(out, "\\t");
		else if (c < ' ' || c == 0x7f)
			put_escape(c, out);
		else if ((n = safe_text_hidden_in(s, i, &hidden)) != 0)
			put_escape(hidden, out);
		else {
			n = 1;
			buf_byte(out, c);
		}
	}
	buf_byte(out, '"');
}

/* Several lines that a block literal carries unchanged. */
static bool
is_literal(struct span s)
{
	if (memchr(s.p, '\n', s.len) == NULL || s.p[0] == ' ' || s.p[0] == '\n' || s.p[0] == '\t')
		return false;
	for (size_t i = 0; i < s.len; i++) {
		uint8_t c = s.p[i];
		uint32_t hidden;

		if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f || safe_text_hidden_in(s, i, &hidden) != 0)
			return false;
	}
	return true;
}

static void
emit_literal(struct span s, unsigned indent, struct buf *out)
{
	size_t ends = 0;

	while (ends < s.len && s.p[s.len - 1 - ends] == '\n')
		ends++;
	buf_str(out, ends == 0 ? "|-" : ends == 1 ? "|" : "|+");
	for (size_t at = 0; at < s.len;) {
		const uint8_t *nl = memchr(s.p + at, '\n', s.len - at);
		size_t n = nl == NULL ? s.len - at : (size_t)(nl - (s.p + at));

		buf_byte(out, '\n');
		if (n > 0)
			buf_printf(out, "%*s", (int)indent, "");
		buf_append(out, s.p + at, n);
		at += n + 1;
	}
}

/* A plain scalar that is a number or a boolean keeps its look, text is quoted as needed. */
static bool
is_typed(const struct yaml_node *n)
{
	struct buf b = BUF_MAX(128);
	struct mp_value v;
	bool typed;

	if (n->quoted || n->text.len > 64)
		return false;
	yaml_to_mp(n, &b);
	typed = !b.full && mp_value(buf_view(&b), &v) && v.class != MP_STR;
	buf_fini(&b);
	return typed;
}

static void
emit_scalar(const struct yaml_node *n, unsigned indent, struct buf *out)
{
	if (yaml_is_plain_text(n->text) || is_typed(n))
		buf_span(out, n->text);
	else if (n->text.len > 0 && is_literal(n->text))
		emit_literal(n->text, indent, out);
	else
		yaml_put_quoted(n->text, out);
}

static void
new_line(unsigned indent, struct buf *out)
{
	buf_printf(out, "\n%*s", (int)indent, "");
}

static void
emit_member(struct span key, const struct yaml_node *item, unsigned indent, struct buf *out)
{
	if (yaml_is_plain_text(key))
		buf_span(out, key);
	else
		yaml_put_quoted(key, out);
	buf_byte(out, ':');
	emit_node(item, indent, false, out);
}

static void
emit_mapping(const struct yaml_node *node, unsigned indent, bool first_inline, struct buf *out)
{
	for (size_t i = 0; i < node->n; i++) {
		if (i > 0 || !first_inline)
			new_line(indent, out);
		emit_member(node->keys[i].text, &node->items[i], indent, out);
	}
}

/* node behind "key:" or "-" of a line indented by indent. */
static void
emit_node(const struct yaml_node *node, unsigned indent, bool after_dash, struct buf *out)
{
	switch (node->kind) {
	case YAML_NULL:
		buf_str(out, " null");
		break;
	case YAML_SCALAR:
		buf_byte(out, ' ');
		emit_scalar(node, indent + INDENT, out);
		break;
	case YAML_MAPPING:
		if (node->n == 0)
			buf_str(out, " {}");
		else if (after_dash) {
			buf_byte(out, ' ');
			emit_mapping(node, indent + INDENT, true, out);
		} else
			emit_mapping(node, indent + INDENT, false, out);
		break;
	case YAML_SEQUENCE:
		if (node->n == 0)
			buf_str(out, " []");
		for (size_t i = 0; i < node->n; i++) {
			new_line(indent + INDENT, out);
			buf_byte(out, '-');
			emit_node(&node->items[i], indent + INDENT, true, out);
		}
		break;
	}
}

void
yaml_emit(const struct yaml_node *node, struct buf *out)
{
	struct buf b = { 0 };

	if (node->kind == YAML_MAPPING && node->n > 0)
		emit_mapping(node, 0, true, out);
	else if (node->kind == YAML_SEQUENCE && node->n > 0)
		for (size_t i = 0; i < node->n; i++) {
			if (i > 0)
				buf_byte(out, '\n');
			buf_byte(out, '-');
			emit_node(&node->items[i], 0, true, out);
		}
	else {
		emit_node(node, 0, false, &b);
		buf_consume(&b, b.len > 0 && b.p[0] == ' ' ? 1 : 0);
		buf_span(out, buf_view(&b));
	}
	buf_byte(out, '\n');
	buf_fini(&b);
}

void
yaml_emit_member(struct span key, const struct yaml_node *item, unsigned indent, struct buf *out)
{
	buf_printf(out, "%*s", (int)indent, "");
	emit_member(key, item, indent, out);
	buf_byte(out, '\n');
}
