import { Client, credentials, type MethodDefinition, Server, type ServiceError, status } from "@grpc/grpc-js";
import {
  createLogger,
  openServerTls,
  type ServerTls,
  secureContextOptions,
  serverTlsOptions,
} from "lifecycle";
import { createTestAuthority, createTlsFolder, type TestCertificate } from "lifecycle/testing";
import { expect, onTestFinished, test } from "vitest";
import { bindServer, serverCredentialsOf } from "wire/grpc";
import { z } from "zod";

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
const schema = z.object(serverTlsOptions("g"));

async function openTls(more: "" | "client-ca" = ""): Promise<{
  tls: ServerTls;
  swap: (pair: TestCertificate, ca: string) => void;
}> {
  const folder = createTlsFolder(authority.issue("localhost"), authority.cert);
  onTestFinished(() => folder.remove());
  const options = schema.parse({
    "g.tls.enabled": true,
    "g.tls.cert": folder.certPath,
    "g.tls.key": folder.keyPath,
    ...(more === "" ? {} : { "g.tls.client-ca": folder.caPath }),
  });
  const tls = await openServerTls(options, "g", silentLog);
  if (tls === undefined) {
    throw new Error("TLS is not enabled");
  }
  onTestFinished(() => tls.close());
  return { tls, swap: folder.swap };
}

/** A server that sends requests back. @returns its port */
async function serve(tls: ServerTls | undefined): Promise<number> {
  const server = new Server();
  server.addService(
    { echo },
    {
      echo: ({ request }: { request: Buffer }, callback: (error: null, value: Buffer) => void) =>
        callback(null, request),
    },
  );
  onTestFinished(() => server.forceShutdown());
  return await bindServer(
    server,
    { host: "127.0.0.1", port: 0 },
    serverCredentialsOf(tls, secureContextOptions),
  );
}

/** Makes one call over a new connection. @returns the answer, or the code of the status */
async function call(port: number, ca: string, pair?: TestCertificate): Promise<string> {
  const own = pair === undefined ? [] : [Buffer.from(pair.key), Buffer.from(pair.cert)];
  const client = new Client(`localhost:${port}`, credentials.createSsl(Buffer.from(ca), ...own), {
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

test("serves plain text without TLS", async () => {
  const client = new Client(`127.0.0.1:${await serve(undefined)}`, credentials.createInsecure());
  onTestFinished(() => client.close());
  const answer = await new Promise((resolve) => {
    client.makeUnaryRequest(echo.path, bytes, bytes, Buffer.from("hello"), (_error, value) =>
      resolve(String(value)),
    );
  });
  expect(answer).toBe("hello");
});

test("serves TLS to a client that trusts the certificate", async () => {
  const port = await serve((await openTls()).tls);
  expect(await call(port, authority.cert)).toBe("hello");
  expect(await call(port, createTestAuthority("other").cert)).toBe("UNAVAILABLE");
});

test("refuses clients without a certificate, or with that of another authority", async () => {
  const port = await serve((await openTls("client-ca")).tls);
  expect(await call(port, authority.cert, authority.issue("client"))).toBe("hello");
  expect(await call(port, authority.cert)).toBe("UNAVAILABLE");
  expect(await call(port, authority.cert, createTestAuthority("other").issue("client"))).toBe("UNAVAILABLE");
});

test("takes new files for new connections", async () => {
  const { tls, swap } = await openTls("client-ca");
  const port = await serve(tls);
  expect(await call(port, authority.cert, authority.issue("client"))).toBe("hello");

  const next = createTestAuthority("next");
  const changed = new Promise((resolve) => tls.onChange(resolve));
  swap(next.issue("localhost"), next.cert);
  await changed;

  expect(await call(port, next.cert, next.issue("client"))).toBe("hello");
  expect(await call(port, next.cert, authority.issue("client"))).toBe("UNAVAILABLE");
  expect(await call(port, authority.cert, next.issue("client"))).toBe("UNAVAILABLE");
});
