#include <stdio.h>
#include <string.h>

#include "demo/vocabulary.h"
#include "demo/calendar.h"
#include "demo/people.h"
#include "demo/warehouse.h"

const struct region demo_regions[NREGIONS] = {
	[REGION_DE] = { "DE", "Deutschland", "DACH", "EUR", "Europe/Berlin", 190, 430 },
	[REGION_AT] = { "AT", "Österreich", "DACH", "EUR", "Europe/Vienna", 200, 110 },
	[REGION_CH] = { "CH", "Schweiz", "DACH", "CHF", "Europe/Zurich", 81, 90 },
	[REGION_NL] = { "NL", "Nederland", "Benelux", "EUR", "Europe/Amsterdam", 210, 80 },
	[REGION_BE] = { "BE", "België / Belgique", "Benelux", "EUR", "Europe/Brussels", 210, 40 },
	[REGION_FR] = { "FR", "France", "France", "EUR", "Europe/Paris", 200, 70 },
	[REGION_GB] = { "GB", "United Kingdom", "UK & Ireland", "GBP", "Europe/London", 200, 80 },
	[REGION_DK] = { "DK", "Danmark", "Nordics", "DKK", "Europe/Copenhagen", 250, 40 },
	[REGION_SE] = { "SE", "Sverige", "Nordics", "SEK", "Europe/Stockholm", 250, 40 },
	[REGION_US] = { "US", "United States", "North America", "USD", "America/New_York", 0, 20 },
	[REGION_IT] = { "IT", "Italia", "Southern Europe", "EUR", "Europe/Rome", 220, 0 },	/* not opened yet */
};

static const char *const segments[] = { "consumer", "business", "reseller", NULL };
static const char *const sources[] = { "google", "meta", "affiliate", "newsletter", "word_of_mouth", "fair", NULL };

int64_t
fx_rate(int region, int day)
{
	static const struct {
		const char *currency;
		int64_t rate;
		int swing;
	} base[] = { { "CHF", 9520, 14 }, { "GBP", 8480, 11 }, { "DKK", 74600, 3 }, { "SEK", 113500, 180 },
		{ "USD", 10850, 35 } };
	int year, month, mday, step;
	size_t i;

	day_split(day, &year, &month, &mday);
	step = (year * 12 + month) * 7 % 11 - 5; /* a small variation per month, not a market model */
	for (i = 0; i < COUNT(base); i++)
		if (strcmp(base[i].currency, demo_regions[region].currency) == 0)
			return base[i].rate + (int64_t)base[i].swing * step;
	return 10000;
}

static void
found_regions(struct world *w)
{
	int year, month, mday, day, i;

	for (i = 0; i < NREGIONS; i++) {
		const struct region *r = &demo_regions[i];

		world_put(w, REGIONS, "ittttti", (int64_t)i + 1, r->code, r->name, r->area, r->currency, r->zone,
		    (int64_t)r->vat);
	}
	for (day = w->first; day <= w->last; day++) {
		day_split(day, &year, &month, &mday);
		if (mday != 1)
			continue;
		for (i = 0; i < NREGIONS; i++)
			if (strcmp(demo_regions[i].currency, "EUR") != 0)
				world_put(w, FX_RATES, "ytd", day, demo_regions[i].currency,
				    (double)fx_rate(i, day) / 10000.0);
	}
}

/* Other files rely on the employee ids of a team: 1 the head, 2-5 leads, then the teams. */
static void
found_employees(struct world *w)
{
	static const struct {
		const char *team, *role;
		int manager, n;
	} posts[] = {
		{ "management", "Geschäftsführerin", 0, 1 },
		{ "sales", "Head of Sales", 1, 1 },
		{ "support", "Head of Customer Care", 1, 1 },
		{ "marketing", "Head of Marketing", 1, 1 },
		{ "operations", "Lagerleitung", 1, 1 },
		{ "sales", "Sales Representative", 2, 6 },
		{ "sales", "Account Manager", 2, 3 },
		{ "support", "Support Agent", 3, 8 },
		{ "marketing", "Campaign Manager", 4, 2 },
	};
	static const int leave[] = { 7, 12, 18 };
	const char *last;
	char name[128];
	int64_t id = 0;
	size_t i, k;
	int n, hired, left;

	for (i = 0; i < COUNT(posts); i++) {
		for (n = 0; n < posts[i].n; n++) {
			id++;
			last = words_last[below(w, (uint32_t)words_nlast)];
			snprintf(name, sizeof(name), "%s %s", words_first[below(w, (uint32_t)words_nfirst)], last);
			hired = w->first - between(w, 30, 2800);
			left = 0;
			for (k = 0; k < COUNT(leave); k++)
				if (leave[k] == (int)id)
					left = w->first + between(w, 200, 640);
			world_put(w, EMPLOYEES, "itttioyy", id, name, posts[i].team, posts[i].role,
			    (int64_t)(chance(w, 800) ? REGION_DE : between(w, REGION_AT, REGION_GB)) + 1,
			    (int64_t)posts[i].manager, hired, left);
		}
	}
}

