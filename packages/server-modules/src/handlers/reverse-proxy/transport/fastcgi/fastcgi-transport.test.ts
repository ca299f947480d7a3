import { once } from "node:events";
import { createServer, type Server } from "node:net";
import fc from "fast-check";
import { ask } from "server-core/testing/ask";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../../../admin-server/src/testing/running-server.ts";
import { cgiHeadEnd, parseCgiHead } from "./cgi-head.ts";
import { encodeParameters, encodeRecords, RecordReader, recordType } from "./records.ts";

let running: RunningServer;
let responder: Server | undefined;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterEach(() => {
  responder?.close();
});
afterAll(() => running.close());

function decodeParameters(bytes: Buffer): Map<string, string> {
  const parameters = new Map<string, string>();
  let at = 0;
  const length = (): number => {
    const first = bytes[at] ?? 0;
    if (first < 128) {
      at += 1;
      return first;
    }
    at += 4;
    return bytes.readUInt32BE(at - 4) & 0x7fffffff;
  };
  while (at < bytes.length) {
    const [name, value] = [length(), length()];
    parameters.set(
      bytes.toString("latin1", at, at + name),
      bytes.toString("latin1", at + name, at + name + value),
    );
    at += name + value;
  }
  return parameters;
}

/** A FastCGI program: it receives the variables and the body, and returns the bytes of its standard output. */
async function listen(
  program: (parameters: Map<string, string>, body: Buffer) => Buffer | string,
): Promise<string> {
  responder = createServer((socket) => {
    const [names, input]: Buffer[][] = [[], []];
    socket.on("error", () => {});
    const reader = new RecordReader((type, content) => {
      if (type === recordType.params) {
        names?.push(content);
      } else if (type === recordType.stdin && content.length > 0) {
        input?.push(content);
      } else if (type === recordType.stdin) {
        const output = program(decodeParameters(Buffer.concat(names ?? [])), Buffer.concat(input ?? []));
        socket.write(encodeRecords(recordType.stderr, Buffer.from("a warning")));
        socket.write(encodeRecords(recordType.stdout, Buffer.from(output as string)));
        socket.end(encodeRecords(recordType.endRequest, Buffer.alloc(8)));
      }
    });
    socket.on("data", (bytes: Buffer) => reader.push(bytes));
  }).listen(0, "127.0.0.1");
  await once(responder, "listening");
  return `127.0.0.1:${(responder.address() as { port: number }).port}`;
}

async function load(
  dial: string,
  transport: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): Promise<void> {
  const proxy = {
    handler: "reverse_proxy",
    upstreams: [{ dial }],
    ...more,
    transport: { protocol: "fastcgi", root: "/srv/www", split_path: [".php"], ...transport },
  };
  expect(await running.admin("POST", "/load", siteConfig({ handle: [proxy] }))).toMatchObject({
    status: 200,
  });
}

test("a program gets its variables and the body, and answers with a status of its own", async () => {
  let told = new Map<string, string>();
  const dial = await listen((parameters, body) => {
    told = parameters;
    return `Status: 201 Made\r\nContent-Type: text/x-echo\r\n\r\n${body}`;
  });
  await load(dial, { env: { MINE: "{http.request.method}!" } });
  const headers = { Host: "site.example:81", Proxy: "evil", "X-A": "1" };
  const answer = await ask(`${running.site}/app/index.PHP/extra/path?q=%20`, {
    method: "POST",
    body: "posted",
    headers,
  });
  expect(answer).toMatchObject({ status: 201, text: "posted", headers: { "content-type": "text/x-echo" } });
  expect(Object.fromEntries(told)).toMatchObject({
    SCRIPT_FILENAME: "/srv/www/app/index.PHP",
    SCRIPT_NAME: "/app/index.PHP",
    PATH_INFO: "/extra/path",
    PATH_TRANSLATED: "/srv/www/extra/path",
    QUERY_STRING: "q=%20",
    REQUEST_URI: "/app/index.PHP/extra/path?q=%20",
    REQUEST_METHOD: "POST",
    CONTENT_LENGTH: "6",
    CONTENT_TYPE: "application/x-www-form-urlencoded",
    SERVER_NAME: "site.example",
    SERVER_PORT: "81",
    HTTP_X_A: "1",
    HTTP_HOST: "site.example:81",
    DOCUMENT_ROOT: "/srv/www",
    MINE: "POST!",
  });
  expect(told.has("HTTP_PROXY")).toBe(false);
});

