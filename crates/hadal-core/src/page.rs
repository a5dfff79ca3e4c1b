//! A page as the rest of hadal sees it: parsed once, then only read.

use crate::http::Method;
use serde::{Deserialize, Serialize};
use url::Url;

/// Everything one parse brings out of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// The address the document came from.
    pub url: Url,
    /// What relative addresses in it are resolved against (`<base>`, else its own address).
    pub base: Url,
    /// Text of the first `<title>`.
    pub title: String,
    /// Text a reader would see, white space folded.
    pub text: String,
    /// ISO 639-1 code, from the markup or detected.
    pub language: Option<String>,
    /// Name of the character encoding that was used.
    pub charset: &'static str,
    /// Links in document order.
    pub links: Vec<Link>,
    /// Forms in document order; inputs outside any form are gathered in one that says so.
    pub forms: Vec<Form>,
    /// What the page says about itself to machines.
    pub hints: PageHints,
    /// 64-bit simhash of the text: near-duplicates differ in few bits.
    pub fingerprint: u64,
    /// The bound that ended the parse early, if one did; what came before it is here.
    pub truncated_by: Option<ParseLimit>,
}

/// A link and what stands around it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// Normalised target.
    pub url: Url,
    /// What the target is called here, and where it stands.
    pub context: LinkContext,
}

/// What surrounds a link: all that a link model may learn from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkContext {
    /// Anchor text, or the `alt` of an image, or a title or aria label.
    pub anchor: String,
    /// The last terms before the link.
    pub before: String,
    /// The first terms after it.
    pub after: String,
    /// Path of elements from the root: `body div.nav#top ul.menu li a`.
    pub tag_path: String,
    /// The `rel` attribute, lower case.
    pub rel: String,
    /// Ordinal among the page's links.
    pub position: u32,
}

/// A form, or another way to ask a site something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Form {
    /// Ordinal of the `<form>` element in document order. Forms without an element (inputs outside
    /// of any form, search actions) follow those and count down from `u32::MAX`.
    pub index: u32,
    /// What declared it.
    pub source: FormSource,
    /// Where it is sent; the page itself when it names nothing.
    pub action: Url,
    /// Whether the markup names an action other than the page itself.
    pub names_action: bool,
    /// How it is sent. A form of `method=dialog` is never sent: it is kept as GET, and its submit
    /// buttons as plain buttons.
    pub method: Method,
    /// The `enctype`, or the `formenctype` of the button that the Enter key presses, lower case; empty for
    /// the default.
    pub enctype: String,
    /// The `accept-charset`; empty for the page's.
    pub accept_charset: String,
    /// Its own `id`, `name`, `class`, `role` and `aria-label`, in that order, space-joined.
    pub attributes: String,
    /// Text inside it, labels, options and buttons included; a form that is shown only after a click
    /// has its text too.
    pub text: String,
    /// The heading or legend nearest before it.
    pub heading: String,
    /// Controls in document order, buttons included.
    pub fields: Vec<Field>,
}

impl Form {
    /// A form with these fields that is sent to an address, with nothing else said about it.
    pub fn to(action: Url, method: Method, fields: Vec<Field>) -> Form {
        Form {
            index: 0,
            source: FormSource::Form,
            action,
            names_action: true,
            method,
            enctype: String::new(),
            accept_charset: String::new(),
            attributes: String::new(),
            text: String::new(),
            heading: String::new(),
            fields,
        }
    }
}

/// What declared a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FormSource {
    /// A `<form>` element.
    Form,
    /// An OpenSearch description linked from the page.
    OpenSearch,
    /// A schema.org `SearchAction`.
    SearchAction,
    /// Controls without any `<form>`, driven by a script.
    Script,
}

/// A control of a form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// What it is.
    pub kind: FieldKind,
    /// Name it is submitted under; empty when it has none.
    pub name: String,
    /// The `id` attribute.
    pub id: String,
    /// What a person reads beside it, or on it when it is a button.
    pub label: String,
    /// The `placeholder` attribute.
    pub placeholder: String,
    /// Default value; for a button without one what is written on it.
    pub value: String,
    /// Choices of a select or datalist, without those that are disabled.
    pub options: Vec<FieldOption>,
    /// Checked, for boxes and radio buttons.
    pub checked: bool,
    /// Several choices at once are allowed.
    pub multiple: bool,
    /// Must be filled.
    pub required: bool,
    /// Disabled controls are shown and never submitted.
    pub disabled: bool,
    /// The `size` attribute, where given.
    pub size: Option<u32>,
    /// The `maxlength` attribute, where given.
    pub max_length: Option<u32>,
    /// A button's own target.
    pub formaction: Option<Url>,
    /// A button's own method.
    pub formmethod: Option<Method>,
}

