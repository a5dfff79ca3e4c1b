//! Search results equal those of a scan over all records.

use super::search::index::content;
use super::*;

const OPERATORS: [QueryOperator; 3] = [QueryOperator::And, QueryOperator::Or, QueryOperator::Phrase];
const WORD_MATCHES: [WordMatch; 4] =
    [WordMatch::Whole, WordMatch::Stemmed, WordMatch::Prefix, WordMatch::Substring];

fn small(script: Script) -> Arc<Collection> {
    Arc::new(CollectionSpec { seed: 5, records: 150, median_words: 12, script }.generate())
}

/// Frequency of each term group of a query in a record.
fn scan(database: &Database, record: u32, words: &str) -> Vec<u32> {
    let config = database.config();
    let (analysis, record) = (database.index.options.analysis, database.collection().record(record).unwrap());
    let text = content(record.title, record.text, config.indexed);
    let parts: Vec<Vec<String>> = text.split('\n').map(|part| analysis.terms(part)).collect();
    let fits = |word: &String, query: &String| match config.word_match {
        WordMatch::Whole | WordMatch::Stemmed => word == query,
        WordMatch::Prefix => word.starts_with(query),
        WordMatch::Substring => word.contains(query),
    };
    let count = |group: &Vec<String>| {
        let windows = parts.iter().flat_map(|part| part.windows(group.len()));
        windows.filter(|window| window.iter().zip(group).all(|(word, query)| fits(word, query))).count()
            as u32
    };
    term_groups(words, analysis, None, config).iter().map(count).collect()
}

fn scanned(database: &Database, words: &str) -> Vec<u32> {
    let fits = |record: &u32| {
        let counts = scan(database, *record, words);
        match database.config().operator {
            QueryOperator::Or => counts.iter().any(|count| *count > 0),
            _ => !counts.is_empty() && counts.iter().all(|count| *count > 0),
        }
    };
    (0..database.collection().len()).filter(fits).collect()
}

/// Words of records, alone and in pairs, parts of words, and words that no record has.
fn queries(collection: &Collection) -> Vec<String> {
    let mut queries: Vec<String> =
        ["the", "of the", "zzzz", "a", "s", "!?", "the zzzz"].map(String::from).to_vec();
    for number in (0..collection.len()).step_by(17) {
        let record = collection.record(number).unwrap();
        let letters: Vec<char> = record.text.chars().collect();
        if letters.len() > 12 {
            queries.push(letters[3..5].iter().collect());
            queries.push(letters[2..12].iter().collect());
        }
        let words: Vec<&str> = record.title.split(' ').collect();
        queries.push(words[0].to_string());
        queries.push(words.iter().rev().take(2).copied().collect::<Vec<_>>().join(" "));
        queries.push(words.iter().take(2).copied().collect::<Vec<_>>().join(", "));
    }
    queries
}

fn sorted(mut records: Vec<u32>) -> Vec<u32> {
    records.sort_unstable();
    records
}

#[test]
fn every_semantics_agrees_with_a_scan() {
    for script in [Script::Spaced, Script::Unspaced] {
        let collection = small(script);
        let queries = queries(&collection);
        let mut base = Database::new(collection, DatabaseConfig::default());
        for (matching, words) in OPERATORS.into_iter().flat_map(|m| WORD_MATCHES.map(|w| (m, w))) {
            for (indexed, stop_words, shortest_word) in
                [(IndexedText::Full, StopWords::Indexed, 1), (IndexedText::Title, StopWords::Ignored, 4)]
            {
                let config = DatabaseConfig {
                    operator: matching,
                    word_match: words,
                    indexed,
                    stop_words,
                    shortest_word,
                    ..DatabaseConfig::default()
                };
                base = base.with_config(config);
                for query in &queries {
                    let found = base.search_all(&SearchQuery::words(query));
                    let expected = scanned(&base, query);
                    assert_eq!(found.total as usize, expected.len(), "{query} {:?}", base.config());
                    assert_eq!(sorted(found.hits), expected, "{query} {:?}", base.config());
                }
            }
        }
    }
}

#[test]
fn the_best_fit_comes_first() {
    let collection = small(Script::Spaced);
    let config = DatabaseConfig {
        ranking: Ranking::Frequency,
        operator: QueryOperator::Or,
        ..DatabaseConfig::default()
    };
    let database = Database::new(collection.clone(), config);
    let lengths: Vec<f32> = (0..collection.len())
        .map(|n| collection.record(n).unwrap())
        .map(|record| cuts_of(&format!("{} {}", record.title, record.text)))
        .collect();
    let mean = lengths.iter().sum::<f32>() / lengths.len() as f32;
    for query in ["the", "of in", "and the of"] {
        let counts: Vec<Vec<u32>> = (0..collection.len()).map(|n| scan(&database, n, query)).collect();
        let score = |record: u32| -> f32 {
            let per_word = counts[record as usize].iter().enumerate().map(|(word, times)| {
                let with = counts.iter().filter(|counts| counts[word] > 0).count() as f32;
                let rarity = (1.0 + (150.0 - with + 0.5) / (with + 0.5)).ln();
                let times = *times as f32;
                rarity * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * lengths[record as usize] / mean))
            });
            per_word.sum()
        };
        // The index rounds lengths beyond 40, so only short records are compared.
        let hits = database.search_all(&SearchQuery::words(query)).hits;
        let short: Vec<u32> = hits.into_iter().filter(|record| lengths[*record as usize] <= 30.0).collect();
        assert!(short.len() > 30);
        for pair in short.windows(2) {
            assert!(score(pair[0]) >= score(pair[1]) - 1e-3, "{query} {pair:?}");
        }
    }
}

