SELECT
  shipped_to.name AS shipped_to_name,
  cities.name AS cities_name,
  sum(orders.amount) AS gross
FROM cities AS shipped_to
LEFT JOIN sales.Orders AS orders ON orders.ship_city = shipped_to.id
LEFT JOIN customers AS customers ON orders.customer_id = customers.id
LEFT JOIN cities AS cities ON customers.city_id = cities.id
GROUP BY 1, 2
ORDER BY shipped_to.name COLLATE BINARY, cities.name COLLATE BINARY
LIMIT 1000
