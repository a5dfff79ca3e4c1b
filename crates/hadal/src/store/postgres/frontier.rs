//! Reading of links, queues, hosts, sites and backlinks.

use super::super::packed_link::PackedLink;
use super::super::{
    HostQueue, HostState, LinkRow, LinkState, LookUp, LookUpResult, QueueSlice, RunId, is_site_root,
};
use super::codec::{self, Columns, bits};
use super::connection::{Command, ServerConnection, command};
use super::fault::Fault;
use hadal_core::address::{Host, LinkId, Site};
use hadal_core::link::{QueueId, QueueRank, QueuedLink};
use hadal_core::strategy::SiteCounters;
use hadal_core::time::Time;
use rustc_hash::{FxHashMap, FxHashSet};
use tokio_postgres::Row;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Columns of [`queued_link`], in its order, and the state.
const LINK: &str =
    "id, url, queue, score, arrival, generation, attempts::bigint, not_before, depth::bigint, context,
    state FROM links";

/// Key of a host in `hosts.id` and `links.host`.
pub fn host_id(host: &Host) -> i64 {
    bits(xxh3_64(host.0.as_bytes()))
}

/// State of a link by its name.
pub fn link_state(name: &str) -> LinkState {
    let all = [LinkState::Waiting, LinkState::InFlight, LinkState::Failed, LinkState::Dropped];
    all.into_iter().find(|state| state.name() == name).unwrap_or(LinkState::Done)
}

fn queued_link(row: &Row) -> Result<QueuedLink, Fault> {
    let (id, url) = (LinkId(row.unsigned(0)?), row.parsed(1)?);
    let link = PackedLink::link(id, url, row.number(8)?, row.column(9)?).map_err(Fault::damaged)?;
    Ok(QueuedLink {
        link,
        queue: QueueId(row.unsigned(2)?),
        score: row.column(3)?,
        order: row.unsigned(4)?,
        generation: row.number(5)?,
        attempts: row.number(6)?,
        not_before: Time(row.unsigned(7)?),
    })
}

/// Links that wait, are in flight or are done, in the order of `links`.
pub fn links(
    connection: &ServerConnection,
    run: RunId,
    links: &[LinkId],
) -> Result<Vec<Option<LinkRow>>, Fault> {
    if links.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!("SELECT {LINK} WHERE run = $1 AND id = ANY($2) AND state NOT IN ('failed', 'dropped')");
    let ids: Vec<i64> = links.iter().map(|link| bits(link.0)).collect();
    let mut found: FxHashMap<LinkId, LinkRow> = FxHashMap::default();
    for row in connection.query(command!(sql, bits(run.0), ids))? {
        let queued = queued_link(&row)?;
        found.insert(queued.link.id, LinkRow { state: link_state(row.column(10)?), queued });
    }
    Ok(links.iter().map(|link| found.get(link).cloned()).collect())
}

/// The first links of queues, all in one round trip.
pub fn heads(
    connection: &ServerConnection,
    run: RunId,
    slices: &[QueueSlice],
) -> Result<Vec<Vec<QueuedLink>>, Fault> {
    let commands: Vec<Command> = slices.iter().map(|slice| head(run, slice)).collect();
    let found = connection.run(&commands)?;
    found.iter().map(|rows| rows.iter().map(queued_link).collect()).collect()
}

/// The first links of queues of single hosts, at most `limit` each, by one statement.
pub fn heads_of_hosts(
    connection: &ServerConnection,
    run: RunId,
    queues: &[(QueueId, &Host)],
    limit: usize,
) -> Result<Vec<Vec<QueuedLink>>, Fault> {
    let sql = format!(
        "SELECT first.*, wanted.n::bigint FROM unnest($2::bigint[], $3::bigint[]) WITH ORDINALITY AS wanted (queue, host, n)
         CROSS JOIN LATERAL (SELECT {LINK} WHERE state = 'waiting' AND run = $1 AND host = wanted.host
             AND queue = wanted.queue ORDER BY score_key, arrival LIMIT $4) AS first"
    );
    let (ids, hosts): (Vec<i64>, Vec<i64>) =
        queues.iter().map(|(queue, host)| (bits(queue.0), host_id(host))).unzip();
    let mut found = vec![Vec::new(); queues.len()];
    for row in connection.query(command!(sql, bits(run.0), ids, hosts, codec::limit(limit)))? {
        let place = row.column::<i64>(11)? as usize - 1;
        found[place].push(queued_link(&row)?);
    }
    found.iter_mut().for_each(|links| links.sort_by_key(QueuedLink::rank));
    Ok(found)
}

