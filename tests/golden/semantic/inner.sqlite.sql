SELECT
  cities.name AS name,
  sum(CASE WHEN (orders.status = 'paid') THEN orders.amount END) AS paid
FROM sales.Orders AS orders
JOIN customers AS customers ON orders.customer_id = customers.id
JOIN cities AS cities ON customers.city_id = cities.id
GROUP BY 1
ORDER BY cities.name COLLATE BINARY
LIMIT 1000
