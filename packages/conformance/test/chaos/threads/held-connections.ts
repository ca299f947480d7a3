import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { LineConnection } from "./line-connection.ts";

/** A long-lived connection in use, as its user sees it. */
export interface Held {
  /** Called with the connection's thread as soon as it is known. */
  onThread(thread: string): void;
  /** Called after each complete step. */
  onStep(): void;
  /** The version of the last configuration that was acknowledged. */
  version(): number;
  readonly signal: AbortSignal;
}

/** Uses a connection until the signal ends it. @throws when the connection ends, or gives a wrong answer */
export type HeldKind = (port: number, held: Held) => Promise<void>;

const pauseMs = 10;

/** A wrong answer, which the death of a thread does not excuse, unlike the end of a connection. */
export class WrongAnswer extends Error {
  override readonly name = "WrongAnswer";
}

function checkVersion(body: string, least: number): void {
  if (!/^\d+$/.test(body) || Number(body) < least) {
    throw new WrongAnswer(`version ${JSON.stringify(body)} after ${least} was acknowledged`);
  }
}

async function withLines(
  port: number,
  held: Held,
  work: (lines: LineConnection) => Promise<void>,
): Promise<void> {
  const lines = await LineConnection.open(port);
  const close = () => lines.close();
  held.signal.addEventListener("abort", close, { once: true });
  try {
    held.onThread((await lines.ask("/version")).thread);
    await work(lines);
  } catch (error) {
    if (!held.signal.aborted || error instanceof WrongAnswer) {
      throw error;
    }
  } finally {
    held.signal.removeEventListener("abort", close);
    close();
  }
}

const keepAlive: HeldKind = (port, held) =>
  withLines(port, held, async (lines) => {
    for (let number = 0; !held.signal.aborted; number++) {
      const least = held.version();
      checkVersion((await lines.ask("/version")).body, least);
      const target = `/proxied/${number}`;
      const { status, body } = await lines.ask(target);
      if (status !== 200 || body !== target) {
        throw new WrongAnswer(`${target} is answered with ${status} ${JSON.stringify(body)}`);
      }
      held.onStep();
      await sleep(pauseMs);
    }
  });

const tunnel: HeldKind = (port, held) =>
  withLines(port, held, async (lines) => {
    const upgrade =
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    const [head] = await lines.head("/tunnel", upgrade);
    if (!head.startsWith("HTTP/1.1 101")) {
      throw new WrongAnswer(`upgrade: ${head.split("\r\n", 1)[0]}`);
    }
    for (let number = 0; !held.signal.aborted; number++) {
      lines.socket.write(`<${number}>`);
      const [, echo] = await lines.upTo(/^<(\d+)>/);
      if (Number(echo) !== number) {
        throw new WrongAnswer(`message ${number} came back as ${echo}`);
      }
      held.onStep();
      await sleep(pauseMs);
    }
  });

const events: HeldKind = (port, held) =>
  withLines(port, held, async (lines) => {
    await lines.head("/events");
    for (let number = 0; !held.signal.aborted; number++) {
      const [, got] = await lines.upTo(/data: (\d+)\n\n/);
      if (Number(got) !== number) {
        throw new WrongAnswer(`event ${got} came in the place of ${number}`);
      }
      held.onStep();
    }
  });

async function askHttp2(
  session: ClientHttp2Session,
  path: string,
): Promise<{ thread: string; body: string }> {
  const stream = session.request({ ":path": path });
  const answer = text(stream);
  answer.catch(() => {}); // the wait for the head fails with the same error
  const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
  return { thread: String(headers["x-thread"] ?? ""), body: await answer };
}

const http2: HeldKind = async (port, held) => {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  const ended = new Promise<never>((_, reject) => {
    session.on("error", reject);
    session.on("close", () => reject(new Error("the server closed the connection")));
  });
  ended.catch(() => {}); // seen below
  const close = () => session.destroy();
  held.signal.addEventListener("abort", close, { once: true });
  try {
    held.onThread((await Promise.race([askHttp2(session, "/version"), ended])).thread);
    for (let number = 0; !held.signal.aborted; number++) {
      const least = held.version();
      const paths = ["/version", `/a/${number}`, `/b/${number}`];
      const answers = await Promise.race([Promise.all(paths.map((path) => askHttp2(session, path))), ended]);
      checkVersion(answers[0]?.body ?? "", least);
      for (const index of [1, 2]) {
        if (answers[index]?.body !== paths[index]) {
          throw new WrongAnswer(`${paths[index]} is answered with ${JSON.stringify(answers[index]?.body)}`);
        }
      }
      held.onStep();
      await sleep(pauseMs);
    }
  } catch (error) {
    if (!held.signal.aborted || error instanceof WrongAnswer) {
      throw error;
    }
  } finally {
    held.signal.removeEventListener("abort", close);
    close();
  }
};

/** Sends one request over each new connection. */
const shortLived: HeldKind = async (port, held) => {
  while (!held.signal.aborted) {
    const lines = await LineConnection.open(port);
    try {
      const least = held.version();
      const { thread, body } = await lines.ask("/version");
      held.onThread(thread);
      checkVersion(body, least);
      held.onStep();
    } finally {
      lines.close();
    }
    held.onThread("");
    await sleep(pauseMs);
  }
};

export const heldKinds: Readonly<Record<string, HeldKind>> = {
  "keep-alive": keepAlive,
  WebSocket: tunnel,
  events,
  "HTTP/2": http2,
  new: shortLived,
};
