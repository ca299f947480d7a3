import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServerError } from "server-core/errors";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { adaptServerfile } from "../../admin-server/src/testing/serverfile.ts";

function refusal(text: string, filename = "Serverfile"): string {
  try {
    adaptServerfile(Buffer.from(text), { filename });
  } catch (error) {
    expect(error).toBeInstanceOf(ServerError);
    return (error as ServerError).message;
  }
  throw new Error("the text was taken");
}

const site = (body: string) => `:80 {\n${body}\n}\n`;

describe("refuses, naming file and line", () => {
  test.each([
    ["no text", "", "EOF"],
    ["a block without end", ":80 {\nrespond x\n", "unexpected token 'x', expecting '}', at Serverfile:2"],
    [
      "a brace too many",
      ":80 {\n}\n}\n",
      "Unexpected '}' because no matching opening brace, at Serverfile:3",
    ],
    [
      "a brace too many in a block",
      site("respond x }"),
      "Unexpected '}' because no matching opening brace, at Serverfile:2",
    ],
    ["a quote without end", site('respond "x'), "at Serverfile:2"],
    [
      "a name that is none",
      "a.com, b!.com {\n}",
      "does not qualify for certificate: 'b!.com', at Serverfile:1",
    ],
    ["a directive's block without end", ":80 {\nhandle {\n", "unexpected EOF, at Serverfile:2"],
    [
      "a brace too many",
      ":80\nrespond {\n}\n}\n",
      "wrong argument count or unexpected line ending after 'respond', at Serverfile:2",
    ],
    ["words after a brace", site("handle { respond x\n}"), "Unexpected next token after '{' on same line"],
    ["a brace on a new line", site("handle\n{\n}"), "Unexpected '{' on a new line"],
    ["a comma in a key", "a.com,b.com {\n}", "Site addresses cannot contain a comma"],
    ["no space before a brace", "a.com{\n}", "Site addresses cannot end with a curly brace: 'a.com{'"],
    ["a key that is a directive", "respond {\n}", "Serverfile:1: parsed 'respond' as a site address"],
    ["a matcher outside of sites", "@a {\n}", "request matchers may not be defined globally"],
    ["a key twice", "a.com {\n}\na.com {\n}", "ambiguous site definition: a.com, at Serverfile:3"],
    [
      "a matcher twice",
      site("@a path /\n@a path /"),
      "matcher is defined more than once: @a, at Serverfile:3",
    ],
    ["no such matcher", site("respond @b x"), "unrecognized matcher name: @b, at Serverfile:2"],
    ["no such directive", site("nope"), "Serverfile:2: unrecognized directive: nope"],
    ["no such option", "{\nnope\n}", "Serverfile:2: unrecognized global option: nope"],
    ["no such file", site("import nope"), "File to import not found: nope, at Serverfile:2"],
    ["two wildcards", site("import */*"), "Glob pattern may only contain one wildcard"],
    ["no such route", site("invoke nope"), "cannot invoke named route 'nope', which was not defined"],
    [
      "options that come late",
      "a.com {\n}\n{\ndebug\n}",
      "global configuration, and if used, it must be first, at Serverfile:4",
    ],
    // The model's line number counts to the end of the text; the reported place is the start of the heredoc.
    [
      "a heredoc without end",
      site("respond <<EOF\ntext"),
      "incomplete heredoc <<EOF on line #5, expected ending marker EOF, at Serverfile:2",
    ],
    ["a heredoc without end or line break", ":80 {\nrespond <<EOF\n}", "<<EOF on line #3"],
    ["a heredoc without end behind a continued line", ":80 {\nrespond \\\n<<EOF\n}\n", "<<EOF on line #5"],
    [
      "a heredoc out of line",
      site("respond <<E\n\ta\n\t\tE"),
      "mismatched leading whitespace in heredoc <<E on line #3",
    ],
    ["a heredoc without marker", site("respond <<\n\n"), "missing opening heredoc marker on line #2"],
    [
      "a path in an upstream",
      site("reverse_proxy http://a/b"),
      "only support scheme, host, and port components, at Serverfile:2",
    ],
    [
      "a scheme of browsers",
      "ws://a.com {\n}",
      "the scheme ws:// is only supported in browsers; use http:// instead, at Serverfile:1",
    ],
    ["a port that is none", "a.com:99999 {\n}", "port 99999 is out of range, at Serverfile:1"],
    ["scheme against port", "http://a.com:443 {\n}", "[http://a.com:443] scheme and port violate convention"],
    [
      "a handler that is not ordered",
      site("handle {\nlog\n}"),
      "directive 'log' is not an ordered HTTP handler",
    ],
    [
      "a snippet twice",
      "(a) {\n}\n(a) {\n}",
      "redeclaration of previously declared snippet a, at Serverfile:3",
    ],
    ["binary", "\u0000\u0001 {\n\u0002\n}", "unrecognized directive: \u0002"],
  ])("%s", (_, text, message) => {
    expect(refusal(text)).toContain(message);
  });
});

