//! Tables and columns that a copy transfers.

/// A value of a copied row.
#[derive(Clone, Debug, PartialEq)]
pub enum CopiedValue {
    Null,
    Number(i64),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
}

/// Values of a row in the order of its columns.
pub type CopiedRow = Vec<CopiedValue>;

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    Number,
    /// 0 or 1 in a folder, a boolean in PostgreSQL.
    Flag,
    Real,
    /// Text that cannot hold NUL: words, URLs, JSON.
    Text,
    /// Text of any kind, which is escaped in PostgreSQL.
    FreeText,
    Bytes,
}

/// A table with its columns.
pub struct TableLayout {
    /// Name for people.
    pub name: &'static str,
    /// Table in the database.
    pub table: &'static str,
    /// Names of the columns, separated by spaces. A name may end with a letter for its type: `:t` text, `:f` free text,
    /// `:r` real, `:b` bytes, `:y` flag. Otherwise it is a number.
    columns: &'static str,
    /// Order of the rows.
    pub order: &'static str,
    /// Column with row numbers that a new row continues.
    pub numbered: Option<&'static str>,
    /// True for the rows that users wrote: in a folder they are in `notes.db`.
    pub is_user_data: bool,
}

impl TableLayout {
    /// Names and types of the columns.
    pub fn columns(&self) -> Vec<(&'static str, ColumnKind)> {
        let kind = |letter: &str| match letter {
            "t" => ColumnKind::Text,
            "f" => ColumnKind::FreeText,
            "r" => ColumnKind::Real,
            "b" => ColumnKind::Bytes,
            _ => ColumnKind::Flag,
        };
        let column = |spec: &'static str| match spec.split_once(':') {
            Some((name, letter)) => (name, kind(letter)),
            None => (spec, ColumnKind::Number),
        };
        self.columns.split_whitespace().map(column).collect()
    }
}

const fn table(name: &'static str, columns: &'static str, order: &'static str) -> TableLayout {
    TableLayout { name, table: name, columns, order, numbered: None, is_user_data: false }
}

/// A table with rows that are numbered by its first column.
const fn numbered(name: &'static str, columns: &'static str, number: &'static str) -> TableLayout {
    TableLayout { name, table: name, columns, order: number, numbered: Some(number), is_user_data: false }
}

const SUBMISSION: &str =
    "run harvest seq at topic:f form_id:t page_url:t method:t url:t body:f purpose:t status failure:t";

/// All tables. `hosts` comes before `links`, which refers to it; the column `host` of `links` is the name of the host.
pub static TABLES: &[TableLayout] = &[
    numbered("runs", "id topic:f strategy:f seeds:t seed source:f", "id"),
    table(
        "progress",
        "run state:t next_seq next_order now generation elapsed_ms max_requests requests bytes pages failed sites forms
         searchable relevant waiting probes",
        "run",
    ),
    table("strategies", "run saved:b", "run"),
    numbered("strategy_changes", "n run changes:b", "n"),
    table("errors", "run kind:t count", "run, kind"),
    table("in_flight", "run seq at target:t", "run, seq"),
    table(
        "hosts",
        "run host:t site:t ip:t robots:t robots_until next_at failures latency_ms requests address_next_at
         robots_validator:f",
        "run, host",
    ),
    table(
        "links",
        "run id host:t queue arrival generation not_before score_key score:r depth attempts state:t url:t context:b",
        "run, arrival",
    ),
    table(
        "sites",
        "run site:t pages forms searchable relevant pages_since_searchable closed:y best:r probes pages_since_relevant
         on_topic bonus:r",
        "run, site",
    ),
    numbered(
        "forms",
        "n run form_id:t topic:f site:t page_url:t action:t method:t fields:t kind:t p_searchable:r p_relevant:r
         found_at_request depth also_on source:t language:f evidence:t probe_result:t whole:b open_fields is_first:y",
        "n",
    ),
    numbered(
        "pages",
        "n run link url:t site:t status title:f language:f p_topic:r fingerprint depth parent redirects:t at_request
         validator:f note:f",
        "n",
    ),
    numbered("lessons", "n run at_request at_page lesson:t", "n"),
    table("backlinks", "run site:t target source", "run, site, target, source"),
    table("curve", "run requests pages forms searchable relevant waiting", "run, requests"),
    numbered("failures", "n run host:t url:t kind:t at times given_up:y", "n"),
    table("submission", SUBMISSION, "n"),
    TableLayout { is_user_data: true, table: "submission", ..table("questions", SUBMISSION, "n") },
    TableLayout { is_user_data: true, ..table("labels", "form_id:t topic:f label:t at", "form_id, topic") },
    numbered("harvests", "id form_id:t topic:f page_url:t policy:f seed source:f began whole:b site:t", "id"),
    table(
        "harvest_progress",
        "harvest state:t ending:f now elapsed_ms next_seq requests bytes queries pages records failed errors:t
         size_low:r size:r size_high:r coverage_low:r coverage:r coverage_high:r upcoming:t refresh:t",
        "harvest",
    ),
    table("readers", "harvest saved:b", "harvest"),
    table(
        "queries",
        "harvest number query_text:f query:t kind:f total:t found new pages requests ending:t at hits:b next:b rechecks
         changes record_days:r",
        "harvest, number",
    ),
    numbered(
        "records",
        "n harvest id url:t title:f text:f fields:t query_number query_text:f position fetched_at detail:f
         seen_at changed_at removed_at",
        "n",
    ),
    table("form_checks", "form_id:t state:t at moved_to:t validator:f", "form_id"),
    table(
        "harvest_curve",
        "harvest requests queries records coverage_low:r coverage:r coverage_high:r",
        "harvest, requests",
    ),
];
