#!/usr/bin/env python3
"""Measure Formasaurus 0.10.0 as a search form classifier on fixed folds.

For each of the ten folds, Formasaurus's own form type model (its default
features and learner, all form types) is trained on the other nine folds and
classifies the forms of the fold. The form types are then reduced to "search"
(label s) against the rest, and the folds are pooled into one table row.

    python formasaurus_folds.py --data DIR --output formasaurus.json

DIR holds formasaurus-folds.tsv and either formasaurus/ (index.json,
config.json, html/) or formasaurus-autopager.tar.zst, which then needs `tar`
and `zstd` on the PATH. No network access is needed once installed.
"""
# Tried with Python 3.11.7 and these packages; scikit-learn 1.5.2 with lxml 5.3.0
# gives the same row. scikit-learn announces that 1.10 removes an argument which
# Formasaurus 0.10.0 passes, so keep it below that.
# requirements:
#   formasaurus==0.10.0
#   scikit-learn==1.9.1
#   sklearn-crfsuite==0.5.0
#   numpy==2.4.6
#   scipy==1.17.1
#   lxml==6.1.3

import argparse
import csv
import json
import subprocess
import tempfile
import warnings
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path

from formasaurus.annotation import FormAnnotation
from formasaurus.classifiers import FormClassifier
from formasaurus.html import get_field_names, get_fields_to_annotate, get_forms
from formasaurus.storage import Storage

SEARCH = "s"
ARCHIVE = "formasaurus-autopager.tar.zst"


def find_pages(data, scratch):
    """Return the directory of the annotated pages, unpacking it if need be."""
    if (data / "formasaurus" / "index.json").is_file():
        return data / "formasaurus"
    archive = data / ARCHIVE
    if not archive.is_file():
        raise SystemExit(f"{data}: neither formasaurus/ nor {ARCHIVE} is here")
    # tarfile reads zstd only from Python 3.14 on, hence the external tar.
    subprocess.run(
        ["tar", "--zstd", "-xf", archive, "-C", scratch, "formasaurus"], check=True
    )
    return Path(scratch) / "formasaurus"


def load_annotations(pages, folds_file):
    """Return a list of (fold, FormAnnotation), in the order of the folds file."""
    # The folds file already names the forms left after removing duplicates.
    # Storage.iter_annotations would remove them again, and would ask tldextract
    # for domains, which fetches a list from the network on first use.
    storage = Storage(str(pages))
    index = storage.get_index()
    form_schema, field_schema = storage.get_form_schema(), storage.get_field_schema()
    forms, annotations = {}, []
    with open(folds_file, encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows, delimiter="\t"):
            page, position = row["page"], int(row["form_index"])
            info = index[page]
            if page not in forms:
                forms[page] = get_forms(storage.get_tree(page, info))
            form = forms[page][position]
            # Rare types count as "other", as when Formasaurus trains itself.
            label = info["forms"][position]
            label = form_schema.simplify_map.get(label, label)
            # Versions of libxml2 differ in the forms they find in broken markup
            # (2.14 finds one more at the end of five pages), so make sure by the
            # field names that this is the form which was annotated.
            names = set(get_field_names(get_fields_to_annotate(form)))
            annotated = set(info["visible_html_fields"][position])
            if label != row["label"] or names != annotated:
                raise SystemExit(f"{page} form {position}: folds and pages disagree")
            annotation = FormAnnotation(
                form, label, position, info, page, form_schema, field_schema
            )
            annotations.append((int(row["fold"]), annotation))
    return annotations


def cross_predict(annotations):
    """Return one prediction per form, each by a model that never saw its fold."""
    by_fold = defaultdict(list)
    for fold, annotation in annotations:
        by_fold[fold].append(annotation)
    found = {}
    for fold, held_out in sorted(by_fold.items()):
        # Every model of Formasaurus shares one set of vectorizers, so training
        # the next one breaks the last: predict before going on to the next fold.
        classifier = FormClassifier(full_type_names=False)
        classifier.train([a for other, a in annotations if other != fold])
        types = list(classifier.classes)
        rows = classifier.model.predict_proba([a.form for a in held_out])
        for a, row in zip(held_out, rows):
            found[a.key, a.index] = {
                "page": a.key,
                "form_index": a.index,
                "label": a.type,
                "p_search": round(float(row[types.index(SEARCH)]), 6),
                # The likeliest type, as FormClassifier.classify answers, which
                # is not the same as p_search >= 0.5.
                "predicted": str(types[row.argmax()]),
            }
    return [found[a.key, a.index] for _, a in annotations]


def score(predictions):
    """Return precision, recall, F1 and error rate of search against the rest."""
    pairs = [(p["label"] == SEARCH, p["predicted"] == SEARCH) for p in predictions]
    hits, false_alarms = pairs.count((True, True)), pairs.count((False, True))
    misses = pairs.count((True, False))
    return {
        "precision": hits / (hits + false_alarms),
        "recall": hits / (hits + misses),
        "f1": 2 * hits / (2 * hits + false_alarms + misses),
        "error": (false_alarms + misses) / len(pairs),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    parser.add_argument("--output", type=Path, required=True, metavar="FILE")
    args = parser.parse_args()
    # The argument named above; one warning per fold says nothing new.
    warnings.filterwarnings("ignore", "'penalty' was deprecated", FutureWarning)
    with tempfile.TemporaryDirectory() as scratch:
        pages = find_pages(args.data, scratch)
        annotations = load_annotations(pages, args.data / "formasaurus-folds.tsv")
    predictions = cross_predict(annotations)
    result = {"tool": "formasaurus", "version": version("formasaurus"),
              "forms": len(predictions), "predictions": predictions,
              **score(predictions)}
    args.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print("{tool} {version}: {forms} forms, precision {precision:.3f}, recall "
          "{recall:.3f}, F1 {f1:.3f}, error {error:.2%}".format(**result))


if __name__ == "__main__":
    main()