static void
mail_address(struct world *w, char *out, size_t cap, const char *first, const char *last, bool test)
{
	static const char *const hosts[] = { "example.com", "example.org", "example.net", "mail.example",
		"post.example" };
	char name[96];
	size_t n = 0, i;
	const char *parts[2] = { first, last }, *host;

	for (i = 0; i < 2; i++) {
		const char *p;

		for (p = parts[i]; *p != '\0' && n + 2 < sizeof(name); p++)
			if ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z'))
				name[n++] = (char)(*p | 0x20);
		if (i == 0)
			name[n++] = '.';
	}
	name[n] = '\0';
	host = test ? "qa.lodenfels.example" : hosts[below(w, COUNT(hosts))];
	snprintf(out, cap, "%s%d@%s", name, between(w, 1, 999), host);
}

/* A second account of an earlier customer, later merged into the first. */
static int64_t
merge_target(struct world *w, const struct customer *c)
{
	int other;

	if (c->test || w->ncustomers < 100 || !chance(w, 16))
		return 0;
	other = (int)below(w, (uint32_t)w->ncustomers);
	return w->customers[other].gone_day == 0 && !w->customers[other].test ? other + 1 : 0;
}

static void
sign_up(struct world *w, int day, bool test)
{
	static const uint16_t kinds[] = { 700, 180, 55, 65 };
	static const uint16_t via[] = { 330, 240, 80, 90, 140, 40, 80 };
	const char *first = words_first[below(w, (uint32_t)words_nfirst)];
	const char *last = words_last[below(w, (uint32_t)words_nlast)];
	const char *blank;
	const struct company *firm;
	struct customer *c;
	uint16_t shares[NREGIONS];
	char number[16], name[128], mail[160], company[128];
	int64_t at = moment_of(w, day), target, deleted = 0;
	const char *source;
	bool no_mail;
	int i, born, consents;

	if (w->ncustomers >= CUSTOMERS_MAX)
		return;
	c = &w->customers[w->ncustomers];
	for (i = 0; i < NREGIONS; i++)
		shares[i] = demo_regions[i].weight;
	*c = (struct customer){ .region = (int)weighted(w, shares, NREGIONS), .test = test };
	c->kind = test ? 0 : (int)weighted(w, kinds, COUNT(kinds));
	if ((c->kind == 1 && chance(w, 400)) || c->kind == 2)
		c->manager = between(w, 12, 14);

	target = merge_target(w, c);
	if (target != 0)
		c->gone_day = day + between(w, 20, 200);
	else if (!test && day < w->last - 60 && chance(w, 28)) {
		c->gone_day = day + between(w, 40, 500);
		if (c->gone_day <= w->last)
			deleted = moment_of(w, c->gone_day);
		else
			c->gone_day = 0;
	}

	snprintf(number, sizeof(number), "K-%06d", 100000 + w->ncustomers * 7);
	blank = chance(w, 12) ? "  " : " "; /* as if typed by hand */
	snprintf(name, sizeof(name), "%s%s%s%s", first, blank, last, blank[1] != '\0' ? " " : "");
	mail_address(w, mail, sizeof(mail), first, last, test);
	if (test)
		snprintf(name, sizeof(name), "%s", words_testers[below(w, (uint32_t)words_ntesters)]);
	firm = &words_companies[below(w, (uint32_t)words_ncompanies)];
	snprintf(company, sizeof(company), "%s%s%s", firm->before, last, firm->after);
	consents = chance(w, 430);
	born = deleted == 0 && c->kind == 0 && chance(w, 550) ? between(w, 1948, 2006) : 0;
	source = sources[weighted(w, via, COUNT(via))];
	no_mail = deleted != 0 || chance(w, 15);
	world_put(w, CUSTOMERS,
	    "ittttt"
	    "imtob"
	    "obom",
	    (int64_t)w->ncustomers + 1, number, deleted != 0 ? "gelöscht" : name, no_mail ? NULL : mail,
	    c->kind == 1 || c->kind == 2 ? company : NULL, segments[c->kind], (int64_t)c->region + 1, at, source,
	    (int64_t)born, consents, (int64_t)c->manager, (int)test, target, deleted);
	w->ncustomers++;
}

