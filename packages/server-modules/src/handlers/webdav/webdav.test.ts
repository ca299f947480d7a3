import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { DOMParser } from "@xmldom/xmldom";
import { hashSync } from "bcryptjs";
import { ask, type HttpAnswer } from "server-core/testing/ask";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";
import { adaptServerfile, toServerfile } from "../../../../admin-server/src/testing/serverfile.ts";
import { maxLocksOfHolder } from "./lock-table.ts";
import { writeMultistatus } from "./propfind.ts";
import type { FoundResource } from "./share.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "webdav-")));
const root = join(folder, "root");
const at = (...names: string[]) => join(root, ...names);
const read = (...names: string[]) => readFileSync(at(...names), "utf8");
let server: RunningServer;

type Fields = Readonly<Record<string, string>>;

function dav(method: string, target: string, headers: Fields = {}, body = ""): Promise<HttpAnswer> {
  const isChunked = "Transfer-Encoding" in headers;
  const length = body === "" || isChunked ? {} : { "Content-Length": Buffer.byteLength(body) };
  return ask(server.site, { method, target, headers: { ...length, ...headers }, body });
}

const statusOf = async (...request: Parameters<typeof dav>) => (await dav(...request)).status;

beforeAll(async () => {
  const handle = (config: object) => ({ handler: "webdav", root, ...config });
  server = await RunningServer.start(
    siteConfig(
      { match: [{ path: ["/dav", "/dav/*"] }], handle: [handle({ prefix: "/dav/" })], terminal: true },
      {
        match: [{ path: ["/cut/*"] }],
        handle: [{ handler: "rewrite", strip_path_prefix: "/cut" }, handle({})],
        terminal: true,
      },
      {
        match: [{ path: ["/absent/*"] }],
        handle: [handle({ root: join(folder, "absent") })],
        terminal: true,
      },
      {
        match: [{ header: { "X-User": ["*"] } }],
        handle: [{ handler: "request_body", max_size: 10_000 }, handle({})],
        terminal: true,
      },
      { handle: [handle({})] },
    ),
  );
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, maxRetries: 5 });
});

beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(at("dir", "sub"), { recursive: true });
  writeFileSync(at("file.txt"), "hello");
  writeFileSync(at("dir", "a b.txt"), "1");
  writeFileSync(at("dir", "sub", "deep.txt"), "22");
});

interface Listed {
  readonly href: string;
  readonly ok: Record<string, string>;
  readonly missing: string[];
}

/** Reads a multi-status with a parser that is not ours. */
function listed(text: string): Listed[] {
  const onError = (level: string, message: string) => {
    if (level !== "warning") {
      throw new Error(message);
    }
  };
  const document = new DOMParser({ onError }).parseFromString(text, "text/xml");
  return Array.from(document.getElementsByTagNameNS("DAV:", "response"), (response) => {
    const found: Listed = {
      href: response.getElementsByTagNameNS("DAV:", "href")[0]?.textContent ?? "",
      ok: {},
      missing: [],
    };
    for (const group of Array.from(response.getElementsByTagNameNS("DAV:", "propstat"))) {
      const isOk = group.getElementsByTagNameNS("DAV:", "status")[0]?.textContent === "HTTP/1.1 200 OK";
      const prop = group.getElementsByTagNameNS("DAV:", "prop")[0];
      for (const each of Array.from(prop?.childNodes ?? [])) {
        if (isOk) {
          found.ok[each.localName ?? ""] = each.hasChildNodes()
            ? each.textContent || (each.firstChild?.localName ?? "")
            : "";
        } else {
          found.missing.push(`${each.namespaceURI} ${each.localName}`);
        }
      }
    }
    return found;
  });
}

const lockInfo = (scope = "exclusive", owner = "<D:href>me</D:href>") =>
  `<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:${scope}/></D:lockscope><D:locktype><D:write/></D:locktype><D:owner>${owner}</D:owner></D:lockinfo>`;

async function locked(target: string, headers: Fields = {}): Promise<string> {
  const { status, headers: fields } = await dav("LOCK", target, headers, lockInfo());
  expect([200, 201]).toContain(status);
  return String(fields["lock-token"]);
}

async function unlocked(target: string, token: string): Promise<void> {
  expect(await statusOf("UNLOCK", target, { "Lock-Token": token })).toBe(204);
}

describe("reading", () => {
  test("OPTIONS tells the methods of files, of folders and of what is not there", async () => {
    const { status, headers } = await dav("OPTIONS", "/file.txt");
    expect([status, headers.dav, headers["ms-author-via"]]).toEqual([200, "1, 2", "DAV"]);
    expect(headers.allow).toBe(
      "OPTIONS, LOCK, GET, HEAD, POST, DELETE, PROPPATCH, COPY, MOVE, UNLOCK, PROPFIND, PUT",
    );
    expect((await dav("OPTIONS", "/dir")).headers.allow).toBe(
      "OPTIONS, LOCK, DELETE, PROPPATCH, COPY, MOVE, UNLOCK, PROPFIND",
    );
    expect((await dav("OPTIONS", "/none")).headers.allow).toBe("OPTIONS, LOCK, PUT, MKCOL");
  });

  test("GET, HEAD, POST, ranges and conditions of a file", async () => {
    const { status, headers, text } = await dav("GET", "/file.txt");
    expect([status, text, headers["content-type"]]).toEqual([200, "hello", "text/plain; charset=utf-8"]);
    const etag = String(headers.etag);
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect((await dav("HEAD", "/file.txt")).headers["content-length"]).toBe("5");
    expect((await dav("POST", "/file.txt")).text).toBe("hello");
    expect((await dav("GET", "/file.txt", { Range: "bytes=1-2" })).text).toBe("el");
    expect(await statusOf("GET", "/file.txt", { "If-None-Match": etag })).toBe(304);
    expect(await statusOf("GET", "/file.txt", { "If-Match": '"x"' })).toBe(412);
    expect(await statusOf("GET", "/none")).toBe(404);
    expect(await statusOf("GET", "/file.txt/x")).toBe(404);
    expect(await statusOf("GET", "/absent/x")).toBe(404);
  });

  test("a folder is read as with PROPFIND and Depth: 1", async () => {
    const { status, text } = await dav("GET", "/dir");
    expect(status).toBe(207);
    expect(new Set(listed(text).map(({ href }) => href))).toEqual(
      new Set(["/dir/", "/dir/a%20b.txt", "/dir/sub/"]),
    );
    expect(await dav("HEAD", "/dir")).toMatchObject({ status: 207, text: "" });
    expect(await statusOf("POST", "/dir")).toBe(405);
  });

  test("a method that is none of these", async () => {
    const { status, headers } = await dav("PATCH", "/none");
    expect([status, headers.allow]).toEqual([405, "OPTIONS, LOCK, PUT, MKCOL"]);
  });
});

