//! One question to many forms: the same words go to the sources chosen, politely and side by side, and
//! their answers come back as one list.
//!
//! [`Asker::ask`] is the function to read first. A source is asked as a harvest asks ([`source`]), one
//! query and one page of its answer; every submission is on record before it is sent. Nothing of what comes
//! back is kept.

mod merge;
mod policy;
mod source;

pub use merge::{Answer, Place};
pub use source::{Outcome, Source};

use crate::fetch::Fetch;
use crate::fetch::politeness::Politeness;
use crate::harvest::opening::{self, NotOpened};
use crate::harvest::{Courier, Purse, TimeKind};
use crate::store::{FormEntry, FormQuery, Store, StoreError};
use futures::future::join_all;
use hadal_core::critic::probe::query_field;
use hadal_core::identity::FormId;
use rustc_hash::FxHashMap;
use serde::Serialize;
use source::Chosen;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;
use utoipa::ToSchema;

/// Forms that one question goes to at most.
pub const MOST_SOURCES: usize = 20;
/// Characters of a question at most.
pub const MOST_WORDS: usize = 200;

/// Who finds the web that a form's answers come from, as [`crate::store::RunSpec::source`] names it.
pub type Carriers = Box<dyn Fn(&str) -> anyhow::Result<(Arc<dyn Fetch>, TimeKind)> + Send + Sync>;

/// How hosts are treated when they are asked.
#[derive(Clone, Debug)]
pub struct Manners {
    /// Pauses.
    pub politeness: Politeness,
    /// The name robots.txt knows us by.
    pub agent: String,
    /// The most bytes of one body.
    pub body_limit: u64,
}

/// Puts questions to forms. Hosts that were asked before are remembered, with their rules and pauses.
pub struct Asker {
    store: Arc<dyn Store>,
    manners: Manners,
    carriers: Carriers,
    webs: Mutex<FxHashMap<String, Web>>,
    stop: watch::Receiver<bool>,
}

/// A web that forms are on.
#[derive(Clone)]
struct Web {
    fetch: Arc<dyn Fetch>,
    time: TimeKind,
    courier: Arc<Courier>,
}

/// Whom to ask.
#[derive(Clone, Debug, PartialEq)]
pub enum Whom {
    /// The best forms of a topic, so many.
    Best(String, usize),
    /// These forms.
    Forms(Vec<FormId>),
}

/// What was asked and what came back.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Answers {
    /// The question.
    pub words: String,
    /// Who was asked, and how that went.
    pub sources: Vec<Source>,
    /// The answers: each source's first, then each source's second, and so on.
    pub answers: Vec<Answer>,
}

/// Why nobody was asked.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// There is nothing to ask.
    #[error("a question has at least one and at most {MOST_WORDS} characters")]
    NoWords,
    /// Too many at once.
    #[error("a question goes to 1 to {MOST_SOURCES} forms")]
    TooMany,
    /// None of them exists.
    #[error("none of these forms is in the store")]
    NoForm,
    /// Nobody knows an answer.
    #[error("no form of the topic '{0}' was found that can be asked")]
    NoSource(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Asker {
    /// An asker who has not asked anybody yet.
    pub fn new(
        store: Arc<dyn Store>,
        manners: Manners,
        carriers: Carriers,
        stop: watch::Receiver<bool>,
    ) -> Asker {
        Asker { store, manners, carriers, webs: Mutex::default(), stop }
    }

    /// Asks, and merges what comes back.
    pub async fn ask(self: &Arc<Self>, words: &str, whom: Whom) -> Result<Answers, AskError> {
        let words = words.trim();
        if words.is_empty() || words.chars().count() > MOST_WORDS {
            return Err(AskError::NoWords);
        }
        let asker = Arc::clone(self);
        let chosen = tokio::task::spawn_blocking(move || asker.open(&whom)).await;
        let chosen = chosen.expect("looking forms up does not panic")?;
        let heard = join_all(chosen.into_iter().map(|source| source.hear(self, words))).await;
        let (sources, records): (Vec<Source>, Vec<_>) = heard.into_iter().unzip();
        Ok(Answers { words: words.to_string(), answers: merge::merged(&sources, records), sources })
    }

    /// The forms that are meant, opened. Of a topic's forms some may not be asked; the next best take their
    /// places. Of those that were named all are told of.
    fn open(&self, whom: &Whom) -> Result<Vec<Chosen>, AskError> {
        let chosen = self.choose(whom)?.into_iter().map(|found| self.open_one(found));
        let Whom::Best(topic, most) = whom else { return chosen.collect() };
        let may_be_asked = |chosen: &Result<Chosen, AskError>| match chosen {
            Ok(chosen) => chosen.opened.as_ref().is_ok_and(|(form, _)| query_field(&form.form).is_some()),
            Err(_) => true,
        };
        let best: Vec<Chosen> = chosen.filter(may_be_asked).take(*most).collect::<Result<_, _>>()?;
        if best.is_empty() { Err(AskError::NoSource(topic.clone())) } else { Ok(best) }
    }

    fn open_one(&self, found: FormEntry) -> Result<Chosen, AskError> {
        let opened = match opening::of_found(self.store.as_ref(), &found) {
            Err(NotOpened::Store(error)) => return Err(error.into()),
            Err(why) => Err(why.to_string()),
            Ok(form) => {
                let web = self.web(&form.source).map_err(|error| error.to_string());
                web.map(|web| (form, web))
            }
        };
        Ok(Chosen { found, opened })
    }

    fn choose(&self, whom: &Whom) -> Result<Vec<FormEntry>, AskError> {
        match whom {
            Whom::Best(_, most) if !(1..=MOST_SOURCES).contains(most) => Err(AskError::TooMany),
            Whom::Best(topic, most) => {
                let query = FormQuery {
                    topic: Some(topic.clone()),
                    min_relevance: 0.5,
                    min_searchable: 0.5,
                    most: most * 4,
                    ..FormQuery::default()
                };
                Ok(self.store.directory(&query)?.forms)
            }
            Whom::Forms(forms) if !(1..=MOST_SOURCES).contains(&forms.len()) => Err(AskError::TooMany),
            Whom::Forms(forms) => {
                let found = forms.iter().map(|form| self.store.found(*form, None));
                let found: Vec<FormEntry> = found.filter_map(Result::transpose).collect::<Result<_, _>>()?;
                if found.is_empty() { Err(AskError::NoForm) } else { Ok(found) }
            }
        }
    }

    /// The web of this name, opened once.
    fn web(&self, source: &str) -> anyhow::Result<Web> {
        let mut webs = self.webs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(web) = webs.get(source) {
            return Ok(web.clone());
        }
        let (fetch, time) = (self.carriers)(source)?;
        let courier = Arc::new(self.courier(&fetch));
        let web = Web { fetch, time, courier };
        webs.insert(source.to_string(), web.clone());
        Ok(web)
    }

    fn courier(&self, fetch: &Arc<dyn Fetch>) -> Courier {
        let Manners { politeness, agent, body_limit } = &self.manners;
        let (fetch, stop) = (Arc::clone(fetch), self.stop.clone());
        Courier::new(fetch, *politeness, agent, *body_limit, Purse::default(), stop)
    }
}
