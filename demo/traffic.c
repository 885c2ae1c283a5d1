#include <stdio.h>

#include "demo/calendar.h"
#include "demo/people.h"
#include "demo/traffic.h"
#include "demo/warehouse.h"

struct campaign {
	const char	*name, *source;
	int		 spend;		/* euro cents a day at the start; 0: free */
	int		 click_ct;	/* cost of a click */
	uint16_t	 share;		/* of the sessions */
};

static const struct campaign campaigns[] = {
	{ "brand_search", "google", 2600, 38, 150 },
	{ "generic_search", "google", 7400, 92, 160 },
	{ "meta_prospecting", "meta", 5200, 64, 130 },
	{ "meta_retargeting", "meta", 2100, 45, 70 },
	{ "partner_blogs", "affiliate", 1800, 55, 60 },
	{ "bergpost", "newsletter", 0, 0, 90 },
};
#define NCAMPAIGNS	COUNT(campaigns)

static const char *const paths[] = { "/", "/zelte", "/rucksaecke", "/bekleidung", "/sale", "/blog/packliste",
	"/p/zt-204", "/p/be-200", "/bergclub", "/versand" };
static const char *const devices[] = { "mobile", "desktop", "tablet", NULL };

static void
put_session(struct world *w, int day, int64_t at, int64_t customer, int64_t order)
{
	static const uint16_t device_share[] = { 560, 340, 70, 30 };
	uint16_t shares[NCAMPAIGNS + 1], countries[NREGIONS];
	bool bot = order == 0 && chance(w, 82), bounced;
	const struct campaign *from;
	char visitor[24];
	const char *country, *device, *path;
	size_t i, pick;
	int region, pages, seconds;
	int64_t ms;

	for (i = 0; i < NCAMPAIGNS; i++)
		shares[i] = campaigns[i].share;
	shares[NCAMPAIGNS] = 340; /* direct or unknown origin */
	for (i = 0; i < NREGIONS; i++)
		countries[i] = demo_regions[i].weight;
	countries[REGION_IT] = 12; /* visitors, but no orders yet */
	pick = bot ? NCAMPAIGNS : weighted(w, shares, COUNT(shares));
	from = pick < NCAMPAIGNS ? &campaigns[pick] : NULL;
	region = customer != 0 ? w->customers[customer - 1].region : (int)weighted(w, countries, NREGIONS);
	bounced = order == 0 && chance(w, bot ? 900 : 410);
	pages = bounced ? 1 : bot ? between(w, 30, 400) : between(w, 2, order != 0 ? 24 : 14);
	snprintf(visitor, sizeof(visitor), "%012llx",
	    (unsigned long long)UINT64_C(0x9e3779b97f4b) *
		    (customer != 0 && chance(w, 800) ? (uint64_t)customer : 5000 + below(w, 40000)) &
		UINT64_C(0xffffffffffff));
	country = chance(w, 25) ? NULL : demo_regions[region].code;
	device = bot ? NULL : devices[weighted(w, device_share, COUNT(devices))];
	path = paths[below(w, COUNT(paths))];
	seconds = bounced ? 0 : pages * between(w, 8, bot ? 9 : 55);
	ms = at * 1000 + (int64_t)below(w, 1000);
	world_put(w, WEB_SESSIONS,
	    "itoi"
	    "yoi"
	    "ttttt"
	    "bo",
	    ++w->next[WEB_SESSIONS], visitor, customer, ms, day, (int64_t)seconds, (int64_t)pages, path,
	    from != NULL ? from->source : NULL, from != NULL ? from->name : NULL, device, country, (int)bot, order);
}

static void
put_spend(struct world *w, int day)
{
	size_t i;

	for (i = 0; i < NCAMPAIGNS; i++) {
		const struct campaign *c = &campaigns[i];
		int spend = c->spend * (100 + (day - w->first) * 30 / 730) / 100 * between(w, 80, 120) / 100;

		if (c->spend == 0) {
			if (weekday_of(day) == 3) /* the newsletter goes out on Thursdays */
				world_put(w, MARKETING_SPEND, "yttdnn", day, c->name, c->source, 0.0);
			continue;
		}
		if (c->click_ct == 55 && weekday_of(day) > 4)
			continue; /* partners are not paid for weekends */
		world_put(w, MARKETING_SPEND, "yttdii", day, c->name, c->source, (double)spend / 100.0,
		    (int64_t)spend / c->click_ct * between(w, 18, 60), (int64_t)spend / c->click_ct);
	}
}

void
traffic_day(struct world *w, int day)
{
	int broken = day_parse(STORY_TRACKING), i, n;
	bool lost = day >= broken && day < broken + 7;

	put_spend(w, day);
	for (i = 0; i < w->ntoday; i++)
		if (w->today[i].online && chance(w, lost ? 80 : 870))
			put_session(w, day, w->today[i].at - between(w, 120, 1500), w->today[i].customer,
			    w->today[i].id);
	n = w->ntoday * 2 + between(w, 15, 35);
	if (lost)
		n /= 8;
	while (n-- > 0) {
		int64_t customer = chance(w, 170) ? people_pick(w, day) + 1 : 0;

		put_session(w, day, moment_of(w, day), customer, 0);
	}
}
