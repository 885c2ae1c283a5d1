/*
 * inventory - what catalogues of data say of tables: descriptions, owners, tags, keys, and terms of a glossary.
 *
 * openmetadata.c and datahub.c read the files of a catalogue each into these.  A table is named by the catalogue's own
 * identifier, and may be told of in any order; what waits for others is put into the model at the end.
 */
#pragma once

#include "workers/import/knowledge/trees.h"

struct inventory_table {
	struct knowledge_model	*model;
	struct span		 owners, tags, terms;	/* "a, b" */
	struct span		 edited;	/* what a person wrote, which comes before the model's description */
};

struct inventory_field {
	size_t			 table;
	struct knowledge_entry	*entry;
	struct span		 tags, terms, edited;
};

/* A foreign key: columns "a,b" of a table, and of the one it leads to. */
struct inventory_key {
	size_t		table;
	struct span	columns, to, to_columns;
};

struct inventory {
	struct knowledge	*k;
	struct span		 from;
	size_t			 ntables, tables_cap, nfields, fields_cap, nkeys, keys_cap, nothers;
	struct inventory_table	*tables;
	struct inventory_field	*fields;
	struct inventory_key	*keys;
	struct table		 ids, names;	/* of tables, and of fields */
	struct inventory_other {
		const char	*as;
		size_t		 n;
	}			 others[32];	/* objects that are not read, by their kind */
};

/* The place of the table with that identifier, whose name is "a.b.table", added if it is new. */
size_t inventory_table(struct inventory *c, struct span id, struct span name);

/* A column of the table, added if it is new; valid until the next one is added. */
struct inventory_field *inventory_field(struct inventory *c, size_t table, struct span name);

/* Appends ", word" to a list, once. */
void inventory_list(struct inventory *c, struct span *list, struct span word);

void inventory_key(struct inventory *c, size_t table, struct span columns, struct span to, struct span to_columns);

/* A page of a term; also: other words for it. */
void inventory_term(struct inventory *c, const char *as, struct span name, struct span title, struct span said,
    struct span also);

/* Counts an object of a kind that has no place here. */
void inventory_pass(struct inventory *c, struct span as);

/* Puts everything into the model, and frees c. */
void inventory_end(struct inventory *c);

/* Calls fn for each object of the files and of the manifest, in lists or alone. */
int inventory_each(struct inventory *c, const struct knowledge_input *in, const char *const *sections,
    void (*fn)(struct inventory *c, const struct yaml_node *object), struct err *err);
