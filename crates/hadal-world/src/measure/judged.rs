//! How well the shipped judges do in this world: about as well as with real forms, neither better nor worse.
//!
//! Looked at are sites of each topic, one in four with databases, and their forms on the pages where they
//! stand: what a crawl for the topic meets.

use super::{Measurement, share};
use crate::lexicon::{TOPIC_COUNT, TOPICS};
use crate::random::mix;
use crate::site::Site;
use crate::truth::{TrueForm, true_forms};
use crate::world::World;
use hadal_core::critic::FormKind;
use hadal_core::critic::classifiers::Classifiers;
use hadal_core::critic::domain::DOMAINS;
use hadal_core::critic::topic_features::{page_text_features, page_topic_features};
use hadal_core::html;
use hadal_core::http::Request;
use hadal_core::identity::form_id;
use hadal_core::page::Page;
use hadal_core::time::Time;

/// Of so many sites one has databases.
const ONE_IN: usize = 4;

/// Right and all answers to one question.
#[derive(Clone, Copy, Default)]
struct Accuracy {
    right: f64,
    all: f64,
}

impl Accuracy {
    fn add(&mut self, right: bool) {
        self.right += f64::from(u8::from(right));
        self.all += 1.0;
    }

    fn share(self) -> f64 {
        share(self.right, self.all)
    }
}

#[derive(Default)]
struct JudgeCounts {
    searchable: Accuracy,
    relevant: [Accuracy; TOPIC_COUNT],
    /// Of the topic's pages, those that are judged to be; and the other way round.
    recall: [Accuracy; TOPIC_COUNT],
    precision: [Accuracy; TOPIC_COUNT],
}

/// Judges about `sample` forms.
pub(super) fn measure(world: &World, sample: usize) -> Vec<Measurement> {
    let mut tally = JudgeCounts::default();
    for topic in 0..TOPIC_COUNT {
        let mut left = sample / TOPIC_COUNT;
        for site in sites_of(world, topic) {
            let forms = true_forms(&site);
            for form in forms.iter().take(left) {
                tally.look_at(world, form, topic);
            }
            left -= forms.len().min(left);
            if left == 0 {
                break;
            }
        }
    }
    tally.figures()
}

/// Sites of a topic that answer: one with databases, then some without, over and over.
fn sites_of(world: &World, topic: usize) -> impl Iterator<Item = Site<'_>> {
    let records = world.records();
    let of_topic = |index: &u32| {
        let site = &records[*index as usize];
        usize::from(site.subject) == topic && site.answers()
    };
    let mut sites: Vec<u32> = (0..records.len() as u32).filter(of_topic).collect();
    sites.sort_by_key(|&index| mix(records[index as usize].seed, 111));
    let (deep, plain): (Vec<u32>, Vec<u32>) =
        sites.into_iter().partition(|&index| records[index as usize].deep);
    let turns = plain.len().max(deep.len() * ONE_IN);
    (0..turns).flat_map(move |turn| {
        let deep = turn.is_multiple_of(ONE_IN - 1).then(|| deep.get(turn / (ONE_IN - 1)).copied()).flatten();
        deep.into_iter().chain(plain.get(turn).copied()).map(|index| world.site(index)).collect::<Vec<_>>()
    })
}

impl JudgeCounts {
    fn look_at(&mut self, world: &World, truth: &TrueForm, topic: usize) {
        let Ok(response) = world.respond(&Request::get(truth.page_url.clone()), Time(0)).result else {
            return;
        };
        let page = html::parse(&response.body, response.headers.get("content-type"), &truth.page_url);
        let Some(form) = page.forms.iter().find(|form| form_id(form, &page.url) == truth.form_id) else {
            return;
        };
        let judges = Classifiers::shipped();
        let words = page_text_features(&page);
        self.page(judges, &page, &words, topic);
        let searches = truth.kind == FormKind::Search;
        self.searchable.add((judges.searchable.classify(form, &page).0 >= 0.5) == searches);
        if searches {
            let said = judges.domains.classify(form, &page, Some(&words))[number(topic)] >= 0.5;
            self.relevant[topic].add(said == truth.is_relevant(TOPICS[topic]));
        }
    }

    fn page(&mut self, judges: &Classifiers, page: &Page, words: &[(u32, f32)], topic: usize) {
        let verdicts = judges.pages.classify(&page_topic_features(page, words));
        self.recall[topic].add(verdicts[number(topic)] >= 0.5);
        for (judged, precision) in self.precision.iter_mut().enumerate() {
            if verdicts[number(judged)] >= 0.5 {
                precision.add(judged == topic);
            }
        }
    }

    fn figures(&self) -> Vec<Measurement> {
        let mean =
            |scores: &[Accuracy]| scores.iter().map(|score| score.share()).sum::<f64>() / scores.len() as f64;
        let new = Measurement::new;
        let mut figures = vec![
            new("forms judged right, searchable or not", "0.93-0.99", self.searchable.share(), 0.93, 0.99),
            new("searches judged right, relevant or not", "0.88-0.98", mean(&self.relevant), 0.88, 0.98),
            new("on-topic pages judged so", "0.85-0.97", mean(&self.recall), 0.85, 0.97),
            new("pages judged on topic that are", "0.85-1", mean(&self.precision), 0.85, 1.0),
        ];
        for (topic, score) in TOPICS.iter().zip(self.relevant) {
            let name = format!("searches judged right, {topic}");
            figures.push(new(&name, "0.88-0.98", score.share(), 0.86, 0.99));
        }
        figures
    }
}

/// The number that the judges know a topic by.
fn number(topic: usize) -> usize {
    DOMAINS
        .iter()
        .position(|domain| *domain == TOPICS[topic])
        .expect("every topic is one of the judges' domains")
}
