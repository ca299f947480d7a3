import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defineCommand } from "./command.ts";
import { readCommandLine, readOptions } from "./read-options.ts";

const command = defineCommand({
  name: "try",
  summary: "Is tried",
  options: {
    config: { kind: "text", short: "c", value: "file", about: "A file" },
    form: {
      kind: "text",
      value: "form",
      choices: ["auto", "json"],
      default: "auto",
      about: "A form",
      environment: "FORM",
    },
    watch: { kind: "switch", short: "w", about: "Watches" },
    force: { kind: "switch", short: "f", about: "Forces" },
    count: {
      kind: "number",
      short: "n",
      value: "number",
      range: [1, 9],
      about: "A count",
      environment: "COUNT",
    },
    to: { kind: "list", short: "t", value: "words", about: "Words" },
    names: { kind: "list", value: "names", choices: ["a", "b"], about: "Names" },
    header: { kind: "lines", short: "H", value: "line", about: "Lines" },
  },
  operands: { usage: "[file]", most: 1 },
  examples: [{ line: "server try", about: "Tries." }],
  run: async () => 0,
});

function read(args: readonly string[], environment: Record<string, string> = {}) {
  const line = readCommandLine(command, args);
  return { ...readOptions(command, line, environment), operands: line.operands, help: line.help };
}

const defaults = {
  config: "",
  form: "auto",
  watch: false,
  force: false,
  count: undefined,
  to: [],
  names: [],
  header: [],
  operands: [],
  help: false,
};

describe("options", () => {
  test.each<[string[], object]>([
    [[], {}],
    [["--config", "a"], { config: "a" }],
    [["--config=a=b"], { config: "a=b" }],
    [["--config="], { config: "" }],
    [["-c", "a"], { config: "a" }],
    [["-ca"], { config: "a" }],
    [["-c=a"], { config: "a" }],
    [["--config", "a", "-c", "b"], { config: "b" }],
    [["-wf"], { watch: true, force: true }],
    [["-wc", "a"], { watch: true, config: "a" }],
    [["--watch=false"], { watch: false }],
    [["--watch=1"], { watch: true }],
    [["--watch", "x"], { watch: true, operands: ["x"] }],
    [["x", "--watch"], { watch: true, operands: ["x"] }],
    [["--", "--watch"], { operands: ["--watch"] }],
    [["-"], { operands: ["-"] }],
    [["--config", "-"], { config: "-" }],
    [["-n", "3"], { count: 3 }],
    [["--to", "a,b", "-t", "c"], { to: ["a", "b", "c"] }],
    [["--names=b,a"], { names: ["b", "a"] }],
    [["-H", "A: b, c", "--header", "D: e"], { header: ["A: b, c", "D: e"] }],
    [["--help"], { help: true }],
    [["a", "b", "-h"], { help: true, operands: ["a", "b"] }],
  ])("%j", (args, expected) => {
    expect(read(args)).toEqual({ ...defaults, ...expected });
  });

  test("the environment stands for what the command line does not say; an empty variable says nothing", () => {
    expect(read([], { FORM: "json", COUNT: "4" })).toMatchObject({ form: "json", count: 4 });
    expect(read(["--form", "auto"], { FORM: "json" })).toMatchObject({ form: "auto" });
    expect(read([], { FORM: "" })).toMatchObject({ form: "auto" });
  });

  test.each<[string[], string]>([
    [["--confg", "a"], "try: unknown option --confg; did you mean --config?"],
    [["--zzzzzz"], "try: unknown option --zzzzzz (see server try --help)"],
    [["-z"], "try: unknown option -z"],
    [["--constructor"], "unknown option --constructor"],
    [["--config"], "--config needs a value <file>"],
    [["--form", "xml"], '--form: expected one of auto, json, not "xml"'],
    [["--count", "10"], '--count: expected a whole number from 1 to 9, not "10"'],
    [["--count", "1e0"], "expected a whole number"],
    [["--watch=maybe"], '--watch: expected true or false, not "maybe"'],
    [["--names", "a,c"], '--names: expected some of a, b, not "a,c"'],
    [["a", "b"], 'unexpected "b": it takes [file] only'],
  ])("%j is refused", (args, message) => {
    expect(() => read(args)).toThrow(message);
  });

  test("a variable that is wrong is named", () => {
    expect(() => read([], { COUNT: "many" })).toThrow(
      'COUNT: expected a whole number from 1 to 9, not "many"',
    );
  });

  test("whatever is written, it is read or refused in words", () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom(
        "--config",
        "-c",
        "--watch",
        "--to",
        "-H",
        "--",
        "-",
        "--count=3",
        "-wf",
        "--no-watch",
        "--=",
        "-=x",
      ),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (args) => {
        try {
          read(args);
        } catch (error) {
          expect(error).toMatchObject({ name: "StartError" });
        }
      }),
    );
  });
});
