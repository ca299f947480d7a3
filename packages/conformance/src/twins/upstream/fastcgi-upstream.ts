import { createServer, type Server, type Socket } from "node:net";
import { sleep } from "../client/http1-exchange.ts";
import type { Field } from "../twin-case.ts";
import { readParams, readRecords, recordType, writeRecord } from "./fastcgi-records.ts";
import { reset } from "./reset.ts";
import type { SeenRequests } from "./seen-requests.ts";

/** Output of scripts in pieces, by behaviour. */
const outputs: Readonly<Record<string, readonly string[]>> = {
  ok: ["Content-Type: text/html; charset=UTF-8\r\nX-Powered-By: twins\r\n\r\n<p>script</p>"],
  status: ["Status: 404 Not Found\r\nContent-Type: text/html\r\n\r\nnot there"],
  "status-only": ["Status: 503\r\n\r\n"],
  redirect: [
    "Status: 302 Found\r\nLocation: /wp-login.php?r=1\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n",
  ],
  location: ["Location: https://other.test/\r\n\r\n"],
  bare: ["\r\nno fields at all"],
  newlines: ["Content-Type: text/plain\nX-A: b\n\nonly newlines"],
  length: ["Content-Type: text/plain\r\nContent-Length: 4\r\n\r\nfour"],
  "length-long": ["Content-Type: text/plain\r\nContent-Length: 40\r\n\r\nfour"],
  "length-short": ["Content-Type: text/plain\r\nContent-Length: 2\r\n\r\nfour"],
  pieces: ["Content-Type: text/event-stream\r\n\r\ndata: 1\n\n", "data: 2\n\n", "data: 3\n\n"],
  "bad-field": ["Content Type: text/plain\r\n\r\nbody"],
  "no-colon": ["what is this\r\n\r\nbody"],
  "no-end": ["Content-Type: text/plain\r\n"],
  nothing: [""],
  large: [`Content-Type: text/plain\r\n\r\n${"p".repeat(60_000)}`, "q".repeat(60_000)],
};

/** Names of the behaviours of the FastCGI upstream. */
export const scriptNames: readonly string[] = [
  ...Object.keys(outputs),
  "stderr",
  "cut",
  "reset",
  "no-end-record",
];

async function print(
  socket: Socket,
  id: number,
  seen: SeenRequests,
  exchangeId: string,
  name: string,
): Promise<void> {
  if (name === "reset") {
    reset(socket);
    return;
  }
  if (name === "stderr") {
    socket.write(writeRecord(recordType.stderr, id, "PHP message: odd"));
  }
  const progress = seen.progressOf(exchangeId);
  const parts = outputs[name] ?? outputs.ok ?? [];
  for (const [index, part] of parts.entries()) {
    const before = progress?.bytes ?? 0;
    if (part !== "") {
      socket.write(writeRecord(recordType.stdout, id, part));
    }
    if (name !== "pieces" || index === parts.length - 1) {
      continue;
    }
    if (progress === undefined) {
      await sleep(10);
    } else {
      seen.noteFlow(exchangeId, await progress.reaches(before, seen.pieceLimitMs));
    }
  }
  if (name === "cut") {
    socket.end();
    return;
  }
  if (name !== "no-end-record") {
    socket.write(writeRecord(recordType.stdout, id, ""));
    socket.write(writeRecord(recordType.end, id, "\0\0\0\0\0\0\0\0"));
  }
  socket.end();
}

/** Answers the requests of one connection. */
function serve(socket: Socket, seen: SeenRequests): void {
  let rest: Buffer = Buffer.alloc(0);
  const params: Buffer[] = [];
  const stdin: Buffer[] = [];
  let record: { readonly id: string; finish(): void } | undefined;
  let isComplete = false;
  let fields: Field[] = [];
  const value = (name: string) => fields.find(([each]) => each === name)?.[1] ?? "";
  const begin = () => {
    fields = readParams(Buffer.concat(params));
    record = seen.add(value("HTTP_X_TWIN"), {
      to: "FCGI",
      start: `${value("REQUEST_METHOD")} ${value("SCRIPT_FILENAME")}`,
      fields: fields.filter(([name]) => name !== "REMOTE_PORT"),
      body: stdin,
      framing: "records",
      trailers: [],
      get isComplete() {
        return isComplete;
      },
    });
  };
  socket.on("error", () => {});
  socket.on("close", () => record?.finish());
  // A cancelled request gets no answer.
  socket.on("end", () => {
    if (!isComplete) {
      socket.end();
    }
  });
  socket.on("data", (chunk: Buffer) => {
    const read = readRecords(Buffer.concat([rest, chunk]));
    rest = read.rest;
    for (const { type, id, content } of read.records) {
      if (type === recordType.params && content.length > 0) {
        params.push(content);
      } else if (type === recordType.params) {
        begin();
      } else if (type === recordType.stdin && content.length > 0) {
        stdin.push(content);
      } else if (type === recordType.stdin && record !== undefined) {
        isComplete = true;
        void print(socket, id, seen, record.id, value("HTTP_X_TWIN_DO").split("=").at(-1) ?? "ok");
      }
    }
  });
}

/** An application server that speaks FastCGI and runs the behaviour that `X-Twin-Do` names. */
export async function openFastCgiUpstream(
  address: string,
  port: number,
  seen: SeenRequests,
): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    seen.opened(socket);
    serve(socket, seen);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, () => resolve());
  });
  return server;
}