test.each([
  ["site.example", "site.example", "80"],
  ["[::1]", "[::1]", "80"],
  ["[::1]:81", "::1", "81"],
])("the name and port of %s", async (host, name, port) => {
  let told = new Map<string, string>();
  await load(
    await listen((parameters) => {
      told = parameters;
      return "\r\n";
    }),
  );
  await ask(`${running.site}/a.php`, { headers: { Host: host } });
  expect([told.get("SERVER_NAME"), told.get("SERVER_PORT")]).toEqual([name, port]);
});

describe("active health checks", () => {
  test("a program is asked, and gets requests again once it passes", async () => {
    let healthy = false;
    const asked: Map<string, string>[] = [];
    const dial = await listen((parameters) => {
      if (parameters.get("SCRIPT_NAME") !== "/ping") {
        return "Status: 200 OK\r\n\r\nserved";
      }
      asked.push(parameters);
      return `Status: ${healthy ? 200 : 500}\r\n\r\n`;
    });
    const active = { uri: "/ping?a=%20", interval: "20ms", headers: { Host: ["check.example:81"] } };
    await load(dial, { env: { MINE: "{http.request.uri}|{system.slash}" } }, { health_checks: { active } });
    await expect.poll(async () => (await ask(running.site)).status).toBe(503);
    expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({
      SCRIPT_FILENAME: "/srv/www/ping",
      QUERY_STRING: "a=%20",
      REQUEST_URI: "/ping?a=%20",
      REQUEST_METHOD: "GET",
      REMOTE_ADDR: "",
      SERVER_NAME: "check.example",
      SERVER_PORT: "81",
      SERVER_PROTOCOL: "HTTP/1.1",
      SERVER_SOFTWARE: "server",
      MINE: "|/",
    });
    healthy = true;
    await expect.poll(async () => (await ask(running.site)).text).toBe("served");
  });

  test("all of a path is a path", async () => {
    const asked: string[] = [];
    const dial = await listen((parameters) => {
      asked.push(`${parameters.get("SCRIPT_NAME")} ${parameters.get("REQUEST_URI")}`);
      return "Status: 200 OK\r\n\r\n";
    });
    await load(dial, {}, { health_checks: { active: { path: "/ping?full#1", interval: "20ms" } } });
    await expect.poll(() => asked[0]).toBe("/ping?full#1 /ping%3Ffull%231");
  });
});

test("what a program prints beyond the length that it declares is left out", async () => {
  await load(await listen(() => "Content-Length: 2\r\n\r\nfour"));
  expect(await ask(running.site)).toMatchObject({ status: 200, text: "fo" });
});

test.each([
  ["HEAD", 200],
  ["GET", "cut"],
])("a program that goes away after its head has answered %s with %s", async (method, outcome) => {
  responder = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () =>
      socket.end(encodeRecords(recordType.stdout, Buffer.from("Content-Type: text/html\r\n\r\n<p>"))),
    );
  }).listen(0, "127.0.0.1");
  await once(responder, "listening");
  await load(`127.0.0.1:${(responder.address() as { port: number }).port}`);
  const answer = await ask(running.site, { method }).then(
    ({ status }) => status,
    () => "cut",
  );
  expect(answer).toBe(outcome);
});

test("a request without a body has the length 0, and no type where its method has no form", async () => {
  let told = new Map<string, string>();
  const dial = await listen((parameters) => {
    told = parameters;
    return "\r\n\r\n";
  });
  await load(dial);
  const of = async (method: string) => {
    await ask(`${running.site}/a.php`, { method });
    return [told.get("CONTENT_LENGTH"), told.get("CONTENT_TYPE")];
  };
  expect(await of("GET")).toEqual(["0", ""]);
  expect(await of("PUT")).toEqual(["0", "application/x-www-form-urlencoded"]);
});

test.each([
  ["/a.php/b/", "/srv/www/b/"],
  ["/a.php/b", "/srv/www/b"],
])("the path behind the script of %s is at %s", async (target, translated) => {
  let told = new Map<string, string>();
  const dial = await listen((parameters) => {
    told = parameters;
    return "\r\n\r\n";
  });
  await load(dial);
  await ask(`${running.site}${target}`);
  expect(told.get("PATH_TRANSLATED")).toBe(translated);
});

test("a body without a length is read first, and a megabyte goes both ways", async () => {
  const dial = await listen((parameters, body) => `X-Length: ${parameters.get("CONTENT_LENGTH")}\n\n${body}`);
  await load(dial);
  const body = "z".repeat(1_000_000);
  const answer = await ask(`${running.site}/a.php`, {
    method: "PUT",
    body,
    headers: { "Transfer-Encoding": "chunked" },
  });
  expect(answer.headers["x-length"]).toBe("1000000");
  expect(answer.text).toBe(body);
});

