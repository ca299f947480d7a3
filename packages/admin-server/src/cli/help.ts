/** Text of `server --help`. Source: the public model (Caddy 2.11), seen running */
export const help = `A web server and reverse proxy whose whole configuration is one live JSON document behind an admin API.

Usage: server <command> [--option value …]

Commands:
  run           Start and stay in the foreground.
  stop          Ask a running server to stop.
  adapt         Print a configuration of any format as JSON.
  validate      Say whether a configuration would run; ports are not tried.
  fmt           Print a serverfile in its usual form.
  version       Print the version.
  help          Print this text.

Options of run:
  --config <file>        Configuration to start with; - reads standard input (none: only the admin endpoint runs).
  --adapter <name>       Format of that file: serverfile, json, json5, yaml or toml (default: what its ending says, else json).
  --resume               Start with the configuration that ran last, if one was saved; --config counts only without it.
  --workers <number>     Threads that serve traffic, each with all sites; 0 is none but the main one
                         (default: one for each core where threads can share a port, else 0) [SERVER_WORKERS]
  --environ              Print the environment first.
  --log-level <level>    trace, debug, info, warn, error or fatal (default info) [LOG_LEVEL]
  --log-encoding <form>  auto, json or console (default auto) [LOG_ENCODING]

Options of adapt and validate:
  --config <file>        Configuration to read (default Serverfile); - reads standard input.
  --adapter <name>       Its format, as for run.
  --pretty               adapt: one member a line.
  --validate             adapt: say too whether it would run.

Options of fmt [file]: - reads standard input; without a file it is Serverfile.
  --overwrite            Write it back.
  --diff                 Print what changes, line by line.

Options of stop:
  --address <address>    Admin endpoint of the server (default: that of the environment).
  --config <file>        Take the address from this configuration.

Environment:
  SERVER_ADMIN           Address of the admin endpoint (default localhost:2019); CADDY_ADMIN is read too.
                         host:port, unix//path/to.sock or fd/3. "admin.listen" in a configuration wins over it.
  XDG_CONFIG_HOME        The last configuration is saved as server/autosave.json below it (default $HOME/.config).
  XDG_DATA_HOME          The configurations that ran are kept in server/history below it (default $HOME/.local/share).
  OTEL_…                 Where the tracing handler sends spans, and how: the standard OpenTelemetry variables.

Signals: SIGTERM and SIGINT stop gracefully (a second SIGINT at once), SIGQUIT at once, SIGUSR1 reads the file of
--config again, unless the configuration was changed through the admin API since.
Exit codes: 0 stopped as asked, 1 could not start, 2 forced to quit, 3 error while stopping.
`;