fn head(run: RunId, slice: &QueueSlice) -> Command {
    let (key, arrival) = slice.after.map_or((i32::MIN, -1), |rank| (rank.score_key(), bits(rank.order())));
    let (queue, limit) = (bits(slice.queue.0), codec::limit(slice.limit));
    let of_host = if slice.host.is_some() { "host = $6" } else { "$6::bigint IS NULL" };
    let sql = format!(
        "SELECT {LINK} WHERE state = 'waiting' AND run = $1 AND queue = $2 AND (score_key, arrival) > ($3, $4)
             AND {of_host} ORDER BY score_key, arrival LIMIT $5"
    );
    command!(sql, bits(run.0), queue, key, arrival, limit, slice.host.as_ref().map(host_id))
}

/// Queues by host, with their lengths and heads: of a run, or of some of its partitions.
pub fn host_queues(
    connection: &ServerConnection,
    run: RunId,
    partitions: Option<Vec<i16>>,
) -> Result<Vec<HostQueue>, Fault> {
    let sql = "SELECT waiting.queue, hosts.host, waiting.length, waiting.head, waiting.arrival
        FROM (SELECT DISTINCT ON (host, queue) host, queue, score_key AS head, arrival,
                  count(*) OVER (PARTITION BY host, queue) AS length
              FROM links WHERE run = $1 AND state = 'waiting' AND ($2::smallint[] IS NULL OR host IN
                  (SELECT id FROM hosts WHERE run = $1 AND partition = ANY($2)))
              ORDER BY host, queue, score_key, arrival) AS waiting
        JOIN hosts ON hosts.run = $1 AND hosts.id = waiting.host";
    let read = |row: &Row| {
        Ok(HostQueue {
            queue: QueueId(row.unsigned(0)?),
            host: Host(row.column(1)?),
            length: row.unsigned(2)?,
            head: QueueRank::from_key(row.column(3)?, row.unsigned(4)?),
        })
    };
    let mut queues = connection
        .query(command!(sql, bits(run.0), partitions))?
        .iter()
        .map(read)
        .collect::<Result<Vec<_>, Fault>>()?;
    queues.sort();
    Ok(queues)
}

/// Looks up all keys in one round trip, and a second one if rows of links are wanted.
pub fn look_up(connection: &ServerConnection, run: RunId, keys: &LookUp<'_>) -> Result<LookUpResult, Fault> {
    let link_rows = self::links(connection, run, keys.link_rows)?;
    let run = bits(run.0);
    let links: Vec<i64> = keys.links.iter().map(|link| bits(link.0)).collect();
    let forms: Vec<String> = keys.forms.iter().map(ToString::to_string).collect();
    let hosts: Vec<i64> = keys.hosts.iter().map(host_id).collect();
    let sites: Vec<String> = keys.sites.iter().map(|site| site.0.clone()).collect();
    let wanted = [!links.is_empty(), !forms.is_empty(), !hosts.is_empty(), !sites.is_empty()];
    let commands = [
        command!("SELECT id FROM links WHERE run = $1 AND id = ANY($2)", run, links),
        command!("SELECT form_id FROM forms WHERE run = $1 AND form_id = ANY($2)", run, forms),
        command!(
            "SELECT host, ip, robots, robots_until, next_at, failures, latency_ms, requests, address_next_at,
                 robots_validator FROM hosts WHERE run = $1 AND id = ANY($2) AND next_at IS NOT NULL",
            run,
            hosts
        ),
        command!(
            format!("SELECT {SITE_COUNTERS}, site FROM sites WHERE run = $1 AND site = ANY($2)"),
            run,
            sites
        ),
    ];
    let commands: Vec<Command> =
        commands.into_iter().zip(wanted).filter(|(_, wanted)| *wanted).map(|(command, _)| command).collect();
    let mut answers = if commands.is_empty() { Vec::new() } else { connection.run(&commands)? }.into_iter();
    let [links, forms, hosts, sites] =
        wanted.map(|wanted| if wanted { answers.next().unwrap_or_default() } else { Vec::new() });
    let links: FxHashSet<u64> = links.iter().map(|row| row.unsigned(0)).collect::<Result<_, _>>()?;
    let forms: FxHashSet<String> = forms.iter().map(|row| row.column(0)).collect::<Result<_, _>>()?;
    let hosts: FxHashMap<Host, HostState> = hosts.iter().map(host_state).collect::<Result<_, Fault>>()?;
    let of_site = |row: &Row| Ok((Site(row.column(10)?), site_counters(row, 0)?));
    let sites: FxHashMap<Site, SiteCounters> = sites.iter().map(of_site).collect::<Result<_, Fault>>()?;
    Ok(LookUpResult {
        links: keys.links.iter().map(|link| links.contains(&link.0)).collect(),
        link_rows,
        forms: keys.forms.iter().map(|form| forms.contains(&form.to_string())).collect(),
        hosts: keys.hosts.iter().map(|host| hosts.get(host).cloned()).collect(),
        sites: keys.sites.iter().map(|site| sites.get(site).copied().unwrap_or_default()).collect(),
    })
}