describe("PROPFIND", () => {
  const ask3 = (names: string) => `<propfind xmlns="DAV:"><prop>${names}</prop></propfind>`;

  test("all properties of a file and of a folder", async () => {
    utimesSync(at("file.txt"), 1_700_000_000, 1_700_000_000);
    const { headers, text } = await dav("PROPFIND", "/file.txt", { Depth: "0" });
    expect(headers["content-type"]).toBe("text/xml; charset=utf-8");
    const etag = String((await dav("GET", "/file.txt")).headers.etag);
    expect(listed(text)).toEqual([
      {
        href: "/file.txt",
        ok: {
          resourcetype: "",
          displayname: "file.txt",
          getlastmodified: "Tue, 14 Nov 2023 22:13:20 GMT",
          supportedlock: "lockentry",
          lockdiscovery: "",
          getcontentlength: "5",
          getcontenttype: "text/plain; charset=utf-8",
          getetag: etag,
        },
        missing: [],
      },
    ]);
    const [first] = listed((await dav("PROPFIND", "/", { Depth: "0" })).text);
    expect(first).toMatchObject({ href: "/", ok: { resourcetype: "collection", displayname: "" } });
    expect(first?.ok).not.toHaveProperty("getetag");
  });

  test("named properties, names only, and more than all", async () => {
    const some = await dav(
      "PROPFIND",
      "/dir",
      { Depth: "0" },
      ask3('<getcontentlength/><x xmlns="urn:x&quot;y"/><y xmlns=""/>'),
    );
    expect(listed(some.text)).toEqual([
      { href: "/dir/", ok: {}, missing: ["DAV: getcontentlength", 'urn:x"y x', "null y"] },
    ]);
    const names = '<D:propfind xmlns:D="DAV:"><D:propname/></D:propfind>';
    expect(listed((await dav("PROPFIND", "/file.txt", {}, names)).text)[0]?.ok).toMatchObject({
      getetag: "",
      displayname: "",
    });
    const more =
      '<D:propfind xmlns:D="DAV:"><D:allprop/><D:include><D:getetag/><D:x/></D:include></D:propfind>';
    const [all] = listed((await dav("PROPFIND", "/file.txt", {}, more)).text);
    expect([Object.keys(all?.ok ?? {}).length, all?.missing]).toEqual([8, ["DAV: x"]]);
  });

  test("depths", async () => {
    const hrefs = async (headers: Fields) =>
      listed((await dav("PROPFIND", "/", headers, ask3("<resourcetype/>"))).text)
        .map(({ href }) => href)
        .sort();
    expect(await hrefs({ Depth: "0" })).toEqual(["/"]);
    expect(await hrefs({ Depth: "1" })).toEqual(["/", "/dir/", "/file.txt"]);
    const all = ["/", "/dir/", "/dir/a%20b.txt", "/dir/sub/", "/dir/sub/deep.txt", "/file.txt"];
    expect(await hrefs({ Depth: "Infinity" })).toEqual(all);
    expect(await hrefs({})).toEqual(all);
    expect(await dav("PROPFIND", "/", { Depth: "2" })).toMatchObject({
      status: 400,
      text: "invalid Depth: this method takes infinity, 0, 1\n",
    });
  });

  test.each([1, 101, 1500])("a folder of %i files", async (count) => {
    mkdirSync(at("many"));
    for (let index = 0; index < count; index++) {
      writeFileSync(at("many", `${index}`), "");
    }
    const found = listed((await dav("PROPFIND", "/many/", { Depth: "1" })).text);
    expect(new Set(found.map(({ href }) => href)).size).toBe(count + 1);
  });

  test("a listing over the limit says that it is not whole", async () => {
    const resource = { href: "/x/" } as FoundResource;
    async function* three(third: FoundResource | undefined): AsyncGenerator<FoundResource | undefined> {
      yield resource;
      yield resource;
      yield third;
    }
    const write = async (limit: number, third: FoundResource | undefined) => {
      const pieces: Buffer[] = [];
      for await (const piece of writeMultistatus(three(third), () => "<D:response/>", limit)) {
        pieces.push(piece);
      }
      return Buffer.concat(pieces).toString();
    };
    expect(await write(3, resource)).not.toContain("507");
    const cut =
      "<D:response/><D:response/><D:response><D:href>/x/</D:href><D:status>HTTP/1.1 507 Insufficient Storage</D:status></D:response></D:multistatus>";
    expect(await write(2, resource)).toContain(cut);
    expect(await write(3, undefined)).toContain(cut); // more folders than a walk remembers
  });

  test("names that XML or URLs have no place for", async () => {
    const names = ["a&b<c>.txt", "\u0001\ufffe", "[x]#?%.txt", "\u00fc"];
    mkdirSync(at("odd"));
    for (const name of names) {
      writeFileSync(at("odd", name), name);
    }
    writeFileSync(Buffer.concat([Buffer.from(at("odd/")), Buffer.from([0xff])]), "byte");
    const found = listed((await dav("PROPFIND", "/odd", { Depth: "1" })).text).slice(1);
    expect(new Set(found.map(({ ok }) => ok.displayname))).toEqual(
      new Set(["a&b<c>.txt", "\ufffd\ufffd", "[x]#?%.txt", "\u00fc", "\ufffd"]),
    );
    const texts = await Promise.all(found.map(async ({ href }) => (await dav("GET", href)).text));
    expect(new Set(texts)).toEqual(new Set([...names, "byte"]));
  });

  test.each([
    ["no XML", "<x"],
    ["another element", "<propfind/>"],
    ["nothing asked", '<propfind xmlns="DAV:"/>'],
    ["two things asked", '<propfind xmlns="DAV:"><allprop/><propname/></propfind>'],
    ["a document type", '<!DOCTYPE x [<!ENTITY a "b">]><propfind xmlns="DAV:"><allprop/></propfind>'],
    ["a prefix without namespace", ask3('<bar:foo xmlns:bar=""/>')],
    ["an unknown prefix", ask3("<bar:foo/>")],
    ["depth", ask3("<a>".repeat(40) + "</a>".repeat(40))],
    ["too many names", ask3("<a/>".repeat(201))],
  ])("a body with %s is refused", async (_name, body) => {
    expect(await statusOf("PROPFIND", "/file.txt", {}, body)).toBe(400);
  });

  test("a body over the limit is refused", async () => {
    const { status, text } = await dav("PROPFIND", "/file.txt", {}, ask3(" ".repeat(70_000)));
    expect([status, text]).toEqual([413, "request body is larger than the limit of 65536 bytes\n"]);
  });
});

