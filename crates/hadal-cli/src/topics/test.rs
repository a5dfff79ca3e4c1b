//! `hadal topics test`: tests a topic on a labelled folder.

use crate::exit::Exit;
use crate::session::Session;
use clap::Args;
use hadal::output::escape::{for_json, for_terminal};
use hadal::output::table::Table;
use hadal::topic::labelled;
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::critic::trained::TrainedCritic;
use hadal_core::learn::metrics::ConfusionMatrix;
use hadal_core::learn::resampling::{BootstrapInterval, RESAMPLES, bootstrap_interval};
use serde::Serialize;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

/// Test a topic on a labelled folder: confusion table, precision, recall, F1
///
/// The folder has relevant/*.html, pages whose most searchable form is of the topic, and other/*.html, where it
/// is not. Intervals are 95 % bootstrap intervals over sites, or over files if the site is unknown.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  hadal topics test recipes --from labelled\n  hadal topics test book --from labelled --json"
)]
pub struct TestArgs {
    /// Topic: yours, a built-in one, or words in quotes
    name: String,
    /// Folder with relevant/*.html and other/*.html
    #[arg(long, value_name = "DIR")]
    from: PathBuf,
}

/// A judged page.
struct Judged {
    file: String,
    group: String,
    relevant: bool,
    p: f32,
}

/// Figures of a test; undefined ones are null.
#[derive(Serialize)]
struct Figures {
    precision: BootstrapInterval,
    recall: BootstrapInterval,
    f1: BootstrapInterval,
}

pub fn run(args: &TestArgs, session: &Session) -> anyhow::Result<Exit> {
    let resolved = crate::session::resolve_topic(&args.name, session)?;
    let critic = TrainedCritic::new(resolved.target);
    let judge = |page: labelled::LabelledPage| Judged {
        file: page.path.display().to_string(),
        group: page.group(),
        relevant: page.relevant,
        p: page.p_relevant(&critic),
    };
    let judged: Vec<Judged> = labelled::read(&args.from)?.into_iter().map(judge).collect();
    let (table, figures) = (confusion(judged.iter()), figures(&judged, session.seed));
    let text = match session.json {
        true => event(&resolved.topic.name, &judged, &table, &figures),
        false => report(&judged, &table, &figures, session),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Exit::Done)
}

fn confusion<'a>(judged: impl Iterator<Item = &'a Judged>) -> ConfusionMatrix {
    let (p, labels): (Vec<f32>, Vec<bool>) = judged.map(|judged| (judged.p, judged.relevant)).unzip();
    ConfusionMatrix::binary(&p, &labels, 0.5)
}

fn figures(judged: &[Judged], seed: u64) -> Figures {
    let groups: Vec<&str> = judged.iter().map(|judged| judged.group.as_str()).collect();
    let of = |figure: fn(&ConfusionMatrix) -> f64| {
        bootstrap_interval(&groups, RESAMPLES, seed, |rows| {
            figure(&confusion(rows.iter().map(|&row| &judged[row])))
        })
    };
    Figures {
        precision: of(|table| table.precision(1)),
        recall: of(|table| table.recall(1)),
        f1: of(|table| table.f1(1)),
    }
}

fn event(topic: &str, judged: &[Judged], table: &ConfusionMatrix, figures: &Figures) -> String {
    let row = |truth| json!({ "relevant": table.count(truth, 1), "other": table.count(truth, 0) });
    let wrong: Vec<_> = wrong(judged)
        .map(|judged| json!({ "file": judged.file, "relevant": judged.relevant, "p": judged.p }))
        .collect();
    let event = json!({
        "topic": topic, "pages": judged.len(),
        "confusion": { "relevant": row(1), "other": row(0) },
        "precision": figures.precision, "recall": figures.recall, "f1": figures.f1,
        "wrong": wrong,
    });
    for_json(event.to_string()) + "\n"
}

fn wrong(judged: &[Judged]) -> impl Iterator<Item = &Judged> {
    judged.iter().filter(|judged| (judged.p >= MIN_ACCEPTED_P) != judged.relevant)
}

fn report(judged: &[Judged], table: &ConfusionMatrix, figures: &Figures, session: &Session) -> String {
    let mut counts = Table::new(&["labelled", "judged relevant", "judged other"], session.stdout());
    [1, 2].into_iter().for_each(|column| counts.right(column));
    for (label, truth) in [("relevant", 1), ("other", 0)] {
        counts.row([label, &table.count(truth, 1).to_string(), &table.count(truth, 0).to_string()]);
    }
    let mut text = format!("{counts}\n");
    for (name, figure) in
        [("precision", &figures.precision), ("recall", &figures.recall), ("F1", &figures.f1)]
    {
        text.push_str(&format!("{name:<10} {}\n", interval_text(figure)));
    }
    for judged in wrong(judged) {
        let taken = if judged.relevant { "missed" } else { "judged relevant" };
        text.push_str(&format!("{taken}: {} ({:.2})\n", for_terminal(&judged.file), judged.p));
    }
    text
}

fn interval_text(figure: &BootstrapInterval) -> String {
    match figure.estimate.is_nan() {
        true => "undefined".to_string(),
        false => format!("{:.2} ({:.2} to {:.2})", figure.estimate, figure.low, figure.high),
    }
}
