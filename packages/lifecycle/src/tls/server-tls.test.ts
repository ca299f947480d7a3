import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import pino from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { StartError } from "../errors.ts";
import { httpServerFor } from "../http-server.ts";
import {
  createTestAuthority,
  type TestAuthority,
  type TestCertificate,
} from "../testing/test-certificates.ts";
import { createTlsFolder } from "../testing/tls-folder.ts";
import { openServerTls, type ServerTls } from "./server-tls.ts";
import { serverTlsOptions } from "./tls-options.ts";

const schema = z.object(serverTlsOptions("x.y"));
const authority = createTestAuthority();
const pair = authority.issue("localhost", "127.0.0.1");

type Given = Record<string, string | boolean>;

function folderOf(given = pair, ca: TestAuthority = authority) {
  const folder = createTlsFolder(given, ca.cert);
  onTestFinished(() => folder.remove());
  const options: Given = {
    "x.y.tls.enabled": true,
    "x.y.tls.cert": folder.certPath,
    "x.y.tls.key": folder.keyPath,
  };
  return { folder, options };
}

/** A log that stores its lines, so that a test can wait for one. */
function keptLog() {
  const lines: { level: number; msg: string }[] = [];
  let told = () => {};
  const log = pino(
    { level: "trace" },
    {
      write: (line: string) => {
        lines.push(JSON.parse(line) as { level: number; msg: string });
        told();
      },
    },
  );
  return {
    log,
    lines,
    next: (words: string) =>
      new Promise<string>((resolve) => {
        told = () => {
          const found = lines.find(({ msg }) => msg.includes(words));
          if (found !== undefined) {
            resolve(found.msg);
          }
        };
        told();
      }),
  };
}

async function open(options: Given, log = pino({ level: "silent" })): Promise<ServerTls | undefined> {
  const tls = await openServerTls(schema.parse(options), "x.y", log);
  onTestFinished(() => tls?.close());
  return tls;
}

async function opened(options: Given, log = pino({ level: "silent" })): Promise<ServerTls> {
  const tls = await open(options, log);
  if (tls === undefined) {
    throw new Error("TLS is not enabled");
  }
  return tls;
}

