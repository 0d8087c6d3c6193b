"""The ledger in an SQL database: SQLite, MySQL and MariaDB."""
