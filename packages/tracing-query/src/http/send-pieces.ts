import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Response } from "express";
import { type ContentCoding, compressorOf } from "./content-coding.ts";

/** Larger ones hold up other requests, smaller ones cost more calls than they are worth. */
const chunkLength = 65_536;

/** A shorter body does not get shorter by as much as it costs. */
const minCompressedLength = 1_024;

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

/** Lets other requests run between two chunks: a client that takes all at once would otherwise keep them waiting. */
async function* resumed(first: string, second: string, rest: Iterable<string>): AsyncGenerator<string> {
  yield first;
  yield second;
  for (const chunk of rest) {
    await new Promise(setImmediate);
    yield chunk;
  }
}

/** Sends a whole body, with its length. */
export function sendText(response: Response, text: string): void {
  response.setHeader("Content-Length", Buffer.byteLength(text)).end(text);
}

/**
 * Sends a body that is made while it is sent: the next piece only when the client has taken the one before. A short
 * one goes in one go, with its length. Resolves when all is sent, or the client is gone.
 */
export async function sendPieces(
  response: Response,
  pieces: Iterable<string>,
  coding?: ContentCoding,
): Promise<void> {
  const chunks = joined(pieces);
  const first = chunks.next();
  const second = chunks.next();
  const whole = first.done || second.done;
  if (whole && (coding === undefined || (first.value ?? "").length < minCompressedLength)) {
    sendText(response, first.value ?? "");
    return;
  }
  const body = whole
    ? Readable.from([first.value ?? ""])
    : Readable.from(resumed(first.value, second.value, chunks));
  await sendStream(response, body, coding);
}

/** Sends a body that is all there, with its length unless it is compressed. As `sendPieces` otherwise. */
export async function sendParts(
  response: Response,
  parts: readonly Uint8Array[],
  coding?: ContentCoding,
): Promise<void> {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const isSmall = length < minCompressedLength;
  if (isSmall || coding === undefined) {
    response.setHeader("Content-Length", length);
  }
  await sendStream(response, Readable.from(parts), isSmall ? undefined : coding);
}

async function sendStream(
  response: Response,
  body: Readable,
  coding: ContentCoding | undefined,
): Promise<void> {
  try {
    if (coding === undefined) {
      await pipeline(body, response);
    } else {
      response.setHeader("Content-Encoding", coding);
      await pipeline(body, compressorOf(coding), response);
    }
  } catch (error) {
    // Someone who closes the connection early has seen enough; whatever else went wrong is worth a word.
    if (!(error instanceof Error && "code" in error && error.code === "ERR_STREAM_PREMATURE_CLOSE")) {
      throw error;
    }
  }
}
