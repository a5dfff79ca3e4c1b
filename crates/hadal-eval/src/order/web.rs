//! A web with one topic in memory: each page is fetched, parsed and judged once, when a crawl first asks for it.

use anyhow::Context;
use hadal::engine::{ExaminedPage, examine};
use hadal::fetch::{Fetch, is_page};
use hadal::polite::retry::redirect_target;
use hadal::polite::robots::{AGENT, RobotsRules};
use hadal_core::address::{Host, LinkId, Site, TrackingParams, names_file, normalise};
use hadal_core::critic::Critic;
use hadal_core::http::{Exchange, Request};
use hadal_core::identity::FormId;
use hadal_core::link::{FrontierLink, LinkOrigin, ParentPage};
use hadal_core::page::LinkContext;
use hadal_core::strategy::hadal::rates::{LinkDescription, SiteCell};
use hadal_core::time::Time;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// A web as a crawl for one topic sees it.
pub struct KnownWeb {
    /// Name of the web and topic, for tables.
    pub name: String,
    fetch: Arc<dyn Fetch>,
    critic: Arc<dyn Critic>,
    runtime: tokio::runtime::Runtime,
    pages: KnownPages,
    numbers: FxHashMap<LinkId, u32>,
    host_numbers: FxHashMap<Host, u32>,
    site_numbers: FxHashMap<Site, u32>,
    rules: Vec<Option<RobotsRules>>,
    /// Relevant forms by the URL of their page; `None` if only the critic knows.
    labels: Option<FxHashMap<LinkId, Vec<FormId>>>,
}

/// The part of a web that a cache file keeps.
#[derive(Default, Serialize, Deserialize)]
struct KnownPages {
    urls: Vec<KnownUrl>,
    hosts: Vec<KnownHost>,
    sites: Vec<Site>,
    seeds: Vec<u32>,
}

/// A URL with the response to it.
#[derive(Serialize, Deserialize)]
struct KnownUrl {
    url: Url,
    host: u32,
    answer: Option<Box<KnownAnswer>>,
}

#[derive(Serialize, Deserialize)]
struct KnownHost {
    name: Host,
    site: u32,
    /// Text of robots.txt; empty if there is none.
    robots: Option<String>,
}

/// Response to a page request.
#[derive(Serialize, Deserialize)]
pub enum KnownAnswer {
    /// A page that was parsed and judged.
    Page(KnownPage),
    /// A redirect to the URL with this number.
    Redirect(u32),
    /// An error or a file instead of a page.
    Nothing,
}

/// A judged page.
#[derive(Serialize, Deserialize)]
pub struct KnownPage {
    /// P(on topic) of the page.
    pub p_topic: f32,
    /// Forms, each once.
    pub forms: Vec<KnownForm>,
    /// Links that may be followed, each URL once.
    pub links: Vec<KnownLink>,
    /// Other sites that the page links to, once per link.
    pub other_sites: Vec<SiteCell>,
}

/// A judged form.
#[derive(Serialize, Deserialize)]
pub struct KnownForm {
    pub id: FormId,
    pub p_searchable: f32,
    pub p_relevant: f32,
}

/// A link on a page.
#[derive(Serialize, Deserialize)]
pub struct KnownLink {
    /// Number of the target.
    pub url: u32,
    /// Description for a page in depth 0.
    pub description: LinkDescription,
}

impl KnownWeb {
    /// A web of which no page is known yet.
    pub fn new(
        name: String,
        seeds: &[Url],
        fetch: Arc<dyn Fetch>,
        critic: Arc<dyn Critic>,
        runtime: tokio::runtime::Runtime,
    ) -> KnownWeb {
        let pages = KnownPages::default();
        let mut web = KnownWeb {
            name,
            fetch,
            critic,
            runtime,
            pages,
            numbers: FxHashMap::default(),
            host_numbers: FxHashMap::default(),
            site_numbers: FxHashMap::default(),
            rules: Vec::new(),
            labels: None,
        };
        web.pages.seeds = seeds.iter().map(|url| web.number(url)).collect();
        web
    }

