/* bpf - what the kernel does with a seccomp filter, so that a test can ask about every call. */
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Run a classic BPF program over one call: the action word it returns.
 * Aborts on what the kernel would not have loaded: a jump out of the program,
 * an unaligned or foreign load, an unknown instruction.
 */
uint32_t bpf_run(const struct sock_filter *program, size_t n, const struct seccomp_data *call);

/* The stricter of two actions, by the kernel's order. */
uint32_t bpf_stricter(uint32_t a, uint32_t b);
