/* pace - progress reports of a scan's long stages, and their time limit. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call;

struct pace {
	uint64_t	begun_ns, end_ns;
	size_t		total, steps;	/* steps: those that took time */
	unsigned	from, to;	/* of the call's progress */
	uint64_t	last_ns;	/* when the last step ended */
	double		step_ns;	/* smoothed duration of the latest steps */
};

/* Begins a stage of total steps, which should end some time before the call's deadline. */
void pace_begin(struct pace *p, const struct call *c, size_t total, unsigned from, unsigned to);

/* Whether too little time is left to begin another step. */
bool pace_is_up(const struct pace *p);

/* Reports a finished step; at_step: number of finished ones.  "Profiled 12 of 50 tables, about 3 min left" */
void pace_step(struct pace *p, struct call *c, const char *verb, const char *things, size_t at_step);

/* The smoothed duration of a step, after the last one took took_ns: later steps weigh more. */
double pace_smooth(double step_ns, size_t steps, uint64_t took_ns);

/*
 * "about 40 s", "about 7 s", "about 3 min", "about 2 h 10 min"; "" when elapsed_ns and steps are too small for an
 * estimate.
 */
void pace_left(uint64_t elapsed_ns, size_t steps, double step_ns, size_t left, char *out, size_t cap);
