import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { createLogger } from "lifecycle";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { RunningServer, respond } from "../../../admin-server/src/testing/running-server.ts";
import { FileSystemStorage } from "./storage/file-system.ts";
import { StoredTicketKeys } from "./stored-ticket-keys.ts";

const log = createLogger({ name: "server", level: "fatal", encoding: "json" });
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickets-"));
});
const opened: StoredTicketKeys[] = [];
afterEach(async () => {
  for (const keys of opened.splice(0)) {
    keys.close();
  }
  // A rotation that is under way still writes a file.
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

/** Opens the ticket keys of one of several servers. */
async function open(
  intervalMs: number | undefined,
  maxKeys: number,
  changed: () => void = () => {},
): Promise<StoredTicketKeys> {
  const keys = await StoredTicketKeys.open({
    storage: new FileSystemStorage(folder),
    log,
    intervalMs,
    maxKeys,
    changed,
  });
  opened.push(keys);
  return keys;
}

const texts = (keys: StoredTicketKeys): string[] => keys.keys.map((key) => Buffer.from(key).toString("hex"));

test("servers that come at once have the same key, which only their user can read", async () => {
  const all = await Promise.all(Array.from({ length: 3 }, () => open(3_600_000, 4)));
  expect(new Set(all.map((each) => texts(each).join())).size).toBe(1);
  expect(texts(all[0] as StoredTicketKeys)[0]).toHaveLength(96);
  expect((await stat(join(folder, "stek/keys.json"))).mode & 0o777).toBe(0o600);
});

test("one of them makes the next key in time, the others find it, and some older ones still count", async () => {
  let changes = 0;
  const changed = Promise.withResolvers<void>();
  const first = await open(300, 2, () => {
    changes++;
    if (changes === 3) {
      changed.resolve();
    }
  });
  const second = await open(300, 2);
  expect(texts(second)).toEqual(texts(first));
  const [oldest] = texts(first);
  await changed.promise;
  expect(texts(first)).toHaveLength(2);
  expect(texts(first)).not.toContain(oldest);
  // A server that starts now has the same keys, or is a rotation ahead; on a busy machine the first one may be late by more.
  const third = await open(3_600_000, 2);
  await expect
    .poll(() => texts(third).some((key) => texts(first).includes(key)), { timeout: 60_000 })
    .toBe(true);
});

test("a server that makes no new keys takes what is there", async () => {
  const first = await open(undefined, 4);
  const second = await open(undefined, 4);
  expect(texts(second)).toEqual(texts(first));
});

test.each([
  ["no JSON", "{"],
  ["keys of another length", '{"keys":["AAAA"],"nextRotation":"2100-01-01T00:00:00Z"}'],
  ["no keys", '{"keys":[],"nextRotation":"2100-01-01T00:00:00Z"}'],
])("%s in the storage is replaced", async (_, text) => {
  await open(3_600_000, 4);
  await writeFile(join(folder, "stek/keys.json"), text);
  const keys = await open(3_600_000, 4);
  expect(texts(keys)).toHaveLength(1);
  expect(JSON.parse(await readFile(join(folder, "stek/keys.json"), "utf8")).keys).toHaveLength(1);
});

test("two servers with one storage go on with the sessions of each other", async () => {
  const config = {
    apps: {
      tls: {
        session_tickets: {
          key_source: { provider: "distributed", storage: { module: "file_system", root: folder } },
        },
        certificates: { automate: ["x.internal"] },
        automation: { policies: [{ issuers: [{ module: "internal" }] }] },
      },
      http: {
        servers: {
          s: {
            listen: ["127.0.0.1:0"],
            tls_connection_policies: [{}],
            automatic_https: { disable_redirects: true },
            routes: [respond("in")],
          },
        },
      },
    },
  };
  const servers = [await RunningServer.start(config), await RunningServer.start(config)];
  onTestFinished(async () => {
    await Promise.all(servers.map((server) => server.close()));
  });
  let session: Buffer | undefined;
  const reused: boolean[] = [];
  for (const server of [...servers, ...servers]) {
    const socket = connect({
      host: "127.0.0.1",
      port: Number(new URL(server.site).port),
      servername: "x.internal",
      rejectUnauthorized: false,
      maxVersion: "TLSv1.2",
      ...(session === undefined ? {} : { session }),
    });
    socket.on("session", (each: Buffer) => {
      session = each;
    });
    await once(socket, "secureConnect");
    reused.push(socket.isSessionReused());
    socket.end("GET / HTTP/1.1\r\nHost: x.internal\r\nConnection: close\r\n\r\n");
    socket.resume();
    await once(socket, "close");
  }
  expect(reused).toEqual([false, true, true, true]);
});
