/* bpf.c - see bpf.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sandbox/bpf.h"

#define MEMORY	16

struct machine {
	uint32_t	a, x, memory[MEMORY];
	size_t		pc;
};

static void
must(int ok, const char *what, size_t pc)
{
	if (ok)
		return;
	fprintf(stderr, "bpf: %s at instruction %zu\n", what, pc);
	abort();
}

static uint32_t
operate(uint16_t code, uint32_t a, uint32_t b, size_t pc)
{
	switch (BPF_OP(code)) {
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_AND:
		return a & b;
	case BPF_OR:
		return a | b;
	case BPF_XOR:
		return a ^ b;
	case BPF_LSH:
		return b < 32 ? a << b : 0;
	case BPF_RSH:
		return b < 32 ? a >> b : 0;
	default:
		must(0, "unknown arithmetic", pc);
		return 0;
	}
}

static int
holds(uint16_t code, uint32_t a, uint32_t b, size_t pc)
{
	switch (BPF_OP(code)) {
	case BPF_JEQ:
		return a == b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JSET:
		return (a & b) != 0;
	default:
		must(0, "unknown jump", pc);
		return 0;
	}
}

static uint32_t
load(const struct sock_filter *i, const struct machine *m, const struct seccomp_data *call)
{
	uint32_t word;

	switch (BPF_MODE(i->code)) {
	case BPF_IMM:
		return i->k;
	case BPF_MEM:
		must(i->k < MEMORY, "load outside memory", m->pc);
		return m->memory[i->k];
	case BPF_ABS:
		must(BPF_CLASS(i->code) == BPF_LD && BPF_SIZE(i->code) == BPF_W && i->k % 4 == 0 &&
			i->k <= sizeof(*call) - sizeof(word),
		    "foreign load", m->pc);
		memcpy(&word, (const uint8_t *)call + i->k, sizeof(word));
		return word;
	default:
		must(0, "unknown load", m->pc);
		return 0;
	}
}

static void
jump(const struct sock_filter *i, struct machine *m)
{
	if (BPF_OP(i->code) == BPF_JA)
		m->pc += i->k;
	else
		m->pc += holds(i->code, m->a, BPF_SRC(i->code) == BPF_X ? m->x : i->k, m->pc) ? i->jt : i->jf;
}

uint32_t
bpf_run(const struct sock_filter *program, size_t n, const struct seccomp_data *call)
{
	struct machine m = { .pc = 0 };

	for (;;) {
		const struct sock_filter *i;

		must(m.pc < n, "ran out of the program", m.pc);
		i = &program[m.pc++];
		switch (BPF_CLASS(i->code)) {
		case BPF_LD:
			m.a = load(i, &m, call);
			break;
		case BPF_LDX:
			m.x = load(i, &m, call);
			break;
		case BPF_ST:
		case BPF_STX:
			must(i->k < MEMORY, "store outside memory", m.pc);
			m.memory[i->k] = BPF_CLASS(i->code) == BPF_ST ? m.a : m.x;
			break;
		case BPF_ALU:
			m.a = operate(i->code, m.a, BPF_SRC(i->code) == BPF_X ? m.x : i->k, m.pc);
			break;
		case BPF_JMP:
			jump(i, &m);
			break;
		case BPF_RET:
			return BPF_RVAL(i->code) == BPF_A ? m.a : i->k;
		case BPF_MISC:
			if (BPF_MISCOP(i->code) == BPF_TAX)
				m.x = m.a;
			else
				m.a = m.x;
			break;
		default:
			must(0, "unknown instruction", m.pc);
		}
	}
}

uint32_t
bpf_stricter(uint32_t a, uint32_t b)
{
	/* The kernel compares the action words as signed numbers: KILL_PROCESS is the most negative. */
	return (int32_t)(a & SECCOMP_RET_ACTION_FULL) <= (int32_t)(b & SECCOMP_RET_ACTION_FULL) ? a : b;
}
