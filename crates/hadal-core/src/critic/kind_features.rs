//! Features for the kind of a form.
//!
//! A feature is a group and a word, such as `button=search`, `name=q` or `concept.label=email`. The group is the place
//! of the word, because "search" on a button is stronger evidence than in the text. The model stores hashes of
//! the features; the names are recomputed from the form to explain a verdict. The trained model depends on every
//! group name and word here: a change requires training.

use crate::http::Method;
use crate::page::{Field, FieldKind, Form, FormSource, Page};
use crate::text::concepts::{CONCEPTS, Concept};
use crate::text::terms::each_token_while;
use crate::text::words::{each_part, each_word_while};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Maximum number of fields that are read. Guess, as are the next three: above the size of ordinary forms.
const MAX_FIELDS: usize = 64;
/// Maximum number of options read of a field.
const MAX_OPTIONS: usize = 20;
/// Maximum number of words read of the form's text.
const MAX_WORDS: usize = 200;
/// Maximum number of parts read of one name or attribute.
const MAX_PARTS: usize = 256;

/// Least number of fields of a long form, see [`FeatureReader::buttons`]. Guess.
const LONG_FORM: usize = 3;

/// Hashes and weights of all features of a form, each hash once.
pub fn kind_features(form: &Form, page: &Page) -> Vec<(u32, f32)> {
    let mut found = Vec::with_capacity(512);
    each_kind_feature(form, page, |group, word, value| found.push((feature_hash(group, word), value)));
    found.sort_unstable_by_key(|(hash, _)| *hash);
    found.dedup_by_key(|(hash, _)| *hash);
    found
}

/// Hash of a feature.
pub fn feature_hash(group: &str, word: &str) -> u32 {
    let seed = xxh3_64(group.as_bytes());
    xxh3_64_with_seed(word.as_bytes(), seed) as u32
}

/// Calls `visit` with group, word and weight of every feature of a form. A feature may occur several times.
pub fn each_kind_feature(form: &Form, page: &Page, mut visit: impl FnMut(&str, &str, f32)) {
    let language = page.language.as_deref();
    let mut reader = FeatureReader { visit: &mut visit, language, concepts: Vec::new() };
    reader.shape(form);
    for field in form.fields.iter().take(MAX_FIELDS) {
        reader.field(field);
    }
    reader.surroundings(form, page);
    reader.buttons(form);
    reader.search_words(form);
    reader.topical_fields();
}

/// Reads the parts of a form and passes their features on.
struct FeatureReader<'a, F> {
    visit: &'a mut F,
    language: Option<&'a str>,
    /// Concepts met so far, each with its group.
    concepts: Vec<(&'static str, Concept)>,
}

