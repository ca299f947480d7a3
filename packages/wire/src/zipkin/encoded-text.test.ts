import { describe, expect, test } from "vitest";
import { maxAttributeDepth } from "../model/attribute.ts";
import { parseEncodedEvent, parseEncodedLink } from "./encoded-text.ts";

const string = (value: string) => ({ type: "string", value }) as const;

describe("parseEncodedEvent", () => {
  test("reads name, attributes of every type, and the count of dropped ones", () => {
    const text =
      'name|{"s":"a|b","i":9007199254740993,"d":0.5,"b":false,"n":null,"a":[1,"x"],"m":{"k":"v"}}|7';
    expect(parseEncodedEvent(text)).toEqual({
      name: "name",
      attributes: [
        { key: "s", value: string("a|b") },
        { key: "i", value: { type: "int", value: 9007199254740993n } },
        { key: "d", value: { type: "double", value: 0.5 } },
        { key: "b", value: { type: "bool", value: false } },
        { key: "n", value: { type: "empty" } },
        { key: "a", value: { type: "array", value: [{ type: "int", value: 1n }, string("x")] } },
        { key: "m", value: { type: "kvlist", value: [{ key: "k", value: string("v") }] } },
      ],
      droppedAttributesCount: 7,
    });
  });

  test.each([
    "plain",
    "a|b",
    "a|b|c",
    "a|{}|",
    "a|{}|-1",
    "a|{}|4294967296",
    "a|{|1",
    "a|[]|1",
    "a|1|1",
    `a|{"k":${"[".repeat(maxAttributeDepth + 1)}${"]".repeat(maxAttributeDepth + 1)}}|0`,
    `a|{"k":${"[".repeat(100_000)}|0`,
  ])("takes %j for a text", (text) => {
    expect(parseEncodedEvent(text)).toBeUndefined();
  });
});

describe("parseEncodedLink", () => {
  const traceId = "0102030405060708090a0b0c0d0e0f10";

  test("reads a link", () => {
    expect(parseEncodedLink(`${traceId.toUpperCase()}|00000000000000b1|a=b|{"k":"v"}|2`)).toEqual({
      traceId,
      spanId: "00000000000000b1",
      traceState: "a=b",
      attributes: [{ key: "k", value: string("v") }],
      droppedAttributesCount: 2,
      flags: 0,
      refType: "none",
    });
  });

  test.each(["|", "a=b|c", "{}|{|}", "|{"])("reads the trace state %j", (traceState) => {
    const text = `${traceId}|00000000000000b1|${traceState}|{"k":"|{}|1"}|0`;
    expect(parseEncodedLink(text)).toMatchObject({
      traceState,
      attributes: [{ key: "k", value: string("|{}|1") }],
    });
  });

  test.each([
    "",
    "a|b",
    `${traceId}|00000000000000b1|a=b|{}`,
    `${traceId}|b1||{}|0`,
    `01|00000000000000b1||{}|0`,
    `${traceId}|00000000000000b1||x|0`,
  ])("takes %j for none", (text) => {
    expect(parseEncodedLink(text)).toBeUndefined();
  });
});
