SELECT
  to_char(date_trunc('hour', CAST(orders.placed_at AS timestamp)), 'YYYY-MM-DD HH24:00:00') AS placed_at_hour,
  to_char(date_trunc('day', CAST(orders.placed_at AS timestamp)), 'YYYY-MM-DD') AS placed_at_day,
  to_char(date_trunc('week', CAST(orders.placed_at AS timestamp)), 'YYYY-MM-DD') AS placed_at_week,
  to_char(date_trunc('month', CAST(orders.placed_at AS timestamp)), 'YYYY-MM-DD') AS placed_at_month,
  to_char(date_trunc('quarter', CAST(orders.placed_at AS timestamp)), 'YYYY-MM-DD') AS placed_at_quarter,
  to_char(date_trunc('year', CAST(orders.placed_at AS timestamp)), 'YYYY-MM-DD') AS placed_at_year,
  to_char(date_trunc('decade', CAST(orders.placed_at AS timestamp)), 'YYYY-MM-DD') AS placed_at_decade,
  COUNT(*) AS orders
FROM sales.Orders AS orders
GROUP BY 1, 2, 3, 4, 5, 6, 7
ORDER BY placed_at_hour NULLS FIRST, placed_at_day NULLS FIRST, placed_at_week NULLS FIRST, placed_at_month NULLS FIRST, placed_at_quarter NULLS FIRST, placed_at_year NULLS FIRST, placed_at_decade NULLS FIRST
LIMIT 1000
