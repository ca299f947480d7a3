import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls, createSecureContext, type TLSSocket } from "node:tls";
import type { Facts, TwinExchange } from "../twin-case.ts";
import { answerFacts } from "./answer-facts.ts";
import { fieldOf, type Message, MessageReader } from "./message-reader.ts";
import type { Progress } from "./progress.ts";
import { requestBytes } from "./request-bytes.ts";

export interface Endpoint {
  readonly address: string;
  readonly httpPort: number;
  readonly tlsPort: number;
  /** Milliseconds to wait for an answer. After it, the comparison goes on without the answer. */
  readonly limitMs: number;
  /** Milliseconds between an answer with `Connection: close` and the end of the connection. */
  readonly closeLimitMs: number;
  /** True: over HTTP/2 a request begins only when the previous one has ended. */
  readonly asksInTurn: boolean;
  /**
   * Certificates may arrive after the config is loaded: until this time (milliseconds since 1970), a failed handshake
   * is repeated.
   */
  readonly readyAt: number;
}

/** The address of the clients of both servers. */
export const clientAddress = "127.0.0.1";
/** One context for all connections, with a cheap curve, because creating a context costs more than an exchange. */
const secureContext = createSecureContext({ ecdhCurve: "X25519" });
const pauseMs = 3;
const slowReaderMs = 60;

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Opens the connection of an exchange. @returns undefined when the handshake fails */
export async function openSocket(endpoint: Endpoint, exchange: TwinExchange): Promise<Socket | undefined> {
  const socket = await shakeHands(endpoint, exchange);
  if (socket !== undefined || Date.now() > endpoint.readyAt) {
    return socket;
  }
  await sleep(30);
  return openSocket(endpoint, exchange);
}

async function shakeHands(
  { address, httpPort, tlsPort }: Endpoint,
  { via, serverName }: TwinExchange,
): Promise<Socket | undefined> {
  const isTls = via === "https" || via === "h2";
  const plain = { host: address, localAddress: clientAddress };
  const socket: Socket | TLSSocket = isTls
    ? connectTls({
        ...plain,
        port: tlsPort,
        rejectUnauthorized: false,
        secureContext,
        ...(serverName === "" ? {} : { servername: serverName }),
        ALPNProtocols: via === "h2" ? ["h2"] : ["http/1.1"],
      })
    : connect({ ...plain, port: httpPort, allowHalfOpen: true });
  socket.setNoDelay(true);
  try {
    await once(socket, isTls ? "secureConnect" : "connect", { signal: AbortSignal.timeout(10_000) });
    return socket;
  } catch {
    socket.destroy();
    return undefined;
  }
}

function messageFacts(prefix: string, message: Message): Facts {
  const { start, fields, body, trailers, framing, isComplete } = message;
  return answerFacts(prefix, {
    status: start,
    fields,
    body: Buffer.concat(body),
    trailers,
    framing,
    isComplete,
  });
}

/** Interim answers as facts, in the same form as for HTTP/2. */
function interimFacts(prefix: string, { start, fields }: Message): Facts {
  const key = `${prefix}interim ${start.split(" ")[1]} `;
  return Object.fromEntries([
    [key, "yes"],
    ...fields.map(([name, value]) => [`${key}field.${name.toLowerCase()}`, value]),
  ]);
}

const isFinal = ({ start }: Message) => !/^HTTP\/1\.\d 1(?!01)\d\d/.test(start);

/** Runs an exchange over HTTP/1. @param id identifies the exchange at upstreams */
export async function exchangeOverHttp1(
  endpoint: Endpoint,
  exchange: TwinExchange,
  id: string,
  progress: Progress,
): Promise<Facts> {
  const socket = await openSocket(endpoint, exchange);
  if (socket === undefined) {
    return { end: "no connection" };
  }
  const { requests, reads, writes, leaves } = exchange;
  const reader = new MessageReader((index) => requests[index]?.method === "HEAD");
  let end = "";
  let hasPaused = false;
  let bodyBytes = 0;
  let wake: () => void = () => {};
  const finals = () => reader.messages.filter(isFinal);
  const isAnswered = (count = requests.length) => {
    const all = finals();
    const last = all.at(-1);
    const isTunnel = last?.framing === "tunnel" && last.body.length > 0;
    return isTunnel || (all.length >= count && last?.isComplete === true);
  };
  socket.on("data", (chunk: Buffer) => {
    reader.push(chunk);
    // Only bodies are counted, not heads.
    const now = reader.messages.reduce(
      (sum, { body }) => sum + body.reduce((all, { length }) => all + length, 0),
      0,
    );
    progress.received(now - bodyBytes);
    bodyBytes = now;
    if (leaves === "early") {
      end ||= "left";
      socket.destroy();
    } else if (reads === "slow" && !hasPaused) {
      hasPaused = true;
      socket.pause();
      setTimeout(() => socket.resume(), slowReaderMs);
    }
    wake();
  });
  socket.once("end", () => {
    end ||= "closed";
    reader.end();
    wake();
  });
  // A reset counts as a normal close: which of them happens depends on the number of unread bytes.
  socket.once("error", () => {
    end ||= "closed";
    wake();
  });
  socket.once("close", () => {
    end ||= "closed";
    reader.end();
    wake();
  });
  const waitUntil = async (isDone: () => boolean, limitMs: number) => {
    const limit = Date.now() + limitMs;
    while (!isDone() && Date.now() < limit) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, limit - Date.now());
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return isDone();
  };
  const turns = requestBytes(exchange, id);
  for (const [turn, parts] of turns.entries()) {
    for (const part of parts) {
      if (socket.destroyed) {
        break;
      }
      socket.write(part);
      if (writes === "slow") {
        await sleep(pauseMs);
      }
    }
    if (turn < turns.length - 1) {
      await waitUntil(() => end !== "" || isAnswered(turn + 1), endpoint.limitMs);
    }
  }
  if (leaves === "half-closed") {
    socket.end();
  }
  await waitUntil(() => end !== "" || isAnswered(), endpoint.limitMs);
  const last = finals().at(-1);
  if (end === "" && last?.framing === "tunnel" && isAnswered()) {
    end = "tunnel";
  } else if (end === "" && isAnswered()) {
    const isLast = leaves === "half-closed" || /close/i.test(fieldOf(last?.fields ?? [], "connection") ?? "");
    end = isLast ? ((await waitUntil(() => end !== "", endpoint.closeLimitMs)) ? end : "stays open") : "kept";
  }
  socket.destroy();
  const facts: Record<string, string> = { end: end === "" ? "no end" : end };
  let index = 0;
  for (const message of reader.messages) {
    if (isFinal(message)) {
      Object.assign(facts, messageFacts(`answer ${index++} `, message));
    } else {
      Object.assign(facts, interimFacts(`answer ${index} `, message));
    }
  }
  return facts;
}
