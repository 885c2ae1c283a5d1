SELECT
  customers.segment AS segment,
  cities.name AS name
FROM customers AS customers
LEFT JOIN cities AS cities ON customers.city_id = cities.id
GROUP BY 1, 2
ORDER BY CAST(customers.segment AS text) COLLATE "C" NULLS FIRST, CAST(cities.name AS text) COLLATE "C" NULLS FIRST
LIMIT 1000
