/* mysql_parse.c - see mysql_parse.h. */
#include "workers/sql/mysql/grammar/mysql_parse.h"

#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "workers/sql/mysql/grammar/mysql_functions.h"
#include "workers/sql/mysql/grammar/mysql_lex.h"
#include "workers/sql/mysql/grammar/mysql_template.h"

#define ALIAS_MAX	256u	/* characters of the name that a column of a result has without an alias */

struct mysql_parser {
	struct arena			*arena;
	struct span			 sql;
	const struct mysql_token	*first, *token;	/* of the statement; the next one */
	unsigned			 depth;
	size_t				*at;
	struct err			*err;
};

/* Adds to node what the parser reads; -1 with *err. */
typedef int parse_fn(struct mysql_parser *p, struct mysql_node *node);

static int parse_template(struct mysql_parser *p, struct mysql_node *node, struct span template);
static bool begins_template(const struct mysql_parser *p, struct span template);
static struct mysql_node *parse_operand(struct mysql_parser *p, unsigned level);
static struct mysql_node *parse_operators(struct mysql_parser *p, struct mysql_node *left, unsigned level);
static parse_fn parse_query;

static bool
token_is(const struct mysql_token *t, struct span literal)
{
	return (t->kind == MYSQL_TOKEN_WORD || t->kind == MYSQL_TOKEN_PUNCT) && span_is_folded(t->text, literal);
}

static int
fail_full(struct mysql_parser *p)
{
	*p->at = MYSQL_PARSE_NOWHERE;
	return err_set(p->err, ERR_SQL_TOO_LONG, "the statement is too large");
}

/* Reports the next token as unexpected; wanted: the one expected, empty if several are. */
static int
fail_here(struct mysql_parser *p, struct span wanted)
{
	static const struct {
		const char *word, *why;
	} refused[] = {
#define REFUSED(word, why)	{ word, why },
#include "workers/sql/mysql/grammar/mysql_refusals.def"
#undef REFUSED
	};
	struct span text = p->token->text;

	*p->at = (size_t)(text.p - p->sql.p);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (span_is_word(text, refused[i].word))
			return err_set(p->err, ERR_FORBIDDEN_SQL, "%s", refused[i].why);
	if (text.len == 0)
		return err_set(p->err, ERR_INVALID_SQL, "the statement ends too early");
	text.len = utf8_cut(text.p, text.len, 40);
	if (p->token > p->first && p->token - p->first <= 2 && token_is(p->first, SPAN("SHOW")))
		return err_set(p->err, ERR_FORBIDDEN_SQL,
		    "SHOW %.*s is not allowed; TABLES, COLUMNS, INDEX, TABLE STATUS, CREATE TABLE, CREATE VIEW, "
		    "DATABASES, "
		    "CHARACTER SET and COLLATION are",
		    SPAN_FMT(text));
	if (wanted.len > 0)
		return err_set(p->err, ERR_INVALID_SQL, "%.*s is not expected here, %.*s is", SPAN_FMT(text),
		    SPAN_FMT(wanted));
	return err_set(p->err, ERR_INVALID_SQL, "%.*s is not expected here", SPAN_FMT(text));
}

static int
check_depth(struct mysql_parser *p, unsigned depth, unsigned max)
{
	if (depth <= max)
		return 0;
	*p->at = (size_t)(p->token->text.p - p->sql.p);
	return err_set(p->err, ERR_FORBIDDEN_SQL, "the statement is nested more than %u deep; flatten it", max);
}

static int
enter(struct mysql_parser *p)
{
	return check_depth(p, ++p->depth, MYSQL_NESTING_MAX);
}

static bool
next_is(const struct mysql_parser *p, const char *literal)
{
	return token_is(p->token, span_str(literal));
}

static struct mysql_node *
node_new(struct mysql_parser *p, enum mysql_kind kind)
{
	struct mysql_node *n = mysql_tree_new(p->arena, kind, (size_t)(p->token->text.p - p->sql.p));

	if (n == NULL)
		fail_full(p);
	return n;
}

/* Takes the next token as a leaf. */
static struct mysql_node *
take_leaf(struct mysql_parser *p, enum mysql_kind kind, struct span text)
{
	struct mysql_node *n = node_new(p, kind);

	if (n != NULL) {
		n->text = text;
		n->end = n->at + p->token->text.len;
		p->token++;
	}
	return n;
}

static int
add_child(struct mysql_node *node, struct mysql_node *child)
{
	if (child == NULL)
		return -1;
	mysql_tree_add(node, child);
	return 0;
}

static int
expect(struct mysql_parser *p, struct mysql_node *node, struct span literal)
{
	return token_is(p->token, literal) ? add_child(node, take_leaf(p, MYSQL_NODE_WORD, literal)) :
					     fail_here(p, literal);
}

static bool
token_is_name(const struct mysql_token *t)
{
	return t->kind == MYSQL_TOKEN_NAME || (t->kind == MYSQL_TOKEN_WORD && !mysql_lex_is_reserved(t->text));
}

