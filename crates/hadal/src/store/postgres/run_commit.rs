//! Commit of batches to a run: reads rows, plans their new values, and writes them.

use super::super::counters::probability;
use super::super::packed_link::PackedLink;
use super::super::state_changes::WrittenStates;
use super::super::*;
use super::audit;
use super::codec::{Columns, bits, json, packed, text, wide, word};
use super::connection::{Command, ServerConnection, command};
use super::fault::Fault;
use super::frontier::host_id;
use super::rows_before::{self, RowKeys};
use super::run_plan::RunPlan;
use super::strategy_state;
use super::workers;
use xxhash_rust::xxh3::xxh3_64;

/// Run that a commit changes.
#[derive(Clone, Copy)]
pub struct Target {
    pub run: RunId,
    /// Number of this worker, if the run is shared.
    pub worker: Option<i64>,
}

/// Applies batches to a run within the open transaction, after the statement `first` if there is one.
pub fn apply(
    connection: &ServerConnection,
    first: Option<Command>,
    target: Target,
    batches: &[&Batch],
    states: &mut WrittenStates,
) -> Result<(), Fault> {
    let before = rows_before::read(connection, first, target, &RowKeys::of(batches))?;
    let mut plan = RunPlan::new(before, batches);
    leave_frontier(connection, target.run, &mut plan)?;
    let mut commands = write(target, &plan)?;
    if let Some(state) = plan.strategy {
        commands.extend(strategy_state::save(target.run, state, states)?);
    }
    connection.run(&commands).map(|_| ())
}

/// Drops the links of closed sites and fails those of failing hosts, except the links that the plan holds already.
fn leave_frontier(connection: &ServerConnection, run: RunId, plan: &mut RunPlan<'_>) -> Result<(), Fault> {
    if plan.closed.is_empty() && plan.failed.is_empty() {
        return Ok(());
    }
    const DROP: &str = "WITH gone AS (UPDATE links SET state = 'dropped'
            WHERE run = $1 AND state = 'waiting' AND queue NOT IN (-1, -2) AND NOT id = ANY($3)
                AND host IN (SELECT id FROM hosts WHERE run = $1 AND site = $2) RETURNING 1)
        SELECT count(*) FROM gone";
    const FAIL: &str = "WITH gone AS (UPDATE links SET state = 'failed'
            WHERE run = $1 AND state = 'waiting' AND host = $2 AND NOT id = ANY($3) RETURNING 1)
        SELECT count(*) FROM gone";
    let held: Vec<i64> = plan.stored_links().map(|link| bits(link.0)).collect();
    let closed = plan.closed.iter().map(|site| command!(DROP, bits(run.0), site.0.clone(), held.clone()));
    let failed = plan.failed.iter().map(|(host, _)| command!(FAIL, bits(run.0), host_id(host), held.clone()));
    let counts = connection.run(&closed.chain(failed).collect::<Vec<_>>())?;
    let kinds = plan.closed.iter().map(|_| None).chain(plan.failed.iter().map(|(_, kind)| Some(*kind)));
    for (rows, kind) in counts.iter().zip(kinds.collect::<Vec<_>>()) {
        let links = rows.first().map_or(Ok(0), |row| row.unsigned(0))?;
        plan.count_left(links, kind);
    }
    Ok(())
}

/// Statements that write a plan, one per table and kind of change.
fn write(target: Target, plan: &RunPlan<'_>) -> Result<Vec<Command>, Fault> {
    let (run, id) = (target.run, bits(target.run.0));
    let mut commands = Vec::new();
    commands.extend(name_hosts(id, plan));
    commands.extend(flights(id, plan)?);
    commands.extend(links(id, plan)?);
    commands.extend(pages(id, plan)?);
    commands.extend(citations(id, plan));
    commands.extend(sites(id, plan));
    commands.extend(hosts(id, plan)?);
    commands.extend(forms(id, plan)?);
    commands.extend(audit::log(&plan.submissions)?);
    commands.extend(audit::complete(Submitter::Run(run), &plan.results)?);
    commands.extend(failures(id, plan)?);
    commands.extend(lessons(id, plan)?);
    commands.extend(inbox(id, plan)?);
    commands.extend(counters(target, plan)?);
    let is_shared = target.worker.is_some();
    let progress = plan.progress.map(|progress| super::runs::save_progress(run, progress, is_shared));
    commands.extend(progress.transpose()?);
    Ok(commands)
}

