//! Implementations of a trait that users choose by name: strategies and policies.

use std::sync::Arc;

/// An implementation with its name. `C` is the context that it is made from, `T` the trait, as `dyn Strategy`.
pub struct RegistryEntry<C, T: ?Sized> {
    /// Name on the command line.
    pub name: &'static str,
    /// One line of help: how the implementation works and when to use it.
    pub about: &'static str,
    make: Maker<C, T>,
}

/// Function that makes a value from its context.
type Maker<C, T> = Arc<dyn Fn(&C) -> Box<T> + Send + Sync>;

impl<C, T: ?Sized> RegistryEntry<C, T> {
    /// An entry; `make` creates its values.
    pub fn new(
        name: &'static str,
        about: &'static str,
        make: impl Fn(&C) -> Box<T> + Send + Sync + 'static,
    ) -> RegistryEntry<C, T> {
        RegistryEntry { name, about, make: Arc::new(make) }
    }

    /// Makes a value that has learned nothing.
    pub fn make(&self, context: &C) -> Box<T> {
        (self.make)(context)
    }
}

impl<C, T: ?Sized> Clone for RegistryEntry<C, T> {
    fn clone(&self) -> RegistryEntry<C, T> {
        RegistryEntry { name: self.name, about: self.about, make: Arc::clone(&self.make) }
    }
}

/// An entry with the same name is registered already.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{name}' is registered already; choose another name")]
pub struct DuplicateName {
    /// The name that both have.
    pub name: &'static str,
}

/// Entries that users can choose from, simplest first. Names are unique.
pub struct Registry<C, T: ?Sized> {
    entries: Vec<RegistryEntry<C, T>>,
}

impl<C, T: ?Sized> Registry<C, T> {
    /// A registry of these entries, which have different names.
    pub(crate) fn of(entries: Vec<RegistryEntry<C, T>>) -> Registry<C, T> {
        Registry { entries }
    }

    /// Adds an entry.
    pub fn register(&mut self, entry: RegistryEntry<C, T>) -> Result<(), DuplicateName> {
        if self.find(entry.name).is_some() {
            return Err(DuplicateName { name: entry.name });
        }
        self.entries.push(entry);
        Ok(())
    }

    /// Replaces the entry of the same name.
    pub fn replace(&mut self, entry: RegistryEntry<C, T>) {
        self.entries
            .iter_mut()
            .filter(|known| known.name == entry.name)
            .for_each(|known| *known = entry.clone());
    }

    /// Entry of a name.
    pub fn find(&self, name: &str) -> Option<&RegistryEntry<C, T>> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// All entries, in the order they were registered.
    pub fn iter(&self) -> std::slice::Iter<'_, RegistryEntry<C, T>> {
        self.entries.iter()
    }
}

impl<C, T: ?Sized> Clone for Registry<C, T> {
    fn clone(&self) -> Registry<C, T> {
        Registry { entries: self.entries.clone() }
    }
}

impl<C, T: ?Sized> Default for Registry<C, T> {
    fn default() -> Registry<C, T> {
        Registry { entries: Vec::new() }
    }
}