impl<F: FnMut(&str, &str, f32)> FeatureReader<'_, F> {
    fn emit(&mut self, group: &str, word: &str) {
        (self.visit)(group, word, 1.0);
    }

    fn count(&mut self, group: &str, count: usize) {
        const DIGITS: [&str; 9] = ["0", "1", "2", "3", "4", "5", "6", "7", "more"];
        self.emit(group, DIGITS[count.min(8)]);
    }

    /// Visits up to `limit` words of a text and their concepts, without numbers. Returns the number of words.
    fn words(&mut self, group: &str, concept_group: &'static str, text: &str, limit: usize) -> usize {
        let mut left = limit;
        each_token_while(text, self.language, |word, token| {
            if !word.bytes().all(|byte| byte.is_ascii_digit()) {
                left -= 1;
                (self.visit)(group, word, 1.0);
                if token.concept != 0 {
                    self.concepts.push((concept_group, token.concept));
                    (self.visit)(concept_group, &CONCEPTS.names()[usize::from(token.concept)], 1.0);
                }
            }
            left > 0
        });
        limit - left
    }

    fn parts(&mut self, group: &str, name: &str) {
        let mut left = MAX_PARTS;
        each_part(name, |part| {
            if left > 0 {
                left -= 1;
                (self.visit)(group, part, 1.0);
            }
        });
    }

    /// Visits the n-grams of `length` characters, which match across spellings and languages.
    fn ngrams(&mut self, group: &str, length: usize, word: &str) {
        let end = word.char_indices().nth(30).map_or(word.len(), |(at, _)| at);
        let marked = format!("^{}$", &word[..end]);
        let starts: Vec<usize> = marked.char_indices().map(|(at, _)| at).chain([marked.len()]).collect();
        let length = length.min(starts.len() - 1);
        for window in starts.windows(length + 1) {
            (self.visit)(group, &marked[window[0]..window[length]], 1.0);
        }
    }

    /// Numbers of fields by kind, method and source.
    fn shape(&mut self, form: &Form) {
        for kind in FieldKind::ALL {
            let count = form.fields.iter().filter(|field| field.kind == kind).count();
            if count > 0 {
                self.emit("kind", kind.name());
                self.count(kind.name(), count.min(3));
            }
        }
        let shown = form.fields.iter().filter(|field| is_shown(field.kind)).count();
        let typed = form.fields.iter().filter(|field| field.kind.is_textual()).count();
        self.count("shown", shown);
        self.count("typed", typed.min(5));
        let method = if form.method == Method::Post { "post" } else { "get" };
        self.emit("method", method);
        if form.names_action {
            self.emit("action", "named");
        }
        if form.source != FormSource::Form {
            self.emit("source", if form.source == FormSource::Script { "script" } else { "declared" });
        }
        if shown == 1 && typed == 1 {
            self.emit("single box", method);
        }
        let kinds = form.fields.iter().map(|field| field.kind).filter(|kind| is_shown(*kind));
        let present: BTreeSet<&str> = kinds.map(|kind| control_name(kind).0).collect();
        self.emit("controls", &Vec::from_iter(present).join("+"));
    }

    fn field(&mut self, field: &Field) {
        use FieldKind::*;
        match field.kind {
            Hidden => self.parts("hidden", &field.name),
            Submit | Image | Button | Reset => {
                self.words("button", "concept.button", &field.label, 6);
                self.words("button", "concept.button", &field.value, 6);
                self.parts("button name", &field.name);
                self.parts("button name", &field.id);
            }
            _ => self.control(field),
        }
    }

    fn control(&mut self, field: &Field) {
        self.parts("name", &field.name);
        let name = field.name.to_lowercase();
        self.emit("whole name", &name);
        self.ngrams("name run", 4, &name);
        self.parts("id", &field.id);
        let first_concept = self.concepts.len();
        self.words("label", "concept.label", &field.label, 12);
        self.words("label", "concept.label", &field.placeholder, 12);
        let mut named = String::new();
        each_part(&field.name, |part| named.extend([part, " "]));
        self.words("name", "concept.name", &named, 6);
        let asked = self.concepts[first_concept..].to_vec();
        for (_, concept) in asked {
            self.emit(control_name(field.kind).1, &CONCEPTS.names()[usize::from(concept)]);
        }
        if matches!(field.kind, FieldKind::Text | FieldKind::Search | FieldKind::Email) {
            self.words("value", "concept.value", &field.value, 6);
        }
        for choice in field.options.iter().take(MAX_OPTIONS) {
            self.words("option", "concept.option", &choice.text, 4);
        }
        if let Some(length) = field.max_length {
            self.count("length", (length.saturating_add(1).ilog2() as usize).min(8));
        }
        if field.required {
            self.emit("field", "required");
        }
    }

    /// Attributes, action, text and heading of the form, and title of the page.
    fn surroundings(&mut self, form: &Form, page: &Page) {
        let mut parts = Vec::new();
        each_part(&form.attributes, |part| parts.push(part.to_string()));
        for part in parts.iter().take(20) {
            self.emit("attribute", part);
            self.ngrams("attribute run", 5, part);
        }
        if form.names_action {
            parts.clear();
            each_part(form.action.path(), |part| parts.push(part.to_string()));
            for part in parts.iter().take(12) {
                self.emit("path", part);
                self.ngrams("path run", 5, part);
            }
        }
        self.text(&form.text);
        self.words("heading", "concept.heading", &form.heading, 10);
        let mut left = 15;
        each_word_while(&page.title, |word| {
            left -= 1;
            (self.visit)("title", word, 0.5);
            left > 0
        });
    }

    fn text(&mut self, text: &str) {
        let words = self.words("text", "concept.text", text, MAX_WORDS);
        self.count("text length", (words + 1).ilog2() as usize);
    }

    /// Buttons without words, and the concepts on buttons together with the size and the method of the form: "save"
    /// below many fields enters data.
    fn buttons(&mut self, form: &Form) {
        let mut buttons = form.fields.iter().filter(|field| field.kind.is_button()).peekable();
        if buttons.peek().is_none() {
            self.emit("buttons", "none");
        } else if buttons.all(|field| field.label.is_empty() && field.value.is_empty()) {
            self.emit("buttons", "without words");
        }
        let shown = form.fields.iter().filter(|field| is_shown(field.kind)).count();
        let size = if shown >= LONG_FORM { "button of a long form" } else { "button of a short form" };
        let method = if form.method == Method::Post { "button that posts" } else { "button that gets" };
        let is_on_button = |(group, _): &&(&str, Concept)| *group == "concept.button";
        let named: Vec<Concept> =
            self.concepts.iter().filter(is_on_button).map(|(_, concept)| *concept).collect();
        for concept in named {
            let name = &CONCEPTS.names()[usize::from(concept)];
            self.emit(size, name);
            self.emit(method, name);
        }
    }

    /// Places of the form that contain a word for searching, in any language.
    fn search_words(&mut self, form: &Form) {
        let fields = || form.fields.iter().take(MAX_FIELDS);
        let buttons = || fields().filter(|field| field.kind.is_button());
        let shown = || fields().filter(|field| is_shown(field.kind));
        let on_button = |field: &Field| mentions_search(&field.label) || mentions_search(&field.value);
        let places = [
            ("button", buttons().any(on_button)),
            ("name", shown().any(|field| mentions_search(&field.name) || mentions_search(&field.id))),
            ("label", shown().any(|field| mentions_search(&field.placeholder) || on_button(field))),
            ("attributes", mentions_search(&form.attributes)),
            ("action", form.names_action && mentions_search(&form.action[url::Position::AfterPort..])),
            ("text", mentions_search(&form.text)),
            ("heading", mentions_search(&form.heading)),
            ("hidden", fields().any(|field| field.kind == FieldKind::Hidden && mentions_search(&field.name))),
        ];
        let found: Vec<&str> = places
            .iter()
            .filter(|(place, yes)| *yes || self.has_search_concept(place))
            .map(|place| place.0)
            .collect();
        for place in &found {
            self.emit("says search", place);
        }
        self.count("says search", found.len());
        if shown().any(|field| QUERY_NAMES.contains(&field.name.to_ascii_lowercase().as_str())) {
            self.emit("name", "is a query's");
        }
    }

    /// True if a word in this place stands for searching or finding. The table of concepts knows more languages than
    /// [`SEARCH_STEMS`].
    fn has_search_concept(&self, place: &str) -> bool {
        let is_here = |group: &str| group.strip_prefix("concept.") == Some(place);
        self.concepts.iter().any(|(group, concept)| is_here(group) && SEARCH_CONCEPTS.contains(concept))
    }

    /// Emits the number of topical concepts, and again if the form asks for no personal data. Topical
    /// concepts are those that searches of databases ask for.
    fn topical_fields(&mut self) {
        let asked =
            self.concepts.iter().filter(|(group, _)| matches!(*group, "concept.label" | "concept.name"));
        let mut topical: Vec<Concept> = Vec::new();
        let mut is_personal = false;
        for (_, concept) in asked {
            is_personal |= PERSONAL_CONCEPTS.contains(concept);
            if TOPICAL_CONCEPTS.contains(concept) && !topical.contains(concept) {
                topical.push(*concept);
            }
        }
        self.count("topical", topical.len().min(4));
        if !is_personal {
            self.count("topical only", topical.len().min(3));
        }
    }
}