impl Field {
    /// A plain control with a name and a value.
    pub fn new(kind: FieldKind, name: &str, value: &str) -> Field {
        Field {
            kind,
            name: name.to_string(),
            id: String::new(),
            label: String::new(),
            placeholder: String::new(),
            value: value.to_string(),
            options: Vec::new(),
            checked: false,
            multiple: false,
            required: false,
            disabled: false,
            size: None,
            max_length: None,
            formaction: None,
            formmethod: None,
        }
    }
}

/// One choice of a select.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldOption {
    /// What is submitted.
    pub value: String,
    /// What is read.
    pub text: String,
    /// Selected from the start.
    pub selected: bool,
}

/// Kinds of control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names are HTML's own")]
pub enum FieldKind {
    Text,
    Search,
    Password,
    Email,
    Tel,
    Url,
    Number,
    Range,
    Color,
    Date,
    Month,
    Week,
    Time,
    DatetimeLocal,
    Checkbox,
    Radio,
    Select,
    Textarea,
    File,
    Hidden,
    Submit,
    Image,
    Reset,
    Button,
}

impl FieldKind {
    /// Every kind.
    #[rustfmt::skip]
    pub const ALL: [FieldKind; 24] = {
        use FieldKind::*;
        [Text, Search, Password, Email, Tel, Url, Number, Range, Color, Date, Month, Week, Time, DatetimeLocal, Checkbox, Radio, Select, Textarea, File, Hidden, Submit, Image, Reset, Button]
    };

    /// Text that a person types freely.
    pub fn is_textual(self) -> bool {
        use FieldKind::*;
        matches!(self, Text | Search | Email | Tel | Url | Number | Textarea | Password)
    }

    /// A button of any sort.
    pub fn is_button(self) -> bool {
        use FieldKind::*;
        matches!(self, Submit | Image | Reset | Button)
    }

    /// The name used in HTML and in every export.
    pub fn name(self) -> &'static str {
        use FieldKind::*;
        match self {
            Text => "text",
            Search => "search",
            Password => "password",
            Email => "email",
            Tel => "tel",
            Url => "url",
            Number => "number",
            Range => "range",
            Color => "color",
            Date => "date",
            Month => "month",
            Week => "week",
            Time => "time",
            DatetimeLocal => "datetime-local",
            Checkbox => "checkbox",
            Radio => "radio",
            Select => "select",
            Textarea => "textarea",
            File => "file",
            Hidden => "hidden",
            Submit => "submit",
            Image => "image",
            Reset => "reset",
            Button => "button",
        }
    }
}

/// What a page tells machines about itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageHints {
    /// OpenSearch descriptions.
    pub opensearch: Vec<OpenSearchLink>,
    /// URL templates of schema.org search actions, with `{search_term_string}` or alike in them.
    pub search_actions: Vec<String>,
    /// The page's preferred address.
    pub canonical: Option<Url>,
    /// Robots meta: the page is not to be stored or shown.
    pub noindex: bool,
    /// Robots meta: its links are not to be followed.
    pub nofollow: bool,
    /// Target and delay in seconds of a meta refresh.
    pub refresh: Option<(u32, Url)>,
    /// `rel=next`.
    pub next: Option<Url>,
    /// `rel=prev`.
    pub prev: Option<Url>,
}

/// A link to an OpenSearch description document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenSearchLink {
    /// Where the description is.
    pub url: Url,
    /// What it is called.
    pub title: String,
}

/// Why a page is not here as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParseLimit {
    /// Elements nested deeper than anyone reads.
    Depth,
    /// More attributes on one tag than anyone writes; only the surplus is missing.
    Attributes,
    /// More nodes than a page needs.
    Nodes,
    /// More work for the parser than a page is worth: much markup under many open elements.
    Steps,
    /// More text, links, forms, fields or options than are kept.
    Items,
    /// More input than is parsed.
    Bytes,
}
