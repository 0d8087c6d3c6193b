"""What every storage backend must do: one suite, run over all of them."""
