/*
 * tools_subject - same_subject: which wiki pages are about what a title names.
 *
 * wiki_search's scores say which page is nearer than another; whether one is near at all is asked here: how much of the
 * title's words, by their weight in the question, the page is called by, and how much of the page's name the title
 * says.
 */
#pragma once

#include "workers/search/answer/search.h"

int tool_same_subject(struct call *c, const struct mp_value *args, struct err *err);
