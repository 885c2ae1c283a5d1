/*
 * picture - a chart of ask_question as figures to draw: the content of a chart_specs block, read once for the terminal
 * and for files.  Its texts have no control characters and no characters that reorder text.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "cli/show/view.h"

#define PICTURE_SERIES_MAX	8u
#define PICTURE_POINTS_MAX	2000u	/* points of a scatter chart */

enum picture_type { PICTURE_BARS, PICTURE_LINES, PICTURE_SLICES, PICTURE_POINTS };

/* One figure for each label and series; NAN: none. */
struct picture {
	struct arena		*a;
	enum picture_type	 type;
	bool			 german;	/* the language that numbers are written in */
	bool			 horizontal;
	bool			 fractions;	/* not all figures are whole */
	size_t			 room;		/* columns that a number may have; 0: any */
	struct span		 title, x_label, y_label;
	size_t			 nlabels, nseries;
	struct span		*labels;	/* of points empty where they have none */
	struct span		 series[PICTURE_SERIES_MAX];
	double			*data[PICTURE_SERIES_MAX];
	double			*x;		/* of points; their y is data[0] */
	/* the digits of figures that doubles do not hold; empty: the double has them; NULL: of the whole series */
	struct span		*digits[PICTURE_SERIES_MAX], *x_digits;
};

/* Read a specification into a.  False: the specification draws nothing; the title is read nevertheless. */
bool picture_read(struct picture *p, struct arena *a, struct view chart, bool german);

/* The lowest and the highest figure of all series.  False if none. */
bool picture_extent(const struct picture *p, double *low, double *high);

/* Whether all figures are integers, as counts are: their axis begins at zero and has no fractions. */
bool picture_is_whole(const struct picture *p);

/*
 * "1,234,567.89", in German "1.234.567,89"; from 2^53 on, or where it has no room, with an exponent.  In the picture's
 * arena.
 */
struct span picture_number(const struct picture *p, double v);

/* The figure as picture_number(), or by its digits. */
struct span picture_figure(const struct picture *p, size_t series, size_t i);
struct span picture_x(const struct picture *p, size_t i);