test("PROPPATCH sets nothing, and says so for each property", async () => {
  const body = (names: string) =>
    `<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop>${names}</D:prop></D:set><D:remove><D:prop><z xmlns="urn:x"/></D:prop></D:remove></D:propertyupdate>`;
  const own = await dav("PROPPATCH", "/file.txt", {}, body('<x xmlns="urn:x">1</x>'));
  expect([own.status, listed(own.text)[0]?.missing]).toEqual([207, ["urn:x x", "urn:x z"]]);
  expect(own.text).toContain("HTTP/1.1 403 Forbidden");
  const both = await dav(
    "PROPPATCH",
    "/file.txt",
    {},
    body('<x xmlns="urn:x">1</x><D:getetag>"x"</D:getetag>'),
  );
  expect(both.text).toMatch(
    /getetag.*403 Forbidden.*cannot-modify-protected-property.*424 Failed Dependency/,
  );
  expect(await statusOf("PROPPATCH", "/file.txt", {}, "<x/>")).toBe(400);
  expect(await statusOf("PROPPATCH", "/file.txt")).toBe(400);
  expect(await statusOf("PROPPATCH", "/none", {}, body("<D:x/>"))).toBe(404);
});

describe("PUT", () => {
  test("makes a file and replaces it, with its rights", async () => {
    const made = await dav("PUT", "/new%20one.txt", {}, "one");
    expect([made.status, read("new one.txt")]).toEqual([201, "one"]);
    expect((await dav("GET", "/new%20one.txt")).headers.etag).toBe(made.headers.etag);
    chmodSync(at("new one.txt"), 0o640);
    expect(await statusOf("PUT", "/new%20one.txt", {}, "two")).toBe(204);
    expect([read("new one.txt"), statSync(at("new one.txt")).mode & 0o777]).toEqual(["two", 0o640]);
    expect(await statusOf("PUT", "/empty")).toBe(201);
    expect(read("empty")).toBe("");
    expect(await statusOf("PUT", "/chunked", { "Transfer-Encoding": "chunked" }, "x".repeat(300_000))).toBe(
      201,
    );
    expect(read("chunked")).toHaveLength(300_000);
  });

  test.each([
    ["/none/new.txt", {}, 409],
    ["/file.txt/x", {}, 409],
    ["/dir", {}, 405],
    ["/", {}, 405],
    ["/new.txt", { "Content-Range": "bytes 0-1/4" }, 400],
    ["/file.txt", { "If-None-Match": "*" }, 412],
    ["/file.txt", { "If-Match": '"other"' }, 412],
    ["/new.txt", { "If-Match": "*" }, 412],
    ["/file.txt", { "If-Unmodified-Since": "Tue, 14 Nov 2000 22:13:20 GMT" }, 412],
    ["/file.txt", { If: '(["other"])' }, 412],
    ["/file.txt", { If: "(<urn:none>)" }, 412],
    ["/file.txt", { If: "(" }, 400],
    [`/${"n".repeat(300)}`, {}, 400],
  ])("%s with %o is refused with %i", async (target, headers, status) => {
    expect(await statusOf("PUT", target, headers as Fields, "new")).toBe(status);
    expect([read("file.txt"), existsSync(at("new.txt"))]).toEqual(["hello", false]);
  });

  test("conditions that hold", async () => {
    expect(await statusOf("PUT", "/new.txt", { "If-None-Match": "*" }, "1")).toBe(201);
    const { etag } = (await dav("GET", "/new.txt")).headers;
    expect(await statusOf("PUT", "/new.txt", { If: `([${etag}])` }, "2")).toBe(204);
    expect(await statusOf("PUT", "/new.txt", { If: `(Not [${etag}])` }, "3")).toBe(204);
    expect(
      await statusOf("PUT", "/new.txt", { If: `</file.txt> ([${etag}]) </new.txt> (Not <urn:x>)` }, "4"),
    ).toBe(204);
  });

  test("a body that breaks off or is too large leaves the file as it was", async () => {
    const socket = connect(Number(new URL(server.site).port), "127.0.0.1");
    socket.write("PUT /file.txt HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nhalf");
    await expect.poll(() => readdirSync(root).some((name) => name.startsWith(".webdav-"))).toBe(true);
    expect((await dav("PROPFIND", "/", { Depth: "1" })).text).not.toContain(".webdav-");
    socket.destroy();
    await once(socket, "close");
    await expect.poll(() => readdirSync(root).sort()).toEqual(["dir", "file.txt"]);
    expect(read("file.txt")).toBe("hello");
    expect(await statusOf("PUT", "/file.txt", { "X-User": "x" }, "x".repeat(20_000))).toBe(413);
    expect([read("file.txt"), readdirSync(root).length]).toEqual(["hello", 2]);
  });

  test("of many that make or change the same file under a condition, one does", async () => {
    const race = async (headers: Fields) => {
      const put = (_: unknown, index: number) =>
        statusOf("PUT", "/race.txt", headers, `${index}`.repeat(50_000));
      return (await Promise.all(Array.from({ length: 20 }, put))).sort();
    };
    const losers = Array(19).fill(412);
    expect(await race({ "If-None-Match": "*" })).toEqual([201, ...losers]);
    const { etag } = (await dav("GET", "/race.txt")).headers;
    expect(await race({ "If-Match": String(etag) })).toEqual([204, ...losers]);
    expect(await race({ If: `([${(await dav("GET", "/race.txt")).headers.etag}])` })).toEqual([
      204,
      ...losers,
    ]);
    expect(readdirSync(root).sort()).toEqual(["dir", "file.txt", "race.txt"]);
  });

  test("a lock that comes while a body is under way counts", async () => {
    const socket = connect(Number(new URL(server.site).port), "127.0.0.1");
    socket.write("PUT /file.txt HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 8\r\n\r\nhalf");
    await expect.poll(() => readdirSync(root).some((name) => name.startsWith(".webdav-"))).toBe(true);
    const { headers } = await dav("LOCK", "/file.txt", {}, lockInfo());
    socket.write("half");
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 423 /);
    expect([read("file.txt"), readdirSync(root).sort()]).toEqual(["hello", ["dir", "file.txt"]]);
    await unlocked("/file.txt", String(headers["lock-token"]));
  });

  test("names of uploads under way are nobody's", async () => {
    const name = "/.webdav-01234567-89ab-cdef-0123-456789abcdef.tmp";
    expect(await statusOf("PUT", name, {}, "x")).toBe(403);
    expect(await statusOf("COPY", "/file.txt", { Destination: name })).toBe(403);
  });
});

