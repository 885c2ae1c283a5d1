/* mysql_template - cuts the templates of mysql_grammar.def into their elements. */
#pragma once

#include <stdbool.h>

#include "base/span.h"

struct mysql_element {
	enum {
		MYSQL_ELEMENT_LITERAL,	/* a keyword or punctuation */
		MYSQL_ELEMENT_RULE,	/* the name of a rule */
		MYSQL_ELEMENT_OPTIONAL,	/* text: what is in the brackets */
		MYSQL_ELEMENT_CHOICE	/* text: the alternatives */
	}		kind;
	struct span	text;
	bool		listed;		/* with '%' */
	bool		repeated;	/* with '*' */
};

/* Takes the first element from *rest.  False if none. */
bool mysql_template_element(struct span *rest, struct mysql_element *e);

/* Takes the first alternative, which may be empty, from *rest.  False at the end (the p of *rest is NULL). */
bool mysql_template_alternative(struct span *rest, struct span *alternative);
