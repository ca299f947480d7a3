import { defineCommand } from "../cli/command.ts";
import { commandLineConfig, httpServerLimits } from "../cli/command-line-config.ts";
import { debugOption, runOptions, runSettings } from "./run-options.ts";

/** Compressions with sidecar files. */
const compressions = ["br", "gzip", "zstd"] as const;

/** Option values that determine the config. */
interface FileServerOptions {
  readonly domain: string;
  readonly root: string;
  readonly listen: string;
  readonly browse: boolean;
  readonly "reveal-symlinks": boolean;
  readonly "file-limit": number;
  readonly templates: boolean;
  readonly "access-log": boolean;
  readonly "no-compress": boolean;
  readonly precompressed: readonly string[];
  readonly debug: boolean;
}

/** The address of `--listen`, else the default port of the scheme. */
function listenAddress({ listen, domain }: FileServerOptions): string {
  return listen || (domain === "" ? ":80" : ":443");
}

/**
 * The configuration that the options describe: one server with one route, whose handlers compress, evaluate
 * templates and send files. Source: Caddy 2.11
 *
 * | option | in the config |
 * |---|---|
 * | without `--no-compress` | `{ "handler": "encode" }` as the first handler |
 * | `--templates` | `{ "handler": "templates" }` before the files |
 * | `--domain a.example` | a matcher `host`, and the port 443 |
 * | `--access-log` | `"logs": {}` of the server |
 */
export function fileServerConfig(options: FileServerOptions) {
  const { domain, root, precompressed } = options;
  const inFolder = root === "" ? {} : { root };
  const handle = [
    ...(options["no-compress"]
      ? []
      : [{ handler: "encode", encodings: { zstd: {}, gzip: {} }, prefer: ["zstd", "gzip"] }]),
    ...(options.templates ? [{ handler: "templates", ...(root === "" ? {} : { file_root: root }) }] : []),
    {
      handler: "file_server",
      ...inFolder,
      ...(precompressed.length === 0
        ? {}
        : {
            precompressed: Object.fromEntries(precompressed.map((name) => [name, {}])),
            precompressed_order: precompressed,
          }),
      ...(options.browse
        ? { browse: { reveal_symlinks: options["reveal-symlinks"], file_limit: options["file-limit"] } }
        : {}),
    },
  ];
  const server = {
    listen: [listenAddress(options)],
    ...httpServerLimits,
    routes: [{ ...(domain === "" ? {} : { match: [{ host: [domain] }] }), handle }],
    ...(options["access-log"] ? { logs: {} } : {}),
  };
  return commandLineConfig({ http: { servers: { static: server } } }, options.debug);
}

/** `server file-server`. Exit codes are the same as for `run`. Source: Caddy 2.11 */
export const fileServer = defineCommand({
  name: "file-server",
  summary: "Serve the files of a folder",
  description: [
    "A whole server from the command line, for quick deployments and demonstrations; there is no admin endpoint. With --domain it serves HTTPS with a certificate of its own, for which the name has to lead here.",
  ],
  options: {
    root: {
      kind: "text",
      short: "r",
      value: "folder",
      completes: "folder",
      about: "Folder that is served",
      defaultText: "the working folder",
    },
    listen: {
      kind: "text",
      short: "l",
      value: "address",
      about: "Address to listen on: :8080, 127.0.0.1:8080, unix//path.sock",
      defaultText: ":80, or :443 with --domain",
    },
    domain: { kind: "text", short: "d", value: "name", about: "Name of the site, which makes it HTTPS" },
    browse: { kind: "switch", short: "b", about: "Lists folders that have no index file" },
    "reveal-symlinks": { kind: "switch", about: "Shows in lists where symbolic links lead" },
    "file-limit": {
      kind: "number",
      short: "f",
      value: "number",
      default: 10_000,
      range: [1, 10_000_000],
      about: "The most entries of a folder that a list reads",
    },
    templates: { kind: "switch", short: "t", about: "Evaluates templates in text and HTML files" },
    "no-compress": { kind: "switch", about: "Does not compress responses (else Zstandard and Gzip)" },
    precompressed: {
      kind: "list",
      short: "p",
      value: "names",
      choices: compressions,
      about: "Sends compressed files that lie beside others, the first name preferred",
    },
    "access-log": { kind: "switch", short: "a", about: "Logs every request" },
    debug: debugOption,
    ...runOptions,
  },
  examples: [
    {
      line: "server file-server --root public --listen :8080 --browse",
      about: "Serves public, with lists of its folders.",
    },
    { line: "server file-server --domain example.com", about: "Serves the working folder over HTTPS." },
    {
      line: "server file-server --precompressed zstd,gzip",
      about: "Sends a.js.zst for a.js where it is there.",
    },
  ],
  async run(options) {
    const { serveConfig } = await import("../cli/serve-config.ts");
    const config = fileServerConfig(options);
    const said = `serving the files of ${options.root || process.cwd()} on ${listenAddress(options)}`;
    return serveConfig("file-server", config, runSettings(options), (_server, log) => log.info(said));
  },
});
