"""What learners see: examples and comparisons, with weights, in a :class:`Dataset` that is checked when it is made."""

from hassle.data.comparisons import Comparison, Comparisons
from hassle.data.dataset import Dataset, Example
from hassle.data.labels import LABEL_WORDS, LABELS, Label, as_label
from hassle.data.partial import Partial
from hassle.data.weights import as_weight

__all__ = [
    "LABELS",
    "LABEL_WORDS",
    "Comparison",
    "Comparisons",
    "Dataset",
    "Example",
    "Label",
    "Partial",
    "as_label",
    "as_weight",
]