static bool
begins_name(const struct mysql_parser *p)
{
	return token_is_name(p->token);
}

static int
parse_name(struct mysql_parser *p, struct mysql_node *node)
{
	return begins_name(p) ? add_child(node, take_leaf(p, MYSQL_NODE_NAME, p->token->value)) :
				fail_here(p, SPAN("a name"));
}

/* Behind a dot every word is a name. */
static int
parse_part(struct mysql_parser *p, struct mysql_node *node)
{
	if (expect(p, node, SPAN(".")) == -1)
		return -1;
	return p->token->kind == MYSQL_TOKEN_WORD ? add_child(node, take_leaf(p, MYSQL_NODE_NAME, p->token->value)) :
						    parse_name(p, node);
}

static int
parse_column(struct mysql_parser *p, struct mysql_node *node)
{
	struct mysql_node *column = node_new(p, MYSQL_NODE_COLUMN);

	if (column == NULL || parse_name(p, column) == -1)
		return -1;
	for (unsigned parts = 1; parts < 3 && next_is(p, "."); parts++)
		if (parse_part(p, column) == -1)
			return -1;
	return add_child(node, column);
}

static bool
begins_star(const struct mysql_parser *p)
{
	const struct mysql_token *t = p->token;

	for (unsigned parts = 0; parts < 2 && token_is_name(t) && token_is(t + 1, SPAN(".")); parts++)
		t += 2;
	return token_is(t, SPAN("*"));
}

static int
parse_star(struct mysql_parser *p, struct mysql_node *node)
{
	struct mysql_node *star = node_new(p, MYSQL_NODE_STAR);

	if (star == NULL)
		return -1;
	while (!next_is(p, "*"))
		if (parse_name(p, star) == -1 || expect(p, star, SPAN(".")) == -1)
			return -1;
	return expect(p, star, SPAN("*")) == -1 ? -1 : add_child(node, star);
}

static bool
begins_string(const struct mysql_parser *p)
{
	return p->token->kind == MYSQL_TOKEN_STRING;
}

static int
parse_string(struct mysql_parser *p, struct mysql_node *node)
{
	return begins_string(p) ? add_child(node, take_leaf(p, MYSQL_NODE_STRING, p->token->value)) :
				  fail_here(p, SPAN("a text in quotes"));
}

static bool
begins_number(const struct mysql_parser *p)
{
	return p->token->kind == MYSQL_TOKEN_NUMBER;
}

static int
parse_number(struct mysql_parser *p, struct mysql_node *node)
{
	return begins_number(p) ? add_child(node, take_leaf(p, MYSQL_NODE_NUMBER, p->token->value)) :
				  fail_here(p, SPAN("a number"));
}

static bool
begins_count(const struct mysql_parser *p)
{
	return begins_number(p) || p->token->kind == MYSQL_TOKEN_PARAMETER;
}

static int
parse_count(struct mysql_parser *p, struct mysql_node *node)
{
	return p->token->kind == MYSQL_TOKEN_PARAMETER ?
	    add_child(node, take_leaf(p, MYSQL_NODE_PARAMETER, p->token->value)) :
	    parse_number(p, node);
}

static bool
begins_literal(const struct mysql_parser *p)
{
	static const char *const typed[] = { "DATE", "TIME", "TIMESTAMP", NULL };
	static const char *const named[] = { "NULL", "TRUE", "FALSE", NULL };

	switch (p->token->kind) {
	case MYSQL_TOKEN_STRING:
	case MYSQL_TOKEN_NUMBER:
	case MYSQL_TOKEN_BITS:
	case MYSQL_TOKEN_CHARSET:
	case MYSQL_TOKEN_PARAMETER:
		return true;
	case MYSQL_TOKEN_WORD:
		return span_is_any_word(p->token->text, named) ||
		    (p->token[1].kind == MYSQL_TOKEN_STRING && span_is_any_word(p->token->text, typed));
	default:
		return false;
	}
}

static int
parse_bits(struct mysql_parser *p, struct mysql_node *node)
{
	return add_child(node, take_leaf(p, MYSQL_NODE_BITS, p->token->value));
}

/* Strings one behind the other are one text. */
static int
parse_strings(struct mysql_parser *p, struct mysql_node *node)
{
	do {
		if (parse_string(p, node) == -1)
			return -1;
	} while (begins_string(p));
	return 0;
}