/// Name of a control that a user fills in, and the group of the concepts that its label and name contain.
fn control_name(kind: FieldKind) -> (&'static str, &'static str) {
    use FieldKind::*;
    match kind {
        Text | Search => ("box", "box asks for"),
        Select => ("select", "select asks for"),
        Checkbox => ("checkbox", "checkbox asks for"),
        Radio => ("radio", "radio button asks for"),
        Textarea => ("textarea", "text area asks for"),
        Date => ("date", "date asks for"),
        Number => ("number", "number asks for"),
        Email | Tel | Password => (kind.name(), "personal control asks for"),
        _ => (kind.name(), "control asks for"),
    }
}

/// Concepts of words for searching.
static SEARCH_CONCEPTS: LazyLock<Vec<Concept>> = LazyLock::new(|| CONCEPTS.named(&["search", "find"]));

/// Numbers of the concepts in a list of names separated by spaces.
fn concepts_named(names: &str) -> Vec<Concept> {
    CONCEPTS.named(&names.split_whitespace().collect::<Vec<_>>())
}

/// Concepts that forms ask for when they take an order, a registration or a message.
static PERSONAL_CONCEPTS: LazyLock<Vec<Concept>> = LazyLock::new(|| concepts_named(PERSONAL));
const PERSONAL: &str = "email phone password username first_name last_name message credit_card birthdate address \
                        comment quantity";

