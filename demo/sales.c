#include <stdio.h>
#include <string.h>

#include "demo/calendar.h"
#include "demo/care.h"
#include "demo/people.h"
#include "demo/sales.h"
#include "demo/warehouse.h"

struct product {
	const char	*sku, *name, *category, *group;
	int		 price, cost;		/* euro cents at the start; cost 0: unknown */
	uint16_t	 weight;
	const char	*launched, *ended;	/* NULL: before the first day; never */
};

static const struct product products[] = {
	{ "ZT-101", "Trekkingzelt Fjell 2", "Tents", "Zelte", 32900, 15100, 24, NULL, NULL },
	{ "ZT-102", "Trekkingzelt Fjell 3", "Tents", "Zelte", 39900, 18700, 18, NULL, NULL },
	{ "ZT-204", "Leichtzelt Lofoten 1", "Tents", "Zelte", 27900, 11200, 26, "2024-05-15", NULL },
	{ "ZT-301", "Familienzelt Wattenmeer 5", "Tents", "Zelte", 64900, 33800, 10, NULL, NULL },
	{ "ZT-900", "Tarp 3 x 4 m", "Tents", "Zelte", 8900, 3400, 20, NULL, NULL },
	{ "SS-110", "Schlafsack Murmeltier -5", "Sleeping bags", "Schlafsäcke", 18900, 8200, 28, NULL, NULL },
	{ "SS-120", "Schlafsack Murmeltier -15", "Sleeping bags", "Schlafsäcke", 27900, 12900, 16, NULL, NULL },
	{ "SS-130", "Kinderschlafsack Igel", "Sleeping bags", "Schlafsäcke", 7900, 3100, 18, NULL, NULL },
	{ "SS-200", "Daunendecke Kamin", "Sleeping bags", "Schlafsäcke", 14900, 6600, 8, "2025-09-01", NULL },
	{ "MA-010", "Isomatte Torf", "Mats", "Matten", 3900, 1300, 34, NULL, NULL },
	{ "MA-020", "Luftmatte Wolke 7", "Mats", "Matten", 11900, 4700, 30, NULL, NULL },
	{ "MA-021", "Luftmatte Wolke 7 breit", "Mats", "Matten", 13900, 5400, 14, NULL, NULL },
	{ "RU-040", "Rucksack Harz 25", "Backpacks", "Rucksäcke", 8900, 3600, 40, NULL, NULL },
	{ "RU-055", "Rucksack Harz 55", "Backpacks", "Rucksäcke", 16900, 7300, 26, NULL, NULL },
	{ "RU-070", "Expeditionsrucksack Ortler 70", "Backpacks", "Rucksäcke", 23900, 10800, 12, NULL, NULL },
	{ "RU-005", "Hüfttasche Deich", "Backpacks", "Rucksäcke", 2900, 900, 26, NULL, NULL },
	{ "KO-001", "Gaskocher Funke", "Stoves", "Kocher", 4900, 1700, 36, NULL, NULL },
	{ "KO-002", "Spirituskocher Glut", "Stoves", "Kocher", 6900, 2700, 14, NULL, "2025-06-30" },
	{ "KO-010", "Topfset 2 l", "Stoves", "Kocher", 5900, 2100, 24, NULL, NULL },
	{ "KO-020", "Gaskartusche 230 g", "Stoves", "Kocher", 690, 310, 60, NULL, NULL },
	{ "KO-021", "Gaskartusche 450 g", "Stoves", "Kocher", 1090, 480, 44, NULL, NULL },
	{ "BE-100", "Regenjacke Hafen", "Clothing", "Bekleidung", 14900, 5600, 34, NULL, NULL },
	{ "BE-110", "Softshell Deister", "Clothing", "Bekleidung", 11900, 4300, 26, NULL, NULL },
	{ "BE-120", "Daunenjacke Zugspitze", "Clothing", "Bekleidung", 22900, 9400, 22, NULL, NULL },
	{ "BE-200", "Merino-Shirt Heide", "Clothing", "Bekleidung", 6900, 2400, 44, NULL, NULL },
	{ "BE-210", "Merino-Socken Moor", "Clothing", "Bekleidung", 1990, 620, 62, NULL, NULL },
	{ "BE-220", "Mütze Küstennebel", "Clothing", "Bekleidung", 2490, 700, 34, NULL, NULL },
	{ "BE-300", "Wanderhose Rhön", "Clothing", "Bekleidung", 9900, 3700, 30, NULL, NULL },
	{ "SC-100", "Wanderstiefel Alm", "Footwear", "Schuhe", 19900, 8900, 28, NULL, NULL },
	{ "SC-110", "Zustiegsschuh Grat", "Footwear", "Schuhe", 15900, 6900, 20, NULL, NULL },
	{ "SC-120", "Gummistiefel Priel", "Footwear", "Schuhe", 5900, 2100, 16, NULL, NULL },
	{ "LA-010", "Stirnlampe Uhu", "Lighting", "Beleuchtung", 4490, 1500, 38, NULL, NULL },
	{ "LA-011", "Stirnlampe Uhu Akku", "Lighting", "Beleuchtung", 6990, 2500, 26, "2024-09-10", NULL },
	{ "LA-020", "Zeltlaterne Glühwurm", "Lighting", "Beleuchtung", 3490, 1200, 22, NULL, NULL },
	{ "ZU-001", "Trekkingstöcke Storch", "Accessories", "Zubehör", 7900, 3000, 28, NULL, NULL },
	{ "ZU-002", "Trinkflasche 1 l", "Accessories", "Zubehör", 1990, 540, 50, NULL, NULL },
	{ "ZU-003", "Wasserfilter Quelle", "Accessories", "Zubehör", 5490, 2000, 20, "2024-11-01", NULL },
	{ "ZU-004", "Erste-Hilfe-Set", "Accessories", "Zubehör", 2990, 1100, 26, NULL, NULL },
	{ "ZU-005", "Packbeutel 3er-Set", "Accessories", "Zubehör", 2490, 760, 34, NULL, NULL },
	{ "ZU-006", "Karte & Kompass", "Accessories", "Zubehör", 3990, 0, 10, NULL, "2025-12-31" },
	{ "GU-000", "Geschenkgutschein", "Gift cards", NULL, 5000, 0, 14, NULL, NULL },
	{ "KI-001", "Kraxe Storchennest", "Kids", "Kinder", 22900, 10400, 9, NULL, NULL },
	{ "KI-002", "Kinderrucksack Fuchs", "Kids", "Kinder", 4900, 1800, 18, NULL, NULL },
	{ "KI-003", "Becherlupe", "Kids", "Kinder", 1290, 390, 12, "2026-02-15", NULL },	/* hardly sold yet */
};

