/*
 * postgres_admit - store_admit() as a function of the database: one statement of a node, one round trip.
 *
 * Each statement within the function sees what was committed before it, so that what is read after the locks is the
 * newest; nodes that count the same thing take turns.  The principal's lock comes first, then the one of what several
 * principals share, so that no two wait for each other.  A second is in the window until it is 60 s old.
 *
 * POSTGRES_ADMIT(create, wanted): wanted is done where calls of other nodes are what makes this one too many.
 */
#pragma once

#define POSTGRES_WANTED \
	" IF flying > own + 1 THEN PERFORM pg_notify('carrel_word', 'wanted ' || who); END IF;"

#define POSTGRES_ADMIT(create, wanted) \
	create " FUNCTION admit(who text, node_name text, node_epoch bigint, own bigint, most bigint," \
	" name1 text, most1 bigint, name2 text, most2 bigint, name3 text, most3 bigint)" \
	" RETURNS TABLE(verdict bigint, retry bigint, near bigint, remains bigint, reset bigint, flying bigint)" \
	" LANGUAGE plpgsql AS $$ DECLARE" \
	" names text[] := ARRAY[name1, name3, name2]; mosts bigint[] := ARRAY[most1, most3, most2];" \
	" used bigint; at_s bigint; now_s bigint;" \
	" BEGIN" \
	" PERFORM pg_advisory_xact_lock(1130459757, hashtext(who));" \
	" IF most3 > 0 THEN PERFORM pg_advisory_xact_lock(1130459758, hashtext(name3)); END IF;" \
	" now_s := floor(extract(epoch FROM clock_timestamp()));" \
	" verdict := 1; retry := 0; near := 0; remains := 0; reset := 0; flying := own + 1;" \
	/* A quota is free again when fewer calls than its most remain: the oldest seconds leave first. */ \
	" FOR i IN 1..3 LOOP CONTINUE WHEN mosts[i] = 0;" \
	" SELECT coalesce(max(x.total), 0), min(x.second) FILTER (WHERE x.run > x.total - mosts[i]) INTO used, at_s" \
	" FROM (SELECT r.second, sum(r.n) OVER (ORDER BY r.second) AS run, sum(r.n) OVER () AS total FROM rate r" \
	" WHERE r.name = names[i] AND r.second > now_s - 60) x;" \
	" IF used >= mosts[i] THEN verdict := 2; retry := greatest(retry, at_s + 60 - now_s); END IF;" \
	" END LOOP;" \
	/* Calls of a node without a lease, and of its process before, are in flight no more. */ \
	" IF most > 0 THEN SELECT own + 1 + coalesce(sum(f.n), 0) INTO flying FROM in_flight f JOIN node o" \
	" ON o.name = f.node AND o.epoch = f.epoch AND o.until >= now_s * 1000" \
	" WHERE f.name = who AND f.node <> node_name;" \
	" IF verdict = 1 AND flying > most THEN verdict := 3; retry := 1;" wanted " END IF; END IF;" \
	" IF verdict = 1 THEN" \
	" INSERT INTO rate AS r SELECT n.name, now_s, 1 FROM unnest(names, mosts) AS n(name, most) WHERE n.most > 0" \
	" ON CONFLICT (name, second) DO UPDATE SET n = r.n + 1;" \
	" IF most > 0 THEN INSERT INTO in_flight VALUES(who, node_name, node_epoch, own + 1)" \
	" ON CONFLICT (name, node) DO UPDATE SET epoch = excluded.epoch, n = excluded.n; END IF; END IF;" \
	" FOR i IN 1..3 LOOP CONTINUE WHEN mosts[i] = 0;" \
	" SELECT coalesce(sum(r.n), 0), min(r.second) INTO used, at_s FROM rate r" \
	" WHERE r.name = names[i] AND r.second > now_s - 60;" \
	" IF near = 0 OR greatest(mosts[i] - used, 0) < remains THEN" \
	" near := mosts[i]; remains := greatest(mosts[i] - used, 0); reset := coalesce(at_s + 60 - now_s, 0);" \
	" END IF; END LOOP;" \
	" RETURN NEXT; END $$"
