#include "project/model/source_find.h"

const struct source_column *
source_find_column(const struct source *s, struct span name)
{
	for (size_t i = 0; s != NULL && i < s->ncolumns; i++)
		if (span_is_str(name, s->columns[i].name))
			return &s->columns[i];
	return NULL;
}

const struct source_column *
source_find_folded(const struct source *s, struct span name)
{
	for (size_t i = 0; s != NULL && i < s->ncolumns; i++)
		if (span_is_folded(span_str(s->columns[i].name), name))
			return &s->columns[i];
	return NULL;
}

const struct source_measure *
source_find_measure(const struct source *s, struct span name)
{
	for (size_t i = 0; s != NULL && i < s->nmeasures; i++)
		if (s->measures[i].name != NULL && span_is_str(name, s->measures[i].name))
			return &s->measures[i];
	return NULL;
}
