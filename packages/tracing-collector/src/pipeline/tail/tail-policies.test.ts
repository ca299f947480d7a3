import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseTailPolicies, readTailPolicies } from "./tail-policies.ts";

describe("parseTailPolicies", () => {
  test("fills in names and defaults", () => {
    const policies = parseTailPolicies(
      {
        policies: [
          { type: "error" },
          { type: "latency", name: "slow", threshold: "1.5s", services: ["shop"] },
          { type: "attribute", key: "tier", values: ["gold", 1, true] },
          { type: "rate", "traces-per-minute": 5 },
          { type: "probability", ratio: 0.25 },
        ],
      },
      "x",
    );
    expect(policies).toEqual([
      { type: "error", name: "error" },
      { type: "latency", name: "slow", threshold: 1500, of: "trace", services: ["shop"] },
      { type: "attribute", name: "attribute", key: "tier", values: ["gold", "1", "true"] },
      { type: "rate", name: "rate", "traces-per-minute": 5, per: "service" },
      { type: "probability", name: "probability", ratio: 0.25 },
    ]);
  });

  test.each<[unknown, RegExp]>([
    [null, /the document: /],
    [{}, /policies: /],
    [{ policies: [] }, /policies: /],
    [{ policies: [{ type: "errors" }] }, /policies\.0\.type: /],
    [{ policies: [{ type: "error", service: "x" }] }, /policies\.0: Unrecognized key: "service"/],
    [{ policies: [{ type: "latency" }] }, /policies\.0\.threshold: /],
    [
      { policies: [{ type: "latency", threshold: "fast" }] },
      /"fast" is not a duration such as 300ms or 1\.5s/,
    ],
    [{ policies: [{ type: "probability", ratio: 2 }] }, /policies\.0\.ratio: /],
    [{ policies: [{ type: "rate", "traces-per-minute": 0 }] }, /policies\.0\.traces-per-minute: /],
    [
      { policies: [{ type: "error" }, { type: "error" }] },
      /two policies are called error: give them a name each/,
    ],
    [{ policies: Array.from({ length: 31 }, () => ({ type: "error" })) }, /policies: /],
  ])("refuses %j, naming the place", (document, message) => {
    expect(() => parseTailPolicies(document, "file.yaml")).toThrow(message);
    expect(() => parseTailPolicies(document, "file.yaml")).toThrow(
      /^option --sampling\.tail\.policies-file: file\.yaml: /,
    );
  });
});

describe("readTailPolicies", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "policies-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test("reads YAML and JSON", async () => {
    const path = join(folder, "p");
    await writeFile(path, "policies:\n  - type: error # all\n");
    expect(await readTailPolicies(path)).toEqual([{ type: "error", name: "error" }]);
    await writeFile(path, '{"policies": [{"type": "error"}]}');
    expect(await readTailPolicies(path)).toEqual([{ type: "error", name: "error" }]);
  });

  test.each([
    ["a file that is not there", undefined, /cannot be read: ENOENT/],
    ["what is no YAML", "policies: [", /is not YAML or JSON: /],
    ["a file over the limit", `# ${"x".repeat(1024 * 1024)}`, /over the limit of 1048576/],
  ])("refuses %s", async (_, text, message) => {
    const path = join(folder, "p");
    if (text !== undefined) {
      await writeFile(path, text);
    }
    await expect(readTailPolicies(path)).rejects.toThrow(message);
  });
});
