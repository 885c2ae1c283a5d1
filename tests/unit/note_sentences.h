/*
 * note_sentences.h - what analysts write of the tables of kept_sources (test_note.c), in English and German, with the
 * title of its page and the column or measure whose description says it, too (empty: none).
 *
 * reviewed, tuned: the reader was made with them.  held: written before, and first read when it was finished.
 */
#pragma once

struct note_sentence {
	const char	*text, *title, *describes;
};

static const struct note_sentence reviewed_sentences[] = {
	{ "A late order is an order whose shipped_date is after required_date.", "late order", "" },
	{ "products.unit_price is in US dollars.", "products.unit_price", "products.unit_price" },
	{ "The unit of order_details.discount is a fraction between 0 and 1, not a percentage.",
	    "order_details.discount",
	    "order_details.discount" },
	{ "Gross sales must exclude discontinued products.", "Gross sales", "" },
	{ "Never sum freight after joining order_details.", "freight", "orders.freight" },
	{ "Achtung: orders.ship_region ist f\xc3\xbcr europ\xc3\xa4ische L\xc3\xa4nder fast immer NULL.",
	    "orders.ship_region",
	    "orders.ship_region" },
	{ "order_details has one row per order and product.", "order_details", "" },
	{ "Ein Kunde gilt als aktiv, wenn er in den letzten 12 Monaten bestellt hat.", "Kunde", "" },
	{ "Orders before July 1996 are missing.", "Orders", "" },
	{ "A product is to be reordered when units_in_stock + units_on_order <= reorder_level.", "product", "" },
	{ "employees.reports_to points to the manager's employee_id.",
	    "employees.reports_to", "employees.reports_to" },
	{ "ship_region is NULL for most European countries; use ship_country instead.",
	    "ship_region", "orders.ship_region" },
	{ "Preise sind in US-Dollar ohne Mehrwertsteuer.", "Preise", "" },
	{ "order_details.discount is stored as a fraction (0.05 = 5 %), not in percent.", "order_details.discount",
	    "order_details.discount" },
	{ "Gross sales must not include discontinued products (products.discontinued = 1).", "Gross sales", "" },
	{ "Do not join orders to order_details before summing freight.", "orders", "" },
	{ "Vorsicht: orders.freight nie auf Positionsebene summieren.", "orders.freight", "orders.freight" },
	{ "Heads up \xe2\x80\x94 ARR is always reported in cents in our warehouse.", "ARR", "orders.arr" },
	{ "Heads up: support tickets are counted in UTC, be careful", "support tickets", "" },
};

static const struct note_sentence tuned_sentences[] = {
	{ "An order counts as shipped once shipped_date is set.", "order", "" },
	{ "Freight is charged per order, never per line.", "Freight", "orders.freight" },
	{ "customers.fax has not been maintained since 2015.", "customers.fax", "customers.fax" },
	{ "Each row of employees is one person, including those who left.", "employees", "" },
	{ "FYI: units_in_stock is only refreshed on Sundays.", "units_in_stock", "products.units_in_stock" },
	{ "Revenue figures always exclude freight.", "Revenue figures", "" },
	{ "Please note that shipped_date can be empty for orders that were cancelled.",
	    "shipped_date", "orders.shipped_date" },
	{ "A customer without orders is a prospect.", "customer", "" },
	{ "Warning: company names in customers are not unique.", "company names", "" },
	{ "Quantities are pieces, weights are kilograms.", "Quantities", "" },
	{ "Der Lagerbestand darf nicht \xc3\xbc" "ber Monate summiert werden.", "Lagerbestand", "" },
	{ "Eine Bestellung ist versp\xc3\xa4tet, wenn shipped_date nach required_date liegt.", "Bestellung", "" },
	{ "Hinweis: reorder_level bezieht sich auf St\xc3\xbc" "ck, nicht auf Kartons.",
	    "reorder_level", "products.reorder_level" },
	{ "Testkunden m\xc3\xbcssen immer ausgeschlossen werden.", "Testkunden", "" },
	{ "Pro Bestellung und Produkt gibt es genau eine Zeile in order_details.", "order_details", "" },
	{ "customers.region fehlt bei fast allen deutschen Kunden.", "customers.region", "customers.region" },
	{ "Bestellungen vor 1996 wurden nicht \xc3\xbc" "bernommen.", "Bestellungen", "" },
	{ "Der Rabatt steht als Anteil zwischen 0 und 1 in order_details.discount.",
	    "Rabatt", "order_details.discount" },
	{ "Statt ship_via besser den Namen aus shippers verwenden.", "ship_via", "orders.ship_via" },
	{ "Wichtig: Ums\xc3\xa4tze werden immer netto ausgewiesen.", "Ums\xc3\xa4tze", "" },
};

