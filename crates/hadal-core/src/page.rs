//! Parsed pages: text, links, forms and metadata. [`crate::html`] builds them; nothing changes them afterwards.

use crate::http::Method;
use serde::{Deserialize, Serialize};
use url::Url;

/// Result of parsing one HTML document.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// URL the document was fetched from.
    pub url: Url,
    /// Base for relative URLs: `<base href>`, or `url` if the page has none.
    pub base: Url,
    /// Text of the first `<title>`.
    pub title: String,
    /// Visible text with runs of white space replaced by one space.
    pub text: String,
    /// ISO 639-1 code, declared by the markup or else detected from the text.
    pub language: Option<String>,
    /// WHATWG name of the character encoding that decoded the body.
    pub charset: &'static str,
    /// Links in document order.
    pub links: Vec<Link>,
    /// Forms in document order. Controls outside any `<form>` make up forms of
    /// [`FormSource::Script`], one per container.
    pub forms: Vec<Form>,
    /// Metadata such as canonical URL, robots directives and search descriptions.
    pub hints: PageHints,
    /// 64-bit simhash of the text. Near-duplicates differ in few bits.
    pub fingerprint: u64,
    /// First limit that left out part of the page; `None` for a complete page.
    pub truncated_by: Option<ParseLimit>,
}

/// A link with its context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// Normalised target URL.
    pub url: Url,
    /// Anchor text, surrounding text and position.
    pub context: LinkContext,
    /// True for a link that the crawl does not follow, because it knows or excludes the target. The context of such a
    /// link may consist of its position only.
    #[serde(skip)]
    pub is_unused: bool,
}

/// Context of a link on its page. Link models learn from these fields only.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkContext {
    /// Anchor text; without text the `alt` of an image in the link, its `aria-label` or its `title`.
    pub anchor: String,
    /// Last ten terms of the visible text before the link.
    pub before: String,
    /// First ten terms of the visible text after the link.
    pub after: String,
    /// Tag path from the root: `body div.nav#top ul.menu li a`.
    pub tag_path: String,
    /// The `rel` attribute in lower case.
    pub rel: String,
    /// Index of the link among the page's links.
    pub position: u32,
    /// Judgement of the critic on the link's words; `None` before it has judged them. Stores keep it beside the
    /// context, so that they can read links without it.
    #[serde(skip)]
    pub topic: Option<LinkTopic>,
}

/// P(on topic) of a link's target, estimated before the target is fetched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkTopic {
    /// P(on topic) by the words of the anchor text and the URL.
    pub own: f32,
    /// P(on topic) by the words before and after the link.
    pub around: f32,
    /// Sites other than its own that the page links to.
    pub other_sites: u16,
}

impl LinkTopic {
    /// Estimate for a link without words, such as a backlink. Guess.
    pub const UNKNOWN: LinkTopic = LinkTopic { own: 0.5, around: 0.5, other_sites: 0 };
}

/// An HTML form, or another search endpoint; `source` distinguishes them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Form {
    /// Index of the `<form>` element in document order. Forms without an element (controls outside
    /// any form, search actions) count down from `u32::MAX`.
    pub index: u32,
    /// Kind of markup that declares the form.
    pub source: FormSource,
    /// Target URL; the URL of the page if the markup names none.
    pub action: Url,
    /// True if the markup names an action other than the page itself.
    pub names_action: bool,
    /// HTTP method. A form with `method=dialog` is never sent: it becomes GET and its submit buttons
    /// become [`FieldKind::Button`].
    pub method: Method,
    /// The `formenctype` of the default button, or else the form's `enctype`, in lower case; empty for the
    /// default encoding.
    pub enctype: String,
    /// The `accept-charset` attribute; empty for the page's own encoding.
    pub accept_charset: String,
    /// Values of `id`, `name`, `class`, `role` and `aria-label`, in that order, joined by spaces.
    pub attributes: String,
    /// Text inside the form including labels, options and buttons, also if the form is hidden at first.
    pub text: String,
    /// Nearest heading or legend before the first visible control.
    pub heading: String,
    /// Controls in document order, buttons included.
    pub fields: Vec<Field>,
}

impl Form {
    /// Builds a form from target, method and fields; all other attributes are empty.
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

/// Kind of markup that declares a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FormSource {
    /// A `<form>` element.
    Form,
    /// An OpenSearch description linked from the page.
    OpenSearch,
    /// A schema.org `SearchAction`.
    SearchAction,
    /// Controls outside any `<form>`, presumably used by a script.
    Script,
    /// File with all records, which a script searches in the browser.
    SearchIndex,
    /// REST interface of WordPress.
    WordPress,
    /// Interface of MediaWiki.
    MediaWiki,
    /// Interface of the data catalogue CKAN.
    Ckan,
    /// Repository protocol OAI-PMH.
    OaiPmh,
    /// Search service on another host. Its public key is in the page.
    Hosted,
}

impl FormSource {
    /// True for endpoints that are neither visible controls nor declared templates of result pages.
    pub fn is_endpoint(self) -> bool {
        use FormSource::{Form, OpenSearch, Script, SearchAction};
        !matches!(self, Form | OpenSearch | SearchAction | Script)
    }

    /// Name in tables and exports.
    pub fn name(self) -> &'static str {
        match self {
            FormSource::Form => "form",
            FormSource::OpenSearch => "opensearch",
            FormSource::SearchAction => "searchaction",
            FormSource::Script => "script",
            FormSource::SearchIndex => "searchindex",
            FormSource::WordPress => "wordpress",
            FormSource::MediaWiki => "mediawiki",
            FormSource::Ckan => "ckan",
            FormSource::OaiPmh => "oaipmh",
            FormSource::Hosted => "hosted",
        }
    }
}

