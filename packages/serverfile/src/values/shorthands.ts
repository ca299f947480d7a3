import type { Token } from "../lexer/token.ts";

/** The full name for each exact shorthand, without braces. */
export const exactShorthands: ReadonlyMap<string, string> = new Map(
  Object.entries({
    host: "http.request.host",
    hostport: "http.request.hostport",
    port: "http.request.port",
    orig_method: "http.request.orig_method",
    orig_uri: "http.request.orig_uri",
    orig_path: "http.request.orig_uri.path",
    orig_dir: "http.request.orig_uri.path.dir",
    orig_file: "http.request.orig_uri.path.file",
    orig_query: "http.request.orig_uri.query",
    "orig_?query": "http.request.orig_uri.prefixed_query",
    method: "http.request.method",
    uri: "http.request.uri",
    "%uri": "http.request.uri_escaped",
    path: "http.request.uri.path",
    "%path": "http.request.uri.path_escaped",
    dir: "http.request.uri.path.dir",
    file: "http.request.uri.path.file",
    query: "http.request.uri.query",
    "%query": "http.request.uri.query_escaped",
    "?query": "http.request.uri.prefixed_query",
    remote: "http.request.remote",
    remote_host: "http.request.remote.host",
    remote_port: "http.request.remote.port",
    scheme: "http.request.scheme",
    uuid: "http.request.uuid",
    tls_cipher: "http.request.tls.cipher_suite",
    tls_version: "http.request.tls.version",
    tls_client_fingerprint: "http.request.tls.client.fingerprint",
    tls_client_issuer: "http.request.tls.client.issuer",
    tls_client_serial: "http.request.tls.client.serial",
    tls_client_subject: "http.request.tls.client.subject",
    tls_client_certificate_pem: "http.request.tls.client.certificate_pem",
    tls_client_certificate_der_base64: "http.request.tls.client.certificate_der_base64",
    upstream_hostport: "http.reverse_proxy.upstream.hostport",
    client_ip: "http.vars.client_ip",
  }),
);

/** The full form of each prefix shorthand, which is the part before the first dot. */
export const prefixShorthands: ReadonlyMap<string, string> = new Map(
  Object.entries({
    header: "http.request.header",
    cookie: "http.request.cookie",
    labels: "http.request.host.labels",
    path: "http.request.uri.path",
    file: "http.request.uri.path.file",
    query: "http.request.uri.query",
    re: "http.regexp",
    vars: "http.vars",
    rp: "http.reverse_proxy",
    resp: "http.intercept",
    err: "http.error",
    file_match: "http.matchers.file",
  }),
);

/** Matches a short placeholder without dots. */
const exactPattern = /\{([a-z_?%0-9]+)\}/g;
/**
 * Matches a short placeholder with a name after its first dot. Only `re`, `rp`, `resp` and `err` allow further dots.
 */
const prefixPattern =
  /\{(?:(?:header|cookie|labels|path|file|query|vars|file_match)\.[\w-]*|(?:re|rp|resp|err)\.[\w.-]*)\}/g;

/**
 * Expands short placeholders: `{host}` becomes `{http.request.host}`. `{header.Host}` becomes
 * `{http.request.header.Host}`; an unknown placeholder `{name}` stays unchanged.
 */
export function expandShorthands(text: string): string {
  if (!text.includes("{")) {
    return text;
  }
  return text
    .replace(exactPattern, (all, name: string) => {
      const long = exactShorthands.get(name);
      return long === undefined ? all : `{${long}}`;
    })
    .replace(prefixPattern, (all) => {
      const dot = all.indexOf(".");
      return `{${prefixShorthands.get(all.slice(1, dot))}${all.slice(dot)}`;
    });
}

/** Expands the short placeholders in the tokens of a site; returns the same list if there are none. */
export function expandTokens(tokens: readonly Token[]): readonly Token[] {
  let expanded: Token[] | undefined;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as Token;
    const text = expandShorthands(token.text);
    if (text !== token.text) {
      expanded ??= [...tokens];
      expanded[index] = { ...token, text };
    }
  }
  return expanded ?? tokens;
}

/** The shorthand of a placeholder, with braces; undefined for a placeholder without a shorthand. */
export function shorthandOf(placeholder: string): string | undefined {
  const bare = placeholder.replace(/^[{}]+|[{}]+$/g, "");
  for (const [short, long] of exactShorthands) {
    if (long === bare) {
      return `{${short}}`;
    }
  }
  return undefined;
}
