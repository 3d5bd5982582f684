"""All tests: a package of its own, since spylls installs one of the same name that would hide a mere folder."""