    /// Counts labelled forms as found instead of those that the critic takes for relevant. Each line of `lines` has the
    /// URL of a page and the name of a relevant form on it; a form may be on several pages.
    pub fn set_labels(&mut self, lines: &str) {
        let mut labels: FxHashMap<LinkId, Vec<FormId>> = FxHashMap::default();
        for (url, form) in lines.lines().filter_map(|line| line.split_once('\t')) {
            let url = Url::parse(url).ok().and_then(|url| normalise(url, TrackingParams::Strip));
            if let Some(url) = url {
                labels.entry(LinkId::of(&url)).or_default().push(FormId(xxh3_64(form.as_bytes())));
            }
        }
        self.labels = Some(labels);
    }

    /// Labelled forms on the page of a URL; `None` if the web has no labels.
    pub fn labelled(&self, url: u32) -> Option<&[FormId]> {
        let labels = self.labels.as_ref()?;
        Some(labels.get(&LinkId::of(self.url(url))).map_or(&[], Vec::as_slice))
    }

    /// Takes the pages of a cache file, if there is one.
    pub fn load(&mut self, folder: &Path) -> anyhow::Result<()> {
        let Ok(packed) = std::fs::read(folder.join(&self.name)) else { return Ok(()) };
        let plain = lz4_flex::decompress_size_prepended(&packed)?;
        self.pages = postcard::from_bytes(&plain)?;
        self.numbers = (0u32..).zip(&self.pages.urls).map(|(n, known)| (LinkId::of(&known.url), n)).collect();
        self.host_numbers = (0u32..).zip(&self.pages.hosts).map(|(n, host)| (host.name.clone(), n)).collect();
        self.site_numbers = (0u32..).zip(&self.pages.sites).map(|(n, site)| (site.clone(), n)).collect();
        let rules = |host: &KnownHost| host.robots.as_deref().map(|text| RobotsRules::parse(text, AGENT));
        self.rules = self.pages.hosts.iter().map(rules).collect();
        Ok(())
    }

    /// Writes the known pages to a cache file.
    pub fn save(&self, folder: &Path) -> anyhow::Result<()> {
        std::fs::create_dir_all(folder)?;
        let path = folder.join(&self.name);
        let packed = lz4_flex::compress_prepend_size(&postcard::to_stdvec(&self.pages)?);
        std::fs::write(&path, packed).with_context(|| path.display().to_string())
    }

    /// Numbers of the seeds.
    pub fn seeds(&self) -> &[u32] {
        &self.pages.seeds
    }

    /// URL with this number.
    pub fn url(&self, number: u32) -> &Url {
        &self.pages.urls[number as usize].url
    }

    /// Number of URLs seen so far.
    pub fn url_count(&self) -> usize {
        self.pages.urls.len()
    }

    /// Number of the host of a URL.
    pub fn host(&self, url: u32) -> u32 {
        self.pages.urls[url as usize].host
    }

    /// Number of the site of a host.
    pub fn site(&self, host: u32) -> u32 {
        self.pages.hosts[host as usize].site
    }

    /// Number of hosts and of sites seen so far.
    pub fn host_and_site_counts(&self) -> (usize, usize) {
        (self.pages.hosts.len(), self.pages.sites.len())
    }

    fn number(&mut self, url: &Url) -> u32 {
        let id = LinkId::of(url);
        if let Some(number) = self.numbers.get(&id) {
            return *number;
        }
        let (host, number) = (self.host_number(&Host::of(url)), self.pages.urls.len() as u32);
        self.pages.urls.push(KnownUrl { url: url.clone(), host, answer: None });
        self.numbers.insert(id, number);
        number
    }

    fn host_number(&mut self, name: &Host) -> u32 {
        if let Some(number) = self.host_numbers.get(name) {
            return *number;
        }
        let (site, number) = (self.site_number(&name.site()), self.pages.hosts.len() as u32);
        self.pages.hosts.push(KnownHost { name: name.clone(), site, robots: None });
        self.rules.push(None);
        self.host_numbers.insert(name.clone(), number);
        number
    }

    fn site_number(&mut self, site: &Site) -> u32 {
        let next = self.pages.sites.len() as u32;
        let number = *self.site_numbers.entry(site.clone()).or_insert(next);
        if number == next {
            self.pages.sites.push(site.clone());
        }
        number
    }

    fn request(&self, url: &Url) -> Exchange {
        self.runtime.block_on(self.fetch.fetch(&Request::get(url.clone()), Time(0)))
    }