static int
parse_literal(struct mysql_parser *p, struct mysql_node *node)
{
	struct mysql_node *literal = node_new(p, MYSQL_NODE_literal);
	int r = -1;

	if (literal == NULL)
		return -1;
	if (p->token->kind == MYSQL_TOKEN_CHARSET &&
	    add_child(literal, take_leaf(p, MYSQL_NODE_CHARSET, p->token->value)) == -1)
		return -1;
	switch (p->token->kind) {
	case MYSQL_TOKEN_STRING:
		r = parse_strings(p, literal);
		break;
	case MYSQL_TOKEN_BITS:
		r = parse_bits(p, literal);
		break;
	case MYSQL_TOKEN_NUMBER:
	case MYSQL_TOKEN_PARAMETER:
		r = parse_count(p, literal);
		break;
	default:
		r = parse_template(p, literal, SPAN("{ NULL | TRUE | FALSE | { DATE | TIMESTAMP | TIME } string }"));
	}
	return r == -1 ? -1 : add_child(node, literal);
}

static bool
begins_query(const struct mysql_parser *p)
{
	static const char *const words[] = { "SELECT", "WITH", "VALUES", "TABLE", NULL };

	return p->token->kind == MYSQL_TOKEN_WORD && span_is_any_word(p->token->text, words);
}

static bool
begins_bracket(const struct mysql_parser *p)
{
	return next_is(p, "(");
}

static bool
begins_query_or_bracket(const struct mysql_parser *p)
{
	return begins_query(p) || begins_bracket(p);
}

static bool
begins_alias(const struct mysql_parser *p)
{
	return (next_is(p, "AS") || begins_string(p) || begins_name(p)) && !next_is(p, "WINDOW");
}

static bool
begins_expr(const struct mysql_parser *p)
{
	const struct mysql_token *t = p->token;

	if (t->kind == MYSQL_TOKEN_WORD)
		return !mysql_lex_is_reserved(t->text) || mysql_lex_begins_expression(t->text);
	return t->kind == MYSQL_TOKEN_PUNCT ? strchr("(+-~!", t->text.p[0]) != NULL && t->text.len == 1 :
					      t->kind != MYSQL_TOKEN_END;
}

/* Where only tight operators may stand, others need brackets. */
static int
parse_level(struct mysql_parser *p, struct mysql_node *node, unsigned level)
{
	struct mysql_node *operand = parse_operand(p, level);

	if (operand != NULL)
		operand->grouped = level > 1 && operand->kind == MYSQL_NODE_EXPRESSION;
	return add_child(node, operand);
}

static int
parse_expr(struct mysql_parser *p, struct mysql_node *node)
{
	return parse_level(p, node, 1);
}

static parse_fn parse_alias, parse_bracket, parse_list, parse_set_operand, parse_subquery;

static const struct {
	const char	*name;
	bool		(*begins)(const struct mysql_parser *p);
	parse_fn	*parse;
} built_in[] = {
	{ "alias", begins_alias, parse_alias },
	{ "bracket", begins_bracket, parse_bracket },
	{ "column", begins_name, parse_column },
	{ "count", begins_count, parse_count },
	{ "expr", begins_expr, parse_expr },
	{ "list", begins_bracket, parse_list },
	{ "literal", begins_literal, parse_literal },
	{ "name", begins_name, parse_name },
	{ "number", begins_number, parse_number },
	{ "operand", begins_query_or_bracket, parse_set_operand },
	{ "query", begins_query_or_bracket, parse_query },
	{ "star", begins_star, parse_star },
	{ "string", begins_string, parse_string },
	{ "subquery", begins_bracket, parse_subquery },
};

static const struct {
	const char	*name, *template;
} rules[] = {
#define RULE(name, template)	{ #name, template },
#include "workers/sql/mysql/grammar/mysql_grammar.def"
#undef RULE
};

#define RULES		(sizeof(rules) / sizeof(rules[0]))
#define BUILT_IN	(sizeof(built_in) / sizeof(built_in[0]))

static size_t
find_built_in(struct span name)
{
	size_t i = 0;

	while (i < BUILT_IN && !span_is_str(name, built_in[i].name))
		i++;
	return i;
}

static size_t
find_rule(struct span name)
{
	size_t i = 0;

	while (i < RULES && !span_is_str(name, rules[i].name))
		i++;
	return i;
}

/* expr7: 7; what is no expression with a level: 0. */
static unsigned
level_of(struct span name)
{
	unsigned level = 0;

	if (!span_begins(name, "expr"))
		return 0;
	for (size_t i = 4; i < name.len; i++)
		level = level * 10 + (unsigned)(name.p[i] - '0');
	return level;
}

static bool
begins_rule(const struct mysql_parser *p, struct span name)
{
	size_t i = find_built_in(name);

	if (i < BUILT_IN)
		return built_in[i].begins(p);
	return level_of(name) > 0 ? begins_expr(p) : begins_template(p, span_str(rules[find_rule(name)].template));
}

static bool
begins_choice(const struct mysql_parser *p, struct span alternatives)
{
	struct span alternative;

	while (mysql_template_alternative(&alternatives, &alternative))
		if (begins_template(p, alternative))
			return true;
	return false;
}

