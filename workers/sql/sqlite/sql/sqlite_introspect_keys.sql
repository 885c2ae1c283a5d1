-- The foreign keys of a table: place of the column, the other table, column, the other's column or null.
-- SQLite lists the keys last declared first; the order wanted is the declared one.
SELECT seq, "table", "from", "to" FROM pragma_foreign_key_list(%Q, 'main') ORDER BY id DESC, seq
