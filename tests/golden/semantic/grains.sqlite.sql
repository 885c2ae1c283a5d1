SELECT
  strftime('%Y-%m-%d %H:00:00', orders.placed_at) AS placed_at_hour,
  date(orders.placed_at) AS placed_at_day,
  date(orders.placed_at, 'weekday 0', '-6 days') AS placed_at_week,
  strftime('%Y-%m-01', orders.placed_at) AS placed_at_month,
  date(orders.placed_at, 'start of month', '-' || ((strftime('%m', orders.placed_at) + 2) % 3) || ' months') AS placed_at_quarter,
  strftime('%Y-01-01', orders.placed_at) AS placed_at_year,
  (substr(strftime('%Y', orders.placed_at), 1, 3) || '0-01-01') AS placed_at_decade,
  COUNT(*) AS orders
FROM sales.Orders AS orders
GROUP BY 1, 2, 3, 4, 5, 6, 7
ORDER BY placed_at_hour, placed_at_day, placed_at_week, placed_at_month, placed_at_quarter, placed_at_year, placed_at_decade
LIMIT 1000
