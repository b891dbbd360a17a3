//! The environment that a server's process gets, and what the variables of an entry may do with it.
//!
//! A server of the repository gets what a process needs to run and what its entry names; a server
//! of the user gets all of the user's. Neither gets what the editor sets for its own processes.

use crate::skills::containment::PathStyle;
use std::collections::BTreeMap;

/// What every process may know: where programs, the user's folders and temporary files are, the
/// language, the way to the network. The sources are the needs of node, python and uv on each
/// platform.
#[rustfmt::skip]
const SMALL: [&str; 52] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "TZ",
    "LANG",
    "LANGUAGE",
    "TMPDIR",
    "TMP",
    "TEMP",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    // Windows.
    "SYSTEMROOT",
    "WINDIR",
    "SYSTEMDRIVE",
    "COMSPEC",
    "PATHEXT",
    "USERPROFILE",
    "USERNAME",
    "USERDOMAIN",
    "COMPUTERNAME",
    "HOMEDRIVE",
    "HOMEPATH",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "ALLUSERSPROFILE",
    "PUBLIC",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "PROGRAMW6432",
    "COMMONPROGRAMFILES",
    "COMMONPROGRAMFILES(X86)",
    "OS",
    "NUMBER_OF_PROCESSORS",
    "PROCESSOR_ARCHITECTURE",
];

/// A change that an entry makes: a value, or none to take the variable away.
pub type Change = (String, Option<String>);

/// Set for every process on Windows: without it `cmd.exe`, and whatever asks Windows for a program
/// by name, looks in the current folder first, which a repository fills.
const NOT_FROM_CURRENT_FOLDER: &str = "NoDefaultCurrentDirectoryInExePath";

/// The complete environment of a server's process. On Windows a change replaces a variable of any
/// spelling.
pub fn of_process(
    all: &BTreeMap<String, String>,
    small: bool,
    changes: &[Change],
    style: PathStyle,
) -> BTreeMap<String, String> {
    let ignores_case = style == PathStyle::Windows;
    let mut environment = BTreeMap::new();
    for (name, value) in all {
        if !is_editors(name) && (!small || is_small(name, ignores_case)) {
            environment.insert(name.clone(), value.clone());
        }
    }
    if style == PathStyle::Windows {
        environment.retain(|name, _| !name.eq_ignore_ascii_case(NOT_FROM_CURRENT_FOLDER));
        environment.insert(NOT_FROM_CURRENT_FOLDER.to_owned(), "1".to_owned());
    }
    for (name, value) in changes {
        if ignores_case {
            environment.retain(|other, _| !other.eq_ignore_ascii_case(name));
        }
        match value {
            Some(value) => environment.insert(name.clone(), value.clone()),
            None => environment.remove(name),
        };
    }
    environment
}

/// Set by the editor for its own processes; a child that runs node would take itself for one.
fn is_editors(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    upper.starts_with("VSCODE_") || upper == "ELECTRON_RUN_AS_NODE"
}

fn is_small(name: &str, ignores_case: bool) -> bool {
    if ignores_case {
        SMALL.iter().any(|small| small.eq_ignore_ascii_case(name))
    } else {
        SMALL.contains(&name) || name.starts_with("LC_")
    }
}

/// What a variable in a repository's entry may do.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Danger {
    /// It loads code before the server starts.
    LoadsCode,
    /// It decides which programs are found and run.
    FindsPrograms,
    /// It decides where packages are fetched from, or how.
    FetchesPackages,
    /// It decides whom connections go through or trust.
    TrustsHosts,
}

/// Names, or beginnings of names where they end in `*`, in upper case.
#[rustfmt::skip]
const DANGERS: [(Danger, &[&str]); 4] = [
    (Danger::LoadsCode, &[
        "NODE_OPTIONS", "NODE_PATH", "NODE_REPL_EXTERNAL_MODULE", "BUN_OPTIONS", "TSX_*", "TS_NODE_*",
        "LD_*", "DYLD_*", "GCONV_PATH", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES",
        "PYTHONSTARTUP", "PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONBREAKPOINT", "PYTHONWARNINGS",
        "PYTHONPLATLIBDIR", "PYTHONPYCACHEPREFIX", "RUBYOPT", "RUBYLIB", "GEM_*", "BUNDLE_*",
        "PERL5OPT", "PERL5LIB", "PERL5DB", "PERLLIB", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS",
        "JDK_JAVA_OPTIONS", "JAVA_OPTS", "CLASSPATH", "BASH_ENV", "ZDOTDIR", "PROMPT_COMMAND",
        "BASH_FUNC_*", "SHELLOPTS", "BASHOPTS", "PS4", "DOTNET_STARTUP_HOOKS", "DOTNET_ADDITIONAL_DEPS",
        "DOTNET_SHARED_STORE", "ASPNETCORE_HOSTINGSTARTUPASSEMBLIES", "COR_*", "CORECLR_*", "LUA_INIT*",
        "LUA_PATH*", "LUA_CPATH*", "PHPRC", "PHP_INI_SCAN_DIR", "R_PROFILE*", "R_ENVIRON*", "JULIA_*",
        "ERL_*", "ELIXIR_ERL_OPTIONS",
    ]),
    (Danger::FindsPrograms, &[
        "PATH", "PATHEXT", "COMSPEC", "SYSTEMROOT", "WINDIR", "SHELL", "HOME", "USERPROFILE",
        "XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA", "VIRTUAL_ENV", "CONDA_*", "GIT_SSH*",
        "GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "GIT_CONFIG*", "GIT_EXEC_PATH", "GIT_PROXY_COMMAND",
        "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_TEMPLATE_DIR", "SSH_ASKPASS", "SUDO_ASKPASS",
        "PAGER", "EDITOR", "VISUAL", "RUBYSHELL", "NODEFAULTCURRENTDIRECTORYINEXEPATH", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CARGO_*",
        "GOFLAGS", "MAKEFLAGS", "ELECTRON_RUN_AS_NODE", "VSCODE_*",
    ]),
    (Danger::FetchesPackages, &[
        "NPM_CONFIG_*", "YARN_*", "PNPM_*", "COREPACK_*", "BUN_CONFIG_*", "PIP_*", "UV_*", "PIPX_*",
        "POETRY_*", "PDM_*", "GOPROXY", "GOSUMDB", "GONOSUMDB", "GOINSECURE", "DOCKER_*", "CONTAINER_HOST",
        "KUBECONFIG",
    ]),
    (Danger::TrustsHosts, &[
        "NODE_TLS_REJECT_UNAUTHORIZED", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR",
        "SSLKEYLOGFILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_NO_VERIFY", "PYTHONHTTPSVERIFY",
        "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
    ]),
];