    /// True if robots.txt allows a URL.
    pub fn allows(&mut self, url: u32) -> bool {
        let host = self.host(url) as usize;
        if self.rules[host].is_none() {
            let text = self.fetch_robots(url);
            self.rules[host] = Some(RobotsRules::parse(&text, AGENT));
            self.pages.hosts[host].robots = Some(text);
        }
        self.rules[host].as_ref().is_none_or(|rules| rules.allows(self.url(url)))
    }

    fn fetch_robots(&self, url: u32) -> String {
        let response = self.url(url).join("/robots.txt").ok().and_then(|url| self.request(&url).result.ok());
        let found = response.filter(|response| response.status == 200);
        found.map(|response| String::from_utf8_lossy(&response.body).into_owned()).unwrap_or_default()
    }

    /// Takes the response to a request for a URL out of the web. [`KnownWeb::put_answer`] returns it.
    pub fn take_answer(&mut self, number: u32) -> Box<KnownAnswer> {
        let known = self.pages.urls[number as usize].answer.take();
        known.unwrap_or_else(|| Box::new(self.read(number)))
    }

    /// Returns a response to the web.
    pub fn put_answer(&mut self, number: u32, answer: Box<KnownAnswer>) {
        self.pages.urls[number as usize].answer = Some(answer);
    }

    fn read(&mut self, number: u32) -> KnownAnswer {
        let url = self.url(number).clone();
        let Ok(response) = self.request(&url).result else { return KnownAnswer::Nothing };
        let target = (300..400).contains(&response.status).then(|| redirect_target(&url, &response.headers));
        if let Some(target) = target.flatten().and_then(|url| normalise(url, TrackingParams::Strip)) {
            return KnownAnswer::Redirect(self.number(&target));
        }
        if !is_page(&response) {
            return KnownAnswer::Nothing;
        }
        let content_type = response.headers.get("content-type");
        let examined = examine(&response.body, content_type, &url, self.critic.as_ref());
        KnownAnswer::Page(self.page(&url, &examined))
    }

    fn page(&mut self, url: &Url, examined: &ExaminedPage) -> KnownPage {
        let here = Site::of(url);
        let hints = &examined.page.hints;
        let robots = hints.robots_for(AGENT);
        let links = if robots.nofollow { Vec::new() } else { self.links(url, &here, examined) };
        let sites = examined.page.links.iter().map(|link| Site::of(&link.url));
        let mut distinct = FxHashSet::default();
        let forms = examined.form_ids.iter().zip(&examined.forms);
        let forms = forms.filter(|(id, _)| !robots.noindex && distinct.insert(**id));
        KnownPage {
            p_topic: examined.verdict.p_topic,
            forms: forms
                .map(|(id, verdict)| KnownForm {
                    id: *id,
                    p_searchable: verdict.p_searchable,
                    p_relevant: verdict.p_relevant,
                })
                .collect(),
            links,
            other_sites: sites.filter(|site| *site != here).map(|site| SiteCell::of(&site)).collect(),
        }
    }

    fn links(&mut self, url: &Url, here: &Site, examined: &ExaminedPage) -> Vec<KnownLink> {
        let page = &examined.page;
        let links = page.links.iter().filter(|link| !link.context.rel.contains("nofollow"));
        let links = links.filter(|link| !names_file(&link.url));
        let links = links.map(|link| (&link.url, link.context.clone(), LinkOrigin::Link));
        let refresh = page.hints.refresh.iter();
        let refresh = refresh.map(|(_, url)| (url, LinkContext::default(), LinkOrigin::Redirect));
        let mut distinct = FxHashSet::default();
        let mut found = Vec::new();
        for (target, context, origin) in links.chain(refresh) {
            let id = LinkId::of(target);
            if !distinct.insert(id) {
                continue;
            }
            let same_site = target.host_str() == url.host_str() || Site::of(target) == *here;
            let p_topic = examined.verdict.p_topic;
            let parent = ParentPage { id, p_topic, has_relevant_form: false, same_site };
            let link =
                FrontierLink { context, parent: Some(parent), ..FrontierLink::root(target.clone(), origin) };
            found.push(KnownLink { url: self.number(target), description: LinkDescription::of(&link) });
        }
        found
    }
}