/// A control of a form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Type of the control.
    pub kind: FieldKind,
    /// The `name` attribute, under which the value is submitted; may be empty.
    pub name: String,
    /// The `id` attribute. For a control without a name, the variable that a framework binds it to, if there is one.
    pub id: String,
    /// Label shown beside the control, or on it if it is a button.
    pub label: String,
    /// The `placeholder` attribute, or else `data-placeholder`.
    pub placeholder: String,
    /// Default value. A button without a `value` attribute has its text here.
    pub value: String,
    /// Enabled options of a select or datalist.
    pub options: Vec<FieldOption>,
    /// True for a checkbox or radio button that is checked by default.
    pub checked: bool,
    /// The `multiple` attribute: several options may be selected.
    pub multiple: bool,
    /// The `required` attribute, or `aria-required=true`.
    pub required: bool,
    /// Disabled controls are never submitted.
    pub disabled: bool,
    /// The `size` attribute, if present.
    pub size: Option<u32>,
    /// The `maxlength` attribute, if present.
    pub max_length: Option<u32>,
    /// Target of a button with a `formaction` attribute.
    pub formaction: Option<Url>,
    /// Method of a control with a `formmethod` attribute.
    pub formmethod: Option<Method>,
}

impl Field {
    /// Builds an enabled control from kind, name and value; all other attributes are empty.
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

/// One option of a select or datalist.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldOption {
    /// Value that is submitted.
    pub value: String,
    /// Text that is shown.
    pub text: String,
    /// True if the option is selected by default.
    pub selected: bool,
}

/// Type of a control.
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
    /// All kinds in declaration order.
    #[rustfmt::skip]
    pub const ALL: [FieldKind; 24] = {
        use FieldKind::*;
        [Text, Search, Password, Email, Tel, Url, Number, Range, Color, Date, Month, Week, Time, DatetimeLocal, Checkbox, Radio, Select, Textarea, File, Hidden, Submit, Image, Reset, Button]
    };

    /// True for controls that take typed text.
    pub fn is_textual(self) -> bool {
        use FieldKind::*;
        matches!(self, Text | Search | Email | Tel | Url | Number | Textarea | Password)
    }

    /// True for buttons of every type.
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

/// Metadata that a page gives to programs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageHints {
    /// Links to OpenSearch descriptions.
    pub opensearch: Vec<OpenSearchLink>,
    /// URL templates of schema.org search actions, with a placeholder such as `{search_term_string}`.
    pub search_actions: Vec<String>,
    /// Search endpoints that scripts and links of the page suggest. None of them was requested yet.
    pub endpoints: Vec<Form>,
    /// Target of `<link rel=canonical>`.
    pub canonical: Option<Url>,
    /// Meta directives for robots, by the name of the tag.
    pub robots: Vec<RobotsMeta>,
    /// Delay in seconds and target of a meta refresh.
    pub refresh: Option<(u32, Url)>,
    /// Target of the first link with `rel=next`.
    pub next: Option<Url>,
    /// Target of the first link with `rel=prev` or `rel=previous`.
    pub prev: Option<Url>,
    /// Links that run a script instead of leading to a URL, in document order.
    #[serde(skip)]
    pub scripted_links: Vec<ScriptedLink>,
    /// Values that scripts send back, such as a token against forged requests.
    #[serde(skip)]
    pub tokens: Vec<PageToken>,
}

impl PageHints {
    /// Directives for all robots and for the robot with this product token together.
    pub fn robots_for(&self, agent: &str) -> RobotsMeta {
        let is_ours = |meta: &&RobotsMeta| {
            meta.name.eq_ignore_ascii_case("robots") || meta.name.eq_ignore_ascii_case(agent)
        };
        let ours = || self.robots.iter().filter(is_ours);
        RobotsMeta {
            name: agent.to_string(),
            noindex: ours().any(|meta| meta.noindex),
            nofollow: ours().any(|meta| meta.nofollow),
        }
    }
}

/// Directives of `<meta name=robots>`, or of a tag with the name of one robot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RobotsMeta {
    /// `robots`, or the product token of a robot.
    pub name: String,
    /// The page must not be stored or shown.
    pub noindex: bool,
    /// The links of the page must not be followed.
    pub nofollow: bool,
}

/// A value that a page hands out and its scripts send back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageToken {
    /// Name of the `<meta>` element, hidden field or cookie that holds the value.
    pub name: String,
    /// Value to send back.
    pub value: String,
}

/// A link that runs a script, as pagers of some frameworks do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptedLink {
    /// Text of the link.
    pub label: String,
    /// The script, without `javascript:`.
    pub call: String,
}

/// A link to an OpenSearch description document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenSearchLink {
    /// URL of the description.
    pub url: Url,
    /// The `title` attribute of the link.
    pub title: String,
}

/// Limit of the parser that a page exceeded. The limits are constants in `html/limits.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParseLimit {
    /// Too many nested elements; the rest of the page is missing.
    Depth,
    /// Too many attributes. On one tag only the surplus is missing, on the whole page the rest of the page.
    Attributes,
    /// Too many DOM nodes; the rest of the page is missing.
    Nodes,
    /// Too much work for the tree builder: many tokens under many open elements.
    Steps,
    /// Too much text, or too many links, forms, fields or options; the surplus is missing.
    Items,
    /// Body too long; the rest of it is missing.
    Bytes,
}
