"""The stores in SQL, built with SQLAlchemy's expression language and shared by every SQL backend."""
