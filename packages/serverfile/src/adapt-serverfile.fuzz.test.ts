import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { ServerError } from "server-core/errors";
import { describe, expect, test } from "vitest";
import { adaptServerfile, standardFeatures } from "../../admin-server/src/testing/serverfile.ts";
import { formatServerfile } from "./format/format-serverfile.ts";
import { tokenize } from "./lexer/tokenize.ts";

const rounds = Number(process.env.FUZZ_ROUNDS ?? 2_000);

/** Words with a meaning, so that inputs are not refused in the first line. */
const words = fc.constantFrom(
  ...standardFeatures.names,
  ...'{ } {} \n \n\n # \\ " ` << <<EOF EOF , @a /x * {host} {args[0]} {$HOME} (s) &(r) import :80 a.com - ? > + 404 5s 1MB'.split(
    " ",
  ),
  ..."to transport http dynamic lb_policy header match status path not file order servers log output tls".split(
    " ",
  ),
);

/** The corpus: valid texts, one for each feature. */
const golden = new URL("golden/", import.meta.url);
const corpus = readdirSync(golden)
  .filter((name) => name.endsWith(".serverfile"))
  .map((name) => readFileSync(new URL(name, golden), "utf8"));

/** A text of the corpus with some places cut, doubled, or replaced by words with a meaning. */
const damaged = fc
  .tuple(
    fc.constantFrom(...corpus),
    fc.array(fc.tuple(fc.nat(), fc.nat({ max: 12 }), fc.oneof(words, fc.constant(""), fc.string())), {
      minLength: 1,
      maxLength: 5,
    }),
  )
  .map(([text, cuts]) =>
    cuts.reduce((all, [place, length, put]) => {
      const at = place % (all.length + 1);
      return all.slice(0, at) + put + all.slice(at + length);
    }, text),
  );
const texts = fc.oneof(
  damaged,
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.array(words, { maxLength: 60 }).map((list) => list.join(" ")),
  fc.array(words, { maxLength: 40 }).map((list) => `:80 {\n${list.join(" ")}\n}\n`),
);

/** The text is either adapted or refused with a ServerError. */
function adaptOrRefuse(text: string): void {
  try {
    adaptServerfile(Buffer.from(text), {});
  } catch (error) {
    expect(error).toBeInstanceOf(ServerError);
    expect((error as ServerError).code).toBe("CONFIG_ADAPTER");
  }
}

describe("no text breaks it", () => {
  test("the adapter", () => {
    fc.assert(fc.property(texts, adaptOrRefuse), { numRuns: rounds });
  });

  test("the adapter, any bytes", () => {
    const bytes = fc.uint8Array({ maxLength: 300 });
    fc.assert(
      fc.property(bytes, (each) => adaptOrRefuse(Buffer.from(each).toString("utf8"))),
      { numRuns: rounds },
    );
  });

  test("the lexer counts lines that are there", () => {
    const property = fc.property(texts, (text) => {
      let tokens: readonly { readonly line: number }[] = [];
      try {
        tokens = tokenize(text, "f");
      } catch (error) {
        expect(error).toBeInstanceOf(ServerError);
      }
      const lines = text.split("\n").length;
      expect(tokens.every(({ line }) => line >= 1 && line <= lines)).toBe(true);
    });
    fc.assert(property, { numRuns: rounds });
  });
});

describe("the formatter", () => {
  const word = fc.stringMatching(/^[a-z@/:.*-]{1,8}$/);
  const line = fc.array(fc.oneof(word, fc.constant('"two words"'), fc.constant("`raw`")), {
    minLength: 1,
    maxLength: 4,
  });
  const { block } = fc.letrec<{ block: string }>((tie) => ({
    block: fc
      .array(
        fc.oneof(
          { maxDepth: 4 },
          line.map((list) => `${list.join("  ")}\n`),
          fc.tuple(line, tie("block")).map(([head, body]) => `${head.join(" ")} {\n ${body}}\n`),
          fc.constant("\n\n\n"),
          fc.constant("# a comment\n"),
        ),
        { maxLength: 5 },
      )
      .map((parts) => parts.join("")),
  }));

  test("twice is once", () => {
    const property = fc.property(block, (text) => {
      const once = formatServerfile(text);
      expect(formatServerfile(once)).toBe(once);
    });
    fc.assert(property, { numRuns: Math.min(rounds, 1_000) });
  });

  test("of any text: nothing breaks it", () => {
    const property = fc.property(texts, (text) => {
      const twice = formatServerfile(formatServerfile(text));
      expect(twice.endsWith("\n")).toBe(true);
    });
    fc.assert(property, { numRuns: rounds });
  });

  test("changes no word", () => {
    const property = fc.property(block, (text) => {
      const wordsOf = (each: string) => tokenize(each, "f").map((token) => token.text);
      expect(wordsOf(formatServerfile(text))).toEqual(wordsOf(text));
    });
    fc.assert(property, { numRuns: Math.min(rounds, 1_000) });
  });
});
