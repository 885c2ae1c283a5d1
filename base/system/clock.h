/* clock - monotonic nanoseconds for deadlines, UTC for people. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define CLOCK_SECOND	UINT64_C(1000000000)
#define CLOCK_MS	UINT64_C(1000000)

/* CLOCK_MONOTONIC in nanoseconds; comparable between processes of one machine. */
uint64_t clock_ns(void);

/* The same by CLOCK_BOOTTIME, which goes on while the machine is suspended: for what another machine relies on. */
uint64_t clock_boot_ns(void);

/* Unix time in milliseconds. */
uint64_t clock_unix_ms(void);

/* "2026-01-31T12:34:56.789Z" into out (at least 25 bytes), NUL-terminated. */
void clock_iso8601(uint64_t unix_ms, char out[25]);
