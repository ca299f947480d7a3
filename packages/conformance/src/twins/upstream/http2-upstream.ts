import { createServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import { sleep } from "../client/http1-exchange.ts";
import { largeHeads } from "../client/http2-exchange.ts";
import type { Field } from "../twin-case.ts";
import type { SeenRequests } from "./seen-requests.ts";

const grpcFrame = (text: string) =>
  Buffer.from(`\0\0\0\0${String.fromCharCode(text.length)}${text}`, "latin1");

async function answer(
  stream: ServerHttp2Stream,
  seen: SeenRequests,
  id: string,
  wanted: string,
): Promise<void> {
  const [name, argument = ""] = wanted.split("=");
  const isGrpc = name === "grpc" || name === "grpc-error" || name === "grpc-stream";
  const fields = { "content-type": isGrpc ? "application/grpc" : "text/plain", "x-up": "2" };
  if (name === "reset") {
    stream.close(Number(argument === "" ? 2 : argument));
    return;
  }
  if (name === "grpc-error") {
    stream.respond(
      { ":status": 200, ...fields, "grpc-status": "5", "grpc-message": "no such" },
      { endStream: true },
    );
    return;
  }
  if (name === "interim") {
    stream.additionalHeaders({ ":status": 103, link: "</a>" });
  }
  if (isGrpc || name === "trailers") {
    stream.respond({ ":status": 200, ...fields }, { waitForTrailers: true });
    stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0", "x-sum": "17" }));
    const progress = seen.progressOf(id);
    for (const text of name === "grpc-stream" ? ["one", "two"] : []) {
      const before = progress?.bytes ?? 0;
      stream.write(grpcFrame(text));
      if (progress === undefined) {
        await sleep(10);
      } else {
        seen.noteFlow(id, await progress.reaches(before, seen.pieceLimitMs));
      }
    }
    stream.end(grpcFrame("last"));
    return;
  }
  stream.respond({ ":status": name === "status" ? Number(argument) : 200, ...fields });
  stream.end("over h2\n");
}

function take(stream: ServerHttp2Stream, raw: readonly string[], seen: SeenRequests): void {
  const fields: Field[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    fields.push([raw[index] ?? "", raw[index + 1] ?? ""]);
  }
  // A cookie may arrive in several parts (RFC 9113, 8.2.3).
  const cookies = fields.filter(([name]) => name === "cookie").map(([, text]) => text);
  if (cookies.length > 1) {
    const others = fields.filter(([name]) => name !== "cookie");
    fields.splice(0, fields.length, ...others, ["cookie", cookies.join("; ")]);
  }
  const value = (name: string) => fields.find(([each]) => each === name)?.[1] ?? "";
  const body: Buffer[] = [];
  let isComplete = false;
  const trailers: Field[] = [];
  const record = seen.add(value("x-twin"), {
    to: "UP_2",
    start: `${value(":method")} ${value(":path")}`,
    // The fields have the form of HTTP/1, so that upstreams of both versions can be compared.
    fields: fields
      .filter(([name]) => !/^:(method|path|scheme)$/.test(name))
      .map(([name, text]): Field => [name === ":authority" ? "host" : name, text]),
    body,
    framing: "frames",
    trailers,
    get isComplete() {
      return isComplete;
    },
  });
  stream.on("data", (chunk: Buffer) => body.push(chunk));
  stream.on("trailers", (headers) => {
    for (const [name, text] of Object.entries(headers)) {
      trailers.push([name, String(text)]);
    }
  });
  stream.on("error", () => {});
  stream.once("close", () => record.finish());
  stream.once("end", () => {
    isComplete = true;
    void answer(stream, seen, record.id, value("x-twin-do")).catch(() => stream.close());
  });
}

/** An upstream with HTTP/2 without TLS, like gRPC services. */
export async function openHttp2Upstream(
  address: string,
  port: number,
  seen: SeenRequests,
): Promise<Http2Server> {
  const server = createServer(largeHeads);
  server.on("session", (session) => session.socket && seen.opened(session.socket));
  server.on("stream", (stream, _headers, _flags, raw: string[]) =>
    take(stream as ServerHttp2Stream, raw, seen),
  );
  server.on("sessionError", () => {});
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, () => resolve());
  });
  return server;
}
