import fc from "fast-check";
import { LinearRegexp } from "server-core/regexp/linear-regexp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";
import { adaptServerfile, toServerfile } from "../../../../admin-server/src/testing/serverfile.ts";
import { RegexpReplacer } from "./regexp-replacer.ts";
import { StreamReplacer } from "./stream-replacer.ts";

describe("the stream", () => {
  const pieces = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 }), {
    maxLength: 12,
  });
  const searches = fc.array(fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 3,
  });

  test("comes to the same in whichever pieces it comes", () => {
    fc.assert(
      fc.property(pieces, searches, (chunks, texts) => {
        const replacements = texts.map((search, index) => ({
          search: Buffer.from(search),
          replace: Buffer.from(`<${index}>`),
        }));
        const replacer = new StreamReplacer(replacements);
        const parts = chunks.map((chunk) => replacer.push(Buffer.from(chunk)));
        const got = Buffer.concat([...parts, replacer.end(new Uint8Array())]).toString();
        const pattern = new RegExp(texts.join("|"), "g");
        expect(got).toBe(chunks.join("").replace(pattern, (found) => `<${texts.indexOf(found)}>`));
      }),
    );
  });

  test("keeps back only what may be the beginning of a match", () => {
    const replacer = new StreamReplacer([{ search: Buffer.from("hello"), replace: Buffer.from("bye") }]);
    expect(replacer.push(Buffer.from("event: he")).toString()).toBe("event: ");
    expect(replacer.push(Buffer.from("llo h")).toString()).toBe("bye ");
    expect(replacer.push(Buffer.from("at")).toString()).toBe("hat");
    expect(replacer.end(Buffer.from("hel")).toString()).toBe("hel");
  });
});

test("a piece that grows to gigabytes is refused before they are in memory", () => {
  const replace = Buffer.alloc(1024 * 1024, "x");
  const replacer = () => new StreamReplacer([{ search: Buffer.from("a"), replace }]);
  expect(replacer().push(Buffer.alloc(8, "a"))).toHaveLength(8 * replace.length);
  const message = /10000 bytes of a response grow beyond the limit of \d+ bytes/;
  expect(() => replacer().push(Buffer.alloc(10_000, "a"))).toThrow(message);
  expect(() => replacer().end(Buffer.alloc(10_000, "a"))).toThrow(message);
});

describe("a site", () => {
  let server: RunningServer;
  const replace = {
    handler: "replace",
    replacements: [{ search: "http://inner", replace: "https://{http.request.host}" }, { search: "secret" }],
    match: { headers: { "Content-Type": ["text/*"] } },
  };
  const answer = (more: object) => ({ handler: "static_response", body: "secret http://inner/a", ...more });
  const route = (path: string, more: object) => ({
    match: [{ path: [path] }],
    handle: [replace, answer(more)],
  });

  beforeAll(async () => {
    const text = { "Content-Type": ["text/html"] };
    server = await RunningServer.start(
      siteConfig(
        route("/text", { headers: { ...text, Etag: ['"1"'], "Content-Length": ["21"], Digest: ["x"] } }),
        route("/other", { headers: { "Content-Type": ["application/json"] } }),
        {
          match: [{ path: ["/grows"] }],
          handle: [
            {
              handler: "replace",
              replacements: [{ search: "a", replace: "{http.request.uri.query.x}" }],
            },
            answer({ headers: text, body: "a".repeat(100_000) }),
          ],
        },
        route("/coded", { headers: { ...text, "Content-Encoding": ["x-own"] } }),
        {
          match: [{ path: ["/asked"] }],
          handle: [
            replace,
            {
              handler: "static_response",
              headers: text,
              body: "<{http.request.header.Accept-Encoding}{http.request.header.Range}>",
            },
          ],
        },
      ),
    );
  });
  afterAll(() => server.close());

  const get = async (path: string) => {
    const response = await fetch(`${server.site}${path}`, {
      headers: { "Accept-Encoding": "identity", Range: "bytes=0-1" },
    });
    return { response, text: await response.text() };
  };

  test("has its texts replaced, and no field that speaks of the old bytes", async () => {
    const { response, text } = await get("/text");
    expect(text).toBe(` https://${new URL(server.site).hostname}/a`);
    expect(response.headers.get("etag")).toBe('W/"1"');
    expect(response.headers.get("digest")).toBeNull();
  });

  test.each(["/other", "/coded"])("keeps %s, which does not match or cannot be read", async (path) => {
    expect((await get(path)).text).toBe("secret http://inner/a");
  });

  test("ends a response that a request would make grow without bound, and goes on serving", async () => {
    await expect(get(`/grows?x=${"y".repeat(5000)}`)).rejects.toThrow("terminated");
    expect((await get("/grows?x=b")).text).toBe("b".repeat(100_000));
  });

  test("asks for whole bodies that are not compressed", async () => {
    expect((await get("/asked")).text).toBe("<>");
  });
});

test.each([
  ["one text", '\treplace /a/* old "new text"\n'],
  [
    "several, for some responses",
    '\treplace {\n\t\told new\n\t\tgone ""\n\t\tmatch {\n\t\t\tstatus 2xx\n\t\t}\n\t}\n',
  ],
])("the directive of %s becomes the handler and comes back", async (_name, body) => {
  const text = `:80 {\n${body}}\n`;
  expect(await toServerfile(adaptServerfile(Buffer.from(text), {}).result)).toBe(text);
});

