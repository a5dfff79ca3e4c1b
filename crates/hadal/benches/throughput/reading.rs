//! Cost of reading answers: records, total and next page, beside parsing.

use super::{Anyhow, cpu, say};
use hadal_core::harvest::answer::{AnswerReader, AnswerSample};
use hadal_core::harvest::query::Query;
use hadal_core::html::{self, Document};
use hadal_core::http::Request;
use hadal_core::time::Time;
use hadal_world::database::{Arrangement, CollectionSpec, Database, DatabaseConfig, Layout, Pager};
use std::sync::Arc;
use url::Url;

/// Query words per layout; the first answers are for learning.
const WORDS: usize = 12;
const LEARNED: usize = 5;
/// Number of repetitions.
const ROUNDS: usize = 30;

/// An answer with its query.
struct Answered {
    body: Vec<u8>,
    url: Url,
    query: Query,
}

impl Answered {
    fn document(&self) -> Document {
        html::parse_with_outline(&self.body, Some("text/html"), &self.url)
    }
}

/// CPU time of parsing alone, and of parsing with outline and reading.
pub fn read_all() -> Anyhow<()> {
    let forms: Vec<Vec<Answered>> =
        Arrangement::ALL.into_iter().enumerate().map(answers).collect::<Anyhow<_>>()?;
    let readers: Vec<AnswerReader> = forms.iter().map(|answers| learned(&answers[..LEARNED])).collect();
    let pages = (forms.len() * WORDS * ROUNDS) as f64;
    let (start, mut links) = (cpu()?, 0);
    for answer in (0..ROUNDS).flat_map(|_| forms.iter().flatten()) {
        links += html::parse(&answer.body, Some("text/html"), &answer.url).links.len();
    }
    let parsed = cpu()? - start;
    let (start, mut records) = (cpu()?, 0);
    for _ in 0..ROUNDS {
        for (reader, answers) in readers.iter().zip(&forms) {
            let read = |answer: &Answered| reader.read(&answer.document(), 200, &answer.query).records.len();
            records += answers.iter().map(read).sum::<usize>();
        }
    }
    let read = cpu()? - start;
    anyhow::ensure!(links > 0 && records > 0, "the answers hold nothing");
    say("answers parsed", pages / parsed, "pages/CPU-s");
    say("answers parsed and read", pages / read, "pages/CPU-s");
    say("reading to parsing once", read / parsed, "times");
    Ok(())
}

fn learned(answers: &[Answered]) -> AnswerReader {
    let documents: Vec<Document> = answers.iter().map(Answered::document).collect();
    let samples: Vec<AnswerSample<'_>> = documents
        .iter()
        .zip(answers)
        .map(|(document, answer)| AnswerSample { document, status: 200, query: &answer.query })
        .collect();
    AnswerReader::learn(&samples)
}

/// Answers of one layout to frequent words of its records.
fn answers((at, arrangement): (usize, Arrangement)) -> Anyhow<Vec<Answered>> {
    let collection =
        Arc::new(CollectionSpec { records: 2_000, seed: 9, ..CollectionSpec::default() }.generate());
    let layout = Layout {
        seed: at as u64,
        arrangement,
        pager: Pager::ALL[at % Pager::ALL.len()],
        ..Layout::default()
    };
    let database = Database::new(
        Arc::clone(&collection),
        DatabaseConfig { layout, page_size: 20, ..DatabaseConfig::default() },
    );
    let home = Url::parse("http://db.example/")?;
    let page = html::parse(&database.respond(&Request::get(home.clone()), Time(0)).body, None, &home);
    let form = page.forms.first().ok_or_else(|| anyhow::anyhow!("no form"))?;
    let field = form.fields.iter().position(|field| field.kind.is_textual());
    let field = field.ok_or_else(|| anyhow::anyhow!("no box"))?;
    let words =
        (0..).filter_map(|number| collection.record(number)?.title.split(' ').next().map(String::from));
    let asked = words.take(WORDS).map(|word| {
        let filling = hadal_core::submission::FilledForm::of(field, &word);
        let request = hadal_core::submission::submission(form, &filling, "utf-8");
        let body = database.respond(&request, Time(0)).body;
        Answered { body, url: request.url, query: Query::words(&word) }
    });
    Ok(asked.collect())
}
