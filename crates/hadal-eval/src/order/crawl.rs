//! A crawl over a known web, without network, store and clock.
//!
//! It chooses as the engine does with the strategy `hadal`: the ready host with the best link plus bonus, one request
//! at a time per host, robots.txt first, waiting for a better host. Several requests are in flight and end in
//! the order of sending. Probes and backlink look-ups are left out.

use super::web::{KnownAnswer, KnownPage, KnownWeb};
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::identity::FormId;
use hadal_core::link::{FrontierLink, LinkOrigin};
use hadal_core::strategy::MAX_CREDITED_LINKS;
use hadal_core::strategy::SiteCounters;
use hadal_core::strategy::hadal::prior::PriorWeights;
use hadal_core::strategy::hadal::rates::{LinkDescription, LinkRates, RatedVisit};
use hadal_core::strategy::hadal::{SEED_SCORE, is_head_rescore_due, is_rescore_due, is_worth_waiting};
use rustc_hash::FxHashSet;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

/// Request numbers at which relevant forms were found, ascending.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundCurve {
    found: Vec<u32>,
    /// Requests of the crawl.
    pub requests: u32,
    /// Requests for robots.txt.
    pub robots: u32,
    /// Page requests that returned no page.
    pub missing: u32,
}

impl FoundCurve {
    /// Relevant forms found with this many requests.
    pub fn at(&self, requests: u32) -> usize {
        self.found.iter().filter(|number| **number <= requests).count()
    }
}

/// A link that waits.
struct WaitingLink {
    score: f32,
    order: u32,
    generation: u32,
    url: u32,
    link: LinkDescription,
    /// Visit that found the link.
    parent: Option<usize>,
    is_seed: bool,
}

impl PartialEq for WaitingLink {
    fn eq(&self, other: &WaitingLink) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for WaitingLink {}

impl PartialOrd for WaitingLink {
    fn partial_cmp(&self, other: &WaitingLink) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for WaitingLink {
    fn cmp(&self, other: &WaitingLink) -> Ordering {
        self.score.total_cmp(&other.score).then(other.order.cmp(&self.order))
    }
}

#[derive(Default)]
struct HostQueue {
    links: BinaryHeap<WaitingLink>,
    has_robots: bool,
    is_busy: bool,
}

/// A request in flight.
enum InFlight {
    Robots(usize),
    Visit(usize, Box<WaitingLink>, u32),
}

/// A visited link and the visit that found it.
struct PastVisit {
    link: LinkDescription,
    parent: Option<usize>,
}

struct OrderCrawl<'w> {
    web: &'w mut KnownWeb,
    rates: LinkRates,
    hosts: Vec<HostQueue>,
    sites: Vec<SiteCounters>,
    seen: Vec<bool>,
    forms: FxHashSet<FormId>,
    /// Labelled forms that were found.
    labelled: FxHashSet<FormId>,
    in_flight: VecDeque<InFlight>,
    past: Vec<PastVisit>,
    visits: u64,
    /// Sum of the events of all visits.
    events: f32,
    order: u32,
    generation: u32,
    curve: FoundCurve,
}

/// Crawls a web with these weights. At most `window` requests are in flight.
pub fn crawl(web: &mut KnownWeb, weights: &PriorWeights, requests: u32, window: usize) -> FoundCurve {
    let mut crawl = OrderCrawl {
        web,
        rates: LinkRates::new(weights.clone()),
        hosts: Vec::new(),
        sites: Vec::new(),
        seen: Vec::new(),
        forms: FxHashSet::default(),
        labelled: FxHashSet::default(),
        in_flight: VecDeque::new(),
        past: Vec::new(),
        visits: 0,
        events: 0.0,
        order: 0,
        generation: 0,
        curve: FoundCurve::default(),
    };
    crawl.add_seeds();
    loop {
        while crawl.curve.requests < requests && crawl.in_flight.len() < window.max(1) && crawl.send() {}
        match crawl.in_flight.pop_front() {
            Some(oldest) => crawl.receive(oldest),
            None => break,
        }
    }
    crawl.curve.found.sort_unstable();
    crawl.curve
}

impl OrderCrawl<'_> {
    fn add_seeds(&mut self) {
        for url in self.web.seeds().to_vec() {
            let link = FrontierLink::root(self.web.url(url).clone(), LinkOrigin::Seed);
            self.enqueue(url, LinkDescription::of(&link), None, true);
        }
    }

