-- Operators that keywords mean: BETWEEN, IN, CASE, LIKE, JOIN USING, DISTINCT FROM, NULLIF.
('=', '<>', '<', '>', '<=', '>=', '~~', '!~~', '~~*', '!~~*', '~', '!~')
