"""A pytest plugin: every test runs with shardfft behind scipy.fft; says how often it was called."""

from shardfft import scipy_backend

calls = 0


def _counted(call):
    def counted(*args, **kwargs):
        global calls
        calls += 1
        return call(*args, **kwargs)

    return counted


scipy_backend._call = _counted(scipy_backend._call)
scipy_backend._call_real = _counted(scipy_backend._call_real)


scipy_backend.install()


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"calls of shardfft: {calls}")
