SELECT
  customers.segment AS segment,
  cities.name AS name
FROM customers AS customers
LEFT JOIN cities AS cities ON customers.city_id = cities.id
GROUP BY 1, 2
ORDER BY customers.segment COLLATE BINARY, cities.name COLLATE BINARY
LIMIT 1000
