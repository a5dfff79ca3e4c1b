//! Where level strategies place links, what they serve, and what they learn from.

use super::plan::{APPRENTICE, BACKWARD, FFC_1, OFFLINE_ONLINE, ONLINE};
use super::*;
use crate::address::LinkId;
use crate::link::ParentPage;
use crate::page::{LinkContext, Page};
use crate::strategy::{Lesson, QueueHead};

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn page(at: &str, html: &str) -> Page {
    crate::html::parse(html.as_bytes(), Some("text/html"), &url(at))
}

/// A link on a page that is on topic.
fn link(to: &str, anchor: &str) -> FrontierLink {
    let parent = ParentPage { id: LinkId(1), p_topic: 0.9, has_relevant_form: false, same_site: true };
    let context = LinkContext { anchor: anchor.into(), ..LinkContext::default() };
    FrontierLink { context, parent: Some(parent), ..FrontierLink::root(url(to), LinkOrigin::Link) }
}

/// Nothing waits anywhere.
struct Empty;

impl QueueHeads for Empty {
    fn heads(&self) -> Vec<QueueHead> {
        Vec::new()
    }

    fn head(&self, _queue: QueueId) -> Option<QueueHead> {
        None
    }

    fn link_count(&self, _queue: QueueId) -> u64 {
        0
    }
}

fn visit(
    strategy: &mut Levels,
    link: &FrontierLink,
    page: Option<&Page>,
    new_relevant: u32,
    path: &[FrontierLink],
) -> Vec<StrategyCommand> {
    strategy.learn(&PageVisit {
        link,
        path,
        page,
        verdict: &PageVerdict { p_topic: 0.9, ..PageVerdict::default() },
        forms: &[],
        new_relevant,
        new_searchable: new_relevant,
        reward: 0.0,
        site_before: &SiteCounters::default(),
        site: &SiteCounters::default(),
    })
}

fn briefing(backlinks: bool) -> StrategyContext {
    StrategyContext { examples: vec![url("http://form.org/find")], backlinks, ..StrategyContext::default() }
}

/// Trained on one path: "Books by topic" links to the page with "Search the catalogue".
fn trained(plan: Plan) -> (Levels, Lesson) {
    let mut strategy = Levels::new(plan, &briefing(true));
    assert_eq!(strategy.begin(), [StrategyCommand::LookUpBacklinks(url("http://form.org/find"))]);
    strategy.on_backlinks(&url("http://form.org/find"), &[url("http://form.org/")]);
    let home = page("http://form.org/", "<a href=/find>Search the catalogue</a>");
    let asked = visit(
        &mut strategy,
        &FrontierLink::root(url("http://form.org/"), LinkOrigin::Backlink),
        Some(&home),
        0,
        &[],
    );
    assert_eq!(asked, [StrategyCommand::LookUpBacklinks(url("http://form.org/"))]);
    strategy.on_backlinks(&url("http://form.org/"), &[url("http://hub.org/")]);
    let hub = page("http://hub.org/", "<a href=http://form.org/>Books by topic</a>");
    visit(
        &mut strategy,
        &FrontierLink::root(url("http://hub.org/"), LinkOrigin::Backlink),
        Some(&hub),
        0,
        &[],
    );
    if plan.classes() > 2 {
        strategy.on_backlinks(&url("http://hub.org/"), &[]);
    }
    let QueueChoice::Execute(first) = strategy.choose(&Empty) else { panic!("nothing first") };
    let StrategyCommand::RecordLesson(lesson) = *first else { panic!("no lesson") };
    assert_eq!(strategy.choose(&Empty), QueueChoice::Execute(Box::new(StrategyCommand::RescoreAll)));
    assert_eq!(strategy.choose(&Empty), QueueChoice::Idle);
    (strategy, lesson)
}

fn placed(strategy: &Levels, link: &FrontierLink) -> (QueueId, f32) {
    match strategy.place(link, &SiteCounters::default()) {
        Placement::Enqueue { queue, score } => (queue, score),
        Placement::Drop => panic!("{} was dropped", link.url),
    }
}

#[test]
fn a_backward_crawl_teaches_one_level_after_the_other() {
    let (strategy, lesson) = trained(OFFLINE_ONLINE);
    assert_eq!((lesson.iteration, lesson.examples), (0, 2));
    let anchors: Vec<_> = lesson.selected.iter().filter(|one| one.space == "anchor").collect();
    assert_eq!(anchors[0].level, Some(1));
    assert_eq!(anchors[0].terms, [("catalogu".to_string(), 1), ("search".to_string(), 1)]);
    assert_eq!((anchors[1].level, anchors[1].terms.len()), (Some(2), 2));
    assert_eq!(strategy.gauges(&Empty).iter().find(|gauge| gauge.name == "look-ups").unwrap().value, 3.0);
}