/// What setting this variable may do besides telling the server something. Case does not count:
/// several of the programs that read them do not look at it, and a flag too many costs a glance.
pub fn danger(name: &str) -> Option<Danger> {
    let upper = name.to_ascii_uppercase();
    let matches = |pattern: &&&str| match pattern.strip_suffix('*') {
        Some(beginning) => upper.starts_with(beginning),
        None => upper == **pattern,
    };
    DANGERS
        .iter()
        .find(|(_, patterns)| patterns.iter().any(|pattern| matches(&pattern)))
        .map(|(danger, _)| *danger)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(small: bool, windows: bool, changes: &[(&str, Option<&str>)], expected: &str) {
        let all = [
            ("Path", "/p"),
            ("PATH", "/P"),
            ("LC_ALL", "C"),
            ("SECRET", "s"),
            ("SystemRoot", "C:\\Windows"),
            ("VSCODE_IPC_HOOK", "v"),
            ("ELECTRON_RUN_AS_NODE", "1"),
        ];
        let all = all.map(|(n, v)| (n.to_owned(), v.to_owned())).into();
        let style = if windows {
            PathStyle::Windows
        } else {
            PathStyle::Posix
        };
        let changes: Vec<Change> = changes
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.map(str::to_owned)))
            .collect();
        let found: Vec<String> = of_process(&all, small, &changes, style)
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        assert_eq!(found.join(" "), expected);
    }

    #[test]
    fn small_and_whole() {
        check(true, false, &[], "LC_ALL=C PATH=/P");
        check(
            false,
            false,
            &[],
            "LC_ALL=C PATH=/P Path=/p SECRET=s SystemRoot=C:\\Windows",
        );
        check(
            true,
            true,
            &[],
            "NoDefaultCurrentDirectoryInExePath=1 PATH=/P Path=/p SystemRoot=C:\\Windows",
        );
    }

    #[test]
    fn entries_set_and_unset() {
        check(
            true,
            false,
            &[("A", Some("1")), ("PATH", None)],
            "A=1 LC_ALL=C",
        );
        check(
            true,
            false,
            &[("path", Some("1"))],
            "LC_ALL=C PATH=/P path=1",
        );
        check(
            true,
            true,
            &[("path", Some("1"))],
            "NoDefaultCurrentDirectoryInExePath=1 SystemRoot=C:\\Windows path=1",
        );
        check(
            true,
            true,
            &[("PATH", None)],
            "NoDefaultCurrentDirectoryInExePath=1 SystemRoot=C:\\Windows",
        );
        check(
            true,
            true,
            &[("nodefaultcurrentdirectoryinexepath", None), ("PATH", None)],
            "SystemRoot=C:\\Windows",
        );
        check(
            true,
            false,
            &[("SECRET", Some("named"))],
            "LC_ALL=C PATH=/P SECRET=named",
        );
        check(
            true,
            false,
            &[("VSCODE_X", Some("asked for"))],
            "LC_ALL=C PATH=/P VSCODE_X=asked for",
        );
    }

    #[test]
    fn dangers() {
        for (name, expected) in [
            ("NODE_OPTIONS", Some(Danger::LoadsCode)),
            ("LD_PRELOAD", Some(Danger::LoadsCode)),
            ("DYLD_INSERT_LIBRARIES", Some(Danger::LoadsCode)),
            ("PYTHONSTARTUP", Some(Danger::LoadsCode)),
            ("node_options", Some(Danger::LoadsCode)),
            ("PATH", Some(Danger::FindsPrograms)),
            ("npm_config_registry", Some(Danger::FetchesPackages)),
            ("UV_INDEX_URL", Some(Danger::FetchesPackages)),
            ("NODE_TLS_REJECT_UNAUTHORIZED", Some(Danger::TrustsHosts)),
            ("TRACKER_TOKEN", None),
            ("MY_PATH", None),
            ("LDAP_URL", None),
        ] {
            assert_eq!(danger(name), expected, "{name}");
        }
    }
}