    /// Adds a link that was not seen before. Returns false for others.
    fn enqueue(&mut self, url: u32, link: LinkDescription, parent: Option<usize>, is_seed: bool) -> bool {
        self.grow();
        if std::mem::replace(&mut self.seen[url as usize], true) {
            return false;
        }
        let host = self.web.host(url);
        let site = &self.sites[self.web.site(host) as usize];
        let score = if is_seed { SEED_SCORE } else { self.rates.score(&link, site) };
        let (order, generation) = (self.order, self.generation);
        self.order += 1;
        let waiting = WaitingLink { score, order, generation, url, link, parent, is_seed };
        self.hosts[host as usize].links.push(waiting);
        true
    }

    /// Makes room for URLs, hosts and sites that the web has seen since.
    fn grow(&mut self) {
        let (hosts, sites) = self.web.host_and_site_counts();
        self.seen.resize(self.web.url_count(), false);
        self.hosts.resize_with(hosts, HostQueue::default);
        self.sites.resize(sites, SiteCounters::default());
    }

    /// Score of a host's best link, bonus included.
    fn head(&self, host: usize) -> Option<f32> {
        let bonus = self.sites[self.web.site(host as u32) as usize].bonus;
        self.hosts[host].links.peek().map(|best| best.score + bonus)
    }

    /// Best host among the busy or the ready ones.
    fn best(&self, is_busy: bool) -> Option<(usize, f32)> {
        let hosts = (0..self.hosts.len()).filter(|host| self.hosts[*host].is_busy == is_busy);
        let scored = hosts.filter_map(|host| Some((host, self.head(host)?)));
        scored.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
    }

    /// Sends the next request. False if none may be sent now.
    fn send(&mut self) -> bool {
        while let Some((host, score)) = self.best(false) {
            if is_worth_waiting(score, self.best(true).map(|(_, score)| score)) {
                return false;
            }
            if self.is_head_outdated(host) {
                self.rescore_head(host);
                continue;
            }
            if !std::mem::replace(&mut self.hosts[host].has_robots, true) {
                self.curve.robots += 1;
                self.count_sent(host, InFlight::Robots(host));
                return true;
            }
            let Some(waiting) = self.hosts[host].links.pop() else { return false };
            if self.web.allows(waiting.url) {
                let number = self.curve.requests + 1;
                self.count_sent(host, InFlight::Visit(host, Box::new(waiting), number));
                return true;
            }
            self.learn_failure(&waiting);
        }
        false
    }

    fn count_sent(&mut self, host: usize, sent: InFlight) {
        self.curve.requests += 1;
        self.hosts[host].is_busy = true;
        self.in_flight.push_back(sent);
    }

    fn is_head_outdated(&self, host: usize) -> bool {
        let head = self.hosts[host].links.peek();
        head.is_some_and(|head| head.generation != self.generation && !head.is_seed)
    }

    fn rescore_head(&mut self, host: usize) {
        let Some(mut head) = self.hosts[host].links.pop() else { return };
        self.rescore(host, &mut head);
        self.hosts[host].links.push(head);
    }

    fn rescore(&self, host: usize, waiting: &mut WaitingLink) {
        let site = &self.sites[self.web.site(host as u32) as usize];
        waiting.generation = self.generation;
        if !waiting.is_seed {
            waiting.score = self.rates.score(&waiting.link, site);
        }
    }