/// A statement with one list of values per column, or `None` if there are no rows.
macro_rules! columns {
    ($sql:expr, $first:expr, $rows:expr, |$row:pat_param| $($value:expr),+ $(,)?) => {{
        let rows = $rows;
        let mut values: Vec<$crate::store::postgres::connection::Value> = vec![Box::new($first)];
        $({
            let mut column = Vec::with_capacity(rows.len());
            #[allow(unused_variables, reason = "a column may need only a part of its row")]
            for $row in rows.iter() {
                column.push($value);
            }
            values.push(Box::new(column));
        })+
        (!rows.is_empty()).then(|| Command { sql: $sql.into(), values })
    }};
}
pub(super) use columns;

fn name_hosts(run: i64, plan: &RunPlan<'_>) -> Option<Command> {
    let hosts = plan.named_hosts();
    let ids: Vec<i64> = hosts.iter().map(host_id).collect();
    let sites: Vec<String> = hosts.iter().map(|host| host.site().0).collect();
    let partitions: Vec<i16> = hosts.iter().map(|host| workers::number(Partition::of(host))).collect();
    let names: Vec<String> = hosts.into_iter().map(|host| host.0).collect();
    let sql = "INSERT INTO hosts (run, id, host, site, partition)
        SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::smallint[]) ON CONFLICT DO NOTHING";
    (!ids.is_empty()).then(|| command!(sql, run, ids, names, sites, partitions))
}

fn flights(run: i64, plan: &RunPlan<'_>) -> Result<Vec<Command>, Fault> {
    let ended: Vec<i64> = plan.ended.iter().map(|seq| bits(*seq)).collect();
    let remove = "DELETE FROM in_flight WHERE run = $1 AND seq = ANY($2)";
    let remove = (!ended.is_empty()).then(|| command!(remove, run, ended));
    let sent: Vec<&SentStep> = plan.sent.values().copied().collect();
    let insert = columns!(
        "INSERT INTO in_flight (run, seq, at, target, partition)
         SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::smallint[]) ON CONFLICT DO NOTHING",
        run,
        sent,
        |step| bits(step.seq),
        bits(step.at.0),
        json(&step.target)?,
        plan.host_of(&step.target).map(|host| workers::number(Partition::of(host)))
    );
    Ok(remove.into_iter().chain(insert).collect())
}

