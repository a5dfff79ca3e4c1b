//! Lists of harvests, queries, records and past answers, and search in them.

use crate::harvest_fixture::*;
use hadal::store::*;
use hadal_core::harvest::record::RecordId;
use hadal_core::identity::FormId;
use hadal_core::time::Time;

fn all() -> HarvestRowQuery {
    HarvestRowQuery::default()
}

fn searching(words: &str) -> HarvestRowQuery {
    HarvestRowQuery { search: Some(words.into()), ..all() }
}

fn ids(rows: &[RecordRow]) -> Vec<u64> {
    rows.iter().map(|row| row.record.id.0).collect()
}

pub fn past_answers_are_listed_by_number(store: &dyn Store) {
    let harvest = begin_harvest(store);
    let mut second = query_row(2, 2..4);
    second.hits.extend([RecordId(0), RecordId(99)]);
    let steps = [
        HarvestStep { finished_query: Some(second.clone()), ..harvest_step(0, 2, 2..4) },
        HarvestStep { finished_query: Some(query_row(0, 0..2)), ..harvest_step(1, 0, 0..2) },
        HarvestStep { details: vec![(RecordId(0), "its page".into())], ..harvest_step(2, 7, 8..9) },
    ];
    commit_steps(store, harvest, &steps);
    let answers = past(store, harvest);
    assert_eq!(
        answers.iter().map(|answer| &answer.query).collect::<Vec<_>>(),
        [&query_row(0, 0..2), &second]
    );
    let hits = |n: usize| answers[n].records.iter().map(|hit| (hit.id.0, hit.is_new)).collect::<Vec<_>>();
    assert_eq!(hits(0), [(0, true), (1, true)]);
    assert_eq!(hits(1), [(2, true), (3, true), (0, false)], "99 was never kept");
    let first = AnswerRecord {
        id: RecordId(0),
        is_new: true,
        title: "Title 0".into(),
        text: "Title 0, the text of a record\nits page".into(),
        fields: answers[0].records[0].fields.clone(),
    };
    assert_eq!(answers[0].records[0], first);
    let page = store.past_answers(harvest, None, 1).unwrap();
    assert_eq!((page.rows.len(), page.next), (1, Some(0)));
    let page = store.past_answers(harvest, page.next, 9).unwrap();
    assert_eq!((&page.rows[..], page.next), (&answers[1..], None));
}

/// Three harvests: two of form 1, for books, and one of form 2, for cars.
fn three(store: &dyn Store) -> [HarvestId; 3] {
    let cars = HarvestSpec { topic: "cars".into(), ..harvest_spec(2) };
    let again = HarvestSpec { seed: 8, ..harvest_spec(1) };
    let begun = [harvest_spec(1), cars, again].map(|spec| store.begin_harvest(&spec, Time(1)).unwrap());
    for (n, &harvest) in begun.iter().enumerate() {
        let first = n as u64 * 10;
        let step = HarvestStep {
            finished_query: Some(query_row(1, first..first + 2)),
            ..harvest_step(0, 1, first..first + 2)
        };
        commit_steps(store, harvest, &[step]);
    }
    begun
}

pub fn harvests_and_their_rows_are_filtered(store: &dyn Store) {
    let [books, cars, again] = three(store);
    for (filter, wanted, records_wanted) in [
        (all(), vec![books, cars, again], vec![0, 1, 10, 11, 20, 21]),
        (HarvestRowQuery { harvest: Some(cars), ..all() }, vec![cars], vec![10, 11]),
        (HarvestRowQuery { form: Some(FormId(1)), ..all() }, vec![books, again], vec![0, 1, 20, 21]),
        (HarvestRowQuery { topic: Some("cars".into()), ..all() }, vec![cars], vec![10, 11]),
        (HarvestRowQuery { form: Some(FormId(1)), harvest: Some(cars), ..all() }, vec![], vec![]),
        (HarvestRowQuery { topic: Some("boats".into()), ..all() }, vec![], vec![]),
    ] {
        let HarvestRowQuery { harvest, form, topic, .. } = filter.clone();
        let of_filter = HarvestQuery { harvest, form, topic, ..HarvestQuery::default() };
        let harvests: Vec<_> = store.harvests(&of_filter).unwrap().iter().map(|row| row.id).collect();
        assert_eq!(harvests, wanted, "{filter:?}");
        let harvests: Vec<_> = queries(store, &filter).iter().map(|row| row.harvest).collect();
        assert_eq!(harvests, wanted, "{filter:?}");
        for filter in [filter.clone(), HarvestRowQuery { search: Some("record".into()), ..filter }] {
            assert_eq!(ids(&records(store, &filter)), records_wanted, "{filter:?}");
        }
    }
    let row = records(store, &HarvestRowQuery { harvest: Some(cars), ..all() }).remove(0);
    assert_eq!((row.harvest, row.form, row.topic.as_str()), (cars, FormId(2), "cars"));
    assert_eq!(queries(store, &HarvestRowQuery { harvest: Some(cars), ..all() })[0].form, FormId(2));
}