static bool
begins_element(const struct mysql_parser *p, const struct mysql_element *e)
{
	switch (e->kind) {
	case MYSQL_ELEMENT_LITERAL:
		return token_is(p->token, e->text);
	case MYSQL_ELEMENT_RULE:
		return begins_rule(p, e->text);
	case MYSQL_ELEMENT_OPTIONAL:
		return begins_template(p, e->text);
	default:
		return begins_choice(p, e->text);
	}
}

/* An element that may be left out begins nothing by itself: then the next one decides. */
static bool
begins_template(const struct mysql_parser *p, struct span template)
{
	struct mysql_element e;

	while (mysql_template_element(&template, &e))
		if (begins_element(p, &e))
			return true;
		else if (e.kind != MYSQL_ELEMENT_OPTIONAL && !e.repeated)
			return false;
	return false;
}

/* What a node of a rule is for besides its children. */
static int complete_name(struct mysql_parser *p, struct mysql_node *node, const struct mysql_token *from);

static int
parse_rule(struct mysql_parser *p, struct mysql_node *node, struct span name)
{
	size_t i = find_built_in(name), rule;
	const struct mysql_token *from = p->token;
	struct mysql_node *child;

	if (i < BUILT_IN)
		return built_in[i].parse(p, node);
	if (level_of(name) > 0)
		return parse_level(p, node, level_of(name));
	rule = find_rule(name);
	child = node_new(p, (enum mysql_kind)(MYSQL_NODE_statement + rule));
	if (child == NULL || enter(p) == -1 || parse_template(p, child, span_str(rules[rule].template)) == -1 ||
	    complete_name(p, child, from) == -1)
		return -1;
	p->depth--;
	return add_child(node, child);
}

static int
parse_choice(struct mysql_parser *p, struct mysql_node *node, struct span alternatives)
{
	struct span alternative;

	while (mysql_template_alternative(&alternatives, &alternative))
		if (begins_template(p, alternative))
			return parse_template(p, node, alternative);
	return fail_here(p, SPAN_NONE);
}

static int
parse_once(struct mysql_parser *p, struct mysql_node *node, const struct mysql_element *e)
{
	switch (e->kind) {
	case MYSQL_ELEMENT_LITERAL:
		return expect(p, node, e->text);
	case MYSQL_ELEMENT_RULE:
		return parse_rule(p, node, e->text);
	case MYSQL_ELEMENT_OPTIONAL:
		return begins_template(p, e->text) ? parse_template(p, node, e->text) : 0;
	default:
		return parse_choice(p, node, e->text);
	}
}

static int
parse_element(struct mysql_parser *p, struct mysql_node *node, const struct mysql_element *e)
{
	if (e->repeated) {
		while (begins_element(p, e))
			if (parse_once(p, node, e) == -1)
				return -1;
		return 0;
	}
	while (parse_once(p, node, e) == 0) {
		if (!e->listed || !next_is(p, ","))
			return 0;
		if (expect(p, node, SPAN(",")) == -1)
			return -1;
	}
	return -1;
}

static int
parse_template(struct mysql_parser *p, struct mysql_node *node, struct span template)
{
	struct mysql_element e;

	while (mysql_template_element(&template, &e))
		if (parse_element(p, node, &e) == -1)
			return -1;
	return 0;
}

enum bracket {
	BRACKET_QUERY,	/* only a query may be in it */
	BRACKET_EXPR,	/* or an expression or a row */
	BRACKET_LIST,	/* or expressions, which are a row though there is only one */
	BRACKET_TABLES	/* or what is in FROM */
};

/* Whether what comes next makes an operand of a set operation, or a query with an order, of a subquery. */
static bool
continues_query(const struct mysql_parser *p)
{
	static const char *const words[] = { "UNION", "EXCEPT", "INTERSECT", "ORDER", "LIMIT", "OFFSET", "FETCH",
		NULL };

	return p->token->kind == MYSQL_TOKEN_WORD && span_is_any_word(p->token->text, words);
}

/* What is behind the first operand of a query. */
static int
parse_query_rest(struct mysql_parser *p, struct mysql_node *query)
{
	return parse_template(p, query, SPAN("set_operation* [ order ] [ limit ]"));
}

static struct mysql_node *parse_in_bracket(struct mysql_parser *p, enum bracket as);

/* A table of FROM that begins with first, which is in brackets: a subquery, or nested tables. */
static struct mysql_node *
table_of(struct mysql_parser *p, struct mysql_node *first)
{
	struct mysql_node *table = node_new(p, MYSQL_NODE_table);

	if (table == NULL)
		return NULL;
	mysql_tree_add(table, first);
	return parse_template(p, table, SPAN("[ derived ]")) == -1 ? NULL : table;
}

