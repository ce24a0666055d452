"""The smallest Textual program that answers keys: what the screens are measured against."""

from textual.app import App, ComposeResult
from textual.events import Key
from textual.widgets import Static


class Hello(App[None]):
    """Says hello, and how many keys it has seen."""

    seen = 0

    def compose(self) -> ComposeResult:
        yield Static("Hello, world")

    def on_key(self, event: Key) -> None:
        self.seen += 1
        self.query_one(Static).update(f"Hello, {self.seen} keys")


if __name__ == "__main__":
    Hello().run()