async function listen(tls: ServerTls | undefined): Promise<number> {
  const server = httpServerFor(tls, {}, (_request, response) => response.end("hello"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

interface Answer {
  readonly text: string;
  readonly protocol: string | null;
  /** Name of the suite in the standard, which is also Go's. */
  readonly suite: string;
  /** PEM. */
  readonly cert: string | undefined;
}

/** Sends a request over TLS. @throws when there is no answer */
async function ask(port: number, options: ConnectionOptions = {}): Promise<Answer> {
  const socket = connect({
    port,
    host: "127.0.0.1",
    servername: "localhost",
    ca: authority.cert,
    ...options,
  });
  let of: Omit<Answer, "text"> | undefined;
  socket.once("secureConnect", () => {
    of = {
      protocol: socket.getProtocol(),
      suite: socket.getCipher().standardName,
      cert: socket.getPeerX509Certificate()?.toString(),
    };
  });
  const text = await answerOver(socket);
  if (of === undefined || text === "") {
    throw new Error("closed without an answer");
  }
  return { text, ...of };
}

async function answerOver(socket: TLSSocket): Promise<string> {
  socket.setEncoding("utf8").write("GET / HTTP/1.0\r\n\r\n");
  let text = "";
  for await (const part of socket) {
    text += part;
  }
  return text;
}

describe("openServerTls", () => {
  test("is undefined when not enabled", async () => {
    expect(await open({})).toBeUndefined();
  });

  test.each([
    ["cert", "/a"],
    ["key", "/a"],
    ["client-ca", "/a"],
    ["cipher-suites", "TLS_AES_128_GCM_SHA256"],
    ["min-version", "1.2"],
    ["max-version", "1.3"],
    ["reload-interval", "1s"],
  ])("refuses %s when not enabled", async (name, value) => {
    await expect(open({ [`x.y.tls.${name}`]: value })).rejects.toEqual(
      new StartError("x.y.tls.* options cannot be used when x.y.tls.enabled is false"),
    );
  });

  const otherKey = authority.issue("localhost").key;
  const long = Buffer.alloc(5 * 2 ** 20, 32).toString();
  test.each<[string, Given, Partial<TestCertificate>, string]>([
    [
      "no certificate",
      { "x.y.tls.cert": "" },
      {},
      "needs the certificate and the key of this server: --x.y.tls.cert and",
    ],
    ["no key", { "x.y.tls.key": "" }, {}, "needs the certificate and the key of this server"],
    [
      "an absent file",
      { "x.y.tls.cert": "/none.pem" },
      {},
      "option --x.y.tls.cert: cannot read /none.pem: ENOENT",
    ],
    ["a folder", { "x.y.tls.key": tmpdir() }, {}, "option --x.y.tls.key: cannot read"],
    ["text as certificate", {}, { cert: "hello" }, "holds no certificate in PEM form"],
    ["a broken certificate", {}, { cert: pair.cert.replace(/\n.{64}\n/, "\n") }, "certificate 1 of"],
    ["text as key", {}, { key: "hello" }, "holds no private key in PEM form without a passphrase"],
    ["another's key", {}, { key: otherKey }, "is not that of the certificate in"],
    ["a long file", {}, { cert: long }, "has 5242880 bytes, over the limit of 4194304"],
    [
      "no authority",
      { "x.y.tls.client-ca": "/none.pem" },
      {},
      "option --x.y.tls.client-ca: cannot read /none.pem",
    ],
    [
      "an unknown suite",
      { "x.y.tls.cipher-suites": "TLS_AES_128_GCM_SHA256,TLS_NONE" },
      {},
      'option --x.y.tls.cipher-suites: cipher suite "TLS_NONE" is not known: known are TLS_AES_128_GCM_SHA256, ',
    ],
    [
      "min above max",
      { "x.y.tls.min-version": "1.3", "x.y.tls.max-version": "1.2" },
      {},
      "--x.y.tls.min-version: TLSv1.3 is above the highest version that is allowed, TLSv1.2",
    ],
    ["max below the usual min", { "x.y.tls.max-version": "1.1" }, {}, "TLSv1.2 is above the highest version"],
  ])("refuses %s", async (_what, given, files, message) => {
    const { options } = folderOf({ ...pair, ...files });
    const failure = await open({ ...options, ...given }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StartError);
    expect((failure as StartError).message).toContain(message);
  });

  test("refuses an unknown version", () => {
    expect(schema.safeParse({ "x.y.tls.min-version": "1.4" }).error?.issues[0]?.message).toBe(
      '"1.4" is not a version of TLS: 1.0, 1.1, 1.2 or 1.3',
    );
  });

  test("warns of a certificate that ran out", async () => {
    const old = createTestAuthority("old", new Date("2020-01-01T00:00:00Z")).issue("localhost");
    const { options } = folderOf(old);
    const { log, next } = keptLog();
    await opened(options, log);
    expect(await next("expired")).toMatch(
      /^x\.y\.tls\.cert: the certificate in .* expired on Jan {2}2 00:00:00 2020/,
    );
  });
});

describe("httpServerFor", () => {
  test("serves plain HTTP without TLS", async () => {
    const answer = await fetch(`http://127.0.0.1:${await listen(undefined)}`);
    expect(await answer.text()).toBe("hello");
  });

  test("serves TLS 1.2 and 1.3, not 1.1", async () => {
    const port = await listen(await opened(folderOf().options));
    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      const { text, protocol } = await ask(port, { minVersion: version, maxVersion: version });
      expect(text).toContain("hello");
      expect(protocol).toBe(version);
    }
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT:@SECLEVEL=0" } as const;
    await expect(ask(port, old)).rejects.toThrow(/alert protocol version/);
  });

  test("serves TLS 1.0 where that is allowed", async () => {
    const port = await listen(await opened({ ...folderOf().options, "x.y.tls.min-version": "1.0" }));
    const { protocol } = await ask(port, {
      minVersion: "TLSv1",
      maxVersion: "TLSv1",
      ciphers: "DEFAULT:@SECLEVEL=0",
    });
    expect(protocol).toBe("TLSv1");
  });

  test("keeps to the suites that are named", async () => {
    const { options } = folderOf();
    const suite = "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384";
    const port = await listen(await opened({ ...options, "x.y.tls.cipher-suites": suite }));
    const older = await ask(port, { maxVersion: "TLSv1.2" });
    expect(older.suite).toBe(suite);
    expect((await ask(port)).protocol).toBe("TLSv1.3");
    await expect(
      ask(port, { maxVersion: "TLSv1.2", ciphers: "ECDHE-ECDSA-AES128-GCM-SHA256" }),
    ).rejects.toThrow(/handshake failure/);
  });

  test("serves TLS 1.3 only where only its suites are named", async () => {
    const { options } = folderOf();
    const port = await listen(
      await opened({ ...options, "x.y.tls.cipher-suites": "TLS_CHACHA20_POLY1305_SHA256" }),
    );
    expect((await ask(port)).suite).toBe("TLS_CHACHA20_POLY1305_SHA256");
    await expect(ask(port, { maxVersion: "TLSv1.2" })).rejects.toThrow(/alert/);
  });

  test("wants a certificate of the client where it has authorities for it", async () => {
    const { folder, options } = folderOf();
    const port = await listen(await opened({ ...options, "x.y.tls.client-ca": folder.caPath }));
    expect((await ask(port, authority.issue("client"))).text).toContain("hello");
    await expect(ask(port)).rejects.toThrow(/certificate required/);
    await expect(ask(port, createTestAuthority("other").issue("client"))).rejects.toThrow();
  });

  test("takes new files for new connections, and keeps open ones", async () => {
    const { folder, options } = folderOf();
    const tls = await opened({ ...options, "x.y.tls.client-ca": folder.caPath });
    const port = await listen(tls);
    const before = connect({ port, host: "127.0.0.1", servername: "localhost", ca: authority.cert, ...pair });
    await once(before, "secureConnect");

    const next = createTestAuthority("next");
    const changed = new Promise((resolve) => tls.onChange(resolve));
    folder.swap(next.issue("localhost"), next.cert);
    await changed;

    expect((await ask(port, { ca: next.cert, ...next.issue("client") })).text).toContain("hello");
    await expect(ask(port, { ca: next.cert, ...pair })).rejects.toThrow();
    expect(await answerOver(before)).toContain("hello");
  });

  test("keeps the old files while the new ones do not fit", async () => {
    const { folder, options } = folderOf();
    const { log, next: logged } = keptLog();
    const tls = await opened(options, log);
    const port = await listen(tls);
    const next = authority.issue("localhost");

    folder.swap({ cert: next.cert, key: pair.key }, authority.cert);
    expect(await logged("are not used")).toContain("is not that of the certificate");
    const shown = await ask(port);
    expect(shown.cert).toBe(pair.cert);

    const changed = new Promise((resolve) => tls.onChange(resolve));
    folder.swap(next, authority.cert);
    await changed;
    expect((await ask(port)).cert).toBe(next.cert);
  });

  test("sees a change in a folder where other files change all the time", async () => {
    const { folder, options } = folderOf();
    const tls = await opened(options);
    const noise = setInterval(() => writeFileSync(join(folder.path, "noise"), "x"), 5);
    onTestFinished(() => clearInterval(noise));
    const changed = new Promise((resolve) => tls.onChange(resolve));
    folder.swap(authority.issue("localhost"), authority.cert);
    await changed;
    expect(tls.material.cert.toString()).not.toBe(pair.cert);
  });

  test("reads plain files again after reload-interval, told or not", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tls-plain-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [certPath, keyPath] = [join(folder, "c.pem"), join(folder, "k.pem")];
    writeFileSync(certPath, pair.cert);
    writeFileSync(keyPath, pair.key);
    const tls = await opened({
      "x.y.tls.enabled": true,
      "x.y.tls.cert": certPath,
      "x.y.tls.key": keyPath,
      "x.y.tls.reload-interval": "20ms",
    });
    const next = authority.issue("localhost");
    const changed = new Promise<{ cert: Buffer }>((resolve) => tls.onChange(resolve));
    writeFileSync(certPath, next.cert);
    writeFileSync(keyPath, next.key);
    expect((await changed).cert.toString()).toBe(next.cert);
  });
});
