import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, respond, siteConfig } from "../testing/running-server.ts";

const docs = fileURLToPath(new URL("../../../../docs/", import.meta.url));

/** Every config that the documents show: JSON blocks with a member that only configs have. */
function configsOfTheDocs(): [string, unknown][] {
  const found: [string, unknown][] = [];
  for (const file of readdirSync(docs).filter((name) => name.endsWith(".md"))) {
    const text = readFileSync(`${docs}${file}`, "utf8");
    for (const [, block = ""] of text.matchAll(/^```json\n([\s\S]*?)^```/gm)) {
      try {
        const value = JSON.parse(block) as object;
        if (["apps", "admin", "logging", "storage"].some((key) => Object.hasOwn(value, key))) {
          found.push([`${file}: ${block.slice(0, 60).replace(/\s+/g, " ")}`, value]);
        }
      } catch {
        // several answers in one block, or a part of one
      }
    }
  }
  return found;
}

let running: RunningServer;
let validate: ValidateFunction;
beforeAll(async () => {
  running = await RunningServer.start();
  const answer = await running.admin("GET", "/config/schema");
  expect(answer.headers["content-type"]).toBe("application/schema+json");
  const schema = JSON.parse(answer.text) as object;
  validate = new Ajv2020({
    formats: { uri: true },
    strict: true,
    strictTypes: false,
    allErrors: false,
  }).compile(schema);
});
afterAll(() => running.close());

const configs = configsOfTheDocs();
test("the docs show configs", () => {
  expect(configs.length).toBeGreaterThan(5);
});

describe("takes", () => {
  test.each([
    ...configs,
    ["nothing", null],
    [
      "ids anywhere",
      siteConfig({ "@id": "r", match: [{ "@id": 7, path: ["/x"] }], ...(respond("x") as object) }),
    ],
    [
      "durations of both forms",
      { apps: { http: { grace_period: 5e9, servers: { s: { idle_timeout: "1m" } } } } },
    ],
  ])("%s", (_, config) => {
    expect(validate(config) || validate.errors).toBe(true);
  });
});

describe("refuses", () => {
  test.each<[string, unknown]>([
    ["an unknown field", { zz: 1 }],
    ["an unknown app", { apps: { nope: {} } }],
    ["an unknown field of a route", siteConfig({ rutes: [] })],
    ["an unknown handler", siteConfig({ handle: [{ handler: "nope" }] })],
    ["a handler without its name", siteConfig({ handle: [{ body: "x" }] })],
    ["an unknown field of a handler", siteConfig({ handle: [{ handler: "static_response", boddy: "x" }] })],
    ["an unknown matcher", siteConfig({ match: [{ nope: [] }] })],
    ["a matcher of another type", siteConfig({ match: [{ path: "/x" }] })],
    ["a fault in a route of a route", siteConfig({ handle: [{ handler: "subroute", routes: [{ zz: 1 }] }] })],
  ])("%s, as the server does", async (_, config) => {
    expect(validate(config)).toBe(false);
    expect((await running.admin("POST", "/validate", config)).status).toBe(400);
  });
});

test("each module has its own", async () => {
  const answer = await running.admin("GET", "/config/schema/http.handlers.subroute");
  const schema = JSON.parse(answer.text) as { title: string };
  expect(schema.title).toBe("http.handlers.subroute");
  const subroute = new Ajv2020({ strictTypes: false, formats: { uri: true } }).compile(schema);
  expect(subroute({ routes: [{ handle: [{ handler: "static_response", body: "x" }] }] })).toBe(true);
  expect(subroute({ routes: [{ handle: [{ handler: "static_response", body: 1 }] }] })).toBe(false);
});

test("unknown modules, and other methods", async () => {
  expect(await running.admin("GET", "/config/schema/http.handlers.nope")).toMatchObject({
    status: 404,
    error: "unknown module: http.handlers.nope",
  });
  expect((await running.admin("POST", "/config/schema", {})).status).toBe(405);
});
