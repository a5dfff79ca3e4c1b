//! The program with a store in PostgreSQL.

use crate::crawl_process::{Site, draws};
use hadal_store_contract::cluster;
use std::process::{Command, Stdio};

/// The program with a store and without output.
fn program(store: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hadal"));
    command.args(["--store", store]).env_clear();
    command.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
    command
}

/// Output of a command, which must succeed.
fn output(mut command: Command) -> String {
    let output = command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Exports of a store.
fn exports(store: &str) -> Vec<String> {
    let list = |name: &str| {
        let mut command = program(store);
        command.args([name, "--format", "jsonl"]);
        if name == "forms" {
            command.arg("--all");
        }
        output(command)
    };
    ["forms", "sites", "records", "queries", "submissions", "log"].map(list).into_iter().collect()
}

fn demo(store: &str) -> Command {
    let mut command = program(store);
    command.args(["demo", "--max-requests", "400", "--harvest", "1", "--concurrency", "8", "--json"]);
    command
}

#[test]
fn a_demo_in_postgres_finds_and_harvests_the_same_as_in_a_folder_and_can_be_copied() {
    let Some(cluster) = cluster::cluster() else { return };
    let (database, copied) = (cluster.new_database("template1"), cluster.new_database("template1"));
    let dir = tempfile::tempdir().unwrap();
    let folder = |name: &str| format!("file:{}", dir.path().join(name).display());
    output(demo(&folder("calm")));
    output(demo(&database));
    let expected = exports(&folder("calm"));
    assert!(expected[..3].iter().all(|list| !list.is_empty()));
    assert_eq!(exports(&database), expected);
    for (from, to) in
        [(folder("calm"), copied.clone()), (database, folder("back")), (copied, folder("again"))]
    {
        let mut command = program(&folder("unused"));
        command.args(["store", "copy", &from, &to]);
        assert!(output(command).starts_with("copied "));
        assert_eq!(exports(&to), expected, "{from} -> {to}");
    }
    assert_eq!(exports(&folder("again")), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_many_times_a_crawl_in_postgres_finds_the_same_forms() {
    let (Some(database), Some(calm)) = (cluster::new_store(), cluster::new_store()) else { return };
    let site = Site::tiny(3).await;
    let find = |store: &str| {
        let mut command = program(store);
        let given = site.find(std::path::Path::new("unused"));
        command.args(given.get_args().skip(2));
        command.envs(given.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command
    };
    let forms = |store: &str| {
        let mut command = program(store);
        command.args(["forms", "--all", "--format", "jsonl"]);
        let listed = output(command);
        let id = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["form_id"].to_string();
        listed.lines().map(id).collect::<std::collections::BTreeSet<String>>()
    };
    assert!(find(&calm).status().unwrap().success());
    let requests = site.take_log().len();
    let mut draw = draws(5);
    for _ in 0..4 {
        let mut child = find(&database).spawn().unwrap();
        site.wait_for(1 + draw(requests / 4), &mut child);
        child.kill().unwrap();
        child.wait().unwrap();
        site.take_log();
    }
    assert!(find(&database).status().unwrap().success());
    assert_eq!(forms(&database), forms(&calm));
}

#[test]
fn messages_do_not_show_the_password_of_the_database() {
    let Some(url) = cluster::new_store() else { return };
    let store = url.replace("hadal@", "hadal:hidden-word@");
    let mut command = program(&store);
    command.args(["demo", "--max-requests", "60", "--harvest", "0"]);
    let output = command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("hadal forms --store postgres://hadal@"), "{text}");
    assert!(!text.contains("hidden-word"), "{text}");
}
