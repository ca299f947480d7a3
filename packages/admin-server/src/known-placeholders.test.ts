// The server gives a value to every placeholder that the adapter, its shorthands or the documentation use.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { knowsPlaceholder } from "http-engine/placeholders";
import { exactShorthands, expandShorthands, prefixShorthands } from "serverfile/values/shorthands";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Source: Caddy 2.11, reverseproxy.go */
const proxied =
  /^http\.reverse_proxy\.(?:duration|duration_ms|retries|status_code|status_text|header\..+|is_transport_error|upstream\.(?:address|hostport|host|port|requests|max_requests|fails|latency|latency_ms|duration|duration_ms))$/;
/** Names in which matchers and handlers store values, as in the model. */
const found =
  /^http\.(?:matchers\.file\.(?:relative|absolute|type|remainder)|intercept\.(?:status_code|header\..+)|regexp\..+|url_pattern\..+|auth\.(?:user\..+|\w+\.error))$/;
/** Filled in elsewhere than in a request: authorities, health checks, events, lines of the access log. */
const elsewhere =
  /^(?:pki\.ca\.name|http\.reverse_proxy\.active\.target_upstream|event(?:\.(?:id|name|time|time_unix|module|data(?:\..+)?))?|http\.response\.(?:body|body_base64))$/;

function isKnown(name: string): boolean {
  if (elsewhere.test(name)) {
    return true;
  }
  if (name.startsWith("http.reverse_proxy.")) {
    return proxied.test(name);
  }
  return /^http\.(?:matchers|intercept|regexp|url_pattern|auth)\./.test(name)
    ? found.test(name)
    : knowsPlaceholder(name);
}

/**
 * Names in braces in the server's namespaces; `<name>` stands for any name. Whole namespaces such as `http.error.*` are
 * left out.
 */
function namesIn(text: string): string[] {
  const names = text.matchAll(/(?<!\$)\{((?:http|system|time|env|file|pki|event)\.[^{}\s"'`$,()]+)\}/g);
  return [...names]
    .map(([, name = ""]) => name.replace(/<[^>]*>/g, "x"))
    .filter((name) => !name.endsWith("*"));
}

function filesBelow(folder: string, ending: RegExp): string[] {
  // Not "recursive", which follows the links in node_modules.
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== "node_modules") {
      return filesBelow(path, ending);
    }
    return entry.isFile() && ending.test(entry.name) ? [join(root, path)] : [];
  });
}

test("those of the shorthands", () => {
  const long = [...exactShorthands.values(), ...[...prefixShorthands.values()].map((start) => `${start}.0`)];
  const special = { "http.matchers.file.0": "http.matchers.file.relative", "http.error.0": "http.error.id" };
  const names = long
    .map((name) => (special as Record<string, string>)[name] ?? name)
    .map((name) => name.replace(/^(http\.(?:reverse_proxy|intercept))\.0$/, "$1.header.X"))
    .map((name) => name.replace("uri.path.file.0", "uri.path.file.ext"));
  expect(names.length).toBeGreaterThan(40);
  expect(names.filter((name) => !isKnown(name))).toEqual([]);
});

test.each([
  ["the adapter", filesBelow("packages/serverfile/src", /(?<!\.test)\.ts$/)],
  [
    "the other packages of the server",
    ["admin-server", "certificates", "http-engine", "server-core", "server-modules"].flatMap((name) =>
      filesBelow(`packages/${name}/src`, /(?<!\.test)\.ts$/),
    ),
  ],
  ["expected adaptations", filesBelow("packages/serverfile/src/golden", /./)],
  [
    "documentation",
    [join(root, "README.md"), ...filesBelow("docs", /\.md$/), ...filesBelow("changelog.d", /\.md$/)],
  ],
  [
    "images and examples",
    [
      ...filesBelow("docker", /./),
      ...filesBelow("deploy", /\.ya?ml$/),
      ...filesBelow("examples", /Serverfile|\.json$/),
    ],
  ],
])("those of %s", (_name, files) => {
  const unknown = files.flatMap((file) =>
    namesIn(file.endsWith(".ts") ? readFileSync(file, "utf8") : expandShorthands(readFileSync(file, "utf8")))
      .filter((name) => !isKnown(name))
      .map((name) => `${file.slice(root.length)}: ${name}`),
  );
  expect(files.length).toBeGreaterThan(2);
  expect(unknown).toEqual([]);
});

test("a name that nobody gives a value is found out", () => {
  const text =
    "{http.request.orig_uri.path.nope} {http.request.nope} {http.reverse_proxy.nope} {time.now.nope}";
  expect(namesIn(text).filter(isKnown)).toEqual([]);
});
