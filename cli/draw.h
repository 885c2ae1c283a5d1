/*
 * draw - a chart of ask_question in a terminal: bars of eighths, lines and points of Braille dots.
 */
#ifndef CLI_DRAW_H
#define CLI_DRAW_H

#include "cli/picture.h"

#define DRAW_WIDTH_LEAST	16u	/* narrower terminals get this many columns */

/*
 * Append the chart, a specification of the chart_specs block, no line wider than width (at least
 * DRAW_WIDTH_LEAST); nothing for what is none.  What a narrow terminal has no room for is left out:
 * first the bars, then parts of the labels, never a figure.  colour: a colour a series.
 */
void draw_chart(struct arena *a, struct view chart, unsigned width, bool colour, struct buf *out);

#endif