#define TENT_BATCH	2	/* ZT-204 */
#define LINES_MAX	6

struct sales_line {
	size_t	product;
	int	quantity, price;
};

/* One order while its rows are written to the tables. */
struct order {
	int64_t			 id, at, delivered;
	int			 buyer, day;
	const struct customer	*c;
	const char		*channel, *status, *method;
	struct sales_line		 lines[LINES_MAX];
	int			 nlines, discount, shipping, amount, tax;
	bool			 paid;
};

static const uint16_t month_weight[12] = { 62, 60, 84, 100, 128, 130, 112, 92, 84, 80, 132, 126 };
static const uint16_t weekday_weight[7] = { 108, 98, 94, 96, 100, 92, 118 };

/* List prices are raised once; gift cards keep theirs. */
static int
price_on(size_t product, int day)
{
	int price = products[product].price;

	if (day >= day_parse(STORY_PRICES) && strcmp(products[product].category, "Gift cards") != 0)
		price = (price * 106 / 100 + 49) / 50 * 50 - 10;
	return price;
}

static bool
on_sale(struct world *w, size_t product, int day)
{
	const struct product *p = &products[product];

	return day >= (p->launched != NULL ? day_parse(p->launched) : w->first) &&
	    (p->ended == NULL || day <= day_parse(p->ended));
}

void
sales_found(struct world *w)
{
	size_t i;

	for (i = 0; i < COUNT(products); i++) {
		const struct product *p = &products[i];

		world_put(w, PRODUCTS,
		    "itttti"
		    "oyy",
		    (int64_t)i + 1, p->sku, p->name, p->category, p->group, (int64_t)price_on(i, w->last),
		    (int64_t)p->cost, p->launched != NULL ? day_parse(p->launched) : w->first - between(w, 100, 2000),
		    p->ended != NULL ? day_parse(p->ended) : 0);
	}
}

