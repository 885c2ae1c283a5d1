/* vocab_parts - what vocab.c and guess.c share; private to them. */
#pragma once

#include "workers/search/index/grams.h"
