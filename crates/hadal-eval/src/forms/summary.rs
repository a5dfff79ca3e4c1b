//! Figures as sections of a report.

use super::domains::FeatureSetFigures;
use super::unseen::UnseenFigures;
use super::{BinaryFigures, Disagreement, FormFigures};
use hadal::output::sections::{Section, headings};
use hadal_core::learn::metrics::ReliabilityBin;
use hadal_core::learn::resampling::BootstrapInterval;

/// All sections in reading order.
pub fn sections(figures: &FormFigures) -> Vec<Section> {
    let mut sections = vec![searchable(figures), wrong(figures), domains(figures)];
    sections.extend(figures.domains.readings.iter().map(each_domain));
    sections.extend([wrong_domains(figures), pages(figures)]);
    sections.push(unseen("Relevant forms on sites that the critic has not seen", &figures.unseen));
    let halves = figures.halves.as_ref();
    sections.extend(halves.map(|halves| unseen("The same, trained on one half of the sites", halves)));
    sections.push(few(figures));
    sections
}

fn shown(interval: &BootstrapInterval) -> String {
    format!("{:.3} ({:.3}-{:.3})", interval.estimate, interval.low, interval.high)
}

fn points(curve: &[ReliabilityBin]) -> Vec<(f64, f64)> {
    curve.iter().map(|bin| (bin.mean, bin.share)).collect()
}

fn searchable(figures: &FormFigures) -> Section {
    let found = &figures.searchable;
    let row = |row: &BinaryFigures| {
        let figures = [&row.precision, &row.recall, &row.f1, &row.error].map(shown);
        let last = [format!("{:.4}", row.auc), format!("{:.4}", row.calibration)];
        std::iter::once(row.name.clone()).chain(figures).chain(last).collect()
    };
    Section {
        title: "Search form or not".into(),
        note: format!(
            "{} forms, {} of them searches, ten given folds by site. Accuracy of kinds: {:.3}.",
            found.forms, found.searches, found.kind_accuracy
        ),
        headings: headings(&["judge", "precision", "recall", "F1", "error", "AUC", "calibration error"]),
        rows: found.rows.iter().map(row).collect(),
        curves: found.rows.iter().map(|row| (row.name.clone(), points(&row.curve))).collect(),
        charts: Vec::new(),
    }
}

fn disagreements(title: &str, note: String, errors: &[Disagreement]) -> Section {
    let row = |error: &Disagreement| {
        let p = format!("{:.2}", error.p);
        let words = [&error.name, &error.label, &error.judged].map(String::clone);
        words.into_iter().chain([p, error.place.clone(), error.text.clone()]).collect()
    };
    Section {
        title: title.into(),
        note,
        headings: headings(&["form", "label", "judged", "p", "title | heading", "text"]),
        rows: errors.iter().map(row).collect(),
        curves: Vec::new(),
        charts: Vec::new(),
    }
}

fn wrong(figures: &FormFigures) -> Section {
    let note = format!(
        "p is P(search), surest first. Of the first {} the judge, which never saw the site, is surer than 0.9: \
         labels to look at again. None is dropped.",
        figures.searchable.doubtful
    );
    disagreements("Where ours and the label disagree", note, &figures.searchable.errors)
}

fn domains(figures: &FormFigures) -> Section {
    let found = &figures.domains;
    let row = |reading: &FeatureSetFigures| {
        let of = [&reading.accuracy, &reading.accuracy_averaged, &reading.one_vs_rest, &reading.macro_f1];
        let figures = of.map(shown);
        let name = std::iter::once(reading.name.to_string());
        name.chain(figures).chain([format!("{:.4}", reading.calibration)]).collect()
    };
    Section {
        title: "Which domain a search form searches".into(),
        note: format!(
            "{} forms with a label surer than 0.8, ten folds by site. Averages are over {}; \"of 13\" is the share \
             of forms given exactly their domain, \"one-vs-rest\" the mean accuracy of yes-or-no decisions.",
            found.forms,
            found.averaged.join(", ")
        ),
        headings: headings(&[
            "read",
            "of 13",
            "of 13, averaged domains",
            "one-vs-rest",
            "macro F1",
            "calibration error",
        ]),
        rows: found.readings.iter().map(row).collect(),
        curves: found.readings.iter().map(|r| (r.name.to_string(), points(&r.curve))).collect(),
        charts: Vec::new(),
    }
}

