/*
 * err - why a request failed, passed from the worker to the client.  A function whose failure the
 * client will be told takes a struct err * as last argument, returns 0 or -1, and sets it exactly when
 * it returns -1.  Lower layers return an enum of their own (enum ipc_fault); the first function that
 * knows the request translates.
 */
#pragma once

enum err_code {
	ERR_NONE = 0,
#define ERROR(NAME, number, code, http, text)	ERR_##NAME = number,
#include "base/err.def"
#undef ERROR
};

#define ERR_CODE_MAX	30	/* the highest number in err.def */

struct err {
	enum err_code	code;
	char		message[1024];	/* for the caller: no paths, no credentials */
	char		detail[256];	/* for our log only; never leaves the process */
};

/*
 * Fill *e and return -1, so that failing is one statement:
 *
 *	return err_set(e, ERR_BUSY, "all %u workers are busy", n);
 *
 * e may be NULL when the caller only wants to know that it failed.  A message
 * too long for the field is cut at a UTF-8 character boundary.
 */
int err_set(struct err *e, enum err_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Add detail that only our log may show; returns -1 as err_set() does. */
int err_detail(struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The names of the code on each surface.  Total: an unknown code maps as INTERNAL. */
int err_http(enum err_code code);
const char *err_name(enum err_code code);
const char *err_text(enum err_code code);

/* The code with this name; ERR_NONE if no row has it. */
enum err_code err_from_name(const char *name);