fn links(run: i64, plan: &RunPlan<'_>) -> Result<Vec<Command>, Fault> {
    let placed: Vec<_> = plan.placed_links().collect();
    let placed = columns!(
        "INSERT INTO links (run, id, host, queue, arrival, generation, not_before, score_key, score, depth, attempts,
             state, url, context)
         SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
             $8::integer[], $9::real[], $10::integer[], $11::smallint[], $12::text[], $13::text[], $14::bytea[])
         ON CONFLICT (run, id) DO UPDATE SET host = excluded.host, queue = excluded.queue,
             arrival = excluded.arrival, generation = excluded.generation, not_before = excluded.not_before,
             score_key = excluded.score_key, score = excluded.score, depth = excluded.depth,
             attempts = excluded.attempts, state = excluded.state, url = excluded.url, context = excluded.context",
        run, placed, |(id, state, queued)|
        bits(id.0), host_id(&queued.link.host()), bits(queued.queue.0), bits(queued.order),
        wide(queued.generation), bits(queued.not_before.0), queued.rank().score_key(), queued.score,
        i32::from(queued.link.depth), i16::from(queued.attempts), state.name(), queued.link.url.to_string(),
        PackedLink::pack(&queued.link).map_err(Fault::damaged)?
    );
    let rescored: Vec<_> = plan.rescored_links().collect();
    let rescored = columns!(
        "UPDATE links SET queue = new.queue, score = new.score, score_key = new.score_key, generation = new.generation
         FROM unnest($2::bigint[], $3::bigint[], $4::real[], $5::integer[], $6::bigint[])
             AS new (id, queue, score, score_key, generation)
         WHERE links.run = $1 AND links.id = new.id AND links.state = 'waiting'",
        run, rescored, |queued| bits(queued.link.id.0), bits(queued.queue.0), queued.score,
        queued.rank().score_key(), wide(queued.generation)
    );
    let moved: Vec<_> = plan.moved_links().collect();
    let moved = columns!(
        "UPDATE links SET state = new.state FROM unnest($2::bigint[], $3::text[]) AS new (id, state)
         WHERE links.run = $1 AND links.id = new.id",
        run,
        moved,
        |(id, state)| bits(id.0),
        state.name()
    );
    Ok(placed.into_iter().chain(rescored).chain(moved).collect())
}

fn pages(run: i64, plan: &RunPlan<'_>) -> Result<Option<Command>, Fault> {
    Ok(columns!(
        "INSERT INTO pages (run, link, url, site, status, title, language, p_topic, fingerprint, depth, parent,
             redirects, at_request, validator, note)
         SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::integer[], $6::text[], $7::text[],
             $8::real[], $9::bigint[], $10::integer[], $11::bigint[], $12::text[], $13::bigint[], $14::text[],
             $15::text[])",
        run, &plan.pages, |page|
        bits(page.id.0), page.url.to_string(), page.site.0.clone(), i32::from(page.status), text(&page.title),
        page.language.as_deref().map(text), probability(page.p_topic), bits(page.fingerprint),
        i32::from(page.depth), page.parent.map(|parent| bits(parent.0)), json(&page.redirects)?,
        bits(page.at_request), page.validator.as_deref().map(text), page.note.as_deref().map(text)
    ))
}

fn citations(run: i64, plan: &RunPlan<'_>) -> Option<Command> {
    let sites: Vec<String> = plan.citations.iter().map(|(site, ..)| site.0.clone()).collect();
    let targets: Vec<i64> = plan.citations.iter().map(|(_, target, _)| bits(target.0)).collect();
    let sources: Vec<i64> = plan.citations.iter().map(|(_, _, source)| bits(source.0)).collect();
    let sql = "INSERT INTO backlinks (run, site, target, source)
        SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::bigint[]) ON CONFLICT DO NOTHING";
    (!sites.is_empty()).then(|| command!(sql, run, sites, targets, sources))
}

fn sites(run: i64, plan: &RunPlan<'_>) -> Vec<Command> {
    let mut closed: Vec<String> = plan.closed.iter().map(|site| site.0.clone()).collect();
    closed.sort_unstable();
    closed.dedup();
    let close =
        "INSERT INTO sites (run, site, closed) SELECT $1, site, true FROM unnest($2::text[]) AS new (site)
        ON CONFLICT (run, site) DO UPDATE SET closed = true";
    let close = (!closed.is_empty()).then(|| command!(close, run, closed));
    close.into_iter().chain(site_counters(run, plan)).collect()
}

