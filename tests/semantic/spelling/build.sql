-- Texts that a collation takes for the same, numbers that a database divides, rounds or counts in its own way, and names
-- that need quotes.
CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, code TEXT, score INTEGER, rate REAL, born TEXT, active INTEGER,
    boss TEXT, "Größe `x"" y" INTEGER, "rank" INTEGER);
INSERT INTO people VALUES
 (1,'Ada', 'a', 7, 0.5, '2023-12-31 23:30:00', 1, NULL, 1, 10),
 (2,'ada', 'A', 2, 1.25,'2024-01-01 00:00:00', 0, 'a',  2, 20),
 (3,'Ädä', 'b', 5, NULL,'2024-02-29 08:45:10', 1, 'A',  3, 30),
 (4,'ada ','b ',NULL,2.5,'2024-04-01 09:00:00', NULL,'ä', 4, 40),
 (5,NULL,  'c\d',9, 0.1, NULL,                 0, 'b ', 5, 50),
 (6,'Zoë', 'ä', 4, 0.7, '2029-12-30 10:00:00', 1, 'c\d',6, 60),
 (7,'',    'z', 1, 0.9, '2030-07-15 22:10:00', 1, 'Z',  7, 70),
 (8,'ada', 'y', 2, 0.3, '2024-01-07 12:00:00', 1, 'a',  8, 80);
CREATE TABLE bosses (code TEXT, title TEXT);
INSERT INTO bosses VALUES ('a','small'),('A','large'),('b','bee'),('b ','bee and blank'),('c\d','slash'),('ä','umlaut');
