/* dict_build - values, their order and their index, made by steps; see dict.h. */
#pragma once

#include "workers/search/index/dict.h"

/*
 * Build from the qualifying columns of a profile, by steps of about ns
 * nanoseconds: begin, step until true, end.  The profile is borrowed until
 * then; the dictionary keeps nothing of it.  dict_end() may come early.
 */
struct dict_building;
struct dict_building *dict_begin(const struct snapshot_profile *profile);
bool dict_step(struct dict_building *b, uint64_t ns);
struct dict *dict_end(struct dict_building *b);
