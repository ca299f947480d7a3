import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";
import { adaptServerfile, toServerfile } from "../../../../admin-server/src/testing/serverfile.ts";

const folder = mkdtempSync(join(tmpdir(), "cgi-"));
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

/** Writes a shell script. @returns its path */
function script(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

const plain = "printf 'Content-Type: text/plain\\n\\n'";
const body = "head -c 100000000 | cksum";

const scripts: Record<string, string> = {
  environment: `${plain}; env | sort`,
  where: `${plain}; pwd; echo "$0"; for each; do echo "<$each>"; done`,
  two: `${plain}; ${body}`,
  sum: `${plain}; echo "$CONTENT_LENGTH"; ${body}`,
  status: "printf 'Status: 418 Teapot\\r\\nX-One: a\\r\\nConnection: close, x-one\\r\\n\\r\\nshort'",
  location: "printf 'Location: /elsewhere\\n\\n'",
  bogus: "printf 'no field\\nContent-Type: text/plain\\n\\nfine'",
  nothing: "exit 3",
  untyped: "printf 'X-One: a\\n\\nbody'",
  "bad-status": "printf 'Status: none\\n\\n'",
  "large-head": "printf 'X-A: '; head -c 200000 /dev/zero | tr '\\\\0' a; printf '\\n\\n'",
  killed: `${plain}; echo part; kill -9 $$`,
  failing: `${plain}; echo whole; exit 1`,
  declared: "printf 'Content-Type: text/plain\\nContent-Length: 4\\n\\nfour and more'",
  deaf: `${plain}; echo heard nothing`,
  stderr: `${plain}; head -c 300000 /dev/zero >&2; echo done`,
  hanging: `echo $$ > "${folder}/hanging-$QUERY_STRING"; sleep 600 & sleep 600; ${plain}`,
  stubborn: `trap '' TERM; echo $$ > "${folder}/stubborn"; while :; do sleep 1; done`,
  pieces: `${plain}; echo one; while [ ! -e "${folder}/go" ]; do sleep 0.05; done; echo two`,
  endless: `echo $$ > "${folder}/endless"; ${plain}; cat /dev/zero`,
  background: `${plain}; echo now; sleep 600 &`,
};

const more: Record<string, object> = {
  environment: {
    scriptName: "/environment",
    envs: ["OWN={http.request.host}", "SERVER_SOFTWARE=mine"],
    passEnvs: ["CGI_TEST_PASSED"],
  },
  where: { args: ["a b", "{path}", "{http.request.uri.query.q}"], scriptName: "/where" },
  sum: { buffer_limit: 1000, max_body: 3_000_000 },
  two: { max_processes: 2 },
  hanging: { max_processes: 2 },
  stubborn: { idle_timeout: "300ms" },
  pieces: { unbufferedOutput: true },
};

let server: RunningServer;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The id that a script wrote down. */
async function pidOf(name: string): Promise<number> {
  let pid = 0;
  await expect
    .poll(() => {
      try {
        pid = Number(readFileSync(join(folder, name), "utf8"));
      } catch {
        pid = 0;
      }
      return pid;
    })
    .toBeGreaterThan(0);
  return pid;
}

beforeAll(async () => {
  process.env.CGI_TEST_PASSED = "passed";
  process.env.CGI_TEST_KEPT = "kept";
  const route = (name: string, executable: string, config: object = {}) => ({
    match: [{ path: [`/${name}`, `/${name}/*`] }],
    handle: [{ handler: "cgi", executable, ...config }],
    terminal: true,
  });
  server = await RunningServer.start(
    siteConfig(
      ...Object.entries(scripts).map(([name, text]) => route(name, script(name, text), more[name])),
      route("absent", join(folder, "absent")),
      route("slow", join(folder, "hanging"), { timeout: "300ms" }),
      route("idle", join(folder, "hanging"), { idle_timeout: "300ms" }),
      route("all", join(folder, "environment"), { passAllEnvs: true }),
      route("inspect", join(folder, "absent"), { inspect: true, args: ["x"], envs: ["A=b"] }),
      route("below", `${folder}{http.request.uri.path}`),
      route("inside", "./where", { workingDirectory: folder }),
    ),
  );
});
afterAll(async () => {
  delete process.env.CGI_TEST_PASSED;
  delete process.env.CGI_TEST_KEPT;
  await server.close();
});

const get = (path: string, options: Parameters<typeof ask>[1] = {}) => ask(`${server.site}${path}`, options);

function variables(text: string): Record<string, string> {
  return Object.fromEntries(text.split("\n").map((line) => line.split(/=(.*)/s).slice(0, 2)));
}

describe("what a program is told", () => {
  test("the request, its fields, its own variables, and few of the server's", async () => {
    const { status, headers, text } = await get("/environment/a%20b/c?x=1&y=%C3%A9", {
      headers: {
        Host: "Example.com:81",
        "X-Two-Words": ["1", "2"],
        Cookie: ["a=1", "b=2"],
        Proxy: "evil",
        X_Y: "z",
      },
    });
    expect([status, headers["content-type"]]).toEqual([200, "text/plain"]);
    const told = variables(text);
    expect(told).toMatchObject({
      GATEWAY_INTERFACE: "CGI/1.1",
      SERVER_PROTOCOL: "HTTP/1.1",
      SERVER_NAME: "Example.com",
      SERVER_PORT: "81",
      HTTP_HOST: "Example.com:81",
      REQUEST_METHOD: "GET",
      REQUEST_URI: "/environment/a%20b/c?x=1&y=%C3%A9",
      QUERY_STRING: "x=1&y=%C3%A9",
      SCRIPT_NAME: "/environment",
      PATH_INFO: "/a b/c",
      SCRIPT_FILENAME: join(folder, "environment"),
      REMOTE_ADDR: "127.0.0.1",
      REMOTE_USER: "",
      HTTP_X_TWO_WORDS: "1, 2",
      HTTP_COOKIE: "a=1; b=2",
      OWN: "Example.com",
      SERVER_SOFTWARE: "mine",
      CGI_TEST_PASSED: "passed",
      PATH: process.env.PATH,
    });
    for (const name of ["HTTP_PROXY", "HTTP_X_Y", "CGI_TEST_KEPT", "CONTENT_LENGTH", "HTTPS"]) {
      expect(told).not.toHaveProperty(name);
    }
  });

  test("all of the server's variables where the config says so", async () => {
    expect(variables((await get("/all")).text)).toMatchObject({ CGI_TEST_KEPT: "kept" });
  });

  test("its folder, its name, its arguments", async () => {
    const executable = join(folder, "where");
    const { text } = await get("/where/x?q=a%3Bb%20$HOME");
    expect(text.split("\n")).toEqual([folder, executable, "<a b>", "</x>", "<a;b $HOME>", ""]);
    expect((await get("/inside")).text.split("\n")[0]).toBe(folder);
  });

  test("nothing is run for inspect", async () => {
    const { text } = await get("/inspect/y");
    expect(text).toContain(`Executable .................... ${join(folder, "absent")}\n  Arg 1`);
    expect(text).toContain("  A ........................... b\n");
    expect(text).toContain("  {path} ...................... /inspect/y\n");
  });
});

describe("bodies", () => {
  test.each([0, 5, 900, 2_500_000])("%i bytes of known length, and chunked", async (length) => {
    const bytes = Buffer.alloc(length, "abc");
    const known = await get("/sum", { method: "POST", body: bytes, headers: { "Content-Length": length } });
    const chunked = await get("/sum", {
      method: "POST",
      body: bytes,
      headers: { "Transfer-Encoding": "chunked" },
    });
    expect(known.text.split("\n")[0]).toBe(String(length));
    expect(known.text).toContain(` ${length}\n`);
    expect(chunked.text).toBe(known.text);
  });

  test("one of unknown length that is too large is refused, one that nobody reads is no fault", async () => {
    const bytes = Buffer.alloc(4_000_000);
    const headers = { "Transfer-Encoding": "chunked" };
    expect((await get("/sum", { method: "POST", body: bytes, headers })).status).toBe(413);
    expect((await get("/deaf", { method: "POST", body: "some bytes" })).text).toBe("heard nothing\n");
  });
});

describe("what a program prints", () => {
  test("status and fields; those of a connection stay", async () => {
    const { status, headers, text } = await get("/status");
    expect([status, headers["x-one"], text]).toEqual([418, undefined, "short"]);
    const { status: found, headers: fields } = await get("/location");
    expect([found, fields.location]).toEqual([302, "/elsewhere"]);
    expect((await get("/bogus")).text).toBe("fine");
    expect((await get("/declared")).text).toBe("four");
    expect((await get("/failing")).text).toBe("whole\n");
    expect((await get("/status", { method: "HEAD" })).status).toBe(418);
  });

  test.each(["nothing", "untyped", "bad-status", "large-head", "absent"])("%s is 500", async (name) => {
    expect((await get(`/${name}`)).status).toBe(500);
  });

  test("an answer cut short does not look whole", async () => {
    await expect(get("/killed")).rejects.toThrow();
  });

  test("much on the standard error holds up nothing", async () => {
    expect((await get("/stderr")).text).toBe("done\n");
  });

  test("each piece arrives when it is printed", async () => {
    const asked = request(`${server.site}/pieces`).end();
    const [response] = await once(asked, "response");
    let text = "";
    response.on("data", (chunk: Buffer) => {
      text += chunk;
    });
    const ended = once(response, "end");
    await expect.poll(() => text).toBe("one\n");
    writeFileSync(join(folder, "go"), "");
    await ended;
    expect(text).toBe("one\ntwo\n");
  });

  test("a child that a program leaves behind ends its answer soon", async () => {
    expect((await get("/background")).text).toBe("now\n");
  });

  test("a path with .. names no program elsewhere", async () => {
    expect((await get("/", { target: "/below/%2e%2e/below/x" })).status).toBe(400);
  });
});

describe("the end of a program", () => {
  test.each(["slow", "idle"])(
    "%s: one that hangs is 504, and ends with all that it started",
    async (name) => {
      expect((await get(`/${name}?${name}`)).status).toBe(504);
      const pid = await pidOf(`hanging-${name}`);
      await expect.poll(() => isAlive(-pid)).toBe(false);
    },
  );

  test("one that refuses to end is killed", async () => {
    expect((await get("/stubborn")).status).toBe(504);
    const pid = await pidOf("stubborn");
    await expect.poll(() => isAlive(-pid)).toBe(false);
  });

  test("too many are 503; a client that leaves ends its own", async () => {
    const sockets = ["one", "two"].map((name) => {
      const socket = connect(Number(new URL(server.site).port), "127.0.0.1").on("error", () => {});
      socket.write(`GET /hanging?${name} HTTP/1.1\r\nHost: a\r\n\r\n`);
      return socket;
    });
    const pids = [await pidOf("hanging-one"), await pidOf("hanging-two")];
    const refused = await get("/hanging?three");
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);
    expect((await get("/deaf")).status).toBe(200);
    sockets[0]?.destroy();
    await expect.poll(() => isAlive(-(pids[0] ?? 0))).toBe(false);
    expect(isAlive(-(pids[1] ?? 0))).toBe(true);
    sockets[1]?.destroy();
    await expect.poll(() => isAlive(-(pids[1] ?? 0))).toBe(false);
  });

  test("output without end is printed no faster than the client reads, and ends with it", async () => {
    const socket = connect(Number(new URL(server.site).port), "127.0.0.1").on("error", () => {});
    socket.pause().write("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n");
    const pid = await pidOf("endless");
    expect((await get("/deaf")).status).toBe(200);
    expect(isAlive(pid)).toBe(true);
    socket.destroy();
    await expect.poll(() => isAlive(-pid)).toBe(false);
  });

  test("none outlives the server", async () => {
    const config = siteConfig({ handle: [{ handler: "cgi", executable: join(folder, "hanging") }] });
    Object.assign((config as { apps: { http: object } }).apps.http, { grace_period: "10ms" });
    const own = await RunningServer.start(config);
    const asked = ask(`${own.site}/?last`).catch(() => undefined);
    const pid = await pidOf("hanging-last");
    await own.close();
    await asked;
    await expect.poll(() => isAlive(-pid)).toBe(false);
  });
});

