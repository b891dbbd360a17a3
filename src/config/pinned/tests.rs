use super::*;

/// `line` is split at blanks; `expected` are the packages left open, `?` for one that is not named.
#[track_caller]
fn check(line: &str, expected: &[&str]) {
    let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    check_words(&words, expected);
}

#[track_caller]
fn check_words(words: &[String], expected: &[&str]) {
    let found = unpinned(&words[0], &words[1..], PathStyle::Posix);
    let found: Vec<&str> = found
        .iter()
        .map(|open| {
            if open.package.is_empty() {
                "?"
            } else {
                &open.package
            }
        })
        .collect();
    assert_eq!(found, expected, "{words:?}");
}

#[test]
fn packages_of_npm() {
    check("npx -y tracker-mcp", &["tracker-mcp"]);
    check("npx -y tracker-mcp@2.0.4 --db x", &[]);
    check(
        "/usr/bin/npx -y tracker-mcp@latest",
        &["tracker-mcp@latest"],
    );
    check("npx tracker-mcp@^2.0.4", &["tracker-mcp@^2.0.4"]);
    check("npx tracker-mcp@2", &["tracker-mcp@2"]);
    check("npx tracker-mcp@2.0", &["tracker-mcp@2.0"]);
    check("npx tracker-mcp@2.x.1", &["tracker-mcp@2.x.1"]);
    check("npx tracker-mcp@2.0.4-beta.1+b", &[]);
    check("npx @scope/name", &["@scope/name"]);
    check("npx @scope/name@1.0.0", &[]);
    check("npx alias@npm:real@1.0.0", &[]);
    check("npx alias@npm:real", &["alias@npm:real"]);
    check("npx -p a@1.0.0 --package=b b-cmd", &["b"]);
    check("npx --registry https://r -y name", &["name"]);
    check("npx github:user/repo", &["github:user/repo"]);
    check(
        "npx user/repo#0123456789012345678901234567890123456789",
        &[],
    );
    check("npx https://h/x.tgz", &["https://h/x.tgz"]);
    check("npx ./local", &[]);
    check("npx", &["?"]);
    check("npm exec -- name", &["name"]);
    check("npm run start", &[]);
    check("pnpm dlx name@1.2.3", &[]);
    check("pnpm --silent dlx name", &["name"]);
    check("yarn dlx name", &["name"]);
    check("bun x name", &["name"]);
    check("bunx name@1.0.0", &[]);
}

#[test]
fn packages_of_python() {
    check("uvx name", &["name"]);
    check("uvx name==1.2.3", &[]);
    check("uvx name@1.2.3", &[]);
    check("uvx name==0.6", &[]);
    check("uvx name==1.*", &["name==1.*"]);
    check("uvx name@latest", &["name@latest"]);
    check("uvx name>=1.2.3", &["name>=1.2.3"]);
    check("uvx --python 3.12 --from name[cli]==1.2.3 cmd", &[]);
    check("uvx --from name cmd", &["name"]);
    check("uvx --with a,b==1.0.0 name==1.0.0", &["a"]);
    check(
        "uvx --from git+https://h/r@0123456789012345678901234567890123456789 cmd",
        &[],
    );
    check("uvx --from git+https://h/r cmd", &["git+https://h/r"]);
    check("uv tool run name", &["name"]);
    check("uv run server.py", &[]);
    check("uv run --with mcp server.py", &["mcp"]);
    check("pipx run name==1.0.0", &[]);
}

#[test]
fn images_scripts_and_wrappers() {
    check("docker run -i --rm -e A=1 --name x image", &["image"]);
    check(
        "docker run -i --rm host:5000/a/image:latest serve",
        &["host:5000/a/image:latest"],
    );
    check("docker run -it image:1.2", &[]);
    check("docker run -v ./x:/y image@sha256:00", &[]);
    check("docker container run image", &["image"]);
    check("docker compose up", &[]);
    check("deno run -A npm:@scope/name@1.0.0/path", &[]);
    check("deno run npm:name", &["name"]);
    check("deno run jsr:@a/b", &["@a/b"]);
    check("deno run https://h/mod@1.2.3/x.ts", &[]);
    check("deno run https://h/x.ts", &["https://h/x.ts"]);
    check("deno run main.ts", &[]);
    check("go run h/x@latest", &["h/x@latest"]);
    check("go run ./cmd", &[]);
    check("node server.js", &[]);
    check("cmd /c npx -y name", &["name"]);
    check("env A=1 npx name", &["name"]);
    check("mise exec node@20 -- npx name", &["name"]);
    check_words(
        &["sh".into(), "-c".into(), "npx -y 'name'".into()],
        &["name"],
    );
    check_words(
        &["bash".into(), "-lc".into(), "exec npx name@1.0.0".into()],
        &[],
    );
    let found = unpinned("C:\\n\\NPX.cmd", &["name".into()], PathStyle::Windows);
    assert_eq!(found[0].runner, "npx");
}
