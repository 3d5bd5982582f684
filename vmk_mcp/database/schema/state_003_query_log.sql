-- What was asked, and what became of it; never what came out.

SET LOCAL ROLE vmk_owner;

CREATE TABLE public.query_log (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    asked_at timestamptz NOT NULL,
    token text NOT NULL,
    source text NOT NULL,
    tool text NOT NULL,
    question text NOT NULL,
    sql text NOT NULL,
    backend text NOT NULL,
    rejected boolean NOT NULL,
    reason_code text NOT NULL,
    row_count integer NOT NULL,
    elapsed_ms double precision NOT NULL
);

CREATE INDEX query_log_asked_at_idx ON public.query_log (asked_at);

COMMENT ON TABLE public.query_log IS 'Questions and statements, with the verdict on each';
COMMENT ON COLUMN public.query_log.token IS 'the name of the token';
COMMENT ON COLUMN public.query_log.sql IS 'what was run; where nothing was run, what was proposed';
COMMENT ON COLUMN public.query_log.reason_code IS 'of what was rejected; else empty';

RESET ROLE;
