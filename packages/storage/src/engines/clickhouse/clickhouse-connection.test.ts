import { once } from "node:events";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { expectStorageError } from "../../contract/contract-context.ts";
import { ClickHouseConnection } from "./clickhouse-connection.ts";

const servers: Server[] = [];
const connections: ClickHouseConnection[] = [];

async function listen(onRequest: RequestListener): Promise<string> {
  const server = createServer(onRequest).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** An address without a listener. */
async function deadAddress(): Promise<string> {
  const url = await listen(() => {});
  const server = servers.pop();
  server?.close();
  return url;
}

function connect(urls: readonly string[], requestTimeoutMs = 10_000): ClickHouseConnection {
  const settings = { user: "u", password: "p", database: "d", maxConnections: 4, maxReadBytes: 1_000 };
  const connection = new ClickHouseConnection({ ...settings, urls, requestTimeoutMs });
  connections.push(connection);
  return connection;
}

/** Each kind of call, with a name for the test table. */
const calls: readonly {
  readonly name: string;
  readonly run: (connection: ClickHouseConnection, signal?: AbortSignal) => Promise<unknown>;
}[] = [
  { name: "rows", run: (connection, signal) => connection.rows("SELECT 1", {}, { signal }) },
  { name: "bytes", run: (connection, signal) => connection.bytes("SELECT 1", {}, 1_000, { signal }) },
  { name: "command", run: (connection, signal) => connection.command("DROP", signal) },
  { name: "insert", run: (connection, signal) => connection.insert("INSERT", {}, Buffer.from("x"), signal) },
];

afterEach(async () => {
  await Promise.all(connections.splice(0).map((connection) => connection.close()));
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

describe("a read", () => {
  const names = ["use_statistics_for_part_pruning", "optimize_const_name_size"];

  test.each([
    ["one by one", (name: string) => `Setting ${name} is neither a builtin setting`, [[0, 1], [1], [], []]],
    ["none of them, where it does not say which", () => "Unknown setting", [[0, 1], [], []]],
  ])("goes without settings that the server does not know: %s", async (_, text, expected) => {
    const asked: number[][] = [];
    const url = await listen((request, response) => {
      const set = names.flatMap((name, index) => (request.url?.includes(`${name}=`) ? [index] : []));
      asked.push(set);
      const [first] = set;
      if (first === undefined) {
        response.end('{"a":1}');
      } else {
        response
          .writeHead(404)
          .end(`Code: 115. DB::Exception: ${text(names[first] ?? "")} (UNKNOWN_SETTING)`);
      }
    });
    const connection = connect([url]);
    for (let time = 0; time < 2; time++) {
      expect(await connection.rows("SELECT 1", {})).toEqual([{ a: 1 }]);
    }
    expect(asked).toEqual(expected);
  });
});

describe("an insert of several pieces", () => {
  /** A server that answers after it has read the whole body. */
  async function bodies(): Promise<{ url: string; got: { text: string; length: string | undefined }[] }> {
    const got: { text: string; length: string | undefined }[] = [];
    const url = await listen(async (request, response) => {
      let text = "";
      try {
        for await (const chunk of request) {
          text += chunk;
        }
      } catch {
        return; // the client left
      }
      if (request.method === "POST") {
        got.push({ text, length: request.headers["content-length"] });
      }
      response.end();
    });
    return { url, got };
  }
  const pieces = (...texts: string[]) => texts.map((text) => Buffer.from(text));

  test("sends all pieces as one body of known length, small and large, empty or not", async () => {
    const { url, got } = await bodies();
    const large = "x".repeat(300_000);
    await connect([url]).insert("INSERT", {}, pieces("a", "", "b", large, large, "c", "d"));
    await connect([url]).insert("INSERT", {}, pieces("", large, ""));
    await connect([url]).insert("INSERT", {}, pieces(...Array.from({ length: 9_000 }, () => "seven b")));
    expect(got).toEqual([
      { text: `ab${large}${large}cd`, length: "600004" },
      { text: large, length: "300000" },
      { text: "seven b".repeat(9_000), length: "63000" },
    ]);
  });

  test("begins anew at the next address", async () => {
    const { url, got } = await bodies();
    const connection = connect([await deadAddress(), url]);
    await connection.insert("INSERT", { insert_deduplication_token: "t" }, pieces("rows"));
    expect(got).toEqual([{ text: "rows", length: "4" }]);
  });
});

describe.each(calls)("ClickHouseConnection.$name", ({ run }) => {
  test("is unavailable where nobody listens", async () => {
    await expectStorageError(run(connect([await deadAddress()])), "STORAGE_UNAVAILABLE");
  });

  test("is unavailable where something else answers", async () => {
    const url = await listen((_, response) => response.writeHead(502).end("<html>bad gateway</html>"));
    await expectStorageError(run(connect([url])), "STORAGE_UNAVAILABLE");
  });

  test("fails where a header alone tells of an error, as of servers before 24.6 that waited for an insert's rows", async () => {
    const headers = { "x-clickhouse-exception-code": "209" };
    const url = await listen((_, response) => response.writeHead(200, headers).end());
    await expect(run(connect([url]))).rejects.toMatchObject({
      code: "STORAGE_UNAVAILABLE",
      cause: { code: "209" },
    });
  });

  test("is unavailable where the connection breaks", async () => {
    const url = await listen((request) => request.socket.destroy());
    await expectStorageError(run(connect([url])), "STORAGE_UNAVAILABLE");
  });

  test("ends at its deadline where no answer comes", async () => {
    const url = await listen(() => {});
    await expectStorageError(run(connect([url], 50)), "STORAGE_TIMEOUT");
  });

  test("hangs up on the server when its signal is aborted", async () => {
    const asked = Promise.withResolvers<ServerResponse>();
    const url = await listen((_, response) => asked.resolve(response));
    const abort = new AbortController();
    const ended = expectStorageError(run(connect([url]), abort.signal), "STORAGE_ABORTED");
    const response = await asked.promise;
    const hungUp = once(response, "close");
    abort.abort();
    await ended;
    await hungUp;
  });

  test("goes on to the next address when nobody listens at one, in the same call", async () => {
    const answered: string[] = [];
    const url = await listen((request, response) => {
      if (request.url !== "/ping") {
        answered.push(request.method ?? "");
      }
      request.resume().on("end", () => response.end());
    });
    const connection = connect([await deadAddress(), url, await deadAddress()]);
    for (let time = 0; time < 4; time++) {
      await run(connection);
    }
    expect(answered).toHaveLength(4);
  });

  test("goes on to the next address when one does not take the password, and leaves it out until it does", async () => {
    let isStranger = true;
    const asked = [0, 0];
    const server = (index: number) =>
      listen((request, response) => {
        const isPing = request.url === "/ping";
        const isCheck = request.method === "GET" && !isPing;
        if (!isPing && !isCheck) {
          asked[index] = (asked[index] as number) + 1;
        }
        request.resume().on("end", () => {
          if (isPing || index === 1 || !isStranger) {
            response.end();
          } else {
            response.writeHead(401).end("Code: 516. DB::Exception: u: failed (AUTHENTICATION_FAILED)");
          }
        });
      });
    const connection = connect([await server(0), await server(1)]);
    for (let time = 0; time < 6; time++) {
      await run(connection);
    }
    expect(asked).toEqual([1, 6]);
    isStranger = false;
    await expect
      .poll(
        async () => {
          await run(connection);
          return asked[0];
        },
        { timeout: 180_000 },
      )
      .toBeGreaterThan(1);
  });

  test("names all addresses when none of them answers", async () => {
    const urls = [await deadAddress(), await deadAddress()];
    const error = await run(connect(urls)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    for (const url of urls) {
      expect(String(error)).toContain(url);
    }
  });
});

describe("ClickHouseConnection", () => {
  test("asks another server again in the middle of what may be done twice, and of nothing else", async () => {
    const breaking = () => listen((request) => request.socket.destroy());
    const answered: (string | null)[] = [];
    const url = await listen((request, response) => {
      const { searchParams, pathname } = new URL(request.url ?? "", "http://localhost");
      if (pathname !== "/ping") {
        answered.push(searchParams.get("query"));
      }
      request.resume().on("end", () => response.end());
    });
    const body = Buffer.from("x");
    await connect([await breaking(), url]).insert("INSERT 1", { insert_deduplication_token: "t" }, body);
    await connect([await breaking(), url]).rows("SELECT 1", {});
    expect(answered).toHaveLength(2);
    await expectStorageError(
      connect([await breaking(), url]).insert("INSERT 2", {}, body),
      "STORAGE_UNAVAILABLE",
    );
    await expectStorageError(connect([await breaking(), url]).command("DROP"), "STORAGE_UNAVAILABLE");
    expect(answered).toHaveLength(2);
  });

  test.each([
    [32, "ATTEMPT_TO_READ_AFTER_EOF", "a replica that it read from was killed"],
    [40, "CHECKSUM_DOESNT_MATCH", "its part is damaged, and that of a replica may not be"],
    [107, "FILE_DOESNT_EXIST", "a file of its part is missing"],
  ])("reads again where a server answers %i, %s: %s", async (code, name) => {
    const ended = await listen((request, response) => {
      if (request.url === "/ping") {
        response.end();
      } else {
        response.writeHead(500).end(`Code: ${code}. DB::Exception: while reading (${name})`);
      }
    });
    const whole = await listen((request, response) => {
      request.resume().on("end", () => response.end('{"a":1}'));
    });
    const connection = connect([ended, whole]);
    for (let time = 0; time < 4; time++) {
      expect(await connection.rows("SELECT 1", {})).toEqual([{ a: 1 }]);
    }
  });

  test("does not ask another server what would fail there too", async () => {
    let asked = 0;
    const refusing = () =>
      listen((request, response) => {
        if (request.url !== "/ping") {
          asked++;
        }
        const text = "Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)";
        request.resume().on("end", () => response.writeHead(500).end(text));
      });
    const connection = connect([await refusing(), await refusing()]);
    const insert = connection.insert("INSERT", { insert_deduplication_token: "t" }, Buffer.from("x"));
    await expectStorageError(insert, "STORAGE_UNAVAILABLE");
    expect(asked).toBe(1);
  });

  test("blames no rows when servers of a cluster lose each other in the middle of an insert", async () => {
    const text =
      "Code: 32. DB::Exception: Attempt to read after eof: while receiving packet from 10.0.0.2:9000. (ATTEMPT_TO_READ_AFTER_EOF)";
    const url = await listen((request, response) =>
      request.resume().on("end", () => response.writeHead(500).end(text)),
    );
    await expectStorageError(connect([url]).insert("INSERT", {}, Buffer.from("x")), "STORAGE_UNAVAILABLE");
  });

  test("gives each server the user and password in its address", async () => {
    const seen: (string | undefined)[] = [];
    const url = await listen((request, response) => {
      if (request.url !== "/ping") {
        seen.push(request.headers.authorization);
      }
      request.resume().on("end", () => response.end());
    });
    const own = url.replace("http://", "http://me:s%40fe@");
    const connection = connect([own, url]);
    for (const text of ["INSERT 1", "INSERT 2"]) {
      await connection.insert(text, {}, Buffer.from("x"));
    }
    await connection.rows("SELECT 1", {});
    const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
    expect(seen).toEqual([basic("me:s@fe"), basic("u:p"), basic("me:s@fe")]);
  });

  test("refuses an answer longer than the limit", async () => {
    const url = await listen((_, response) => response.end(Buffer.alloc(1_001)));
    const connection = connect([url]);
    await expectStorageError(connection.bytes("SELECT 1", {}, 1_000), "STORAGE_TOO_LARGE");
    expect(await connection.bytes("SELECT 1", {}, 1_001)).toHaveLength(1_001);
  });

  test("hangs up in the middle of an answer when its signal is aborted", async () => {
    const asked = Promise.withResolvers<ServerResponse>();
    const url = await listen((_, response) => {
      response.write("the beginning");
      asked.resolve(response);
    });
    const abort = new AbortController();
    const ended = expectStorageError(
      connect([url]).bytes("SELECT 1", {}, 1_000, { signal: abort.signal }),
      "STORAGE_ABORTED",
    );
    const hungUp = once(await asked.promise, "close");
    abort.abort();
    await ended;
    await hungUp;
  });

  test("sends an insert's rows as they are, with user, settings and statement", async () => {
    const seen = Promise.withResolvers<{ url: URL; authorization: string | undefined; body: string }>();
    const base = await listen(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) {
        chunks.push(chunk as Buffer);
      }
      const { authorization } = request.headers;
      const url = new URL(request.url ?? "", "http://localhost");
      seen.resolve({ url, authorization, body: Buffer.concat(chunks).toString("latin1") });
      response.end();
    });
    await connect([base]).insert("INSERT INTO t FORMAT RowBinary", { a: "1/&" }, Buffer.from([0, 255, 10]));
    const { url, authorization, body } = await seen.promise;
    expect(url.searchParams.get("query")).toBe("INSERT INTO t FORMAT RowBinary");
    expect(url.searchParams.get("a")).toBe("1/&");
    expect(authorization).toBe(`Basic ${Buffer.from("u:p").toString("base64")}`);
    expect(body).toBe("\u0000\u00ff\n");
  });

  test("reads no more than the beginning of a long error page, and blames no rows for it", async () => {
    const url = await listen((request, response) =>
      request.resume().on("end", () => response.writeHead(503).end(Buffer.alloc(10_000_000, "x"))),
    );
    await expectStorageError(connect([url]).insert("INSERT", {}, Buffer.from("x")), "STORAGE_UNAVAILABLE");
  });

  test("gives an insert's refusal ClickHouse's code and name", async () => {
    const text = "Code: 33. DB::Exception: Cannot read all data. (CANNOT_READ_ALL_DATA) (version 26.7)\n";
    const url = await listen((request, response) =>
      request.resume().on("end", () => response.writeHead(500).end(text)),
    );
    const insert = connect([url]).insert("INSERT", {}, Buffer.from("x"));
    await expect(insert).rejects.toMatchObject({
      code: "STORAGE_REFUSED",
      message: expect.stringContaining("CANNOT_READ_ALL_DATA 33: Cannot read all data."),
    });
  });
});
