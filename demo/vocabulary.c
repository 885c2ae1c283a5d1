/* vocabulary.c - see vocabulary.h.  Names of people, towns and streets that sound real and are invented. */
#include "demo/vocabulary.h"
#include "demo/world.h"

const char *const words_first[] = {
	"Anna", "Jonas", "Mia", "Lukas", "Emma", "Felix", "Hannah", "Paul", "Lena", "Maximilian", "Sophie",
	"Jürgen", "Käthe", "Günther", "Björn", "Zoë", "Renée", "François", "Chloé", "Émile", "Sanne", "Daan",
	"Femke", "Pieter", "Ingrid", "Søren", "Astrid", "Åsa", "Lars", "Freja", "Oliver", "Amelia", "Harry",
	"Isla", "Grace", "Mehmet", "Ayşe", "Giulia", "Marco", "Beatriz", "João", "Agnieszka", "Paweł", "Nikolai",
	"Yuki", "Priya", "Omar", "Leyla", "Theo", "Ruth", "Hans-Peter", "Marie-Luise", "Karl", "Ursula"
};
const size_t words_nfirst = COUNT(words_first);

const char *const words_last[] = {
	"Müller", "Schmidt", "Schneider", "Fischer", "Weber", "Meyer", "Wagner", "Becker", "Schulz", "Hoffmann",
	"Schäfer", "Koch", "Bauer", "Richter", "Klein", "Wolf", "Schröder", "Neumann", "Schwarz", "Zimmermann",
	"Krüger", "Huber", "Gruber", "Steiner", "Egger", "Zürcher", "Ammann", "de Vries", "van den Berg", "Jansen",
	"Bakker", "Peeters", "Dubois", "Lefèvre", "Moreau", "Garnier", "Smith", "Jones", "O'Brien", "O'Neill",
	"McAllister", "Sørensen", "Nielsen", "Østergaard", "Lindqvist", "Åkerström", "Johansson", "Yılmaz",
	"Đorđević", "Nowak", "Rossi", "Null", "Weiß", "von der Heide", "Tran", "Patel"
};
const size_t words_nlast = COUNT(words_last);

const struct company words_companies[] = {
	{ "", " & Söhne GmbH" }, { "", " Bergsport KG" }, { "Sporthaus ", "" }, { "", " Trekking e.K." },
	{ "Alpinschule ", "" }, { "", " Events AG" }, { "Forstbetrieb ", "" }, { "", " Outdoor B.V." },
	{ "Maison ", " SARL" }, { "", " Expeditions Ltd" }, { "Hotel ", "" }, { "", " ApS" }
};
const size_t words_ncompanies = COUNT(words_companies);

const char *const words_testers[] = {
	"Test Testmann", "QA Checkout", "Max Mustermann", "Erika Mustermann", "Do Not Ship", "zzz Dummy"
};
const size_t words_ntesters = COUNT(words_testers);

const char *const words_streets[] = {
	"Hauptstraße", "Bahnhofstraße", "Gartenweg", "Am Mühlbach", "Lindenallee", "Bergstraße", "Schillerplatz",
	"Rue de l'Église", "Kerkstraat", "High Street", "Station Road", "Vestergade", "Storgatan", "Main St",
	"Zur alten Schmiede", "An der Elbe", "Seestrasse", "Ringstraße"
};
const size_t words_nstreets = COUNT(words_streets);

const struct town words_towns[] = {
	{ REGION_DE, "20095", "Hamburg" }, { REGION_DE, "10115", "Berlin" }, { REGION_DE, "80331", "München" },
	{ REGION_DE, "50667", "Köln" }, { REGION_DE, "01067", "Dresden" }, { REGION_DE, "90402", "Nürnberg" },
	{ REGION_DE, "79098", "Freiburg im Breisgau" }, { REGION_DE, "33602", "Bielefeld" },
	{ REGION_AT, "1010", "Wien" }, { REGION_AT, "6020", "Innsbruck" }, { REGION_AT, "5020", "Salzburg" },
	{ REGION_CH, "8001", "Zürich" }, { REGION_CH, "3011", "Bern" }, { REGION_CH, "1204", "Genève" },
	{ REGION_NL, "1012 JS", "Amsterdam" }, { REGION_NL, "5211 AX", "'s-Hertogenbosch" },
	{ REGION_BE, "1000", "Bruxelles" }, { REGION_BE, "2000", "Antwerpen" },
	{ REGION_FR, "75002", "Paris" }, { REGION_FR, "74400", "Chamonix-Mont-Blanc" },
	{ REGION_GB, "EH1 1YZ", "Edinburgh" }, { REGION_GB, "SW1A 1AA", "London" },
	{ REGION_DK, "8000", "Århus" }, { REGION_DK, "1050", "København" },
	{ REGION_SE, "111 29", "Stockholm" }, { REGION_SE, "831 31", "Östersund" },
	{ REGION_US, "80302", "Boulder" }, { REGION_US, "05401", "Burlington" },
};

size_t
words_town_of(int region, uint32_t throw)
{
	size_t first = 0, n = 0, i;

	for (i = 0; i < COUNT(words_towns); i++)
		if (words_towns[i].region == region && n++ == 0)
			first = i;
	return n == 0 ? throw % COUNT(words_towns) : first + throw % n;
}
