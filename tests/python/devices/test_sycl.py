"""Plans on Intel's CPU device of SYCL, beside NumPy."""
import numpy as np
import pytest

import shardfft as sf


def plan_or_skip(shape, **options):
    try:
        return sf.Plan(shape, device="sycl", **options)
    except sf.Unsupported as error:
        pytest.skip(f"no device sycl: {error}")


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_a_plan_is_numpy_and_goes_back(dtype):
    plan = plan_or_skip((11, 8, 9), dtype=dtype, arrays="host")
    random = np.random.default_rng(17)
    x = (random.standard_normal((11, 8, 9)) + 1j * random.standard_normal((11, 8, 9))).astype(dtype)
    x_hat = plan.forward(x)
    want, eps = np.fft.fftn(x), np.finfo(dtype).eps
    assert np.linalg.norm(x_hat.local - want) <= 8 * eps * np.linalg.norm(want)
    assert np.linalg.norm(plan.backward(x_hat).local - x) <= 8 * eps * np.linalg.norm(x)


def test_a_device_that_is_not_there_is_named():
    plan_or_skip((4, 4), arrays="host")
    with pytest.raises(sf.Unsupported, match="numbered 0 to .* got 'sycl:99'"):
        sf.Plan((4, 4), device="sycl:99", arrays="host")
