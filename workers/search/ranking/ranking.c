#include "words/lexicon.h"
#include "workers/search/ranking/ranking.h"

struct ranking ranking = {
#define RANKING(name, value, off, text) .name = (float)(value),
#define RANKING_LEXICON(table, text)
#include "workers/search/ranking/ranking.def"
#undef RANKING
#undef RANKING_LEXICON
};

const struct ranking_row ranking_rows[] = {
#define RANKING(name, value, off, text)	{ #name, (float)(value), (float)(off), (text), &ranking.name },
#define RANKING_LEXICON(table, text)	{ "lexicon_" #table, 1, 0, (text), &lexicon_use.table },
#include "workers/search/ranking/ranking.def"
#undef RANKING
#undef RANKING_LEXICON
};

const size_t ranking_nrows = sizeof(ranking_rows) / sizeof(ranking_rows[0]);
