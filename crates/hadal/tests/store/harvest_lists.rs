//! What was harvested, as it is listed, searched and told again.

use crate::harvest_fixture::*;
use hadal::store::*;
use hadal_core::harvest::record::RecordId;
use hadal_core::identity::FormId;
use hadal_core::time::Time;

fn all() -> HarvestFilter {
    HarvestFilter::default()
}

fn searching(words: &str) -> HarvestFilter {
    HarvestFilter { search: Some(words.into()), ..all() }
}

fn ids(rows: &[RecordRow]) -> Vec<u64> {
    rows.iter().map(|row| row.record.id.0).collect()
}

pub fn the_past_is_told_answer_by_answer(store: &dyn Store) {
    let harvest = begin_harvest(store);
    let mut second = asked(2, 2..4);
    second.hits.extend([RecordId(0), RecordId(99)]);
    let steps = [
        HarvestStep { asked: Some(second.clone()), ..harvest_step(0, 2, 2..4) },
        HarvestStep { asked: Some(asked(0, 0..2)), ..harvest_step(1, 0, 0..2) },
        HarvestStep { details: vec![(RecordId(0), "its page".into())], ..harvest_step(2, 7, 8..9) },
    ];
    store.commit_steps(harvest, &steps).unwrap();
    let answers = past(store, harvest);
    assert_eq!(answers.iter().map(|(row, _)| row).collect::<Vec<_>>(), [&asked(0, 0..2), &second]);
    let told = |n: usize| answers[n].1.iter().map(|hit| (hit.id.0, hit.is_new)).collect::<Vec<_>>();
    assert_eq!(told(0), [(0, true), (1, true)]);
    assert_eq!(told(1), [(2, true), (3, true), (0, false)], "99 was never kept");
    let first = AnswerRecord {
        id: RecordId(0),
        is_new: true,
        title: "Title 0".into(),
        text: "Title 0, the text of a record\nits page".into(),
        fields: answers[0].1[0].fields.clone(),
    };
    assert_eq!(answers[0].1[0], first);
    let mut told = 0;
    let mut each = |_: QueryRow, _: Vec<AnswerRecord>| {
        told += 1;
        Walk::Stop
    };
    store.past(harvest, &mut each).unwrap();
    assert_eq!(told, 1);
}

/// Three harvests: two of form 1, for books, and one of form 2, for cars.
fn three(store: &dyn Store) -> [HarvestId; 3] {
    let cars = HarvestSpec { topic: "cars".into(), ..harvest_spec(2) };
    let again = HarvestSpec { seed: 8, ..harvest_spec(1) };
    let begun = [harvest_spec(1), cars, again].map(|spec| store.begin_harvest(&spec, Time(1)).unwrap());
    for (n, &harvest) in begun.iter().enumerate() {
        let first = n as u64 * 10;
        let step =
            HarvestStep { asked: Some(asked(1, first..first + 2)), ..harvest_step(0, 1, first..first + 2) };
        store.commit_steps(harvest, &[step]).unwrap();
    }
    begun
}

pub fn harvests_are_filtered_and_their_rows_with_them(store: &dyn Store) {
    let [books, cars, again] = three(store);
    for (filter, wanted, records_wanted) in [
        (all(), vec![books, cars, again], vec![0, 1, 10, 11, 20, 21]),
        (HarvestFilter { harvest: Some(cars), ..all() }, vec![cars], vec![10, 11]),
        (HarvestFilter { form: Some(FormId(1)), ..all() }, vec![books, again], vec![0, 1, 20, 21]),
        (HarvestFilter { topic: Some("cars".into()), ..all() }, vec![cars], vec![10, 11]),
        (HarvestFilter { form: Some(FormId(1)), harvest: Some(cars), ..all() }, vec![], vec![]),
        (HarvestFilter { topic: Some("boats".into()), ..all() }, vec![], vec![]),
    ] {
        let harvests: Vec<_> = store.harvests(&filter).unwrap().iter().map(|row| row.id).collect();
        assert_eq!(harvests, wanted, "{filter:?}");
        let asked: Vec<_> = queries(store, &filter).iter().map(|row| row.harvest).collect();
        assert_eq!(asked, wanted, "{filter:?}");
        for filter in [filter.clone(), HarvestFilter { search: Some("record".into()), ..filter }] {
            assert_eq!(ids(&records(store, &filter)), records_wanted, "{filter:?}");
        }
    }
    let row = records(store, &HarvestFilter { harvest: Some(cars), ..all() }).remove(0);
    assert_eq!((row.harvest, row.form, row.topic.as_str()), (cars, FormId(2), "cars"));
    assert_eq!(queries(store, &HarvestFilter { harvest: Some(cars), ..all() })[0].form, FormId(2));
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
    store
        .commit_steps(harvest, &[HarvestStep { records: records_of_step, ..harvest_step(0, 1, 0..0) }])
        .unwrap();
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
        let asked = QueryRow { words: (*words).to_string(), ..asked(n as u32, 0..0) };
        HarvestStep { asked: Some(asked), ..harvest_step(n as u64, 1, 0..0) }
    };
    store.commit_steps(harvest, &words.iter().enumerate().map(step).collect::<Vec<_>>()).unwrap();
    let found =
        |words: &str| queries(store, &searching(words)).iter().map(|row| row.number).collect::<Vec<_>>();
    assert_eq!((found("deep"), found("x deep"), found("sea shallow")), (vec![0, 1], vec![1], vec![]));
}

