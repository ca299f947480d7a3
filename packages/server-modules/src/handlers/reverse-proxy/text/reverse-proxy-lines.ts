import { isJsonArray, isJsonObject, type JsonValue } from "server-core/json/json-value";
import { duration, fieldLines } from "serverfile/to-text/lines/field-lines";
import { joined, type Line, line, lineWith, type Word } from "serverfile/to-text/lines/line";
import type { Members } from "serverfile/to-text/members";
import type { HandlerWriter, WriteContext, Written } from "serverfile/to-text/routes/handler-writer";
import { headerOperations } from "../../headers/headers-lines.ts";
import { ResponseBlocks } from "../../intercept/response-blocks.ts";
import { dynamicUpstreamWords } from "./dynamic-upstream-lines.ts";
import { proxyFields } from "./reverse-proxy-fields.ts";
import { transportLine } from "./transport-lines.ts";
import { dialsOf, type UpstreamScheme, withScheme } from "./upstream-words.ts";

/** A policy with its arguments: `lb_policy cookie lb secret`. A fallback is written in the block. */
function policyLine(policy: Members, name: string): Line {
  const kind = policy.text("policy") ?? "";
  const words: Word[] = [name, kind];
  const lines: Line[] = [];
  for (const key of ["field", "key", "name"]) {
    const word = policy.text(key);
    if (word !== undefined) {
      words.push(word);
    }
  }
  const secret = policy.text("secret");
  if (secret !== undefined) {
    words.push(...(words.length === 2 ? ["", secret] : [secret]));
  }
  words.push(...(policy.list("weights") ?? []).map(String));
  const choose = policy.number("choose");
  if (choose !== undefined || kind === "random_choose") {
    words.push(`${choose ?? 0}`);
  }
  if ((kind === "query" || kind === "header") && words.length === 2) {
    words.push("");
  }
  lines.push(...fieldLines(policy, { max_age: duration("max_age") }));
  const fallback = policy.child("fallback");
  if (fallback !== undefined) {
    lines.push(policyLine(fallback, "fallback"));
  }
  return lineWith(words, lines);
}

/** Lines of `load_balancing` that `proxyFields` does not write. */
function balancingLines(handler: Members, { matcherLines }: WriteContext): Line[] {
  const load = handler.child("load_balancing");
  const policy = load?.child("selection_policy");
  const lines = policy === undefined ? [] : [policyLine(policy, "lb_policy")];
  for (const [index, set] of (load?.list("retry_match") ?? []).entries()) {
    const conditions = matcherLines(set, `${load?.pathOf("retry_match")}/${index}`, "");
    const [only] = conditions;
    lines.push(
      conditions.length === 1 && only !== undefined
        ? { ...only, words: ["lb_retry_match", ...only.words] }
        : lineWith(["lb_retry_match"], conditions),
    );
  }
  return lines;
}

/** Writes the block `health_headers`. */
function healthHeaderLines(handler: Members): Line[] {
  const checks = handler.look("health_checks") === undefined ? undefined : handler.child("health_checks");
  const check = checks?.look("active") === undefined ? undefined : checks?.child("active");
  const headers = check?.look("headers") === undefined ? undefined : check?.child("headers");
  if (headers === undefined) {
    return [];
  }
  return [
    { words: ["health_headers"], block: headers.keys.map((key) => line(key, ...(headers.texts(key) ?? []))) },
  ];
}

/** Lines `header_up` and `header_down`. */
function headerLines(handler: Members): Line[] {
  const headers = handler.child("headers");
  const lines: Line[] = [];
  for (const [which, name] of [
    ["request", "header_up"],
    ["response", "header_down"],
  ] as const) {
    const operations = headers?.child(which);
    if (operations !== undefined) {
      lines.push(...headerOperations(operations).map((words) => line(name, ...words)));
    }
  }
  return lines;
}

/** The upstream scheme that implies exactly this transport; "" when no scheme does. */
function schemeOf(transport: JsonValue | undefined): UpstreamScheme {
  if (!isJsonObject(transport) || transport.protocol !== "http") {
    return "";
  }
  if (isJsonArray(transport.versions) && transport.versions.join() === "h2c,2") {
    return transport.tls === undefined ? "h2c" : "";
  }
  return transport.tls === undefined ? "" : "https";
}

/**
 * Writes the upstreams and lines of a proxy.
 * @param handler config of the handler, without the member `handler` and without members that the directive implies
 * @param writesTransport true when the directive has its own line for the transport
 * @param answers the entries of `handle_response` to write
 */
