#include "workers/auth/oauth/guesses.h"

#include <stdio.h>

#include <sodium.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "workers/auth/store/store_guess.h"

/* What is counted of an attempt. */
struct guessed {
	struct span	address, name, pair;	/* pair: the account at that address, as a single name */
	char		text[TALLY_NAME + 70], digest[2 * 16 + 2];
};

static void
fill_guessed(const struct login *l, struct guessed *g)
{
	uint8_t raw[16];

	g->address = span_str(l->address);
	g->name = span_str(l->name);
	/* Nothing that a stranger wrote but what can be a name goes into the store. */
	if (!oauth_user_fine(g->name)) {
		crypto_generichash(raw, sizeof(raw), g->name.p, g->name.len, NULL, 0);
		g->digest[0] = '?';
		sodium_bin2hex(g->digest + 1, sizeof(g->digest) - 1, raw, sizeof(raw));
		g->name = span_str(g->digest);
	}
	snprintf(g->text, sizeof(g->text), "%s %.*s", l->address, SPAN_FMT(g->name));
	g->pair = span_str(g->text);
}

static struct store_guess
shared_guess(const struct login *l, const struct guessed *g)
{
	return (struct store_guess){ .address = g->address, .name = g->name, .owner = l->owner,
		.most = OAUTH_WRONG_MAX, .span_s = OAUTH_WRONG_S, .delay_s = TALLY_DELAY_MAX };
}

static unsigned
wait_here(struct auth_oauth *o, const struct login *l, const struct guessed *g, uint64_t now_ns)
{
	unsigned here = tally_wait(o->blocked, g->address, now_ns), both = tally_wait(o->blocked, g->pair, now_ns);

	if (here != 0 || both != 0)
		return here > both ? here : both;
	/* Guesses that come from ever other addresses; they keep the owner out for no moment. */
	if (!l->owner && (both = tally_delay(o->failed_names, g->name, now_ns)) != 0)
		return both;
	/* Attempts in progress count as wrong: with the limit of them, wait. */
	if (tally_count(o->wrong_addresses, g->address, now_ns) >= OAUTH_WRONG_MAX ||
	    (tally_count(o->wrong_names, g->name, now_ns) >= OAUTH_WRONG_MAX &&
		tally_count(o->wrong_pairs, g->pair, now_ns) > 0))
		return 1;
	tally_add(o->wrong_addresses, g->address, now_ns);
	tally_add(o->wrong_names, g->name, now_ns);
	tally_add(o->wrong_pairs, g->pair, now_ns);
	return 0;
}

int
guesses_begin(struct auth *a, const struct login *l, unsigned *wait, struct err *err)
{
	struct guessed g;
	struct store_guess guess;

	fill_guessed(l, &g);
	guess = shared_guess(l, &g);
	if (store_is_shared(a->store))
		return store_guess_begin(a->store, &guess, wait, err);
	*wait = wait_here(a->oauth, l, &g, clock_ns());
	return 0;
}

void
guesses_right(struct auth *a, const struct login *l)
{
	struct auth_oauth *o = a->oauth;
	uint64_t now = clock_ns();
	struct store_guess guess;
	struct guessed g;
	struct err err;

	fill_guessed(l, &g);
	guess = shared_guess(l, &g);
	if (store_is_shared(a->store)) {
		if (store_guess_right(a->store, &guess, &err) != 0)
			log_warn("a right password stays counted as a wrong one: %s", err.message);
		return;
	}
	tally_take_back(o->wrong_addresses, g.address, now);
	tally_take_back(o->wrong_names, g.name, now);
	tally_take_back(o->wrong_pairs, g.pair, now);
}

/* True: the address is blocked from now on. */
static bool
wrong_here(struct auth_oauth *o, const struct guessed *g, bool slow, uint64_t now_ns)
{
	bool blocks = tally_count(o->wrong_addresses, g->address, now_ns) >= OAUTH_WRONG_MAX &&
	    tally_wait(o->blocked, g->address, now_ns) == 0;

	if (blocks)
		tally_add(o->blocked, g->address, now_ns);
	if (tally_count(o->wrong_names, g->name, now_ns) >= OAUTH_WRONG_MAX)
		tally_add(o->blocked, g->pair, now_ns);
	if (slow)
		tally_add(o->failed_names, g->name, now_ns);
	return blocks;
}

void
guesses_wrong(struct auth *a, const struct login *l, bool slow)
{
	struct store_guess guess;
	struct guessed g;
	bool blocked = false;
	struct err err;

	fill_guessed(l, &g);
	guess = shared_guess(l, &g);
	if (!store_is_shared(a->store))
		blocked = wrong_here(a->oauth, &g, slow, clock_ns());
	else if (store_guess_wrong(a->store, &guess, slow, &blocked, &err) != 0)
		log_warn("a wrong password counts, and blocks nothing yet: %s", err.message);
	if (blocked)
		log_warn("sign-in from %s is blocked for %u minutes: too many wrong passwords", l->address,
		    OAUTH_WRONG_S / 60);
}
