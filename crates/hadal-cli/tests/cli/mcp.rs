//! `hadal mcp`: the Model Context Protocol as a client speaks it.

use crate::program::{Place, Ran};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// A client that has started the server.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
    sent: u64,
}

impl Client {
    fn start(place: &Place, options: &[&str]) -> Client {
        let mut command = place.command(&[&["mcp"][..], options].concat());
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut client = Client { input: child.stdin.take(), child, output, sent: 0 };
        let reply =
            client.request("initialize", json!({"protocolVersion": "2025-03-26", "capabilities": {}}));
        assert_eq!(reply["result"]["protocolVersion"], "2025-03-26");
        assert_eq!(reply["result"]["serverInfo"]["name"], "hadal");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.sent += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.sent, "method": method, "params": params}));
        let reply: Value = serde_json::from_str(&self.output.next().unwrap().unwrap()).unwrap();
        assert_eq!(reply["id"], self.sent);
        reply
    }

    /// Result of a tool, or the message of its error.
    fn call(&mut self, name: &str, arguments: Value) -> Result<Value, String> {
        let reply = self.request("tools/call", json!({"name": name, "arguments": arguments}));
        let text = reply["result"]["content"][0]["text"].as_str().unwrap().to_string();
        match reply["result"]["isError"] == true {
            true => Err(text),
            false => {
                assert_eq!(
                    serde_json::from_str::<Value>(&text).unwrap(),
                    reply["result"]["structuredContent"]
                );
                Ok(reply["result"]["structuredContent"].clone())
            }
        }
    }

    /// Closes standard input and returns the exit status.
    fn close(mut self) -> i32 {
        self.input.take();
        self.child.wait().unwrap().code().unwrap()
    }
}

fn demo() -> Place {
    let place = Place::new();
    place.run(&["demo", "--max-requests", "700", "--harvest", "1", "--dashboard", "off", "-q"]).done();
    place
}

#[test]
fn an_agent_finds_sources_and_records_and_sends_nothing() {
    let place = demo();
    let before = place.run(&["submissions", "--json"]).done();
    let mut client = Client::start(&place, &[]);
    let tools = client.request("tools/list", json!({}));
    let names: Vec<&str> = tools["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["list_sources", "search_sources", "get_records", "ask", "find_forms_on_page"]);
    let listed = client.call("list_sources", json!({"topic": "hotel", "limit": 3})).unwrap();
    let sources = listed["sources"].as_array().unwrap();
    assert_eq!(sources.len(), 3);
    assert!(sources[0]["records"].as_u64().unwrap() > 0, "the best source was harvested: {}", sources[0]);
    let site = sources[1]["site"].as_str().unwrap();
    let found = client.call("search_sources", json!({"words": site.to_uppercase()})).unwrap();
    assert_eq!(found["sources"][0]["site"], site);
    let form = &sources[0]["form_id"];
    let records = client.call("get_records", json!({"form": form, "limit": 2})).unwrap();
    assert_eq!(records["records"].as_array().unwrap().len(), 2);
    assert_eq!(records["records"][0]["form_id"], *form);
    let html = "<form action=/s><input type=search name=q><button>Search</button></form>";
    let judged =
        client.call("find_forms_on_page", json!({"html": html, "url": "http://a.example/"})).unwrap();
    assert_eq!(judged["forms"][0]["kind"], "search");
    for (tool, arguments) in [
        ("ask", json!({"words": "sea", "topic": "hotel"})),
        ("find_forms_on_page", json!({"url": "http://a.example/"})),
    ] {
        assert!(client.call(tool, arguments).unwrap_err().contains("read-only"), "{tool}");
    }
    assert!(client.call("get_records", json!({"limit": "many"})).unwrap_err().contains("limit"));
    assert_eq!(client.close(), 0);
    assert_eq!(place.run(&["submissions", "--json"]).done(), before);
}

#[test]
fn an_agent_may_ask_if_it_is_allowed_to() {
    let place = demo();
    let mut client = Client::start(&place, &["--allow-crawl"]);
    let answers = client.call("ask", json!({"words": "hotel", "topic": "hotel", "top": 2})).unwrap();
    assert_eq!(answers["sources"].as_array().unwrap().len(), 2);
    assert!(client.call("ask", json!({"words": "hotel"})).unwrap_err().contains("topic"));
    client.close();
    assert!(place.run(&["submissions", "--json"]).done().contains("\"purpose\":\"ask\""));
}

#[test]
fn without_a_store_a_tool_reports_the_next_step() {
    let place = Place::new();
    let mut client = Client::start(&place, &[]);
    assert!(client.call("list_sources", json!({})).unwrap_err().contains("hadal find"));
    client.close();
}

/// Client of the Python package `mcp`, which the authors of the protocol publish.
const PYTHON_CLIENT: &str = "
import asyncio, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

async def main():
    server = StdioServerParameters(command=sys.argv[1], args=['mcp', '--store', sys.argv[2]])
    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            print(*[tool.name for tool in (await session.list_tools()).tools])
            print((await session.call_tool('list_sources', {'limit': 1})).content[0].text)
            print((await session.call_tool('ask', {'query': 'hotel'})).content[0].text)

asyncio.run(main())
";

#[test]
fn an_independent_client_library_speaks_with_it() {
    let python = std::env::var("HADAL_PYTHON").unwrap_or_else(|_| "python3".to_string());
    let has_library = std::process::Command::new(&python).args(["-c", "import mcp"]).output();
    if !has_library.is_ok_and(|output| output.status.success()) {
        writeln!(std::io::stderr(), "skipped: the Python package mcp is not installed").unwrap();
        return;
    }
    let place = Place::new();
    place.run(&["demo", "--max-requests", "400", "--harvest", "0", "-q"]).done();
    let store = format!("file:{}", place.path().join("hadal-data").display());
    let mut client = std::process::Command::new(python);
    client.args(["-c", PYTHON_CLIENT, env!("CARGO_BIN_EXE_hadal"), &store]);
    let told = Ran::from(client.output().unwrap()).done();
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0], "list_sources search_sources get_records ask find_forms_on_page");
    assert!(lines[1].contains("\"form_id\"") && lines[2].contains("read-only"), "{told}");
}
