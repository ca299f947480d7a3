import { certificateTopics } from "certificates/material/certificate-messages";
import { selfSigned } from "certificates/testing/self-signed";
import { CertificateSource } from "certificates/tls/certificates/certificate-source";
import { ConnectionPolicy } from "certificates/tls/connection/connection-policy";
import { HandshakeEvents } from "certificates/tls/connection/handshake-events";
import { TlsAcceptor } from "certificates/tls/connection/tls-acceptor";
import { createLogger } from "lifecycle";
import { OwnPorts } from "server-core/listen/port-source";
import { memoryKeeper, TableState } from "server-core/threads/shared-state";
import { SharedTable } from "server-core/threads/shared-table";
import { SingleThread } from "server-core/threads/thread-messages";
import { expect, onTestFinished, test } from "vitest";
import { Http3TestClient } from "../../../admin-server/src/testing/http3-client.ts";
import { connectionLimits } from "../server-limits.ts";
import { Http3Listener } from "./h3-listener.ts";

test("begins handshakes as soon as the port is open, and holds requests until the config runs", async () => {
  const log = createLogger({ name: "server", level: "fatal", encoding: "json" });
  const messages = new SingleThread();
  const made = await selfSigned("a.localhost");
  messages.on(certificateTopics.find, () => ({
    id: "a",
    certificates: [{ cert: made.cert, key: made.key }],
  }));
  const tls = new TlsAcceptor([await ConnectionPolicy.load({}, {} as never, "", [])], {
    source: new CertificateSource(messages),
    events: new HandshakeEvents(messages),
    messages,
    log,
  });
  const limits = connectionLimits({});
  const shared = new TableState(SharedTable.create(1), memoryKeeper());
  const address = { network: "udp", host: "127.0.0.1", port: 0 } as const;
  const options = { limits, tls, log, ports: new OwnPorts(log), messages, shared };
  const listener = await Http3Listener.open(address, options);
  const client = await Http3TestClient.connect(listener.port);
  onTestFinished(async () => {
    client.close();
    await listener.close();
  });
  const early = client.ask({ path: "/early" });
  // The answer to another connection's handshake comes after the request, so the request has arrived by then.
  (await Http3TestClient.connect(listener.port)).close();
  const sink = {
    limits,
    take: (stream: { readonly target: string; respond(...answer: [number, string[], string]): void }) =>
      stream.respond(200, ["X-Target", stream.target], ""),
  };
  listener.switchTo(sink, tls, messages);
  expect((await early).headers).toMatchObject({ "x-target": "/early" });
});