/** The variables that a program receives for a target; undefined when the program is not called. */
async function toldFor(target: string, transport = {}): Promise<Map<string, string> | undefined> {
  let told: Map<string, string> | undefined;
  const dial = await listen((parameters) => {
    told = parameters;
    return "\r\n\r\n";
  });
  await load(dial, transport);
  const { status } = await ask(running.site, { target });
  expect(status).toBe(told === undefined ? 400 : 200);
  responder?.close();
  return told;
}

const utf8 = (text: string) => Buffer.from(text).toString("latin1");

test("no path leads out of the root", async () => {
  const told = await toldFor("/a/../../../etc/passwd.php");
  expect(told?.get("SCRIPT_FILENAME")).toBe("/srv/www/etc/passwd.php");
});

test.each([
  "/a/../../..%2f../etc/passwd.php",
  "/public/%2e%2e/a.php",
  "/a.php%2f..%2fb.php",
  "/a.php/%0d%0aX",
  "/a%0a.php",
  "/a%00.php",
])("%s names no script, or two", async (target) => {
  expect(await toldFor(target)).toBeUndefined();
});

test.each([
  ["/%C3%A9.php", "/é.php", ""],
  ["/caf\xc3\xa9.php/\xc3\xa9", "/café.php", "/é"],
  // The last byte of each of these characters is the code of another one: `.`, `/`, CR, LF, NUL.
  ["/%C4%AE%C4%AE%C4%AFa.php", "/ĮĮįa.php", ""],
  ["/a.php/%C4%8D%C4%8A%C4%80", "/a.php", "/čĊĀ"],
  // Lower cases that are longer, or ASCII.
  ["/%C4%B0%C4%B0x.php.txt/a.php", "/İİx.php", ".txt/a.php"],
  ["/%C8%BA.PHP/y", "/Ⱥ.PHP", "/y"],
  ["/x.%E2%84%AAt/a.kt/b", "/x.\u212at/a.kt", "/b"],
])("%s is the script %s with the path info %s", async (target, script, info) => {
  const told = await toldFor(target, {
    split_path: [".php", ".kt"],
    env: { OWN: "ü {http.request.uri.path} {http.request.host}", PEM: "a\nb" },
  });
  expect(told?.get("SCRIPT_NAME")).toBe(utf8(script));
  expect(told?.get("SCRIPT_FILENAME")).toBe(utf8(`/srv/www${script}`));
  expect(told?.get("PATH_INFO")).toBe(utf8(info));
  expect(told?.get("PATH_TRANSLATED")).toBe(
    info === "" ? undefined : utf8(`/srv/www${info.replace(/^\./, "/.")}`),
  );
  expect(told?.get("OWN")).toContain(utf8(`ü ${script}${info} `));
  expect(told?.get("PEM")).toBe("a\nb");
  expect(told?.get("REQUEST_URI")).toMatch(/^\/[!-~]+$/);
});

test("without split parts all of the path is path info", async () => {
  const told = await toldFor("/a%2fb/", { split_path: [] });
  expect([told?.get("SCRIPT_NAME"), told?.get("PATH_INFO")]).toEqual(["", "/a/b/"]);
  expect(told?.get("PATH_TRANSLATED")).toBe("/srv/www/a/b/");
});

test("a parameter that is no byte string is never sent", () => {
  expect(() => encodeParameters(new Map([["A", "\u012f"]]))).toThrow(RangeError);
});

test.each([
  ["no response", ""],
  ["no CGI", "just text\n\n"],
  ["a bad status", "Status: 99\n\n"],
])("a program that sends %s is 502", async (_, output) => {
  await load(await listen(() => output));
  expect((await ask(`${running.site}/a.php`)).status).toBe(502);
});

test("records come out as they went in, whatever pieces they arrive in", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200_000 }),
      fc.integer({ min: 1, max: 70_000 }),
      (content, step) => {
        const bytes = encodeRecords(recordType.stdout, content);
        const parts: Buffer[] = [];
        const reader = new RecordReader((_, part) => parts.push(Buffer.from(part)));
        for (let at = 0; at < bytes.length; at += step) {
          reader.push(bytes.subarray(at, at + step));
        }
        expect(Buffer.concat(parts).equals(Buffer.from(content))).toBe(true);
        expect(reader.isPartial).toBe(false);
      },
    ),
    { numRuns: 50 },
  );
});

test("any bytes as head are a head or an error", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (content) => {
      const bytes = Buffer.from(content);
      const found = cgiHeadEnd(bytes);
      if (found !== undefined) {
        try {
          expect(parseCgiHead(bytes.toString("latin1", 0, found.end)).status).toBeGreaterThanOrEqual(200);
        } catch (error) {
          expect((error as Error).message).toMatch(/^malformed CGI/);
        }
      }
    }),
  );
});
