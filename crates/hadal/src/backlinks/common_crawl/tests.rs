//! Look-ups in small graphs, and errors for files that are not graphs.

use super::*;
use std::io::Write;

const VERTICES: &str =
    "0\tcom.shop\t3\n1\tuk.co.library\t1\n2\torg.hub\t2\n3\torg.hub.blog\t1\n4\tnet.alone\t1\n";
const EDGES: &str = "2\t0\n1\t0\n3\t0\n0\t2\n2\t0\n0\t1\n0\t0\n";

fn graph(vertices: &str, edges: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "cc-main-2026-domain-vertices.txt", vertices.as_bytes());
    write(folder.path(), "cc-main-2026-domain-edges.txt", edges.as_bytes());
    folder
}

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    std::fs::write(folder.join(name), bytes).unwrap();
}

fn gz(text: &str) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap()
}

/// Opens a graph. The second value is true if the index was built.
fn open(folder: &Path) -> Result<(CommonCrawl, bool), GraphError> {
    let mut built = false;
    let graph = CommonCrawl::open_holding(folder, || built = true, 2)?;
    Ok((graph, built))
}

async fn ask(graph: &CommonCrawl, address: &str) -> Vec<String> {
    let found = graph.lookup(&Url::parse(address).unwrap()).await.unwrap();
    found.iter().map(|url| url.to_string()).collect()
}

fn refused(folder: &Path) -> String {
    open(folder).err().expect("it is not a graph").to_string()
}

#[tokio::test]
async fn linking_sites_are_returned_as_their_home_pages() {
    let folder = graph(VERTICES, EDGES);
    let (graph, _) = open(folder.path()).unwrap();
    let hub_once = ["https://library.co.uk/", "https://hub.org/"];
    for address in ["http://shop.com/", "https://www.shop.com/deep?q=1", "http://other.shop.com/"] {
        assert_eq!(ask(&graph, address).await, hub_once, "{address}");
    }
    assert_eq!(ask(&graph, "http://hub.org/").await, ["https://shop.com/"]);
    for unknown in ["http://alone.net/", "http://nobody.com/", "http://127.0.0.1/"] {
        assert_eq!(ask(&graph, unknown).await, [""; 0], "{unknown}");
    }
}

#[tokio::test]
async fn packed_files_are_read_as_published() {
    let folder = tempfile::tempdir().unwrap();
    let two_parts = [gz("0\tcom.a\n"), gz("1\tcom.b\n")].concat();
    write(folder.path(), "x-host-vertices.txt.gz", &two_parts);
    write(folder.path(), "x-host-edges.txt.gz", &gz("1\t0\n"));
    assert_eq!(ask(&open(folder.path()).unwrap().0, "http://a.com/").await, ["https://b.com/"]);
}

#[tokio::test]
async fn parts_in_folders_are_one_graph() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [
        ("vertices/part-0.txt.gz", gz("0\tcom.a\n")),
        ("vertices/part-1.txt.gz", gz("1\tcom.b\n2\tcom.c\n")),
        ("edges/part-0.txt.gz", gz("1\t0\n")),
        ("edges/part-1.txt", b"2\t0\n".to_vec()),
        ("edges/_SUCCESS", Vec::new()),
    ] {
        std::fs::create_dir_all(folder.path().join(name).parent().unwrap()).unwrap();
        write(folder.path(), name, &bytes);
    }
    let (graph, _) = open(folder.path()).unwrap();
    assert_eq!(ask(&graph, "http://a.com/").await, ["https://b.com/", "https://c.com/"]);
}

#[tokio::test]
async fn the_index_is_made_once_and_again_when_the_files_change() {
    let folder = graph(VERTICES, EDGES);
    assert!(open(folder.path()).unwrap().1);
    assert!(!open(folder.path()).unwrap().1);
    write(folder.path(), "cc-main-2026-domain-edges.txt", b"4\t0\n");
    let (graph, built) = open(folder.path()).unwrap();
    assert!(built);
    assert_eq!(ask(&graph, "http://shop.com/").await, ["https://alone.net/"]);
    for file in ["vertices", "edges"] {
        std::fs::remove_file(folder.path().join(format!("cc-main-2026-domain-{file}.txt"))).unwrap();
    }
    assert!(!open(folder.path()).unwrap().1, "an index is enough");
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "no drafts, no runs: {left:?}");
}

#[tokio::test]
async fn of_a_famous_site_some_are_drawn_from_everywhere() {
    let many = 5000;
    let vertices: String = (0..many).map(|n| format!("{n}\tcom.s{n}\n")).collect();
    let edges: String = (1..many).map(|n| format!("{n}\t0\n")).collect();
    let folder = graph(&vertices, &edges);
    let linking = ask(&CommonCrawl::open(folder.path(), || {}).unwrap(), "http://s0.com/").await;
    assert_eq!(linking.len(), build::MAX_LINKING);
    let number = |url: &String| url.trim_matches(|c: char| !c.is_ascii_digit()).parse::<u32>().unwrap();
    let late = linking.iter().filter(|url| number(url) > many / 2).count();
    assert!((60..=140).contains(&late), "{late} of 200 from the second half");
}

#[test]
fn damage_is_reported_with_file_and_line() {
    for (vertices, edges, words) in [
        ("0\tcom.a\nx\tcom.b\n", "", ["vertices.txt", "line 2: 'x'"]),
        ("0\n", "", ["vertices.txt", "names no host"]),
        ("0\tcom.a\n0\tcom.b\n", "", ["line 2", "a vertex 0 already"]),
        (VERTICES, "1\n", ["edges.txt", "not a pair of numbers"]),
        (VERTICES, "0\t1\n1\t99999999999\n", ["edges.txt", "line 2: '99999999999'"]),
        (&"x".repeat(9000), "", ["line 1", "too long"]),
    ] {
        let error = refused(graph(vertices, edges).path());
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    }
}

#[test]
fn an_incomplete_download_is_reported() {
    let folder = graph(VERTICES, EDGES);
    std::fs::remove_file(folder.path().join("cc-main-2026-domain-edges.txt")).unwrap();
    let whole = gz(&(0..5000).map(|n| format!("{}\t{}\n", n % 5, n % 3)).collect::<String>());
    write(folder.path(), "cc-main-2026-domain-edges.txt.gz", &whole[..whole.len() / 2]);
    let error = refused(folder.path());
    assert!(
        error.contains("edges.txt.gz is damaged at line") && error.contains("download it again"),
        "{error}"
    );
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 2, "nothing of the attempt: {left:?}");
}

#[test]
fn no_graph_and_several_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(refused(folder.path()).contains("there is no Common Crawl web graph"));
    assert!(refused(&folder.path().join("nowhere")).contains("there is no Common Crawl web graph"));
    let folder = graph(VERTICES, EDGES);
    write(folder.path(), "cc-main-2025-host-vertices.txt", b"");
    assert!(refused(folder.path()).contains("several files of vertices"));
}

#[test]
fn an_index_that_is_none_is_made_again_or_named() {
    let folder = graph(VERTICES, EDGES);
    write(folder.path(), "hadal-backlinks.db", b"no index at all");
    assert!(open(folder.path()).unwrap().1);
    for file in ["vertices", "edges"] {
        std::fs::remove_file(folder.path().join(format!("cc-main-2026-domain-{file}.txt"))).unwrap();
    }
    write(folder.path(), "hadal-backlinks.db", b"no index at all");
    let error = refused(folder.path());
    assert!(error.contains("hadal-backlinks.db") && error.contains("delete it"), "{error}");
}
