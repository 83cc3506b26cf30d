"""Appends until files may not grow any more, then goes on after the limit is gone."""

import asyncio
import resource
import sys
from pathlib import Path

from parley.coder.store.failure import StoreFailed
from parley.coder.store.store import Store
from tests.coder.store.staging import FIRST, SECOND, numbered

BATCH = 50


async def main(folder: Path) -> None:
    store = Store(folder)
    log, other = await store.create(FIRST, "/project"), await store.create(SECOND, "/project")
    other.append(numbered(SECOND, 0))
    await other.flush(durable=True)
    told = count = 0
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)

    def stored(entries: object) -> None:
        nonlocal told
        told += len(entries)  # type: ignore[arg-type]

    log.on_stored = stored
    resource.setrlimit(resource.RLIMIT_FSIZE, (512 * 1024, unlimited[1]))
    failure: StoreFailed | None = None
    while failure is None:
        log.append(*(numbered(FIRST, number) for number in range(count, count + BATCH)))
        count += BATCH
        try:
            await log.flush(durable=True)
        except StoreFailed as error:
            failure = error
    sys.stdout.write(f"{failure.cause} {told} ")
    assert len((await store.list()).sessions) == 2
    resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    await log.flush(durable=True)
    sys.stdout.write(f"{told} {count}\n")
    await store.aclose()


asyncio.run(main(Path(sys.argv[1])))