/* ( joined, joined … ) behind the opening bracket; the first table begins with first, if there is one. */
static int
parse_nested(struct mysql_parser *p, struct mysql_node *nested, struct mysql_node *first)
{
	struct mysql_node *joined = first == NULL ? NULL : node_new(p, MYSQL_NODE_joined);

	if (first == NULL)
		return parse_template(p, nested, SPAN("joined%"));
	return joined == NULL || add_child(joined, table_of(p, first)) == -1 ||
		parse_template(p, joined, SPAN("join*")) == -1 || add_child(nested, joined) == -1 ||
		parse_template(p, nested, SPAN("[ , joined% ]")) == -1 ?
	    -1 :
	    0;
}

/* ( expr, expr … ) behind the opening bracket; the first one begins with first, if there is one. */
static int
parse_row(struct mysql_parser *p, struct mysql_node *row, struct mysql_node *first)
{
	first = first == NULL ? parse_operand(p, 1) : parse_operators(p, first, 1);
	return add_child(row, first) == -1 ? -1 : parse_template(p, row, SPAN("[ , expr% ]"));
}

/* Brackets around one expression only group. */
static bool
only_groups(const struct mysql_node *row, enum bracket as)
{
	return as == BRACKET_EXPR && row->first->next->next->next == NULL;
}

/* Behind the opening bracket, where no query begins. */
static struct mysql_node *
parse_other(struct mysql_parser *p, struct mysql_node *open, struct mysql_node *first, enum bracket as)
{
	struct mysql_node *n = node_new(p, as == BRACKET_TABLES ? MYSQL_NODE_NESTED : MYSQL_NODE_ROW);

	if (n == NULL)
		return NULL;
	mysql_tree_add(n, open);
	if (as == BRACKET_QUERY) {
		fail_here(p, SPAN("SELECT"));
		return NULL;
	}
	if ((as == BRACKET_TABLES ? parse_nested(p, n, first) : parse_row(p, n, first)) == -1 ||
	    expect(p, n, SPAN(")")) == -1)
		return NULL;
	if (!only_groups(n, as))
		return n;
	first = n->first->next;
	first->next = NULL;
	return first;
}

/* ( query ) from the opening bracket, which was taken; first: the query's first operand, if it was read. */
static struct mysql_node *
parse_queried(struct mysql_parser *p, struct mysql_node *open, struct mysql_node *first)
{
	struct mysql_node *sub = node_new(p, MYSQL_NODE_SUBQUERY),
			  *query = first == NULL ? NULL : node_new(p, MYSQL_NODE_QUERY);

	if (sub == NULL || (first != NULL && query == NULL))
		return NULL;
	mysql_tree_add(sub, open);
	if (first == NULL) {
		if (parse_query(p, sub) == -1)
			return NULL;
	} else if (add_child(query, first) == -1 || parse_query_rest(p, query) == -1 || add_child(sub, query) == -1)
		return NULL;
	return expect(p, sub, SPAN(")")) == -1 ? NULL : sub;
}

/* A bracket within a bracket is read first: what it is, and what is behind it, say what the outer one is. */
static struct mysql_node *
parse_inner(struct mysql_parser *p, struct mysql_node *open, enum bracket as)
{
	struct mysql_node *inner = parse_in_bracket(p, as == BRACKET_LIST ? BRACKET_EXPR : as);

	if (inner == NULL)
		return NULL;
	if (inner->kind != MYSQL_NODE_SUBQUERY || !(continues_query(p) || next_is(p, ")")))
		return parse_other(p, open, inner, as);
	if (continues_query(p))
		return parse_queried(p, open, inner);
	return as == BRACKET_LIST ? parse_other(p, open, inner, as) : (p->token++, inner);
}

static struct mysql_node *
parse_in_bracket(struct mysql_parser *p, enum bracket as)
{
	struct mysql_node *open, *n;

	if (!next_is(p, "(")) {
		fail_here(p, SPAN("("));
		return NULL;
	}
	if (enter(p) == -1 || (open = take_leaf(p, MYSQL_NODE_WORD, SPAN("("))) == NULL)
		return NULL;
	if (begins_query(p))
		n = parse_queried(p, open, NULL);
	else if (next_is(p, "("))
		n = parse_inner(p, open, as);
	else
		n = parse_other(p, open, NULL, as);
	p->depth--;
	return n;
}

static int
parse_subquery(struct mysql_parser *p, struct mysql_node *node)
{
	return add_child(node, parse_in_bracket(p, BRACKET_QUERY));
}

static int
parse_bracket(struct mysql_parser *p, struct mysql_node *node)
{
	return add_child(node, parse_in_bracket(p, BRACKET_TABLES));
}

static int
parse_list(struct mysql_parser *p, struct mysql_node *node)
{
	return add_child(node, parse_in_bracket(p, BRACKET_LIST));
}

static int
parse_set_operand(struct mysql_parser *p, struct mysql_node *node)
{
	return next_is(p, "(") ? parse_subquery(p, node) :
				 parse_template(p, node, SPAN("{ select | values | table_query }"));
}

