#include <stdlib.h>

#include "workers/import/rows_records.h"

size_t
rows_usual_width(const size_t *widths, size_t n)
{
	size_t best = 0, best_count = 0;

	for (size_t i = 0; i < n; i++) {
		size_t count = 0;

		for (size_t j = i; j < n; j++)
			count += widths[j] == widths[i];
		if (count > best_count || (count == best_count && widths[i] > best)) {
			best = widths[i];
			best_count = count;
		}
	}
	return best;
}

void
rows_free_names(struct span *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free((void *)(uintptr_t)names[i].p);
	free(names);
}
