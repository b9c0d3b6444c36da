"""A matplotlib figure that shows itself, in a fresh kernel as beside `%matplotlib inline`; it belongs to no window."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from typing import Any

from matplotlib import style
from matplotlib.figure import Figure

_PER_INCH = 72  # of the page, for each inch of the figure; the picture itself is twice as fine


class Sheet(Figure):
    """A `Figure` with a rich display. `savefig`, `axes` and all else are matplotlib's."""

    def encoded(self, kind: str) -> bytes:
        """The picture as a file of this kind, on white: it can be read on a dark page as well.

        Args:
            kind: `"png"`, `"svg"`, or another that matplotlib writes.
        """
        file = BytesIO()
        # the same figure, the same file: no date, no random names
        metadata = {"Date": None} if kind == "svg" else None
        with style.context(["default", {"svg.hashsalt": "nbmodule"}]):
            self.savefig(file, format=kind, dpi=2 * _PER_INCH, facecolor="white", metadata=metadata)
        return file.getvalue()

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, str], dict[str, dict[str, int]]]:
        """One picture. Where `%matplotlib inline` has registered another, this one takes its place."""
        width, height = (round(_PER_INCH * inches) for inches in self.get_size_inches())
        size = {"width": width, "height": height}
        picture = b64encode(self.encoded("png")).decode()
        return {"image/png": picture, "text/plain": repr(self)}, {"image/png": size}
