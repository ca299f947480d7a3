// Tests the whole site, including the pages for which every process is started.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const out = mkdtempSync(join(tmpdir(), "docs-site-"));
const program = join(import.meta.dirname, "..", "bin", "docs-site.ts");
const startTimeoutMs = 240_000;

beforeAll(() => {
  execFileSync(process.execPath, [program, "--out", out], { encoding: "utf8" });
}, startTimeoutMs);

afterAll(() => {
  rmSync(out, { recursive: true });
});

/** Text of a page, without marks where long names may break. */
function read(path: string): string {
  return readFileSync(join(out, path), "utf8").replaceAll("<wbr>", "");
}

const processes = ["tracing-agent", "tracing-collector", "tracing-query", "tracing-storage"];

test.each([...processes, "admin-server"])("%s: its metrics, with what they mean", (name) => {
  const page = read(`reference/metrics/${name}.html`);
  expect(page).toMatch(
    /<td><code>(tracing|server)_[a-z_]+<\/code><\/td><td>(counter|gauge|histogram|summary)<\/td><td>[A-Z]/,
  );
});

test.each(processes)("%s: its options, with their variables", (name) => {
  const page = read(`reference/options/${name}.html`);
  expect(page).toContain("<code>--admin.http.host-port</code></td><td><code>ADMIN_HTTP_HOST_PORT</code>");
});

test.each([
  ["reference/modules/http.handlers.reverse_proxy.html", "load_balancing.selection_policy"],
  ["reference/modules/http.handlers.rate_limit.html", 'id="example"'],
  ["reference/modules/index.html", 'href="http.matchers.path.html"'],
  ["reference/configuration.html", "<code>admin.listen</code>"],
  ["reference/admin-api.html", 'id="post-load"'],
  ["reference/query-api.html", 'id="get-apitraces"'],
  ["reference/storage-schema.html", "tracing.spans"],
  ["reference/changes.html", '<h2 id="010">0.1.0'],
])("%s", (path, text) => {
  expect(read(path)).toContain(text);
});