static const struct note_sentence held_sentences[] = {
	{ "Only orders with a shipped_date count towards revenue.", "orders", "" },
	{ "employees.birth_date holds placeholder dates for contractors.",
	    "employees.birth_date", "employees.birth_date" },
	{ "required_date is what the customer asked for, shipped_date is what happened.", "required_date",
	    "orders.required_date" },
	{ "Exclude internal customers from every count.", "internal customers", "" },
	{ "Dates in orders are local time of the warehouse.", "Dates", "" },
	{ "Caution! products.discontinued is 1 for about a tenth of the catalogue.", "products.discontinued",
	    "products.discontinued" },
	{ "A supplier can appear twice under different spellings.", "supplier", "" },
	{ "Discounts above 25 percent need approval and are rare.", "Discounts", "" },
	{ "ship_via refers to shippers.shipper_id.", "ship_via", "orders.ship_via" },
	{ "Data for 1998 ends in May, so that year is incomplete.", "Data", "" },
	{ "Ein Gro\xc3\x9fkunde ist ein Kunde mit mehr als 50 Bestellungen.", "Gro\xc3\x9fkunde", "" },
	{ "unit_price in order_details ist der Preis zum Zeitpunkt der Bestellung.",
	    "unit_price", "order_details.unit_price" },
	{ "Bitte beachten: freight enth\xc3\xa4lt keine Verpackungskosten.", "freight", "orders.freight" },
	{ "Stornierte Bestellungen z\xc3\xa4hlen nicht zum Umsatz.", "Stornierte Bestellungen", "" },
	{ "Jede Zeile in products steht f\xc3\xbcr einen Artikel.", "products", "" },
	{ "employees.reports_to ist beim Gesch\xc3\xa4" "ftsf\xc3\xbchrer leer.",
	    "employees.reports_to", "employees.reports_to" },
	{ "Fracht niemals mit order_details multiplizieren.", "Fracht", "" },
	{ "Kunden ohne E-Mail-Adresse wurden aus dem Altsystem importiert.", "Kunden", "" },
	{ "Der Bestand wird einmal pro Nacht aktualisiert.", "Bestand", "" },
	{ "Achtung, ship_country verwendet englische L\xc3\xa4ndernamen.", "ship_country", "orders.ship_country" },
};

/* What is said in passing. */
static const char *const idle_sentences[] = {
	"Thanks, that looks great!", "Hi, how are you today?",
	"The weather is nice today.", "Let's grab lunch after the standup.",
	"Can you run that again?", "Please show me the revenue by month.",
	"What is the unit price of tea?", "ok", "Never mind.",
	"I will get back to you tomorrow.", "Sounds good to me.",
	"You must see this film.", "The meeting starts late today.",
	"Danke, das sieht gut aus!", "Bis morgen!",
	"Zeig mir bitte den Umsatz pro Monat.", "Wie viele Kunden haben wir?",
	"Ich melde mich sp\xc3\xa4ter.", "Das war ein langer Tag.", "Sch\xc3\xb6nes Wochenende euch allen!",
	"The summary of assumptions.",
	"My colleague is on vacation.", "This was a long discussion about many things.",
	"Show me orders.freight for 1997.",
};
