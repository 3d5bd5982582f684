-- The full-text configuration `ukrainian`; applied where the dictionary's files lie beside the server.
--
-- A word of Cyrillic letters is dropped as a stop word («не» and «без» are none: they turn the meaning round), or
-- it is a Russian form of a word that both languages write alike, or Ukrainian, or is cut as Russian.

SET LOCAL ROLE vmk_owner;

CREATE TEXT SEARCH DICTIONARY public.vmk_cyrillic_stop (
    TEMPLATE = pg_catalog.simple, STOPWORDS = vmk_cyrillic, ACCEPT = FALSE
);

CREATE TEXT SEARCH DICTIONARY public.vmk_shared_words (
    TEMPLATE = pg_catalog.synonym, SYNONYMS = vmk_shared
);

CREATE TEXT SEARCH DICTIONARY public.vmk_ukrainian (
    TEMPLATE = pg_catalog.ispell, DICTFILE = vmk_ukrainian, AFFFILE = vmk_ukrainian
);

CREATE TEXT SEARCH DICTIONARY public.vmk_russian (
    TEMPLATE = pg_catalog.snowball, LANGUAGE = russian
);

CREATE TEXT SEARCH DICTIONARY public.vmk_english (
    TEMPLATE = pg_catalog.snowball, LANGUAGE = english, STOPWORDS = vmk_english
);

CREATE TEXT SEARCH CONFIGURATION public.ukrainian (COPY = pg_catalog.simple);

ALTER TEXT SEARCH CONFIGURATION public.ukrainian
ALTER MAPPING FOR word, hword, hword_part
WITH public.vmk_cyrillic_stop, public.vmk_shared_words, public.vmk_ukrainian, public.vmk_russian;

ALTER TEXT SEARCH CONFIGURATION public.ukrainian
ALTER MAPPING FOR asciiword, asciihword, hword_asciipart
WITH public.vmk_english;

RESET ROLE;
