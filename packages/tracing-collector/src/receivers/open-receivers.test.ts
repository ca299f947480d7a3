import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openReceiverFixture, type ReceiverFixture } from "../../test/receiver-fixture.ts";
import { collectorOptions } from "../options/collector-options.ts";
import { receiverOpeners } from "./open-receivers.ts";
import type { Receiver } from "./receiver.ts";

let fixture: ReceiverFixture;
const receivers: Receiver[] = [];

beforeEach(async () => {
  fixture = await openReceiverFixture();
});

afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.stop(AbortSignal.abort())));
  await fixture.close();
});

const anyPorts = Object.fromEntries(
  ["otlp.grpc", "otlp.http", "grpc-server", "http-server"].map((name) => [
    `collector.${name}.host-port`,
    "127.0.0.1:0",
  ]),
);

async function open(options: Readonly<Record<string, unknown>>): Promise<Receiver[]> {
  for (const opener of receiverOpeners(collectorOptions.parse({ ...anyPorts, ...options }))) {
    receivers.push(await opener(fixture.context));
  }
  return receivers;
}

const usual = ["OTLP over gRPC", "OTLP over HTTP", "api_v2 over gRPC", "Thrift over HTTP"];

test.each([
  [{}, usual],
  [{ "collector.otlp.enabled": false }, usual.slice(2)],
  [{ "collector.zipkin.host-port": "127.0.0.1:0" }, [...usual, "Zipkin over HTTP"]],
])("%j opens %j", async (options, whats) => {
  expect((await open(options)).map(({ what }) => what)).toEqual(whats);
});

test("CORS options reach their listeners", async () => {
  await open({
    "collector.zipkin.host-port": "127.0.0.1:0",
    "collector.zipkin.cors.allowed-origins": "https://zipkin.example",
    "collector.otlp.http.cors.allowed-origins": "https://otlp.example",
    "collector.otlp.http.cors.allowed-headers": "x-token",
  });
  const preflight = async (what: string, origin: string) => {
    const port = receivers.find((receiver) => receiver.what === what)?.port;
    const response = await fetch(`http://127.0.0.1:${port}/v1/traces`, {
      method: "OPTIONS",
      headers: {
        Origin: origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "x-token",
      },
    });
    return response.headers.get("access-control-allow-origin");
  };
  expect(await preflight("OTLP over HTTP", "https://otlp.example")).toBe("https://otlp.example");
  expect(await preflight("OTLP over HTTP", "https://zipkin.example")).toBeNull();
  // The other port's allowed headers do not apply to this port.
  expect(await preflight("Zipkin over HTTP", "https://zipkin.example")).toBeNull();
});

const portOf = (what: string): number => receivers.find((receiver) => receiver.what === what)?.port ?? 0;

describe("options of gRPC reach their own listener", () => {
  const listeners = [
    ["collector.otlp.grpc", "OTLP over gRPC", "/opentelemetry.proto.collector.trace.v1.TraceService/Export"],
    ["collector.grpc-server", "api_v2 over gRPC", "/jaeger.api_v2.CollectorService/PostSpans"],
  ] as const;

  /** Status of the answer to a message of `bytes` bytes in an unknown field. */
  async function statusOf(what: string, path: string, bytes: number): Promise<string> {
    const session = connectHttp2(`http://127.0.0.1:${portOf(what)}`);
    const stream = session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      te: "trailers",
    });
    const message = Buffer.alloc(bytes);
    message.set([0x7a, ((bytes - 3) & 0x7f) | 0x80, (bytes - 3) >> 7]);
    const head = Buffer.alloc(5);
    head.writeUInt32BE(bytes, 1);
    let status: unknown;
    for (const event of ["response", "trailers"]) {
      stream.on(event, (headers: Record<string, unknown>) => {
        status = headers["grpc-status"] ?? status;
      });
    }
    stream.resume().end(Buffer.concat([head, message]));
    await once(stream, "close");
    session.destroy();
    return String(status);
  }

  test.each(listeners)("%s.max-message-size", async (name, what, path) => {
    await open({ [`${name}.max-message-size`]: "2000" });
    expect(await statusOf(what, path, 2_000)).toBe("0");
    expect(await statusOf(what, path, 2_001)).toBe("8");
    for (const [, otherWhat, otherPath] of listeners.filter(([other]) => other !== name)) {
      expect(await statusOf(otherWhat, otherPath, 2_001)).toBe("0");
    }
  });

  test.each(listeners)("%s.max-connection-age and its grace", async (name, what, path) => {
    await open({ [`${name}.max-connection-age`]: "20ms", [`${name}.max-connection-age-grace`]: "20ms" });
    const session = connectHttp2(`http://127.0.0.1:${portOf(what)}`);
    // A call that never ends.
    session
      .request({ ":method": "POST", ":path": path, "content-type": "application/grpc" })
      .on("error", () => {});
    const closed = once(session, "close");
    await once(session, "goaway");
    await closed;
  });
});