#[test]
fn links_wait_on_the_level_they_look_like() {
    let (strategy, _) = trained(OFFLINE_ONLINE);
    let (near, near_score) = placed(&strategy, &link("http://a.org/x", "Search our catalogue"));
    let (far, _) = placed(&strategy, &link("http://a.org/y", "More books"));
    let (unknown, low) = placed(&strategy, &link("http://a.org/z", "Privacy"));
    assert_eq!((near, far, unknown), (persistent(1), persistent(2), persistent(3)));
    assert!(near_score > 0.5 && low < 0.0);
}

#[test]
fn of_equal_links_the_one_closer_to_the_entrance_comes_first() {
    let (strategy, _) = trained(OFFLINE_ONLINE);
    let shallow = link("http://a.org/x", "Search");
    let deep = FrontierLink { site_depth: 4, ..shallow.clone() };
    assert!(placed(&strategy, &shallow).1 > placed(&strategy, &deep).1);
}

#[test]
fn a_single_queue_is_ordered_by_the_likelihood_of_its_level() {
    let (strategy, _) = trained(FFC_1);
    assert!(strategy.model.is_some());
    assert_eq!(placed(&strategy, &link("http://a.org/z", "Privacy")).0, persistent(1));
}

#[test]
fn seeds_and_redirects_go_straight_to_the_crawling_frontier() {
    let (strategy, _) = trained(OFFLINE_ONLINE);
    assert_eq!(
        placed(&strategy, &FrontierLink::root(url("http://s.org/"), LinkOrigin::Seed)),
        (crawling(1), 1.0)
    );
    let moved = FrontierLink { origin: LinkOrigin::Redirect, ..link("http://a.org/x", "More books") };
    assert_eq!(placed(&strategy, &moved).0, crawling(2));
}

#[test]
fn links_of_pages_off_topic_and_pages_nobody_reads_are_dropped() {
    let (strategy, _) = trained(OFFLINE_ONLINE);
    let mut off = link("http://a.org/x", "Search");
    off.parent.as_mut().unwrap().p_topic = 0.4;
    for link in [off, FrontierLink::root(url("http://z.org/"), LinkOrigin::Backlink)] {
        assert_eq!(strategy.place(&link, &SiteCounters::default()), Placement::Drop);
    }
}

#[test]
fn without_backlinks_or_before_learning_the_order_is_that_of_best_first() {
    for mut strategy in [Levels::new(OFFLINE_ONLINE, &briefing(false)), Levels::new(ONLINE, &briefing(true))]
    {
        assert_eq!(strategy.begin(), []);
        assert_eq!(placed(&strategy, &link("http://a.org/x", "Search")), (crawling(1), 0.9));
        assert_eq!(strategy.choose(&Empty), QueueChoice::Idle);
    }
}

#[test]
fn what_never_comes_back_does_not_hold_up_the_end_of_training() {
    let mut strategy = Levels::new(OFFLINE_ONLINE, &briefing(true));
    strategy.begin();
    assert_eq!(strategy.choose(&Empty), QueueChoice::Idle, "an answer is expected");
    for n in 0..32 {
        assert!(strategy.memory.training);
        visit(&mut strategy, &link(&format!("http://a.org/{n}"), ""), None, 0, &[]);
    }
    strategy.choose(&Empty);
    assert!(!strategy.memory.training && strategy.model.is_none());
}

#[test]
fn after_enough_relevant_forms_a_new_classifier_comes_from_the_paths_to_them() {
    let plan = Plan { learn_after: Some(25), ..OFFLINE_ONLINE };
    let (mut strategy, _) = trained(plan);
    let path =
        [link("http://b.org/", "City library"), FrontierLink::root(url("http://s.org/"), LinkOrigin::Seed)];
    let mut commands = Vec::new();
    for n in 0..25 {
        assert_eq!(commands, []);
        let to_form = link(&format!("http://a.org/opac?n={n}"), "Library holdings");
        commands = visit(&mut strategy, &to_form, None, 1, &path);
    }
    let StrategyCommand::RecordLesson(lesson) = &commands[0] else { panic!("no lesson: {commands:?}") };
    assert_eq!((lesson.iteration, &commands[1]), (1, &StrategyCommand::RescoreAll));
    let stems = |level, space: &str| {
        let one = lesson.selected.iter().find(|one| one.level == Some(level) && one.space == space).unwrap();
        one.terms.iter().map(|(stem, _)| stem.clone()).collect::<Vec<_>>()
    };
    assert_eq!(stems(1, "anchor"), ["hold", "librari"], "enough paths replace what was trained");
    assert!(stems(2, "anchor").contains(&"topic".to_string()), "one path does not");
    assert_eq!(placed(&strategy, &link("http://x.org/opac", "Library holdings")).0, persistent(1));
}

