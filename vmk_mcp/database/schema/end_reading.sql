-- After a statement behind a pooler in transaction mode: nothing was written, and all settings end with it.
-- squawk-ignore-file transaction-nesting -- this is no migration: it ends a reading

ROLLBACK;
