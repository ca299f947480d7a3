import {
  Client,
  type MethodDefinition,
  Server,
  ServerCredentials,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import { type ClientTls, clientTlsOptions, createLogger, openClientTls } from "lifecycle";
import {
  createTestAuthority,
  createTlsFolder,
  type TestAuthority,
  type TestCertificate,
} from "lifecycle/testing";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { channelCredentialsOf } from "./tls-credentials.ts";

const bytes = (value: Buffer) => value;
const echo: MethodDefinition<Buffer, Buffer> = {
  path: "/test.Echo/Echo",
  requestStream: false,
  responseStream: false,
  requestSerialize: bytes,
  requestDeserialize: bytes,
  responseSerialize: bytes,
  responseDeserialize: bytes,
};

const silentLog = createLogger({ name: "test", level: "fatal", encoding: "json" });
const authority = createTestAuthority();
const schema = z.object(clientTlsOptions("r"));

type Switches = Record<string, string | boolean>;

function openTls(switches: Switches, withPair = false) {
  const folder = createTlsFolder(authority.issue("client"), authority.cert);
  onTestFinished(() => folder.remove());
  const options = schema.parse({
    "r.tls.enabled": true,
    "r.tls.ca": folder.caPath,
    ...(withPair ? { "r.tls.cert": folder.certPath, "r.tls.key": folder.keyPath } : {}),
    ...switches,
  });
  const tls = openClientTls(options, "r", silentLog);
  onTestFinished(() => tls?.close());
  if (tls === undefined) throw new Error("TLS is not enabled");
  return { tls, swap: folder.swap };
}

/** A server that sends back what it gets. @param ca clients must show a certificate of this authority */
async function serve(pair: TestCertificate | undefined, ca?: TestAuthority): Promise<number> {
  const server = new Server();
  server.addService(
    { echo },
    {
      echo: ({ request }: { request: Buffer }, callback: (error: null, value: Buffer) => void) =>
        callback(null, request),
    },
  );
  onTestFinished(() => server.forceShutdown());
  const credentials =
    pair === undefined
      ? ServerCredentials.createInsecure()
      : ServerCredentials.createSsl(
          ca === undefined ? null : Buffer.from(ca.cert),
          [{ private_key: Buffer.from(pair.key), cert_chain: Buffer.from(pair.cert) }],
          ca !== undefined,
        );
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", credentials, (error, port) =>
      error === null ? resolve(port) : reject(error),
    );
  });
}

/** One call over a connection of its own. @returns what came back, or the code of the status */
async function call(port: number, tls: ClientTls | undefined): Promise<string> {
  const { credentials, channelOptions } = channelCredentialsOf(tls);
  const client = new Client(`localhost:${port}`, credentials, {
    ...channelOptions,
    "grpc.use_local_subchannel_pool": 1,
  });
  try {
    return await new Promise((resolve) => {
      client.makeUnaryRequest(
        echo.path,
        bytes,
        bytes,
        Buffer.from("hello"),
        (error: ServiceError | null, value) =>
          resolve(error === null ? String(value) : String(status[error.code])),
      );
    });
  } finally {
    client.close();
  }
}

it("calls in plain text without TLS", async () => {
  expect(await call(await serve(undefined), undefined)).toBe("hello");
});

it.each<[string, Switches, string, string]>([
  ["trusts the authorities of --ca", {}, "localhost", "hello"],
  ["refuses another name", {}, "elsewhere", "UNAVAILABLE"],
  ["takes the name of --server-name", { "r.tls.server-name": "elsewhere" }, "elsewhere", "hello"],
  ["wants the name of --server-name", { "r.tls.server-name": "elsewhere" }, "localhost", "UNAVAILABLE"],
  ["knows only the usual authorities without --ca", { "r.tls.ca": "" }, "localhost", "UNAVAILABLE"],
  [
    "takes anything with --skip-host-verify",
    { "r.tls.ca": "", "r.tls.skip-host-verify": true },
    "elsewhere",
    "hello",
  ],
])("%s", async (_what, switches, name, outcome) => {
  const port = await serve(authority.issue(name));
  expect(await call(port, openTls(switches).tls)).toBe(outcome);
});

it("shows its certificate, a new one for new connections", async () => {
  const next = createTestAuthority("next");
  const port = await serve(authority.issue("localhost"), authority);
  const nextPort = await serve(next.issue("localhost"), next);
  expect(await call(port, openTls({}).tls)).toBe("UNAVAILABLE");

  const { tls, swap } = openTls({}, true);
  expect(await call(port, tls)).toBe("hello");
  const changed = new Promise((resolve) => tls.onChange(resolve));
  swap(next.issue("client"), next.cert);
  await changed;
  expect(await call(nextPort, tls)).toBe("hello");
});

it("connects again with new files over one channel", async () => {
  const { tls, swap } = openTls({}, true);
  const next = createTestAuthority("next");
  const port = await serve(next.issue("localhost"), next);
  const { credentials } = channelCredentialsOf(tls);
  const client = new Client(`localhost:${port}`, credentials, {
    "grpc.initial_reconnect_backoff_ms": 50,
    "grpc.max_reconnect_backoff_ms": 50,
  });
  onTestFinished(() => client.close());
  const ask = () =>
    new Promise((resolve) => {
      client.makeUnaryRequest(
        echo.path,
        bytes,
        bytes,
        Buffer.from("hello"),
        (error: ServiceError | null, value) =>
          resolve(error === null ? String(value) : String(status[error.code])),
      );
    });
  expect(await ask()).toBe("UNAVAILABLE");
  swap(next.issue("client"), next.cert);
  await new Promise<void>((resolve, reject) =>
    client.waitForReady(Date.now() + 10_000, (error) => (error === undefined ? resolve() : reject(error))),
  );
  expect(await ask()).toBe("hello");
});
