import { connect, type Settings } from "node:http2";
import { createLogger } from "lifecycle";
import { expect, test } from "vitest";
import { anyPort, grpcLimits } from "../../test/receiver-fixture.ts";
import { createGrpcServer, listenGrpc } from "./grpc-listener.ts";

test("a connection may have 64 calls under way", async () => {
  const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
  const receiver = await listenGrpc(
    createGrpcServer(grpcLimits(1_000), log, () => {}),
    anyPort,
  );
  const session = connect(`http://127.0.0.1:${receiver.port}`);
  const settings = await new Promise<Settings>((resolve) => session.once("remoteSettings", resolve));
  expect(settings.maxConcurrentStreams).toBe(64);
  session.destroy();
  await receiver.stop(AbortSignal.abort());
});