fn host_state(row: &Row) -> Result<(Host, HostState), Fault> {
    let host = Host(row.column(0)?);
    let state = HostState {
        host: host.clone(),
        ip: row.optional_word(1)?,
        robots: row.optional_json(2)?,
        robots_until: Time(row.unsigned(3)?),
        next_at: Time(row.unsigned(4)?),
        failures: row.number(5)?,
        latency_ms: row.number(6)?,
        requests: row.unsigned(7)?,
        group_next_at: Time(row.unsigned(8)?),
        robots_validator: row.optional_text(9)?,
    };
    Ok((host, state))
}

/// Columns of [`site_counters`], in its order.
pub const SITE_COUNTERS: &str = "pages, forms, searchable, relevant, pages_since_searchable, probes, closed,
    pages_since_relevant, on_topic, bonus";

/// The counters of a site, from the columns that start at `first`.
pub fn site_counters(row: &Row, first: usize) -> Result<SiteCounters, Fault> {
    Ok(SiteCounters {
        pages: row.number(first)?,
        forms: row.number(first + 1)?,
        searchable: row.number(first + 2)?,
        relevant: row.number(first + 3)?,
        pages_since_searchable: row.number(first + 4)?,
        probes: row.number(first + 5)?,
        closed: row.column(first + 6)?,
        pages_since_relevant: row.number(first + 7)?,
        on_topic: row.number(first + 8)?,
        bonus: row.column(first + 9)?,
    })
}

/// Pages that link to each URL, those of the latest run first.
pub fn backlinks(
    connection: &ServerConnection,
    source: &str,
    urls: &[Url],
    limit: usize,
) -> Result<Vec<Vec<Url>>, Fault> {
    let sql = "SELECT id FROM runs WHERE source = $1 ORDER BY id DESC";
    let runs = connection.query(command!(sql, codec::text(source)))?;
    let runs: Vec<RunId> = runs.iter().map(|row| row.unsigned(0).map(RunId)).collect::<Result<_, _>>()?;
    let mut all = vec![(FxHashSet::default(), Vec::new()); urls.len()];
    for run in runs {
        let citing = connection.run(&urls.iter().map(|url| citing(run, url, limit)).collect::<Vec<_>>())?;
        let parents = parent_pages(connection, run, urls)?;
        for (((seen, linking), url), (citing, parent)) in
            all.iter_mut().zip(urls).zip(citing.iter().zip(parents))
        {
            let citing = citing.iter().map(|row| row.parsed(0)).collect::<Result<Vec<Url>, Fault>>()?;
            let pages = citing.into_iter().chain(parent);
            linking.extend(pages.filter(|page| page != url && seen.insert(page.clone())));
        }
    }
    Ok(all.into_iter().map(|(_, pages)| pages.into_iter().take(limit).collect()).collect())
}

/// Query for pages of other sites that cite a URL, or any page of the site if the URL is its root.
fn citing(run: RunId, url: &Url, limit: usize) -> Command {
    let target = (!is_site_root(url)).then(|| bits(LinkId::of(url).0));
    let wanted = if target.is_some() { "target = $3" } else { "$3::bigint IS NULL" };
    let sql = format!(
        "SELECT links.url
         FROM (SELECT source FROM backlinks WHERE run = $1 AND site = $2 AND {wanted}
               GROUP BY source ORDER BY source < 0, source LIMIT $4) AS citing
         JOIN links ON links.run = $1 AND links.id = citing.source
         ORDER BY citing.source < 0, citing.source"
    );
    command!(sql, bits(run.0), Site::of(url).0, target, codec::limit(limit))
}

/// The pages on which a run found URLs first.
fn parent_pages(connection: &ServerConnection, run: RunId, urls: &[Url]) -> Result<Vec<Option<Url>>, Fault> {
    let ids: Vec<LinkId> = urls.iter().map(LinkId::of).collect();
    let found = links(connection, run, &ids)?;
    let parents: Vec<Option<LinkId>> =
        found.into_iter().map(|row| Some(row?.queued.link.parent?.id)).collect();
    let known: Vec<LinkId> = parents.iter().flatten().copied().collect();
    let mut pages = links(connection, run, &known)?.into_iter();
    let url = |row: LinkRow| row.queued.link.url;
    Ok(parents.into_iter().map(|parent| parent.and_then(|_| pages.next().flatten()).map(url)).collect())
}
