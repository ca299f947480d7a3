import type { Engine } from "../engine/engine.ts";
import { EngineError, toEngineError } from "../engine/engine-error.ts";
import type { NativeResult } from "../engine/native-binding.ts";
import type { QueryGate } from "../engine/query-gate.ts";
import type { ResultPipe } from "../engine/result-pipe.ts";

/**
 * Held before the first byte is sent: an error up to here has a status and a code of its own, and a result up to here
 * has a length and a summary. As ClickHouse's `http_response_buffer_size`.
 */
const headBytes = 1024 * 1024;

const syntaxError = 62;

/** A result, whole or begun. */
export interface StreamedResult {
  readonly head: Buffer;
  /** Present when `head` is all. */
  readonly ran?: NativeResult;
  /** Present when there is more; throws EngineError when the query fails on its way. */
  readonly rest?: AsyncGenerator<Buffer, void>;
}

interface StreamParts {
  readonly engine: Engine;
  readonly gate: QueryGate;
}

/** The pipe is our own business. */
function withoutPath(error: unknown, path: string): EngineError {
  const { code, message } = toEngineError(error);
  return new EngineError(code, message.replaceAll(path, "result"), { cause: error });
}

/**
 * Runs a question in its place of the gate, and gives its result as the engine makes it. The place is kept until the
 * last byte was taken.
 * @param run runs the statement into the pipe
 * @returns undefined when it must be run without a pipe: there is none here, or the engine does not take the statement
 *   with one (what is wrong with it is then better said by the engine, of the text as the client wrote it)
 * @throws EngineError
 */
export async function runStreamed(
  { engine, gate }: StreamParts,
  signal: AbortSignal,
  tag: string,
  run: (pipe: ResultPipe) => Promise<NativeResult>,
): Promise<StreamedResult | undefined> {
  const started = Promise.withResolvers<ResultPipe | undefined>();
  const ended = gate.run(async () => {
    const pipe = engine.takePipe();
    started.resolve(pipe);
    if (pipe === undefined) {
      return undefined;
    }
    try {
      return await engine.cancelWhen(signal, tag, () => run(pipe));
    } finally {
      pipe.end();
    }
  }, signal);
  ended.catch((error: unknown) => started.reject(error));
  const pipe = await started.promise;
  if (pipe === undefined) {
    return undefined;
  }
  const chunks = pipe.stream.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  const held: Buffer[] = [];
  let length = 0;
  try {
    while (length < headBytes) {
      const { value, done } = await chunks.next();
      if (done === true) {
        const ran = await ended;
        return ran === undefined ? undefined : { head: Buffer.concat(held, length), ran };
      }
      held.push(value);
      length += value.length;
    }
  } catch (error) {
    await chunks.return?.();
    pipe.abandon();
    const known = withoutPath(error, pipe.path);
    if (known.code === syntaxError && length === 0) {
      return undefined;
    }
    throw known;
  }
  async function* rest(open: ResultPipe): AsyncGenerator<Buffer, void> {
    try {
      for (;;) {
        const { value, done } = await chunks.next();
        if (done === true) {
          break;
        }
        yield value;
      }
      await ended;
    } catch (error) {
      throw withoutPath(error, open.path);
    } finally {
      await chunks.return?.();
      open.abandon();
    }
  }
  return { head: Buffer.concat(held, length), rest: rest(pipe) };
}
