"""The job of the demo: its facts, and what asks the embedded model about them."""

from core.demo import demo_setup
from core.jobs import answer_job
from core.jobs.job_run import JobResult, JobRun
from core.specs.answer_specs import DemoSpec


def run(work: JobRun, spec: DemoSpec) -> JobResult:
    """Put the facts there and ask about them. Raises as `answer_job.run` does."""
    return answer_job.run(work, demo_setup.prepare_answering(work.project, spec))