test.each([
  ["replace {\nstream\nstream\n}", "streaming already enabled"],
  ["replace stream now", "wrong argument count"],
  ["replace re a", "wrong argument count"],
  ["replace {\nmatch {\nstatus 2xx\n}\nmatch {\nstatus 3xx\n}\n}", "match block already specified"],
  ["replace a", "wrong argument count"],
  ["replace a b c", "wrong argument count"],
  ["replace {\na\n}", "wrong argument count"],
])("refuses %j", (body, message) => {
  expect(() => adaptServerfile(Buffer.from(`:80 {\n${body}\n}\n`), {})).toThrow(message);
});

test("in a block the word match is no text to look for, and that is said", async () => {
  const replacements = [{ search: "match", replace: "x" }, { search: "a" }];
  const routes = [{ handle: [{ handler: "replace_response", replacements }] }];
  const config = { apps: { http: { servers: { srv0: { listen: [":80"], routes } } } } };
  await expect(toServerfile(config)).rejects.toThrow("a line match is no text to look for");
});

describe("regular expressions", () => {
  const text = `<a href="/x">é v1</a> v22 ${"y".repeat(2_000)} ${"-.".repeat(1_500)} v333\nv4\u{1f600}v5`;
  const all = (pattern: string, replacement: string, size: number) => {
    const replacer = new RegexpReplacer(new LinearRegexp(pattern), replacement);
    const bytes = Buffer.from(text);
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      pieces.push(replacer.push(bytes.subarray(at, at + size)));
    }
    return Buffer.concat([...pieces, replacer.end(Buffer.alloc(0))]).toString();
  };

  test.each([
    ["\\bv(\\d+)", "version $1"],
    ['href="/([^"]*)"', 'href="/app/$1"'],
    ["(?m)^v", "<"],
    ["^<", "["],
    ["y+", "Y"],
    ["é", "e"],
    [".", "$0$0"],
    ["x*", "-"],
    ["$", "!"],
    ["(?P<n>v)\\d", "$n$$"],
    ["nothing", "x"],
  ])("%j is replaced as in one piece, however the body is cut", (pattern, replacement) => {
    const whole = new LinearRegexp(pattern).replaceAll(text, replacement);
    for (const size of [1, 2, 3, 7, 100, 2_048, 2_049, 5_000, 100_000]) {
      expect(all(pattern, replacement, size) === whole, `${size}`).toBe(true);
    }
  });

  test("bytes that are no text come through", () => {
    const replacer = new RegexpReplacer(new LinearRegexp("a+"), "b");
    const bytes = Buffer.from([0xff, 0x61, 0x61, 0xc3, 0x28, 0x80, 0x61]);
    expect(Buffer.concat([replacer.push(bytes), replacer.end(Buffer.from([0xe2]))])).toEqual(
      Buffer.from([0xff, 0x62, 0xc3, 0x28, 0x80, 0x62, 0xe2]),
    );
  });

  test("growth and time are bounded", () => {
    const grows = new RegexpReplacer(new LinearRegexp("a"), "x".repeat(1024 * 1024));
    expect(() => grows.push(Buffer.alloc(10_000, "a"))).toThrow("grow beyond the limit");
    const slow = new RegexpReplacer(new LinearRegexp("(a+)+b|a"), "x");
    expect(() => slow.push(Buffer.alloc(64 * 1024, "a"))).toThrow("takes more than 250 ms");
  });

  test("several replacements run one after the other, as in the plug-in", async () => {
    const replacements = [
      { search: "foo", replace: "bar" },
      { search_regexp: "bar(\\d)", replace: "<$1>" },
      { search: "<2>", replace: "two" },
    ];
    const server = await RunningServer.start(
      siteConfig({
        handle: [
          { handler: "replace_response", replacements, stream: true },
          { handler: "static_response", body: "foo1 bar2 foo" },
        ],
      }),
    );
    expect(await (await fetch(server.site)).text()).toBe("<1> two bar");
    for (const [bad, message] of [
      [[{ replace: "x" }], "either search or search_regexp"],
      [[{ search: "a", search_regexp: "b" }], "either search or search_regexp"],
      [[{ search_regexp: "(" }], "regular expression"],
      [[], "replacements"],
    ] as const) {
      const handler = { handler: "replace_response", replacements: bad };
      const { text: answer } = await server.admin("POST", "/validate", siteConfig({ handle: [handler] }));
      expect(answer).toContain(message);
    }
    await server.close();
  });

  test.each([
    '\treplace re "a+" b\n',
    "\treplace stream\n",
    '\treplace {\n\t\tstream\n\t\tre "a+" $1\n\t\tc d\n\t}\n',
  ])("%j comes back", async (body) => {
    const serverfile = `:80 {\n${body}}\n`;
    const { result } = adaptServerfile(Buffer.from(serverfile), {});
    expect(adaptServerfile(Buffer.from(await toServerfile(result)), {}).result).toEqual(result);
  });

  test("words of the directive have no text form as texts to look for", async () => {
    const routes = [{ handle: [{ handler: "replace_response", replacements: [{ search: "stream" }] }] }];
    const config = { apps: { http: { servers: { srv0: { listen: [":80"], routes } } } } };
    await expect(toServerfile(config)).rejects.toThrow("the word stream begins another line");
  });
});
