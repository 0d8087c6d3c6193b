"""Request history: the identities of entries, what they must hold, how they are retained, and how they read."""