#[test]
fn a_classifier_that_looks_at_the_same_is_only_rescored() {
    let plan = Plan { learn_after: Some(1), ..ONLINE };
    let mut strategy = Levels::new(plan, &briefing(false));
    let first = visit(&mut strategy, &link("http://a.org/opac", "Library"), None, 1, &[]);
    assert_eq!(first[1], StrategyCommand::RescoreAll);
    let again = visit(&mut strategy, &link("http://a.org/opac?n=1", "Library"), None, 1, &[]);
    assert_eq!(again[1], StrategyCommand::RescoreHeads);
}

#[test]
fn frozen_it_keeps_paths_and_never_learns() {
    let mut strategy = Levels::new(ONLINE.frozen(), &briefing(false));
    for n in 0..300 {
        let commands = visit(&mut strategy, &link(&format!("http://a.org/{n}"), "Library"), None, 1, &[]);
        assert_eq!(commands, []);
    }
    assert!(strategy.memory.paths.of(1).count() > 200 && strategy.model.is_none());
}

#[test]
fn backward_crawls_start_from_pages_with_new_forms_one_of_each_site() {
    let plan = Plan { learn_after: Some(3), ..BACKWARD };
    let (mut strategy, _) = trained(plan);
    let mut commands = Vec::new();
    for to in ["http://a.org/1", "http://a.org/2", "http://b.org/1"] {
        commands = visit(&mut strategy, &link(to, "Library"), None, 1, &[]);
    }
    let asked = [
        StrategyCommand::LookUpBacklinks(url("http://a.org/1")),
        StrategyCommand::LookUpBacklinks(url("http://b.org/1")),
    ];
    assert_eq!(commands[2..], asked);
    strategy.on_backlinks(&url("http://b.org/1"), &[url("http://c.org/")]);
    let linking = page("http://c.org/", "<a href=http://b.org/1>Old maps</a>");
    let before = strategy.memory.paths.of(1).count();
    visit(
        &mut strategy,
        &FrontierLink::root(url("http://c.org/"), LinkOrigin::Backlink),
        Some(&linking),
        0,
        &[],
    );
    assert_eq!(strategy.memory.paths.of(1).count(), before, "the link is known, with another anchor");
}

#[test]
fn the_apprentice_tells_links_of_one_level_apart() {
    let (mut strategy, _) = trained(APPRENTICE);
    for n in 0..30 {
        visit(
            &mut strategy,
            &link(&format!("http://a.org/{n}"), "Poetry"),
            Some(&page("http://a.org/", "")),
            0,
            &[],
        );
    }
    let (queue, good) = placed(&strategy, &link("http://x.org/", "Search poetry"));
    let (same, other) = placed(&strategy, &link("http://x.org/", "Search"));
    assert_eq!(queue, same);
    assert!(good > other);
}

#[test]
fn what_was_saved_decides_as_before() {
    for plan in [OFFLINE_ONLINE, APPRENTICE, BACKWARD] {
        let (mut strategy, _) = trained(plan);
        visit(&mut strategy, &link("http://a.org/1", "Library"), None, 1, &[]);
        let saved = strategy.save();
        let mut again = Levels::new(plan, &briefing(true));
        again.restore(&saved).unwrap();
        assert_eq!(again.memory, strategy.memory);
        let link = link("http://a.org/x", "Search books");
        assert_eq!(placed(&again, &link), placed(&strategy, &link));
        assert_eq!(again.save(), saved);
        assert!(again.restore(&saved[..saved.len() / 2]).is_err());
    }
    let (apprentice, _) = trained(APPRENTICE);
    assert!(Levels::new(OFFLINE_ONLINE, &briefing(true)).restore(&apprentice.save()).is_err());
}

#[test]
fn a_full_memory_is_small() {
    let mut strategy = Levels::new(APPRENTICE.frozen(), &briefing(false));
    for n in 0..2000 {
        let long = "Search the complete holdings of the regional libraries and archives of the country";
        let path = [1, 2].map(|m| link(&format!("http://library{n}.org/path{m}/to/catalogue"), long));
        visit(&mut strategy, &link(&format!("http://library{n}.org/opac/search"), long), None, 1, &path);
    }
    assert!(strategy.save().len() < 300_000, "{}", strategy.save().len());
}
