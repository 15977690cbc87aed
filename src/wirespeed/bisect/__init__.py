"""``bisect``: which release of a package, or which revision, changed how fast an app answers."""