static int
parse_query(struct mysql_parser *p, struct mysql_node *node)
{
	struct mysql_node *query = node_new(p, MYSQL_NODE_QUERY);

	if (query == NULL || enter(p) == -1 || parse_template(p, query, SPAN("[ with ] operand")) == -1 ||
	    parse_query_rest(p, query) == -1)
		return -1;
	p->depth--;
	return add_child(node, query);
}

#define INTERVAL_LEVEL	11u	/* of + and -, which an INTERVAL is an operand of */
#define COMPARED	"{ { ANY | SOME | ALL } subquery | expr6 }"

struct mysql_operator {
	unsigned	 level;
	const char	*words, *rest;
};

static const struct mysql_operator operators[] = {
#define OPERATOR(level, words, rest)	{ level, words, rest },
#include "workers/sql/mysql/grammar/mysql_operators.def"
#undef OPERATOR
};

static const struct mysql_prefix {
	const char	*word;
	unsigned	 level;
} prefixes[] = { { "NOT", 4 }, { "-", 14 }, { "~", 14 }, { "!", 15 }, { "BINARY", 16 } };

/* The operator that comes next; *n: its tokens. */
static const struct mysql_operator *
next_operator(const struct mysql_parser *p, unsigned *n)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		struct span words = span_str(operators[i].words);
		const uint8_t *blank = memchr(words.p, ' ', words.len);
		size_t first = blank == NULL ? words.len : (size_t)(blank - words.p);

		*n = blank == NULL ? 1 : 2;
		if (token_is(p->token, span_of(words.p, first)) &&
		    (*n == 1 || token_is(p->token + 1, span_of(words.p + first + 1, words.len - first - 1))))
			return &operators[i];
	}
	return NULL;
}

/* a AND b AND c are operands of one node, as long as no brackets say otherwise. */
static bool
joins_chain(const struct mysql_node *left, const struct mysql_operator *op)
{
	static const char *const chained[] = { "AND", "OR", "+", "*", NULL };

	return left->kind == MYSQL_NODE_EXPRESSION && mysql_tree_is(left->first->next, op->words) &&
	    span_is_any(span_str(op->words), chained);
}

/* What is read in two ways is written in one. */
static const char *
operator_words(const char *words)
{
	if (strcmp(words, "&&") == 0)
		return "AND";
	return strcmp(words, "||") == 0 ? "OR" : words;
}

/* The operator as the leaves of its words. */
static int
add_words(struct mysql_parser *p, struct mysql_node *node, const struct mysql_operator *op, unsigned n)
{
	struct span rest = span_str(operator_words(op->words));
	struct mysql_element e;

	for (; n > 0 && mysql_template_element(&rest, &e); n--)
		if (add_child(node, take_leaf(p, MYSQL_NODE_WORD, span_of(e.text.p, e.text.len))) == -1)
			return -1;
	return 0;
}

/* left and the operators of this level and above that follow. */
static struct mysql_node *
parse_operators(struct mysql_parser *p, struct mysql_node *left, unsigned level)
{
	const struct mysql_operator *op;
	struct mysql_node *node, *chain = NULL;
	unsigned n;

	while ((op = next_operator(p, &n)) != NULL && op->level >= level) {
		if (left == chain && joins_chain(left, op))
			node = left;
		else if ((node = node_new(p, MYSQL_NODE_EXPRESSION)) != NULL)
			mysql_tree_add(node, left);
		if (node == NULL || add_words(p, node, op, n) == -1 || enter(p) == -1 ||
		    parse_template(p, node, span_str(op->rest)) == -1)
			return NULL;
		p->depth--;
		if (check_depth(p, node->height, MYSQL_HEIGHT_MAX) == -1)
			return NULL;
		left = chain = node;
	}
	return left;
}

static struct mysql_node *
parse_prefixed(struct mysql_parser *p, const struct mysql_prefix *prefix)
{
	struct mysql_node *node = node_new(p, MYSQL_NODE_EXPRESSION);

	if (node == NULL || enter(p) == -1 || expect(p, node, span_str(prefix->word)) == -1 ||
	    add_child(node, parse_operand(p, prefix->level)) == -1)
		return NULL;
	p->depth--;
	/* - INTERVAL 1 DAY + d: less than d, in one form of the grammar. */
	if (node->last->kind == MYSQL_NODE_interval)
		node->kind = MYSQL_NODE_interval;
	return node;
}

/* The arguments behind a function's name, which is the first child of call. */
static struct mysql_node *
parse_arguments(struct mysql_parser *p, struct mysql_node *call, const char *form)
{
	if (enter(p) == -1 || parse_template(p, call, span_str(form)) == -1 ||
	    parse_template(p, call, SPAN("[ over ]")) == -1)
		return NULL;
	p->depth--;
	return call;
}

/* A listed function, in its form. */
static struct mysql_node *
parse_function(struct mysql_parser *p)
{
	const struct mysql_function *f = mysql_functions_find(p->token->text);
	struct mysql_node *call = node_new(p, MYSQL_NODE_CALL);

	return call == NULL || add_child(call, take_leaf(p, MYSQL_NODE_FUNCTION, span_str(f->name))) == -1 ?
	    NULL :
	    parse_arguments(p, call, f->form);
}

