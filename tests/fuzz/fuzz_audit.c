// libs: carrel_project carrel_base sodium
/*
 * fuzz_audit.c - an export of an audit is whatever a file has: it is checked to its end, by itself and against another
 * one, and no checkpoint of it is taken for one of a key that signed none.  The first byte says where the second export
 * begins.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mp.h"
#include "project/audit_cross.h"
#include "tests/fuzz/fuzz.h"

struct checked {
	struct audit_check		check;
	struct audit_cross_chain	*chain;
	uint64_t			problems;
};

static void
take_problem(void *arg, uint64_t seq, enum audit_problem_kind kind, const char *message)
{
	(void)seq;
	if (kind > AUDIT_HEAD || message[0] == '\0')
		abort();
	((struct checked *)arg)->problems++;
}

static void
take_checkpoint(void *arg, uint64_t seq, const uint8_t hash[AUDIT_HASH], enum audit_trust trust,
    const struct mp_value *policy)
{
	struct checked *c = arg;

	if (c->check.expected.has_key && trust != AUDIT_UNSIGNED)
		abort();
	audit_cross_checkpoint(c->chain, seq, hash, trust, policy);
	if (trust != AUDIT_UNSIGNED && c->check.sealed)
		audit_cross_sealed(c->chain);
}

static void
take_cross(void *arg, const char *node, uint64_t seq, enum audit_problem_kind kind, const char *message)
{
	(void)arg, (void)node, (void)seq;
	if (kind > AUDIT_HEAD || message[0] == '\0')
		abort();
}

/* A line that is one is that line again. */
static void
check_line(struct audit_check *k, struct span line)
{
	struct buf text = { .max = 0 }, again = { .max = 0 };
	struct span hash = { NULL, 0 };

	if (audit_line_read(line, &text, &hash)) {
		audit_line_put(&again, buf_view(&text), hash);
		if (line.p[line.len - 1] == '\r')
			line.len--;
		if (!span_is(line, buf_view(&again)))
			abort();
		(void)audit_chain_member(buf_view(&text), "action");
		audit_check_entry(k, 0, buf_view(&text), hash);
	} else
		audit_check_entry(k, 0, (struct span){ NULL, 0 }, (struct span){ NULL, 0 });
	buf_fini(&again);
	buf_fini(&text);
}

static void
check_export(struct audit_cross *x, struct span file, const struct audit_expected *e, const char *name)
{
	struct checked c = { .check = { .expected = *e, .problem = take_problem, .checkpoint = take_checkpoint },
		.chain = audit_cross_begin(x, NULL, name) };
	const uint8_t *end;

	c.check.arg = &c;
	while (file.len > 0) {
		end = memchr(file.p, '\n', file.len);
		size_t len = end == NULL ? file.len : (size_t)(end - file.p);

		if (len > 0)
			check_line(&c.check, span_of(file.p, len));
		len += end != NULL;
		file = span_of(file.p + len, file.len - len);
	}
	audit_check_end(&c.check);
	audit_cross_ends(c.chain, &c.check, false);
	if (c.problems != c.check.problems || audit_cross_name(c.chain)[0] == '\0')
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct audit_expected any = { .whole = false },
					   others = { .whole = true, .has_key = true, .key = { 9 } };
	struct span file = size == 0 ? span_of(data, 0) : span_of(data + 1, size - 1);
	size_t half = size == 0 ? 0 : file.len * data[0] / 255;

	for (unsigned i = 0; i < 2; i++) {
		struct audit_cross *x = audit_cross_new();

		check_export(x, span_of(file.p, half), i == 0 ? &any : &others, "first");
		check_export(x, span_of(file.p + half, file.len - half), i == 0 ? &any : &others, "second");
		(void)audit_cross_keys(x, take_cross, NULL);
		(void)audit_cross_judge(x, true, take_cross, NULL);
		audit_cross_free(x);
	}
	return 0;
}
