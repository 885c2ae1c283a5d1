/* catalogue - questions about the model itself: what it contains, what a name means. */
#ifndef ASK_CATALOGUE_H
#define ASK_CATALOGUE_H

#include "ask/plan.h"

bool catalogue_read(struct plan *p);		/* true: a question about the model itself */

#endif
