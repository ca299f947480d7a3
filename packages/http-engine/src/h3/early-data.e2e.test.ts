import { execFile, execFileSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, respond } from "../../../admin-server/src/testing/running-server.ts";
import { startLossyRelay } from "../../../http-protocols/src/testing/lossy-relay.ts";

const peers = process.env.PEERS ?? join(homedir(), ".cache", "tracing-and-server", "peers");
const quicGo = join(peers, "http3-client");
const aioquicScript = join(import.meta.dirname, "../../../http-protocols/src/testing/aioquic-client.py");
const python = [join(peers, "aioquic", "bin", "python"), "python3"].find((program) => {
  try {
    execFileSync(program, ["-c", "import aioquic"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly resumed: boolean;
  readonly early: boolean;
  /** The error that ended the request; quic-go alone names it. */
  readonly error?: string;
}

/**
 * Passes datagrams on, and keeps the first ones of each client.
 * @param returns called before the second client's first datagram passes
 * @param secondAddress the server sees it as the second client's address
 */
async function startRelay(serverPort: number, returns?: () => Promise<void>, secondAddress = "127.0.0.1") {
  const front = createSocket("udp4").bind(0, "127.0.0.1");
  const back = createSocket("udp4").bind(0, "127.0.0.1");
  const secondBack = createSocket("udp4").bind(0, secondAddress);
  await Promise.all([front, back, secondBack].map((socket) => once(socket, "listening")));
  let clientPort = 0;
  /** First datagrams of each client, by its port. */
  const flights = new Map<number, Buffer[]>();
  let returned: Promise<void> | undefined;
  front.on("message", async (datagram, { port }) => {
    clientPort = port;
    const flight = flights.get(port) ?? [];
    flights.set(port, flight);
    if (flight.length < 6) {
      flight.push(Buffer.from(datagram));
    }
    if (flights.size > 1) {
      returned ??= returns?.();
      await returned;
    }
    (flights.size > 1 ? secondBack : back).send(datagram, serverPort, "127.0.0.1");
  });
  for (const socket of [back, secondBack]) {
    socket.on("message", (datagram) => front.send(datagram, clientPort, "127.0.0.1"));
  }
  return {
    port: front.address().port,
    flights,
    close: () => {
      front.close();
      back.close();
      secondBack.close();
    },
  };
}

/** Sends datagrams again from many ports, so that they come to each thread. */
async function sendAgain(datagrams: readonly Buffer[], port: number, sockets: number): Promise<void> {
  for (let index = 0; index < sockets; index++) {
    const socket = createSocket("udp4");
    for (const datagram of datagrams) {
      await new Promise((sent) => socket.send(datagram, port, "127.0.0.1", sent));
    }
    await sleep(20);
    socket.close();
  }
}

const clients = [
  {
    name: "quic-go",
    isMissing: !existsSync(quicGo),
    program: quicGo,
    args: (port: number | string) => ["-early", `https://localhost:${port}`],
  },
  {
    name: "aioquic",
    isMissing: python === undefined,
    program: python ?? "",
    args: (port: number | string) => [aioquicScript, "-early", String(port)],
  },
];

describe.for(clients)("early data of $name (skipped without it)", ({ isMissing, program, args }) => {
  let running: RunningServer;
  let port: number;
  const seen: string[] = [];
  const upstream = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    request.resume();
    request.once("end", () => response.end(`${request.method} early:${request.headers["early-data"] ?? ""}`));
  });

  const configOf = (allowed: boolean) => {
    const dial = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const s = {
      listen: ["127.0.0.1:0"],
      protocols: ["h1", "h2", "h3"],
      ...(!allowed && { allow_0rtt: false }),
      tls_connection_policies: [{ default_sni: "localhost" }],
      routes: [
        {
          match: [{ path: ["/late"], tls: { handshake_complete: false } }],
          handle: [{ handler: "static_response", status_code: 425 }],
        },
        { match: [{ path: ["/late"], tls: { handshake_complete: true } }], ...(respond("late") as object) },
        {
          match: [{ host: ["localhost"] }, {}],
          handle: [{ handler: "reverse_proxy", upstreams: [{ dial }] }],
        },
      ],
    };
    return { apps: { http: { servers: { s } } } };
  };

  beforeAll(async () => {
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    running = await RunningServer.start(configOf(true), {}, 2);
    port = Number(new URL(running.site).port);
  });
  afterAll(async () => {
    await running.close();
    upstream.close();
  });

  async function ask(requests: readonly string[], at = port): Promise<Answer[]> {
    const { stdout } = await promisify(execFile)(program, [...args(at), ...requests], { timeout: 90_000 });
    return stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  }

  test.skipIf(isMissing)("reaches an upstream with Early-Data, once, on whichever thread", async () => {
    const answers = await ask(["GET /one", "RESUME", "GET /two", "RESUME", "GET /three"]);
    expect(answers.map(({ text, early }) => [text, early])).toEqual([
      ["GET early:", false],
      ["GET early:1", true],
      ["GET early:1", true],
    ]);
  });

  test.skipIf(isMissing)("runs unsafe requests after the handshake", async () => {
    const [, post, get] = await ask(["GET /one", "RESUME", "POST /two 5000", "GET /three"]);
    expect(post).toMatchObject({ status: 200, text: "POST early:", resumed: true });
    expect(get).toMatchObject({ status: 200, text: "GET early:" });
  });

  test.skipIf(isMissing)(
    "waits for the handshake when it comes from an address that is not proved",
    async () => {
      const relay = await startRelay(port, undefined, "127.0.0.3");
      try {
        const [, moved] = await ask(["GET /one", "RESUME", "GET /moved"], relay.port);
        expect(moved).toMatchObject({ status: 200, text: "GET early:", early: true });
        expect(seen.filter((request) => request === "GET /moved")).toHaveLength(1);
      } finally {
        relay.close();
      }
    },
  );

  test.skipIf(isMissing)("is told apart by the matcher tls", async () => {
    const answers = await ask(["GET /late", "RESUME", "GET /late"]);
    expect(answers.map(({ status }) => status)).toEqual([200, 425]);
  });

  test.skipIf(isMissing)("does not run again when somebody repeats its datagrams", async () => {
    const relay = await startRelay(port);
    try {
      const answers = await ask(["GET /before", "RESUME", "GET /repeated"], relay.port);
      expect(answers[1]).toMatchObject({ text: "GET early:1", early: true });
      const flights = [...relay.flights.values()];
      expect(flights).toHaveLength(2);
      await sendAgain(flights[1] ?? [], port, 20);
      await sleep(300);
      expect(seen.filter((request) => request === "GET /repeated")).toHaveLength(1);
      // A client that returns is still served.
      expect(await ask(["GET /after"], relay.port)).toMatchObject([{ status: 200 }]);
    } finally {
      relay.close();
    }
  });

  test.skipIf(isMissing)("loses nothing where every fifth datagram is lost", async () => {
    let count = 0;
    const relay = await startLossyRelay(port, () => ++count % 5 === 0);
    try {
      const resumed = Array.from({ length: 4 }, (_, index) => ["RESUME", `GET /lossy/${index}`]).flat();
      const answers = await ask(["GET /lossy", ...resumed], relay.port);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      expect(seen.filter((request) => request.startsWith("GET /lossy/"))).toHaveLength(4);
      expect(relay.dropped).toBeGreaterThan(5);
    } finally {
      relay.close();
    }
  });

  test.skipIf(isMissing)("is sent again after the handshake when the server takes none", async () => {
    const load = (allowed: boolean) => running.admin("POST", "/load", configOf(allowed));
    // The config changes between the two connections, so the ticket says that early data is allowed.
    const relay = await startRelay(port, async () => {
      expect((await load(false)).status).toBe(200);
    });
    try {
      const [, refused] = await ask(["GET /one", "RESUME", "GET /refused"], relay.port);
      expect(refused?.error ?? "").toBe("");
      expect(refused).toMatchObject({ status: 200, text: "GET early:", resumed: true });
      expect(seen.filter((request) => request === "GET /refused")).toHaveLength(1);
      expect((await ask(["GET /x", "RESUME", "GET /y"]))[1]).toMatchObject({ early: false, resumed: true });
    } finally {
      relay.close();
      expect((await load(true)).status).toBe(200);
    }
  });
});