fn site_counters(run: i64, plan: &RunPlan<'_>) -> Option<Command> {
    const SQL: &str = "INSERT INTO sites (run, site, pages, forms, searchable, relevant, pages_since_searchable, probes,
            closed, pages_since_relevant, on_topic, bonus)
        SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
            $8::bigint[], $9::boolean[], $10::bigint[], $11::bigint[], $12::real[])
        ON CONFLICT (run, site) DO UPDATE SET pages = excluded.pages, forms = excluded.forms,
            searchable = excluded.searchable, relevant = excluded.relevant,
            pages_since_searchable = excluded.pages_since_searchable, probes = excluded.probes,
            closed = excluded.closed, pages_since_relevant = excluded.pages_since_relevant,
            on_topic = excluded.on_topic, bonus = excluded.bonus";
    let of = |value: fn(&hadal_core::strategy::SiteCounters) -> u32| -> Vec<i64> {
        plan.sites.values().map(|counters| wide(value(counters))).collect()
    };
    let names: Vec<String> = plan.sites.keys().map(|site| site.0.clone()).collect();
    let closed: Vec<bool> = plan.sites.values().map(|counters| counters.closed).collect();
    let bonuses: Vec<f32> = plan.sites.values().map(|counters| counters.bonus).collect();
    (!names.is_empty()).then(|| {
        command!(
            SQL,
            run,
            names,
            of(|site| site.pages),
            of(|site| site.forms),
            of(|site| site.searchable),
            of(|site| site.relevant),
            of(|site| site.pages_since_searchable),
            of(|site| site.probes),
            closed,
            of(|site| site.pages_since_relevant),
            of(|site| site.on_topic),
            bonuses
        )
    })
}

fn hosts(run: i64, plan: &RunPlan<'_>) -> Result<Option<Command>, Fault> {
    let hosts: Vec<_> = plan.hosts().collect();
    Ok(columns!(
        "UPDATE hosts SET ip = new.ip, robots = coalesce(new.robots, hosts.robots),
             robots_until = CASE WHEN new.robots IS NULL THEN coalesce(hosts.robots_until, new.first_until)
                 ELSE new.robots_until END,
             robots_validator = CASE WHEN new.robots IS NULL THEN hosts.robots_validator ELSE new.robots_validator END,
             next_at = new.next_at, failures = new.failures, latency_ms = new.latency_ms, requests = new.requests,
             address_next_at = new.address_next_at
         FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::bigint[], $8::bigint[],
             $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[]) AS new (id, ip, robots, robots_until,
             robots_validator, first_until, next_at, failures, latency_ms, requests, address_next_at)
         WHERE hosts.run = $1 AND hosts.id = new.id",
        run, hosts, |host|
        host_id(&host.state.host), host.state.ip.map(|ip| ip.to_string()),
        host.rules.and_then(|rules| rules.robots.as_ref()).map(json).transpose()?,
        host.rules.map(|rules| bits(rules.robots_until.0)),
        host.rules.and_then(|rules| rules.robots_validator.as_deref()).map(text), bits(host.first_until.0),
        bits(host.state.next_at.0), wide(host.state.failures), wide(host.state.latency_ms),
        bits(host.state.requests), bits(host.state.group_next_at.0)
    ))
}

