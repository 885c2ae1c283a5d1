SELECT
  to_char(date_trunc('month', CAST(orders.placed_at AS timestamp)), 'YYYY-MM-DD') AS placed_at_month,
  COUNT(*) AS orders
FROM sales.Orders AS orders
GROUP BY 1
ORDER BY placed_at_month NULLS FIRST
LIMIT 5