test("MKCOL", async () => {
  expect(await statusOf("MKCOL", "/new/")).toBe(201);
  expect(statSync(at("new")).isDirectory()).toBe(true);
  expect(await statusOf("MKCOL", "/new")).toBe(405);
  expect(await statusOf("MKCOL", "/file.txt")).toBe(405);
  expect(await statusOf("MKCOL", "/none/new")).toBe(409);
  expect(await statusOf("MKCOL", "/other", {}, "body")).toBe(415);
  expect(existsSync(at("other"))).toBe(false);
  const many = await Promise.all(Array.from({ length: 20 }, () => statusOf("MKCOL", "/race")));
  expect(many.filter((status) => status === 201)).toHaveLength(1);
  expect(many.every((status) => [201, 405, 409].includes(status))).toBe(true);
});

test("DELETE", async () => {
  expect(await statusOf("DELETE", "/file.txt", { "If-Match": '"x"' })).toBe(412);
  expect(await statusOf("DELETE", "/file.txt")).toBe(204);
  expect(await statusOf("DELETE", "/file.txt")).toBe(404);
  expect(await statusOf("DELETE", "/dir", { Depth: "0" })).toBe(400);
  expect(await statusOf("DELETE", "/dir")).toBe(204);
  expect(await statusOf("DELETE", "/")).toBe(403);
  expect(readdirSync(root)).toEqual([]);
});