fn each_domain(reading: &FeatureSetFigures) -> Section {
    let rows = reading.each.iter().map(|one| {
        let figures = [&one.precision, &one.recall, &one.f1].map(shown);
        [one.domain.to_string(), one.forms.to_string()].into_iter().chain(figures).collect()
    });
    Section {
        title: format!("Each domain, {}", reading.name),
        note: "Intervals are wide where forms are few.".into(),
        headings: headings(&["domain", "forms", "precision", "recall", "F1"]),
        rows: rows.collect(),
        curves: Vec::new(),
        charts: Vec::new(),
    }
}

fn wrong_domains(figures: &FormFigures) -> Section {
    let reading = figures.domains.readings.last();
    let errors = reading.map_or(&[][..], |reading| &reading.errors);
    disagreements(
        "Forms with a wrong domain, read with their page",
        "p is of the domain judged.".into(),
        errors,
    )
}

fn pages(figures: &FormFigures) -> Section {
    let found = &figures.pages;
    let rows = found.judges.iter().map(|judge| {
        let of = [&judge.against_other, &judge.sites_against_other, &judge.on_or_off, &judge.accuracy];
        let figures = of.map(shown);
        let name = std::iter::once(judge.name.to_string());
        name.chain(figures).chain([format!("{:.4}", judge.calibration)]).collect()
    });
    Section {
        title: "What a page is about".into(),
        note: format!(
            "{} pages of {} sites, labelled by site; folds by site; means over the twelve domains.",
            found.pages, found.sites
        ),
        headings: headings(&[
            "judge",
            "pages against \"other\"",
            "sites against \"other\"",
            "on or off topic",
            "of 13",
            "calibration error",
        ]),
        rows: rows.collect(),
        curves: found.judges.iter().map(|judge| (judge.name.to_string(), points(&judge.curve))).collect(),
        charts: Vec::new(),
    }
}

fn unseen(title: &str, found: &UnseenFigures) -> Section {
    let all = vec!["all".into(), String::new(), shown(&found.recognised), shown(&found.precision)];
    let each = found.each.iter().map(|each| {
        vec![each.domain.into(), each.forms.to_string(), shown(&each.recognised), shown(&each.precision)]
    });
    Section {
        title: title.into(),
        note: format!(
            "Recognised: P(relevant) >= 0.5. Precision: over forms of all kinds. Searchable or not on these sites: \
             F1 {}, error {}, \
             calibration error {:.4}. Calibration error of the domains {:.4}.",
            shown(&found.searchable.f1),
            shown(&found.searchable.error),
            found.searchable.calibration,
            found.domain_calibration
        ),
        headings: headings(&["domain", "forms", "recognised", "precision"]),
        rows: std::iter::once(all).chain(each).collect(),
        curves: Vec::new(),
        charts: Vec::new(),
    }
}

fn few(figures: &FormFigures) -> Section {
    let rows = figures.few.iter().map(|few| {
        let examples = [few.supported_precision, few.supported_recall, few.precision, few.recall, few.f1];
        let figures = examples.into_iter().chain([few.f1_words, few.f1_built_in, few.share]);
        let figures = figures.map(|figure| format!("{figure:.3}"));
        std::iter::once(few.domain.to_string()).chain(figures).collect()
    });
    Section {
        title: "Topics from five examples".into(),
        note: "Over three draws of examples; examples, background and tests are of different sites. With the support \
               of a built-in topic, as topics new makes them, and without."
            .into(),
        headings: headings(&[
            "topic",
            "precision with support",
            "recall with support",
            "precision",
            "recall",
            "F1",
            "F1 of its name alone",
            "F1 built in",
            "share of built in",
        ]),
        rows: rows.collect(),
        curves: Vec::new(),
        charts: Vec::new(),
    }
}