pub fn long_lists_are_walked_whole_and_may_end_early(store: &dyn Store) {
    let harvest = begin_harvest(store);
    let step = |n: u32| {
        let first = u64::from(n);
        HarvestStep { asked: Some(asked(n, first..first + 1)), ..harvest_step(first, n, first..first + 1) }
    };
    store.commit_steps(harvest, &(0..1234).map(step).collect::<Vec<_>>()).unwrap();
    let everything: Vec<u64> = (0..1234).collect();
    assert_eq!(ids(&records(store, &all())), everything);
    assert_eq!(ids(&records(store, &searching("record text"))), everything);
    assert_eq!(
        queries(store, &all()).iter().map(|row| u64::from(row.number)).collect::<Vec<_>>(),
        everything
    );
    assert_eq!(past(store, harvest).len(), 1234);
    let mut seen = 0;
    let mut each = |_: RecordRow| {
        seen += 1;
        if seen == 7 { Walk::Stop } else { Walk::On }
    };
    store.records(&all(), &mut each).unwrap();
    assert_eq!(seen, 7);
}

pub fn a_list_goes_on_after_any_row(store: &dyn Store) {
    let [books, cars, again] = three(store);
    let after = |harvest, row| HarvestFilter { after: Some((harvest, row)), ..all() };
    for (filter, wanted) in [
        (after(books, 0), vec![1, 10, 11, 20, 21]),
        (after(books, 1), vec![10, 11, 20, 21]),
        (after(cars, 10), vec![11, 20, 21]),
        (after(again, 21), vec![]),
        (after(cars, 777), vec![10, 11, 20, 21]),
    ] {
        for filter in [filter.clone(), HarvestFilter { search: Some("record".into()), ..filter }] {
            assert_eq!(ids(&records(store, &filter)), wanted, "{filter:?}");
        }
    }
    let numbers =
        |filter: &HarvestFilter| queries(store, filter).iter().map(|row| row.harvest).collect::<Vec<_>>();
    assert_eq!(numbers(&after(books, 0)), [books, cars, again]);
    assert_eq!(numbers(&after(books, 1)), [cars, again]);
    assert_eq!(numbers(&after(again, u64::MAX)), []);
}

pub fn a_walk_over_records_may_use_the_store(store: &dyn Store) {
    let [books, ..] = three(store);
    let mut told = 0;
    let mut each = |row: RecordRow| {
        told += 1;
        assert_eq!(store.harvests(&HarvestFilter { harvest: Some(row.harvest), ..all() }).unwrap().len(), 1);
        store.commit_steps(books, &[harvest_step(told, 1, 0..1)]).unwrap();
        Walk::On
    };
    store.records(&all(), &mut each).unwrap();
    assert_eq!(told, 6);
}

pub fn hostile_text_comes_back_as_it_was(store: &dyn Store) {
    let harvest = begin_harvest(store);
    let hostile = "'; DROP TABLE records; -- \0 \u{202e}\u{1b}[31m \" \u{feff} \u{10ffff} ".repeat(200);
    let mut row = record(1);
    row.record.title.clone_from(&hostile);
    row.record.text.clone_from(&hostile);
    row.record.fields = vec![(hostile.clone(), hostile.clone()), (String::new(), String::new())];
    row.words.clone_from(&hostile);
    row.detail = Some(hostile.clone());
    let mut question = asked(1, 1..2);
    question.query.words.clone_from(&hostile);
    question.words.clone_from(&hostile);
    question.kind.clone_from(&hostile);
    let failed = Some(hostile.clone());
    let step = HarvestStep {
        records: vec![row.clone()],
        asked: Some(question.clone()),
        failed,
        ..harvest_step(0, 1, 0..0)
    };
    store.commit_steps(harvest, &[step]).unwrap();
    assert_eq!((records(store, &all()), queries(store, &all())), (vec![row.clone()], vec![question.clone()]));
    assert_eq!(
        (records(store, &searching(&hostile)), queries(store, &searching(&hostile))),
        (vec![row], vec![question])
    );
}

pub fn records_of_a_harvest_are_paged_and_searched_among_others(store: &dyn Store) {
    let harvests: Vec<HarvestId> =
        (1..=12).map(|form| store.begin_harvest(&harvest_spec(form), Time(5)).unwrap()).collect();
    for seq in 0..3 {
        for (n, harvest) in harvests.iter().enumerate() {
            let first = n as u64 * 100 + seq * 2;
            store.commit_steps(*harvest, &[harvest_step(seq, 1, first..first + 2)]).unwrap();
        }
    }
    let page = |harvest, search, after: Option<u64>, most| {
        let page = store.record_page(harvest, search, after.map(RecordId), most).unwrap();
        (ids(&page.records), page.next.map(|record| record.0))
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

pub fn what_is_asked_of_a_harvest_is_kept_until_it_is_discarded(store: &dyn Store) {
    let harvest = begin_harvest(store);
    assert_eq!(store.harvest_control(harvest).unwrap(), Control::default());
    let control = Control { pause: true, ..Control::default() };
    store.set_harvest_control(harvest, &control).unwrap();
    assert_eq!(store.harvest_control(harvest).unwrap(), control);
    store.discard_harvest(harvest).unwrap();
    assert!(store.set_harvest_control(harvest, &control).is_err());
}
