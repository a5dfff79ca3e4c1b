//! An example: a page and one of its forms.

use hadal_core::critic::search_form::{NoSearchForm, pick_search_form};
use hadal_core::critic::topic_features::{
    TopicFeatures, form_topic_features, page_text_features, page_topic_features,
};
use hadal_core::page::{Form, Page};

/// A form on its page.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Origin as given: a URL or a file.
    pub source: String,
    pub page: Page,
    pub form: Form,
    /// `p_searchable` of the form.
    pub p_searchable: f32,
}

impl Sample {
    /// Most searchable form of a page, or the selected one.
    pub fn of(source: &str, page: Page, picked: Option<u32>) -> Result<Sample, NoSearchForm> {
        let (form, p_searchable) = pick_search_form(&page, picked)?;
        let form = form.clone();
        Ok(Sample { source: source.to_string(), page, form, p_searchable })
    }

    /// Features of the form with the text of its page.
    pub fn form_row(&self) -> TopicFeatures {
        form_topic_features(&self.form, &self.page, Some(&page_text_features(&self.page)))
    }

    /// Features of the page.
    pub fn page_row(&self) -> TopicFeatures {
        page_topic_features(&self.page, &page_text_features(&self.page))
    }

    /// Summary of the form: index and visible field names.
    pub fn card(&self) -> String {
        let names =
            self.form.fields.iter().filter(|field| field.kind.is_textual() || !field.options.is_empty());
        let names: Vec<&str> =
            names.map(|field| field.name.as_str()).filter(|name| !name.is_empty()).collect();
        let index =
            if self.form.index < u32::MAX / 2 { self.form.index.to_string() } else { "script".into() };
        format!("form {index} ({}), searchable {:.2}", names.join(" "), self.p_searchable)
    }
}
