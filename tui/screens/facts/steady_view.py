"""A line view that takes in another number of rows without a new layout of the screen."""

from tui.widgets.line_view import LineView


class SteadyView(LineView):
    """The scroll bar keeps its column even where there is nothing to scroll.

    So another number of rows moves nothing on the screen, and laying it out anew, which takes
    longer than painting, can be left out.
    """

    DEFAULT_CSS = "SteadyView { overflow-y: scroll; }"
