import { describe, expect, test } from "vitest";
import { readStatement } from "./statement.ts";
import { tokenize } from "./tokenizer.ts";

function texts(sql: string): string[] {
  return [...tokenize(sql)].map(({ kind, text }) => `${kind} ${text}`);
}

describe("tokenize", () => {
  test.each([
    ["a$b 'it''s' \"q\"\"\" `\\``", ["word A$B", "string 'it''s'", 'quoted q"', "quoted `"]],
    ["$a$ ' $b$ $a$ $a$ x", ["string $a$ ' $b$ $a$", "word $A$", "word X"]],
    ["$$;$$ $1 $", ["string $$;$$", "word $1", "word $"]],
    ["a /* ' */ b -- c\n# d\n#!e\n/* f", ["word A", "word B", "symbol /", "symbol *", "word F"]],
    ["'a 'b", ["string 'a '", "word B"]],
    ["'a '' b", ["symbol '", "word A", "symbol '", "symbol '", "word B"]],
    ["file\u00c2\u00a0(", ["word FILE", "symbol ("]],
  ])("%s", (sql, expected) => {
    expect(texts(sql)).toEqual(expected);
  });

  // A search to the end for each opening would take minutes, far above the test's time limit.
  test.each([
    ["heredocs, none closed", (n: number) => `$a${n}$ `, 300_000],
    ["heredocs of one tag", () => "$a$ ", 1_000_001],
    ["comments", () => "/* ", 1_000_000],
    ["quotes behind one that is open", () => "\\'", 1_000_000],
    ["backticks behind one that is open", () => "\\`", 1_000_000],
  ])("a long text of %s", { timeout: 180_000 }, (_name, piece, count) => {
    const sql = `SELECT '${"x".repeat(100)}' ${Array.from({ length: count }, (_, n) => piece(n)).join("")}`;
    let last = "";
    for (const token of tokenize(sql)) {
      last = sql.slice(token.start, token.end);
    }
    expect(last).not.toBe("");
    expect(sql.trimEnd().endsWith(last)).toBe(true);
    expect(readStatement(sql).verb).toBe("SELECT");
  });

  test.each(["'", '"', "`", "$tag$"])("a very long text between %s", (quote) => {
    const sql = `${quote}${"x".repeat(10_000_000)}${quote}`;
    expect([...tokenize(sql)]).toMatchObject([{ start: 0, end: sql.length }]);
  });

  test("a very long blank", () => {
    expect(texts(`${" ".repeat(10_000_000)}x`)).toEqual(["word X"]);
  });
});
