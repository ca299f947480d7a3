import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { RunningServer, respond } from "../../../admin-server/src/testing/running-server.ts";
import { certificateTopics, type TicketAnswer } from "../material/certificate-messages.ts";
import { nameInTicket, policyTicketKey, TicketKeyRing, ticketKeyName } from "./session-tickets.ts";

describe("keys", () => {
  afterEach(() => vi.useRealTimers());

  test("are replaced in time, and some older ones still count", () => {
    vi.useFakeTimers();
    const ring = new TicketKeyRing();
    const [first] = ring.keys;
    let changes = 0;
    ring.rotateEvery(1_000, 3, () => changes++);
    vi.advanceTimersByTime(2_000);
    expect([changes, ring.keys.length, ring.keys.at(-1)]).toEqual([2, 3, first]);
    vi.advanceTimersByTime(1_000);
    expect([ring.keys.length, ring.keys.includes(first as Uint8Array)]).toEqual([3, false]);
    const newest = ring.keys[0];
    ring.rotateEvery(1_000, 1, () => changes++);
    expect(ring.keys).toEqual([newest]);
    ring.close();
    vi.advanceTimersByTime(10_000);
    expect(changes).toBe(3);
  });

  test("are others for each policy, and are known by the beginning of a ticket", () => {
    const key = new Uint8Array(48).fill(7);
    const [a, b] = [policyTicketKey(key, "a"), policyTicketKey(key, "b")];
    expect([a.length, a.equals(b)]).toEqual([48, false]);
    expect(nameInTicket(Buffer.concat([a.subarray(0, 16), Buffer.alloc(100)]))).toBe(ticketKeyName(a));
    expect(nameInTicket(Buffer.alloc(16))).toBe("");
  });
});

describe("sessions", () => {
  let running: RunningServer;
  beforeAll(async () => {
    running = await RunningServer.start(null, {}, 2);
  });
  afterAll(() => running.close());

  async function load(tickets: object): Promise<void> {
    const answer = await running.admin("POST", "/load", {
      apps: {
        tls: {
          session_tickets: tickets,
          certificates: { automate: ["x.internal"] },
          automation: { policies: [{ issuers: [{ module: "internal" }] }] },
        },
        http: {
          servers: {
            s: {
              listen: ["127.0.0.1:0"],
              tls_connection_policies: [{}],
              automatic_https: { disable_redirects: true },
              routes: [respond("in")],
            },
          },
        },
      },
    });
    expect(answer.error).toBe("");
  }

  /** Sends one request. @returns the session for the next visit, and true when an earlier session was resumed */
  async function visit(
    version: "TLSv1.2" | "TLSv1.3",
    session?: Buffer,
  ): Promise<{ session: Buffer; reused: boolean }> {
    const { port } = new URL(running.site);
    const socket: TLSSocket = connect({
      host: "127.0.0.1",
      port: Number(port),
      servername: "x.internal",
      rejectUnauthorized: false,
      minVersion: version,
      maxVersion: version,
      ...(session === undefined ? {} : { session }),
    });
    let latest = session ?? Buffer.alloc(0);
    socket.on("session", (each: Buffer) => {
      latest = each;
    });
    await once(socket, "secureConnect");
    const reused = socket.isSessionReused();
    socket.write("GET / HTTP/1.1\r\nHost: x.internal\r\nConnection: close\r\n\r\n");
    socket.resume();
    await once(socket, "close");
    return { session: latest, reused };
  }

  const keys = async () =>
    ((await running.server.services.messages.askMain(certificateTopics.tickets, null)) as TicketAnswer).keys;

  test.each(["TLSv1.2", "TLSv1.3"] as const)(
    "of %s go on in whichever thread, and after the keys were replaced",
    async (version) => {
      await load({ rotation_interval: "100ms", max_keys: 10_000 });
      const { session } = await visit(version);
      const before = (await keys()).length;
      while ((await keys()).length < before + 3) {
        await visit(version);
      }
      // Several visits, because the system gives connections to any thread.
      const reused = await Promise.all(Array.from({ length: 8 }, () => visit(version, session)));
      expect(reused.map((each) => each.reused)).toEqual(Array(8).fill(true));
    },
  );

  test("are over when their key does not count any more, and do not begin without tickets", async () => {
    await load({ rotation_interval: "50ms", max_keys: 1 });
    const { session } = await visit("TLSv1.2");
    while ((await visit("TLSv1.2", session)).reused) {
      // its key is to be replaced soon
    }
    await load({ disabled: true });
    const { session: none } = await visit("TLSv1.2");
    expect((await visit("TLSv1.2", none.length > 0 ? none : undefined)).reused).toBe(false);
  });
});
