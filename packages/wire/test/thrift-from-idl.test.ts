// Field numbers and enum values come only from idl/*.thrift: readers and writers of a copy use its other numbers.
import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { thriftSource } from "../build/thrift-source.ts";
import { Batch } from "../src/gen/thrift/tracing.ts";
import { Span as ZipkinSpan } from "../src/gen/thrift/zipkincore.ts";
import type { ThriftField, ThriftStruct } from "../src/thrift/thrift-descriptors.ts";
import { explained, fullBatch, fullZipkinSpan, messages, readAs } from "./thrift-both-ways.ts";

const packageFolder = fileURLToPath(new URL("..", import.meta.url));
const idlFolder = fileURLToPath(new URL("../../../idl/", import.meta.url));
const kinds = Object.keys(messages());

/** An IDL with the same meaning, in which field 1 becomes 30, field 2 becomes 29 and so on, and enums count from 40. */
function moved(text: string): string {
  return text
    .replace(
      /(^|\()(\s*)(\d+):/gm,
      (_, before: string, space: string, id: string) => `${before}${space}${31 - Number(id)}:`,
    )
    .replace(/(enum \w+ \{ *)(\w+)/g, "$1$2 = 40");
}

/** The fields of a struct, and of all structs in it, that are absent in `values`. */
function missing(struct: ThriftStruct, values: object): string[] {
  return Object.values<ThriftField>(struct.fields).flatMap((field) => {
    const found = (values as Readonly<Record<string, unknown>>)[field.member];
    if (found === undefined) {
      return [field.label];
    }
    const { struct: inner } = field;
    if (inner === undefined) {
      return [];
    }
    return Array.isArray(found) && inner.name === "Tag"
      ? missing(inner, Object.assign({}, ...found))
      : missing(inner, Array.isArray(found) ? found[0] : found);
  });
}

test("the messages of this test have every field", () => {
  expect([...missing(Batch, fullBatch), ...missing(ZipkinSpan, fullZipkinSpan)]).toEqual([]);
});

describe("a copy of the package whose IDL has other numbers", () => {
  let folder = "";
  let copy: { written: Record<string, string>; read: Record<string, string>; explained: string };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "wire-idl-"));
    const filter = (path: string) => !/\.test\.ts$|\.json$|fixtures/.test(path);
    for (const name of ["src", "build"]) {
      cpSync(join(packageFolder, name), join(folder, name), { recursive: true, filter });
    }
    mkdirSync(join(folder, "test"));
    cpSync(join(packageFolder, "test/thrift-both-ways.ts"), join(folder, "test/thrift-both-ways.ts"));
    symlinkSync(join(packageFolder, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    mkdirSync(join(folder, "idl"));
    for (const name of readdirSync(idlFolder)) {
      writeFileSync(join(folder, "idl", name), moved(readFileSync(join(idlFolder, name), "utf8")));
    }
    rmSync(join(folder, "src/gen/thrift"), { recursive: true });
    const run = promisify(execFile);
    await run(process.execPath, ["build/generate-thrift.ts", "idl", "src/gen/thrift"], { cwd: folder });
    const { stdout } = await run(process.execPath, ["test/thrift-both-ways.ts"], { cwd: folder });
    copy = JSON.parse(stdout);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(kinds)("writes %s otherwise, and reads back the same", (kind) => {
    const own = messages()[kind as keyof ReturnType<typeof messages>];
    expect(copy.written[kind]).not.toBe(own.toString("hex"));
    const read = readAs(kind, own);
    expect(read).toContain("shop");
    expect(copy.read[kind]).toBe(read);
    // Our reader and the reader of the copy disagree, because both have only the numbers of their IDL.
    expect(readAs(kind, Buffer.from(copy.written[kind] ?? "", "hex"))).not.toContain("shop");
  });

  test("explains errors with its own numbers", () => {
    expect(explained()).toMatch(/error reading field 1: unexpected EOF$/);
    expect(copy.explained).toMatch(/error reading field 30: unexpected EOF$/);
  });
});

describe("the generator", () => {
  test("writes a struct as a type and a descriptor", () => {
    const source = thriftSource(
      "x.thrift",
      "# One.\nstruct One {\n  # Of it.\n  4: required i64 the_id\n  2: optional list<binary> parts\n}\n",
      "I64",
    );
    expect(source.split("\n")).toEqual([
      "// Generated from idl/x.thrift. Not edited by hand.",
      'import type { ThriftStruct } from "../../thrift/thrift-descriptors.ts";',
      'import type { I64 } from "../../thrift/i64.ts";',
      "",
      "/** One. */",
      "export interface One {",
      "  /** Of it. */",
      "  readonly theId: I64;",
      "  readonly parts?: readonly Buffer[] | undefined;",
      "}",
      "export const One = {",
      '  name: "One",',
      "  requiredBits: 16,",
      "  fields: {",
      '    theId: { id: 4, name: "the_id", member: "theId", label: "One.the_id", type: 6, isRequired: true },',
      '    parts: { id: 2, name: "parts", member: "parts", label: "One.parts", type: 9, isRequired: false, elementType: 8 },',
      "  },",
      "} as const satisfies ThriftStruct;",
      "",
    ]);
  });

  test.each([
    ["struct A {\n  1: i32 a\n  1: i32 b\n}", "idl/x.thrift:1: two fields of A have one id"],
    ["struct A {\n  31: i32 a\n}", "idl/x.thrift:2: field id 31 is not within 1 to 30"],
    ["struct A {\n  1: B b\n}\nstruct B {}", "idl/x.thrift:2: B is not declared above"],
    ["struct A {\n  1: map<i32, i32> a\n}", "idl/x.thrift:2: the type Map is not generated yet"],
    ["union A {\n  1: i32 a\n}", "idl/x.thrift:1: Union is not generated yet"],
  ])("refuses %j", (text, message) => {
    expect(() => thriftSource("x.thrift", text, "bigint")).toThrow(message);
  });
});
