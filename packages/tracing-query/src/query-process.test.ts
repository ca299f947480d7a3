import { get } from "node:https";
import { connect } from "node:net";
import { credentials, makeGenericClientConstructor, status } from "@grpc/grpc-js";
import { Registry } from "@prometheus-io/client";
import { createLogger, type ProcessContext, parseOptions } from "lifecycle";
import { createTestAuthority, createTlsFolder, freeAddresses } from "lifecycle/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { queryService } from "wire/grpc";
import { type QueryOptions, queryOptions } from "./query-options.ts";
import { queryProcess } from "./query-process.ts";

function contextOf(...args: string[]): ProcessContext<QueryOptions> {
  return {
    options: parseOptions(queryOptions, { arguments: args, environment: {} }).options as QueryOptions,
    log: createLogger({ name: "test", level: "fatal", encoding: "json" }),
    metrics: new Registry(),
    health: { status: "available", set() {}, degrade() {} },
    signal: new AbortController().signal,
  };
}

const anyPorts = [
  "--query.http-server.host-port",
  "127.0.0.1:0",
  "--query.grpc-server.host-port",
  "127.0.0.1:0",
];

test("starts while its store is away, and stops", async () => {
  const running = await queryProcess.start(contextOf(...anyPorts, "--clickhouse.url", "http://127.0.0.1:1"));
  await running.stop(AbortSignal.timeout(5_000));
});

test.each([false, true])(
  "serves TLS over HTTP and gRPC, to clients with a certificate only: %s",
  async (isMutual) => {
    const authority = createTestAuthority();
    const folder = createTlsFolder(authority.issue("localhost"), authority.cert);
    onTestFinished(() => folder.remove());
    const tlsArgs = (prefix: string) => [
      `--${prefix}.tls.enabled`,
      `--${prefix}.tls.cert=${folder.certPath}`,
      `--${prefix}.tls.key=${folder.keyPath}`,
      ...(isMutual ? [`--${prefix}.tls.client-ca=${folder.caPath}`] : []),
    ];
    const logged: { http: number; grpc: number }[] = [];
    const context = contextOf(
      ...anyPorts,
      "--span-storage.type=memory",
      ...tlsArgs("query.http"),
      ...tlsArgs("query.grpc"),
    );
    context.log.info = (fields: unknown) => {
      logged.push(fields as { http: number; grpc: number });
    };
    const running = await queryProcess.start(context);
    onTestFinished(() => running.stop(AbortSignal.abort()));
    const [ports] = logged;
    const ca = authority.cert;

    const overHttp = (client: { cert?: string; key?: string }) =>
      new Promise<number | undefined>((resolve, reject) => {
        const { http: port } = ports ?? {};
        const address = {
          host: "127.0.0.1",
          port,
          path: "/api/services",
          servername: "localhost",
          agent: false,
        };
        get({ ...address, ca, ...client }, (response) => resolve(response.resume().statusCode)).on(
          "error",
          reject,
        );
      });
    const overGrpc = (...client: Buffer[]) => {
      const [key, cert] = client;
      const secure = credentials.createSsl(Buffer.from(ca), key ?? null, cert ?? null);
      const Generic = makeGenericClientConstructor(queryService, "query");
      const asker = new Generic(`localhost:${ports?.grpc}`, secure);
      onTestFinished(() => asker.close());
      return new Promise((resolve, reject) => {
        asker.getServices?.({}, (error: Error | null, found: unknown) =>
          error === null ? resolve(found) : reject(error),
        );
      });
    };
    const { cert, key } = authority.issue("client");
    expect(await overHttp({ cert, key })).toBe(200);
    expect(await overGrpc(Buffer.from(key), Buffer.from(cert))).toEqual({ services: [] });
    if (isMutual) {
      const stranger = createTestAuthority().issue("client");
      await expect(overHttp({})).rejects.toThrow();
      await expect(overHttp({ cert: stranger.cert, key: stranger.key })).rejects.toThrow();
      await expect(overGrpc()).rejects.toMatchObject({ code: status.UNAVAILABLE });
    } else {
      expect(await overHttp({})).toBe(200);
      expect(await overGrpc()).toEqual({ services: [] });
    }
  },
);

test.each([
  ["its port alone", 0],
  ["its port, and gRPC has another one too", 1],
])("HTTP shares with gRPC %s, with headers of every answer", async (_, grpcIndex) => {
  const addresses = await freeAddresses(2);
  const [address = ""] = addresses;
  const running = await queryProcess.start(
    contextOf(
      `--query.http-server.host-port=${address}`,
      `--query.grpc-server.host-port=${addresses[grpcIndex]}`,
      "--span-storage.type=memory",
      "--query.additional-headers=Access-Control-Allow-Origin: *",
      "--query.additional-headers=X-One: a",
      "--query.additional-headers=x-one: b",
    ),
  );
  onTestFinished(() => running.stop(AbortSignal.timeout(5_000)));
  const Generic = makeGenericClientConstructor(queryService, "query");
  const client = new Generic(address, credentials.createInsecure());
  onTestFinished(() => client.close());
  for (let times = 0; times < 2; times++) {
    const response = await fetch(`http://${address}/api/services`);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("x-one")).toBe("a,b");
    expect(await response.json()).toMatchObject({ data: null });
    const services = await new Promise((resolve, reject) => {
      client.getServices?.({}, (error: Error | null, found: unknown) =>
        error === null ? resolve(found) : reject(error),
      );
    });
    expect(services).toEqual({ services: [] });
  }
  const [host = "", port] = address.split(":");
  const socket = connect(Number(port), host);
  socket.write("P"); // Neither protocol yet.
  await new Promise((resolve) => setImmediate(resolve));
  socket.write("OST /api/services HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  let text = "";
  for await (const chunk of socket) {
    text += String(chunk);
  }
  expect(text).toMatch(/^HTTP\/1\.1 405 /);
});

describe("refuses to start with", () => {
  test.each([["tracing"], ["/tracing/"], ["//"]])("the base path %s", (path) => {
    expect(() => contextOf("--query.base-path", path)).toThrow(
      `invalid base path '${path}'. Must start but not end with a slash '/', e.g. '/tracing/ui'`,
    );
  });

  test.each(["query.http", "query.grpc"])("one port for HTTP and gRPC with %s.tls", async (prefix) => {
    const ports = ["--query.http-server.host-port=:1234", "--query.grpc-server.host-port=:1234"];
    const context = contextOf(...ports, `--${prefix}.tls.enabled`);
    await expect(queryProcess.start(context)).rejects.toThrow(
      "server with TLS enabled can not use same host ports for gRPC and HTTP",
    );
  });

  test("headers that are none", () => {
    expect(() => contextOf("--query.additional-headers=nonsense")).toThrow("header 1 is not of the form");
  });

  test.each(["query.http", "query.grpc"])("options of %s.tls without TLS", async (prefix) => {
    const context = contextOf(...anyPorts, `--${prefix}.tls.cert=/a.pem`);
    await expect(queryProcess.start(context)).rejects.toThrow(
      `${prefix}.tls.* options cannot be used when ${prefix}.tls.enabled is false`,
    );
  });

  test("an address of the store that is none", async () => {
    const context = contextOf(...anyPorts, "--clickhouse.url", "ftp://x");
    await expect(queryProcess.start(context)).rejects.toThrow(
      'storage: address "ftp://x" is not an http or https URL: see the options --clickhouse.*',
    );
  });
});
