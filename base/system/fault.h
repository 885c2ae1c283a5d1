/*
 * fault - named points where a test build can be made to fail.
 *
 * CARREL_FAULTS="sql.before_reply=crash@3,ipc.short_write" names points and
 * what happens there, at the n-th passing (default 1) or, with a trailing '*',
 * at every passing from then on.  Actions: crash (abort), kill (SIGKILL to
 * oneself), exit, eio, enospc, short, stall (sleep 60 s); a bare name acts as
 * `eio`.  Children get the setting in their environment only in test builds.
 * In release builds fault_point() is the constant FAULT_NONE and the names
 * are not in the binary.
 */
#pragma once

enum fault_action { FAULT_NONE = 0, FAULT_EIO, FAULT_ENOSPC, FAULT_SHORT };

#ifdef CARREL_FAULT_POINTS
/* The point is passed: crash, kill, exit and stall are carried out here, other actions are returned. */
enum fault_action fault_point(const char *name);
#else
#define fault_point(name)	FAULT_NONE
#endif
