/* sign_in - why a sign-in at the organization's identity provider is refused: sign_in.def as an enum and its texts. */
#pragma once

#include <stdbool.h>

enum sign_in {
#define SIGN_IN(NAME, code, sentence)	SIGN_IN_##NAME,
#include "policy/sign_in.def"
#undef SIGN_IN
	SIGN_INS
};

/* Whether anybody can cause the refusal, without an identity at the provider. */
bool sign_in_is_cheap(enum sign_in reason);

const char *sign_in_code(enum sign_in reason);
const char *sign_in_sentence(enum sign_in reason);
