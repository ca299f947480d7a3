// Every listener over TLS, with and without certificates of clients, as clients in the field call it.

import { request } from "node:https";
import { credentials, makeClientConstructor } from "@grpc/grpc-js";
import { OTLPTraceExporter as GrpcExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { OTLPTraceExporter as HttpExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { SimpleSpanProcessor, type SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";
import { openServerTls, type ServerTls, serverTlsOptions } from "lifecycle";
import {
  createTestAuthority,
  createTlsFolder,
  type TestCertificate,
  type TlsFolder,
} from "lifecycle/testing";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { collectorService, withPublicNames } from "wire/grpc";
import { openGrpcApiV2 } from "../src/receivers/grpc-api-v2.ts";
import { openHttpThrift } from "../src/receivers/http-thrift.ts";
import { openOtlpGrpc } from "../src/receivers/otlp-grpc.ts";
import { openOtlpHttp } from "../src/receivers/otlp-http.ts";
import type { Receiver, ReceiverAddress, ReceiverContext } from "../src/receivers/receiver.ts";
import { openZipkin } from "../src/receivers/zipkin.ts";
import {
  anyPort,
  grpcLimits,
  openReceiverFixture,
  quietLog,
  type ReceiverFixture,
  usualTimeouts,
} from "./receiver-fixture.ts";

const authority = createTestAuthority();
const files: TlsFolder = createTlsFolder(authority.issue("localhost"), authority.cert);
const client = authority.issue("client");
const schema = serverTlsSchema();

function serverTlsSchema() {
  return serverTlsOptions("listener");
}

let fixture: ReceiverFixture;
let receiver: Receiver | undefined;

beforeEach(async () => {
  fixture = await openReceiverFixture();
});

afterEach(async () => {
  await receiver?.stop(AbortSignal.abort());
  receiver = undefined;
  await fixture.close();
});

afterAll(() => files.remove());

async function openTls(withClients: boolean): Promise<ServerTls | undefined> {
  const options = Object.fromEntries(
    Object.entries(schema).map(([name, field]) => [name, field.parse(undefined)]),
  );
  return await openServerTls(
    {
      ...(options as Parameters<typeof openServerTls<"listener">>[0]),
      "listener.tls.enabled": true,
      "listener.tls.cert": files.certPath,
      "listener.tls.key": files.keyPath,
      "listener.tls.client-ca": withClients ? files.caPath : "",
    },
    "listener",
    quietLog,
  );
}

async function serve(
  open: (address: ReceiverAddress, context: ReceiverContext) => Promise<Receiver>,
  withClients: boolean,
): Promise<number> {
  receiver = await open({ ...anyPort, tls: await openTls(withClients) }, fixture.context);
  return receiver.port;
}

/** Sends one span through OpenTelemetry's SDK. */
async function send(exporter: SpanExporter): Promise<void> {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": "shop" }),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  provider.getTracer("test").startSpan("secret").end();
  await provider.forceFlush();
  await provider.shutdown();
}

/** @returns status of a POST; rejects when there is no connection */
function post(
  port: number,
  path: string,
  type: string,
  body: string,
  pair?: TestCertificate,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: "localhost",
        port,
        path,
        method: "POST",
        headers: { "Content-Type": type },
        ca: authority.cert,
        ...pair,
        agent: false,
      },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    call.on("error", reject);
    call.end(body);
  });
}

function postSpans(port: number, pair?: TestCertificate): Promise<unknown> {
  const own = pair === undefined ? [] : [Buffer.from(pair.key), Buffer.from(pair.cert)];
  const Client = makeClientConstructor(withPublicNames(collectorService)[1] ?? collectorService, "Collector");
  const stub = new Client(`localhost:${port}`, credentials.createSsl(Buffer.from(authority.cert), ...own), {
    "grpc.use_local_subchannel_pool": 1,
  });
  return new Promise((resolve, reject) => {
    stub.postSpans?.({}, (error: Error | null, answer: unknown) =>
      error === null ? resolve(answer) : reject(error),
    );
  }).finally(() => stub.close());
}

