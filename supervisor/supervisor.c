/* supervisor.c - a supervisor as a whole: how it begins, what its clock does, how it ends. */
#include <stdlib.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/mem.h"
#include "supervisor/errand.h"
#include "supervisor/events.h"
#include "supervisor/children.h"
#include "supervisor/doctor.h"
#include "supervisor/household.h"
#include "supervisor/orphans.h"
#include "supervisor/password.h"
#include "supervisor/reach.h"
#include "supervisor/state_dir.h"
#include "supervisor/synced.h"
#include "supervisor/wiring.h"

void
supervisor_init(struct supervisor *sup)
{
	*sup = (struct supervisor){ .project_fd = -1, .state_fd = -1, .lock_fd = -1, .local_fd = -1, .signal_fd = -1,
		.log = log_file_closed, .started_ns = clock_ns(),
		.started_unix_ms = clock_unix_ms(), .metrics = metrics_new() };
	TAILQ_INIT(&sup->children);
	TAILQ_INIT(&sup->links);
	TAILQ_INIT(&sup->passwords);
	sup->go_on = children_go_on;
}

static void
supervisor_tick(evutil_socket_t fd, short what, void *arg)
{
	struct supervisor *sup = arg;
	uint64_t now = clock_ns();

	(void)fd, (void)what;
	children_tick(sup, now);
	errands_tick(sup->commits, now);
	errands_tick(sup->fetches, now);
	for (size_t i = 0; i < 1 + SUPERVISOR_ISSUERS; i++)
		errands_tick(sup->identities[i], now);
	doctor_tick(sup, now);
	if (now - sup->measured_ns >= SUPERVISOR_MEASURE_MS * CLOCK_MS) {
		sup->measured_ns = now;
		wiring_measure(sup);
	}
	household_tick(sup, now);
	orphans_reap(sup);
	log_file_tick(&sup->log);
	state_dir_keepalive(sup, now);
	synced_tick(sup, now);
}

void
supervisor_watch_clock(struct supervisor *sup)
{
	const struct timeval interval = { .tv_usec = SUPERVISOR_TICK_MS * 1000 };

	sup->on_tick = mem_must(event_new(sup->base, -1, EV_PERSIST, supervisor_tick, sup));
	event_add(sup->on_tick, &interval);
}

static void
supervisor_close_errands(struct supervisor *sup)
{
	bool any = sup->commits != NULL || sup->fetches != NULL;

	errands_close(sup->commits);
	errands_close(sup->fetches);
	sup->commits = sup->fetches = NULL;
	for (size_t i = 0; i < 1 + SUPERVISOR_ISSUERS; i++) {
		any = any || sup->identities[i] != NULL;
		errands_close(sup->identities[i]);
		sup->identities[i] = NULL;
	}
	if (any)
		orphans_reap_last(sup);
}

void
supervisor_fini(struct supervisor *sup)
{
	struct child *c;

	while ((c = TAILQ_FIRST(&sup->children)) != NULL)
		child_free(c);
	doctor_close(sup);
	password_close(sup);
	reach_close(sup);
	supervisor_close_errands(sup);
	free(sup->provider.issuer);
	free(sup->provider.token_endpoint);
	free(sup->provider.jwks_uri);
	for (size_t i = 0; i < SUPERVISOR_ISSUERS; i++) {
		free(sup->issuers[i].issuer);
		free(sup->issuers[i].token_endpoint);
		free(sup->issuers[i].jwks_uri);
	}
	events_close(sup);
	drop_event(&sup->on_tick);
	if (sup->base != NULL)
		event_base_free(sup->base);
	sup->base = NULL;
	for (unsigned i = 0; i < IPC_ROLES; i++)
		buf_fini(&sup->tools[i]);
	free(sup->states);
	ended_free(sup->sessions);
	metrics_free(sup->metrics);
	log_file_close(&sup->log);
}
