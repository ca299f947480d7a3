import { describe, expect, test } from "vitest";
import { mergeBlocks } from "./merge-blocks.ts";
import { readArguments } from "./read-arguments.ts";
import { readFile } from "./read-file.ts";
import { labelsWith, readLabels } from "./read-labels.ts";
import { renderLabel } from "./render-label.ts";
import { writeBlocks } from "./write-blocks.ts";

const container = { Names: ["/shop"], ID: "abc", Image: "shop:1" };

function blocksOf(labels: Record<string, string>, addresses: readonly string[] = ["10.0.0.2"]) {
  return readLabels(labelsWith("caddy", labels), (value) => renderLabel(value, container, () => addresses));
}

async function textOf(labels: Record<string, string>, addresses?: readonly string[]): Promise<string> {
  return writeBlocks(await blocksOf(labels, addresses));
}

describe("labels become a serverfile", () => {
  const rows: [name: string, labels: Record<string, string>, text: string][] = [
    [
      "a site with a proxy",
      { caddy: "a.test", "caddy.reverse_proxy": "{{upstreams 80}}" },
      "a.test {\n\treverse_proxy 10.0.0.2:80\n}\n",
    ],
    [
      "several addresses",
      { caddy: "a.test, b.test", "caddy.respond": "hi" },
      "a.test, b.test {\n\trespond hi\n}\n",
    ],
    [
      "words in quotes",
      { caddy: "a.test", "caddy.respond": '/ "Hello World" 200' },
      'a.test {\n\trespond / "Hello World" 200\n}\n',
    ],
    [
      "a line break in backticks",
      { caddy: "a.test", "caddy.respond": "/ `Hello\nWorld` 200" },
      "a.test {\n\trespond / `Hello\nWorld` 200\n}\n",
    ],
    [
      "a quote in a word",
      { caddy: "a.test", "caddy.respond": '"say \\"hi\\""' },
      'a.test {\n\trespond `say "hi"`\n}\n',
    ],
    [
      "a quote and a backtick",
      { caddy: "a.test", "caddy.respond": '"a \\" b ` c"' },
      'a.test {\n\trespond "a \\" b ` c"\n}\n',
    ],
    ["an empty word", { caddy: "a.test", "caddy.respond": '""' }, 'a.test {\n\trespond ""\n}\n'],
    ["no arguments", { caddy: "a.test", "caddy.encode": "" }, "a.test {\n\tencode\n}\n"],
    ["no arguments by a template", { caddy: "a.test", "caddy.encode": '{{""}}' }, "a.test {\n\tencode\n}\n"],
    [
      "nesting, with and without a parent of its own",
      {
        caddy: "a.test",
        "caddy.handle": "/x/*",
        "caddy.handle.0_rewrite": "* /y",
        "caddy.tls.dns": "cloudflare T",
      },
      "a.test {\n\thandle /x/* {\n\t\trewrite * /y\n\t}\n\ttls {\n\t\tdns cloudflare T\n\t}\n}\n",
    ],
    [
      "numbers behind keep apart, numbers in front order",
      {
        caddy: "a.test",
        "caddy.route_0.a": "v",
        "caddy.route_1.b": "v",
        "caddy.2_ccc": "v",
        "caddy.1_ddd": "v",
      },
      "a.test {\n\tddd v\n\tccc v\n\troute {\n\t\ta v\n\t}\n\troute {\n\t\tb v\n\t}\n}\n",
    ],
    [
      "options, then snippets, then sites; matchers first in a site",
      {
        ...{
          caddy_1: "b.test",
          "caddy_1.respond": "@m x",
          "caddy_1.@m.path": "/a /b",
          "caddy_1.import": "s",
        },
        ...{ caddy_2: "(s)", "caddy_2.tls": "internal", "caddy_3.email": "me@a.test" },
      },
      "{\n\temail me@a.test\n}\n(s) {\n\ttls internal\n}\nb.test {\n\t@m {\n\t\tpath /a /b\n\t}\n\timport s\n\trespond @m x\n}\n",
    ],
    ["a dot in a name", { caddy: "a.test", "caddy.a\\.b.c": "v" }, "a.test {\n\ta.b {\n\t\tc v\n\t}\n}\n"],
    [
      "facts of the container",
      { caddy: "a.test", "caddy.respond": '/info "{{index .Names 0}} {{.Image}} {{.ID}}"' },
      'a.test {\n\trespond /info "/shop shop:1 abc"\n}\n',
    ],
    [
      "protocols",
      { caddy: "a.test", "caddy.reverse_proxy": "{{upstreams h2c 81}} {{upstreams https}}" },
      "a.test {\n\treverse_proxy h2c://10.0.0.2:81 https://10.0.0.2\n}\n",
    ],
    [
      "labels of others",
      { caddyfile: "x", "caddy_x.a": "y", "com.caddy": "z", caddy_ingress_network: "web" },
      "",
    ],
  ];
  test.each(rows)("%s", async (_, labels, text) => {
    expect(await textOf(labels)).toBe(text);
  });

  test("the same labels in another order are the same text", async () => {
    const labels = rows.flatMap(([, one], index) =>
      Object.entries(one).map(
        ([key, value]) => [key.replace(/^caddy(?=[.]|$)/, `caddy_${index + 10}`), value] as const,
      ),
    );
    expect(await textOf(Object.fromEntries(labels.toReversed()))).toBe(
      await textOf(Object.fromEntries(labels)),
    );
  });

  test("a container without an address has none", async () => {
    expect(await textOf({ caddy: "a.test", "caddy.reverse_proxy": "{{upstreams 80}}" }, [])).toBe(
      "a.test {\n\treverse_proxy\n}\n",
    );
  });

  test.each([
    ["caddy..x", "v", /"caddy\." has an empty part/],
    ["caddy.x", "{{ .Oops", /label caddy\.x: /],
    ["caddy.x", "{{ nothing }}", /function "nothing" not defined/],
    ["caddy.x", "{{ range until 10000000 }}x{{ end }}", /label caddy\.x: .*more than/],
    [`caddy${".x".repeat(150)}`, "v", /nested deeper than 100/],
  ])("%s: %s is refused", async (label, value, message) => {
    await expect(blocksOf({ [label]: value })).rejects.toThrow(message);
  });
});

