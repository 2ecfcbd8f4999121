"""A pytest plugin: every test runs with shardfft behind scipy.fft; says how often it was called."""

from shardfft import scipy_backend

calls = 0
_call = scipy_backend._call


def _counted(*args, **kwargs):
    global calls
    calls += 1
    return _call(*args, **kwargs)


scipy_backend._call = _counted


scipy_backend.install()


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"calls of shardfft: {calls}")
