import { once } from "node:events";
import { type ClientHttp2Stream, connect, constants } from "node:http2";
import { Client, credentials, type handleUnaryCall, type ServiceError, status } from "@grpc/grpc-js";
import { createLogger } from "lifecycle";
import { afterEach, expect, test } from "vitest";
import { anyPort, grpcLimits } from "../../test/receiver-fixture.ts";
import { createGrpcServer, listenGrpc } from "./grpc-listener.ts";
import { UnfinishedBytes } from "./unfinished-bytes.ts";

const closers: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) {
    await close();
  }
});

const bytes = {
  requestSerialize: (value: Buffer) => value,
  requestDeserialize: (value: Buffer) => value,
  responseSerialize: (value: Buffer) => value,
  responseDeserialize: (value: Buffer) => value,
};
const methods = {
  length: { path: "/test/Length", requestStream: false, responseStream: false, ...bytes },
  talk: { path: "/test/Talk", requestStream: true, responseStream: true, ...bytes },
};

async function openServer(limits: { maxBytes: number; stallMs: number }): Promise<number> {
  const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
  const { maxBytes, stallMs } = limits;
  const unfinished = { bytes: new UnfinishedBytes(maxBytes), stallMs };
  const server = createGrpcServer(grpcLimits(1_000_000), unfinished, log, () => {});
  const length: handleUnaryCall<Buffer, Buffer> = ({ request }, answer) =>
    answer(null, Buffer.from(String(request.length)));
  server.addService(methods, { length, talk: (call: { resume(): void }) => call.resume() });
  const receiver = await listenGrpc(server, anyPort);
  closers.push(() => receiver.stop(AbortSignal.abort()));
  return receiver.port;
}

/** A call that announces a megabyte and sends `sentBytes` of it. */
function beginCall(port: number, path: string, sentBytes: number): ClientHttp2Stream {
  const session = connect(`http://127.0.0.1:${port}`);
  closers.push(() => session.destroy());
  session.on("error", () => {});
  const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/grpc" });
  stream.on("error", () => {});
  const body = Buffer.alloc(5 + sentBytes);
  body.writeUInt32BE(1_000_000, 1);
  stream.write(body);
  return stream;
}

function askLength(port: number, size: number): Promise<string | ServiceError> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  closers.push(() => client.close());
  return new Promise((resolve) =>
    client.makeUnaryRequest(
      methods.length.path,
      bytes.requestSerialize,
      bytes.responseDeserialize,
      Buffer.alloc(size),
      (error, value) => resolve(error ?? String(value)),
    ),
  );
}

test("calls that would take more than all may are asked to come again, until there is room", async () => {
  const port = await openServer({ maxBytes: 100_000, stallMs: 60_000 });
  expect(await askLength(port, 60_000)).toBe("60000");
  const others = [beginCall(port, methods.length.path, 30_000), beginCall(port, methods.length.path, 30_000)];
  let refusal: string | ServiceError = "";
  // The bytes of the other calls may not have arrived yet.
  while (typeof refusal === "string") {
    refusal = await askLength(port, 60_000);
  }
  expect(refusal).toMatchObject({
    code: status.RESOURCE_EXHAUSTED,
    details: expect.stringMatching(/^unfinished messages take \d+ bytes: the limit is 100000$/),
  });
  const [details] = refusal.metadata.get("grpc-status-details-bin");
  expect(String(details)).toContain("google.rpc.RetryInfo");
  // Small messages still fit.
  expect(await askLength(port, 1_000)).toBe("1000");

  for (const other of others) {
    other.close(constants.NGHTTP2_CANCEL);
  }
  await Promise.all(others.map((other) => other.closed || once(other, "close")));
  let answer: string | ServiceError = refusal;
  while (typeof answer !== "string") {
    answer = await askLength(port, 60_000);
  }
  expect(answer).toBe("60000");
});

test("what a call brings after its answer takes no room", async () => {
  const port = await openServer({ maxBytes: 100_000, stallMs: 60_000 });
  const tooLong = Buffer.alloc(5);
  tooLong.writeUInt32BE(2_000_000, 1);
  const session = connect(`http://127.0.0.1:${port}`);
  closers.push(() => session.destroy());
  const other = session.request({
    ":method": "POST",
    ":path": methods.length.path,
    "content-type": "application/grpc",
  });
  other.write(tooLong);
  const [headers] = (await once(other, "response")) as [Record<string, string>];
  expect(headers["grpc-message"]).toContain("larger");
  await new Promise((resolve) => other.write(Buffer.alloc(500_000), resolve));
  expect(await askLength(port, 90_000)).toBe("90000");
});

test("a call that does not go on is broken off", async () => {
  const port = await openServer({ maxBytes: 100_000, stallMs: 20 });
  const call = beginCall(port, methods.length.path, 30_000);
  await once(call, "close");
  expect(call.rstCode).toBe(constants.NGHTTP2_CANCEL);
  expect(await askLength(port, 90_000)).toBe("90000");
});

test("a call whose requests never end may bring 256 KiB", async () => {
  const port = await openServer({ maxBytes: 1_000_000, stallMs: 20 });
  const call = beginCall(port, methods.talk.path, 300_000);
  const [headers] = (await once(call, "response")) as [Record<string, string>];
  expect(headers["grpc-status"]).toBe(String(status.RESOURCE_EXHAUSTED));
  expect(headers["grpc-message"]).toContain("262144");
});
