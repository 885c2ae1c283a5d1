/*
 * wind - clocks of a program under test that the test winds forward.
 *
 *	struct wind w;
 *
 *	wind_open(&w);
 *	if (fork() == 0) {
 *		wind_take(&w);
 *		execl(program, …);
 *	}
 *	wind_on(&w, 3500);
 *
 * A program that sleeps does not wake of it: whatever makes it look at its clock lets its timers expire.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct wind {
	int			 fd;
	_Atomic uint64_t	*ahead;		/* nanoseconds */
	char			 path[48];
};

/* 0, or -1. */
static inline int
wind_open(struct wind *w)
{
	void *page;

	if ((w->fd = memfd_create("wind", MFD_CLOEXEC)) < 0 || ftruncate(w->fd, sizeof(*w->ahead)) != 0 ||
	    (page = mmap(NULL, sizeof(*w->ahead), PROT_READ | PROT_WRITE, MAP_SHARED, w->fd, 0)) == MAP_FAILED)
		return -1;
	w->ahead = page;
	snprintf(w->path, sizeof(w->path), "/proc/%d/fd/%d", (int)getpid(), w->fd);
	return 0;
}

static inline void
wind_close(struct wind *w)
{
	munmap(w->ahead, sizeof(*w->ahead));
	close(w->fd);
}

/* In the child, before it executes the program. */
static inline void
wind_take(const struct wind *w)
{
	const char *options = getenv("ASAN_OPTIONS");
	char text[512];

	/* A sanitizer would want to be the first library. */
	snprintf(text, sizeof(text), "%s%sverify_asan_link_order=0", options != NULL ? options : "",
	    options != NULL ? ":" : "");
	setenv("ASAN_OPTIONS", text, 1);
	setenv("LD_PRELOAD", BIN_DIR "/../tests/wind.so", 1);
	setenv("WIND_PAGE", w->path, 1);
}

static inline void
wind_on(const struct wind *w, unsigned ms)
{
	atomic_fetch_add(w->ahead, ms * UINT64_C(1000000));
}