fn forms(run: i64, plan: &RunPlan<'_>) -> Result<Vec<Command>, Fault> {
    let new: Vec<_> = plan.new_forms().filter_map(|form| Some((form.new?, form.more_pages))).collect();
    let new = columns!(
        "INSERT INTO forms (run, topic, form_id, site, page_url, action, method, fields, kind, p_searchable,
             p_relevant, found_at_request, depth, also_on, source, language, evidence, probe_result, whole, open_fields,
             is_first)
         SELECT runs.id, runs.topic, new.*,
             NOT EXISTS (SELECT 1 FROM forms AS same WHERE same.form_id = new.form_id AND same.topic = runs.topic)
         FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::real[],
             $10::real[], $11::bigint[], $12::integer[], $13::bigint[], $14::text[], $15::text[], $16::text[],
             $17::text[], $18::bytea[], $19::bigint[])
             AS new (form_id, site, page_url, action, method, fields, kind, p_searchable, p_relevant, found_at_request,
                 depth, also_on, source, language, evidence, probe_result, whole, open_fields)
         JOIN runs ON runs.id = $1",
        run, new, |(row, more_pages)|
        row.form_id.to_string(), row.site.0.clone(), row.page_url.to_string(), row.action.to_string(),
        word(&row.method)?, json(&row.fields)?, word(&row.kind)?, probability(row.p_searchable),
        probability(row.p_relevant), bits(row.found_at_request), i32::from(row.depth), bits(*more_pages),
        word(&row.source)?, row.language.as_deref().map(text), json(&row.evidence)?,
        row.finding.as_ref().map(word).transpose()?, row.form_snapshot.as_deref().map(packed).transpose()?,
        count_open_fields(row.fields.iter().map(|field| field.kind.as_str())) as i64
    );
    let repeated: Vec<_> = plan.repeated_forms().collect();
    let repeated = columns!(
        "UPDATE forms SET also_on = also_on + new.pages FROM unnest($2::text[], $3::bigint[]) AS new (form_id, pages)
         WHERE forms.run = $1 AND forms.form_id = new.form_id",
        run, repeated, |(form, pages)| form.to_string(), bits(*pages)
    );
    let probed: Vec<_> = plan.probed_forms().collect();
    let probed = columns!(
        "UPDATE forms SET p_searchable = new.p_searchable, p_relevant = new.p_relevant, kind = new.kind,
             evidence = new.evidence, probe_result = new.probe_result
         FROM unnest($2::text[], $3::real[], $4::real[], $5::text[], $6::text[], $7::text[])
             AS new (form_id, p_searchable, p_relevant, kind, evidence, probe_result)
         WHERE forms.run = $1 AND forms.form_id = new.form_id",
        run,
        probed,
        |probe| probe.form.to_string(),
        probability(probe.verdict.p_searchable),
        probability(probe.verdict.p_relevant),
        word(&probe.verdict.kind)?,
        json(&probe.verdict.evidence)?,
        word(&probe.finding)?
    );
    let judged: Vec<String> = plan.judged_sites().into_iter().map(|site| site.0.clone()).collect();
    let best = "INSERT INTO sites (run, site, best)
        SELECT $1, new.site, (SELECT coalesce(max(p_relevant), 0) FROM forms WHERE run = $1 AND forms.site = new.site)
        FROM unnest($2::text[]) AS new (site)
        ON CONFLICT (run, site) DO UPDATE SET best = excluded.best";
    let best = (!judged.is_empty()).then(|| command!(best, run, judged));
    // Two runs of one topic may find a form at once: the second one waits for the commit of the first. All workers take
    // the locks in the same order.
    let turn = "SELECT pg_advisory_xact_lock(hashtextextended(topic || found.form, 0))
        FROM runs, (SELECT form FROM unnest($2::text[]) AS new (form) ORDER BY form) AS found WHERE id = $1";
    let ids: Vec<String> = plan.new_forms().filter_map(|form| Some(form.new?.form_id.to_string())).collect();
    let turn = new.is_some().then(|| command!(turn, run, ids));
    Ok(turn.into_iter().chain(new).chain(repeated).chain(probed).chain(best).collect())
}

fn failures(run: i64, plan: &RunPlan<'_>) -> Result<Option<Command>, Fault> {
    Ok(columns!(
        "INSERT INTO failures (run, host, url, url_id, kind, at, times, given_up)
         SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[],
             $8::boolean[])
         ON CONFLICT (run, url_id) DO UPDATE SET kind = excluded.kind, at = excluded.at,
             times = failures.times + excluded.times, given_up = excluded.given_up",
        run, &plan.failures, |failure|
        failure.host.0.clone(), failure.url.clone(), bits(xxh3_64(failure.url.as_bytes())), word(&failure.kind)?,
        bits(failure.at.0), wide(failure.times), failure.given_up
    ))
}

fn lessons(run: i64, plan: &RunPlan<'_>) -> Result<Option<Command>, Fault> {
    Ok(columns!(
        "INSERT INTO lessons (run, at_request, at_page, lesson)
         SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::text[])",
        run,
        &plan.lessons,
        |row| bits(row.at_request),
        bits(row.at_page),
        json(&row.lesson)?
    ))
}

