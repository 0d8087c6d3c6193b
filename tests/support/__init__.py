"""What tests of several kinds lean on: a private MariaDB server, and tables as the service creates them."""
