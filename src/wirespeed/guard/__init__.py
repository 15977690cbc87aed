"""``guard``: whether head is slower than base beyond a limit, or answers differently."""
