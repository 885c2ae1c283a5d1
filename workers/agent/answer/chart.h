/*
 * chart - chooses the chart for an answer, and its specification.  Only chart_choose() makes charts, so an invalid one
 * (series of unequal lengths, negative slices) cannot exist.  Values are those of the cells.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "workers/agent/data/sheet.h"

#define CHART_MAX		4u	/* of one answer */
#define CHART_TITLE_MAX		60u	/* characters */
#define CHART_LABEL_MAX		25u
#define CHART_SERIES_MAX	8u
#define CHART_CATEGORIES_MAX	50u	/* of bars */
#define CHART_INEXACT		(DECIMAL_SCALE_MAX + 1u)
#define CHART_SLICES_MAX	6u	/* more shares are drawn as bars */

enum chart_type { CHART_NONE, CHART_BAR, CHART_LINE, CHART_PIE, CHART_SCATTER };

/* Facts about the question, in addition to the rows. */
struct chart_about {
	struct span	title;
	size_t		measures;	/* bytes of the title that name the figures */
	bool		ranking;	/* the rows are a top or bottom N */
	bool		by_size;	/* bars are ordered by their figures, unless their keys have an order */
	bool		reversed;	/* bars are in the reverse order of the rows */
	bool		share;		/* the first figure is a part of a whole */
	bool		relation;	/* the question asks how two figures relate */
};

struct chart_series {
	struct span	 label;
	double		*data;		/* one value for each category; NAN: none */
	struct decimal	*exact;		/* the same; a scale of CHART_INEXACT: a double is all there is */
};

struct chart {
	enum chart_type		 type;
	struct span		 title, x_label, y_label;
	bool			 horizontal;
	size_t			 ncategories;	/* slices of a pie, points of a scatter */
	struct span		*categories;	/* distinct labels */
	size_t			 nseries;	/* a pie: 1, a scatter: 2, x and y */
	struct chart_series	 series[CHART_SERIES_MAX];
};

/*
 * Choose the charts of t, one for each unit of its figures.  Returns their number; 0: none.  *caveat: the reason why an
 * expected chart is missing, else empty.  Everything lives in a.
 */
size_t chart_choose(struct arena *a, const struct chart_about *about, const struct sheet *t,
    struct chart out[CHART_MAX], struct span *caveat);

/* "bar", "line", "pie", "scatter". */
const char *chart_type_name(enum chart_type type);

/* As a msgpack map, in the form of the chart_specs block. */
void chart_put(struct buf *out, const struct chart *c);