describe("readArguments", () => {
  test.each([
    ["a  b\tc", ["a", "b", "c"]],
    ["a # b", ["a"]],
    ["a#b", ["a#b"]],
    ["a\\b \\d+", ["a\\b", "\\d+"]],
    ["a \\\n b", ["a", "b"]],
    ["a\\\nb", ["a", "b"]],
    ['"a\\nb"', ["a\\nb"]],
    ['"open', ["open"]],
    ["`open", ["open"]],
    ["\ufeffa", ["a"]],
  ])("%j", (value, words) => {
    expect(readArguments(value)).toEqual(words);
  });
});

describe("blocks of several containers", () => {
  test("the same site is one, and its proxies have the upstreams of all", async () => {
    const one = await blocksOf({
      caddy: "a.test",
      "caddy.reverse_proxy": "/api/* {{upstreams 80}}",
      "caddy.tls": "internal",
    });
    const labels = {
      caddy: "a.test",
      "caddy.reverse_proxy": "/api/* {{upstreams 80}}",
      "caddy.reverse_proxy.lb_policy": "first",
    };
    mergeBlocks(one, await blocksOf(labels, ["10.0.0.3"]));
    mergeBlocks(
      one,
      await blocksOf({ caddy: "a.test", "caddy.reverse_proxy": "{{upstreams 80}}" }, ["10.0.0.4"]),
    );
    expect(writeBlocks(one)).toBe(
      "a.test {\n\treverse_proxy /api/* 10.0.0.2:80 10.0.0.3:80 {\n\t\tlb_policy first\n\t}\n\treverse_proxy 10.0.0.4:80\n\ttls internal\n}\n",
    );
  });

  test("a file keeps what it says, and labels add to its sites", async () => {
    const file = [
      "{",
      "\temail me@a.test",
      "}",
      "# a comment",
      "a.test {",
      '\trespond /x "{" 200',
      "\theader {",
      "\t\tX-A <<END",
      '\t\t\tone "two"',
      "\t\t\tthree",
      "\t\t\tEND",
      "\t}",
      "\troot {$FOLDER}",
      "}",
    ].join("\n");
    const blocks = readFile(file, "base");
    mergeBlocks(blocks, await blocksOf({ caddy: "a.test", "caddy.encode": "" }));
    expect(writeBlocks(blocks)).toBe(
      '{\n\temail me@a.test\n}\na.test {\n\trespond /x "{" 200\n\theader {\n\t\tX-A `one "two"\nthree`\n\t}\n\troot {$FOLDER}\n\tencode\n}\n',
    );
    expect(() => readFile("a {\n}\n}", "base")).toThrow("unexpected '}', at base:3");
  });
});
