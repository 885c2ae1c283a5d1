/*
 * encoding - the encodings of text files: their names, and what bytes that are not UTF-8 may be.
 *
 * Encodings other than UTF-8, UTF-16 and Windows-1252 are converted by iconv(3), which loads a library for each: that
 * is done before the confinement, which forbids it.
 */
#pragma once

#include <iconv.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/span.h"

enum encoding { ENCODING_UTF8, ENCODING_UTF16LE, ENCODING_UTF16BE, ENCODING_WINDOWS_1252, ENCODING_CONVERTED };

struct encoding_choice {
	enum encoding	 encoding;
	const char	*name;		/* as reports say it; lives as long as the process */
	iconv_t		 converter;	/* of ENCODING_CONVERTED; not owned */
	const char	*doubt;		/* why it may be another one; NULL: nothing speaks for another */
};

/* Load what encoding_guess() may choose.  Call before the confinement; without it they are loaded when needed. */
void encoding_prepare(void);

/* The encoding with this name; its converter lives until the next call.  -1: *err, it is not on this machine. */
int encoding_named(const char *name, struct encoding_choice *choice, struct err *err);

/*
 * The most probable encoding of bytes of which some are not UTF-8: UTF-8 if most characters beyond ASCII are, else
 * Windows-1252 unless they are of no Western language.
 */
struct encoding_choice encoding_guess(struct span bytes);

/* UTF-16 without its mark, told by the zeros of its ASCII characters.  False: it is not. */
bool encoding_guess_utf16(struct span bytes, struct encoding_choice *choice);
