/*
 * draw - a chart of ask_question in a terminal: bars of eighths, lines and points of Braille dots.
 */
#pragma once

#include "cli/show/picture.h"

#define DRAW_WIDTH_LEAST	16u	/* narrower terminals get this many columns */

/*
 * Append the chart, a specification of the chart_specs block, with lines no wider than width (at least
 * DRAW_WIDTH_LEAST); appends nothing without a chart.  On a narrow terminal first the bars are dropped, then parts of
 * the labels, never a figure.  colour: one colour for each series.
 */
void draw_chart(struct arena *a, struct view chart, bool german, unsigned width, bool colour, struct buf *out);
