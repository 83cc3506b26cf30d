"""A process with keys in its memory writes no image of it."""

import resource

from parley.process.core_dump import leave_no_core


def test_a_process_with_keys_leaves_no_image_of_its_memory() -> None:
    before = resource.getrlimit(resource.RLIMIT_CORE)
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (before[1], before[1]))
        leave_no_core()
        assert resource.getrlimit(resource.RLIMIT_CORE) == (0, before[1])
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, before)