describe("COPY and MOVE", () => {
  test("files, over others too", async () => {
    expect(await statusOf("COPY", "/file.txt", { Destination: `${server.site}/a%20copy.txt` })).toBe(201);
    expect(await statusOf("COPY", "/file.txt", { Destination: "/dir/a%20b.txt", Overwrite: "F" })).toBe(412);
    expect(read("dir", "a b.txt")).toBe("1");
    expect(await statusOf("COPY", "/file.txt", { Destination: "/dir/a%20b.txt" })).toBe(204);
    expect(await statusOf("MOVE", "/file.txt", { Destination: "/moved.txt" })).toBe(201);
    expect(await statusOf("MOVE", "/moved.txt", { Destination: "/a%20copy.txt", Overwrite: "T" })).toBe(204);
    expect([read("dir", "a b.txt"), read("a copy.txt"), readdirSync(root).sort()]).toEqual([
      "hello",
      "hello",
      ["a copy.txt", "dir"],
    ]);
  });

  test("folders, over others too", async () => {
    expect(await statusOf("COPY", "/dir/", { Destination: "/whole/" })).toBe(201);
    expect(read("whole", "sub", "deep.txt")).toBe("22");
    expect(await statusOf("COPY", "/dir", { Destination: "/shallow", Depth: "0" })).toBe(201);
    expect(readdirSync(at("shallow"))).toEqual([]);
    expect(await statusOf("COPY", "/shallow", { Destination: "/whole" })).toBe(204);
    expect(readdirSync(at("whole"))).toEqual([]);
    expect(await statusOf("MOVE", "/dir", { Destination: "/file.txt" })).toBe(204);
    expect(read("file.txt", "sub", "deep.txt")).toBe("22");
    writeFileSync(at("over"), "file");
    expect(await statusOf("MOVE", "/over", { Destination: "/file.txt" })).toBe(204);
    expect([read("file.txt"), readdirSync(root).sort()]).toEqual(["file", ["file.txt", "shallow", "whole"]]);
  });

  test.each([
    ["no destination", "COPY", "/file.txt", {}, 400],
    ["another host", "MOVE", "/file.txt", { Destination: "http://other.example/x" }, 502],
    ["no URL", "MOVE", "/file.txt", { Destination: "x" }, 400],
    ["a bad escape", "MOVE", "/file.txt", { Destination: "/%zz" }, 400],
    ["a NUL", "MOVE", "/file.txt", { Destination: "/a%00b" }, 400],
    ["the file itself", "MOVE", "/file.txt", { Destination: "/file.txt" }, 403],
    ["no folder for it", "COPY", "/file.txt", { Destination: "/none/x" }, 409],
    ["nothing to copy", "COPY", "/none", { Destination: "/x" }, 404],
    ["nothing to move", "MOVE", "/none", { Destination: "/x" }, 404],
    ["a bad depth", "COPY", "/dir", { Destination: "/x", Depth: "1" }, 400],
    ["a depth of MOVE", "MOVE", "/dir", { Destination: "/x", Depth: "0" }, 400],
    ["a bad Overwrite", "COPY", "/dir", { Destination: "/x", Overwrite: "yes" }, 400],
    ["a folder into itself", "COPY", "/dir", { Destination: "/dir/sub/in" }, 403],
    ["a folder moved into itself", "MOVE", "/dir", { Destination: "/dir/sub/in" }, 403],
    ["a folder over the one it is in", "COPY", "/dir/sub", { Destination: "/dir" }, 403],
    ["a file over the folder it is in", "MOVE", "/dir/sub/deep.txt", { Destination: "/dir" }, 403],
    ["the root", "MOVE", "/", { Destination: "/x" }, 403],
    ["over the root", "COPY", "/dir", { Destination: "/" }, 403],
    ["a condition", "COPY", "/file.txt", { Destination: "/x", "If-Match": '"x"' }, 412],
  ])("%s is refused, and nothing changes", async (_name, method, target, headers, status) => {
    expect(await statusOf(method, target, headers as unknown as Fields)).toBe(status);
    expect(readdirSync(root, { recursive: true }).sort()).toEqual(
      ["dir", "dir/a b.txt", "dir/sub", "dir/sub/deep.txt", "file.txt"].sort(),
    );
  });

  test("a destination may have its bytes of UTF-8 as they are", async () => {
    expect(
      await statusOf("COPY", "/file.txt", { Destination: Buffer.from("/ü.txt").toString("latin1") }),
    ).toBe(201);
    expect(readdirSync(root)).toContain("ü.txt");
  });

  test("the port that is usual need not be named, and the scheme may be a proxy's", async () => {
    const headers = { Host: "dav.example", Destination: "https://DAV.example:443/x.txt" };
    expect(await statusOf("COPY", "/file.txt", headers)).toBe(201);
    expect(
      await statusOf("COPY", "/file.txt", { ...headers, Destination: "https://dav.example:444/y" }),
    ).toBe(502);
  });
});

test("behind a trusted proxy the destination may be of the host that it names, else not", async () => {
  const start = (more: object) =>
    RunningServer.start({
      apps: {
        http: {
          servers: {
            s: { listen: ["127.0.0.1:0"], routes: [{ handle: [{ handler: "webdav", root }] }], ...more },
          },
        },
      },
    });
  const trusting = { trusted_proxies: { source: "static", ranges: ["127.0.0.0/8"] } };
  for (const [more, status] of [
    [trusting, 201],
    [{}, 502],
  ] as const) {
    const proxied = await start(more);
    try {
      const headers = { "X-Forwarded-Host": "dav.example", Destination: "https://dav.example/x.txt" };
      expect((await ask(proxied.site, { method: "COPY", target: "/file.txt", headers })).status).toBe(status);
    } finally {
      await proxied.close();
    }
  }
});

describe("prefixes", () => {
  test("of the config", async () => {
    const found = listed((await dav("PROPFIND", "/dav/dir", { Depth: "1" })).text);
    expect(found.map(({ href }) => href).sort()).toEqual([
      "/dav/dir/",
      "/dav/dir/a%20b.txt",
      "/dav/dir/sub/",
    ]);
    expect(listed((await dav("PROPFIND", "/dav", { Depth: "0" })).text)[0]?.href).toBe("/dav/");
    expect(await statusOf("MOVE", "/dav/file.txt", { Destination: "/dav/x.txt" })).toBe(201);
    expect(await statusOf("MOVE", "/dav/x.txt", { Destination: "/x.txt" })).toBe(502);
    expect(await statusOf("MOVE", "/dav/x.txt", { Destination: "/davx" })).toBe(502);
    expect(await statusOf("MOVE", "/dav/x.txt", { Destination: "/dav/../../x.txt" })).toBe(502);
  });

  test("that handle_path cut off", async () => {
    const found = listed((await dav("PROPFIND", "/cut/dir", { Depth: "1" })).text);
    expect(found.map(({ href }) => href).sort()).toEqual([
      "/cut/dir/",
      "/cut/dir/a%20b.txt",
      "/cut/dir/sub/",
    ]);
    expect(await statusOf("MOVE", "/cut/file.txt", { Destination: `${server.site}/cut/x.txt` })).toBe(201);
    expect(read("x.txt")).toBe("hello");
    expect(await statusOf("MOVE", "/cut/x.txt", { Destination: "/x2.txt" })).toBe(502);
  });
});

