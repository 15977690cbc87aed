"""Published claims, measured again: suites as data, and what measures and judges them."""
