import { createReadStream } from "node:fs";
import { type ClientTlsMaterial, sendRequest } from "lifecycle";
import { StrategiesError } from "./parse-strategies.ts";

/** Size limit of a decompressed strategies file in bytes, enough for about 100,000 rules. */
export const maxStrategiesBytes = 16 * 1024 * 1024;

/** Milliseconds for the whole answer of a URL. A slower answer is an error. */
const urlTimeoutMs = 1_000;

/** Maximum number of characters of an error's body that are logged. The rest is dropped. */
const maxErrorText = 500;

/** True for a URL, false for a path. */
function isUrl(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

/** The source for logs: a URL without user and password. */
export function sourceText(source: string): string {
  const url = isUrl(source) ? URL.parse(source) : null;
  if (url === null) {
    return source;
  }
  url.password = "";
  url.username = "";
  return url.href;
}

/**
 * Reads the text of the strategies. When the URL answers 503, the text is `null`.
 * @param source path, or http(s) URL; its user and password are sent as Basic authorization
 * @param tls for an https URL: trusted CAs and client certificate. With it, redirects are not followed
 * @throws StrategiesError
 */
export async function readStrategies(source: string, tls?: ClientTlsMaterial): Promise<string> {
  return isUrl(source) ? await download(source, tls) : await readPath(source);
}

async function readPath(path: string): Promise<string> {
  try {
    return await collect(createReadStream(path), maxStrategiesBytes);
  } catch (error) {
    throw asStrategiesError(error, "cannot be read");
  }
}

async function download(source: string, tls: ClientTlsMaterial | undefined): Promise<string> {
  const signal = AbortSignal.timeout(urlTimeoutMs);
  try {
    const { password, username } = new URL(source);
    const headers: Record<string, string> = {};
    if (username !== "" || password !== "") {
      const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
      headers.authorization = `Basic ${Buffer.from(user).toString("base64")}`;
    }
    const { status, body } = await answerOf(sourceText(source), { headers, signal, tls });
    const text = await collect(body, maxStrategiesBytes);
    if (status === 503) {
      return "null";
    }
    if (status !== 200) {
      throw new StrategiesError(`answers ${status}: ${text.slice(0, maxErrorText).trim()}`);
    }
    return text;
  } catch (error) {
    if (signal.aborted) {
      throw new StrategiesError(`has not answered within ${urlTimeoutMs} ms`);
    }
    throw asStrategiesError(error, "cannot be downloaded");
  }
}

interface Question {
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal;
  readonly tls: ClientTlsMaterial | undefined;
}

async function answerOf(
  url: string,
  { headers, signal, tls }: Question,
): Promise<{ readonly status: number; readonly body: AsyncIterable<Uint8Array> }> {
  if (tls === undefined) {
    const { status, body } = await fetch(url, { headers, signal });
    return { status, body: body ?? new Blob().stream() };
  }
  const response = await sendRequest(new URL(url), { method: "GET", headers, signal, tls });
  return { status: response.statusCode ?? 0, body: response };
}

async function collect(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes) {
      throw new StrategiesError(`is longer than the limit of ${maxBytes} bytes`);
    }
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString();
}

function asStrategiesError(error: unknown, what: string): StrategiesError {
  if (error instanceof StrategiesError) {
    return error;
  }
  const { message, cause } = error as Error;
  // fetch only reports "fetch failed"; the reason is in its cause.
  const reason = cause instanceof Error && cause.message !== "" ? cause.message : message;
  return new StrategiesError(`${what}: ${reason}`, { cause: error });
}
