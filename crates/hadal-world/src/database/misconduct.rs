//! What a database does wrong, for harvests that must end well all the same.

use serde::{Deserialize, Serialize};

/// What a database does wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// Nothing.
    #[default]
    None,
    /// Whatever is asked, the same records come.
    SameAnswer,
    /// Whatever is asked, some records come, others every time.
    RandomAnswer,
    /// After the last page of results there is always another one.
    Endless,
    /// The same results in another order every time.
    Shuffled,
    /// After so many requests there is nothing any more.
    Vanishes(u32),
    /// Titles that try to break whoever reads them.
    HostileTitles,
    /// After so many questions one has to log in.
    LoginWall(u32),
    /// After so many questions one has to prove to be a person.
    Captcha(u32),
}