describe("nobody leaves the root", () => {
  beforeEach(() => {
    rmSync(join(folder, "outside"), { recursive: true, force: true });
    mkdirSync(join(folder, "outside"));
    writeFileSync(join(folder, "outside", "secret"), "secret");
    symlinkSync(join(folder, "outside"), at("out"));
    symlinkSync(join(folder, "outside", "secret"), at("link"));
    symlinkSync(join(folder, "outside", "new"), at("dangling"));
    symlinkSync("file.txt", at("within"));
    symlinkSync("..", at("dir", "up"));
  });

  test.each([
    ["GET", "/link"],
    ["GET", "/out/secret"],
    ["GET", "/dir/up/out/secret"],
    ["PROPFIND", "/out"],
    ["PUT", "/link"],
    ["PUT", "/dangling"],
    ["PUT", "/out/new"],
    ["MKCOL", "/out/new"],
    ["DELETE", "/out/secret"],
    ["LOCK", "/out/new"],
    ["MOVE", "/out/secret"],
    ["COPY", "/link"],
  ])("%s %s", async (method, target) => {
    const body = { PUT: "x", LOCK: lockInfo() }[method];
    expect(await statusOf(method, target, { Destination: "/taken" }, body)).toBe(403);
    expect(existsSync(at("taken"))).toBe(false);
    expect(readdirSync(join(folder, "outside"))).toEqual(["secret"]);
  });

  test("as a destination", async () => {
    for (const target of ["/out/new", "/dangling", "/link"]) {
      expect(await statusOf("COPY", "/file.txt", { Destination: target })).toBe(403);
      expect(await statusOf("MOVE", "/file.txt", { Destination: target })).toBe(403);
    }
    expect(readFileSync(join(folder, "outside", "secret"), "utf8")).toBe("secret");
    expect(readdirSync(join(folder, "outside"))).toEqual(["secret"]);
  });

  test.each([
    "/../outside/secret",
    "/%2e%2e/outside/secret",
    "/dav/..%2f..%2foutside/secret",
    "/x/../../outside/secret",
  ])("by %s", async (target) => {
    expect(await statusOf("GET", target)).toBe(404);
    expect(await statusOf("COPY", "/file.txt", { Destination: target.replace("secret", "new") })).toBe(409);
    expect(readdirSync(join(folder, "outside"))).toEqual(["secret"]);
  });

  test("links within are followed, but not in circles; a folder goes without what its links lead to", async () => {
    expect((await dav("GET", "/within")).text).toBe("hello");
    expect(await statusOf("PUT", "/within", {}, "new")).toBe(204);
    expect(read("file.txt")).toBe("new");
    const found = listed((await dav("PROPFIND", "/")).text).map(({ href }) => href);
    expect(found.sort()).toEqual(
      [
        "/",
        "/dir/",
        "/dir/a%20b.txt",
        "/dir/sub/",
        "/dir/sub/deep.txt",
        "/dir/up/",
        "/file.txt",
        "/within",
      ].sort(),
    );
    expect(await statusOf("COPY", "/dir", { Destination: "/again" })).toBe(201);
    expect(await statusOf("DELETE", "/again")).toBe(204);
    expect(await statusOf("DELETE", "/dir/up")).toBe(204);
    expect(await statusOf("MOVE", "/file.txt", { Destination: "/within" })).toBe(403);
    expect(read("file.txt")).toBe("new");
    expect(await statusOf("DELETE", "/within")).toBe(204);
    expect(readdirSync(root).sort()).toEqual(["dangling", "dir", "file.txt", "link", "out"]);
  });
});

