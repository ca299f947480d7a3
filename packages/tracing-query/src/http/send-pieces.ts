import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Response } from "express";

/** Larger ones hold up other requests, smaller ones cost more calls than they are worth. */
const chunkLength = 65_536;

/** Joins small pieces into chunks. */
function* joined(pieces: Iterable<string>): Generator<string, undefined> {
  let chunk = "";
  for (const piece of pieces) {
    chunk += piece;
    if (chunk.length >= chunkLength) {
      yield chunk;
      chunk = "";
    }
  }
  if (chunk !== "") {
    yield chunk;
  }
}

function* resumed(first: string, second: string, rest: Iterable<string>): Generator<string> {
  yield first;
  yield second;
  yield* rest;
}

/** Sends a whole body, with its length. */
export function sendText(response: Response, text: string): void {
  response.setHeader("Content-Length", Buffer.byteLength(text)).end(text);
}

/**
 * Sends a body that is made while it is sent: the next piece only when the client has taken the one before. A short
 * one goes in one go, with its length. Resolves when all is sent, or the client is gone.
 */
export async function sendPieces(response: Response, pieces: Iterable<string>): Promise<void> {
  const chunks = joined(pieces);
  const first = chunks.next();
  const second = chunks.next();
  if (first.done || second.done) {
    sendText(response, first.value ?? "");
    return;
  }
  try {
    await pipeline(Readable.from(resumed(first.value, second.value, chunks)), response);
  } catch (error) {
    // Someone who closes the connection early has seen enough; whatever else went wrong is worth a word.
    if (!(error instanceof Error && "code" in error && error.code === "ERR_STREAM_PREMATURE_CLOSE")) {
      throw error;
    }
  }
}
