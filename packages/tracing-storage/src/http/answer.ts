import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { constants, gzip, zstdCompress } from "node:zlib";
import { drain } from "./request-body.ts";

const compressAsGzip = promisify(gzip);
const compressAsZstd = promisify(zstdCompress);

/** Below this, compression costs more than it saves. */
const minCompressedBytes = 1024;

/** zstd when the client takes it, else gzip, else neither. */
function acceptedEncoding(request: IncomingMessage): "zstd" | "gzip" | undefined {
  const header = String(request.headers["accept-encoding"] ?? "");
  const accepted = header
    .split(",")
    .map((part) => part.trim().toLowerCase().split(";"))
    .filter(([, quality]) => !/^\s*q=0(\.0*)?$/.test(quality ?? ""))
    .map(([name]) => name);
  return accepted.includes("zstd") ? "zstd" : accepted.includes("gzip") ? "gzip" : undefined;
}

/** Of the rest of a refused body, before its connection is closed. */
const maxDrainedBytes = 64 * 1024 * 1024;
const maxDrainMs = 5_000;

/** Sends an answer to a request whose body was not read to its end, and closes the connection. */
export async function answerEarly(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: Buffer,
): Promise<void> {
  response.setHeader("Connection", "close");
  response.setHeader("Content-Length", body.length);
  response.writeHead(status);
  response.write(body);
  await drain(request, maxDrainedBytes, maxDrainMs);
  response.end();
}

/** Sends a whole body, compressed when the client takes that; compression runs off the event loop. */
export async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: Buffer,
  mayCompress: boolean,
): Promise<void> {
  const encoding = mayCompress && body.length >= minCompressedBytes ? acceptedEncoding(request) : undefined;
  let sent = body;
  if (encoding === "gzip") {
    sent = await compressAsGzip(body, { level: 3 });
  } else if (encoding === "zstd") {
    sent = await compressAsZstd(body, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
  }
  if (encoding !== undefined) {
    response.setHeader("Content-Encoding", encoding);
  }
  response.setHeader("Vary", "Accept-Encoding");
  response.setHeader("Content-Length", sent.length);
  response.writeHead(status);
  response.end(request.method === "HEAD" ? undefined : sent);
}