/* A column, or a function that is not listed or not called by a word: name( or `name`( or name.name( */
static struct mysql_node *
parse_named(struct mysql_parser *p)
{
	struct mysql_node holder = { .kind = MYSQL_NODE_EXPRESSION }, *call;

	if (parse_column(p, &holder) == -1)
		return NULL;
	if (!next_is(p, "("))
		return holder.first;
	if ((call = node_new(p, MYSQL_NODE_CALL)) == NULL)
		return NULL;
	mysql_tree_add(call, holder.first);
	return parse_arguments(p, call, "( [ expr% ] )");
}

/* INTERVAL(n, a, b) is a function, INTERVAL (n) DAY a length of time. */
static struct mysql_node *
parse_interval(struct mysql_parser *p)
{
	struct mysql_node *interval = node_new(p, MYSQL_NODE_interval), *call = node_new(p, MYSQL_NODE_CALL), *word, *n;

	if (interval == NULL || call == NULL || enter(p) == -1 ||
	    (word = take_leaf(p, MYSQL_NODE_WORD, SPAN("INTERVAL"))) == NULL)
		return NULL;
	n = next_is(p, "(") ? parse_in_bracket(p, BRACKET_EXPR) : parse_operand(p, 1);
	if (n == NULL)
		return NULL;
	p->depth--;
	if (n->kind == MYSQL_NODE_ROW) {
		word->kind = MYSQL_NODE_FUNCTION;
		mysql_tree_add(call, word);
		mysql_tree_add(call, n);
		return call;
	}
	mysql_tree_add(interval, word);
	return add_child(interval, parse_operators(p, n, 1)) == -1 || parse_template(p, interval, SPAN("unit")) == -1 ?
	    NULL :
	    interval;
}

/* The rules and built-in rules of what is an operand by its first token. */
static struct mysql_node *
parse_ruled(struct mysql_parser *p)
{
	static const struct span ruled[] = { { (const uint8_t *)"literal", 7 }, { (const uint8_t *)"case", 4 },
		{ (const uint8_t *)"exists", 6 }, { (const uint8_t *)"match", 5 }, { (const uint8_t *)"now", 3 },
		{ (const uint8_t *)"default", 7 } };
	struct mysql_node holder = { .kind = MYSQL_NODE_EXPRESSION };

	for (size_t i = 0; i < sizeof(ruled) / sizeof(ruled[0]); i++)
		if (begins_rule(p, ruled[i]))
			return parse_rule(p, &holder, ruled[i]) == -1 ? NULL : holder.first;
	fail_here(p, SPAN_NONE);
	return NULL;
}

static bool
begins_function(const struct mysql_parser *p)
{
	const struct mysql_token *t = p->token;

	return t->kind == MYSQL_TOKEN_WORD && token_is(t + 1, SPAN("(")) && mysql_functions_find(t->text) != NULL;
}

/* ROW(a, b) is (a, b); it has at least two operands. */
static struct mysql_node *
parse_row_word(struct mysql_parser *p)
{
	struct mysql_node *row;

	p->token++;
	row = parse_in_bracket(p, BRACKET_EXPR);
	if (row == NULL || row->kind == MYSQL_NODE_ROW)
		return row;
	fail_here(p, SPAN_NONE);
	return NULL;
}

static struct mysql_node *
parse_primary(struct mysql_parser *p)
{
	if (next_is(p, "("))
		return parse_in_bracket(p, BRACKET_EXPR);
	if (next_is(p, "INTERVAL"))
		return parse_interval(p);
	if (next_is(p, "ROW") && token_is(p->token + 1, SPAN("(")))
		return parse_row_word(p);
	if (begins_literal(p))
		return parse_ruled(p);
	if (begins_function(p))
		return parse_function(p);
	return begins_name(p) ? parse_named(p) : parse_ruled(p);
}

static struct mysql_node *
parse_operand(struct mysql_parser *p, unsigned level)
{
	struct mysql_node *left = NULL;
	size_t i = 0;

	while (next_is(p, "+"))
		p->token++;
	while (i < sizeof(prefixes) / sizeof(prefixes[0]) && !next_is(p, prefixes[i].word))
		i++;
	if (i < sizeof(prefixes) / sizeof(prefixes[0]))
		left = prefixes[i].level < level && i == 0 ? (fail_here(p, SPAN_NONE), NULL) :
							     parse_prefixed(p, &prefixes[i]);
	else
		left = parse_primary(p);
	/* Behind a - INTERVAL 1 DAY the whole of it is the left operand, even of what binds tighter. */
	if (left == NULL || (left->kind == MYSQL_NODE_interval && level > INTERVAL_LEVEL))
		return left;
	return parse_operators(p, left, level);
}

