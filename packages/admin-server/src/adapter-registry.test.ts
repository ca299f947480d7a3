import fc from "fast-check";
import JSON5 from "json5";
import { AdapterRegistry } from "server-core/adapters/adapter-registry";
import { ServerError } from "server-core/errors";
import { stringify as stringifyToml } from "smol-toml";
import { describe, expect, test } from "vitest";
import { stringify as stringifyYaml } from "yaml";
import { standardAdapters } from "./standard-adapters.ts";

const registry = new AdapterRegistry(standardAdapters);
const adapt = (name: string, text: string, filename?: string) =>
  registry.adapt(name, Buffer.from(text), { filename });

describe("reads", () => {
  test.each([
    ["json5", "// c\n{apps: {http: {grace_period: '10s',}}}", { apps: { http: { grace_period: "10s" } } }],
    ["yaml", "\ufeffapps:\n  http: &h {grace_period: 10s}\n", { apps: { http: { grace_period: "10s" } } }],
    ["x-yaml", "a: &x {n: 1}\nb: {<<: *x, m: 2}", { a: { n: 1 }, b: { n: 1, m: 2 } }],
    ["toml", '[apps.http]\ngrace_period = "10s"', { apps: { http: { grace_period: "10s" } } }],
    ["toml", "at = 2026-01-02T03:04:05Z", { at: "2026-01-02T03:04:05.000Z" }],
    [
      "yaml",
      "a: [9007199254740994, 18446744073709552000, 0x20000000000000, 1.5e17, '9007199254740993']",
      { a: [2 ** 53 + 2, 2 ** 64, 2 ** 53, 1.5e17, "9007199254740993"] },
    ],
    [
      "json5",
      "{ä9007199254740993: -9007199254740994, b: '9007199254740993', c: 9007199254740993.0} // 9007199254740993",
      { ä9007199254740993: -(2 ** 53 + 2), b: "9007199254740993", c: 2 ** 53 },
    ],
    ["yaml", "", null],
    ["toml", "", {}],
  ])("%s %j", async (name, text, expected) => {
    const { result, warnings } = await adapt(name, text);
    expect(result).toEqual(expected);
    expect(warnings).toEqual([]);
  });

  test("the same document out of every format", async () => {
    const documents = fc.dictionary(
      fc.stringMatching(/^[a-z_@]{1,8}$/),
      fc.oneof(
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.array(fc.string()),
        fc.dictionary(fc.string(), fc.string()),
      ),
    );
    const writers: [string, (value: object) => string][] = [
      ["json5", (value) => JSON5.stringify(value)],
      ["yaml", (value) => stringifyYaml(value)],
      ["toml", (value) => stringifyToml(value)],
    ];
    await fc.assert(
      fc.asyncProperty(documents, async (document) => {
        for (const [name, write] of writers) {
          expect((await adapt(name, write(document))).result).toEqual({ ...document });
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe("refuses, naming the place", () => {
  test.each([
    ["json5", "{\n  a: }", "invalid character '}', at line 2, column 6"],
    ["json5", "", "invalid end of input, at line 1, column 1"],
    ["json5", "{a: Infinity}", "Infinity cannot be said in JSON, at line 1, column 5"],
    [
      "json5",
      "{\n a: 'NaN', // NaN\n NaN: 1, b: [-Infinity]}",
      "-Infinity cannot be said in JSON, at line 3, column 14",
    ],
    ["json5", "{a:1}}", "invalid character '}', at line 1, column 6"],
    ["yaml", "a: 1\nb: [", "at line 2, column 5"],
    ["yaml", "a: 1\nb: .nan", "NaN cannot be said in JSON, at line 2, column 4"],
    [
      "yaml",
      "a: &x 1\nb: *x\nc: *y",
      "Unresolved alias (the anchor must be set before the alias): y, at line 3, column 4",
    ],
    ["yaml", "\tb: 1", "Tabs are not allowed as indentation, at line 1, column 1"],
    ["yaml", "a: 1\n---\nb: 1", "multiple documents, and a config is one, at line 2, column 1"],
    ["yaml", "a: 'x", "Missing closing 'quote, at line 1, column 6"],
    ["yaml", "a: 1\na: 2", "Map keys must be unique, at line 2, column 1"],
    [
      "yaml",
      "a: 1\nb: [-9007199254740993]",
      "the integer -9007199254740993 cannot be represented losslessly: numbers are IEEE doubles, at line 2, column 5",
    ],
    [
      "yaml",
      "a: 0x20000000000001",
      "the integer 0x20000000000001 cannot be represented losslessly: numbers are IEEE doubles, at line 1, column 4",
    ],
    [
      "yaml",
      "9007199254740993: a",
      "the integer 9007199254740993 cannot be represented losslessly: numbers are IEEE doubles, at line 1, column 1",
    ],
    [
      "json5",
      "{a: '9007199254740993',\n b: +9007199254740993}",
      "the integer +9007199254740993 cannot be represented losslessly: numbers are IEEE doubles, at line 2, column 5",
    ],
    [
      "json5",
      "[0X20000000000001]",
      "the integer 0X20000000000001 cannot be represented losslessly: numbers are IEEE doubles, at line 1, column 2",
    ],
    ["toml", "a = 1\nb = ", "at line 2, column 5"],
    ["toml", "a = 9007199254740993", "integer value cannot be represented losslessly, at line 1, column 5"],
    ["toml", "a = 'nan' # nan\nb.nan = +inf", "Infinity cannot be said in JSON, at line 2, column 9"],
    ["toml", "a = 1\na = 2", "trying to redefine an already defined table or value, at line 2, column 1"],
    [
      "yaml",
      `a: &a [${"x,".repeat(50)}]\nc: [${"*a,".repeat(1_001)}]`,
      "Excessive alias count indicates a resource exhaustion attack, at line 2",
    ],
    ["yaml", "[".repeat(100_000), "nested too deeply, at line 1, column "],
    [
      "json5",
      "[".repeat(1_500) + "]".repeat(1_500),
      "nested deeper than the limit of 1000 levels, at line 1, column 1001",
    ],
  ])("%s %.40j", async (name, text, message) => {
    const refusal = await adapt(name, text).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ServerError);
    expect(refusal).toMatchObject({ code: "CONFIG_ADAPTER" });
    expect((refusal as Error).message).toContain(`adapting config using ${name} adapter: `);
    expect((refusal as Error).message).toContain(message);
  });

  test("the file is named when there is one", async () => {
    await expect(adapt("json5", "{", "site.json5")).rejects.toThrow("at site.json5, line 1, column 2");
  });

  test("an unknown format, and a text over the limit", async () => {
    await expect(adapt("zzz", "")).rejects.toThrow("unrecognized config adapter 'zzz'");
    await expect(registry.adapt("yaml", new Uint8Array(16 * 1024 * 1024 + 1))).rejects.toThrow(
      "a text of 16777217 bytes is over the limit of 16777216",
    );
  });

  test.each([
    ["json5", `{/*${"9".repeat(8_000_000)}*/ a: "${"\\n".repeat(2_000_000)}",\n b: 9007199254740993}`],
    ["toml", `a = """${"9".repeat(8_000_000)}"""\n    b = inf`],
  ])("%s: a place behind megabytes", async (name, text) => {
    await expect(adapt(name, text)).rejects.toThrow(/, at line 2, column [59]$/);
  });

  test("a word of megabytes is not repeated in full", async () => {
    const error = await adapt("serverfile", `:80 {\n\t${"x".repeat(2_000_000)}\n}\n`).catch(
      (reason) => reason,
    );
    expect(error).toBeInstanceOf(ServerError);
    expect(error.message.length).toBeLessThan(5_000);
    expect(error.message).toMatch(/^adapting config using serverfile adapter: Serverfile:2: .* … x+$/);
  });

  test("no bytes break it", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...registry.names),
        fc.uint8Array({ maxLength: 200 }),
        async (name, bytes) => {
          const outcome = await registry.adapt(name, bytes).catch((error: unknown) => error);
          if (outcome instanceof Error) {
            expect(outcome).toBeInstanceOf(ServerError);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

test("a name may stand once only", () => {
  expect(() => new AdapterRegistry([...standardAdapters, ...standardAdapters])).toThrow("listed twice");
});

test("files are known by their ending", () => {
  expect(
    ["a.yml", "B.YAML", "c.toml", "d.json5", "e.json"].map((file) => registry.nameForFile(file)),
  ).toEqual(["yaml", "yaml", "toml", "json5", undefined]);
});