void
people_found(struct world *w)
{
	int i;

	found_regions(w);
	found_employees(w);
	for (i = 0; i < 14; i++)
		sign_up(w, w->first - between(w, 20, 900), true);
	for (i = 0; i < 520; i++)
		sign_up(w, w->first - 1 - (520 - i) * 2 - between(w, 0, 1), false);
}

void
people_day(struct world *w, int day)
{
	static const int by_month[12] = { 22, 22, 28, 32, 36, 36, 30, 28, 26, 26, 38, 34 };
	int year, month, mday, expected;

	day_split(day, &year, &month, &mday);
	expected = by_month[month - 1] * (1000 + (day - w->first) / 2) / 1000; /* tenths of a customer */
	for (; expected > 0; expected -= 10)
		if (below(w, 10) < (uint32_t)expected)
			sign_up(w, day, false);
}

/* Newer customers and a loyal fifth of the older ones buy most. */
int
people_pick(struct world *w, int day)
{
	int tries, at;

	for (tries = 0; tries < 50; tries++) {
		uint32_t n = (uint32_t)w->ncustomers;

		if (chance(w, 18))
			return between(w, 0, 13); /* the test accounts */
		at = chance(w, 350) ? (int)(n - 1 - below(w, n < 150 ? n : 150)) :
		    chance(w, 500)  ? (int)(below(w, n / 5) * 5) :
				      (int)below(w, n);
		if (w->customers[at].gone_day == 0 || w->customers[at].gone_day > day)
			return at;
	}
	return 14;
}

static void
addresses(struct world *w, int index)
{
	const struct customer *c = &w->customers[index];
	size_t town = words_town_of(c->region, below(w, 1000));
	int from = w->first - between(w, 0, 1500), n, end;
	char street[96];

	for (n = 0; n < (chance(w, 180) ? 2 : 1); n++) {
		const char *letter = chance(w, 90) ? "a" : "", *code, *shown;
		int number = between(w, 1, 190);

		snprintf(street, sizeof(street), "%s %d%s", words_streets[below(w, (uint32_t)words_nstreets)], number,
		    letter);
		end = n == 0 && chance(w, 80) ? w->first + between(w, 0, 600) : 0;
		if (end == 0 && chance(w, 200))
			end = day_of(9999, 12, 31);
		code = chance(w, 15) ? "J" : "N";
		shown = chance(w, 20) ? NULL : street;
		world_put(w, TBL_CST_ADR,
		    "iittttt"
		    "yyt",
		    ++w->next[TBL_CST_ADR], (int64_t)index + 1, n == 0 ? "R" : "L", shown, words_towns[town].plz,
		    words_towns[town].name, demo_regions[c->region].code, from, end, code);
	}
}

static void
membership(struct world *w, int index)
{
	static const struct {
		const char *plan;
		int mrr;
	} plans[] = { { "basis", 490 }, { "plus", 990 }, { "familie", 1490 } };
	static const char *const reasons[] = { "price", "moved", "too_few_benefits", "umgezogen", NULL };
	static const uint16_t share[] = { 600, 300, 100 };
	size_t plan = weighted(w, share, COUNT(share));
	int from = between(w, w->first + 30, w->last), to = from + between(w, 25, 900);
	bool ended = to <= w->last && chance(w, 620);

	world_put(w, SUBSCRIPTIONS, "iitiyyt", ++w->next[SUBSCRIPTIONS], (int64_t)index + 1, plans[plan].plan,
	    (int64_t)plans[plan].mrr, from, ended ? to : 0, ended ? reasons[below(w, COUNT(reasons))] : NULL);
}

void
people_finish(struct world *w)
{
	int i;

	for (i = 0; i < w->ncustomers; i++) {
		if (chance(w, 880))
			addresses(w, i);
		if (w->customers[i].kind != 2 && !w->customers[i].test && chance(w, 160))
			membership(w, i);
	}
}