/* Black Friday: the day after the fourth Thursday in November, and its weekend. */
static bool
is_black_week(int day)
{
	int year, month, mday, thursday;

	day_split(day, &year, &month, &mday);
	thursday = day_of(year, 11, 22);
	thursday += (3 - weekday_of(thursday) + 7) % 7;
	return day >= thursday && day <= thursday + 4;
}

static int
orders_expected(struct world *w, int day)
{
	int year, month, mday, n;

	day_split(day, &year, &month, &mday);
	n = 108 + (day - w->first) * 62 / 730; /* tenths; grows by 57 % in two years */
	n = n * month_weight[month - 1] / 100 * weekday_weight[weekday_of(day)] / 100;
	if (is_black_week(day))
		n = n * 26 / 10;
	n = n * between(w, 78, 122) / 100;
	return n / 10 + (below(w, 10) < (uint32_t)(n % 10));
}

static bool
in_tent_batch(int day)
{
	int from = day_parse(STORY_TENT);

	return day >= from && day < from + 42;
}

static const char *
pick_channel(struct world *w, const struct order *o)
{
	static const char *const channels[] = { "web", "app", "marketplace", "phone" };
	static const uint16_t early[] = { 640, 150, 120, 90 }, late[] = { 520, 300, 120, 60 };

	if (o->c->kind == 2)
		return o->day >= day_parse(STORY_PORTAL) && chance(w, 850) ? "b2b_portal" : "phone";
	return channels[weighted(w, o->day - w->first < 365 ? early : late, COUNT(channels))];
}

static void
fill_basket(struct world *w, struct order *o)
{
	static const uint16_t sizes[] = { 420, 280, 160, 80, 40, 20 };
	uint16_t shares[COUNT(products)];
	int i, year, month, mday;
	size_t p;

	day_split(o->day, &year, &month, &mday);
	for (p = 0; p < COUNT(products); p++) {
		shares[p] = on_sale(w, p, o->day) ? products[p].weight : 0;
		if (strcmp(products[p].category, "Tents") == 0 && (month < 4 || month > 8))
			shares[p] /= 2;
		else if (strcmp(products[p].category, "Gift cards") == 0 && month == 12)
			shares[p] = (uint16_t)(shares[p] * 5);
	}
	if (in_tent_batch(o->day))
		shares[TENT_BATCH] = (uint16_t)(shares[TENT_BATCH] * 7); /* it was on offer as well */
	o->nlines = (int)weighted(w, sizes, COUNT(sizes)) + 1;
	for (i = 0; i < o->nlines; i++) {
		struct sales_line *l = &o->lines[i];

		l->product = weighted(w, shares, COUNT(shares));
		shares[l->product] = 0;
		l->price = price_on(l->product, o->day);
		l->quantity = o->c->kind == 2 ? between(w, 4, 18) : chance(w, 830) ? 1 : between(w, 2, 4);
		if (o->c->kind == 2)
			l->price = l->price * 72 / 100; /* the reseller discount is in the price */
	}
}

/* Total, discount, shipping and the VAT inside; returns the coupon. */
static const char *
price_order(struct world *w, struct order *o)
{
	static const struct {
		const char *code;
		int percent;
	} coupons[] = { { "WILLKOMMEN10", 10 }, { "BERGCLUB5", 5 }, { "FRUEHLING15", 15 } };
	const char *coupon = NULL;
	int goods = 0, i, vat = demo_regions[o->c->region].vat;
	size_t k;

	for (i = 0; i < o->nlines; i++)
		goods += o->lines[i].quantity * o->lines[i].price;
	if (is_black_week(o->day) && o->c->kind != 2) {
		coupon = "BLACK20";
		o->discount = goods * 20 / 100;
	} else if (o->c->kind != 2 && chance(w, 140)) {
		k = below(w, COUNT(coupons));
		coupon = coupons[k].code;
		o->discount = goods * coupons[k].percent / 100;
	}
	o->shipping = goods - o->discount >= 7500 ? 0 : 490;
	o->amount = goods - o->discount + o->shipping;
	o->tax = (int)(((int64_t)o->amount * vat + (1000 + vat) / 2) / (1000 + vat));
	return coupon;
}

