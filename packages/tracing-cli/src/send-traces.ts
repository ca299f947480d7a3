import { setTimeout as pause } from "node:timers/promises";
import { bodyOf } from "./body-of.ts";
import { CliError } from "./cli-error.ts";

/** Receiver of OTLP messages. */
export interface SendTarget {
  /** Address of the receiver, with `/v1/traces`. */
  readonly url: string;
  /** Headers of each request, besides `content-type`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds after the first try during which a failed send is repeated. 0: no repetition. */
  readonly retryForMs: number;
  /** When aborted, the send, or the pause before the next try, ends with an AbortError. */
  readonly signal: AbortSignal;
}

export interface SendResult {
  /**
   * Number of spans that the collector refused in an accepted message, and the reason. 0 with "" when it accepted all
   * spans.
   */
  readonly rejected: { readonly spans: number; readonly message: string };
  /** Reason why the collector refused the whole message permanently, such as `400 …`. A repeat cannot help. */
  readonly fault?: string;
}

/** Status codes after which a repeated send may succeed. Source: OTLP specification, "Retryable Response Codes" */
const retryable = new Set([429, 502, 503, 504]);
/** Milliseconds before the second try. Each further pause is twice as long, up to `maxPauseMs`. */
const firstPauseMs = 250;
const maxPauseMs = 10_000;
/** Maximum number of bytes of an answer: an answer has only a status and a sentence. */
const maxAnswerBytes = 1024 * 1024;

/** Source: OTLP, `ExportTracePartialSuccess` */
interface PartialSuccess {
  readonly partialSuccess?: { readonly rejectedSpans?: string | number; readonly errorMessage?: string };
}

/**
 * Sends a message of OTLP JSON, and repeats the send while the collector is unreachable or busy. A message whose answer
 * was lost is sent again, so the collector may get it twice.
 * @throws CliError when the collector stays unreachable or busy for `retryForMs`
 */
export async function sendTraces(text: string, target: SendTarget): Promise<SendResult> {
  const deadline = performance.now() + target.retryForMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    const { result, problem, waitMs = pauseMs } = await trySend(text, target);
    if (result !== undefined) {
      return result;
    }
    if (performance.now() + waitMs > deadline) {
      throw new CliError(`${target.url}: ${problem}`);
    }
    await pause(waitMs, undefined, { signal: target.signal });
  }
}

/** The outcome of a try: `result` when it is final, or `problem` when another try may succeed. */
interface Attempt {
  /** Final result: accepted, or refused permanently. */
  readonly result?: SendResult;
  /** The status or the connection error, for the message after the last try. */
  readonly problem?: string;
  /** Milliseconds that the collector asks to wait, in `Retry-After` as seconds; at most a minute. */
  readonly waitMs?: number;
}

/** Sends once. @throws CliError for an answer over the limit; the error of the signal when it was aborted */
async function trySend(text: string, { url, headers, signal }: SendTarget): Promise<Attempt> {
  let response: Response;
  let answer: string;
  try {
    const init = {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: text,
      signal,
    };
    response = await fetch(url, init);
    answer = await bodyOf(response, maxAnswerBytes);
  } catch (error) {
    if (signal.aborted || error instanceof CliError) {
      throw error;
    }
    const { cause } = error as Error & { readonly cause?: { readonly code?: string } };
    return { problem: `no answer: ${cause?.code ?? String(error)}` };
  }
  if (retryable.has(response.status)) {
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    return {
      problem: `${response.status} ${answer.slice(0, 300)}`,
      ...(seconds >= 0 ? { waitMs: Math.min(seconds, 60) * 1_000 } : {}),
    };
  }
  if (response.status !== 200) {
    return {
      result: { rejected: { spans: 0, message: "" }, fault: `${response.status} ${answer.slice(0, 300)}` },
    };
  }
  let partial: PartialSuccess = {};
  try {
    partial = JSON.parse(answer) as PartialSuccess;
  } catch {
    // Status 200 without JSON: the collector accepted the message, and gives no details.
  }
  const { rejectedSpans = 0, errorMessage = "" } = partial?.partialSuccess ?? {};
  return { result: { rejected: { spans: Number(rejectedSpans) || 0, message: errorMessage } } };
}