/// Concepts that searches of the twelve domains ask for.
static TOPICAL_CONCEPTS: LazyLock<Vec<Concept>> = LazyLock::new(|| concepts_named(TOPICAL));
const TOPICAL: &str = "flight airline airport cabin_class oneway_roundtrip origin_from destination_to depart_date \
                       return_date passengers adults_children nonstop hotel room checkin checkout guests nights stars \
                       accommodation car car_make car_model mileage fuel gearbox body_type used_vehicle year pickup \
                       dropoff book author isbn publisher library_catalogue title_word edition movie actor director genre \
                       showtime cinema series_tv music song album artist_band lyrics job salary experience_skill \
                       full_part_time apartment house bedroom bathroom real_estate_property rent_word sale_word area_sqm \
                       price bus train station timetable stop_line_route transit trip_journey product brand category \
                       person staff_faculty doctor profession_specialty department keyword";

/// Usual names of query fields.
const QUERY_NAMES: [&str; 18] = [
    "q",
    "s",
    "k",
    "p",
    "query",
    "keyword",
    "keywords",
    "search",
    "wd",
    "kw",
    "term",
    "terms",
    "text",
    "search_query",
    "searchword",
    "words",
    "find",
    "search_term",
];

/// Stems of words for searching, in many languages. They match anywhere inside a word.
#[rustfmt::skip]
const SEARCH_STEMS: [&str; 44] = [
    "search", "such", "recherch", "buscar", "busca", "busqueda", "búsqueda", "cerca", "ricerca", "zoek", "szukaj",
    "wyszuk", "поиск", "искать", "найти", "пошук", "шукати", "arama", "搜索", "搜尋", "查询", "查詢", "查找", "検索", "검색",
    "ค้นหา", "tìm", "pesquis", "procur", "hled", "keres", "søg", "sök", "søk", "haku", "find", "query", "keyword",
    "caut", "بحث", "جستجو", "αναζ", "חיפוש", "търс",
];

/// [`SEARCH_STEMS`] by first byte.
static STEMS_BY_START: LazyLock<[Vec<&'static [u8]>; 256]> = LazyLock::new(|| {
    let beginning = |start| SEARCH_STEMS.map(str::as_bytes).into_iter().filter(move |stem| stem[0] == start);
    std::array::from_fn(|start| beginning(start as u8).collect())
});

/// The form without its search words: no button texts, attributes and action, and no search words in names,
/// labels, heading and text. Training row for searches that do not contain such words.
pub fn without_search_words(form: &Form) -> Form {
    let mut form = form.clone();
    (form.attributes, form.names_action) = (String::new(), false);
    form.heading = other_words(&form.heading);
    form.text = other_words(&form.text);
    for field in &mut form.fields {
        if field.kind == FieldKind::Search {
            field.kind = FieldKind::Text;
        }
        let is_button = field.kind.is_button();
        for name in [&mut field.name, &mut field.id, &mut field.value] {
            if is_button || mentions_search(name) {
                name.clear();
            }
        }
        field.label = if is_button { String::new() } else { other_words(&field.label) };
        field.placeholder = other_words(&field.placeholder);
    }
    form
}

