import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";
import { adaptServerfile, toServerfile } from "../../../../admin-server/src/testing/serverfile.ts";
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
  ["replace", "replace needs a text to look for"],
  ["replace a", "wrong argument count"],
  ["replace a b c", "wrong argument count"],
  ["replace {\na\n}", "wrong argument count"],
])("refuses %j", (body, message) => {
  expect(() => adaptServerfile(Buffer.from(`:80 {\n${body}\n}\n`), {})).toThrow(message);
});

test("in a block the word match is no text to look for, and that is said", async () => {
  const replacements = [{ search: "match", replace: "x" }, { search: "a" }];
  const routes = [{ handle: [{ handler: "replace", replacements }] }];
  const config = { apps: { http: { servers: { srv0: { listen: [":80"], routes } } } } };
  await expect(toServerfile(config)).rejects.toThrow("a line match is no text to look for");
});

test.each(["replace stream {\n\t\ta b\n\t}", "replace {\n\t\tstream\n\t\ta b\n\t}"])(
  "the plug-in's word stream changes nothing: %s",
  (directive) => {
    const adapted = (text: string) => adaptServerfile(Buffer.from(`:80 {\n\t${text}\n}\n`), {}).result;
    expect(adapted(directive)).toEqual(adapted("replace a b"));
  },
);

test("the plug-in's regular expressions are refused by name", () => {
  expect(() => adaptServerfile(Buffer.from(':80 {\n\treplace re "a+" b\n}\n'), {})).toThrow(
    "regular expressions are not supported",
  );
});
