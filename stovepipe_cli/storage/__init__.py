"""The storage library: contracts, and the memory, SQLite and MySQL backends that hold them."""
