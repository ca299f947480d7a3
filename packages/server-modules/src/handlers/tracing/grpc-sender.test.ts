import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServerCredentials, status } from "@grpc/grpc-js";
import { selfSigned } from "certificates/testing/self-signed";
import { GrpcSender } from "server-core/otlp/grpc-sender";
import { readGrpcSettings } from "server-core/otlp/grpc-settings";
import { GrpcCollector } from "server-core/testing/grpc-collector";
import { afterEach, expect, test } from "vitest";

const service = "opentelemetry.proto.collector.metrics.v1.MetricsService";
const message = Buffer.from("a message");
let collector: GrpcCollector | undefined;
let sender: GrpcSender | undefined;

afterEach(() => {
  sender?.close();
  collector?.stop();
  collector = undefined;
});

function open(environment: Record<string, string>): GrpcSender {
  sender = new GrpcSender(readGrpcSettings(environment, "METRICS"), service);
  return sender;
}

const to = (port: number) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/ignored` });

test.each(["none", "gzip"])("an export arrives, with its fields (compression %s)", async (compression) => {
  collector = await GrpcCollector.start();
  await open({
    ...to(collector.port),
    OTEL_EXPORTER_OTLP_HEADERS: "X-Key=a%20b,other=1",
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: "other=2",
    OTEL_EXPORTER_OTLP_COMPRESSION: compression,
  }).send(message);
  const { path, message: arrived, metadata } = await collector.exports.next();
  expect([path, String(arrived)]).toEqual([`/${service}/Export`, "a message"]);
  expect([metadata.get("x-key"), metadata.get("other")]).toEqual([["a b"], ["2"]]);
});

test("over TLS, by the authority that is named", async () => {
  const { cert, key } = await selfSigned("localhost");
  const folder = await mkdtemp(join(tmpdir(), "otlp-"));
  await writeFile(join(folder, "ca.pem"), cert);
  const pair = { cert_chain: Buffer.from(cert), private_key: Buffer.from(key) };
  collector = await GrpcCollector.start(ServerCredentials.createSsl(null, [pair]));
  const endpoint = { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `localhost:${collector.port}` };
  await open({ ...endpoint, OTEL_EXPORTER_OTLP_CERTIFICATE: join(folder, "ca.pem") }).send(message);
  expect(String((await collector.exports.next()).message)).toBe("a message");
  sender?.close();
  await expect(open({ ...endpoint, OTEL_EXPORTER_OTLP_TIMEOUT: "500" }).send(message)).rejects.toThrow(
    "self-signed certificate",
  );
  await rm(folder, { recursive: true });
});

test("what may be sent again is, what may not is refused with its reason", async () => {
  collector = await GrpcCollector.start();
  collector.refusals.push({ code: status.UNAVAILABLE, details: "a moment" });
  await open(to(collector.port)).send(message);
  await collector.exports.next();
  await collector.exports.next();
  collector.refusals.push(
    { code: status.INVALID_ARGUMENT, details: "nö" },
    { code: status.RESOURCE_EXHAUSTED, details: "full" },
  );
  await expect(sender?.send(message)).rejects.toThrow("nö (gRPC status 3)");
  await expect(sender?.send(message)).rejects.toThrow("full (gRPC status 8)");
});

test("a collector that was away is found again", async () => {
  collector = await GrpcCollector.start();
  const { port } = collector;
  await open({ ...to(port), OTEL_EXPORTER_OTLP_TIMEOUT: "500" }).send(message);
  collector.stop();
  await expect(sender?.send(message)).rejects.toThrow("gRPC status");
  await expect(sender?.send(message)).rejects.toThrow("ECONNREFUSED");
  collector = await GrpcCollector.start(undefined, port);
  await sender?.send(message);
  expect(String((await collector.exports.next()).message)).toBe("a message");
});

test.each([
  ["never answers", undefined, "no answer in"],
  ["is no gRPC", 404, "HTTP status 404 (gRPC status 12)"],
  ["is busy before it knows gRPC", 503, "HTTP status 503 (gRPC status 14)"],
  ["ends without a status", 200, "an answer without a gRPC status (gRPC status 2)"],
])("a server that %s", async (_, answer, fault) => {
  const server = createServer().on("stream", (stream: ServerHttp2Stream) => {
    if (answer !== undefined) {
      stream.respond({ ":status": answer });
      stream.end();
    }
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await expect(open({ ...to(port), OTEL_EXPORTER_OTLP_TIMEOUT: "100" }).send(message)).rejects.toThrow(fault);
  sender?.close();
  server.close();
});

test.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "ftp://a" }, "neither http nor https"],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "a b" }, "is no address"],
  [{ OTEL_EXPORTER_OTLP_COMPRESSION: "zstd" }, "neither gzip nor none"],
  [{ OTEL_EXPORTER_OTLP_CERTIFICATE: "/nowhere.pem" }, "OTEL_EXPORTER_OTLP_CERTIFICATE: ENOENT"],
  [{ OTEL_EXPORTER_OTLP_HEADERS: "a=%zz" }, "not percent-encoded"],
  [{ OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: "x" }, "is not a positive whole number"],
])("%j is refused", (environment, fault) => {
  expect(() => readGrpcSettings(environment, "METRICS")).toThrow(fault);
});

test("defaults", () => {
  expect(readGrpcSettings({}, "TRACES")).toEqual({
    origin: "http://localhost:4317",
    headers: {},
    timeoutMs: 10_000,
    gzip: false,
  });
  const insecure = { OTEL_EXPORTER_OTLP_ENDPOINT: "a:1", OTEL_EXPORTER_OTLP_INSECURE: "true" };
  expect(readGrpcSettings(insecure, "TRACES").origin).toBe("http://a:1");
});
