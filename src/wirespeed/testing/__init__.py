"""For tests: how an answer is made, what holds the event loop, and what is faster."""