static void
put_payment(struct world *w, struct order *o, int attempt, const char *status, int64_t at, const char *failure)
{
	int fee = strcmp(o->method, "invoice") == 0 ? 0 : 25 + o->amount * 14 / 1000;

	world_put(w, PAYMENTS, "iiittdomt", ++w->next[PAYMENTS], o->id, (int64_t)attempt, o->method, status,
	    (double)o->amount / 100.0, (int64_t)(strcmp(status, "captured") == 0 ? fee : 0), at, failure);
}

/* Sets method and paid; most failed payments are tried again. */
static void
pay(struct world *w, struct order *o)
{
	static const char *const methods[] = { "card", "paypal", "klarna", "sepa" };
	static const uint16_t share[] = { 440, 290, 180, 90 };
	static const char *const failures[] = { "insufficient_funds", "3ds_failed", "expired_card", "timeout" };
	int outage = day_parse(STORY_OUTAGE), attempt = 1;
	int64_t at;
	bool broken;

	o->method = strcmp(o->channel, "marketplace") == 0         ? "marketplace" :
	    o->c->kind == 2 || (o->c->kind == 1 && chance(w, 500)) ? "invoice" :
								     methods[weighted(w, share, COUNT(share))];
	broken = strcmp(o->method, "card") == 0 && o->day >= outage && o->day <= outage + 1;
	o->paid = true;
	while (strcmp(o->method, "invoice") != 0 && strcmp(o->method, "marketplace") != 0 &&
	    (broken || chance(w, 52))) {
		put_payment(w, o, attempt, "failed", o->at + 60 * attempt,
		    broken ? "gateway_unavailable" : failures[below(w, COUNT(failures))]);
		if (++attempt > 3 || chance(w, 250)) {
			o->paid = false;
			return;
		}
	}
	if (strcmp(o->method, "invoice") == 0 && o->day > w->last - 14) {
		put_payment(w, o, attempt, "authorized", o->at + 120, NULL);
		return;
	}
	at = o->at + 60 * attempt + (strcmp(o->method, "invoice") == 0 ? between(w, 5, 13) * DAY_SECONDS : 0);
	put_payment(w, o, attempt, chance(w, 4) ? "chargeback" : "captured", at, NULL);
}

static void
put_refund(struct world *w, const struct order *o, int amount, const char *reason, int64_t at)
{
	int tax = o->amount == 0 ? 0 : (int)((int64_t)o->tax * amount / o->amount);

	if (at >= (int64_t)(w->last + 1) * DAY_SECONDS)
		return; /* not yet happened when the warehouse was copied */
	world_put(w, REFUNDS, "iioiitmo", ++w->next[REFUNDS], o->id, w->next[PAYMENTS], (int64_t)amount, (int64_t)tax,
	    reason, at, (int64_t)(chance(w, 850) ? between(w, 15, 22) : 0));
}

/* Returned items, and whether the whole order came back. */
static bool
send_back(struct world *w, const struct order *o, int64_t *at)
{
	static const char *const reasons[] = { "size", "changed_mind", "defect", "late", "Falschlieferung", NULL };
	static const uint16_t share[] = { 380, 300, 130, 90, 60, 40 };
	int i, worth;
	bool bad_tent = false, whole;

	for (i = 0; i < o->nlines; i++)
		if (o->lines[i].product == TENT_BATCH && in_tent_batch(o->day))
			bad_tent = true;
	if (bad_tent ? !chance(w, 520) : !chance(w, o->c->kind == 2 ? 25 : 88))
		return false;
	*at = o->delivered + between(w, 2, 26) * DAY_SECONDS + (int)below(w, 30000);
	whole = o->nlines == 1 || chance(w, 300);
	worth = o->lines[0].quantity * o->lines[0].price;
	put_refund(w, o, whole || worth > o->amount ? o->amount - o->shipping : worth,
	    bad_tent ? "defect" : reasons[weighted(w, share, COUNT(share))], *at);
	if (chance(w, 620))
		care_ticket(w, o->buyer + 1, o->id, *at - between(w, 1, 40) * 3600,
		    bad_tent ? CARE_PRODUCT : CARE_RETURN);
	return whole && *at < (int64_t)(w->last + 1) * DAY_SECONDS;
}

