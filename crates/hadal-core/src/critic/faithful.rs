//! The searchable-form classifier of the Form-Focused Crawler (2005): fourteen features and a C4.5 tree.
//!
//! It is kept as published, as the baseline that ours is measured against.

use crate::http::Method;
use crate::learn::tree::{Options, Tree};
use crate::page::{FieldKind, Form};

/// Names of the features, in order.
pub const NAMES: [&str; 14] = [
    "hidden tags",
    "checkboxes",
    "radio tags",
    "file inputs",
    "submit tags",
    "image inputs",
    "buttons",
    "resets",
    "password tags",
    "textboxes",
    "items in selects",
    "text sizes in textboxes",
    "method is post",
    "string \"search\"",
];

/// The fourteen features of a form (section 4.1 of the paper).
pub fn features(form: &Form) -> Vec<f32> {
    use FieldKind::*;
    let count = |kinds: &[FieldKind]| form.fields.iter().filter(|field| kinds.contains(&field.kind)).count();
    let textboxes = || form.fields.iter().filter(|field| is_textbox(field.kind));
    let items: usize =
        form.fields.iter().filter(|field| field.kind == Select).map(|field| field.options.len()).sum();
    let sizes: u32 = textboxes().filter_map(|field| field.size).map(|size| size.min(1000)).sum();
    [
        count(&[Hidden]),
        count(&[Checkbox]),
        count(&[Radio]),
        count(&[File]),
        count(&[Submit]),
        count(&[Image]),
        count(&[Button]),
        count(&[Reset]),
        count(&[Password]),
        textboxes().count(),
        items,
        sizes as usize,
        usize::from(form.method == Method::Post),
        usize::from(says_search(form)),
    ]
    .map(|count| count as f32)
    .to_vec()
}

/// HTML of 2005 had one kind of text box; every later kind was written as one.
fn is_textbox(kind: FieldKind) -> bool {
    use FieldKind::*;
    kind.is_textual() && !matches!(kind, Password)
        || matches!(kind, Date | Month | Week | Time | DatetimeLocal)
}

/// "search" anywhere in the form as it is written.
fn says_search(form: &Form) -> bool {
    let has = |text: &str| text.to_ascii_lowercase().contains("search");
    has(&form.attributes)
        || has(&form.text)
        || form.names_action && has(form.action.as_str())
        || form.fields.iter().any(|field| {
            [&field.name, &field.id, &field.value, &field.placeholder].into_iter().any(|text| has(text))
        })
}

/// Learns the tree.
pub fn train(forms: &[&Form], searchable: &[bool]) -> Tree {
    let rows: Vec<Vec<f32>> = forms.iter().map(|form| features(form)).collect();
    let classes: Vec<usize> = searchable.iter().map(|&yes| usize::from(yes)).collect();
    Tree::train(&rows, &classes, 2, &Options::default())
}

/// P(searchable) by the tree.
pub fn p_searchable(tree: &Tree, form: &Form) -> f32 {
    tree.distribution(&features(form)).get(1).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html;
    use url::Url;

    fn form(html: &str) -> Form {
        let url = Url::parse("http://a.org/").unwrap();
        html::parse(html.as_bytes(), None, &url).forms.remove(0)
    }

    #[test]
    fn the_fourteen_features_are_counted_as_published() {
        let html = "<form method=post><input type=hidden name=h><input type=checkbox name=c>\
            <input name=q size=20><input type=search name=r size=5><input type=password name=p>\
            <select name=s><option>a<option>b<option>c</select><input type=submit value='Search it'></form>";
        let found = features(&form(html));
        assert_eq!(found, [1., 1., 0., 0., 1., 0., 0., 0., 1., 2., 3., 25., 1., 1.]);
        assert_eq!(NAMES.len(), found.len());
    }
}
