import type { Engine } from "../engine/engine.ts";
import type { NativeResult } from "../engine/native-binding.ts";
import type { QueryGate } from "../engine/query-gate.ts";
import type { ResultPipe } from "../engine/result-pipe.ts";
import { EngineError, engineError, toEngineError } from "../engine-error.ts";

/**
 * Bytes of a result that are buffered before the first byte is sent. An error within these bytes gets the right status
 * and code; a result within these bytes has a length and a summary. ClickHouse's name for this limit is
 * `http_response_buffer_size`.
 */
const headBytes = 1024 * 1024;

const syntaxError = 62;

/** A complete result, or the beginning of a result. */
export interface StreamedResult {
  readonly head: Buffer;
  /** Data about the query; present when `head` is the whole result. */
  readonly ran?: NativeResult;
  /** The rest of the result, if the result is longer than `head`. */
  readonly more?: RestOfResult;
}

/** The rest of a result whose beginning was read. */
export interface RestOfResult {
  /** Pieces of the rest. Iterating throws EngineError when the query fails. */
  readonly chunks: AsyncIterable<Buffer>;
  /**
   * Resolves when the query has ended or failed. The query's connection is then free, although the last pieces may
   * still be unread.
   */
  readonly ended: Promise<void>;
}

interface StreamParts {
  readonly engine: Engine;
  readonly gate: QueryGate;
}

/** Removes the path of the pipe from an error for the client. */
function withoutPath(error: unknown, path: string): EngineError {
  const { code, message } = toEngineError(error);
  return new EngineError(code, message.replaceAll(path, "result"), { cause: error });
}

/**
 * Runs a read within the limit of running queries, and returns its result while the engine produces it. The query ends
 * when the whole result was read, or when the signal is aborted. A caller that stops reading must abort the signal.
 * @param run runs the statement with its result in the pipe
 * @returns undefined when the statement must run without a pipe, because there are no pipes, or because the engine
 * refuses it with a pipe. Without the pipe, the engine's error refers to the client's own text.
 * @throws EngineError
 */
export async function runStreamed(
  { engine, gate }: StreamParts,
  signal: AbortSignal,
  tag: string,
  run: (pipe: ResultPipe) => Promise<NativeResult>,
): Promise<StreamedResult | undefined> {
  const started = Promise.withResolvers<ResultPipe | undefined>();
  const ran = gate.run(async () => {
    const pipe = engine.takePipe();
    started.resolve(pipe);
    if (pipe === undefined) {
      return undefined;
    }
    // The query may have ended while its last bytes are still in the pipe.
    signal.addEventListener("abort", () => pipe.abandon(), { once: true });
    try {
      return await engine.cancelWhen(signal, tag, () => run(pipe));
    } finally {
      pipe.end();
    }
  }, signal);
  ran.catch((error: unknown) => started.reject(error));
  const pipe = await started.promise;
  if (pipe === undefined) {
    return undefined;
  }
  const chunks = chunksOf(pipe, ran);
  const held: Buffer[] = [];
  let length = 0;
  try {
    while (length < headBytes) {
      const { value, done } = await chunks.next();
      if (done === true) {
        const result = await ran;
        return result === undefined ? undefined : { head: Buffer.concat(held, length), ran: result };
      }
      held.push(value);
      length += value.length;
    }
  } catch (error) {
    if (error instanceof EngineError && error.code === syntaxError && length === 0) {
      return undefined;
    }
    throw error;
  }
  const ended = ran.then(
    () => {},
    () => {},
  );
  return { head: Buffer.concat(held, length), more: { chunks, ended } };
}

/** @throws EngineError when the query fails, or when its output was dropped */
async function* chunksOf(pipe: ResultPipe, ran: Promise<unknown>): AsyncGenerator<Buffer, void> {
  try {
    yield* pipe.stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    await ran;
  } catch (error) {
    throw withoutPath(error, pipe.path);
  }
  if (pipe.isAbandoned) {
    throw engineError("QUERY_WAS_CANCELLED", "the result was not read to its end");
  }
}
