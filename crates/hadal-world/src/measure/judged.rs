//! Accuracy of the shipped classifiers in the simulated web. It should equal their accuracy on real forms.
//!
//! The sample consists of the forms that a crawl for a topic sees: sites of the topic, one in four of them deep.

use super::{Measurement, share};
use crate::lexicon::{TOPIC_COUNT, TOPICS};
use crate::random::mix;
use crate::site::Site;
use crate::truth::{TrueForm, true_forms};
use crate::world::World;
use hadal_core::critic::FormKind;
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::critic::classifiers::Classifiers;
use hadal_core::critic::domain::DOMAINS;
use hadal_core::critic::topic_features::{page_text_features, page_topic_features};
use hadal_core::html;
use hadal_core::http::Request;
use hadal_core::identity::form_id;
use hadal_core::page::Page;
use hadal_core::time::Time;

/// One in this many sites of the sample is deep. Guess.
const SITES_PER_DEEP: usize = 4;

/// Number of right and of all judgements.
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

/// Accuracy counts of all classifiers.
#[derive(Default)]
struct JudgeCounts {
    searchable: Accuracy,
    relevant: [Accuracy; TOPIC_COUNT],
    /// Pages of the topic that are judged on topic.
    recall: [Accuracy; TOPIC_COUNT],
    /// Pages judged on topic that belong to the topic.
    precision: [Accuracy; TOPIC_COUNT],
}

/// Measures the judgements of about `sample` forms.
pub(super) fn measure(world: &World, sample: usize) -> Vec<Measurement> {
    let mut counts = JudgeCounts::default();
    for topic in 0..TOPIC_COUNT {
        let mut left = sample / TOPIC_COUNT;
        for site in sites_of(world, topic) {
            let forms = true_forms(&site);
            for form in forms.iter().take(left) {
                counts.add_form(world, form, topic);
            }
            left -= forms.len().min(left);
            if left == 0 {
                break;
            }
        }
    }
    counts.figures()
}

/// Sites of a topic that answer, in an order in which one in [`SITES_PER_DEEP`] is deep.
fn sites_of(world: &World, topic: usize) -> impl Iterator<Item = Site<'_>> {
    let profiles = world.profiles();
    let of_topic = |index: &u32| {
        let site = &profiles[*index as usize];
        usize::from(site.subject) == topic && site.answers()
    };
    let mut sites: Vec<u32> = (0..profiles.len() as u32).filter(of_topic).collect();
    sites.sort_by_key(|&index| mix(profiles[index as usize].seed, 111));
    let (deep, plain): (Vec<u32>, Vec<u32>) =
        sites.into_iter().partition(|&index| profiles[index as usize].deep);
    let turns = plain.len().max(deep.len() * SITES_PER_DEEP);
    (0..turns).flat_map(move |turn| {
        let deep = turn
            .is_multiple_of(SITES_PER_DEEP - 1)
            .then(|| deep.get(turn / (SITES_PER_DEEP - 1)).copied())
            .flatten();
        deep.into_iter().chain(plain.get(turn).copied()).map(|index| world.site(index)).collect::<Vec<_>>()
    })
}

impl JudgeCounts {
    fn add_form(&mut self, world: &World, truth: &TrueForm, topic: usize) {
        let Ok(response) = world.respond(&Request::get(truth.page_url.clone()), Time(0)).result else {
            return;
        };
        let page = html::parse(&response.body, response.headers.get("content-type"), &truth.page_url);
        let Some(form) = page.forms.iter().find(|form| form_id(form, &page.url) == truth.form_id) else {
            return;
        };
        let judges = Classifiers::current();
        let words = page_text_features(&page);
        self.add_page(judges, &page, &words, topic);
        let is_search = truth.kind == FormKind::Search;
        self.searchable.add((judges.searchable.classify(form, &page).0 >= MIN_ACCEPTED_P) == is_search);
        if is_search {
            let judged_relevant =
                judges.domains.classify(form, &page, Some(&words))[class_of(topic)] >= MIN_ACCEPTED_P;
            self.relevant[topic].add(judged_relevant == truth.is_relevant(TOPICS[topic]));
        }
    }

    fn add_page(&mut self, judges: &Classifiers, page: &Page, words: &[(u32, f32)], topic: usize) {
        let verdicts = judges.pages.classify(&page_topic_features(page, words));
        self.recall[topic].add(verdicts[class_of(topic)] >= MIN_ACCEPTED_P);
        for (judged, precision) in self.precision.iter_mut().enumerate() {
            if verdicts[class_of(judged)] >= 0.5 {
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

/// Index of a topic in the output of the classifiers.
fn class_of(topic: usize) -> usize {
    DOMAINS
        .iter()
        .position(|domain| *domain == TOPICS[topic])
        .expect("every topic is one of the judges' domains")
}
