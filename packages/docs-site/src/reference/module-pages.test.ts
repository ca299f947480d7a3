import { expect, test } from "vitest";
import { modulePages } from "./module-pages.ts";

const text = { type: "string" };
const schema = {
  properties: { apps: { $ref: "#/$defs/map:" } },
  $defs: {
    "map:": { type: "object" },
    http: {
      type: "object",
      description: "Serves | things.",
      properties: {
        servers: {
          type: "object",
          additionalProperties: { type: "object", properties: { listen: { type: "array", items: text } } },
        },
      },
    },
    "inline:http.handlers.one:handler": {
      type: "object",
      required: ["handler", "next"],
      properties: {
        handler: { const: "one" },
        "@id": text,
        next: { $ref: "#/$defs/one:http.handlers:handler", description: "What follows." },
        broken: { $ref: "#/$defs/one:http.none:type" },
        times: { anyOf: [{ type: "integer" }, { type: "null" }], description: "How often | at most." },
      },
    },
    "http.matchers.path": { type: "array", items: text },
  },
};
const examples = new Map([["http.handlers.one", "So:\n\n```json\n{}\n```"]]);
const pages = new Map(modulePages(schema, examples).map(({ path, markdown }) => [path, markdown]));

test("Each module has a page, and the list has all of them by namespace", () => {
  expect([...pages.keys()]).toEqual([
    "reference/configuration.md",
    "reference/modules/index.md",
    "reference/modules/http.md",
    "reference/modules/http.handlers.one.md",
    "reference/modules/http.matchers.path.md",
  ]);
  expect(pages.get("reference/modules/index.md")).toContain(
    "## apps\n\n- [http](http.md): Serves \\| things.",
  );
  expect(pages.get("reference/modules/index.md")).toContain("## http.matchers\n\n- [http.matchers.path](");
});

test("A module's page says how it is named, and its fields: nested ones, lists, what is needed", () => {
  const page = pages.get("reference/modules/http.handlers.one.md") ?? "";
  expect(page).toContain('Named by `"handler": "one"`, one of [http.handlers](index.md#httphandlers).');
  expect(page).toContain(
    "| `next` | one of [http.handlers](index.md#httphandlers) | **needed**; What follows. |",
  );
  expect(page).toContain("| `broken` | one of http.none, of which there is none yet |  |");
  expect(page).toContain("| `times` | integer | How often \\| at most. |");
  expect(page).not.toContain("@id");
  expect(pages.get("reference/modules/http.md")).toContain("| `servers.*.listen` | list of string |  |");
  expect(pages.get("reference/modules/http.matchers.path.md")).toContain("Takes: list of string.");
});

test("An example stands at the end of its module's page, and of no other", () => {
  expect(pages.get("reference/modules/http.handlers.one.md")).toMatch(
    /\|\n\n## Example\n\nSo:\n\n```json\n{}\n```\n$/,
  );
  expect([...pages.values()].filter((page) => page.includes("## Example"))).toHaveLength(1);
});
