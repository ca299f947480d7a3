import { gzipSync } from "node:zlib";
import { sleep } from "../client/http1-exchange.ts";
import { brokenBehaviours } from "./broken-behaviours.ts";
import { sendPieces, type UpstreamExchange } from "./upstream-exchange.ts";

export type Behaviour = (exchange: UpstreamExchange) => Promise<void> | void;

const head = (status: string, fields: readonly string[]) =>
  `HTTP/1.1 ${status}\r\n${fields.map((field) => `${field}\r\n`).join("")}\r\n`;

/** Writes an answer with `Content-Length`. */
export function answer(status: string, fields: readonly string[], body: string): string {
  return head(status, [...fields, `Content-Length: ${body.length}`]) + body;
}

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const text = "Content-Type: text/plain; charset=utf-8";
const hello = "hello from upstream\n";
const isHead = ({ request }: UpstreamExchange) => request.start.startsWith("HEAD ");

/** Waits for the whole request, then sends a text. */
const sends =
  (make: (exchange: UpstreamExchange) => string): Behaviour =>
  async (exchange) => {
    if (!(await exchange.wholeRequest())) {
      return;
    }
    const bytes = make(exchange);
    // The end of the head; each interim answer also has an end of a head.
    let end = 0;
    do {
      end = bytes.indexOf("\r\n\r\n", end) + 4;
    } while (/^HTTP\/1\.1 1\d\d/.test(bytes.slice(end)));
    exchange.socket.write(isHead(exchange) ? bytes.slice(0, end) : bytes, "latin1");
  };

const pieceTypes: Readonly<Record<string, readonly [type: string, pieces: readonly string[]]>> = {
  sse: ["text/event-stream", ["data: one\n\n", "data: two\n\n", "data: [DONE]\n\n"]],
  ndjson: ["application/x-ndjson", ['{"a":1}\n', '{"a":2}\n', '{"a":3}\n']],
  text: ["text/plain", ["first piece ", "second piece ", "third piece"]],
  html: ["text/html; charset=utf-8", ["<p>first</p>", "<p>second</p>", "<p>third</p>"]],
  grpcweb: [
    "application/grpc-web+proto",
    ["\0\0\0\0\x03abc", "\0\0\0\0\x03def", "\x80\0\0\0\x0fgrpc-status:0\r\n"],
  ],
  binary: ["application/octet-stream", ["\x00\x01", "\x02\x03", "\x04\xff"]],
  none: ["", ["first piece ", "second piece ", "third piece"]],
};

/** Sends pieces as chunks, each after the client has received the previous one. */
const pieces: Behaviour = async (exchange) => {
  if (!(await exchange.wholeRequest())) {
    return;
  }
  const [type, parts] =
    pieceTypes[exchange.argument] ?? (pieceTypes.text as (typeof pieceTypes)["text"] & {});
  const fields = ["Transfer-Encoding: chunked", ...(type === "" ? [] : [`Content-Type: ${type}`])];
  const first = head("200 OK", fields);
  if (isHead(exchange)) {
    exchange.socket.write(first);
    return;
  }
  const [one = "", ...others] = parts.map(chunk);
  await sendPieces(exchange, [first + one, ...others]);
  exchange.socket.write("0\r\n\r\n");
};

/** Sends pieces of a body with `Content-Length`. */
const piecesOfLength: Behaviour = async (exchange) => {
  if (!(await exchange.wholeRequest())) {
    return;
  }
  const first = head("200 OK", [text, "Content-Length: 18"]);
  if (isHead(exchange)) {
    exchange.socket.write(first);
  } else {
    await sendPieces(exchange, [`${first}piece1`, "piece2", "piece3"]);
  }
};

/** Sends pieces of a body that lasts until the end of the connection. */
const piecesToTheEnd: Behaviour = async (exchange) => {
  if (!(await exchange.wholeRequest())) {
    return;
  }
  const first = "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n";
  if (isHead(exchange)) {
    exchange.socket.write(first);
  } else {
    await sendPieces(exchange, [`${first}piece1`, "piece2", "piece3"]);
  }
  exchange.socket.end();
};

const upgrade: Behaviour = async (exchange) => {
  if (!(await exchange.wholeRequest())) {
    return;
  }
  const { socket, request } = exchange;
  const wants = request.fields.find(([name]) => name.toLowerCase() === "upgrade")?.[1];
  if (wants === undefined) {
    socket.write(answer("426 Upgrade Required", ["Upgrade: websocket", "Connection: Upgrade"], "upgrade"));
    return;
  }
  socket.write(head("101 Switching Protocols", ["Connection: Upgrade", `Upgrade: ${wants}`, "X-Up: tunnel"]));
  socket.write("welcome");
};

const early: Behaviour = async (exchange) => {
  exchange.socket.write(answer("200 OK", [text], "before the body\n"));
  await exchange.wholeRequest();
};

