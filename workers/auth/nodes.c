#include <stdio.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "workers/auth/lease.h"
#include "workers/auth/limits_shared.h"
#include "workers/auth/change.h"
#include "workers/auth/nodes.h"
#include "workers/auth/store/store_loss.h"
#include "workers/shared/call.h"

#define LOOK_MS		10
#define HEARD_NS	(5 * CLOCK_SECOND)	/* beyond a lease: longer than a front takes to cut off */

static int
record_loss(struct auth *a, const char *note, struct err *err)
{
	if (store_begin(a->store, err) != 0)
		return -1;
	return change_end(a,
	    change_record(a, NULL, AUDIT_ACTION_STORE_LOSS, note, err) == 0 ? store_loss_forget_note(a->own, err) : -1,
	    err);
}

/* Put on record what was ended again when the node connected (store_loss.h), once in this process's life. */
static void
tell_loss(struct auth *a)
{
	struct buf note = BUF_MAX(256);
	struct err err;
	int found = store_loss_noted(a->own, &note, &err);

	a->loss_told = found == 0 || (found == 1 && record_loss(a, buf_cstr(&note), &err) == 0);
	if (!a->loss_told)
		log_error("that the loss of commits was accepted is not on record yet: %s", err.message);
	buf_fini(&note);
}

/*
 * One node writes the project: the first that came, and after it the first to see that it is gone or drained.  The
 * one before may go on until its lease is over, or hear of its end a moment later: the next one waits for a lease.
 */
static void
tend_writing(struct auth *a)
{
	struct store_writer w = store_writer(a->store);
	uint64_t now = clock_boot_ns();
	bool first = w.name[0] == '\0';
	struct err err;

	if (w.drained || (!w.own && w.there))
		a->writes_ns = 0;
	else if (w.own)
		a->writes_ns = a->writes_ns == 0 ? now : a->writes_ns;
	else if (store_writer_take(a->store, &err) == 1) {
		a->writes_ns = first ? now : now + a->conf.lease_ms * CLOCK_MS;
		log_info("this node writes the project's files from now on");
	}
}

bool
nodes_may_write(const struct auth *a)
{
	return a->writes_ns != 0 && clock_boot_ns() >= a->writes_ns;
}

/* What other nodes say to all. */
static void
take_words(struct auth *a)
{
	static const char wanted[] = "wanted ", block[] = "block ";
	const char *word;

	while ((word = store_word(a->store)) != NULL)
		if (strncmp(word, wanted, strlen(wanted)) == 0)
			limits_shared_wanted(a, span_str(word + strlen(wanted)), clock_ns());
		else if (strncmp(word, block, strlen(block)) == 0)
			limits_shared_block(a, word + strlen(block), clock_ns());
}

void
nodes_tend(struct auth *a)
{
	take_words(a);
	if (a->store != a->own && store_lease_ms(a->store) != 0)
		tend_writing(a);
	if (!a->loss_told && a->store != a->own)
		tell_loss(a);
	if (a->acts_on == 0 || !lease_is_earned(a) || !fronts_all_ended(&a->fronts))
		return;
	store_acted(a->store, a->acts_on);
	a->acts_on = 0;
}

void
nodes_wait(struct call *c)
{
	struct auth *a = call_state(c);
	struct store_heard *heard = &a->fronts.total.heard;
	struct store_change change = store_latest(a->store); /* the call's own: later ones are not waited for */
	uint64_t until = clock_ns() + HEARD_NS + a->conf.lease_ms * CLOCK_MS;
	struct err err;

	while (store_heard_of(a->store, &change, heard, &err) == 0 &&
	    (heard->waiting[0] != '\0' || heard->incomplete) && clock_ns() < until &&
	    call_wait(c, -1, false, LOOK_MS, &err))
		a->tend(a); /* this node's own lease, and what others end meanwhile */
	if (heard->waiting[0] != '\0')
		log_warn("a change was not confirmed by other nodes: %s", heard->waiting);
}

void
nodes_put(const struct store_heard *heard, struct buf *out)
{
	char says[3 * STORE_NAMES];
	int used;

	if (heard->nodes == 0)
		return;
	used = snprintf(says, sizeof(says), "ended on %u of %u nodes after %.1f s", heard->heard, heard->nodes,
	    (double)heard->after_ms / 1000);
	if (heard->away[0] != '\0')
		used += snprintf(says + used, sizeof(says) - (size_t)used,
		    "; without a lease, and so deciding nothing before it has heard of this: %s", heard->away);
	if (heard->waiting[0] != '\0')
		(void)snprintf(says + used, sizeof(says) - (size_t)used,
		    "; NOT CONFIRMED, and so possibly still honoured: on %s; stop carrel there, or end its sessions of "
		    "the "
		    "state store",
		    heard->waiting);
	mp_put_pairs(out, mp_uint("all", heard->nodes), mp_uint("ended", heard->heard), mp_cstr("away", heard->away),
	    mp_cstr("waiting", heard->waiting), mp_uint("after_ms", heard->after_ms), mp_cstr("message", says));
}