describe("locks", () => {
  test("one on a file", async () => {
    const { status, headers, text } = await dav(
      "LOCK",
      "/file.txt",
      { Timeout: "Second-100", Depth: "0" },
      lockInfo(),
    );
    const token = String(headers["lock-token"]);
    expect([status, token]).toEqual([200, expect.stringMatching(/^<opaquelocktoken:[0-9a-f-]{36}>$/)]);
    expect(text).toContain(
      `<D:depth>0</D:depth><D:owner><D:href>me</D:href></D:owner><D:timeout>Second-100</D:timeout><D:locktoken><D:href>${token.slice(1, -1)}</D:href></D:locktoken><D:lockroot><D:href>/file.txt</D:href></D:lockroot>`,
    );
    expect((await dav("PROPFIND", "/file.txt")).text).toContain(token.slice(1, -1));
    const If = `(${token})`;
    for (const [method, more, body] of [
      ["PUT", {}, "x"],
      ["DELETE", {}],
      ["MOVE", { Destination: "/x" }],
      ["PROPPATCH", {}, "<x/>"],
      ["LOCK", {}, lockInfo()],
    ] as const) {
      const answer = await dav(method, "/file.txt", more as Fields, body);
      expect([method, answer.status]).toEqual([method, 423]);
      expect(answer.text).toMatch(/<D:(?:lock-token-submitted|no-conflicting-lock)><D:href>\/file\.txt</);
    }
    expect(await statusOf("COPY", "/dir/a%20b.txt", { Destination: "/file.txt" })).toBe(423);
    expect(await statusOf("COPY", "/file.txt", { Destination: "/copy.txt" })).toBe(201);
    expect(await statusOf("PUT", "/file.txt", { If: "(<urn:none>)" }, "x")).toBe(412);
    expect(await statusOf("PUT", "/file.txt", { If: "(<urn:none>) (Not <urn:none>)" }, "x")).toBe(423);
    expect(await statusOf("PUT", "/file.txt", { If }, "mine")).toBe(204);
    expect(await statusOf("COPY", "/dir/a%20b.txt", { Destination: "/file.txt", If })).toBe(204);
    expect(await statusOf("UNLOCK", "/dir", { "Lock-Token": token })).toBe(409);
    expect(await statusOf("UNLOCK", "/file.txt", { "Lock-Token": "<urn:none>" })).toBe(409);
    expect(await statusOf("UNLOCK", "/file.txt")).toBe(400);
    await unlocked("/file.txt", token);
    expect(await statusOf("PUT", "/file.txt", {}, "x")).toBe(204);
  });

  test("a deep one on a folder, and one on the folder alone", async () => {
    const deep = await locked("/dir");
    expect(await statusOf("PUT", "/dir/sub/deep.txt", {}, "x")).toBe(423);
    expect(await statusOf("PUT", "/dir/sub/new", {}, "x")).toBe(423);
    expect(await statusOf("LOCK", "/dir/sub/deep.txt", {}, lockInfo())).toBe(423);
    expect(await statusOf("PUT", "/dir/sub/deep.txt", { If: `</dir> (${deep})` }, "x")).toBe(204);
    await unlocked("/dir/sub/deep.txt", deep);
    const alone = await locked("/dir", { Depth: "0" });
    expect(await statusOf("PUT", "/dir/a%20b.txt", {}, "x")).toBe(204);
    expect(await statusOf("PUT", "/dir/new", {}, "x")).toBe(423);
    expect(await statusOf("MKCOL", "/dir/new", {})).toBe(423);
    expect(await statusOf("DELETE", "/dir/a%20b.txt")).toBe(423);
    expect(await statusOf("MOVE", "/file.txt", { Destination: "/dir/new" })).toBe(423);
    expect(await statusOf("LOCK", "/dir/new", {}, lockInfo())).toBe(423);
    expect(await statusOf("PUT", "/dir/sub/new", {}, "x")).toBe(201);
    expect(await statusOf("PUT", "/dir/new", { If: `</dir/> (${alone})` }, "x")).toBe(201);
    await unlocked("/dir", alone);
  });

  test("one within a folder holds the folder", async () => {
    const token = await locked("/dir/sub/deep.txt");
    expect(await statusOf("DELETE", "/dir")).toBe(423);
    expect(await statusOf("MOVE", "/dir", { Destination: "/x" })).toBe(423);
    expect(await statusOf("LOCK", "/dir", {}, lockInfo())).toBe(423);
    expect(read("dir", "sub", "deep.txt")).toBe("22");
    expect(await statusOf("DELETE", "/dir", { If: `</dir/sub/deep.txt> (${token})` })).toBe(204);
    mkdirSync(at("dir", "sub"), { recursive: true });
    expect(await statusOf("PUT", "/dir/sub/deep.txt", {}, "x")).toBe(201);
  });

  test("one that moves away is gone", async () => {
    const token = await locked("/file.txt");
    expect(await statusOf("MOVE", "/file.txt", { Destination: "/moved.txt", If: `(${token})` })).toBe(201);
    expect(await statusOf("PUT", "/moved.txt", {}, "x")).toBe(204);
    expect(await statusOf("PUT", "/file.txt", {}, "x")).toBe(201);
  });

  test("one on nothing makes a file", async () => {
    const { status, headers } = await dav("LOCK", "/new.txt", {}, lockInfo());
    expect([status, read("new.txt")]).toEqual([201, ""]);
    expect(await statusOf("LOCK", "/none/new.txt", {}, lockInfo())).toBe(409);
    await unlocked("/new.txt", String(headers["lock-token"]));
  });

  test("one that is refreshed", async () => {
    const token = await locked("/file.txt", { Timeout: "Second-10" });
    const again = await dav("LOCK", "/file.txt", { If: `(${token})`, Timeout: "Extra, Second-500" });
    expect([again.status, again.headers["lock-token"]]).toEqual([200, undefined]);
    expect(again.text).toContain("<D:timeout>Second-500</D:timeout>");
    const endless = await dav("LOCK", "/file.txt", { If: `(${token})`, Timeout: "Infinite" });
    expect(endless.text).toContain("<D:timeout>Second-86400</D:timeout>");
    expect(await statusOf("LOCK", "/file.txt")).toBe(412);
    expect(await statusOf("LOCK", "/file.txt", { If: "(<urn:none>)" })).toBe(412);
    expect(await statusOf("LOCK", "/dir", { If: `(${token})` })).toBe(412);
    await unlocked("/file.txt", token);
  });

  test("the same by another path to the file", async () => {
    symlinkSync("file.txt", at("other"));
    const token = await locked("/other");
    expect(await statusOf("PUT", "/file.txt", {}, "x")).toBe(423);
    expect(await statusOf("PUT", "/dav/file.txt", {}, "x")).toBe(423);
    await unlocked("/dav/file.txt", token);
  });

  test.each([
    ["a shared one", {}, lockInfo("shared"), 501],
    ["a depth", { Depth: "1" }, lockInfo(), 400],
    ["a time", { Timeout: "soon" }, lockInfo(), 400],
    ["a body", {}, "<x/>", 400],
    ["an owner", {}, lockInfo("exclusive", "x".repeat(2000)), 400],
  ])("%s that is refused", async (_name, headers, body, status) => {
    expect(await statusOf("LOCK", "/new.txt", headers as Fields, body)).toBe(status);
    expect(existsSync(at("new.txt"))).toBe(false);
  });

  test("what an owner says cannot break out of its place", async () => {
    const owner = '<x:a xmlns:x="urn:&lt;x" b="1">&lt;D:href/&gt;<![CDATA[<&]]></x:a>';
    const { text, headers } = await dav("LOCK", "/file.txt", {}, lockInfo("exclusive", owner));
    expect(text).toContain('<D:owner><a xmlns="urn:&#60;x">&#60;D:href/&#62;&#60;&#38;</a></D:owner>');
    await unlocked("/file.txt", String(headers["lock-token"]));
  });
});

