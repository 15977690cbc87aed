"""The subject's side of wirespeed: runs inside the interpreter of the app under study.

Nothing here may import anything but the standard library at module level, and nothing from
``wirespeed``: the environment belongs to the user's app. FastAPI, Starlette and Pydantic are
imported inside functions, after the app itself has been imported.
"""
