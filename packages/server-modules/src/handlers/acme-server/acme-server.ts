import {
  type AcmeReply,
  type AcmeRequest,
  type AcmeServerSettings,
  acmeServerTopic,
  challengeTypes,
} from "certificates/pki/acme-server/acme-messages";
import { hasRules, isIpRange } from "certificates/pki/acme-server/name-policy";
import { defaultAuthority } from "certificates/pki/pki-app";
import { dnsServers } from "certificates/tls/dns/dns-servers";
import type { HttpHandler } from "http-engine/handler";
import { requestOrigin } from "http-engine/request-origin";
import { ServerError } from "server-core/errors";
import { isJsonObject, type JsonValue, member } from "server-core/json/json-value";
import { configDuration } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";

/** Default path prefix. Source: Caddy 2.11 */
const defaultPrefix = "/acme/";
const defaultLifetimeMs = 12 * 3_600_000;
/**
 * Maximum number of bytes of a request body; a longer body is refused. A request for a hundred names with an RSA key
 * has about 8 KB.
 */
const maxMessageBytes = 64 * 1024;

/** A port of a challenge; absent for the default. */
const port = z.int().min(1).max(65_535).nullish();

/** Names and addresses of one rule kind; a request needs to match only one entry. */
const rulesSchema = z.strictObject({
  domains: z.array(z.string()).nullish().describe("Names; `*.` and a name for those one label below it."),
  ip_ranges: z
    .array(z.string().refine(isIpRange, { error: "not an address or a network in CIDR form" }))
    .nullish()
    .describe("Addresses, or networks in CIDR form."),
});

/**
 * Example of an authority for one domain, whose certificates are valid for half a day:
 * ```json
 * {
 *   "handler": "acme_server",
 *   "ca": "corporate",
 *   "lifetime": "12h",
 *   "policy": { "allow": { "domains": ["*.example.internal"] } }
 * }
 * ```
 */
const schema = z.strictObject({
  ca: z.string().nullish().describe("Which authority of the app pki issues (local)."),
  lifetime: configDuration()
    .nullish()
    .describe("How long a certificate lives unless the client says (12h); never longer than what signs it."),
  host: z
    .string()
    .nullish()
    .describe("Host, and port if need be, in the URLs that clients are told (that of the request)."),
  path_prefix: z
    .string()
    .regex(/^\/.*\/$/, { error: "path_prefix must begin and end with a slash" })
    .nullish()
    .describe("Path under which the server stands (/acme/); other requests go on."),
  sign_with_root: z.boolean().nullish().describe("Whether the root signs, not the intermediate."),
  resolvers: dnsServers()
    .nullish()
    .describe("DNS servers that are asked for TXT records (those of the app tls, else of the system)."),
  challenges: z
    .array(
      z
        .string()
        .transform((text) => text.trim().toLowerCase())
        .pipe(z.enum(challengeTypes)),
    )
    .nullish()
    .describe("http-01, dns-01, tls-alpn-01: those that clients may use (all)."),
  policy: z
    .strictObject({
      allow: rulesSchema.nullish().describe("Only for these it issues."),
      deny: rulesSchema.nullish().describe("For these it never issues."),
      allow_wildcard_names: z
        .boolean()
        .nullish()
        .describe("Whether it issues for wildcards (no, once there is any rule)."),
    })
    .nullish()
    .describe("For which names it issues (all)."),
  http_port: port.describe("Port on which names are asked by HTTP-01 (80)."),
  tls_alpn_port: port.describe("Port on which names are asked by TLS-ALPN-01 (443)."),
});

/** The settings for the main thread, with defaults filled in. */
function settingsOf(config: z.infer<typeof schema>): AcmeServerSettings {
  const { policy, challenges } = config;
  const rules = (given: z.infer<typeof rulesSchema> | null | undefined) => ({
    domains: given?.domains ?? [],
    ipRanges: given?.ip_ranges ?? [],
  });
  return {
    ca: config.ca || defaultAuthority,
    lifetimeMs: config.lifetime || defaultLifetimeMs,
    signWithRoot: config.sign_with_root === true,
    challenges: challenges?.length ? challenges : challengeTypes,
    resolvers: config.resolvers ?? [],
    policy: {
      allow: rules(policy?.allow),
      deny: rules(policy?.deny),
      allowWildcardNames: policy?.allow_wildcard_names === true,
    },
    httpPort: config.http_port ?? 80,
    tlsPort: config.tls_alpn_port ?? 443,
  };
}

/** True for the default authority, which always exists, and for authorities of the app `pki`. */
function isAuthority(id: string, pki: JsonValue | undefined): boolean {
  const authorities = isJsonObject(pki) ? member(pki, "certificate_authorities") : undefined;
  return id === defaultAuthority || (isJsonObject(authorities) && Object.hasOwn(authorities, id));
}

/**
 * An ACME server for a CA of this server. It runs in two threads: this thread reads the request and sends the response,
 * and the main thread keeps accounts, orders and keys. A policy without rules issues for every name; this is logged.
 * Source: Caddy 2.11, RFC 8555
 */
export const acmeServer = defineModule({
  id: "http.handlers.acme_server",
  config: schema,
  provision(config, context): HttpHandler {
    const settings = settingsOf(config);
    if (!isAuthority(settings.ca, context.appConfig("pki"))) {
      throw new ServerError("MODULE_CONFIG", `no certificate authority configured with id: ${settings.ca}`);
    }
    if (!hasRules(settings.policy)) {
      context.log.warn(`acme_server: no allow or deny rules: authority ${settings.ca} issues for every name`);
    }
    const mount = `${config.path_prefix || defaultPrefix}${settings.ca}`;
    return {
      async handle(exchange, next) {
        // If a base path was stripped, the prefix follows it in the client's URL.
        if (!exchange.path.startsWith(`${mount}/`)) {
          return next(exchange);
        }
        const { rawPath } = exchange.original.target;
        const basePath = rawPath.endsWith(exchange.rawPath)
          ? rawPath.slice(0, rawPath.length - exchange.rawPath.length)
          : "";
        const origin = requestOrigin(exchange);
        const server = config.host ? `${origin.slice(0, origin.indexOf(":"))}://${config.host}` : origin;
        const base = `${server}${basePath}${mount}`;
        const request: AcmeRequest = {
          settings,
          method: exchange.method,
          base,
          path: exchange.path.slice(mount.length + 1),
          contentType: exchange.header("content-type"),
          body: await exchange.bufferBody(maxMessageBytes),
        };
        const answer = (await context.messages.askMain(acmeServerTopic, request)) as AcmeReply;
        exchange.responseHeaders.push(...answer.headers);
        exchange.respond(answer.status, exchange.method === "HEAD" ? "" : answer.body);
      },
    };
  },
});
