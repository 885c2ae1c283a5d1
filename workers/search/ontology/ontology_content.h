/* ontology_content - the content of the resources of ontologies: two JSON texts, and YAML for a dataset. */
#pragma once

#include "workers/search/library/library.h"

/* [{id, name, description | null, datasetCount, fieldCount}] of the ready ontologies. */
void ontology_put_all(const struct library *l, struct buf *out);

/* {ontology: {id, name, description | null}, datasets: [{name, description | null, source}]} */
void ontology_put(const struct ontology *o, struct buf *out);

/* name, description, source: {table | sql}, fields: [{name, type, description, source_column | expression}] */
void ontology_put_dataset(const struct source *s, struct buf *out);

/* The source with this name that o serves; NULL: none. */
const struct source *ontology_dataset(const struct ontology *o, struct span name);
