//! Placement, choice and learning of the level strategies.

use super::config::{ACHE_APPRENTICE, ACHE_BACKWARD, ACHE_OFFLINE_ONLINE, ACHE_ONLINE, FFC_1};
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

/// Heads of an empty frontier.
struct NoHeads;

impl QueueHeads for NoHeads {
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
    strategy: &mut LevelStrategy,
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

fn context(backlinks: bool) -> StrategyContext {
    StrategyContext { examples: vec![url("http://form.org/find")], backlinks, ..StrategyContext::default() }
}

/// A strategy trained on one path: "Books by topic" leads to the page with "Search the catalogue".
fn trained(config: LevelConfig) -> (LevelStrategy, Lesson) {
    let mut strategy = LevelStrategy::new(config, &context(true));
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
    if config.classes() > 2 {
        strategy.on_backlinks(&url("http://hub.org/"), &[]);
    }
    let QueueChoice::Execute(first) = strategy.choose(&NoHeads) else { panic!("no command") };
    let StrategyCommand::RecordLesson(lesson) = *first else { panic!("no lesson") };
    assert_eq!(strategy.choose(&NoHeads), QueueChoice::Execute(Box::new(StrategyCommand::RescoreAll)));
    assert_eq!(strategy.choose(&NoHeads), QueueChoice::Idle);
    (strategy, lesson)
}

fn placed(strategy: &LevelStrategy, link: &FrontierLink) -> (QueueId, f32) {
    match strategy.place(link, &SiteCounters::default()) {
        Placement::Enqueue { queue, score } => (queue, score),
        Placement::Drop => panic!("{} was dropped", link.url),
    }
}

#[test]
fn a_backward_crawl_gives_examples_of_each_level() {
    let (strategy, lesson) = trained(ACHE_OFFLINE_ONLINE);
    assert_eq!((lesson.iteration, lesson.examples), (0, 2));
    let anchors: Vec<_> = lesson.selected.iter().filter(|one| one.space == "anchor").collect();
    assert_eq!(anchors[0].level, Some(1));
    assert_eq!(anchors[0].terms, [("catalogu".to_string(), 1), ("search".to_string(), 1)]);
    assert_eq!((anchors[1].level, anchors[1].terms.len()), (Some(2), 2));
    assert_eq!(strategy.gauges(&NoHeads).iter().find(|gauge| gauge.name == "look-ups").unwrap().value, 3.0);
}

#[test]
fn links_wait_in_the_queue_of_their_level() {
    let (strategy, _) = trained(ACHE_OFFLINE_ONLINE);
    let (near, near_score) = placed(&strategy, &link("http://a.org/x", "Search our catalogue"));
    let (far, _) = placed(&strategy, &link("http://a.org/y", "More books"));
    let (unknown, low) = placed(&strategy, &link("http://a.org/z", "Privacy"));
    assert_eq!((near, far, unknown), (persistent(1), persistent(2), persistent(3)));
    assert!(near_score > 0.5 && low < 0.0);
}

#[test]
fn of_equal_links_the_shallower_one_comes_first() {
    let (strategy, _) = trained(ACHE_OFFLINE_ONLINE);
    let shallow = link("http://a.org/x", "Search");
    let deep = FrontierLink { site_depth: 4, ..shallow.clone() };
    assert!(placed(&strategy, &shallow).1 > placed(&strategy, &deep).1);
}

#[test]
fn with_one_level_all_links_wait_in_its_queue() {
    let (strategy, _) = trained(FFC_1);
    assert!(strategy.classifier.is_some());
    assert_eq!(placed(&strategy, &link("http://a.org/z", "Privacy")).0, persistent(1));
}

#[test]
fn seeds_and_redirects_go_straight_to_the_crawling_frontier() {
    let (strategy, _) = trained(ACHE_OFFLINE_ONLINE);
    assert_eq!(
        placed(&strategy, &FrontierLink::root(url("http://s.org/"), LinkOrigin::Seed)),
        (crawling(1), 1.0)
    );
    let moved = FrontierLink { origin: LinkOrigin::Redirect, ..link("http://a.org/x", "More books") };
    assert_eq!(placed(&strategy, &moved).0, crawling(2));
}

#[test]
fn links_of_off_topic_pages_and_unused_backlinks_are_dropped() {
    let (strategy, _) = trained(ACHE_OFFLINE_ONLINE);
    let mut off = link("http://a.org/x", "Search");
    off.parent.as_mut().unwrap().p_topic = 0.4;
    for link in [off, FrontierLink::root(url("http://z.org/"), LinkOrigin::Backlink)] {
        assert_eq!(strategy.place(&link, &SiteCounters::default()), Placement::Drop);
    }
}

#[test]
fn without_backlinks_or_before_learning_the_order_is_that_of_best_first() {
    for mut strategy in [
        LevelStrategy::new(ACHE_OFFLINE_ONLINE, &context(false)),
        LevelStrategy::new(ACHE_ONLINE, &context(true)),
    ] {
        assert_eq!(strategy.begin(), []);
        assert_eq!(placed(&strategy, &link("http://a.org/x", "Search")), (crawling(1), 0.9));
        assert_eq!(strategy.choose(&NoHeads), QueueChoice::Idle);
    }
}

#[test]
fn training_ends_without_pages_that_never_arrive() {
    let mut strategy = LevelStrategy::new(ACHE_OFFLINE_ONLINE, &context(true));
    strategy.begin();
    assert_eq!(strategy.choose(&NoHeads), QueueChoice::Idle, "a look-up is pending");
    for n in 0..32 {
        assert!(strategy.state.training);
        visit(&mut strategy, &link(&format!("http://a.org/{n}"), ""), None, 0, &[]);
    }
    strategy.choose(&NoHeads);
    assert!(!strategy.state.training && strategy.classifier.is_none());
}

#[test]
fn after_enough_relevant_forms_a_new_classifier_is_trained_with_their_paths() {
    let config = LevelConfig { learn_after: Some(25), ..ACHE_OFFLINE_ONLINE };
    let (mut strategy, _) = trained(config);
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
    assert_eq!(
        stems(1, "anchor"),
        ["hold", "librari"],
        "enough examples from the crawl replace the trained ones"
    );
    assert!(stems(2, "anchor").contains(&"topic".to_string()), "one example does not");
    assert_eq!(placed(&strategy, &link("http://x.org/opac", "Library holdings")).0, persistent(1));
}

#[test]
fn a_classifier_with_the_same_stems_only_rescores_heads() {
    let config = LevelConfig { learn_after: Some(1), ..ACHE_ONLINE };
    let mut strategy = LevelStrategy::new(config, &context(false));
    let first = visit(&mut strategy, &link("http://a.org/opac", "Library"), None, 1, &[]);
    assert_eq!(first[1], StrategyCommand::RescoreAll);
    let again = visit(&mut strategy, &link("http://a.org/opac?n=1", "Library"), None, 1, &[]);
    assert_eq!(again[1], StrategyCommand::RescoreHeads);
}

#[test]
fn a_frozen_configuration_keeps_paths_and_never_learns() {
    let mut strategy = LevelStrategy::new(ACHE_ONLINE.frozen(), &context(false));
    for n in 0..300 {
        let commands = visit(&mut strategy, &link(&format!("http://a.org/{n}"), "Library"), None, 1, &[]);
        assert_eq!(commands, []);
    }
    assert!(strategy.state.paths.of(1).count() > 200 && strategy.classifier.is_none());
}

#[test]
fn backward_crawls_start_from_one_page_with_new_forms_per_site() {
    let config = LevelConfig { learn_after: Some(3), ..ACHE_BACKWARD };
    let (mut strategy, _) = trained(config);
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
    let before = strategy.state.paths.of(1).count();
    visit(
        &mut strategy,
        &FrontierLink::root(url("http://c.org/"), LinkOrigin::Backlink),
        Some(&linking),
        0,
        &[],
    );
    assert_eq!(strategy.state.paths.of(1).count(), before, "the link is known with another anchor");
}

#[test]
fn the_apprentice_orders_links_of_one_level() {
    let (mut strategy, _) = trained(ACHE_APPRENTICE);
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
fn a_restored_strategy_decides_as_before() {
    for config in [ACHE_OFFLINE_ONLINE, ACHE_APPRENTICE, ACHE_BACKWARD] {
        let (mut strategy, _) = trained(config);
        visit(&mut strategy, &link("http://a.org/1", "Library"), None, 1, &[]);
        let saved = strategy.save();
        let mut again = LevelStrategy::new(config, &context(true));
        again.restore(&saved).unwrap();
        assert_eq!(again.state, strategy.state);
        let link = link("http://a.org/x", "Search books");
        assert_eq!(placed(&again, &link), placed(&strategy, &link));
        assert_eq!(again.save(), saved);
        assert!(again.restore(&saved[..saved.len() / 2]).is_err());
    }
    let (apprentice, _) = trained(ACHE_APPRENTICE);
    assert!(LevelStrategy::new(ACHE_OFFLINE_ONLINE, &context(true)).restore(&apprentice.save()).is_err());
}

#[test]
fn a_full_state_is_small() {
    let mut strategy = LevelStrategy::new(ACHE_APPRENTICE.frozen(), &context(false));
    for n in 0..2000 {
        let long = "Search the complete holdings of the regional libraries and archives of the country";
        let path = [1, 2].map(|m| link(&format!("http://library{n}.org/path{m}/to/catalogue"), long));
        visit(&mut strategy, &link(&format!("http://library{n}.org/opac/search"), long), None, 1, &path);
    }
    assert!(strategy.save().len() < 300_000, "{}", strategy.save().len());
}