export function proxyParts(
  handler: Members,
  context: WriteContext,
  writesTransport = true,
  answers = handler.children("handle_response") ?? [],
): Omit<Written, "directive"> {
  const dials = dialsOf(handler);
  const scheme = writesTransport ? schemeOf(handler.look("transport")) : "";
  const schemed = dials.map((dial) => withScheme(dial, scheme));
  const usesScheme = dials.length > 0 && schemed.every((each) => each !== undefined);
  const words = usesScheme ? schemed.filter((each) => each !== undefined) : dials;
  const lines: Line[] = [];
  const dynamic = handler.child("dynamic_upstreams");
  if (dynamic !== undefined) {
    lines.push(dynamicUpstreamWords(dynamic, ["dynamic"]));
  }
  lines.push(
    ...balancingLines(handler, context),
    ...fieldLines(handler, proxyFields),
    ...healthHeaderLines(handler),
    ...headerLines(handler),
  );
  const transport = writesTransport ? handler.child("transport") : undefined;
  if (transport !== undefined) {
    lines.push(...transportLine(transport, usesScheme ? scheme : ""));
  }
  const responses = new ResponseBlocks(answers, context);
  const isShort = lines.length === 0 && responses.lines.length === 0;
  return { words, block: isShort ? undefined : joined(lines, responses), blocks: [responses] };
}

/** Fields that `forward_auth` sets automatically. */
const forwarded = { "X-Forwarded-Method": "{http.request.method}", "X-Forwarded-Uri": "{http.request.uri}" };

/** The names in `copy_headers` of `forward_auth`; undefined when the routes have a different form. */
function copiedHeaders(routes: JsonValue | undefined): string[] | undefined {
  if (!isJsonArray(routes) || JSON.stringify(routes[0]) !== '{"handle":[{"handler":"vars"}]}') {
    return undefined;
  }
  const names: string[] = [];
  for (let at = 1; at < routes.length; at += 2) {
    const text = JSON.stringify(routes[at + 1] ?? null);
    const [, name = "", from = ""] =
      /"set":\{"([^"\\]*)":\["\{http\.reverse_proxy\.header\.([^"\\}]*)\}"\]/.exec(text) ?? [];
    if (from === "" || JSON.stringify(routes[at]) === undefined) {
      return undefined;
    }
    // The adapter sorts the names by their spelling in the text, upper case first, and canonicalizes them afterwards.
    const before = names.at(-1)?.split(">")[0] ?? "";
    const written = before < from ? from : from.toLowerCase();
    names.push(name === from ? written : `${written}>${name}`);
  }
  return names;
}

/** Writes `forward_auth` if the proxy has the form of this directive; undefined otherwise. */
function forwardAuth(handler: Members, context: WriteContext): Written | undefined {
  const [rewrite, headers, responses] = ["rewrite", "headers", "handle_response"].map((key) =>
    handler.look(key),
  );
  const request = isJsonObject(headers) ? headers.request : undefined;
  const set = isJsonObject(request) && isJsonObject(request.set) ? request.set : {};
  const first = isJsonArray(responses) ? responses[0] : undefined;
  const names =
    isJsonObject(first) && JSON.stringify(first.match) === '{"status_code":[2]}'
      ? copiedHeaders(first.routes)
      : undefined;
  const asks =
    isJsonObject(rewrite) &&
    Object.keys(rewrite).length === 2 &&
    typeof rewrite.method === "string" &&
    typeof rewrite.uri === "string" &&
    Object.keys(forwarded).every((name) => set[name] !== undefined);
  if (names === undefined || !asks || !isJsonArray(responses)) {
    return undefined;
  }
  const uri = handler.child("rewrite")?.text("uri") ?? "";
  // The values that the directive sets automatically are removed, unless other lines changed them.
  if (rewrite.method === "GET") {
    handler.child("rewrite")?.take("method");
  }
  const own = handler.child("headers")?.child("request")?.child("set");
  for (const [name, value] of Object.entries(forwarded)) {
    if (JSON.stringify(set[name]) === JSON.stringify([value])) {
      own?.take(name);
    }
  }
  const list = handler.children("handle_response")?.slice(1) ?? [];
  const copies = names.length === 0 ? [] : [line("copy_headers", ...names)];
  const { words, block = [], blocks = [] } = proxyParts(handler, context, true, list);
  return { directive: "forward_auth", words, block: joined([line("uri", uri), ...copies], block), blocks };
}

/** Writes `reverse_proxy` or `forward_auth`. */
export const reverseProxy: HandlerWriter = (handler, context) =>
  forwardAuth(handler, context) ?? { directive: "reverse_proxy", ...proxyParts(handler, context) };
