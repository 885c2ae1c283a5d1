/* mysql_template.c - see mysql_template.h.  All elements, brackets and bars stand between blanks. */
#include "workers/sql/mysql/grammar/mysql_template.h"

#include "base/ascii.h"

/* The piece up to the next blank, taken from *rest. */
static bool
take_piece(struct span *rest, struct span *piece)
{
	size_t n = 0;

	while (rest->len > 0 && rest->p[0] == ' ')
		*rest = span_of(rest->p + 1, rest->len - 1);
	while (n < rest->len && rest->p[n] != ' ')
		n++;
	*piece = span_of(rest->p, n);
	*rest = span_of(rest->p + n, rest->len - n);
	return n > 0;
}

/* Behind an opening bracket: what is in it, and the closing one with its mark, taken from *rest. */
static struct span
take_group(struct span *rest, struct span *closing)
{
	const uint8_t *from = rest->p;
	unsigned depth = 1;

	while (depth > 0 && take_piece(rest, closing))
		if (closing->p[0] == '[' || closing->p[0] == '{')
			depth++;
		else if (closing->p[0] == ']' || closing->p[0] == '}')
			depth--;
	return span_of(from, (size_t)(closing->p - from));
}

bool
mysql_template_element(struct span *rest, struct mysql_element *e)
{
	struct span piece, closing;

	if (!take_piece(rest, &piece))
		return false;
	closing = piece;
	if (piece.p[0] == '[' || piece.p[0] == '{') {
		e->kind = piece.p[0] == '[' ? MYSQL_ELEMENT_OPTIONAL : MYSQL_ELEMENT_CHOICE;
		e->text = take_group(rest, &closing);
	} else {
		e->kind = ascii_is_lower(piece.p[0]) ? MYSQL_ELEMENT_RULE : MYSQL_ELEMENT_LITERAL;
		e->text = piece;
	}
	e->listed = closing.len > 1 && closing.p[closing.len - 1] == '%';
	e->repeated = closing.len > 1 && closing.p[closing.len - 1] == '*';
	if (e->kind == MYSQL_ELEMENT_LITERAL && piece.p[0] == '\'')
		e->text = span_of(piece.p + 1, piece.len - 2);
	else if (e->kind == MYSQL_ELEMENT_RULE && (e->listed || e->repeated))
		e->text.len--;
	return true;
}

bool
mysql_template_alternative(struct span *rest, struct span *alternative)
{
	const uint8_t *from = rest->p;
	unsigned depth = 0;
	struct span piece;

	if (from == NULL)
		return false;
	while (take_piece(rest, &piece)) {
		if (piece.p[0] == '|' && piece.len == 1 && depth == 0) {
			*alternative = span_of(from, (size_t)(piece.p - from));
			return true;
		}
		if (piece.p[0] == '[' || piece.p[0] == '{')
			depth++;
		else if (piece.p[0] == ']' || piece.p[0] == '}')
			depth--;
	}
	*alternative = span_of(from, (size_t)(rest->p - from));
	*rest = SPAN_NONE;
	return true;
}
