#include "demo/calendar.h"
#include "demo/care.h"
#include "demo/people.h"
#include "demo/warehouse.h"

static const char *const categories[] = { "delivery", "return", "product", "payment", "account", "spam" };
static const char *const subjects[][4] = {
	[CARE_DELIVERY] = { "Where is my parcel?", "Lieferung verspätet", "Tracking shows no update",
	    "Wrong delivery address" },
	[CARE_RETURN] = { "Return label please", "Rückgabe: Größe passt nicht", "Refund not received yet",
	    "Exchange for another size" },
	[CARE_PRODUCT] = { "Zip is broken", "Zeltstange gebrochen", "Question about care", "Leaks at the seam" },
	[CARE_PAYMENT] = { "Payment was declined", "Zahlung fehlgeschlagen", "Charged twice?", "Invoice with VAT id" },
	[CARE_ACCOUNT] = { "Cannot log in", "Please delete my data (DSGVO)", "Change e-mail address",
	    "Bergclub kündigen" },
	[CARE_SPAM] = { "SEO offer for lodenfels", "You won!!!", "Re: Re: invoice_8841.zip", "Guest post request" },
};
static const char *const priorities[] = { "urgent", "high", "normal", "low" };
static const int targets_min[] = { 60, 240, 1440, 2880 };	/* first reply, see the wiki: ticket-sla */

void
care_ticket(struct world *w, int64_t customer_id, int64_t order_id, int64_t at, int category)
{
	static const uint16_t share[] = { 50, 180, 610, 160 };
	static const char *const channels[] = { "email", "chat", "phone" };
	static const uint16_t channel_share[] = { 610, 260, 130 };
	int64_t end = (int64_t)(w->last + 1) * DAY_SECONDS;
	int year, month, mday, reply = 0, resolved = 0, rating, agent;
	const char *subject;
	const char *channel = channels[weighted(w, channel_share, COUNT(channels))];
	size_t priority = category == CARE_PAYMENT && chance(w, 300) ? 0 : weighted(w, share, COUNT(share));
	bool slow;

	if (at < 0 || at >= end)
		return;
	day_split((int)(at / DAY_SECONDS), &year, &month, &mday);
	slow = month == 12 || (month == 11 && mday > 20) || weekday_of((int)(at / DAY_SECONDS)) > 4;
	if (category != CARE_SPAM && !chance(w, 14)) {
		reply = targets_min[priority] * between(w, 4, slow ? 190 : 112) / 100 + 1;
		resolved = between(w, 5, 60);
		resolved = reply + resolved * (chance(w, 250) ? 240 : 40);
	}
	if (reply != 0 && at + (int64_t)reply * 60 >= end)
		reply = 0;
	if (reply == 0 || at + (int64_t)resolved * 60 >= end)
		resolved = 0;
	rating = resolved == 0 || !chance(w, 380) ? 0 :
	    reply > targets_min[priority]         ? between(w, 1, 4) :
						    between(w, 3, 5);
	subject = subjects[category][below(w, 4)];
	agent = reply != 0 ? between(w, 15, 22) : 0;
	world_put(w, SUPPORT_TICKETS,
	    "iooo"
	    "tttttm"
	    "ooo",
	    ++w->next[SUPPORT_TICKETS], customer_id, order_id, (int64_t)agent, categories[category],
	    priorities[priority], channel, subject,
	    category == CARE_SPAM || resolved != 0 ? "closed" :
		reply != 0                         ? "waiting" :
						     "open",
	    at, (int64_t)reply, (int64_t)resolved, (int64_t)rating);
}

void
care_day(struct world *w, int day)
{
	int n;

	for (n = between(w, 0, 2); n > 0; n--) {
		int buyer = people_pick(w, day), about = chance(w, 600) ? CARE_ACCOUNT : CARE_PRODUCT;

		care_ticket(w, buyer + 1, 0, moment_of(w, day), about);
	}
	if (chance(w, 260))
		care_ticket(w, 0, 0, moment_of(w, day), CARE_SPAM);
}
