/*
 * views - what views of LookML and cubes of Cube have in common: a table with members whose SQL names columns and other
 * members, and joins.  A reader lists them with their texts as the tool has them; here these become the model.
 */
#pragma once

#include "base/text/sqltext.h"
#include "workers/import/knowledge/trees.h"

#define VIEWS_MAX	20000
#define MEMBERS_MAX	2000	/* of a view */
#define ALL_MEMBERS_MAX	300000	/* no view is read beyond it */
#define QUERIES_MAX	((size_t)8 << 20)	/* bytes of all views that are queries; further ones are skipped */

/* A tool's words. */
struct views_tool {
	const char	*view;		/* "view" */
	const char	*self;		/* the name of the view's own table in references: "TABLE" */
	const char	*table;		/* the member by which a query names the table of a view: "SQL_TABLE_NAME" */
	bool		dollar;	/* references are ${name}; otherwise {name}, too */
	size_t		 form;		/* of its aggregates */
};
extern const struct views_tool views_lookml, views_cube;

enum view_part { VIEW_DIMENSION, VIEW_MEASURE, VIEW_SEGMENT };

/* A dimension, measure or segment.  Texts are SQL with the tool's references. */
struct view_member {
	enum view_part		 part;
	const char		*as;
	struct span		 name, type, sql, filter;
	struct span		 label, said;
	const struct yaml_node	*node;		/* what the reader has of it */
	const char		*why;		/* skipped: why */
	bool			 key, time;	/* it identifies rows, with others; it is a time */
	struct span		 column;	/* DIMENSION that is just a column of the table */
	bool			 shadows;	/* its SQL uses another column of its name */
};

struct view_table {
	struct span		 name, from;
	struct span		 label, said;
	struct span		 query;		/* the SQL that it is, as the tool has it; empty: it is of a table */
	bool			 reading;	/* that is being resolved, or cannot be */
	struct knowledge_model	*out;		/* NULL: it was skipped */
	bool			 second;	/* another view is of its table, too, and was read before */
	uint32_t		 row;
	size_t			 n, cap;
	struct view_member	*members;
	struct span		 limit;		/* of the rows that its measures aggregate, resolved */
	const char		*odd;		/* its measures are skipped: why */
};

/* How a view is called in an explore; the first one is that whose rows are counted. */
struct view_alias {
	const struct view_alias	*next;
	struct span		 name;
	struct view_table		*view;
};

struct views {
	struct knowledge	*k;
	const struct views_tool	*tool;
	enum sqltext_dialect	 text;		/* how the connection's engine cuts statements */
	size_t			 n, cap, nmembers, queried;	/* bytes of queries */
	struct view_table		**v;
	struct table		 names, members, tables;
};

/* A new view; NULL: it was skipped, for another has its name, or there are too many. */
struct view_table *views_add(struct views *s, struct span name, struct span from);

/* A new member; NULL: it was skipped, for its name has other characters than a column may, or there are too many. */
struct view_member *views_add_member(struct views *s, struct view_table *v, enum view_part part, const char *as,
    struct span name);

/* The model of a view, which is of that table; its label and what is said of it are set before. */
void views_place(struct views *s, struct view_table *v, struct span schema, struct span table);

/*
 * All members have been added, and all views have their place: they can be found from now on.  A view that is a query
 * gets its model here, or is skipped by name.
 */
void views_index(struct views *s);

struct view_table *views_named(const struct views *s, const struct view_alias *aliases, struct span name);
struct view_member *views_member(const struct views *s, const struct view_table *v, struct span name);

/*
 * The table of a view: "shop.orders", in quotes or not, or of "SELECT * FROM shop.orders".  False: the text is another
 * one.
 */
bool views_table(struct knowledge *k, struct span text, struct span *schema, struct span *table);

/* What a text refers to. */
struct view_uses {
	unsigned	measures;
	bool		others;		/* measures of other views */
};

/*
 * Appends the text with references of the model in place of the tool's.  Returns NULL, or why that cannot be said.
 */
const char *views_resolve(const struct views *s, const struct view_table *home, const struct view_alias *aliases,
    struct span text, struct view_uses *uses, struct buf *out);

/* A join: from a view to one that is called alias there; on is SQL; many: how many rows of each side meet one. */
struct view_join {
	const char		*as;
	struct span		 name, from;
	const struct view_table	*home;		/* where names of the condition are looked up */
	const struct view_alias	*aliases;
	struct span		 to, on, relationship;
};

/* Adds the join to the model, or skips it by name. */
void views_join(struct views *s, const struct view_join *j);

/* Adds all members to the model. */
void views_take(struct views *s);

void views_free(struct views *s);

/* Why a key of the node is not understood: it is not one of known; NULL: all are. */
const char *views_odd_key(struct knowledge *k, const struct yaml_node *n, const char *const *known);
