//! Enums that users choose from by name, on the command line and in the configuration.

/// A closed set of values with names.
pub trait Choice: Copy + PartialEq + Send + Sync + 'static {
    /// Every value with its name and one line of help, in the order shown to users.
    const CHOICES: &'static [(Self, &'static str, &'static str)];

    /// Value with this name.
    fn from_name(name: &str) -> Option<Self> {
        Self::CHOICES.iter().find(|(_, known, _)| *known == name).map(|(value, ..)| *value)
    }

    /// Name of this value.
    fn name(self) -> &'static str {
        Self::CHOICES.iter().find(|(value, ..)| *value == self).map_or("", |(_, name, _)| name)
    }
}