describe("is bounded", () => {
  test("blocks in 10,000 levels", () => {
    const text = `${"handle {\n".repeat(10_000)}${"}\n".repeat(10_000)}`;
    expect(refusal(`:80 {\n${text}}`)).toContain(
      "blocks are nested deeper than the limit of 200 levels, at Serverfile:",
    );
    expect(refusal(`(s) {\n${text}}`)).toContain("blocks are nested deeper than the limit of 200 levels");
  });

  test("snippets that grow tenfold at each step", () => {
    const steps = Array.from({ length: 12 }, (_, step) => {
      const line = step === 0 ? "respond x\n" : `import s${step - 1}\n`;
      return `(s${step}) {\n${line.repeat(10)}}\n`;
    });
    expect(refusal(`${steps.join("")}:80 {\nimport s11\n}`)).toContain(
      "more imports than the limit of 10000",
    );
  });

  test("a heredoc of a megabyte without end, and a quoted word", () => {
    const lines = "a\n".repeat(500_000);
    expect(refusal(`:80 {\nrespond <<EOF\n${lines}`)).toContain("incomplete heredoc <<EOF on line #500003");
    expect(refusal(`:80 {\nrespond "${lines}`)).toMatch(/at Serverfile:2$/);
  });

  test("matchers in 10,000 levels", () => {
    expect(refusal(site(`@a ${"not ".repeat(10_000)}path /a`))).toContain(
      "matchers are nested deeper than the limit of 100 levels, at Serverfile:2",
    );
  });

  test("a word of a megabyte, and as many braces of placeholders", () => {
    const word = "{".repeat(1_000_000);
    expect(adaptServerfile(Buffer.from(site(`respond ${"x".repeat(1_000_000)}`)), {}).result).toBeDefined();
    expect(adaptServerfile(Buffer.from(site(`respond x${word}`)), {}).result).toBeDefined();
    expect(refusal(`(s) {\nnope ${word}x\n}\n:80 {\nimport s a\n}`)).toContain("unrecognized directive");
  });
});

describe("is bounded, though it is small", () => {
  test("arguments that grow a word", () => {
    const text = `(s) {\nrespond ${"{args[0]}".repeat(20_000)}\n}\n:80 {\nimport s ${"y".repeat(10_000)}\n}`;
    expect(refusal(text)).toContain(
      "arguments make a word of more than the limit of 16777216 characters, at Serverfile:2",
    );
  });

  test("imports that bring in many long words", () => {
    const text = `(s) {\nrespond ${"y".repeat(10_000)}\n}\n:80 {\n${"import s\n".repeat(4_000)}}`;
    expect(refusal(text)).toContain("imports bring in more characters than the limit of 33554432");
  });

  test("ranges of ports as upstreams", () => {
    expect(refusal(site("reverse_proxy :1-65535\n".repeat(4)))).toContain(
      "more upstreams than the limit of 200000",
    );
  });

  test("closing braces that are escaped, ten thousands of them", () => {
    const text = `(s) {\nrespond ${"{a\\}".repeat(50_000)}\n}\n:80 {\nimport s y\n}`;
    expect(JSON.stringify(adaptServerfile(Buffer.from(text), {}).result)).toContain("{a}{a}{a}");
  });

  test("a site of 10,000 names, and as many sites with ports and certificates of their own", () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `h${index}.example.com`);
    const one = `${names.join(", ")} {\nrespond x\n}`;
    expect(JSON.stringify(adaptServerfile(Buffer.from(one), {}).result)).toContain("h9999.example.com");
    const many = names.slice(0, 1_500).map((name, index) => {
      const lines = `tls a${index}@example.com {\nprotocols tls1.${2 + (index % 2)}\n}`;
      return `${name}:${10_000 + (index % 500)} {\n${lines}\n}\n`;
    });
    const { result } = adaptServerfile(Buffer.from(many.join("")), {});
    expect(JSON.stringify(result)).toContain("a1499@example.com");
  });
});

describe("imports of files", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "serverfile-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test("relative to the file, by pattern, without hidden ones", async () => {
    await writeFile(join(folder, "b.conf"), "header X-B b\n");
    await writeFile(join(folder, "a.conf"), "header X-A {args[0]}\n");
    await writeFile(join(folder, ".c.conf"), "nope\n");
    const text = ":80 {\n\timport *.conf one\n}\n";
    const { result } = adaptServerfile(Buffer.from(text), { filename: join(folder, "Serverfile") });
    const set = JSON.stringify(result).match(/"set":\{[^}]*\}/g);
    expect(set).toEqual(['"set":{"X-A":["one"]}', '"set":{"X-B":["b"]}']);
  });

  test("an empty pattern warns", () => {
    const filename = join(folder, "Serverfile");
    const { warnings } = adaptServerfile(Buffer.from(":80 {\n\timport *.none\n}\n"), { filename });
    expect(warnings).toEqual([{ file: filename, message: "No files matching import glob pattern: *.none" }]);
  });

  test("a cycle is refused, also one through a snippet", async () => {
    await writeFile(join(folder, "a"), "import b\n");
    await writeFile(join(folder, "b"), "import a\n");
    expect(refusal(":80 {\nimport a\n}", join(folder, "Serverfile"))).toContain(
      "a cycle of imports exists between",
    );
    expect(refusal("(s) {\nimport s\n}\n:80 {\nimport s\n}")).toContain("a cycle of imports exists between");
  });

  test("an error within names the file and how it came there", async () => {
    await writeFile(join(folder, "a"), "\nnope\n");
    const filename = join(folder, "Serverfile");
    expect(refusal(":80 {\nrespond {\nimport a\n}\n}", filename)).toContain(filename);
    await writeFile(join(folder, "a"), "\nredir\n");
    expect(refusal(":80 {\nimport a\n}", filename)).toContain(
      `at ${join(folder, "a")}:2 import chain ['${filename}:2 (import)']`,
    );
  });

  test("a folder is no file", () => {
    expect(refusal(`:80 {\nimport ${folder}\n}`)).toContain("is a directory");
  });
});

test("takes CRLF and a byte order mark", () => {
  const plain = adaptServerfile(Buffer.from(site("\trespond <<E\n\ta\n\t\n\tE")), {});
  const other = adaptServerfile(
    Buffer.from(`\ufeff${site("\trespond <<E\n\ta\n\t\n\tE").replaceAll("\n", "\r\n")}`),
    {},
  );
  expect(other.result).toEqual(plain.result);
});