const openers = {
  otlpGrpc: (address, context) => openOtlpGrpc(address, grpcLimits(1_000_000), context),
  otlpHttp: (address, context) => openOtlpHttp(address, { timeouts: usualTimeouts }, context),
  apiV2: (address, context) => openGrpcApiV2(address, grpcLimits(1_000_000), context),
  thrift: (address, context) => openHttpThrift(address, usualTimeouts, context),
  zipkin: (address, context) => openZipkin(address, { timeouts: usualTimeouts, keepAlive: true }, context),
} satisfies Record<string, (address: ReceiverAddress, context: ReceiverContext) => Promise<Receiver>>;

describe.each([
  ["any client", false, undefined],
  ["clients with a certificate", true, client],
])("%s", (_, withClients, pair) => {
  test("OTLP over gRPC, OpenTelemetry's exporter", async () => {
    const port = await serve(openers.otlpGrpc, withClients);
    const own = pair === undefined ? [] : [Buffer.from(pair.key), Buffer.from(pair.cert)];
    await send(
      new GrpcExporter({
        url: `https://localhost:${port}`,
        credentials: credentials.createSsl(Buffer.from(authority.cert), ...own),
      }),
    );
    expect(await fixture.spans()).toMatchObject([{ name: "secret", resource: { serviceName: "shop" } }]);
  });

  test("OTLP over HTTP, OpenTelemetry's exporter", async () => {
    const port = await serve(openers.otlpHttp, withClients);
    await send(
      new HttpExporter({
        url: `https://localhost:${port}/v1/traces`,
        httpAgentOptions: { ca: authority.cert, ...pair },
      }),
    );
    expect(await fixture.spans()).toMatchObject([{ name: "secret", resource: { serviceName: "shop" } }]);
  });

  test("PostSpans", async () => {
    expect(await postSpans(await serve(openers.apiV2, withClients), pair)).toEqual({});
  });

  test("Thrift over HTTP", async () => {
    const port = await serve(openers.thrift, withClients);
    expect(await post(port, "/api/traces", "text/plain", "x", pair)).toBe(400);
  });

  test("Zipkin", async () => {
    const port = await serve(openers.zipkin, withClients);
    expect(await post(port, "/api/v2/spans", "application/json", "[]", pair)).toBe(202);
  });
});

describe("clients without a certificate where one is wanted", () => {
  test.each(["otlpHttp", "thrift", "zipkin"] as const)("%s: no connection", async (name) => {
    const port = await serve(openers[name], true);
    await expect(post(port, "/", "application/json", "[]")).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:ERR_SSL_|ECONNRESET|EPIPE)/),
    });
  });

  test("gRPC: no connection", async () => {
    await expect(postSpans(await serve(openers.apiV2, true))).rejects.toMatchObject({ code: 14 });
  });
});

test("plain text to a listener with TLS is no request", async () => {
  const port = await serve(openers.zipkin, false);
  await expect(fetch(`http://localhost:${port}/`, { method: "POST", body: "[]" })).rejects.toThrow();
  expect(await post(port, "/", "application/json", "[]")).toBe(202);
});

test("new files are in force for the next connection", async () => {
  const port = await serve(openers.zipkin, false);
  expect(await post(port, "/", "application/json", "[]")).toBe(202);
  const other = createTestAuthority();
  files.swap(other.issue("localhost"), other.cert);
  try {
    // The listener looks when the folder has been quiet for a moment.
    for (;;) {
      const failure = await post(port, "/", "application/json", "[]").then(
        () => undefined,
        (error: { code: string }) => error.code,
      );
      if (failure !== undefined) {
        expect(failure).toMatch(/SELF_SIGNED|UNABLE_TO_VERIFY|CERT/);
        break;
      }
    }
  } finally {
    files.swap(authority.issue("localhost"), authority.cert);
  }
});
