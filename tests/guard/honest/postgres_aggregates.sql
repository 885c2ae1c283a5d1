SELECT count(*) FROM orders

SELECT status, count(*), sum(amount), avg(amount), min(amount), max(amount) FROM orders GROUP BY status ORDER BY 1

SELECT status, count(*) FILTER (WHERE amount > 100) AS large, count(DISTINCT customer_id) FROM orders GROUP BY 1 HAVING count(*) > 1

SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amount) AS median FROM orders

SELECT percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY amount) FROM orders

SELECT percentile_disc(0.9) WITHIN GROUP (ORDER BY created_at) FROM orders

SELECT mode() WITHIN GROUP (ORDER BY status) FROM orders

SELECT rank(100) WITHIN GROUP (ORDER BY amount), dense_rank(100) WITHIN GROUP (ORDER BY amount), cume_dist(100) WITHIN GROUP (ORDER BY amount) FROM orders

SELECT stddev_samp(amount), stddev_pop(amount), var_samp(amount), var_pop(amount), variance(amount), stddev(amount) FROM orders

SELECT corr(salary, id), covar_pop(salary, id), covar_samp(salary, id), regr_slope(salary, id), regr_intercept(salary, id), regr_r2(salary, id) FROM employees

SELECT string_agg(name, ', ' ORDER BY name DESC) FROM customers WHERE id < 5

SELECT array_agg(DISTINCT status ORDER BY status) FROM orders

SELECT bool_and(amount > 0), bool_or(amount > 1000), every(amount IS NOT NULL), bit_and(id), bit_or(id), bit_xor(id) FROM orders

SELECT json_agg(o ORDER BY o.id) FROM (SELECT id, amount FROM orders LIMIT 3) o

SELECT jsonb_object_agg(status, n) FROM per_status

SELECT range_agg(span) FROM events

SELECT status, date_trunc('month', created_at) AS m, sum(amount) FROM orders GROUP BY GROUPING SETS ((status), (m), ()) ORDER BY 1, 2

SELECT status, tenant, sum(amount), grouping(status, tenant) FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY ROLLUP (status, tenant)

SELECT status, tenant, sum(amount) FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY CUBE (status, tenant)

SELECT status, tenant FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY DISTINCT ROLLUP (status, tenant), ROLLUP (status)

SELECT product(amount) FROM orders WHERE id < 4

SELECT any_value FROM (SELECT min(status) AS any_value FROM orders) x

SELECT sum(amount) / nullif(count(*), 0) AS mean, round(100.0 * count(*) FILTER (WHERE status = 'paid') / count(*), 2) AS pct FROM orders

SELECT width_bucket(amount, 0, 300, 6) AS bucket, count(*), repeat('*', (count(*) / 5)::int) AS bar FROM orders GROUP BY 1 ORDER BY 1

SELECT count(*) - count(email) AS missing FROM customers

SELECT xmlagg(xmlelement(name "row", id)) FROM customers WHERE id < 3

SELECT max(length(name)), min(char_length(name)), avg(octet_length(name)) FROM customers