pub fn records_are_found_by_their_words(store: &dyn Store) {
    let harvest = begin_harvest(store);
    let texts = [
        "Deep sea maps",
        "Deep-sea fish, 1872",
        "\u{c9}tudes",
        "\u{6df1}\u{6d77}\u{9b5a}",
        "l\u{2019}\u{e9}t\u{e9}",
    ];
    let row = |(id, text): (usize, &&str)| {
        let mut row = record(id as u64);
        (row.record.title, row.record.text) = (String::new(), (*text).to_string());
        row
    };
    let records_of_step = texts.iter().enumerate().map(row).collect();
    let step = HarvestStep { records: records_of_step, ..harvest_step(0, 1, 0..0) };
    commit_steps(store, harvest, &[step]);
    let found = |words: &str| ids(&records(store, &searching(words)));
    for (words, wanted) in [
        ("DEEP", vec![0, 1]),
        ("sea deep", vec![0, 1]),
        ("sea 1872", vec![1]),
        ("\u{e9}tudes", vec![2]),
        ("\u{6d77}\u{9b5a}", vec![3]),
        ("l\u{2019}\u{e9}t\u{e9}", vec![4]),
        ("dee", vec![]),
        ("deep \u{e9}tudes", vec![]),
        ("\" OR deep", vec![]),
        ("words:deep* NOT", vec![]),
        ("deep)", vec![0, 1]),
        ("", vec![]),
        ("?!", vec![]),
    ] {
        assert_eq!(found(words), wanted, "{words}");
    }
}

pub fn queries_are_found_by_their_words(store: &dyn Store) {
    let harvest = begin_harvest(store);
    let words = ["deep sea", "Deep s=x", "shallow"];
    let step = |(n, words): (usize, &&str)| {
        let query = QueryRow { words: (*words).to_string(), ..query_row(n as u32, 0..0) };
        HarvestStep { finished_query: Some(query), ..harvest_step(n as u64, 1, 0..0) }
    };
    commit_steps(store, harvest, &words.iter().enumerate().map(step).collect::<Vec<_>>());
    let found =
        |words: &str| queries(store, &searching(words)).iter().map(|row| row.number).collect::<Vec<_>>();
    assert_eq!((found("deep"), found("x deep"), found("sea shallow")), (vec![0, 1], vec![1], vec![]));
}

pub fn long_lists_of_a_harvest_are_complete(store: &dyn Store) {
    let harvest = begin_harvest(store);
    let step = |n: u32| {
        let first = u64::from(n);
        HarvestStep {
            finished_query: Some(query_row(n, first..first + 1)),
            ..harvest_step(first, n, first..first + 1)
        }
    };
    commit_steps(store, harvest, &(0..1234).map(step).collect::<Vec<_>>());
    let everything: Vec<u64> = (0..1234).collect();
    assert_eq!(ids(&records(store, &all())), everything);
    assert_eq!(ids(&records(store, &searching("record text"))), everything);
    assert_eq!(
        queries(store, &all()).iter().map(|row| u64::from(row.number)).collect::<Vec<_>>(),
        everything
    );
    assert_eq!(past(store, harvest).len(), 1234);
    assert_eq!(store.records(&HarvestRowQuery { limit: Some(7), ..all() }).unwrap().rows.len(), 7);
}

pub fn a_list_continues_after_any_row(store: &dyn Store) {
    let [books, cars, again] = three(store);
    let after = |harvest, row| {
        let after = Some(HarvestRowCursor { harvest, row: Some(row) });
        HarvestRowQuery { after, ..all() }
    };
    for (filter, wanted) in [
        (after(books, 0), vec![1, 10, 11, 20, 21]),
        (after(books, 1), vec![10, 11, 20, 21]),
        (after(cars, 10), vec![11, 20, 21]),
        (after(again, 21), vec![]),
        (after(cars, 777), vec![10, 11, 20, 21]),
    ] {
        for filter in [filter.clone(), HarvestRowQuery { search: Some("record".into()), ..filter }] {
            assert_eq!(ids(&records(store, &filter)), wanted, "{filter:?}");
        }
    }
    let numbers =
        |filter: &HarvestRowQuery| queries(store, filter).iter().map(|row| row.harvest).collect::<Vec<_>>();
    assert_eq!(numbers(&after(books, 0)), [books, cars, again]);
    assert_eq!(numbers(&after(books, 1)), [cars, again]);
    assert_eq!(numbers(&after(again, u64::MAX)), []);
}

