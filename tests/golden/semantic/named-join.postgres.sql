SELECT
  cities_ship_city.name AS cities_ship_city_name,
  cities_customers_city_id.name AS cities_customers_city_id_name,
  sum(orders.amount) AS gross
FROM cities AS cities_ship_city
LEFT JOIN sales.Orders AS orders ON orders.ship_city = cities_ship_city.id
LEFT JOIN customers AS customers ON orders.customer_id = customers.id
LEFT JOIN cities AS cities_customers_city_id ON customers.city_id = cities_customers_city_id.id
WHERE (cities_ship_city.name <> 'x')
GROUP BY 1, 2
ORDER BY CAST(cities_ship_city.name AS text) COLLATE "C" NULLS FIRST, CAST(cities_customers_city_id.name AS text) COLLATE "C" NULLS FIRST
LIMIT 1000
