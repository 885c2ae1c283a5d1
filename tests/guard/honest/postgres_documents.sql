SELECT payload -> 'user' ->> 'name', payload #>> '{user,id}', payload #> '{tags,0}' FROM events

SELECT payload @> '{"n": 5}', payload ? 'n', payload ?| ARRAY['a', 'n'], payload ?& ARRAY['n', 'tags'] FROM events

SELECT id FROM events WHERE payload ->> 'n' = '5' AND (payload -> 'n')::int > 3

SELECT payload['user']['id'], payload['tags'][0] FROM events

SELECT jsonb_array_elements(payload -> 'tags'), jsonb_array_elements_text(payload -> 'tags') FROM events

SELECT e.id, t.value FROM events e, jsonb_array_elements_text(e.payload -> 'tags') AS t(value)

SELECT k, v FROM events, jsonb_each(payload) AS x(k, v) WHERE id = 1

SELECT * FROM jsonb_each_text('{"a": 1}'), jsonb_object_keys('{"b": 2}')

SELECT jsonb_typeof(payload -> 'n'), jsonb_array_length(payload -> 'tags'), jsonb_pretty(payload), jsonb_strip_nulls('{"a": null}') FROM events

SELECT jsonb_set(payload, '{n}', '0'), jsonb_insert('{"a": [0]}', '{a, 1}', '1'), payload - 'n', payload #- '{user,id}', payload || '{"x": 1}' FROM events

SELECT jsonb_path_query(payload, '$.tags[*]'), jsonb_path_exists(payload, '$.n ? (@ > 5)'), jsonb_path_query_array(payload, '$.*'), jsonb_path_query_first(payload, '$.n'), payload @? '$.n', payload @@ '$.n > 5' FROM events

SELECT json_build_object('a', 1, 'b', json_build_array(1, 2)), jsonb_build_object('k', 'v'), to_json(now()), to_jsonb(ARRAY[1, 2]), array_to_json(ARRAY[1, 2]), row_to_json(ROW(1, 2))

SELECT * FROM jsonb_to_recordset('[{"a": 1, "b": "x"}]') AS x(a int, b text)

SELECT * FROM json_to_record('{"a": 1}') AS x(a int)

SELECT (jsonb_populate_record(NULL::couple, '{"a": 5, "b": "x"}')).b

SELECT * FROM json_populate_recordset(NULL::couple, '[{"a": 1}, {"a": 2}]')

SELECT jsonb_agg(payload), jsonb_object_agg(id, kind), json_object_agg(kind, 1) FROM (SELECT * FROM events LIMIT 3) e

SELECT json_object('{a,1,b,2}'), json_typeof('1'), json_array_length('[1,2]'), json_extract_path_text('{"a": {"b": 1}}', 'a', 'b'), json_strip_nulls('{"a": null}')

SELECT tags[1], tags[1:2], array_length(tags, 1), cardinality(tags), array_upper(tags, 1), array_lower(tags, 1), array_ndims(tags), array_dims(tags) FROM events

SELECT 't1' = ANY (tags), tags @> ARRAY['x'], tags && ARRAY['t1'], tags || ARRAY['z'], array_append(tags, 'z'), array_prepend('z', tags), array_cat(tags, tags), array_remove(tags, 'x'), array_replace(tags, 'x', 'y'), array_position(tags, 'x'), array_positions(tags, 'x') FROM events

SELECT unnest(tags), unnest(ARRAY[1, 2]) FROM events

SELECT id, tag, n FROM events, unnest(tags) WITH ORDINALITY AS t(tag, n)

SELECT * FROM unnest(ARRAY[1, 2], ARRAY['a', 'b']) AS t(n, s)

SELECT * FROM ROWS FROM (generate_series(1, 3), unnest(ARRAY['a', 'b'])) WITH ORDINALITY AS t(n, s, o)

SELECT array_to_string(ARRAY[1, 2, NULL], ',', '*'), array_fill(0, ARRAY[3, 3]), trim_array(ARRAY[1, 2, 3], 1), generate_subscripts(ARRAY[1, 2], 1)

SELECT ARRAY[[1, 2], [3, 4]], (ARRAY[[1, 2], [3, 4]])[2][1], ARRAY[]::int[]

SELECT attrs -> 'k', attrs ? 'k', akeys(attrs), avals(attrs), hstore('a', 'b'), each(attrs), hstore_to_jsonb(attrs) FROM events

SELECT path @> 'top.mid.leaf', nlevel(path), subpath(path, 0, 1), path ~ '*.mid.*', lca('a.b', 'a.c') FROM events

SELECT nick = 'NICK1', nick || 'x', nick LIKE 'nick%' FROM events

SELECT similarity('word', 'two words'), word_similarity('word', 'two words'), name % 'Name', name <-> 'Nam', show_trgm('abc') FROM customers

SELECT levenshtein('kitten', 'sitting'), soundex('hello'), metaphone('Thompson', 4), difference('a', 'b'), dmetaphone('x')

SELECT unaccent('Hôtel'), earth_distance(ll_to_earth(52.5, 13.4), ll_to_earth(48.8, 2.3)), cube_dim('(1,2)'::cube), sort(ARRAY[3, 1, 2]), uniq(ARRAY[1, 1]), icount(ARRAY[1]), ARRAY[1, 2] @@ '1&2'::query_int

SELECT uuid_nil(), uuid_ns_dns(), uuid_generate_v5(uuid_ns_url(), 'x')

SELECT to_tsvector('english', 'The quick brown foxes'), to_tsquery('english', 'fox & quick'), plainto_tsquery('a b'), phraseto_tsquery('a b'), websearch_to_tsquery('"a b" -c')

SELECT id, ts_rank(body, q), ts_rank_cd(body, q), ts_headline('english', 'quick fox', q) FROM events, to_tsquery('fox') q WHERE body @@ q ORDER BY 2 DESC LIMIT 5

SELECT setweight(body, 'A'), strip(body), length(body), tsvector_to_array(body), numnode('a & b'::tsquery), querytree('a & b'::tsquery), body || body, 'a'::tsquery && 'b'::tsquery, 'a' <-> 'b'::tsquery FROM events LIMIT 1

SELECT ts_lexize('english_stem', 'stars'), ts_delete(body, 'fox'), ts_filter(body, '{a}'), array_to_tsvector(tags) FROM events LIMIT 1

SELECT alias, token FROM ts_debug('english', 'a fat cat')
