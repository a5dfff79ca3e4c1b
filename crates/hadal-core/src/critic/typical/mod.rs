//! Typical forms and pages, written by hand: training rows that come from no labelled site.
//!
//! Labelled sites are few, and a word that none of them uses would have no weight. These rows supply the usual
//! words of each domain and of each kind of form in many languages.

use super::domain::{DOMAINS, DomainText};
use super::topic_features::{TopicFeatures, page_text_features, page_topic_features, text_features_in};
use super::{FormKind, LabelledForm};
use crate::html;
use crate::page::Page;
use url::Url;

/// Lines of domain, language and text of a search form.
const FORMS: &str = include_str!("forms.tsv");

/// Lines of domain, language, title and text of a page.
const PAGES: &str = include_str!("pages.tsv");

/// Lines of kind and HTML of a form.
const KINDS: &str = include_str!("kinds.tsv");

/// Weight of all typical texts of a domain together when form classifiers train; a labelled form has 1. With half of
/// the sites for training, 20 and 70 differ from 40 by less than 0.01 in recall and precision of relevant forms,
/// measured outside the project.
pub const DOMAIN_WEIGHT: f32 = 40.0;

/// Weight of a page relative to a form of the same domain, as it holds more words. 1 gives a precision lower by 0.005
/// and the same recall, measured outside the project.
const PAGE_WEIGHT: f32 = 3.0;

/// Weight of a form of known kind; a labelled form has 1. Half and double of it change F1 of searchable or not on
/// sites that were not trained on by 0.002, measured outside the project.
const KIND_WEIGHT: f32 = 1.0;

/// Typical forms and pages of all domains. Each text counts as a site of its own. The texts of a domain share the
/// weight `of_domain`, because the number of texts says nothing about the frequency of the domain.
pub fn domain_texts(of_domain: f32) -> Vec<DomainText> {
    let forms = rows(FORMS).filter_map(|columns| match columns[..] {
        [domain, language, text] => Some((domain_number(domain)?, text_features_in(text, language), 1.0)),
        _ => None,
    });
    let pages = rows(PAGES).filter_map(|columns| match columns[..] {
        [domain, language, title, text] => {
            Some((domain_number(domain)?, page_features(language, title, text), PAGE_WEIGHT))
        }
        _ => None,
    });
    let texts: Vec<(usize, TopicFeatures, f32)> = forms.chain(pages).collect();
    let mut totals = [0.0; DOMAINS.len()];
    texts.iter().for_each(|(domain, _, weight)| totals[*domain] += weight);
    let text = |(at, (domain, features, weight)): (usize, (usize, TopicFeatures, f32))| DomainText {
        features,
        domain,
        site: format!("typical text {at}"),
        weight: weight * of_domain / totals[domain],
    };
    texts.into_iter().enumerate().map(text).collect()
}

/// Typical forms of all kinds. Each form counts as a site of its own.
pub fn forms_by_kind() -> Vec<LabelledForm> {
    rows(KINDS).enumerate().filter_map(|(at, columns)| labelled_form(at, &columns)).collect()
}

fn labelled_form(at: usize, columns: &[&str]) -> Option<LabelledForm> {
    let [kind, markup] = columns else { return None };
    let kind = FormKind::ALL.into_iter().find(|known| known.name() == *kind)?;
    let mut page = html::parse(markup.as_bytes(), Some("text/html; charset=utf-8"), &address());
    let form = (!page.forms.is_empty()).then(|| page.forms.swap_remove(0))?;
    page.forms.clear();
    let name = format!("typical form {at}");
    Some(LabelledForm { form, page, site: name.clone(), kind, domain: None, confidence: KIND_WEIGHT, name })
}

fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

fn domain_number(name: &str) -> Option<usize> {
    DOMAINS.iter().position(|domain| *domain == name)
}

fn page_features(language: &str, title: &str, text: &str) -> TopicFeatures {
    let empty = html::parse(b"", None, &address());
    let (title, text, language) = (title.to_string(), text.to_string(), Some(language.to_string()));
    let page = Page { title, text, language, ..empty };
    page_topic_features(&page, &page_text_features(&page))
}

fn address() -> Url {
    Url::parse("http://page.example/").expect("the address is valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_training_row() {
        let texts = domain_texts(DOMAIN_WEIGHT);
        assert_eq!(texts.len(), rows(FORMS).count() + rows(PAGES).count());
        assert!(texts.iter().all(|text| !text.features.is_empty()));
        assert_eq!(forms_by_kind().len(), rows(KINDS).count());
    }

    #[test]
    fn every_domain_has_many_typical_texts_of_one_total_weight() {
        let texts = domain_texts(DOMAIN_WEIGHT);
        for (domain, name) in DOMAINS.iter().enumerate() {
            let weights: Vec<f32> =
                texts.iter().filter(|text| text.domain == domain).map(|text| text.weight).collect();
            assert!(weights.len() >= 60, "{name}: {}", weights.len());
            assert!((weights.iter().sum::<f32>() - DOMAIN_WEIGHT).abs() < 0.01, "{name}");
        }
    }

    #[test]
    fn typical_forms_include_searches_and_every_other_kind() {
        let forms = forms_by_kind();
        for kind in FormKind::ALL {
            assert!(forms.iter().any(|form| form.kind == kind), "{}", kind.name());
        }
        assert!(forms.iter().filter(|form| form.is_search()).count() >= 50);
    }
}