/* Everything that may happen after the order, up to the last day of the data. */
static void
decide_status(struct world *w, struct order *o, int64_t *shipped)
{
	int64_t end = (int64_t)(w->last + 1) * DAY_SECONDS;

	*shipped = 0;
	if (chance(w, 28) || (!o->paid && (o->day < w->last - 6 || chance(w, 300)))) {
		o->status = "cancelled";
		return;
	}
	if (!o->paid) {
		o->status = "pending";
		return;
	}
	*shipped = o->at + between(w, 6, 70) * 3600;
	o->delivered = *shipped + between(w, 1, demo_regions[o->c->region].vat == 0 ? 12 : 5) * DAY_SECONDS;
	o->status = o->delivered < end ? "delivered" : *shipped < end ? "shipped" : "paid";
	if (*shipped >= end)
		*shipped = 0;
	if (o->delivered >= end)
		o->delivered = 0;
}

static void
put_order(struct world *w, const struct order *o, const char *coupon, int64_t shipped, int64_t duplicate_of)
{
	bool legacy = o->day < day_parse(STORY_CUTOVER) && duplicate_of == 0;
	int64_t shift = legacy ? berlin_offset(o->at) : 0;
	const struct region *r = &demo_regions[o->c->region];
	bool manual = o->c->manager != 0 && strcmp(o->channel, "phone") == 0;
	char number[32];

	snprintf(number, sizeof(number), "LF%07lld%s",
	    4000000 + (long long)(duplicate_of != 0 ? duplicate_of : o->id) * 3, duplicate_of != 0 ? "-D" : "");
	world_put(w, ORDERS,
	    "itimttt"
	    "iiiiit"
	    "ommbot",
	    o->id, number, (int64_t)o->buyer + 1, o->at + shift, o->status, o->channel, r->currency,
	    (int64_t)o->amount * fx_rate(o->c->region, o->day) / 10000, (int64_t)o->amount, (int64_t)o->tax,
	    (int64_t)o->shipping, (int64_t)o->discount, coupon, (int64_t)(manual ? between(w, 6, 11) : 0),
	    shipped != 0 ? shipped + shift : 0, o->delivered != 0 ? o->delivered + shift : 0, (int)o->c->test,
	    duplicate_of, legacy ? "erp_alt" : "shop");
}

static void
put_lines(struct world *w, const struct order *o)
{
	int i;

	for (i = 0; i < o->nlines; i++)
		world_put(w, ORDER_ITEMS, "iiiiii", ++w->next[ORDER_ITEMS], o->id, (int64_t)i + 1,
		    (int64_t)o->lines[i].product + 1, (int64_t)o->lines[i].quantity, (int64_t)o->lines[i].price);
}

/* The last weeks before the cut-over were imported from both systems. */
static void
duplicate(struct world *w, const struct order *o, const char *coupon, int64_t shipped)
{
	int cutover = day_parse(STORY_CUTOVER);
	struct order copy = *o;

	if (o->day >= cutover || o->day < cutover - 20 || !chance(w, 330))
		return;
	copy.id = ++w->next[ORDERS];
	put_order(w, &copy, coupon, shipped, o->id);
	put_lines(w, &copy);
}

static void
make_order(struct world *w, int day)
{
	struct order o = { .day = day, .id = ++w->next[ORDERS], .at = moment_of(w, day) };
	const char *coupon;
	int64_t shipped, back = 0;

	o.buyer = people_pick(w, day);
	o.c = &w->customers[o.buyer];
	o.channel = pick_channel(w, &o);
	fill_basket(w, &o);
	coupon = price_order(w, &o);
	pay(w, &o);
	decide_status(w, &o, &shipped);
	if (strcmp(o.status, "delivered") == 0 && send_back(w, &o, &back))
		o.status = "returned";
	put_order(w, &o, coupon, shipped, 0);
	put_lines(w, &o);
	duplicate(w, &o, coupon, shipped);
	if (chance(w, 110))
		care_ticket(w, o.buyer + 1, o.id, o.at + between(w, 2, 160) * 3600,
		    o.paid ? CARE_DELIVERY : CARE_PAYMENT);
	if (w->ntoday < DAY_ORDERS_MAX) {
		w->today[w->ntoday].id = o.id;
		w->today[w->ntoday].at = o.at;
		w->today[w->ntoday].customer = o.buyer + 1;
		w->today[w->ntoday].online = strcmp(o.channel, "web") == 0 || strcmp(o.channel, "app") == 0;
		w->ntoday++;
	}
}

void
sales_day(struct world *w, int day)
{
	int n = orders_expected(w, day);

	w->ntoday = 0;
	while (n-- > 0)
		make_order(w, day);
}