describe("options of HTTP reach their own listener", () => {
  const withZipkin = { "collector.zipkin.host-port": "127.0.0.1:0" };
  /** Zipkin's port has the same time limits as the other HTTP port. */
  const listeners = [
    ["collector.otlp.http", "OTLP over HTTP"],
    ["collector.http-server", "Thrift over HTTP"],
    ["collector.http-server", "Zipkin over HTTP"],
  ] as const;

  /** All bytes that the server sends before it closes the connection. */
  async function answerTo(what: string, text: string): Promise<string> {
    const socket = connect(portOf(what), "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk: Buffer) => {
      answer += chunk.toString("latin1");
    });
    socket.write(text);
    await once(socket, "close");
    return answer;
  }

  test.each(listeners)("%s.idle-timeout, %s", async (name, what) => {
    await open({ ...withZipkin, [`${name}.idle-timeout`]: "20ms" });
    expect(await answerTo(what, "GET /nope HTTP/1.1\r\nHost: x\r\n\r\n")).toMatch(/^HTTP\/1.1 4/);
  });

  test.each(listeners)("%s.read-header-timeout, %s", async (name, what) => {
    await open({ ...withZipkin, [`${name}.read-header-timeout`]: "20ms" });
    expect(await answerTo(what, "POST /v1/traces HTTP/1.1\r\nHost:")).toMatch(/^HTTP\/1.1 408 /);
  });

  test.each(listeners)("%s.read-timeout, %s", async (name, what) => {
    await open({ ...withZipkin, [`${name}.read-timeout`]: "40ms", [`${name}.read-header-timeout`]: "20ms" });
    const head =
      "POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n";
    expect(await answerTo(what, `${head}[`)).toMatch(/^HTTP\/1.1 (503|404) /);
  });

  test.each([
    [true, "keep-alive"],
    [false, "close"],
  ])("collector.zipkin.keep-alive %s", async (keepAlive, connection) => {
    await open({ ...withZipkin, "collector.zipkin.keep-alive": keepAlive });
    const request = httpRequest({
      port: portOf("Zipkin over HTTP"),
      method: "POST",
      path: "/api/v2/spans",
      headers: { Connection: "keep-alive" },
    });
    request.end("[]");
    const [response] = await once(request, "response");
    expect([response.statusCode, response.headers.connection]).toEqual([202, connection]);
    request.destroy();
  });
});

describe("TLS options without TLS stop the start", () => {
  test.each([
    ["collector.otlp.grpc", {}],
    ["collector.otlp.http", {}],
    ["collector.grpc", {}],
    ["collector.http", {}],
    ["collector.zipkin", { "collector.zipkin.host-port": "127.0.0.1:0" }],
  ])("%s", async (prefix, more) => {
    await expect(open({ ...more, [`${prefix}.tls.cert`]: "cert.pem" })).rejects.toThrow(
      `${prefix}.tls.* options cannot be used when ${prefix}.tls.enabled is false`,
    );
  });
});

test.each([
  ["collector.zipkin.host-port", "nowhere", '"nowhere" is not host:port'],
  ["collector.http-server.idle-timeout", "596h", undefined],
  ["collector.http-server.idle-timeout", "597h", "is over 24 days"],
  ["collector.otlp.grpc.max-connection-age", "5", "is not a duration"],
])("--%s %s", (name, value, problem) => {
  const result = collectorOptions.safeParse({ [name]: value });
  expect(result.error?.issues.map(({ message }) => message).join() ?? "").toMatch(problem ?? /^$/);
});
