"""Writes baseline.json: the mean AUC over five folds that scikit-learn reaches on the tables of this folder.

Run as `python3 baseline.py > baseline.json`. Tests read the file and need no Python.
folds.json has the fold in which each row is tested. Every classifier has scikit-learn's default options, but for
the iterations of the logistic regression, which are enough to converge. What depends on a seed is the mean over three.
"""
import csv
import gzip
import json
import pathlib
import platform
import warnings

import numpy
import sklearn
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

warnings.filterwarnings("ignore")  # the network stops before it converges
FOLDER = pathlib.Path(__file__).parent

# The label's column, and the columns of categories, counted from 0.
TABLES = {
    "heart.data": (13, [2, 6, 10, 12]),
    "diabetes.csv.gz": (20, [0, 2, 3, 5, 7]),
    "votes.data": (0, range(1, 17)),
    "ionosphere.data": (34, []),
    "sonar.data": (60, []),
    "spambase.data.gz": (57, []),
}
CLASSIFIERS = {
    "logistic_regression": lambda seed: LogisticRegression(max_iter=1000),
    "mlp": lambda seed: MLPClassifier(random_state=seed),
}


def read(name, label, categories):
    opener = gzip.open if name.endswith(".gz") else open
    with opener(FOLDER / name, "rt") as file:
        rows = list(csv.reader(file))[name == "diabetes.csv.gz" :]  # only this has a header
    labels = [row.pop(label) for row in rows]
    columns = [i for i in range(len(rows[0]) + 1) if i != label]
    value = lambda cell, column: numpy.nan if cell in ("", "?") else cell if column in categories else float(cell)
    x = numpy.array([[value(cell, column) for cell, column in zip(row, columns)] for row in rows], dtype=object)
    y = numpy.array(labels) == max(labels)
    of_kind = lambda kind: [i for i, column in enumerate(columns) if (column in categories) == kind]
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    texts = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore"))
    return x, y, make_column_transformer((numbers, of_kind(False)), (texts, of_kind(True)))


def auc(pipeline, x, y, folds):
    values = []
    for fold in sorted(set(folds)):
        pipeline.fit(x[folds != fold], y[folds != fold])
        values.append(roc_auc_score(y[folds == fold], pipeline.predict_proba(x[folds == fold])[:, 1]))
    return numpy.mean(values)


all_folds = json.loads((FOLDER / "folds.json").read_text())
tables = {}
for name, (label, categories) in TABLES.items():
    x, y, encoder = read(name, label, categories)
    folds = numpy.array(list(all_folds[name]))
    tables[name] = {
        classifier: round(float(numpy.mean([auc(make_pipeline(encoder, make(seed)), x, y, folds) for seed in range(3)])), 4)
        for classifier, make in CLASSIFIERS.items()
    }
versions = {"python": platform.python_version(), "numpy": numpy.__version__, "scikit-learn": sklearn.__version__}
print(json.dumps({"versions": versions, "auc": tables}, indent=1))