/// The words of a text that do not mention searching.
fn other_words(text: &str) -> String {
    text.split_whitespace().filter(|word| !mentions_search(word)).collect::<Vec<_>>().join(" ")
}

/// True for fields that a user fills in.
pub fn is_shown(kind: FieldKind) -> bool {
    kind != FieldKind::Hidden && !kind.is_button()
}

/// True if a text contains a word for searching, in one of many languages.
pub(super) fn mentions_search(text: &str) -> bool {
    let lower = if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text.to_lowercase()) };
    let (bytes, stems) = (lower.as_bytes(), &*STEMS_BY_START);
    bytes.windows(2).enumerate().any(|(at, pair)| {
        let [first, second] = [pair[0].to_ascii_lowercase(), pair[1].to_ascii_lowercase()];
        let begins = |stem: &[u8]| {
            stem[1] == second
                && bytes[at..].get(..stem.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(stem))
        };
        stems[usize::from(first)].iter().any(|stem| begins(stem))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;

    fn features(html: &str) -> Vec<String> {
        let address = url::Url::parse("http://a.test/").expect("valid");
        let page = parse(html.as_bytes(), None, &address);
        let mut found = Vec::new();
        each_kind_feature(&page.forms[0], &page, |group, word, _| found.push(format!("{group}={word}")));
        found
    }

    #[test]
    fn words_for_searching_of_the_concept_table_count_as_search_words() {
        for word in ["Chercher", "Trouver", "Telusuri", "Sorgula", "Išči", "조회", "探す", "খুঁজুন"]
        {
            let found = features(&format!("<form><input name=f1><button>{word}</button></form>"));
            assert!(found.iter().any(|feature| feature == "says search=button"), "{word}");
        }
    }

    #[test]
    fn topical_fields_are_counted_with_and_without_personal_ones() {
        let fields = "<label>Author <input name=a></label><label>ISBN <input name=b></label>";
        let search = features(&format!("<form>{fields}<button>Go</button></form>"));
        assert!(search.iter().any(|feature| feature == "topical=2"));
        assert!(search.iter().any(|feature| feature == "topical only=2"));
        let order = features(&format!("<form>{fields}<label>Email <input name=c></label></form>"));
        assert!(order.iter().any(|feature| feature == "topical=2"));
        assert!(!order.iter().any(|feature| feature.starts_with("topical only")));
    }

    #[test]
    fn concepts_are_read_with_their_control_and_button() {
        let entry = features(
            "<form method=post><label>City <select name=a><option>Rome</select></label>
             <label>Price <input name=b></label><label>Rooms <input name=c></label><button>Save</button></form>",
        );
        let of_entry = [
            "controls=box+select",
            "select asks for=city",
            "box asks for=price",
            "button of a long form=add_edit",
            "button that posts=add_edit",
        ];
        for feature in of_entry {
            assert!(entry.iter().any(|found| found == feature), "{feature}");
        }
        let without = features("<form><input name=q></form>");
        assert!(without.iter().any(|found| found == "buttons=none"));
    }

    #[test]
    fn every_listed_concept_exists() {
        for list in ["search find", PERSONAL, TOPICAL] {
            assert_eq!(concepts_named(list).len(), list.split_whitespace().count(), "{list}");
        }
    }

    #[test]
    fn a_copy_without_search_words_keeps_the_other_fields() {
        let address = url::Url::parse("http://a.test/").expect("valid");
        let html = "<form class=searchbox><label>Search title <input name=title type=search></label>\
                    <input name=search><button>Search</button></form>";
        let form = without_search_words(&parse(html.as_bytes(), None, &address).forms[0]);
        assert!(!features_of(&form).iter().any(|feature| mentions_search(feature)));
        assert_eq!((form.fields[0].name.as_str(), form.fields[0].label.as_str()), ("title", "title"));
    }

    fn features_of(form: &Form) -> Vec<String> {
        let fields = form.fields.iter();
        let texts = fields.flat_map(|field| [&field.name, &field.label, &field.value, &field.placeholder]);
        texts.chain([&form.attributes, &form.heading, &form.text]).cloned().collect()
    }
}
