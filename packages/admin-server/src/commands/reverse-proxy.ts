import { StartError } from "lifecycle/errors";
import { messageOf } from "server-core/errors";
import { parseUpstream } from "server-modules/handlers/reverse-proxy/text/upstream-address";
import { formatSiteAddress, parseSiteAddress, type SiteAddress } from "serverfile/addresses/site-address";
import { defineCommand } from "../cli/command.ts";
import { commandLineConfig, headersFrom } from "../cli/command-line-config.ts";
import { debugOption, runOptions, runSettings } from "./run-options.ts";

/** Option values that determine the config. */
interface ReverseProxyOptions {
  readonly from: string;
  readonly to: readonly string[];
  readonly "change-host-header": boolean;
  readonly insecure: boolean;
  readonly "disable-redirects": boolean;
  readonly "internal-certs": boolean;
  readonly "header-up": readonly string[];
  readonly "header-down": readonly string[];
  readonly trace: boolean;
  readonly "access-log": boolean;
  readonly debug: boolean;
}

/**
 * Parses the address in `--from`, and adds scheme and port: `localhost` means https and 443, `:8080` means http.
 * @throws StartError
 */
function downstreamAddress(from: string): SiteAddress {
  let address: SiteAddress;
  try {
    address = parseSiteAddress(from);
  } catch (error) {
    throw new StartError(`--from ${from}: ${messageOf(error)}`, { cause: error });
  }
  if (address.path !== "") {
    throw new StartError(`--from ${from}: paths are not allowed`);
  }
  if (!["", "http", "https"].includes(address.scheme)) {
    throw new StartError(`--from ${from}: the scheme is neither http nor https`);
  }
  const isPlain = address.port === "80" || address.host === "";
  const scheme = address.scheme || (isPlain ? "http" : "https");
  return { ...address, scheme, port: address.port || (scheme === "http" ? "80" : "443") };
}

/** The addresses in `--to`, and the first scheme in them. @throws StartError */
function upstreams(to: readonly string[]) {
  let scheme = "";
  const dials: string[] = [];
  for (const each of to) {
    try {
      const upstream = parseUpstream(each);
      // All upstreams have the same transport, so the first scheme is used. Source: Caddy
      scheme ||= upstream.scheme;
      dials.push(...upstream.dials);
    } catch (error) {
      throw new StartError(`--to ${each}: ${messageOf(error)}`, { cause: error });
    }
  }
  return { scheme, dials };
}

/** The transport for a scheme; without a scheme plain HTTP/1.1. */
function transport(scheme: string, insecure: boolean) {
  if (scheme === "https") {
    return { protocol: "http", tls: insecure ? { insecure_skip_verify: true } : {} };
  }
  return scheme === "h2c" ? { protocol: "http", versions: ["h2c", "2"] } : { protocol: "http" };
}

/**
 * Builds the config from options. `--from example.com --to :9001,:9002` results in one server on `:443` with the host
 * `example.com` and two upstreams.
 * @throws StartError. Source: Caddy 2.11
 */
export function reverseProxyConfig(options: ReverseProxyOptions) {
  if (options.to.length === 0) {
    throw new StartError("reverse-proxy: --to is required: where requests go, as in --to localhost:9000");
  }
  const from = downstreamAddress(options.from);
  const { scheme, dials } = upstreams(options.to);
  const up = {
    ...headersFrom("header-up", options["header-up"]),
    ...(options["change-host-header"] ? { Host: ["{http.reverse_proxy.upstream.hostport}"] } : {}),
  };
  const down = headersFrom("header-down", options["header-down"]);
  const headers = {
    ...(Object.keys(up).length === 0 ? {} : { request: { set: up } }),
    ...(Object.keys(down).length === 0 ? {} : { response: { set: down } }),
  };
  const proxy = {
    handler: "reverse_proxy",
    transport: transport(scheme, options.insecure),
    upstreams: dials.map((dial) => ({ dial })),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
  };
  const server = {
    listen: [`:${from.port}`],
    routes: [
      {
        ...(from.host === "" ? {} : { match: [{ host: [from.host] }] }),
        handle: [...(options.trace ? [{ handler: "tracing" }] : []), proxy],
      },
    ],
    ...(options["access-log"] ? { logs: {} } : {}),
    ...(from.scheme === "http"
      ? { automatic_https: { disable: true } }
      : options["disable-redirects"]
        ? { automatic_https: { disable_redirects: true } }
        : {}),
  };
  const tls =
    options["internal-certs"] && from.host !== ""
      ? { tls: { automation: { policies: [{ subjects: [from.host], issuers: [{ module: "internal" }] }] } } }
      : {};
  return {
    config: commandLineConfig({ http: { servers: { proxy: server } }, ...tls }, options.debug),
    from: formatSiteAddress(from),
    dials,
  };
}