test("a body beyond max_processes is refused before it is read, and a body under way has a place", async () => {
  const { port } = new URL(server.site);
  const head = (path: string) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`;
  const waiting = [connect(Number(port), "127.0.0.1"), connect(Number(port), "127.0.0.1")];
  for (const socket of waiting) {
    socket.write(head("/two"));
  }
  // Both have begun, and neither program runs: the third is refused while its own body has not ended either.
  const refused = async () => {
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(head("/two"));
    const answer = await once(socket, "data").then(([data]) => String(data).split("\r\n", 1)[0]);
    socket.destroy();
    return answer;
  };
  await expect.poll(refused).toBe("HTTP/1.1 503 Service Unavailable");
  for (const socket of waiting) {
    socket.write("0\r\n\r\n");
    const chunks = await socket.toArray();
    expect(Buffer.concat(chunks).toString()).toContain(" 5\n");
  }
  expect((await get("/two", { method: "POST", body: "hello" })).status).toBe(200);
});

test("the text of the plug-in, there and back", async () => {
  const text = `:80 {
	cgi /report* /usr/local/bin/report {http.request.uri.path} x {
		dir /srv
		script_name /report
		env A=b "C=d e"
		pass_env HOME UID
		pass_all_env
		inspect
		buffer_limit 4MiB
		unbuffered_output
		max_processes 5
		timeout 1m
		idle_timeout 10s
	}
}
`;
  const { result } = adaptServerfile(Buffer.from(text), {});
  expect(result).toMatchObject({
    apps: {
      http: {
        servers: {
          srv0: {
            routes: [
              {
                match: [{ path: ["/report*"] }],
                handle: [
                  {
                    handler: "cgi",
                    executable: "/usr/local/bin/report",
                    args: ["{http.request.uri.path}", "x"],
                    workingDirectory: "/srv",
                    scriptName: "/report",
                    envs: ["A=b", "C=d e"],
                    passEnvs: ["HOME", "UID"],
                    passAllEnvs: true,
                    inspect: true,
                    buffer_limit: 4_194_304,
                    unbufferedOutput: true,
                  },
                ],
              },
            ],
          },
        },
      },
    },
  });
  const back = await toServerfile(result);
  expect(adaptServerfile(Buffer.from(back), {}).result).toEqual(result);
});

test.each([
  ["cgi", "an executable needs to be specified"],
  ["cgi x {\nexec y\n}", 'unknown subdirective: "exec", at Serverfile:3'],
  ["cgi x {\nenv\n}", "wrong argument count"],
  ["cgi x {\nbuffer_limit many\n}", "invalid buffer limit 'many'"],
])("refuses %j", (text, message) => {
  expect(() => adaptServerfile(Buffer.from(`:80 {\n${text}\n}\n`), {})).toThrow(message);
});

test.each([
  [{ executable: "" }, "an executable needs to be specified"],
  [{ executable: "/x", envs: ["A"] }, "NAME=value"],
  [{ executable: "/x", max_processes: 0 }, "max_processes"],
])("a config with %j is refused", async (config, message) => {
  const answer = await server.admin(
    "POST",
    "/validate",
    siteConfig({ handle: [{ handler: "cgi", ...config }] }),
  );
  expect(JSON.stringify(answer.text)).toContain(message);
});
