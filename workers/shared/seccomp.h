/*
 * seccomp - a profile's rules as kernel filters.  libseccomp silently drops the stricter of two actions for one system
 * call in one filter.  So conditional refusals get a filter of their own, which allows by default and is loaded first
 * (the kernel takes the strictest answer of all filters).  A table that still mixes actions is refused here.
 */
#pragma once

#include "workers/shared/confine.h"
#include "policy/profiles.h"

/* Step 2: the system-call filters.  Same contract. */
int confine_calls(const struct policy_profile *p, bool best_effort,
    struct confine_report *report, struct err *err);

/*
 * For tests, which read the filters instead of loading them: build p's filters and export them as BPF, the
 * refusals (there may be none) and the main one.  *refuse_len and *main_len are set to the bytes written.  -1 on
 * failure, which includes a table that mixes actions for one call in one filter.  arch: SCMP_ARCH_*, of libseccomp.
 */
int confine_compile(const struct policy_profile *p, uint32_t arch, void *refuse, size_t *refuse_len,
    void *main_filter, size_t *main_len, size_t cap, struct err *err);
