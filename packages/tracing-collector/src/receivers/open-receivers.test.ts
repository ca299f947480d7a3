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
  // No header of theirs is allowed there.
  expect(await preflight("Zipkin over HTTP", "https://zipkin.example")).toBeNull();
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
