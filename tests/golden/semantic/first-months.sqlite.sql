SELECT
  strftime('%Y-%m-01', orders.placed_at) AS placed_at_month,
  COUNT(*) AS orders
FROM sales.Orders AS orders
GROUP BY 1
ORDER BY placed_at_month
LIMIT 5
