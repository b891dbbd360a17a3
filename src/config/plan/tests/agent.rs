//! A server that no file names.

use super::*;

#[test]
fn what_the_agent_asks_for_stays_as_it_stands() {
    let text = r#"{"mcpServers": {"a": {"command": "${TOKEN}", "args": ["${TOKEN:-x}", "$<NONE>", "${input:x}"],
        "cwd": "${userHome}", "env": {"T": "${TOKEN}"}}}}"#;
    let agent = source(Agent, "the agent", text);
    check(
        std::slice::from_ref(&agent),
        &[
            r#"agent the agent a: "${TOKEN}" ["${TOKEN:-x}", "$<NONE>", "${input:x}"] in /w/${userHome}"#,
        ],
    );
    let plan = plan(std::slice::from_ref(&agent), &options("linux"));
    let ServerReach::Program { environment, .. } = &plan.servers[0].reach else {
        panic!("it is a program");
    };
    let environment: Vec<String> = environment
        .iter()
        .map(|entry| format!("{}={}", entry.name, entry.value))
        .collect();
    assert_eq!(environment, ["HOME=/home/u", "PATH=/bin", "T=${TOKEN}"]);
    // A name that a file has in any spelling and state is taken.
    for entry in [
        r#""command": "mine""#,
        r#""disabled": true"#,
        r#""args": 1"#,
    ] {
        let text = format!("{{\"mcpServers\": {{\" A\": {{{entry}}}}}}}");
        for origin in [User, Repository] {
            let taken = super::plan(
                &[agent.clone(), source(origin, "a file", &text)],
                &options("linux"),
            );
            assert_eq!(taken.shadowed.len(), 1, "{entry}");
            assert_eq!(taken.shadowed[0].path, "the agent");
            assert_eq!(taken.shadowed[0].by_path.as_deref(), Some("a file"));
        }
    }
}
