import type { TwinBody, TwinExchange, TwinRequest } from "../twin-case.ts";

/** Identifies a request of an exchange. */
export const requestId = (exchangeId: string, index: number): string => `${exchangeId}.${index}`;

/** The exchange of a request. */
export const exchangeIdOf = (id: string): string => id.split(".", 1)[0] ?? "";

function bodyText({ framing, text, trailers = [] }: TwinBody): string {
  if (framing === "length") {
    return text;
  }
  const middle = Math.ceil(text.length / 2);
  const chunks = [text.slice(0, middle), text.slice(middle)]
    .filter((part) => part !== "")
    .map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);
  return `${chunks.join("")}0\r\n${trailers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}

function requestText(request: TwinRequest, id: string, upstream: string | undefined): string {
  if (request.raw !== undefined) {
    return request.raw.replaceAll("%ID%", id);
  }
  const { method, target, fields, body } = request;
  const framing: (readonly [string, string])[] =
    body === undefined
      ? []
      : body.framing === "chunked"
        ? [["Transfer-Encoding", "chunked"]]
        : [["Content-Length", String(body.claims ?? body.text.length)]];
  const own: (readonly [string, string])[] = [
    ["X-Twin", id],
    ...(upstream === undefined ? [] : ([["X-Twin-Do", upstream]] as const)),
  ];
  const lines = [...fields, ...own, ...framing].map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n${body === undefined ? "" : bodyText(body)}`;
}

/**
 * The bytes of an exchange over HTTP/1, in the parts in which they are written: one list of parts for each point where
 * answers are awaited.
 * @param id identifies the exchange at upstreams
 */
export function requestBytes(exchange: TwinExchange, id: string): Buffer[][] {
  const texts = exchange.requests.map((request, index) =>
    requestText(request, requestId(id, index), exchange.upstream),
  );
  const turns = exchange.asks === "in turn" ? texts : [texts.join("")];
  return turns.map((text) => partsOf(Buffer.from(text, "latin1"), exchange.writes === "slow"));
}

function partsOf(bytes: Buffer, isSlow: boolean): Buffer[] {
  if (!isSlow) {
    return [bytes];
  }
  const size = Math.max(1, Math.ceil(bytes.length / 5));
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}
