/* ranking.c - see ranking.h. */
#include "workers/search/ranking.h"

struct ranking ranking = {
#define RANKING(name, value, off, text) .name = (float)(value),
#include "workers/search/ranking.def"
#undef RANKING
};

const struct ranking_row ranking_rows[] = {
#define RANKING(name, value, off, text) { #name, (float)(value), (float)(off), (text), offsetof(struct ranking, name) },
#include "workers/search/ranking.def"
#undef RANKING
};

const size_t ranking_nrows = sizeof(ranking_rows) / sizeof(ranking_rows[0]);
