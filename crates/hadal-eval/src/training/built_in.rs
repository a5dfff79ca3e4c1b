//! Training of the classifiers that ship with hadal.

use super::{domains, formasaurus};
use anyhow::{Context, Result};
use flate2::read::GzDecoder;
use hadal_core::critic::LabelledForm;
use hadal_core::critic::background::Background;
use hadal_core::critic::classifiers::Classifiers;
use hadal_core::critic::domain::{DOMAINS, DomainClassifier, DomainText};
use hadal_core::critic::page_topic::PageClassifier;
use hadal_core::critic::searchable::SearchableClassifier;
use hadal_core::critic::topic_features::{
    TopicFeatures, concept_feature_name, each_named_feature, form_topic_features, page_text_features,
    page_topic_features,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Read;
use std::path::Path;

/// Seed of all random choices in training. The same data gives the same models.
pub const SEED: u64 = 7;

/// Weight of all pages of a site together, relative to one form, when the domain classifier trains. Guess.
pub const SITE_WEIGHT: f32 = 1.0;

/// One of this many pages becomes background. Guess.
const BACKGROUND_PAGES: usize = 6;

/// Words in the frequency list. Guess.
const WORDS: usize = 32_768;

/// Words stored per domain for display. Guess.
const WORDS_PER_DOMAIN: usize = 40;

/// All labelled data.
pub struct LabelledData {
    /// Forms labelled by kind, with folds.
    pub folded: Vec<formasaurus::FoldedForm>,
    /// Forms labelled by kind and domain.
    pub forms: Vec<LabelledForm>,
    /// Pages labelled by domain.
    pub pages: Vec<domains::LabelledPage>,
}

impl LabelledData {
    /// Reads the data folder.
    pub fn read(folder: &Path) -> Result<LabelledData> {
        let pages = domains::pages(folder)?;
        let forms = domains::forms(folder, &pages)?;
        Ok(LabelledData { folded: formasaurus::read(folder)?, forms, pages })
    }

    /// Sites that have labelled forms or pages.
    pub fn sites(&self) -> BTreeSet<String> {
        let folded = self.folded.iter().map(|folded| &folded.example.site);
        let forms = self.forms.iter().map(|form| &form.site);
        folded.chain(forms).chain(self.pages.iter().map(|page| &page.site)).cloned().collect()
    }

    /// Removes all forms and pages of the sites for which `is_left_out` is true.
    pub fn leave_out(&mut self, is_left_out: impl Fn(&str) -> bool) {
        self.folded.retain(|folded| !is_left_out(&folded.example.site));
        self.forms.retain(|form| !is_left_out(&form.site));
        self.pages.retain(|page| !is_left_out(&page.site));
    }

    /// Texts of the pages as training examples. Site sizes differ widely, so the pages of a site share one
    /// weight.
    pub fn lessons(&self, weight: f32) -> Vec<DomainText> {
        let mut of_site: HashMap<&str, f32> = HashMap::new();
        self.pages.iter().for_each(|page| *of_site.entry(page.site.as_str()).or_default() += 1.0);
        let lesson = |labelled: &domains::LabelledPage| {
            let page = labelled.as_page();
            let words = page_topic_features(&page, &page_text_features(&page));
            let weight = weight / of_site[labelled.site.as_str()];
            DomainText { features: words, domain: labelled.domain(), site: labelled.site.clone(), weight }
        };
        self.pages.iter().map(lesson).collect()
    }

    /// Search forms with a known domain.
    pub fn searches(&self) -> Vec<&LabelledForm> {
        self.forms.iter().filter(|example| example.domain.is_some()).collect()
    }
}

/// Trains all classifiers on all data.
pub fn train(data: &LabelledData) -> Classifiers {
    let kinds: Vec<&LabelledForm> =
        data.folded.iter().map(|folded| &folded.example).chain(&data.forms).collect();
    let searches = data.searches();
    let (for_forms, for_pages) = (data.lessons(SITE_WEIGHT), data.lessons(1.0));
    let (searchable, domains, pages) = std::thread::scope(|scope| {
        let searchable = scope.spawn(|| SearchableClassifier::train(&kinds, SEED));
        let pages = scope.spawn(|| PageClassifier::train(&for_pages.iter().collect::<Vec<_>>(), SEED));
        let domains = DomainClassifier::train(&searches, &for_forms.iter().collect::<Vec<_>>(), SEED);
        let finished = "training does not panic";
        (searchable.join().expect(finished), domains, pages.join().expect(finished))
    });
    let background = background(&searches, &for_pages, &domains);
    let domain_words = domain_words(data, &searches, &domains);
    Classifiers { searchable, domains, pages, background, top_words: domain_words }
}

/// Most frequent English words of the frequency table, one per line.
pub fn words(folder: &Path) -> Result<String> {
    let path = folder.join("wordfreq/en_large.tsv.gz");
    let file = std::fs::File::open(&path).with_context(|| path.display().to_string())?;
    let mut table = String::new();
    GzDecoder::new(file).read_to_string(&mut table).with_context(|| path.display().to_string())?;
    let words = table.lines().filter_map(|line| line.split('\t').next());
    let plain =
        |word: &&str| (2..=24).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase());
    Ok(words.filter(plain).take(WORDS).flat_map(|word| [word, "\n"]).collect())
}

