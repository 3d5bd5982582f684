"""All tests; a package, since spylls installs one of the same name that would hide a mere folder."""
