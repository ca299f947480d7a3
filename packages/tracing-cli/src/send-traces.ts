import { setTimeout as pause } from "node:timers/promises";
import { bodyOf } from "./body-of.ts";
import { CliError } from "./cli-error.ts";

/** Where OTLP goes. */
export interface SendTarget {
  /** With `/v1/traces`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds in which a send that may succeed later is tried again. */
  readonly retryForMs: number;
  readonly signal: AbortSignal;
}

/** The outcome of one send. */
export interface SendResult {
  /** Spans that the collector did not take, and why. */
  readonly rejected: { readonly spans: number; readonly message: string };
  /** Why the whole is refused for good. */
  readonly fault?: string;
}

/** Answers after which the same may succeed. Source: OTLP specification, "Retryable Response Codes" */
const retryable = new Set([429, 502, 503, 504]);
const firstPauseMs = 250;
const maxPauseMs = 10_000;
/** Bytes of an answer: a status and a sentence. */
const maxAnswerBytes = 1024 * 1024;

/** Source: OTLP, `ExportTracePartialSuccess` */
interface PartialSuccess {
  readonly partialSuccess?: { readonly rejectedSpans?: string | number; readonly errorMessage?: string };
}

/**
 * Sends a message of OTLP JSON, again while the collector is away.
 * @throws CliError when it stays away
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

/** A try: its outcome, or why another one may succeed. */
interface Attempt {
  readonly result?: SendResult;
  readonly problem?: string;
  /** Milliseconds that the collector asks to wait. */
  readonly waitMs?: number;
}

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
    // 200 without JSON: taken, by a collector that says no more
  }
  const { rejectedSpans = 0, errorMessage = "" } = partial?.partialSuccess ?? {};
  return { result: { rejected: { spans: Number(rejectedSpans) || 0, message: errorMessage } } };
}
