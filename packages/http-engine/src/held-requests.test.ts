import { once } from "node:events";
import { connect } from "node:http2";
import { createLogger } from "lifecycle";
import { OwnPorts } from "server-core/listen/port-source";
import { expect, test } from "vitest";
import type { ConnectionLimits } from "./connection-limits.ts";
import { H2Connection } from "./h2/h2-connection.ts";
import type { HttpStream } from "./http-stream.ts";
import { SharedListener } from "./shared-listener.ts";

const limits: ConnectionLimits = {
  readHeaderTimeoutMs: 0,
  readTimeoutMs: 0,
  readIdleTimeoutMs: 0,
  readMinRate: 0,
  writeTimeoutMs: 0,
  writeIdleTimeoutMs: 0,
  maxWriteChunk: 65_536,
  writeMinRate: 0,
  idleTimeoutMs: 0,
  keepAliveMs: 0,
  keepAliveIntervalMs: 0,
  keepAliveCount: 0,
  maxHeaderBytes: 65_536,
};

test("HTTP/2 without TLS is spoken as soon as the port is open, before the config runs", async () => {
  const log = createLogger({ name: "server", level: "fatal", encoding: "json" });
  const address = { network: "tcp", host: "127.0.0.1", port: 0 } as const;
  const listener = await SharedListener.open(address, {
    limits,
    log,
    ports: new OwnPorts(log),
    plainHttp2: true,
    serveHttp2: (socket, owner, now) => new H2Connection(socket, owner, now),
  });
  const client = connect(`http://${listener.address}`);
  try {
    const request = client.request({ ":path": "/early" });
    await once(client, "remoteSettings");
    const sink = {
      limits,
      take: (stream: HttpStream) => stream.respond(200, ["X-Target", stream.target], ""),
    };
    listener.switchTo(sink, undefined, true);
    const [head] = await once(request, "response");
    expect(head).toMatchObject({ ":status": 200, "x-target": "/early" });
  } finally {
    client.destroy();
    listener.close();
  }
});
