"""``pytest --wirespeed``: advice from the tests a team already has.

The tests' own requests are watched as they pass FastAPI's routes (``watching``, ``patching``); a few answers
of each slow endpoint are kept as data (``snapshots``, ``kept``); after the last test the response-path
remedies are replayed on them (``measuring``), and what is told of them is ``document``'s business.

This is the one place where wirespeed lives in the user's process: nothing here may change what a test sees.
"""
