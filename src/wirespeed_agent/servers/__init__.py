"""The servers an app can be measured behind, a module each, named as the package it starts.

``serve(folder, port, workers)`` serves ``wirespeed_served:app`` from ``folder`` on loopback, and returns when
the server ends. Everything else is left as the server has it by default: that is what its users run.
"""

SERVED = "wirespeed_served"
HOST = "127.0.0.1"