pub fn a_harvest_can_be_changed_between_two_records(store: &dyn Store) {
    let [books, ..] = three(store);
    let mut read = 0;
    for row in all_records(store, HarvestRowQuery { limit: Some(1), ..all() }) {
        read += 1;
        assert_eq!(store.harvests(&HarvestQuery::one(row.unwrap().harvest)).unwrap().len(), 1);
        commit_steps(store, books, &[harvest_step(read, 1, 0..1)]);
    }
    assert_eq!(read, 6);
}

pub fn hostile_text_is_read_as_it_was_written(store: &dyn Store) {
    let harvest = begin_harvest(store);
    let hostile = "'; DROP TABLE records; -- \0 \u{202e}\u{1b}[31m \" \u{feff} \u{10ffff} ".repeat(200);
    let mut row = record(1);
    row.record.title.clone_from(&hostile);
    row.record.text.clone_from(&hostile);
    row.record.fields = vec![(hostile.clone(), hostile.clone()), (String::new(), String::new())];
    row.words.clone_from(&hostile);
    row.detail = Some(hostile.clone());
    let mut query = query_row(1, 1..2);
    query.query.words.clone_from(&hostile);
    query.words.clone_from(&hostile);
    query.kind.clone_from(&hostile);
    let step = HarvestStep {
        records: vec![row.clone()],
        finished_query: Some(query.clone()),
        ..harvest_step(0, 1, 0..0)
    };
    commit_steps(store, harvest, &[step]);
    assert_eq!((records(store, &all()), queries(store, &all())), (vec![row.clone()], vec![query.clone()]));
    assert_eq!(
        (records(store, &searching(&hostile)), queries(store, &searching(&hostile))),
        (vec![row], vec![query])
    );
}

pub fn records_of_a_harvest_are_paged_and_searched_among_others(store: &dyn Store) {
    let harvests: Vec<HarvestId> =
        (1..=12).map(|form| store.begin_harvest(&harvest_spec(form), Time(5)).unwrap()).collect();
    for seq in 0..3 {
        for (n, harvest) in harvests.iter().enumerate() {
            let first = n as u64 * 100 + seq * 2;
            commit_steps(store, *harvest, &[harvest_step(seq, 1, first..first + 2)]);
        }
    }
    let page = |harvest, search: Option<&str>, after: Option<u64>, most| {
        let query = HarvestRowQuery {
            search: search.map(String::from),
            after: after.map(|row| HarvestRowCursor { harvest, row: Some(row) }),
            limit: Some(most),
            ..HarvestRowQuery::of(harvest)
        };
        let page = store.records(&query).unwrap();
        (ids(&page.rows), page.next.and_then(|next| next.row))
    };
    for search in [None, Some("record"), Some("TITLE text")] {
        assert_eq!(page(harvests[1], search, None, 4), (vec![100, 101, 102, 103], Some(103)));
        assert_eq!(page(harvests[1], search, Some(103), 4), (vec![104, 105], None));
        assert_eq!(page(HarvestId(99), search, None, 4), (vec![], None));
    }
    assert_eq!(page(harvests[1], Some("text 104"), None, 4), (vec![104], None));
    assert_eq!(page(harvests[0], Some("104"), None, 4), (vec![], None), "it is of another harvest");
    assert_eq!(page(harvests[0], Some("2qtitle"), None, 4), (vec![], None));
    assert_eq!(page(harvests[0], Some("?"), None, 4), (vec![], None));
}

pub fn control_of_a_harvest_is_kept_until_it_is_discarded(store: &dyn Store) {
    let harvest = begin_harvest(store);
    assert_eq!(store.control(Activity::Harvest(harvest)).unwrap(), Control::default());
    let control = Control { pause: true, ..Control::default() };
    store.apply_user_changes(&[UserChange::Control(Activity::Harvest(harvest), control.clone())]).unwrap();
    assert_eq!(store.control(Activity::Harvest(harvest)).unwrap(), control);
    store.discard(Activity::Harvest(harvest)).unwrap();
    assert!(
        store
            .apply_user_changes(&[UserChange::Control(Activity::Harvest(harvest), control.clone())])
            .is_err()
    );
}
