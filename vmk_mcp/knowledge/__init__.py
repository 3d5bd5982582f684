"""Knowledge: an index over a folder of documents, kept fresh."""