    fn rescore_if_due(&mut self) {
        if is_rescore_due(self.visits) {
            self.generation += 1;
            for host in 0..self.hosts.len() {
                let mut links = std::mem::take(&mut self.hosts[host].links).into_vec();
                links.iter_mut().for_each(|waiting| self.rescore(host, waiting));
                self.hosts[host].links = links.into();
            }
        } else if is_head_rescore_due(self.visits) {
            self.generation += 1;
            (0..self.hosts.len()).for_each(|host| self.rescore_head(host));
        }
    }

    fn receive(&mut self, sent: InFlight) {
        match sent {
            InFlight::Robots(host) => self.hosts[host].is_busy = false,
            InFlight::Visit(host, waiting, number) => {
                self.hosts[host].is_busy = false;
                let answer = self.web.take_answer(waiting.url);
                self.grow();
                match answer.as_ref() {
                    KnownAnswer::Page(page) => self.visit(&waiting, page, number),
                    KnownAnswer::Redirect(target) => self.redirect(&waiting, *target),
                    KnownAnswer::Nothing => {
                        self.curve.missing += 1;
                        self.learn_failure(&waiting);
                    }
                }
                self.web.put_answer(waiting.url, answer);
            }
        }
    }

    fn redirect(&mut self, waiting: &WaitingLink, target: u32) {
        if !self.enqueue(target, waiting.link.redirected(), waiting.parent, false) {
            self.learn_failure(waiting);
        }
    }

    fn learn_failure(&mut self, waiting: &WaitingLink) {
        let site = self.web.site(self.web.host(waiting.url)) as usize;
        let counters = self.sites[site];
        self.learn(waiting, site, counters, 0.0, false);
    }

    /// Learns from a visit, which may have returned a page.
    fn learn(
        &mut self,
        waiting: &WaitingLink,
        site: usize,
        after: SiteCounters,
        events: f32,
        with_path: bool,
    ) {
        self.visits += 1;
        let path = if with_path { self.path(waiting.parent) } else { Vec::new() };
        let before = self.sites[site];
        let rated =
            RatedVisit { link: &waiting.link, path: &path, site_before: &before, site: &after, events };
        self.rates.set_events(self.events);
        self.events += events;
        self.rates.learn(&rated);
        let bonus = self.rates.site_bonus(rated.link.site, rated.site);
        self.sites[site] = SiteCounters { bonus, ..after };
    }

    fn path(&self, parent: Option<usize>) -> Vec<LinkDescription> {
        let mut path = Vec::new();
        let mut next = parent;
        while let Some(number) = next.filter(|_| path.len() < MAX_CREDITED_LINKS) {
            path.push(self.past[number].link.clone());
            next = self.past[number].parent;
        }
        path
    }

    fn visit(&mut self, waiting: &WaitingLink, page: &KnownPage, number: u32) {
        let site = self.web.site(self.web.host(waiting.url)) as usize;
        let before = self.sites[site];
        let (mut searchable, mut relevant, mut reward) = (0, 0, 0.0);
        let mut after = before;
        for form in &page.forms {
            if self.forms.insert(form.id) {
                after.forms += 1;
                searchable += u32::from(form.p_searchable >= MIN_ACCEPTED_P);
                relevant += u32::from(form.p_relevant >= MIN_ACCEPTED_P);
                reward += (2.0 * form.p_relevant - 1.0).max(0.0);
            }
        }
        self.count_found(waiting.url, relevant, number);
        after.pages += 1;
        after.searchable += searchable;
        after.relevant += relevant;
        after.pages_since_searchable = if searchable > 0 { 0 } else { before.pages_since_searchable + 1 };
        after.pages_since_relevant = if relevant > 0 { 0 } else { before.pages_since_relevant + 1 };
        after.on_topic += u32::from(page.p_topic >= MIN_ACCEPTED_P);
        if after.relevant > 0 {
            page.other_sites.iter().for_each(|cell| self.rates.count_mention(*cell));
        }
        self.learn(waiting, site, after, reward * page.p_topic, searchable > 0);
        self.follow(waiting, page, relevant > 0);
        self.rescore_if_due();
    }

