import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import type { Facts, Field, TwinExchange, TwinRequest } from "../twin-case.ts";
import { type Answer, answerFacts } from "./answer-facts.ts";
import { type Endpoint, openSocket, sleep } from "./http1-exchange.ts";
import type { Progress } from "./progress.ts";
import { requestId } from "./request-bytes.ts";

/** Fields that HTTP/2 does not have. */
const ofConnections = new Set([
  "connection",
  "host",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);
const slowReaderMs = 60;
/**
 * The limits are higher than Node's usual ones, because the servers under test should refuse heads that are too large.
 */
export const largeHeads = { maxHeaderListPairs: 100_000, settings: { maxHeaderListSize: 16_000_000 } };

function fieldsOf(raw: readonly string[]): Field[] {
  const fields: Field[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? "";
    if (!name.startsWith(":")) {
      fields.push([name, raw[index + 1] ?? ""]);
    }
  }
  return fields;
}

function headersOf(
  exchange: TwinExchange,
  request: TwinRequest,
  id: string,
): Record<string, string | string[]> {
  const authority =
    request.fields.find(([name]) => name.toLowerCase() === "host")?.[1] ?? exchange.serverName;
  const headers: Record<string, string | string[]> = {
    ":method": request.method,
    ":scheme": exchange.via === "h2" ? "https" : "http",
    ":authority": authority,
    ":path": request.target,
  };
  for (const [name, value] of request.fields) {
    const lower = name.toLowerCase();
    if (ofConnections.has(lower)) {
      continue;
    }
    const before = headers[lower];
    headers[lower] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value];
  }
  headers["x-twin"] = id;
  if (exchange.upstream !== undefined) {
    headers["x-twin-do"] = exchange.upstream;
  }
  return headers;
}

interface Received {
  interim: Facts;
  status: string;
  fields: Field[];
  readonly body: Buffer[];
  trailers: Field[];
  end: string;
}

/** Reads the answer of a stream to its end. */
function receive(
  stream: ClientHttp2Stream,
  exchange: TwinExchange,
  progress: Progress,
  limitMs: number,
): Promise<Received> {
  const received: Received = { interim: {}, status: "", fields: [], body: [], trailers: [], end: "" };
  const rawOf = (args: unknown[]): string[] => (Array.isArray(args[2]) ? (args[2] as string[]) : []);
  stream.on("headers", (headers, ...rest) => {
    const key = `interim ${headers[":status"]} `;
    const entries = fieldsOf(rawOf([headers, ...rest])).map(([name, value]) => [
      `${key}field.${name}`,
      value,
    ]);
    received.interim = { ...received.interim, [key]: "yes", ...Object.fromEntries(entries) };
  });
  stream.on("response", (headers, ...rest) => {
    received.status = String(headers[":status"]);
    received.fields = fieldsOf(rawOf([headers, ...rest]));
  });
  stream.on("trailers", (headers, ...rest) => {
    received.trailers = fieldsOf(rawOf([headers, ...rest]));
  });
  let hasPaused = false;
  stream.on("data", (chunk: Buffer) => {
    received.body.push(chunk);
    progress.received(chunk.length);
    if (exchange.leaves === "early") {
      stream.close(constants.NGHTTP2_CANCEL);
    }
    if (exchange.reads === "slow" && !hasPaused) {
      hasPaused = true;
      stream.pause();
      setTimeout(() => stream.resume(), slowReaderMs);
    }
  });
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      received.end = "no end";
      stream.close(constants.NGHTTP2_CANCEL);
      resolve(received);
    }, limitMs);
    stream.on("error", () => {});
    stream.once("close", () => {
      clearTimeout(timer);
      received.end ||= stream.rstCode === 0 ? "ended" : `reset ${stream.rstCode}`;
      resolve(received);
    });
  });
}

async function exchangeOnStream(
  session: ClientHttp2Session,
  exchange: TwinExchange,
  request: TwinRequest,
  id: string,
  progress: Progress,
  limitMs: number,
): Promise<Received> {
  const { body } = request;
  const headers = headersOf(exchange, request, id);
  const bytes = Buffer.from(body?.text ?? "", "latin1");
  if (body?.framing === "length") {
    headers["content-length"] = String(body.claims ?? bytes.length);
  }
  const stream = session.request(headers, {
    endStream: body === undefined,
    waitForTrailers: body?.trailers !== undefined,
  });
  stream.once("wantTrailers", () => stream.sendTrailers(Object.fromEntries(body?.trailers ?? [])));
  const received = receive(stream, exchange, progress, limitMs);
  if (body !== undefined) {
    if (exchange.writes === "slow") {
      for (const part of [bytes.subarray(0, 3), bytes.subarray(3)]) {
        if (!stream.destroyed) {
          stream.write(part);
        }
        await sleep(3);
      }
    }
    if (!stream.destroyed) {
      stream.end(exchange.writes === "slow" ? undefined : bytes);
    }
  }
  return received;
}

function factsOf(prefix: string, { interim, status, fields, body, trailers, end }: Received): Facts {
  const answer: Answer = {
    status,
    fields,
    body: Buffer.concat(body),
    trailers,
    framing: "frames",
    isComplete: end === "ended",
  };
  const facts = status === "" ? {} : answerFacts(prefix, answer);
  return {
    ...Object.fromEntries(Object.entries(interim).map(([key, value]) => [prefix + key, value])),
    ...facts,
    [`${prefix}end`]: end,
  };
}

const notSent = (error: unknown): Received => ({
  interim: {},
  status: "",
  fields: [],
  body: [],
  trailers: [],
  end: `not sent: ${error instanceof Error ? error.message : error}`,
});

/**
 * Runs an exchange over HTTP/2: all its requests together on one connection, or one after another when a site remembers
 * requests.
 */
export async function exchangeOverHttp2(
  endpoint: Endpoint,
  exchange: TwinExchange,
  id: string,
  progress: Progress,
): Promise<Facts> {
  const socket = await openSocket(endpoint, exchange);
  if (socket === undefined) {
    return { end: "no connection" };
  }
  const protocol = "alpnProtocol" in socket ? String(socket.alpnProtocol) : "";
  if (exchange.via === "h2" && protocol !== "h2") {
    socket.destroy();
    return { end: `protocol ${protocol}` };
  }
  const session = connect("http://twins", {
    ...largeHeads,
    createConnection: () => socket,
  });
  let goaway = "";
  session.on("error", () => {});
  session.on("goaway", (code) => {
    goaway = `goaway ${code}`;
  });
  try {
    const received: Promise<Received>[] = [];
    for (const [index, request] of exchange.requests.entries()) {
      const one = exchangeOnStream(
        session,
        exchange,
        request,
        requestId(id, index),
        progress,
        endpoint.limitMs,
      ).catch((error: unknown) => notSent(error));
      received.push(one);
      if (endpoint.asksInTurn || exchange.asks === "in turn") {
        await one;
      }
    }
    const all = await Promise.all(received);
    const facts = all.map((received, index) => factsOf(`answer ${index} `, received));
    return Object.assign({ end: goaway === "goaway 0" ? "" : goaway }, ...facts);
  } finally {
    session.destroy();
    socket.destroy();
  }
}
