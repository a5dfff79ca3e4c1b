//! Every back end passes the contract suite. A new back end is one more module.

mod memory {
    use hadal::store::Store;
    use hadal::store::memory::MemoryStore;

    fn with_store(fact: fn(&dyn Store)) {
        fact(&MemoryStore::default());
    }

    hadal_store_contract::contract_tests!(with_store);
}

mod file {
    use hadal::store::{Access, Store, open};

    fn with_store(fact: fn(&dyn Store)) {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("file:{}", folder.path().display());
        fact(&*open(&url, Access::Crawl).unwrap());
    }

    hadal_store_contract::contract_tests!(with_store);
}

mod postgres {
    use hadal::store::{Access, Store, open};
    use hadal_store_contract::cluster;

    fn with_store(fact: fn(&dyn Store)) {
        if let Some(database) = cluster::new_store() {
            fact(&*open(&database, Access::Crawl).unwrap());
        }
    }

    hadal_store_contract::contract_tests!(with_store);
}

#[test]
fn a_url_of_no_back_end_is_refused() {
    use hadal::store::{Access, StoreError, open};
    for url in ["postgres:x", "s3:bucket", "memory:x", "file:", "file://data", ""] {
        let refused = open(url, Access::Read).err();
        assert!(matches!(refused, Some(StoreError::BadUrl(_))), "{url}: {refused:?}");
    }
}

#[test]
fn a_fact_that_does_not_hold_panics() {
    use hadal_store_contract::{FACTS, fixture};
    let store = hadal::store::memory::MemoryStore::default();
    let (_, fact) = FACTS.iter().find(|(name, _)| *name == "runs_are_paged_newest_first").unwrap();
    fixture::begin(&store);
    let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| fact(&store)));
    assert!(checked.is_err(), "the fact needs an empty store");
}
