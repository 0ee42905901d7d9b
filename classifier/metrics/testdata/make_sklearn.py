"""Writes sklearn.json: what scikit-learn says about scores and labels.

Run as `python3 make_sklearn.py > sklearn.json`. Tests read the file and need no Python.
NaN is null. A string in the place of a number is the exception that scikit-learn raises.
"""
import json
import warnings

import numpy
import sklearn
from sklearn import metrics
from sklearn.calibration import calibration_curve

warnings.filterwarnings("ignore")
generator = numpy.random.default_rng(7)


def null(value):
    return None if numpy.isnan(value) else float(value)


def attempt(function):
    try:
        value = function()
    except Exception as error:
        return type(error).__name__
    if isinstance(value, tuple):
        return [[null(v) for v in column] for column in value]
    return null(value)


def decisions(labels, predicted):
    return {key: attempt(function) for key, function in {
        "accuracy": lambda: metrics.accuracy_score(labels, predicted),
        "balanced_accuracy": lambda: metrics.balanced_accuracy_score(labels, predicted),
        "precision": lambda: metrics.precision_score(labels, predicted, pos_label=1),
        "recall": lambda: metrics.recall_score(labels, predicted, pos_label=1),
        "specificity": lambda: metrics.recall_score(labels, predicted, pos_label=-1),
        "f1": lambda: metrics.f1_score(labels, predicted, pos_label=1),
        "mcc": lambda: metrics.matthews_corrcoef(labels, predicted),
    }.items()}


def confusion(tn, fp, fn, tp):
    """The measures of so many rows of each kind."""
    labels, predicted = [-1] * (tn + fp) + [1] * (fn + tp), [-1] * tn + [1] * fp + [-1] * fn + [1] * tp
    return {"name": f"TN {tn}, FP {fp}, FN {fn}, TP {tp}", "confusion": [tn, fp, fn, tp], **decisions(labels, predicted)}


def measure(name, scores, labels, threshold=0.0):
    scores = numpy.asarray(scores, dtype=numpy.float64)
    labels = numpy.asarray(labels, dtype=int)
    p = 1 / (1 + numpy.exp(-scores))
    predicted = numpy.where(scores >= threshold, 1, -1)

    def roc():
        fpr, tpr, thresholds = metrics.roc_curve(labels, scores, drop_intermediate=False)
        return fpr, tpr, thresholds[1:]  # the first one is made up, and differs between versions

    case = {"name": name, "scores": scores.tolist(), "labels": labels.tolist(), "threshold": threshold, "probabilities": p.tolist()}
    case["confusion"] = metrics.confusion_matrix(labels, predicted, labels=[-1, 1]).ravel().tolist()  # tn, fp, fn, tp
    case.update(decisions(labels, predicted))
    for key, function in {
        "auc": lambda: metrics.roc_auc_score(labels, scores),
        "average_precision": lambda: metrics.average_precision_score(labels, scores),
        "log_loss": lambda: metrics.log_loss(labels, p, labels=[-1, 1]),
        "brier": lambda: metrics.brier_score_loss(labels, p, pos_label=1),
        "roc": roc,
        "precision_recall": lambda: metrics.precision_recall_curve(labels, scores, pos_label=1),
        "uniform_5": lambda: calibration_curve(labels, p, n_bins=5, pos_label=1),
        "uniform_10": lambda: calibration_curve(labels, p, n_bins=10, pos_label=1),
        "quantile_4": lambda: calibration_curve(labels, p, n_bins=4, pos_label=1, strategy="quantile"),
        "quantile_7": lambda: calibration_curve(labels, p, n_bins=7, pos_label=1, strategy="quantile"),
    }.items():
        case[key] = attempt(function)
    return case


def calibrate(name, p, labels, bins, strategy):
    """Probabilities that are edges of bins, which logits seldom make."""
    observed, predicted = calibration_curve(labels, p, n_bins=bins, pos_label=1, strategy=strategy)
    return {"name": name, "probabilities": list(map(float, p)), "labels": list(labels), "bins": bins,
            "strategy": strategy, "observed": observed.tolist(), "predicted": predicted.tolist()}


