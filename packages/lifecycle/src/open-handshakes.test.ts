import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect as connectHttp2, createSecureServer } from "node:http2";
import { createServer, get } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import type { Server } from "node:tls";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { endHandshakesOnClose } from "./open-handshakes.ts";
import { createTestAuthority } from "./testing/test-certificates.ts";

const material = createTestAuthority().issue("localhost");

/** The connection ends by itself, with or without an error. */
function openSocket(port: number, bytes: string) {
  const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
  socket.on("error", () => {}).resume();
  return { socket, end: new Promise<void>((resolve) => void socket.once("close", () => resolve())) };
}

async function askHttp1(port: number): Promise<string> {
  const [response] = await once(
    get({ port, host: "127.0.0.1", rejectUnauthorized: false, agent: false }),
    "response",
  );
  return await text(response);
}

async function askHttp2(port: number): Promise<string> {
  const client = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  const answer = await text(client.request({ ":path": "/" }));
  client.close();
  return answer;
}

describe.each([
  { name: "HTTP/1.1", create: (): Server => createServer(material), ask: askHttp1 },
  { name: "HTTP/2", create: (): Server => createSecureServer(material), ask: askHttp2 },
])("a server of $name", ({ create, ask }) => {
  let server: Server;
  const port = () => (server.address() as AddressInfo).port;
  const closed = () => new Promise<void>((resolve) => server.close(() => resolve()));

  beforeEach(async () => {
    server = create();
    endHandshakesOnClose(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterEach(() => void server.close());

  test("closes though clients began no handshake, or one that they do not end", async () => {
    for (const bytes of ["", "\x16\x03\x01\x02\x00"]) {
      const connection = once(server, "connection");
      const { end } = openSocket(port(), bytes);
      await connection;
      await closed();
      await end;
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
    }
  });

  test("serves the requests that it has while it closes", async () => {
    let end: Promise<void> | undefined;
    server.on("request", (_, response: ServerResponse) => {
      end = closed();
      setImmediate(() => response.end("served"));
    });
    expect(await ask(port())).toBe("served");
    await end;
  });
});

test("a handshake that takes ten seconds is ended", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const server = createServer({ ...material, handshakeTimeout: 3_600_000 });
    endHandshakesOnClose(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const connection = once(server, "connection");
    const { end } = openSocket((server.address() as AddressInfo).port, "");
    const [accepted] = await connection;
    vi.advanceTimersByTime(9_999);
    expect(accepted.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    await end;
    server.close();
  } finally {
    vi.useRealTimers();
  }
});
