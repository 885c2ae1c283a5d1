#include "policy/sign_in.h"

static const struct {
	const char *code, *sentence;
} rows[SIGN_INS] = {
#define SIGN_IN(NAME, code, sentence)	{ code, sentence },
#include "policy/sign_in.def"
#undef SIGN_IN
};

bool
sign_in_is_cheap(enum sign_in reason)
{
	return reason >= SIGN_IN_STATE && reason <= SIGN_IN_LOST;
}

const char *
sign_in_code(enum sign_in reason)
{
	return rows[reason].code;
}

const char *
sign_in_sentence(enum sign_in reason)
{
	return rows[reason].sentence;
}