/**
 * The URL for spans from the standard variables: the variable for traces unchanged, or else the general variable with
 * `/v1/traces`. Source: OpenTelemetry, OTLP exporter configuration
 */
function tracesEndpoint({ env }: NodeJS.Process): string {
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT || "http://localhost:4318";
  return env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || `${base.replace(/\/$/, "")}/v1/traces`;
}

/** Exit codes are the same as for `run`; 1 without `--to`. */
export const reverseProxy = defineCommand({
  name: "reverse-proxy",
  summary: "Pass requests on to other servers",
  description: [
    "A whole reverse proxy from the command line, for quick deployments and demonstrations; there is no admin endpoint. A --from with a name or an address is served over HTTPS, with a certificate of its own, unless it says http:// or port 80; a --to is asked over HTTP unless it says https:// or h2c://.",
    "--trace makes every request a span, takes and hands on W3C trace context, and sends the spans to an OpenTelemetry collector. The standard variables say where (OTEL_EXPORTER_OTLP_ENDPOINT) and under which name (OTEL_SERVICE_NAME).",
  ],
  options: {
    from: {
      kind: "text",
      short: "f",
      value: "address",
      default: "localhost",
      about: "Where requests come in",
    },
    to: {
      kind: "list",
      short: "t",
      value: "address",
      about: "Where they go: host:port, https://host, h2c://host, :8001-8003, unix//path.sock",
    },
    "change-host-header": { kind: "switch", short: "c", about: "Gives the upstream its own address as Host" },
    insecure: {
      kind: "switch",
      about: "Takes any certificate of an https:// upstream; whoever is in between can read and change all",
    },
    "disable-redirects": {
      kind: "switch",
      short: "r",
      about: "Does not redirect HTTP to HTTPS, and leaves port 80 alone",
    },
    "internal-certs": {
      kind: "switch",
      short: "i",
      about: "Takes certificates of the server's own authority, not public ones",
    },
    "header-up": {
      kind: "lines",
      short: "H",
      value: "Field: value",
      about: "Sets a header field of requests",
    },
    "header-down": {
      kind: "lines",
      short: "d",
      value: "Field: value",
      about: "Sets a header field of responses",
    },
    trace: { kind: "switch", about: "Sends a trace of every request to an OpenTelemetry collector" },
    "access-log": { kind: "switch", about: "Logs every request" },
    debug: debugOption,
    ...runOptions,
  },
  examples: [
    {
      line: "server reverse-proxy --from :8080 --to localhost:9000",
      about: "Passes port 8080 on, over HTTP.",
    },
    {
      line: "server reverse-proxy --from example.com --to :9001,:9002",
      about: "HTTPS in front of two servers.",
    },
    { line: "server reverse-proxy --from :8080 --to :9000 --trace", about: "Shows its requests as traces." },
  ],
  async run(options) {
    const { config, from, dials } = reverseProxyConfig(options);
    const { serveConfig } = await import("../cli/serve-config.ts");
    return serveConfig("reverse-proxy", config, runSettings(options), (_server, log) => {
      log.info(`passing ${from} on to ${dials.join(", ")}`);
      if (options.trace) {
        log.info(`traces go to ${tracesEndpoint(process)}`);
      }
    });
  },
});