fn cuts_of(text: &str) -> f32 {
    search::analysis::tokens(text, None).count() as f32
}

#[test]
fn the_newest_come_first() {
    let database = Database::new(
        small(Script::Spaced),
        DatabaseConfig { ranking: Ranking::Recency, ..DatabaseConfig::default() },
    );
    let hits = database.search_all(&SearchQuery::words("the")).hits;
    let (_, dates) = database.collection().column("date").unwrap();
    let days: Vec<&str> = hits.iter().filter_map(|record| dates.text_of(*record)).collect();
    assert!(days.len() > 20 && days.is_sorted_by(|a, b| a >= b), "{days:?}");
}

#[test]
fn a_fixed_order_is_the_same_for_every_question() {
    let database = Database::new(small(Script::Spaced), DatabaseConfig::default());
    let all = database.search_all(&SearchQuery::words("the")).hits;
    let some = database.search_all(&SearchQuery::words("the of")).hits;
    let places: Vec<usize> =
        some.iter().map(|hit| all.iter().position(|other| other == hit).unwrap()).collect();
    assert!(places.is_sorted() && some.len() > 5);
    let reordered = database
        .with_config(DatabaseConfig { seed: 9, ..DatabaseConfig::default() })
        .search_all(&SearchQuery::words("the"))
        .hits;
    assert_ne!(all, reordered);
    assert_eq!(sorted(all), sorted(reordered));
}

#[test]
fn pages_together_are_everything_up_to_the_cap() {
    let base = Database::new(small(Script::Spaced), DatabaseConfig::default());
    for rank in [Ranking::Static, Ranking::Frequency, Ranking::Recency] {
        let uncapped =
            base.with_config(DatabaseConfig { ranking: rank, page_size: 7, ..DatabaseConfig::default() });
        let capped = base.with_config(DatabaseConfig {
            ranking: rank,
            page_size: 7,
            result_cap: Some(25),
            ..DatabaseConfig::default()
        });
        let query = SearchQuery::words("the");
        let all = uncapped.search_all(&query);
        assert!(all.total > 30 && !all.is_capped);
        let paged: Vec<u32> =
            (0..4).flat_map(|page| capped.search(&query.clone().with_page(page)).hits).collect();
        assert_eq!(paged, all.hits[..25]);
        let first = capped.search(&query);
        assert_eq!((first.total, first.is_capped, first.hits.len()), (all.total, true, 7));
        assert!(capped.search(&query.clone().with_page(u32::MAX)).hits.is_empty());
    }
}

#[test]
fn an_empty_query_is_answered_as_configured() {
    let base = Database::new(small(Script::Spaced), DatabaseConfig::default());
    for (empty_query, total) in
        [(EmptyQuery::Everything, 150), (EmptyQuery::Nothing, 0), (EmptyQuery::Error, 0)]
    {
        let database = base.with_config(DatabaseConfig { empty_query, ..DatabaseConfig::default() });
        assert_eq!(database.search(&SearchQuery::words("  ")).total, total);
    }
}

#[test]
fn choices_narrow_as_a_scan_does() {
    let cars = Arc::new(generate_cars(3, 1_000));
    let database = Database::new(cars.clone(), DatabaseConfig::preset("used-cars").unwrap());
    let (_, makes) = cars.column("make").unwrap();
    let (_, prices) = cars.column("price").unwrap();
    for make in makes.values() {
        let query = SearchQuery::default()
            .with_filter(Filter::is("make", make))
            .with_filter(Filter::between("price", Some(5_000.0), Some(9_000.0)));
        let fits = |n: &u32| {
            makes.text_of(*n) == Some(make) && (5_000.0..=9_000.0).contains(&prices.number_of(*n).unwrap())
        };
        assert_eq!(database.search(&query).total as usize, (0..1_000).filter(fits).count());
    }
    let nobody =
        [Filter::is("make", "Nobody"), Filter::is("wheels", "4"), Filter::between("make", None, None)];
    for choice in nobody {
        assert_eq!(database.search(&SearchQuery::default().with_filter(choice)).total, 0);
    }
}

#[test]
fn an_empty_collection_answers_too() {
    let database = Database::new(Arc::new(Collection::default()), DatabaseConfig::default());
    assert_eq!(database.search(&SearchQuery::words("sea")), SearchResult::default());
}
