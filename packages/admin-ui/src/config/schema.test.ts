import { expect, test } from "vitest";
import type { JsonValue } from "../api/json-value.ts";
import { findFaults, valueFault } from "./find-faults.ts";
import { firstValue } from "./first-value.ts";
import { type ConfigSchema, SchemaReader } from "./schema.ts";

/** As the server's own: modules named by a member, fields that may be null, a schema that holds itself. */
const schema: ConfigSchema = {
  anyOf: [
    {
      type: "object",
      properties: {
        port: {
          description: "Where.",
          anyOf: [{ type: "integer", minimum: 1, maximum: 65_535 }, { type: "null" }],
        },
        wait: { type: ["number", "string", "null"] },
        on: { type: ["boolean", "null"] },
        level: { enum: ["low", "high"] },
        handle: {
          anyOf: [{ type: "array", items: { $ref: "#/$defs/one:handlers" } }, { type: "null" }],
        },
        servers: {
          type: "object",
          additionalProperties: { type: "object", properties: { a: { type: "string" } } },
        },
      },
      additionalProperties: false,
    },
    { type: "null" },
  ],
  $defs: {
    "one:handlers": {
      type: "object",
      required: ["handler"],
      properties: { handler: { enum: ["say", "nest"] } },
      oneOf: [{ $ref: "#/$defs/say" }, { $ref: "#/$defs/nest" }],
    },
    say: {
      type: "object",
      description: "Says something.",
      required: ["handler", "text"],
      properties: { handler: { const: "say" }, text: { type: "string", description: "What." } },
      additionalProperties: false,
    },
    nest: {
      type: "object",
      required: ["handler"],
      properties: {
        handler: { const: "nest" },
        routes: { type: "array", items: { $ref: "#/$defs/one:handlers" } },
      },
      additionalProperties: false,
    },
  },
};
const reader = new SchemaReader(schema);
const faults = (document: JsonValue) => findFaults(reader, document, schema);

test("a place says what it is for, and its fields", () => {
  const top = reader.at({}, "");
  expect([...top.fields.keys()]).toEqual(["port", "wait", "on", "level", "handle", "servers"]);
  expect(reader.at({ port: 1 }, "/port")).toMatchObject({
    description: "Where.",
    minimum: 1,
    maximum: 65_535,
  });
  expect([...reader.at({}, "/wait").types]).toEqual(["number", "string"]);
});

test("the module that is named decides about the fields; all names are offered", () => {
  const document = {
    handle: [{ handler: "say", text: "hi" }, { handler: "nest", routes: [{ handler: "say" }] }, {}],
  };
  const say = reader.at(document, "/handle/0");
  expect([...say.fields.keys()]).toEqual(["handler", "text"]);
  expect(say.description).toBe("Says something.");
  expect(reader.at(document, "/handle/0/handler").choices).toEqual(["say", "nest"]);
  expect([...reader.at(document, "/handle/1/routes/0").fields.keys()]).toEqual(["handler", "text"]);
  expect([...reader.at(document, "/handle/2").fields.keys()]).toEqual(["handler"]);
});

test("names of one's own choice have a schema too", () => {
  expect([...reader.at({ servers: { x: {} } }, "/servers/x").fields.keys()]).toEqual(["a"]);
});

test("a good document has no faults; null is not set", () => {
  expect(
    faults({
      port: 80,
      wait: "5s",
      on: null,
      level: "low",
      handle: [{ handler: "say", text: "" }],
      servers: {},
    }),
  ).toEqual([]);
  expect(faults(null)).toEqual([]);
});

test.each<[string, JsonValue, string, RegExp]>([
  ["a wrong type", { port: "80" }, "/port", /must be a whole number, and is a text/],
  ["a fraction", { port: 1.5 }, "/port", /whole number/],
  ["too much", { port: 70_000 }, "/port", /65535 or less/],
  ["too little", { port: 0 }, "/port", /1 or more/],
  ["no choice", { level: "mid" }, "/level", /must be one of: low, high/],
  ["an unknown field", { prot: 1 }, "/prot", /is no field/],
  [
    "an unknown field of a module",
    { handle: [{ handler: "say", text: "", x: 1 }] },
    "/handle/0/x",
    /is no field/,
  ],
  ["a field that is missing", { handle: [{ handler: "say" }] }, "/handle/0/text", /is missing/],
  ["no such module", { handle: [{ handler: "shout" }] }, "/handle/0/handler", /must be one of/],
  ["a list for an object", { servers: [] }, "/servers", /must be an object, and is a list/],
])("%s", (_, document, path, message) => {
  expect(faults(document)).toEqual([{ path, message: expect.stringMatching(message) }]);
});

test("faults are bounded", () => {
  const document = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x${index}`, 1]));
  expect(faults(document)).toHaveLength(100);
});

test("what is added begins with the least that the schema allows", () => {
  const first = (name: string) =>
    firstValue(reader, reader.place(reader.at({}, "").fields.get(name) ?? {}, undefined));
  expect(["port", "wait", "on", "level", "handle", "servers"].map(first)).toEqual([
    1,
    "",
    true,
    "low",
    [],
    {},
  ]);
  const element = reader.at({ handle: [] }, "/handle").items;
  expect(firstValue(reader, reader.place(element ?? {}, undefined))).toEqual({ handler: "say" });
});

test("without a schema everything goes", () => {
  const bare = new SchemaReader({});
  expect(valueFault(bare.at({ x: 1 }, "/x"), 1)).toBeUndefined();
  expect(findFaults(bare, { x: [{ y: null }] }, {})).toEqual([]);
});