    /// Counts forms as found: new ones by label, or without labels those of the critic.
    fn count_found(&mut self, url: u32, relevant: u32, number: u32) {
        let labelled = self.web.labelled(url).map(<[FormId]>::to_vec);
        let found = match labelled {
            Some(forms) => forms.into_iter().filter(|form| self.labelled.insert(*form)).count(),
            None => relevant as usize,
        };
        self.curve.found.extend(std::iter::repeat_n(number, found));
    }

    fn follow(&mut self, waiting: &WaitingLink, page: &KnownPage, has_form: bool) {
        let here = self.past.len();
        self.past.push(PastVisit { link: waiting.link.clone(), parent: waiting.parent });
        let traits = waiting.link.traits;
        for link in &page.links {
            if self.seen.get(link.url as usize).copied().unwrap_or_default() {
                continue;
            }
            let inside = if link.description.traits.is_outward { 0 } else { traits.site_depth + 1 };
            let description = link.description.reached(traits.depth + 1, inside, has_form);
            self.enqueue(link.url, description, Some(here), false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::future::{BoxFuture, ready};
    use hadal::fetch::Fetch;
    use hadal_core::critic::keywords::KeywordCritic;
    use hadal_core::http::{Exchange, Headers, Request, Response};
    use hadal_core::time::Time;
    use hadal_core::topic::Topic;
    use std::sync::Arc;
    use std::time::Duration;

    /// A web of two hosts: a list, and a site with a search form and a page that robots.txt disallows.
    struct SmallWeb;

    fn body(url: &str) -> Option<&'static str> {
        Some(match url {
            "http://list.example/" => "<a href=http://shop.example/>old books</a> <a href=/gone>more</a>",
            "http://shop.example/" => "<a href=/find>search books</a> <a href=/secret>books</a>",
            "http://shop.example/robots.txt" => "User-agent: *\nDisallow: /secret",
            "http://shop.example/find" | "http://shop.example/secret" => {
                "<title>Books</title><h1>Find books</h1><form action=/q><label>Search books \
                 <input type=search name=book></label><button>Search</button></form>"
            }
            _ => return None,
        })
    }

    impl Fetch for SmallWeb {
        fn fetch<'a>(&'a self, request: &'a Request, _at: Time) -> BoxFuture<'a, Exchange> {
            let found = body(request.url.as_str());
            let headers = Headers(vec![("content-type".into(), "text/html".into())]);
            let body = found.unwrap_or_default().as_bytes().to_vec();
            let status = if found.is_some() { 200 } else { 404 };
            let response = Response { status, headers, body, ..Response::default() };
            Box::pin(ready(Exchange { result: Ok(response), took: Duration::ZERO, peer: None }))
        }
    }

    fn web() -> KnownWeb {
        let critic = Arc::new(KeywordCritic::new(&Topic::from_words("book").unwrap()));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let seeds = ["http://list.example/".parse().unwrap()];
        KnownWeb::new("small".into(), &seeds, Arc::new(SmallWeb), critic, runtime)
    }

    #[test]
    fn every_request_counts_and_disallowed_pages_are_not_read() {
        let curve = crawl(&mut web(), &PriorWeights::default(), 100, 4);
        assert_eq!((curve.robots, curve.missing), (2, 1));
        assert_eq!(curve.requests, 2 + 4);
        assert_eq!(curve.at(100), 1);
    }

    #[test]
    fn a_crawl_over_cached_pages_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let mut web_before = web();
        let curve = crawl(&mut web_before, &PriorWeights::default(), 100, 4);
        web_before.save(folder.path()).unwrap();
        let mut web_after = web();
        web_after.load(folder.path()).unwrap();
        assert_eq!(crawl(&mut web_after, &PriorWeights::default(), 100, 4), curve);
    }
}
