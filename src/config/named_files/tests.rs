use super::*;

fn files(command: &str, args: &[&str], env: &[&str], style: PathStyle) -> Option<Vec<NamedFile>> {
    let naming = |text| Naming {
        field: "f",
        text,
        secret: false,
    };
    let args: Vec<Naming<'_>> = args.iter().map(|text| naming(*text)).collect();
    let env: Vec<Naming<'_>> = env.iter().map(|text| naming(*text)).collect();
    let (cwd, workspace_folder) = match style {
        PathStyle::Posix => ("/w/sub", "/w"),
        PathStyle::Windows => ("C:\\w\\sub", "C:\\w"),
    };
    named_files(&Start {
        command: naming(command),
        args: &args,
        env: &env,
        cwd,
        workspace_folder,
        style,
    })
}

/// Every expected path is among those found.
#[track_caller]
fn check(command: &str, args: &[&str], env: &[&str], expected: &[&str]) {
    let found = files(command, args, env, PathStyle::Posix).unwrap();
    for path in expected {
        assert!(
            found.iter().any(|file| file.path == *path),
            "{path} is not in {:?}",
            found.iter().map(|file| &file.path).collect::<Vec<_>>()
        );
    }
}

#[test]
fn what_a_command_line_names() {
    check("./server", &[], &[], &["/w/sub/server"]);
    check("../bin/server", &[], &[], &["/w/sub/../bin/server"]);
    check("/w/server", &[], &[], &["/w/server"]);
    check(
        "node",
        &["server.js"],
        &[],
        &["/w/sub/server.js", "/w/server.js"],
    );
    check(
        "node",
        &["server"],
        &[],
        &["/w/sub/server.js", "/w/sub/server/index.js"],
    );
    check(
        "node",
        &["."],
        &[],
        &["/w/sub/package.json", "/w/sub/index.js"],
    );
    check("node", &["-r", "./hook.js"], &[], &["/w/sub/hook.js"]);
    check(
        "node",
        &["-r./hook.js", "--import=file:///w/h.mjs"],
        &[],
        &["/w/sub/hook.js", "/w/h.mjs"],
    );
    check(
        "/usr/bin/python3.12",
        &["-m", "tools.server"],
        &[],
        &["/w/sub/tools/server.py", "/w/src/tools/server/__main__.py"],
    );
    check("python", &["dir"], &[], &["/w/sub/dir/__main__.py"]);
    check(
        "sh",
        &["-c", "cd x && exec ./run.sh --flag"],
        &[],
        &["/w/sub/run.sh"],
    );
    check("x", &["--config=\"conf.json\""], &[], &["/w/sub/conf.json"]);
    check(
        "x",
        &["name with blanks.js"],
        &[],
        &["/w/sub/name with blanks.js"],
    );
    check("x", &["a=b.js"], &[], &["/w/sub/a=b.js", "/w/sub/b.js"]);
    check(
        "docker",
        &["run", "-v", "./conf.d/a.conf:/etc/a.conf:ro"],
        &[],
        &["/w/sub/conf.d/a.conf"],
    );
    check(
        "docker",
        &["compose", "up"],
        &[],
        &["/w/sub/compose.yaml", "/w/docker-compose.yml"],
    );
    check("npm", &["run", "mcp"], &[], &["/w/sub/package.json"]);
    check(
        "npm",
        &["--prefix", "tools", "start"],
        &[],
        &["/w/sub/tools/package.json"],
    );
    check(
        "uv",
        &["--directory", "srv", "run", "main.py"],
        &[],
        &["/w/sub/srv/main.py", "/w/sub/srv/pyproject.toml"],
    );
    check(
        "uv",
        &["--project=srv", "run", "main.py"],
        &[],
        &["/w/sub/srv/main.py"],
    );
    check("make", &["serve"], &[], &["/w/sub/Makefile"]);
}

#[test]
fn what_a_variable_names() {
    check(
        "npx",
        &["p"],
        &["--require ./scripts/hook.js"],
        &["/w/sub/scripts/hook.js"],
    );
    check(
        "npx",
        &["p"],
        &["/lib/a.so:./b.so"],
        &["/lib/a.so", "/w/sub/b.so"],
    );
    check("npx", &["p"], &["./a.pem"], &["/w/sub/a.pem"]);
}

#[test]
fn each_path_once_with_the_field_that_named_it_first() {
    let found = files(
        "node",
        &["a.js", "a.js", "./a.js"],
        &["a.js"],
        PathStyle::Posix,
    )
    .unwrap();
    let paths: HashSet<&str> = found.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths.len(), found.len());
}

#[test]
fn windows() {
    let found = files(
        "npx",
        &["..\\a.js", "D:\\b.js", "--x=C:\\w\\c.js"],
        &[],
        PathStyle::Windows,
    )
    .unwrap();
    for path in ["C:\\w\\a.js", "D:\\b.js", "C:\\w\\c.js"] {
        assert!(found.iter().any(|file| file.path == path), "{path}");
    }
    let found = files(".\\run.cmd", &[], &[], PathStyle::Windows).unwrap();
    assert_eq!(found[0].path, "C:\\w\\sub\\run.cmd");
}

#[test]
fn too_many_are_not_covered() {
    let many: Vec<String> = (0..MAX_NAMED_FILES).map(|n| format!("f{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(files("x", &many, &[], PathStyle::Posix), None);
    assert!(files("x", &[&"a ".repeat(500_000)], &[], PathStyle::Posix).is_some());
    assert_eq!(files("x", &[&many.join(" ")], &[], PathStyle::Posix), None);
}
