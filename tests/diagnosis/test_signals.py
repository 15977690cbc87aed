"""Nothing ends this process between changing the user's files and proving the change."""

from __future__ import annotations

import os
import signal

import pytest

from wirespeed.diagnosis.signals import ENDING_SIGNALS, ending_as_ctrl_c, uninterrupted


def test_a_signal_waits_until_the_files_are_whole() -> None:
    done = False
    with pytest.raises(KeyboardInterrupt):
        with ending_as_ctrl_c(), uninterrupted():
            os.kill(os.getpid(), signal.SIGTERM)
            done = True
        pytest.fail("the signal was lost")
    assert done


@pytest.mark.parametrize("number", ENDING_SIGNALS)
def test_what_would_end_the_process_is_a_ctrl_c_and_only_inside_the_block(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt), ending_as_ctrl_c():
        os.kill(os.getpid(), number)

    assert signal.getsignal(number) is before