/// Background examples for user-defined topics.
pub fn background(
    searches: &[&LabelledForm],
    lessons: &[DomainText],
    domains: &DomainClassifier,
) -> Background {
    let forms: Vec<TopicFeatures> = searches.iter().map(|example| row(example)).collect();
    let pages: Vec<TopicFeatures> =
        lessons.iter().step_by(BACKGROUND_PAGES).map(|lesson| lesson.features.clone()).collect();
    Background::of(&forms, &pages, domains.vocabulary())
}

/// Features of an example with the text of its page.
pub fn row(example: &LabelledForm) -> TopicFeatures {
    form_topic_features(&example.form, &example.page, Some(&page_text_features(&example.page)))
}

/// Words with the largest weights per domain. A stem is shown as the word it most often came from.
fn domain_words(
    data: &LabelledData,
    searches: &[&LabelledForm],
    domains: &DomainClassifier,
) -> Vec<Vec<(String, f32)>> {
    let names = names(data, searches);
    let hashes = domains.vocabulary().hashes();
    let of_domain = |domain: usize| {
        let mut words: Vec<(String, f32)> = hashes
            .iter()
            .filter_map(|hash| {
                let name = concept_feature_name(*hash).or_else(|| names.get(hash).cloned())?;
                Some((name, domains.weight(domain, *hash)))
            })
            .collect();
        words.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        words.truncate(WORDS_PER_DOMAIN);
        words
    };
    (0..DOMAINS.len()).map(of_domain).collect()
}

fn names(data: &LabelledData, searches: &[&LabelledForm]) -> HashMap<u32, String> {
    let mut counts: HashMap<u32, BTreeMap<String, u32>> = HashMap::new();
    let mut count = |hash: u32, word: &str| {
        *counts.entry(hash).or_default().entry(word.to_string()).or_default() += 1;
    };
    for example in searches {
        each_named_feature(Some(&example.form), &example.page, &mut count);
    }
    for page in &data.pages {
        each_named_feature(None, &page.as_page(), &mut count);
    }
    let commonest = |words: BTreeMap<String, u32>| words.into_iter().max_by_key(|(_, count)| *count);
    let named = counts.into_iter().filter_map(|(hash, words)| Some((hash, commonest(words)?.0)));
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(site: &str) -> domains::LabelledPage {
        domains::LabelledPage {
            site: site.into(),
            page: "index.html".into(),
            site_domain: "book".into(),
            language: "en".into(),
            title: String::new(),
            text: String::new(),
        }
    }

    #[test]
    fn sites_can_be_left_out() {
        let pages = vec![page("a"), page("b"), page("a")];
        let mut data = LabelledData { folded: Vec::new(), forms: Vec::new(), pages };
        data.leave_out(|site| site == "a");
        assert_eq!(data.sites().into_iter().collect::<Vec<_>>(), ["b"]);
    }
}