/// Links for the owners of their partitions, and links that were received.
fn inbox(run: i64, plan: &RunPlan<'_>) -> Result<Vec<Command>, Fault> {
    let forwarded = columns!(
        "INSERT INTO inbox (run, partition, link, url, depth, queue, score, context)
         SELECT $1, * FROM unnest($2::smallint[], $3::bigint[], $4::text[], $5::integer[], $6::bigint[], $7::real[],
             $8::bytea[])",
        run, &plan.forwarded, |ForwardedLink { link, place }|
        workers::number(Partition::of(&link.host())), bits(link.id.0), link.url.to_string(), i32::from(link.depth),
        place.map(|(queue, _)| bits(queue.0)), place.map(|(_, score)| score),
        PackedLink::pack(link).map_err(Fault::damaged)?
    );
    let received: Vec<i64> = plan.received.iter().map(|number| bits(*number)).collect();
    let received = (!received.is_empty())
        .then(|| command!("DELETE FROM inbox WHERE run = $1 AND n = ANY($2)", run, received));
    Ok(forwarded.into_iter().chain(received).collect())
}

fn counters(target: Target, plan: &RunPlan<'_>) -> Result<Vec<Command>, Fault> {
    const ERRORS: &str =
        "INSERT INTO errors (run, kind, count) SELECT $1, * FROM unnest($2::text[], $3::bigint[])
        ON CONFLICT (run, kind) DO UPDATE SET count = errors.count + excluded.count";
    const ERRORS_OF_WORKER: &str = "INSERT INTO worker_errors (worker, run, kind, count)
        SELECT worker_counters.worker, run, new.* FROM worker_counters, unnest($2::text[], $3::bigint[]) AS new
        WHERE worker = $1
        ON CONFLICT (worker, kind) DO UPDATE SET count = worker_errors.count + excluded.count";
    let run = bits(target.run.0);
    let (counted, errors_sql) = target.worker.map_or((run, ERRORS), |worker| (worker, ERRORS_OF_WORKER));
    let errors: Vec<_> = plan.counters.errors.iter().collect();
    let errors = columns!(errors_sql, counted, errors, |(kind, times)| word(kind)?, bits(**times));
    // Workers of a shared run add points when they report.
    let points = if target.worker.is_some() { &[] } else { plan.points.as_slice() };
    let points = columns!(
        "INSERT INTO curve (run, requests, pages, forms, searchable, relevant, waiting)
         SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
         ON CONFLICT DO NOTHING",
        run, points, |point| bits(point.requests), bits(point.pages), bits(point.forms),
        bits(point.searchable), bits(point.relevant), bits(point.waiting)
    );
    let all = &plan.counters;
    const COUNTERS: &str =
        "UPDATE progress SET requests = $2, bytes = $3, pages = $4, failed = $5, sites = $6,
        forms = $7, searchable = $8, relevant = $9, waiting = $10, probes = $11 WHERE run = $1";
    const COUNTERS_OF_WORKER: &str = "UPDATE worker_counters SET requests = $2, bytes = $3, pages = $4, failed = $5,
        sites = $6, forms = $7, searchable = $8, relevant = $9, waiting = $10, probes = $11 WHERE worker = $1";
    let sql = if target.worker.is_some() { COUNTERS_OF_WORKER } else { COUNTERS };
    let numbers = [
        all.requests,
        all.bytes,
        all.pages,
        all.failed,
        all.sites,
        all.forms,
        all.searchable,
        all.relevant,
        all.waiting,
        all.probes,
    ];
    let values = std::iter::once(counted).chain(numbers.map(bits));
    let values = values.map(|value| Box::new(value) as super::connection::Value).collect();
    Ok([Command { sql: sql.into(), values }].into_iter().chain(errors).chain(points).collect())
}