def random(n, share, informative, decimals=None):
    labels = numpy.where(generator.random(n) < share, 1, -1)
    scores = generator.normal(size=n) * 2 + informative * labels
    return (scores if decimals is None else scores.round(decimals)), labels


alternating = [1 if i % 3 == 0 else -1 for i in range(41)]
print(json.dumps({
    "made_with": f"scikit-learn {sklearn.__version__}, NumPy {numpy.__version__}, by make_sklearn.py beside this file",
    "cases": [
        measure("one pair wrong", [3, 2, -1, 1, -2, -3], [1, 1, 1, -1, -1, -1]),
        measure("ties", [2, 1, 1, 2, 2, 1], [1, 1, -1, -1, 1, -1], 2),
        measure("all equal", [0.5, 0.5, 0.5, 0.5], [1, -1, -1, 1]),
        measure("all equal and below", [-0.5, -0.5, -0.5], [1, -1, -1]),
        measure("a score of 0", [0, 0, 1, -1], [1, -1, 1, -1]),
        measure("perfect", [-3, -2, 2, 3], [-1, -1, 1, 1]),
        measure("all wrong", [3, 2, -2, -3], [-1, -1, 1, 1]),
        measure("certain and wrong", [800, -800, 40, -40, 800], [-1, 1, -1, 1, 1]),
        measure("two rows", [1, 2], [-1, 1], 1.5),
        measure("random", *random(101, 0.4, 0.8)),
        measure("random, imbalanced", *random(200, 0.06, 1.0), -1.25),
        measure("random, many ties", *random(150, 0.5, 0.5, 0)),
        measure("random, some ties", *random(150, 0.7, 1.5, 1), 0.3),
        measure("noise", *random(64, 0.5, 0.0)),
        measure("only positive", [1, -2, 0.5], [1, 1, 1]),
        measure("only negative", [1, -2, 0.5], [-1, -1, -1]),
        measure("only negative, all right", [-1, -2], [-1, -1]),
        measure("one row", [1.5], [1]),
    ] + [
        # Each labelling with each way to predict, by scores of which some, all or none differ.
        measure(f"edge: {which} labels, {kind} scores, threshold {threshold}", scores, labels[:len(scores)], threshold)
        for which, labels in (("mixed", [1, -1, 1, -1]), ("positive", [1] * 4), ("negative", [-1] * 4))
        for kind, scores in (("equal", [0.5] * 4), ("tied", [1, 1, -1, -1]), ("distinct", [-1, 2, 1, -2]), ("single", [0.5]))
        for threshold in (-3.0, 0.5, 3.0)  # none is predicted negative, some are, none is predicted positive
    ],
    # Every confusion matrix of few rows, with and without any of the four kinds.
    "confusions": [confusion(tn, fp, fn, tp) for tn in (0, 1, 3) for fp in (0, 1, 2) for fn in (0, 1, 2) for tp in (0, 1, 3)],
    "calibration": [
        calibrate(f"{strategy} {bins} on {step}", numpy.arange(step + 1) / step, alternating[:step + 1], bins, strategy)
        for strategy in ("uniform", "quantile") for bins in (1, 3, 7, 10) for step in (10, 20, 40)
    ] + [
        calibrate(f"quantile {bins} of {rows} rows", numpy.linspace(0, 1, rows), alternating[:rows], bins, "quantile")
        for bins, rows in ((3, 4), (6, 7), (7, 8), (9, 10), (12, 25))
    ] + [
        # Edges that rounding puts just above or below a probability.
        calibrate("quantile 3 of four rows", [0, 0.4, 0.55, 0.6], [1, -1, 1, -1], 3, "quantile"),
        calibrate("quantile of few values", [0.2, 0.2, 0.2, 0.7, 0.7, 0.2, 0.7], [1, -1, -1, 1, 1, -1, -1], 5, "quantile"),
    ],
}, allow_nan=False).replace('{"name"', '\n{"name"'))
