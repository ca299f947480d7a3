// The grammar on the texts that the adapter is tested with: the same engine as the editors' reads them.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import oniguruma from "vscode-oniguruma";
import textmate, { type IGrammar } from "vscode-textmate";
import { standardFeatures } from "../../admin-server/src/testing/serverfile.ts";

const grammarFile = new URL("../syntaxes/serverfile.tmLanguage.json", import.meta.url);
const golden = new URL("../../serverfile/src/golden/", import.meta.url);
const texts = readdirSync(golden).filter((name) => name.endsWith(".serverfile"));

interface Word {
  readonly text: string;
  readonly scope: string;
}

let grammar: IGrammar;

beforeAll(async () => {
  const wasm = createRequire(import.meta.url).resolve("vscode-oniguruma/release/onig.wasm");
  await oniguruma.loadWASM(readFileSync(wasm));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (sources) => new oniguruma.OnigScanner(sources),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () =>
      textmate.parseRawGrammar(readFileSync(grammarFile, "utf8"), fileURLToPath(grammarFile)),
  });
  const loaded = await registry.loadGrammar("source.serverfile");
  if (loaded === null) {
    throw new Error("the grammar is not read");
  }
  grammar = loaded;
});

/** The words of each line with their innermost scope, without the language's ending; and how deep the text ends. */
function read(text: string): { lines: Word[][]; depth: number } {
  let stack = textmate.INITIAL;
  const lines: Word[][] = [];
  for (const line of text.split("\n")) {
    const result = grammar.tokenizeLine(line, stack);
    stack = result.ruleStack;
    lines.push(
      result.tokens
        .map(({ startIndex, endIndex, scopes }) => ({
          text: line.slice(startIndex, endIndex).trim(),
          scope: (scopes.at(-1) ?? "").replace(/\.?serverfile$/, ""),
        }))
        .filter(({ text }) => text !== ""),
    );
  }
  return { lines, depth: stack.depth };
}

function scopesOf(text: string): string[] {
  return read(text).lines.flatMap((line) => line.map(({ text, scope }) => `${text} ${scope}`));
}

describe("the grammar", () => {
  test("knows every directive of the adapter", () => {
    const { names } = standardFeatures;
    expect(names.length).toBeGreaterThan(40);
    for (const name of [...names, "import"]) {
      expect(scopesOf(`:80 {\n\t${name} x\n}`)).toContain(`${name} keyword.other.directive`);
    }
  });

  test.each(texts)("closes every block of %s", (name) => {
    const { lines, depth } = read(readFileSync(new URL(name, golden), "utf8").trimEnd());
    expect(depth).toBe(1);
    for (const { text, scope } of lines.flat()) {
      if (text === "{") {
        expect(scope).toMatch(/block\.begin$|^string/);
      }
      if (text === "}") {
        expect(scope).toMatch(/block\.end$|^string|variable$/);
      }
    }
  });

  test("tells apart what stands in a site", () => {
    expect(
      scopesOf(
        [
          "# all sites",
          "(common) {",
          "\theader X-A {args[0]}",
          "}",
          "example.com, *.example.org:8443 {",
          "\t@api path /api/*",
          "\treverse_proxy @api app:8080 {",
          "\t\tfail_duration 30s",
          "\t}",
          '\trespond /x "hello \\"{host}\\"" 200',
          "\troot * {$ROOT:/srv}",
          "}",
        ].join("\n"),
      ),
    ).toEqual([
      "# all sites comment.line.number-sign",
      "( punctuation.definition.snippet",
      "common entity.name.function.snippet",
      ") punctuation.definition.snippet",
      "{ punctuation.section.block.begin",
      "header keyword.other.directive",
      "X-A meta.block",
      "{args[0]} variable.other.placeholder",
      "} punctuation.section.block.end",
      "example.com entity.name.section.address",
      ", source",
      "*.example.org:8443 entity.name.section.address",
      "{ punctuation.section.block.begin",
      "@api entity.name.type.matcher",
      "path support.function.matcher",
      "/api/* string.unquoted.path",
      "reverse_proxy keyword.other.directive",
      "@api variable.other.matcher",
      "app:8080 meta.block",
      "{ punctuation.section.block.begin",
      "fail_duration support.type.property-name",
      "30s constant.numeric",
      "} punctuation.section.block.end",
      "respond keyword.other.directive",
      "/x string.unquoted.path",
      '" string.quoted.double',
      "hello string.quoted.double",
      '\\" constant.character.escape',
      "{host} variable.other.placeholder",
      '\\" constant.character.escape',
      '" string.quoted.double',
      "200 constant.numeric",
      "root keyword.other.directive",
      "* keyword.operator.wildcard",
      "{$ punctuation.definition.variable",
      "ROOT variable.other.environment",
      ": punctuation.separator",
      "/srv string.unquoted.default",
      "} punctuation.definition.variable",
      "} punctuation.section.block.end",
    ]);
  });

  test("goes through heredocs and continued lines", () => {
    expect(
      scopesOf(":80 {\n\trespond <<END\n\t\tlog {\n\t\tEND 200\n\treverse_proxy \\\n\t\tlog:80\n}"),
    ).toEqual([
      ":80 entity.name.section.address",
      "{ punctuation.section.block.begin",
      "respond keyword.other.directive",
      "<< punctuation.definition.string.begin",
      "END keyword.control.heredoc",
      "log { string.unquoted.heredoc",
      "END keyword.control.heredoc",
      "200 constant.numeric",
      "reverse_proxy keyword.other.directive",
      "\\ punctuation.separator.continuation",
      "log:80 string.unquoted",
      "} punctuation.section.block.end",
    ]);
  });
});