test("one client has a tenth of the locks, and others still get theirs", async () => {
  const tokens: string[] = [];
  for (let index = 0; index < maxLocksOfHolder; index++) {
    const { status, headers } = await dav("LOCK", `/many-${index}`, {}, lockInfo());
    expect(status).toBe(201);
    tokens.push(String(headers["lock-token"]));
  }
  const refused = await dav("LOCK", "/one-more", {}, lockInfo());
  expect([refused.status, refused.text]).toEqual([507, expect.stringContaining("at most 100")]);
  expect(existsSync(at("one-more"))).toBe(false);
  const { hostname, port } = new URL(server.site);
  const other = connect({ host: hostname, port: Number(port), localAddress: "127.0.0.2" });
  const body = lockInfo();
  other.write(
    `LOCK /other HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  const token = /^Lock-Token: (.*)\r$/im.exec(await text(other))?.[1] ?? "";
  expect(token).toContain("opaquelocktoken:");
  await unlocked("/other", token);
  for (const [index, each] of tokens.entries()) {
    await unlocked(`/many-${index}`, each);
  }
});

test("a root with NUL is refused when it is loaded", async () => {
  const handle = [{ handler: "webdav", root: "/srv/a\0b" }];
  const answer = await server.admin("POST", "/validate", siteConfig({ handle }));
  expect(JSON.stringify(answer.text)).toContain("a path has no NUL");
});

test("each user has locks of their own, in all threads, and they outlast a reload", async () => {
  const hash = hashSync("hiccup", 4);
  const accounts = ["ann", "bob"].map((username) => ({ username, password: hash }));
  const config = (comment: string) =>
    siteConfig({
      handle: [
        { handler: "authentication", providers: { http_basic: { accounts } } },
        { handler: "headers", response: { set: { "X-Config": [comment] } } },
        { handler: "webdav", root },
      ],
    });
  const shared = await RunningServer.start(config("one"), {}, 2);
  try {
    const as = (user: string) => ({
      Authorization: `Basic ${Buffer.from(`${user}:hiccup`).toString("base64")}`,
    });
    const send = (method: string, user: string, headers: Fields = {}, body = "") =>
      ask(shared.site, { method, target: "/file.txt", headers: { ...as(user), ...headers }, body });
    const lock = await send("LOCK", "ann", {}, lockInfo());
    expect(lock.status).toBe(200);
    const token = String(lock.headers["lock-token"]);
    const puts = await Promise.all(Array.from({ length: 20 }, () => send("PUT", "bob", {}, "x")));
    expect(puts.map(({ status }) => status)).toEqual(Array(20).fill(423));
    expect((await send("PUT", "bob", { If: `(${token})` }, "x")).status).toBe(423);
    expect((await send("UNLOCK", "bob", { "Lock-Token": token })).status).toBe(403);
    expect((await send("PROPFIND", "bob")).text).not.toContain(token.slice(1, -1));
    expect((await send("PROPFIND", "ann")).text).toContain(token.slice(1, -1));
    await shared.server.engine.load(Buffer.from(JSON.stringify(config("two"))));
    const after = await send("PUT", "bob", {}, "x");
    expect([after.status, after.headers["x-config"]]).toEqual([423, "two"]);
    expect((await send("PUT", "ann", { If: `(${token})` }, "x")).status).toBe(204);
    expect((await send("UNLOCK", "ann", { "Lock-Token": token })).status).toBe(204);
  } finally {
    await shared.close();
  }
});

describe("in a serverfile", () => {
  test.each([
    ["\twebdav\n", { handler: "webdav" }],
    [
      "\twebdav {\n\t\troot /srv/{http.auth.user.id}\n\t\tprefix /dav\n\t}\n",
      { handler: "webdav", root: "/srv/{http.auth.user.id}", prefix: "/dav" },
    ],
  ])("%s", async (body, handler) => {
    const text = `:80 {\n${body}}\n`;
    const { result } = adaptServerfile(Buffer.from(text), {});
    expect(result).toEqual({
      apps: { http: { servers: { srv0: { listen: [":80"], routes: [{ handle: [handler] }] } } } },
    });
    expect(await toServerfile(result)).toBe(text);
  });

  test("before file_server, or where the text says", () => {
    const handlers = (text: string) =>
      JSON.stringify(adaptServerfile(Buffer.from(text), {}).result).match(/"handler":"\w+"/g);
    expect(handlers(":80 {\nfile_server\nwebdav\n}")).toEqual([
      '"handler":"webdav"',
      '"handler":"file_server"',
    ]);
    expect(handlers("{\norder webdav last\n}\n:80 {\nwebdav\nfile_server\n}")?.at(-1)).toBe(
      '"handler":"webdav"',
    );
  });

  test.each([
    ["webdav /a x", "wrong argument count"],
    ["webdav {\nroot\n}", "wrong argument count"],
    ["webdav {\nroot a\nroot b\n}", "root path already specified"],
    ["webdav {\nprefix a\nprefix b\n}", "prefix already specified"],
    ["webdav {\nx\n}", "unrecognized subdirective: x"],
  ])("%s", (body, message) => {
    expect(() => adaptServerfile(Buffer.from(`:80 {\n${body}\n}`), {})).toThrow(message);
  });
});
