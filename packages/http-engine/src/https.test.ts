import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectPlain } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { connect } from "node:tls";
import { ask } from "server-core/testing/ask";
import { askTls } from "server-core/testing/ask-tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, respond } from "../../admin-server/src/testing/running-server.ts";

const site = (host: string, body: string) => ({ match: [{ host: [host] }], ...(respond(body) as object) });
const config = (server: object) => ({
  apps: { http: { servers: { s: { listen: ["127.0.0.1:0"], tls_connection_policies: [{}], ...server } } } },
});

describe.each([0, 2])("HTTPS with %d worker threads", (workers) => {
  let running: RunningServer;
  let ca: string;
  beforeAll(async () => {
    running = await RunningServer.start(
      config({
        routes: [
          site("a.localhost", "a"),
          site("b.localhost", "b"),
          respond("{http.request.proto} {http.request.scheme}"),
        ],
      }),
      {},
      workers,
    );
    ca = JSON.parse((await running.admin("GET", "/pki/ca/local")).text).root_certificate;
  });
  afterAll(() => running.close());

  test("shows each name its certificate, which the local authority vouches for", async () => {
    for (const name of ["a", "b"]) {
      const answer = await askTls(running.site, { servername: `${name}.localhost`, ca });
      expect([answer.text, answer.certificate, answer.protocol]).toEqual([
        name,
        `DNS:${name}.localhost`,
        "TLSv1.3",
      ]);
    }
  });

  test("speaks HTTP/2 with who can", async () => {
    const { port } = new URL(running.site);
    const session = connectHttp2(`https://127.0.0.1:${port}`, { servername: "a.localhost", ca });
    const stream = session.request({ ":path": "/x", ":authority": "other.example" });
    const [head] = await once(stream, "response");
    expect(head[":status"]).toBe(200);
    expect(await text(stream)).toBe("HTTP/2.0 https");
    session.close();
  });

  test("a client that ends its side gets the answer to what is no request", async () => {
    const socket = connect({ port: Number(new URL(running.site).port), servername: "a.localhost", ca });
    const answer = text(socket);
    socket.end(`GET /a b HTTP/1.1\r\nHost: a\r\n${"X-Many: 1\r\n".repeat(150)}\r\n`);
    expect(await answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  });

  test("has no certificate for other names", async () => {
    const failed = askTls(running.site, { servername: "c.localhost", ca });
    await expect(failed).rejects.toThrow("alert internal error");
  });

  test("tells who speaks HTTP to use HTTPS", async () => {
    const answer = await ask(running.site);
    expect([answer.status, answer.text]).toEqual([400, "Client sent an HTTP request to an HTTPS server.\n"]);
  });

  test("takes a hello in single bytes, and closes what is none", async () => {
    const { port } = new URL(running.site);
    const garbage = connectPlain(Number(port), "127.0.0.1");
    garbage.end(Buffer.from([22, 3, 1, 0, 4, 9, 0, 0, 0]));
    expect([...(await buffer(garbage))]).toEqual([21, 3, 3, 0, 2, 2, 50]);
  });

  test("resumes sessions, in whichever thread", async () => {
    const { port } = new URL(running.site);
    const open = (session?: Buffer) =>
      connect({
        port: Number(port),
        host: "127.0.0.1",
        servername: "a.localhost",
        ca,
        ...(session ? { session } : {}),
      });
    const first = open();
    first.write("GET / HTTP/1.1\r\nHost: a.localhost\r\n\r\n");
    const [session] = await once(first, "session");
    first.destroy();
    for (let round = 0; round < 6; round++) {
      const next = open(session as Buffer);
      await once(next, "secureConnect");
      expect(next.isSessionReused()).toBe(true);
      next.destroy();
    }
  });

  test("keeps certificates over reloads, and connections too", async () => {
    const { port } = new URL(running.site);
    const session = connectHttp2(`https://127.0.0.1:${port}`, { servername: "a.localhost", ca });
    await once(session, "connect");
    expect(
      (await running.admin("POST", "/load", config({ routes: [site("a.localhost", "new")] }))).error,
    ).toBe("");
    const stream = session.request({ ":path": "/", ":authority": "a.localhost" });
    expect(await text(stream)).toBe("new");
    session.close();
    expect((await askTls(running.site, { servername: "a.localhost", ca })).text).toBe("new");
  });
});
