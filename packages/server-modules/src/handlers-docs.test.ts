import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { locationFile } from "server-core/testing/location-file";
import { afterAll, expect, test } from "vitest";
import { provisionHandler, provisionMatcher } from "../../admin-server/src/testing/provision-module.ts";
import { RunningServer } from "../../admin-server/src/testing/running-server.ts";
import { standardModules } from "./standard.ts";

const docs = readFileSync(new URL("../../../docs/handlers.md", import.meta.url), "utf8");

const examples = [...docs.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = ""]) => JSON.parse(text));
const handlers = examples.filter((example) => "handler" in example);
const documents = examples.filter((example) => !("handler" in example));
const matchers = [...docs.matchAll(/^\| `(\w+)` \| `(.*?)` \|/gm)].map(([, name = "", text = ""]) => ({
  name,
  config: JSON.parse(text) as unknown,
}));

const folder = mkdtempSync(join(tmpdir(), "handlers-docs-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The config with a database that is there in place of the reader's. */
function withDatabase(config: unknown): unknown {
  const file = join(folder, "test.mmdb");
  writeFileSync(file, locationFile({}));
  return JSON.parse(JSON.stringify(config).replace(/"db_path":".*?"/, `"db_path":${JSON.stringify(file)}`));
}

const namesOf = (namespace: string) =>
  standardModules
    .map(({ id }) => id)
    .filter((id) => id.startsWith(`${namespace}.`))
    .map((id) => id.slice(namespace.length + 1));

test.each(handlers)("$handler is provisioned as the page shows it", async ({ handler, ...config }) => {
  const apps = { crowdsec: {} }; // the page shows it before the handlers that need it
  expect(await provisionHandler(handler, config, apps)).toHaveProperty("handle");
});

test.each(matchers)("$name is provisioned as the page shows it", async ({ name, config }) => {
  expect(await provisionMatcher(name, withDatabase(config))).toHaveProperty("matches");
});

test("a whole config of the page is a valid one", async () => {
  const server = await RunningServer.start();
  try {
    for (const document of documents) {
      expect((await server.admin("POST", "/validate", document)).status).toBe(200);
    }
  } finally {
    await server.close();
  }
});

/** Shown where the rest of what they belong to is: inside `handle_response` of the proxy, and with the authority. */
const shownElsewhere = new Set(["copy_response", "copy_response_headers", "acme_server"]);

test("no handler and no matcher is missing on the page", () => {
  const shown = new Set(handlers.map(({ handler }) => String(handler)));
  expect(namesOf("http.handlers").filter((name) => !shown.has(name) && !shownElsewhere.has(name))).toEqual(
    [],
  );
  expect(namesOf("http.matchers").filter((name) => !matchers.some((each) => each.name === name))).toEqual([]);
});