static int
parse_alias(struct mysql_parser *p, struct mysql_node *node)
{
	struct mysql_node *alias = node_new(p, MYSQL_NODE_alias);
	struct mysql_node *as =
	    alias == NULL ? NULL : mysql_tree_leaf(p->arena, MYSQL_NODE_WORD, alias->at, SPAN("AS"));

	if (as == NULL)
		return fail_full(p);
	mysql_tree_add(alias, as);
	if (next_is(p, "AS"))
		p->token++;
	return (begins_string(p) ? parse_string(p, alias) : parse_name(p, alias)) == -1 ? -1 : add_child(node, alias);
}

/* The text as a name that the server accepts: of limited length, and without characters above U+FFFF. */
static struct span
alias_text(struct mysql_parser *p, struct span text)
{
	struct buf name = BUF_MAX(ALIAS_MAX * 4);
	struct span copy;

	text.len = utf8_prefix(text, utf8_count(text) < ALIAS_MAX ? utf8_count(text) : ALIAS_MAX);
	for (size_t i = 0; i < text.len; i++)
		if (text.p[i] >= 0xf0) {
			buf_byte(&name, '?');
			i += 3;
		} else
			buf_byte(&name, text.p[i]);
	copy = arena_span(p->arena, buf_view(&name));
	buf_fini(&name);
	return copy;
}

/* Whether the server calls it alike however it is printed: a column, a text, a number or NULL, TRUE and FALSE. */
static bool
is_called_alike(const struct mysql_node *expr)
{
	if (expr->kind != MYSQL_NODE_literal)
		return expr->kind == MYSQL_NODE_COLUMN;
	return expr->last->kind == MYSQL_NODE_STRING ? expr->first->kind != MYSQL_NODE_WORD :
						       expr->last->kind != MYSQL_NODE_BITS;
}

/* What the server calls a column whose first token is this one: comments behind a comma are part of the name. */
static struct span
item_text(const struct mysql_parser *p, const struct mysql_token *from)
{
	const struct mysql_token *before = from - 1, *last = p->token - 1;
	const uint8_t *start = token_is(before, SPAN(",")) ? before->text.p + before->text.len : from->text.p;

	return span_trim(span_of(start, (size_t)(last->text.p + last->text.len - start)));
}

/* Every other column of a result is called as its text. */
static int
complete_name(struct mysql_parser *p, struct mysql_node *node, const struct mysql_token *from)
{
	struct mysql_node *alias;
	struct span name;

	if (node->kind != MYSQL_NODE_item || node->first->next != NULL || is_called_alike(node->first))
		return 0;
	name = alias_text(p, item_text(p, from));
	if (name.p == NULL || (alias = mysql_tree_alias(p->arena, node->end, MYSQL_NODE_STRING, name)) == NULL)
		return fail_full(p);
	mysql_tree_add(node, alias);
	return 0;
}

/* The first word of any other statement says what it is. */
static int
check_first(struct mysql_parser *p)
{
	struct span word = p->token->text;

	if (p->token->kind == MYSQL_TOKEN_END)
		return err_set(p->err, ERR_INVALID_SQL, "there is no statement, only white space or comments");
	if (p->token->kind != MYSQL_TOKEN_WORD || begins_rule(p, SPAN("statement")))
		return 0;
	*p->at = (size_t)(word.p - p->sql.p);
	word.len = utf8_cut(word.p, word.len, 40);
	return err_set(p->err, ERR_FORBIDDEN_SQL, "%.*s is not allowed: this connection only reads; write a SELECT",
	    SPAN_FMT(word));
}

static bool
ends(const struct mysql_parser *p)
{
	const struct mysql_token *t = p->token;

	while (token_is(t, SPAN(";")))
		t++;
	return t->kind == MYSQL_TOKEN_END;
}

static struct mysql_node *
parse_statement(struct arena *a, struct span sql, bool parameters, size_t *at, struct err *err)
{
	struct mysql_parser p = { .arena = a, .sql = sql, .at = at, .err = err };
	struct mysql_node holder = { .kind = MYSQL_NODE_EXPRESSION };
	struct mysql_tokens tokens;

	*at = MYSQL_PARSE_NOWHERE;
	if (mysql_lex(a, sql, parameters, &tokens, at, err) == -1)
		return NULL;
	p.first = p.token = tokens.list;
	if (check_first(&p) == -1 || parse_rule(&p, &holder, SPAN("statement")) == -1)
		return NULL;
	if (!ends(&p)) {
		fail_here(&p, SPAN_NONE);
		return NULL;
	}
	return holder.first;
}

struct mysql_node *
mysql_parse(struct arena *a, struct span sql, size_t *at, struct err *err)
{
	return parse_statement(a, sql, false, at, err);
}

struct mysql_node *
mysql_parse_bound(struct arena *a, struct span sql, size_t *at, struct err *err)
{
	return parse_statement(a, sql, true, at, err);
}
