import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Response } from "express";
import { nextTurn } from "storage/next-turn";
import { type ContentCoding, compressorOf } from "./content-coding.ts";

/** Bytes of a chunk. Larger chunks delay other requests; smaller ones need too many calls. */
const chunkLength = 65_536;

/** Minimum length for compression; below it compression costs more than it saves. */
const minCompressedLength = 1_024;

/** Text, or the bytes of text. */
export type Piece = string | Uint8Array;

/** A part of the body that is sent with one write. */
interface Chunk {
  readonly body: Piece;
  /** True: the chunk is sent at once, even when it is short. */
  readonly isUrgent: boolean;
}

/** Joins small pieces into chunks. */
async function* joined(pieces: Iterable<Piece> | AsyncIterable<Piece>): AsyncGenerator<Chunk, undefined> {
  let body: Piece = "";
  for await (const piece of pieces) {
    body = joinedTo(body, piece);
    const isUrgent = piece === "" && body !== "";
    if (body.length >= chunkLength || isUrgent) {
      yield { body, isUrgent };
      body = "";
    }
  }
  if (body !== "") {
    yield { body, isUrgent: false };
  }
}

/** Joins two pieces. Texts stay texts, because encoding one long text is faster than encoding many short ones. */
function joinedTo(body: Piece, piece: Piece): Piece {
  if (typeof body === "string" && typeof piece === "string") {
    return body + piece;
  }
  if (body.length === 0) {
    return piece;
  }
  return piece.length === 0 ? body : Buffer.concat([bytesOf(body), bytesOf(piece)]);
}

function bytesOf(piece: Piece): Uint8Array {
  return typeof piece === "string" ? Buffer.from(piece) : piece;
}

/**
 * Yields the chunks of `first`, and then each chunk of `rest` in a new turn of the event loop. Without the turns a fast
 * client would delay other requests.
 */
async function* inTurns(
  first: readonly Chunk[],
  rest: AsyncGenerator<Chunk, undefined>,
): AsyncGenerator<Chunk> {
  yield* first;
  for (;;) {
    await nextTurn();
    const { value, done } = await rest.next();
    if (done) {
      return;
    }
    yield value;
  }
}

/** Sends a whole body, with its length. */
export function sendText(response: Response, text: Piece): void {
  response.setHeader("Content-Length", Buffer.byteLength(text)).end(text);
}

/**
 * Sends a body while it is made: the next piece is made when the client has taken the previous one. A short body is
 * sent in one write, with its length. Resolves when the socket has everything, or the client has disconnected.
 * @param pieces an empty piece sends the output made until now
 */
export async function sendPieces(
  response: Response,
  pieces: Iterable<Piece> | AsyncIterable<Piece>,
  coding?: ContentCoding,
): Promise<void> {
  const chunks = joined(pieces);
  const head: Chunk[] = [];
  while (head.length < 2 && head[0]?.isUrgent !== true) {
    const { value, done } = await chunks.next();
    if (done) {
      break;
    }
    head.push(value);
  }
  const [first, second] = head;
  const isWhole = second === undefined && first?.isUrgent !== true;
  const begin = first?.body ?? "";
  if (isWhole && (coding === undefined || begin.length < minCompressedLength)) {
    sendText(response, begin);
    return;
  }
  const body = isWhole ? head : inTurns(head, chunks);
  if (coding === undefined) {
    await writeChunks(response, body);
    return;
  }
  const compressor = compressorOf(coding);
  const bodies = async function* () {
    for await (const { body: next, isUrgent } of body) {
      yield next;
      if (isUrgent) {
        compressor.flush();
      }
    }
  };
  await sendStream(response, Readable.from(bodies()), coding, compressor);
}

/** Writes the chunks; ends early when the client disconnects. @throws errors of the chunks themselves */
async function writeChunks(
  response: Response,
  chunks: Iterable<Chunk> | AsyncIterable<Chunk>,
): Promise<void> {
  for await (const { body } of chunks) {
    if (response.destroyed) {
      return;
    }
    if (!response.write(body)) {
      await writable(response);
    }
  }
  response.end();
}

/** Resolves when more can be written, or when the response has closed. */
function writable(response: Response): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      response.off("drain", settle).off("close", settle);
      resolve();
    };
    response.on("drain", settle).on("close", settle);
  });
}

/**
 * Sends a list of parts as a complete body, with its length unless it is compressed. For an async iterable the header
 * is sent before the first part exists. Resolves as {@link sendPieces} does.
 */
export async function sendParts(
  response: Response,
  parts: readonly Uint8Array[] | AsyncIterable<Uint8Array>,
  coding?: ContentCoding,
): Promise<void> {
  if (Symbol.asyncIterator in parts) {
    if (coding !== undefined) {
      response.setHeader("Content-Encoding", coding);
    }
    response.flushHeaders();
    await sendStream(response, Readable.from(parts), coding);
    return;
  }
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const isSmall = length < minCompressedLength;
  if (isSmall || coding === undefined) {
    response.setHeader("Content-Length", length);
  }
  await sendStream(response, Readable.from(parts), isSmall ? undefined : coding);
}

/** Sends a stream, compressed if the client accepts it. An early disconnect of the client is not an error. */
async function sendStream(
  response: Response,
  body: Readable,
  coding: ContentCoding | undefined,
  compressor = coding === undefined ? undefined : compressorOf(coding),
): Promise<void> {
  try {
    if (coding === undefined || compressor === undefined) {
      await pipeline(body, response);
    } else {
      if (!response.headersSent) {
        response.setHeader("Content-Encoding", coding);
      }
      await pipeline(body, compressor, response);
    }
  } catch (error) {
    // An early disconnect of the client is normal; the caller handles any other error.
    if (!(error instanceof Error && "code" in error && error.code === "ERR_STREAM_PREMATURE_CLOSE")) {
      throw error;
    }
  }
}

/** An answer with another media type than its style. */
export class TypedAnswer {
  readonly contentType: string;
  /** The parts of the body; a list when the body is complete. */
  readonly parts: readonly Uint8Array[] | AsyncIterable<Uint8Array>;

  /** @param body a text, or parts of the body */
  constructor(contentType: string, body: string | readonly Uint8Array[] | AsyncIterable<Uint8Array>) {
    this.contentType = contentType;
    this.parts = typeof body === "string" ? [Buffer.from(body)] : body;
  }
}
