SELECT
  shipped_to.name AS shipped_to_name,
  cities.name AS cities_name,
  sum(orders.amount) AS gross
FROM cities AS shipped_to
LEFT JOIN sales.Orders AS orders ON orders.ship_city = shipped_to.id
LEFT JOIN customers AS customers ON orders.customer_id = customers.id
LEFT JOIN cities AS cities ON customers.city_id = cities.id
GROUP BY 1, 2
ORDER BY CAST(shipped_to.name AS text) COLLATE "C" NULLS FIRST, CAST(cities.name AS text) COLLATE "C" NULLS FIRST
LIMIT 1000
