/* vocabulary - the names the demo is populated with; every list is read by index. */
#pragma once

#include <stddef.h>
#include <stdint.h>

extern const char *const words_first[], *const words_last[], *const words_streets[];
extern const struct company { const char *before, *after; } words_companies[];	/* around a surname */
extern const char *const words_testers[];
extern const size_t words_nfirst, words_nlast, words_nstreets, words_ncompanies, words_ntesters;

struct town {
	int		 region;
	const char	*plz, *name;
};
extern const struct town words_towns[];

/* One of the region's towns; any town when it has none. */
size_t words_town_of(int region, uint32_t throw);
