-- Before a statement behind a pooler in transaction mode; what sets the limits follows in the same message.
-- squawk-ignore-file transaction-nesting, ban-uncommitted-transaction -- this is no migration: it begins a reading

BEGIN READ ONLY;
