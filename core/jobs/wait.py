"""Holding a job while something else than its engine is waited for."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from core.jobs.job_row import BEAT_EVERY
from core.jobs.job_run import JobRun


@asynccontextmanager
async def beating(work: JobRun) -> AsyncIterator[None]:
    """Raise the job's lease until the end of the block. In the job's own thread."""

    async def beat() -> None:
        while True:
            await asyncio.sleep(BEAT_EVERY)
            with suppress(sqlite3.OperationalError):  # locked: the next time, then
                work.holder.beat()

    task = asyncio.create_task(beat())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
