/*
 * draw - a chart of ask_question in a terminal: bars of eighths, lines and points of Braille dots.
 */
#ifndef CLI_DRAW_H
#define CLI_DRAW_H

#include "base/arena.h"
#include "base/buf.h"
#include "cli/view.h"

/* Append the chart, a specification of the chart_specs block, no line wider than width; nothing for what is none. */
void draw_chart(struct arena *a, struct view chart, unsigned width, struct buf *out);

/* "1,234,567.89": at most two decimals, more only of what would vanish. */
void draw_number(double v, struct buf *out);

#endif
