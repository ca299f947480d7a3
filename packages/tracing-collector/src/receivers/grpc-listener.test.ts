import { once } from "node:events";
import { connect, type Settings } from "node:http2";
import { createLogger } from "lifecycle";
import { expect, test } from "vitest";
import { anyPort, grpcLimits } from "../../test/receiver-fixture.ts";
import { createGrpcServer, listenGrpc } from "./grpc-listener.ts";
import { UnfinishedBytes } from "./unfinished-bytes.ts";

const unfinished = { bytes: new UnfinishedBytes(1_000_000), stallMs: 60_000 };

test("a connection may have 64 calls under way", async () => {
  const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
  const receiver = await listenGrpc(
    createGrpcServer(grpcLimits(1_000), unfinished, log, () => {}),
    anyPort,
  );
  const session = connect(`http://127.0.0.1:${receiver.port}`);
  const settings = await new Promise<Settings>((resolve) => session.once("remoteSettings", resolve));
  expect(settings.maxConcurrentStreams).toBe(64);
  session.destroy();
  await receiver.stop(AbortSignal.abort());
});

test("a connection that is old enough is asked to end, and ends after its grace", async () => {
  const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
  const settings = { ...grpcLimits(1_000), maxConnectionAgeMs: 20, maxConnectionAgeGraceMs: 20 };
  const receiver = await listenGrpc(
    createGrpcServer(settings, unfinished, log, () => {}),
    anyPort,
  );
  const session = connect(`http://127.0.0.1:${receiver.port}`);
  // A call that never ends.
  const call = session.request({ ":method": "POST", ":path": "/x", "content-type": "application/grpc" });
  call.on("error", () => {});
  const ended = once(session, "close");
  const [code] = (await once(session, "goaway")) as [number];
  expect(code).toBe(0);
  await ended;
  await receiver.stop(AbortSignal.abort());
});
