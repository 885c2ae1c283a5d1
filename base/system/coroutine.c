#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/system/coroutine.h"
#include "base/mem.h"

#if defined(__SANITIZE_ADDRESS__)
#define WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WATCHED 1
#endif
#endif

#ifdef WATCHED
#include <sanitizer/common_interface_defs.h>
#endif

struct coroutine {
	uint8_t *memory; /* the guard, and the stack behind it */
	void *stack;
	size_t guard; /* bytes that must not be touched */
	ucontext_t own, caller;
	void (*function)(void *arg);
	void *arg;
	bool ended;
	/* For the address sanitizer: the caller's stack, and the saved state of both stacks. */
	const void *caller_stack;
	size_t caller_size;
	void *caller_kept, *own_kept;
};

struct coroutine *
coroutine_new(void)
{
	struct coroutine *co = mem_new(1, sizeof(*co));
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;

	co->guard = (size_t)sysconf(_SC_PAGESIZE);
	co->memory = mmap(NULL, co->guard + COROUTINE_STACK, PROT_NONE, flags, -1, 0);
	if (co->memory != MAP_FAILED) {
		co->stack =
		    mmap(co->memory + co->guard, COROUTINE_STACK, PROT_READ | PROT_WRITE, flags | MAP_FIXED, -1, 0);
		if (co->stack != MAP_FAILED)
			return co;
		(void)munmap(co->memory, co->guard + COROUTINE_STACK);
	}
	free(co);
	return NULL;
}

void
coroutine_free(struct coroutine *co)
{
	if (co == NULL)
		return;
	(void)munmap(co->memory, co->guard + COROUTINE_STACK);
	free(co);
}

static void
coroutine_enter(struct coroutine *co)
{
#ifdef WATCHED
	__sanitizer_start_switch_fiber(&co->caller_kept, co->stack, COROUTINE_STACK);
#endif
	(void)swapcontext(&co->caller, &co->own);
#ifdef WATCHED
	__sanitizer_finish_switch_fiber(co->caller_kept, NULL, NULL);
#endif
}

static void
coroutine_leave(struct coroutine *co)
{
#ifdef WATCHED
	/* No state is saved for a coroutine that has ended. */
	__sanitizer_start_switch_fiber(co->ended ? NULL : &co->own_kept, co->caller_stack, co->caller_size);
#endif
	(void)swapcontext(&co->own, &co->caller);
#ifdef WATCHED
	__sanitizer_finish_switch_fiber(co->own_kept, &co->caller_stack, &co->caller_size);
#endif
}

/* makecontext(3) passes ints only: a pointer comes in two. */
static void
coroutine_main(unsigned high, unsigned low)
{
	struct coroutine *co;
	uintptr_t both = (uintptr_t)((uint64_t)high << 32 | low);

	co = (struct coroutine *)both; /* NOLINT(performance-no-int-to-ptr) */
#ifdef WATCHED
	__sanitizer_finish_switch_fiber(NULL, &co->caller_stack, &co->caller_size);
#endif
	co->function(co->arg);
	co->ended = true;
	coroutine_leave(co);
}

bool
coroutine_start(struct coroutine *co, void (*function)(void *arg), void *arg)
{
	uint64_t both = (uintptr_t)co;

	co->function = function;
	co->arg = arg;
	co->ended = false;
	if (getcontext(&co->own) != 0)
		abort();
	co->own.uc_stack.ss_sp = co->stack;
	co->own.uc_stack.ss_size = COROUTINE_STACK;
	co->own.uc_link = NULL;
	makecontext(&co->own, (void (*)(void))coroutine_main, 2, (unsigned)(both >> 32), (unsigned)both);
	coroutine_enter(co);
	return co->ended;
}

bool
coroutine_resume(struct coroutine *co)
{
	coroutine_enter(co);
	return co->ended;
}

void
coroutine_yield(struct coroutine *co)
{
	coroutine_leave(co);
}
