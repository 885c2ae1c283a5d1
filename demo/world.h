/*
 * world - shared by the parts of the demo's generator: the calendar, the
 * random numbers, and one call that writes a row.
 *
 * No two numbers are drawn within one call's arguments: in which order those
 * are made is the compiler's, and every machine has the same demo.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sqlite3.h>

#define DAY_SECONDS	86400
#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* In the order of tables.c; world_put() writes all columns of one. */
enum world_table {
	REGIONS, FX_RATES, EMPLOYEES, CUSTOMERS, TBL_CST_ADR, PRODUCTS, ORDERS,
	ORDER_ITEMS, PAYMENTS, REFUNDS, SUBSCRIPTIONS, SUPPORT_TICKETS,
	WEB_SESSIONS, MARKETING_SPEND, NTABLES
};

#define CUSTOMERS_MAX	4000
#define DAY_ORDERS_MAX	256

struct customer {
	int	region;		/* row number in regions */
	int	kind;		/* index into the segments: 0 consumer … 3 unknown */
	int	manager;	/* employee id, 0: none */
	bool	test;
	int	gone_day;	/* soft-deleted or merged on this day; 0: never */
};

struct world {
	sqlite3		*db;
	sqlite3_stmt	*insert[NTABLES];
	bool		 failed;	/* sticky; sqlite3_errmsg() has the first reason */
	uint64_t	 dice;
	int		 first, last;	/* days since 1970-01-01, both included */
	struct customer	 customers[CUSTOMERS_MAX];
	int		 ncustomers;
	int64_t		 next[NTABLES];	/* next row id */

	/* Orders of the day being made, for the sessions that led to them. */
	struct { int64_t id, at; int customer; bool online; } today[DAY_ORDERS_MAX];
	int		 ntoday;
};

extern const char demo_schema[];			/* tables.c */
extern const char *const demo_tables[NTABLES];

enum care_category { CARE_DELIVERY, CARE_RETURN, CARE_PRODUCT, CARE_PAYMENT, CARE_ACCOUNT, CARE_SPAM };

enum region_row { REGION_DE, REGION_AT, REGION_CH, REGION_NL, REGION_BE, REGION_FR, REGION_GB, REGION_DK,
		  REGION_SE, REGION_US, REGION_IT, NREGIONS };

struct region {
	const char	*code, *name, *area, *currency, *zone;
	int		 vat;			/* permille, included in the price */
	uint16_t	 weight;		/* share of the customers */
};
extern const struct region demo_regions[NREGIONS];

/* Events that the numbers show and the wiki explains. */
#define STORY_CUTOVER	"2024-10-01"	/* shop replaces the ERP: times are UTC from here on */
#define STORY_PRICES	"2025-02-01"	/* all list prices up by 6 % */
#define STORY_TRACKING	"2025-05-05"	/* a week with broken tracking */
#define STORY_PORTAL	"2025-07-01"	/* resellers order in the portal */
#define STORY_OUTAGE	"2025-09-16"	/* two days without card payments */
#define STORY_TENT	"2025-10-06"	/* six weeks of a bad batch of ZT-204 */
