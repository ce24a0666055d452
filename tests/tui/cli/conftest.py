"""The fake model server, for commands that ask one."""

from tests.core.providers.conftest import fake

__all__ = ["fake"]
