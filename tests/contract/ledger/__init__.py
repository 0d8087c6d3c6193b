"""The ledger's contract, over every backend."""