const sound: Readonly<Record<string, Behaviour>> = {
  ok: sends(() => answer("200 OK", [text, "X-Up: a", "X-Up: b"], hello)),
  echo: sends(({ request }) =>
    answer("200 OK", [text], `${request.start}\n${Buffer.concat(request.body).toString("latin1")}`),
  ),
  status: sends(({ argument }) =>
    argument === "204" || argument === "304"
      ? head(`${argument} Nothing`, ['Etag: "e"', "X-Up: a"])
      : answer(`${argument} Status ${argument}`, [text, "X-Up: a"], `status ${argument}\n`),
  ),
  body: sends(({ argument }) => answer("200 OK", [text], "x".repeat(Number(argument)))),
  chunked: sends(
    ({ argument }) =>
      `${head("200 OK", [text, "Transfer-Encoding: chunked"])}${chunk("y".repeat(Number(argument)))}0\r\n\r\n`,
  ),
  type: sends(({ argument }) => answer("200 OK", [`Content-Type: ${argument}`], `<p>${"z".repeat(900)}</p>`)),
  untyped: sends(() => answer("200 OK", [], "<html><body>no type</body></html>")),
  pieces,
  "pieces-length": piecesOfLength,
  "pieces-end": piecesToTheEnd,
  trailers: sends(
    () =>
      `${head("200 OK", [text, "Transfer-Encoding: chunked", "Trailer: X-Sum, Grpc-Status"])}${chunk(hello)}0\r\nX-Sum: 17\r\nGrpc-Status: 0\r\n\r\n`,
  ),
  "trailers-unannounced": sends(
    () => `${head("200 OK", [text, "Transfer-Encoding: chunked"])}${chunk(hello)}0\r\nX-Late: 17\r\n\r\n`,
  ),
  interim: sends(
    ({ argument }) =>
      `${head(`${argument} Interim`, ["Link: </style.css>; rel=preload", "X-Interim: 1"])}${answer("200 OK", [text], hello)}`,
  ),
  fields: sends(({ argument }) =>
    answer(
      "200 OK",
      [text, ...Array.from({ length: Number(argument) }, (_, index) => `X-F${index}: ${index}`)],
      hello,
    ),
  ),
  "long-field": sends(({ argument }) =>
    answer("200 OK", [text, `X-Long: ${"l".repeat(Number(argument))}`], hello),
  ),
  hop: sends(() =>
    answer(
      "200 OK",
      [
        text,
        "Connection: X-Hop, close",
        "X-Hop: 1",
        "Keep-Alive: timeout=5",
        "Proxy-Authenticate: Basic",
        "Te: gzip",
      ],
      hello,
    ),
  ),
  own: sends(() =>
    answer(
      "200 OK",
      [
        text,
        "Server: upstream/1",
        "Via: 1.0 other",
        'Alt-Svc: h3=":1"',
        "Vary: Cookie",
        "Cache-Control: no-transform",
      ],
      hello,
    ),
  ),
  cookies: sends(() => answer("200 OK", [text, "Set-Cookie: a=1; Path=/", "Set-Cookie: b=2"], hello)),
  redirect: sends(({ argument }) => answer(`${argument} Moved`, ["Location: /other?x=1"], "")),
  cached: sends(() =>
    answer(
      "200 OK",
      [text, 'Etag: "abc"', "Last-Modified: Tue, 14 Nov 2023 22:13:20 GMT", "Accept-Ranges: bytes"],
      hello,
    ),
  ),
  gzip: sends(({ request }) => {
    const body = gzipSync("packed ".repeat(100)).toString("latin1");
    const takes = request.fields.some(
      ([name, value]) => name.toLowerCase() === "accept-encoding" && value.includes("gzip"),
    );
    return takes
      ? answer("200 OK", [text, "Content-Encoding: gzip"], body)
      : answer("200 OK", [text], "packed ".repeat(100));
  }),
  reason: sends(() => answer("200 Fine And Dandy", [text], hello)),
  "no-reason": sends(() => answer("200", [text], hello)),
  "close-after": async (exchange) => {
    if (!(await exchange.wholeRequest())) {
      return;
    }
    exchange.socket.end(answer("200 OK", [text, "Connection: close"], isHead(exchange) ? "" : hello));
  },
  http10: async (exchange) => {
    if (!(await exchange.wholeRequest())) {
      return;
    }
    exchange.socket.end(`HTTP/1.0 200 OK\r\n${text}\r\n\r\n${isHead(exchange) ? "" : hello}`);
  },
  slow: async (exchange) => {
    if (!(await exchange.wholeRequest())) {
      return;
    }
    await sleep(Number(exchange.argument));
    if (!exchange.socket.destroyed) {
      exchange.socket.write(answer("200 OK", [text], isHead(exchange) ? "" : hello));
    }
  },
  early,
  upgrade,
  auth: sends(({ argument }) =>
    argument === "302"
      ? answer("302 Found", ["Location: https://auth.test/login", "Set-Cookie: sid=1; HttpOnly"], "")
      : answer(
          `${argument} Auth`,
          [text, "Remote-User: ann", "Remote-Groups: a,b", "X-Other: o"],
          `auth ${argument}\n`,
        ),
  ),
};

const all: Readonly<Record<string, Behaviour>> = { ...sound, ...brokenBehaviours };

/** Runs the behaviour that the field `X-Twin-Do` names; an unknown name gives the usual answer. */
export function behave(wanted: string, exchange: UpstreamExchange): Promise<void> | void {
  const name = wanted.split("=", 1)[0] ?? "";
  return (all[name] ?? (sound.ok as Behaviour))(exchange);
}

export const behaviourNames: readonly string[] = Object.keys(all);
