/*
 * postgres_guess - store_guess.h as functions of the database: one statement of a node, one round trip.
 *
 * As in postgres_admit.h, the locks come first, of the address and then of the name, and what is read after them is the
 * newest.  In `guess` and `blocked`, names begin with what is counted: a an address, n a name, p both, f a name whose
 * passwords were checked and wrong, c an address with wrong credentials, e what happens at most so often.
 */
#pragma once

#define POSTGRES_GUESS_ACCOUNT " PERFORM pg_advisory_xact_lock(1130459760, hashtext(account));"

#define POSTGRES_GUESS_LOCK(account) \
	" PERFORM pg_advisory_xact_lock(1130459759, hashtext(address));" \
	account " now_s := floor(extract(epoch FROM clock_timestamp()));"

#define POSTGRES_GUESS_NAMES "ARRAY['a ' || address, 'n ' || account, 'p ' || address || ' ' || account]"

#define POSTGRES_GUESS_COUNT(what, of) \
	" SELECT coalesce(sum(g.n), 0) INTO " what " FROM guess g WHERE g.name = " of " AND g.second > now_s - span;"

#define POSTGRES_GUESS \
	"CREATE UNLOGGED TABLE guess(name text COLLATE \"C\" NOT NULL, second bigint NOT NULL, n bigint NOT NULL," \
	" PRIMARY KEY(name, second));" \
	"CREATE UNLOGGED TABLE blocked(name text COLLATE \"C\" PRIMARY KEY, until bigint NOT NULL);" \
	/* The seconds to wait; 0: the attempt counts. */ \
	"CREATE FUNCTION guess_begin(address text, account text, owner bigint, most bigint, span bigint," \
	" longest bigint) RETURNS bigint LANGUAGE plpgsql AS $$ DECLARE now_s bigint; here bigint;" \
	" named bigint; paired bigint; at_s bigint; names text[] := " POSTGRES_GUESS_NAMES ";" \
	" BEGIN" POSTGRES_GUESS_LOCK(POSTGRES_GUESS_ACCOUNT) \
	" SELECT coalesce(max(b.until) - now_s, 0) INTO here FROM blocked b WHERE b.name IN (names[1], names[3])" \
	" AND b.until > now_s; IF here > 0 THEN RETURN here; END IF;" \
	" IF owner = 0 THEN SELECT coalesce(sum(g.n), 0), max(g.second) INTO named, at_s FROM guess g" \
	" WHERE g.name = 'f ' || account AND g.second > now_s - span; IF named > most THEN" \
	" here := least(longest, 1 << least(named - most - 1, 20)::int) - (now_s - at_s);" \
	" IF here > 0 THEN RETURN here; END IF; END IF; END IF;" POSTGRES_GUESS_COUNT("here", "names[1]") \
	POSTGRES_GUESS_COUNT("named", "names[2]") POSTGRES_GUESS_COUNT("paired", "names[3]") \
	" IF here >= most OR (named >= most AND paired > 0) THEN RETURN 1; END IF;" \
	" INSERT INTO guess AS g SELECT n, now_s, 1 FROM unnest(names) AS n" \
	" ON CONFLICT (name, second) DO UPDATE SET n = g.n + 1; RETURN 0; END $$;" \
	/* 1: the address is blocked from now on. */ \
	"CREATE FUNCTION guess_wrong(address text, account text, slow bigint, most bigint, span bigint)" \
	" RETURNS bigint LANGUAGE plpgsql AS $$ DECLARE now_s bigint; here bigint; named bigint; blocks bigint := 0;" \
	" names text[] := " POSTGRES_GUESS_NAMES "; BEGIN" POSTGRES_GUESS_LOCK(POSTGRES_GUESS_ACCOUNT) \
	POSTGRES_GUESS_COUNT("here", "names[1]") POSTGRES_GUESS_COUNT("named", "names[2]") \
	" IF here >= most AND NOT EXISTS(SELECT 1 FROM blocked b WHERE b.name = names[1] AND b.until > now_s) THEN" \
	" blocks := 1; END IF;" \
	" INSERT INTO blocked SELECT x.name, now_s + span FROM (VALUES (names[1], blocks = 1)," \
	" (names[3], named >= most)) AS x(name, blocks) WHERE x.blocks" \
	" ON CONFLICT (name) DO UPDATE SET until = excluded.until;" \
	" IF slow = 1 THEN INSERT INTO guess AS g VALUES('f ' || account, now_s, 1)" \
	" ON CONFLICT (name, second) DO UPDATE SET n = g.n + 1; END IF; RETURN blocks; END $$;" \
	/* The seconds for which the address is blocked. */ \
	"CREATE FUNCTION guess_failure(address text, most bigint, block_s bigint) RETURNS bigint" \
	" LANGUAGE plpgsql AS $$ DECLARE now_s bigint; here bigint; span bigint := 60; BEGIN" POSTGRES_GUESS_LOCK("") \
	" SELECT coalesce(max(b.until) - now_s, 0) INTO here FROM blocked b WHERE b.name = 'c ' || address" \
	" AND b.until > now_s; IF here > 0 THEN RETURN here; END IF;" \
	" INSERT INTO guess AS g VALUES('c ' || address, now_s, 1)" \
	" ON CONFLICT (name, second) DO UPDATE SET n = g.n + 1;" POSTGRES_GUESS_COUNT("here", "'c ' || address") \
	" IF here < most THEN RETURN 0; END IF;" \
	" INSERT INTO blocked VALUES('c ' || address, now_s + block_s)" \
	" ON CONFLICT (name) DO UPDATE SET until = excluded.until;" \
	" DELETE FROM guess g WHERE g.name = 'c ' || address;" \
	" PERFORM pg_notify('carrel_word', 'block ' || block_s || ' ' || address); RETURN block_s; END $$;"

/* The seconds until another event of both names may happen; 0: it may, and is counted. */
#define POSTGRES_EVENTS \
	"CREATE FUNCTION event_take(name1 text, name2 text, most bigint, span bigint) RETURNS bigint" \
	" LANGUAGE plpgsql AS $$ DECLARE now_s bigint; used bigint; at_s bigint; pause bigint := 0;" \
	" names text[] := ARRAY['e ' || name1, 'e ' || name2]; BEGIN" \
	" PERFORM pg_advisory_xact_lock(1130459759, x.h) FROM (SELECT DISTINCT hashtext(n) AS h" \
	" FROM unnest(names) AS n ORDER BY 1) AS x; now_s := floor(extract(epoch FROM clock_timestamp()));" \
	" FOR i IN 1..2 LOOP CONTINUE WHEN names[i] = 'e ';" \
	" SELECT coalesce(max(x.total), 0), min(x.second) FILTER (WHERE x.run > x.total - most) INTO used, at_s" \
	" FROM (SELECT g.second, sum(g.n) OVER (ORDER BY g.second) AS run, sum(g.n) OVER () AS total FROM guess g" \
	" WHERE g.name = names[i] AND g.second > now_s - span) x;" \
	" IF used >= most THEN pause := greatest(pause, at_s + span - now_s, 1); END IF; END LOOP;" \
	" IF pause = 0 THEN INSERT INTO guess AS g SELECT n, now_s, 1 FROM unnest(names) AS n WHERE n <> 'e '" \
	" ON CONFLICT (name, second) DO UPDATE SET n = g.n + 1; END IF; RETURN pause; END $$;"
